//! `tsl-check`: checks a certificate of tsl-synth.

#![forbid(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;
use tsl_check::certificate::{Certificate, read_certificate};
use tsl_check::check::{Checked, Refused, check, difference};
use tsl_check::formula::Arena;
use tsl_check::hoa::read_hoa;
use tsl_check::machine::MachineKind;
use tsl_check::{Source, contract_of};

const HELP: &str = "\
Checks a certificate that `tsl-synth check SPEC --certificate FILE` wrote.

Usage: tsl-check [OPTIONS] SPEC [MACHINE] CERTIFICATE

  SPEC         the specification: .ltl and plain .tlsf are read and compared with the
               certificate; of other languages the clauses of the certificate are trusted
  MACHINE      a machine in HOA to check instead of the one in the certificate; `-` for that one
  CERTIFICATE  the certificate

Options:
  --param NAME=VALUE   a parameter of a TLSF file; may be given more than once
  --trust-contract     do not read SPEC: trust the clauses of the certificate
  --help, --version

Exit code: 0 accepted, 1 refused, 2 the input or the call is wrong.
";

#[derive(Default)]
struct Options {
    files: Vec<String>,
    parameters: Vec<(String, i64)>,
    trusts_contract: bool,
}

fn options(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut found = Options::default();
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        let value = match argument.strip_prefix("--param") {
            Some("") => Some(arguments.next().ok_or("--param needs NAME=VALUE")?),
            Some(rest) => rest.strip_prefix('=').map(str::to_string),
            None => None,
        };
        if let Some(value) = value {
            let (name, number) = value.split_once('=').ok_or("--param needs NAME=VALUE")?;
            let number = number.parse().map_err(|_| format!("{number:?} is no number"))?;
            found.parameters.push((name.to_string(), number));
        } else if argument == "--trust-contract" {
            found.trusts_contract = true;
        } else if argument.starts_with("--") {
            return Err(format!("unknown option {argument:?}; `tsl-check --help` lists all"));
        } else {
            found.files.push(argument);
        }
    }
    if matches!(found.files.len(), 2 | 3) {
        Ok(found)
    } else {
        Err("usage: tsl-check [--param N=V] [--trust-contract] SPEC [MACHINE] CERTIFICATE".into())
    }
}

enum Failure {
    /// The input or the call.
    Bad(String),
    /// The certificate does not prove the verdict.
    Refused(String),
}

fn text_of(path: &str) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::Bad(format!("{path:?}: {error}")))
}

fn run(options: &Options) -> Result<String, Failure> {
    let (spec, certificate_path) = (&options.files[0], &options.files[options.files.len() - 1]);
    let mut arena = Arena::new();
    let certificate = read_certificate(&text_of(certificate_path)?, &mut arena)
        .map_err(|unread| Failure::Bad(format!("{certificate_path:?}: {unread}")))?;
    let mut out = Vec::new();
    let mut machine = certificate.machine.clone();
    match options.files.get(1).filter(|path| options.files.len() == 3 && *path != "-") {
        None => out.push("machine: the one in the certificate".to_string()),
        Some(path) => {
            machine = read_hoa(&text_of(path)?, &certificate.signals)
                .map_err(|unread| Failure::Bad(format!("{path:?}: {unread}")))?;
            out.push(format!("machine: {path:?}"));
        }
    }
    out.extend(compared(spec, options, &certificate, &mut arena)?);
    let checked = check(&certificate, &machine, &mut arena).map_err(refusal)?;
    Ok(accepted(spec, &certificate, &checked, &out))
}

/// Compares the contract with that of the specification; the lines of output about it.
fn compared(
    spec: &str,
    options: &Options,
    certificate: &Certificate,
    arena: &mut Arena,
) -> Result<Vec<String>, Failure> {
    let count = certificate.contract.clauses.len();
    let source = if options.trusts_contract { Source::Other } else { Source::of_name(spec) };
    // The file has to be there, whatever its language is.
    let text = text_of(spec)?;
    if source == Source::Other {
        let mut out = vec![
            "contract: the clauses of the certificate".to_string(),
            format!("trusted: the translation of {spec:?} to these {count} clauses and their signals"),
        ];
        if certificate.kind == MachineKind::Counter && !options.trusts_contract {
            out.push(
                "trusted: that the plays of the machine are possible for some functions and predicates"
                    .into(),
            );
        }
        return Ok(out);
    }
    let of_counter = certificate.kind == MachineKind::Counter;
    let origin = contract_of(source, &text, &options.parameters, (&certificate.signals, of_counter), arena)
        .map_err(|unread| {
        let hint = if unread.is_beyond { "; --trust-contract leaves it unread" } else { "" };
        Failure::Bad(format!("{spec:?}: {unread}{hint}"))
    })?;
    if !of_counter && certificate.kind != origin.controller {
        let kind = origin.controller.word();
        return Err(Failure::Refused(format!("the specification asks for a machine of kind `{kind}`")));
    }
    let refused = |why: String| Failure::Refused(format!("{spec:?}: {why}"));
    let contract = origin.renumbered(&certificate.signals, arena).map_err(refused)?;
    if let Some(why) = difference(arena, certificate, &origin.signals, &contract) {
        return Err(refused(why));
    }
    let mut out =
        vec![format!("contract: {count} clauses, equal to those of {spec:?} as this program reads it")];
    if !origin.is_divided {
        out.push("trusted: which signals are inputs and which are outputs; the file does not say".into());
    }
    for (name, value) in &options.parameters {
        out.push(format!("trusted: the parameter {name} = {value}"));
    }
    Ok(out)
}

fn refusal(refused: Refused) -> Failure {
    let claim = refused.claim.map(|claim| format!("claim `{claim}`: "));
    let line = refused.line.map(|line| format!("line {line} of the certificate: "));
    Failure::Refused(claim.unwrap_or_default() + &line.unwrap_or_default() + &refused.why)
}

fn accepted(spec: &str, certificate: &Certificate, checked: &Checked, lines: &[String]) -> String {
    let verdict = if certificate.is_realizable { "REALIZABLE" } else { "UNREALIZABLE" };
    let Checked { claims, rows } = checked;
    let mut out = format!("ACCEPTED: {spec:?} is {verdict} ({claims} claims, {rows} rows)\n");
    for line in lines {
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(concat!(
        "trusted: tsl-check ",
        env!("CARGO_PKG_VERSION"),
        ", the Rust compiler and its standard library\n"
    ));
    out
}

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let print = |text: &str| std::io::stdout().write_all(text.as_bytes());
    let (text, code) = match &arguments[..] {
        [one] if one == "--help" || one == "-h" => (HELP.to_string(), 0),
        [one] if one == "--version" => {
            (concat!("tsl-check ", env!("CARGO_PKG_VERSION"), "\n").to_string(), 0)
        }
        _ => match options(arguments.into_iter()).map_err(Failure::Bad).and_then(|options| run(&options)) {
            Ok(text) => (text, 0),
            Err(Failure::Refused(why)) => (format!("REFUSED: {why}\n"), 1),
            Err(Failure::Bad(why)) => {
                // A closed stream changes nothing about the answer.
                let _ = std::io::stderr().write_all(format!("error: {why}\n").as_bytes());
                return ExitCode::from(2);
            }
        },
    };
    match print(&text) {
        Ok(()) => ExitCode::from(code),
        Err(_) => ExitCode::from(2),
    }
}
