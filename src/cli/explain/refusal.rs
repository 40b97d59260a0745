//! `explain JOURNAL --step N`: why a call was refused, since when, and which earlier event could have been otherwise.

use super::args::ExplainArgs;
use crate::exit::Exit;
use crate::flags::EmitFormat;
use crate::output;
use crate::shield::gate_file::read_policy;
use crate::terminal::escape_lines;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};
use tsl_synth_core::model::Ruling;
use tsl_synth_seats::journal::{JOURNAL_LIMIT, JournalEnd, parse};
use tsl_synth_service::{GateExplanation, explain_refusal};

/// The largest number of sets of changes that are listed.
const LISTED: usize = 8;

/// Whether a file is the journal of a gate, by how it begins.
pub(crate) fn is_journal(path: &Path) -> bool {
    let mut start = [0_u8; 8];
    let file = std::fs::File::open(path);
    file.and_then(|mut file| file.read_exact(&mut start)).is_ok() && &start == b"{\"sum\":\""
}

/// Runs the verb.
pub(crate) fn run(args: &ExplainArgs, path: &Path) -> Exit {
    if args.format != EmitFormat::Text {
        return output::wrong("of journals there is `--format text`");
    }
    match explain(args, path) {
        Ok(exit) => exit,
        Err(error) => output::error(&error),
    }
}

fn explain(args: &ExplainArgs, path: &Path) -> anyhow::Result<Exit> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(JOURNAL_LIMIT + 1).read_to_end(&mut bytes))
        .map_err(|error| anyhow::anyhow!("cannot read `{}`: {error}", path.display()))?;
    let part = parse(&bytes, &JournalEnd::default())?;
    let records = part.records;
    let field = |kind: &str, name: &str| -> Option<String> {
        let record = records.iter().rev().find(|record| record.kind == kind)?;
        let data: serde_json::Value = serde_json::from_str(&record.data).ok()?;
        data[name].as_str().map(str::to_owned)
    };
    let session = field("journal", "session").unwrap_or_else(|| "session".into());
    let policy = match (&args.spec, field("policy", "file")) {
        (Some(spec), _) => spec.clone(),
        (None, Some(file)) => PathBuf::from(file),
        (None, None) => {
            return Ok(output::wrong("the journal names no policy: say which with `--spec POLICY`"));
        }
    };
    let loaded = match read_policy(&policy) {
        Ok(loaded) => loaded,
        Err(why) => {
            return Ok(output::wrong(&format!(
                "the policy `{}` of the journal: {why}; `--spec POLICY` names another file",
                policy.display()
            )));
        }
    };
    let hash = loaded.sha256.clone();
    let explained = match explain_refusal(loaded, &hash, &session, &records, args.step) {
        Ok(explained) => explained,
        Err(why) => return Ok(output::wrong(&why)),
    };
    output::deliver(args.output.output.as_deref(), &escape_lines(&text(&explained)))?;
    Ok(Exit::Yes)
}

fn text(explained: &GateExplanation) -> String {
    let mut text = format!("record {}: {}\n", explained.record, explained.proposal);
    if explained.is_other_policy {
        text += "The policy was edited since; this is what it says now.\n";
    }
    if explained.ruling < Ruling::Ask {
        let _ = writeln!(text, "It would be allowed now. It was answered then:");
        for line in explained.reported.lines() {
            let _ = writeln!(text, "  {line}");
        }
        return text;
    }
    for line in explained.reason.lines() {
        let _ = writeln!(text, "  {line}");
    }
    match &explained.since {
        Some((record, event)) => {
            let _ = writeln!(
                text,
                "Refused since record {record}: {event}. Before that it would have been allowed."
            );
        }
        None => text += "It would have been refused at every earlier moment of this session, too.\n",
    }
    if explained.causes.is_empty() {
        text += "No single earlier event, and no two, could have been otherwise so that it was allowed.\n";
    } else {
        text += "It would have been allowed if, everything else being the same:\n";
    }
    for set in explained.causes.iter().take(LISTED) {
        for (i, change) in set.iter().enumerate() {
            let lead = if i == 0 { "-" } else { "  and" };
            let _ = writeln!(
                text,
                "  {lead} record {}: {}, instead of: {}",
                change.record, change.instead, change.event
            );
        }
    }
    if explained.causes.len() > LISTED {
        let _ = writeln!(text, "  and {} more", explained.causes.len() - LISTED);
    }
    if explained.is_cut {
        text += "Not all changes were tried: the session is long.\n";
    }
    text
}
