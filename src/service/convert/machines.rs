//! Machines in another format.

use super::names::Naming;
use super::{ConvertReport, ConvertRequest, MachineFormat, lost, not_expressible};
use crate::machine::{MachineFile, bad, named_outputs};
use crate::subject::bare;
use crate::{Failure, Input, Session, VERSION};
use std::collections::BTreeSet;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::logic::Alphabet;
use tsl_synth_documents::AnyStrategy;
use tsl_synth_emit::{Contents, EmitInput, EmitOptions, Lang, Meta, Strategy, emit, plain};
use tsl_synth_formats::hoa::read_hoa;
use tsl_synth_formats::smv::{write_counter, write_mealy};

/// A machine as read from a file.
struct ReadMachine {
    alphabet: Alphabet,
    strategy: AnyStrategy,
    /// The format of the file, and the name in it.
    format: &'static str,
    name: Option<String>,
}

impl Session<'_> {
    pub(super) fn convert_machine(
        &mut self,
        request: &ConvertRequest,
        input: &Input,
    ) -> Result<ConvertReport, Failure> {
        let mut diagnostics = Diagnostics::new();
        let shown = input.shown();
        let to = request.to;
        if matches!(to, MachineFormat::Tsl | MachineFormat::Tlsf | MachineFormat::Ltl) {
            let message = format!("`{shown}` is a machine, and {} is for specifications", to.name());
            let hint = "machines are written as hoa, aiger, json or smv";
            return Err(not_expressible(message, hint));
        }
        let read = self.convertible(input, &request.spec.outs, &mut diagnostics)?;
        for what in losses(&read, to) {
            diagnostics.push(lost(what));
        }
        if let MachineFormat::Smv = to {
            let text = smv(&read, &shown);
            return Ok(ConvertReport { contents: Contents::Text(text), diagnostics });
        }
        let meta = Meta {
            tool_version: VERSION.into(),
            spec_name: read.name.clone().unwrap_or_else(|| shown.clone()),
            spec_sha256: String::new(),
            certified_by: None,
            origin: format!("converted from {}", read.format),
            clauses: Vec::new(),
            asked: Vec::new(),
        };
        let problem = bare(read.alphabet);
        let strategy = match &read.strategy {
            AnyStrategy::Mealy(machine) => Strategy::Controller(machine),
            AnyStrategy::Counter(machine) => Strategy::Counter(machine),
        };
        let (lang, form) = match to {
            MachineFormat::Aiger(form) => (Lang::Aiger, form),
            MachineFormat::Json => (Lang::Json, tsl_synth_emit::AigerForm::Ascii),
            _ => (Lang::Hoa, tsl_synth_emit::AigerForm::Ascii),
        };
        let input = EmitInput { problem: &problem, strategy, assumptions: &[], meta: &meta };
        let options = EmitOptions { aiger: form, ..EmitOptions::new(lang) };
        let files = emit(&input, &options)?;
        let main = files.into_iter().find(|file| file.main);
        let contents = main.map(|file| file.contents);
        let contents = contents.ok_or_else(|| Failure::internal("no file was made"))?;
        Ok(ConvertReport { contents, diagnostics })
    }

    fn convertible(
        &mut self,
        input: &Input,
        outs: &[String],
        diagnostics: &mut Diagnostics,
    ) -> Result<ReadMachine, Failure> {
        let shown = input.shown();
        let is_aiger = tsl_synth_formats::aiger::is_aiger(&self.input_bytes(input)?.1);
        match self.machine_file(input)? {
            MachineFile::Json(json) => {
                let (alphabet, strategy, _) = *json;
                Ok(ReadMachine { alphabet, strategy, format: "machine JSON", name: None })
            }
            MachineFile::Hoa(text) => {
                let hoa = read_hoa(&text).map_err(|error| bad(&shown, error))?;
                let names = named_outputs(&shown, &hoa.propositions, hoa.controllable.as_deref(), outs)?;
                let (alphabet, machine) = hoa.mealy(&names).map_err(|error| bad(&shown, error))?;
                if let Some(state) = hoa.leaves_open(&alphabet) {
                    diagnostics.push(lost(format!(
                        "state {state} of `{shown}` leaves outputs open; one way to choose them is written"
                    )));
                }
                if !is_aiger && hoa.controllable.is_none() && outs.is_empty() && !hoa.propositions.is_empty()
                {
                    let hint = "the file has no `controllable-AP:`; name the outputs with `--outs a,b`";
                    let message = "it is not known which propositions are outputs";
                    return Err(bad(&shown, message).hint(hint).into());
                }
                let format = if is_aiger { "AIGER" } else { "HOA" };
                Ok(ReadMachine { alphabet, strategy: AnyStrategy::Mealy(machine), format, name: hoa.name })
            }
        }
    }
}

/// Information that the target format cannot express.
fn losses(read: &ReadMachine, to: MachineFormat) -> Vec<String> {
    let mut losses = Vec::new();
    if read.format == "machine JSON" {
        let what = "the certificate, the hash of the specification and the names of states";
        losses.push(match to {
            MachineFormat::Json => "the certificate: what is written was not certified again".to_owned(),
            _ => format!("{} has no place for {what}", to.name()),
        });
    }
    if matches!(to, MachineFormat::Aiger(_)) {
        losses.push("AIGER has no states: they become codes of latches".into());
    }
    let cells = !read.alphabet.cells().is_empty();
    if cells && to != MachineFormat::Json {
        losses.push(format!(
            "{} has no cells: there is a signal for each update, of which exactly one holds in every step",
            to.name()
        ));
    }
    losses
}

fn smv(read: &ReadMachine, shown: &str) -> String {
    let texts: Vec<String> = read.alphabet.atoms().iter().map(|atom| atom.name.clone()).collect();
    let mut taken = BTreeSet::new();
    let mut names = Naming::Smv.names(&texts, &mut taken);
    names.extend(Naming::Smv.names(&["state".to_owned()], &mut taken));
    let mut comments = vec![format!("{}, converted by tsl-synth {VERSION}", plain(shown))];
    for (text, name) in texts.iter().zip(&names).filter(|(text, name)| text != name) {
        comments.push(format!("{name} is {}", plain(text)));
    }
    match &read.strategy {
        AnyStrategy::Mealy(machine) => write_mealy(&read.alphabet, machine, &names, &comments),
        AnyStrategy::Counter(machine) => write_counter(&read.alphabet, machine, &names, &comments),
    }
}
