//! `explain POLICY`: laws in words.

use crate::adapters::Adapters;
use crate::exit::Exit;
use crate::explain::args::ExplainArgs;
use crate::output;
use crate::terminal::{escape, escape_lines};
use std::fmt::Write;
use std::path::Path;
use tsl_synth_core::diag::Severity;
use tsl_synth_policy::language::LawKind;
use tsl_synth_service::{ExampleWord, Input, PolicyInWords};

/// Runs the verb for a policy.
pub(crate) fn run(args: &ExplainArgs, path: &Path) -> Exit {
    let adapters = Adapters::new(&args.engine, &args.output, None);
    let input = Input::File(path.to_path_buf());
    let (words, sources) = match adapters.report(move |session| session.explain_policy(&input)) {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    adapters.show(&words.diagnostics, Severity::Warning, &sources);
    match output::deliver(args.output.output.as_deref(), &text(&words)) {
        Ok(()) => Exit::Yes,
        Err(error) => output::error(&error),
    }
}

fn word(word: Option<&ExampleWord>) -> String {
    let Some(word) = word else { return "no trace".into() };
    let letters: Vec<String> = word
        .iter()
        .map(|letter| {
            let names: Vec<String> = letter.iter().map(|name| escape(name)).collect();
            if names.is_empty() { "(nothing)".into() } else { names.join(" & ") }
        })
        .collect();
    if letters.is_empty() { "the empty trace".into() } else { letters.join("; ") }
}

fn text(words: &PolicyInWords) -> String {
    let mut text = String::new();
    for (i, law) in words.laws.iter().enumerate() {
        let kind = match law.kind {
            LawKind::Assume => "assumed of the world",
            LawKind::Hard => "hard",
            LawKind::Soft => "soft",
        };
        let each = match law.for_each.as_slice() {
            [] => String::new(),
            names => format!(", for each {}", names.join(" and ")),
        };
        let gap = if i == 0 { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{} ({kind}{})", escape(&law.id), escape(&each));
        let _ = writeln!(text, "  {}", escape_lines(&law.sentence));
        let _ = writeln!(text, "  formula:  {}", escape(&law.ltl));
        let kept = law.never.as_deref().map_or_else(|| word(law.accepted.as_ref()), escape);
        let _ = writeln!(text, "  kept:     {kept}");
        let _ = writeln!(text, "  violated: {}", word(law.rejected.as_ref()));
        if !law.why.is_empty() {
            let _ = writeln!(text, "  why:      {}", escape(&law.why));
        }
    }
    text
}
