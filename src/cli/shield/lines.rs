//! The reference protocol over standard input and output: one line for each request and for each answer.

use super::args::GateArgs;
use super::gate_file::GateFile;
use crate::exit::Exit;
use crate::output;
use std::io::{BufRead, Write};
use std::time::{SystemTime, UNIX_EPOCH};
use tsl_synth_seats::gate::{GateRequest, REQUEST_LIMIT, read_request};
use tsl_synth_service::GateDocument;

/// The current Unix time in milliseconds.
pub(crate) fn now() -> Option<i64> {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(passed.as_millis()).ok()
}

/// Answers requests until the input ends.
pub(crate) fn run(args: &GateArgs) -> Exit {
    let mut keeper = match GateFile::new(args, "jsonl", false) {
        Ok(keeper) => keeper,
        Err(error) => return output::error(&error),
    };
    if let Some(why) = keeper.broken() {
        return output::wrong(why);
    }
    let session = args.session.as_deref().unwrap_or("session");
    let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        let limit = REQUEST_LIMIT as u64 + 2;
        match std::io::Read::take(&mut input, limit).read_until(b'\n', &mut line) {
            Ok(0) => return Exit::Yes,
            Ok(_) => {}
            Err(error) => {
                return output::error(&anyhow::Error::new(error).context("cannot read the requests"));
            }
        }
        number += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let document = match std::str::from_utf8(&line) {
            Ok(text) => answer(&mut keeper, text, number, session),
            Err(_) => error(session, "the request is not UTF-8"),
        };
        let written = serde_json::to_string(&document)
            .map_err(std::io::Error::other)
            .and_then(|text| out.write_all(format!("{text}\n").as_bytes()))
            .and_then(|()| out.flush());
        // The host has closed the pipe.
        if written.is_err() {
            return Exit::Yes;
        }
    }
}

/// The answer to a request that cannot be judged: a denial, since it may have been a proposal.
fn error(session: &str, why: &str) -> GateDocument {
    let mut document = GateDocument::new("error", session);
    document.verdict = Some("deny".into());
    why.clone_into(&mut document.reason);
    document
}

fn answer(keeper: &mut GateFile, text: &str, number: u64, session: &str) -> GateDocument {
    let request = match read_request(text, number, session) {
        Ok(request) => request,
        Err(bad) => return error(session, &bad.0),
    };
    match request {
        GateRequest::Event(mut event) => {
            event.time = event.time.or_else(now);
            keeper.event(&event).map_or_else(|why| error(&event.session, &why), |answer| answer.document)
        }
        GateRequest::Commit { session, ticket, outcome, result, time } => {
            let done = keeper
                .shield()
                .and_then(|shield| shield.commit(&session, &ticket, outcome, result, time.or_else(now)));
            done.map_or_else(|why| error(&session, &why), |answer| answer.document)
        }
        GateRequest::SolverOptions { session } => {
            let options = keeper.shield().and_then(|shield| shield.options(&session));
            options.unwrap_or_else(|why| error(&session, &why))
        }
    }
}
