//! Reads the inputs of a request into a problem.

use super::fret::is_fret;
use super::ports::{MAX_INPUT, ReadError, is_stdin, shown};
use super::{Failure, Input, SpecLanguage, SpecRequest};
use crate::Session;
use std::path::Path;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::model::Stage;
use tsl_synth_core::source::{SourceId, Span};
use tsl_synth_lang::spec::{LoadOptions, MainFile, Problem, TlsfOptions, load_ltl, load_tlsf, load_tsl};

impl Session<'_> {
    /// The bytes of a file.
    pub(super) fn bytes(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        let large = || {
            let what = format!("`{}` is larger than {} MiB", shown(path), MAX_INPUT >> 20);
            Limit::new(LimitKind::Size, what)
        };
        match self.loader.read(path) {
            Ok(bytes) if bytes.len() as u64 > MAX_INPUT => Err(large().into()),
            Ok(bytes) => Ok(bytes),
            Err(ReadError::TooLarge) => Err(large().into()),
            Err(ReadError::Unreadable(why)) => {
                let message = format!("cannot read `{}`: {why}", shown(path));
                Err(Diagnostic::error(Code::CANNOT_READ, message).into())
            }
        }
    }

    /// Adds a text in bytes to the sources.
    pub(super) fn add(&mut self, name: String, bytes: Vec<u8>) -> Result<SourceId, Failure> {
        let error = match String::from_utf8(bytes) {
            Ok(text) => return Ok(self.sources.add(name, text)),
            Err(error) => error,
        };
        let end = error.utf8_error().valid_up_to();
        let mut bytes = error.into_bytes();
        let byte = bytes[end];
        bytes.truncate(end);
        let source = self.sources.add(name.clone(), String::from_utf8_lossy(&bytes));
        Err(Diagnostic::error(Code::NOT_TEXT, format!("`{name}` is not UTF-8 text"))
            .at(Span::new(source, end, end), format!("the byte 0x{byte:02x} is here"))
            .into())
    }

    /// Reads an input into the sources.
    pub(super) fn source(&mut self, input: &Input) -> Result<SourceId, Failure> {
        match input {
            Input::File(path) => {
                let bytes = self.bytes(path)?;
                self.add(shown(path), bytes)
            }
            Input::Text { name, text } => Ok(self.sources.add(name.clone(), text.clone())),
        }
    }

    /// Reads and lowers a specification. The diagnostics of the result are warnings and notes.
    pub(super) fn problem(&mut self, request: &SpecRequest) -> Result<(Problem, Diagnostics), Failure> {
        self.begin = self.sources.iter().count();
        let mut files: Vec<MainFile> = Vec::new();
        let mut unreadable = Diagnostics::new();
        for input in &request.inputs {
            match self.source(input) {
                Ok(source) => {
                    let canonical = match input {
                        Input::File(path) => self.loader.canonical(path),
                        Input::Text { name, .. } => name.clone(),
                    };
                    files.push(MainFile { source, canonical });
                }
                Err(failure) if failure.diagnostics.has_errors() => unreadable.append(failure.diagnostics),
                Err(failure) => return Err(failure.after(unreadable)),
            }
        }
        if unreadable.has_errors() {
            return Err(unreadable.into());
        }
        if let ([input], [file]) = (&request.inputs[..], &files[..])
            && is_fret(input, &self.sources.get(file.source).text)
        {
            let contract = self.fret_contract(file.source, request, false)?;
            return self.problem(&contract);
        }
        let texts = files.iter().map(|file| self.sources.get(file.source).text.as_str()).collect::<Vec<_>>();
        let result = match language(request, &texts)? {
            SpecLanguage::Tsl => {
                let loader = self.loader.imports(request.inputs.first().and_then(Input::path));
                let SpecRequest { dialect, strict, .. } = *request;
                let parameters = request.parameters.clone();
                let options = LoadOptions { dialect, strict, parameters, ..LoadOptions::default() };
                load_tsl(&files, &options, &mut self.sources, &*loader)
            }
            SpecLanguage::Tlsf => {
                let options =
                    TlsfOptions { parameters: request.parameters.clone(), ..TlsfOptions::default() };
                let [MainFile { source, .. }] = files[..] else {
                    let message =
                        "several TLSF files are no specification; with `--each` every file is one by itself";
                    return Err(Diagnostic::error(Code::CANNOT_READ, message).into());
                };
                load_tlsf(source, &options, &self.sources)
            }
            SpecLanguage::Ltl => {
                let formulas =
                    request.formulas.iter().map(|text| self.sources.add("<formula>", text.as_str()));
                let all: Vec<SourceId> = files.iter().map(|file| file.source).chain(formulas).collect();
                load_ltl(&all, &request.ins, &request.outs, &self.sources)
            }
        };
        match result {
            Ok((mut problem, findings)) => {
                problem.name = request.stem();
                Ok((problem, findings))
            }
            Err(failure) => match failure.limit {
                Some(limit) if !failure.diagnostics.has_errors() => {
                    Err(Failure::limit(Stage::Reading, limit).after(failure.diagnostics))
                }
                _ => Err(Failure::input(failure.diagnostics)),
            },
        }
    }

    /// The first text of the specification that was read last.
    pub(super) fn first_source(&self) -> Option<SourceId> {
        self.sources.iter().nth(self.begin).map(|(source, _)| source)
    }

    /// All texts of the specification that was read last.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().skip(self.begin).map(|(_, source)| source.text.as_str())
    }
}

/// The one language of all inputs, with their texts.
fn language(request: &SpecRequest, texts: &[&str]) -> Result<SpecLanguage, Diagnostic> {
    let mut all = Vec::new();
    for (input, text) in request.inputs.iter().zip(texts) {
        all.push(language_of(input, request.language, text)?);
    }
    let wrong = |message: &str| Err(Diagnostic::error(Code::CANNOT_READ, message));
    let language = match all.first() {
        None if request.formulas.is_empty() => return wrong("there is no specification"),
        None => SpecLanguage::Ltl,
        Some(first) if all.iter().any(|other| other != first) => {
            return wrong(
                "files of different languages together are no specification; with `--each` every file is one by itself",
            );
        }
        Some(first) => *first,
    };
    if !request.parameters.is_empty() && language == SpecLanguage::Ltl {
        return wrong("`--param` is for TSL and TLSF: formulas of LTL have no parameters");
    }
    if language == SpecLanguage::Ltl {
        return Ok(language);
    }
    let shown = if language == SpecLanguage::Tsl { "TSL" } else { "TLSF" };
    if !request.formulas.is_empty() {
        return wrong(&format!("`--formula` is LTL and cannot be added to a {shown} specification"));
    }
    if !request.ins.is_empty() || !request.outs.is_empty() {
        return wrong(&format!(
            "`--ins` and `--outs` are for LTL: a {shown} specification says itself what its inputs and outputs are"
        ));
    }
    Ok(language)
}

/// What to do with a file of another tool, known by its ending or its text.
fn other_language(ending: Option<&str>, text: &str) -> Option<&'static str> {
    let has = |key: &str| text.contains(&format!("\"{key}\""));
    Some(match ending? {
        "bosy" | "json" if has("guarantees") && has("semantics") => {
            "specifications of BoSy are not read: in LTL they are `// inputs: a`, `// outputs: b`, `assume { .. }` and `guarantee { .. }`"
        }
        "part" => {
            "`.part` files are not read: say `--ins` and `--outs`, or write `// inputs: a` and `// outputs: b` above the formulas"
        }
        "ltlf" | "ltlf+" | "ldlf" | "ppltl" => {
            "formulas over finite words are read in TLSF with `SEMANTICS: Mealy,Finite` (`help tlsf`): the next of LTLf is `X[!]` there, its weak next `X`; in LTL, words are infinite"
        }
        "smv" => "SMV is written by `convert` and not read: its LTLSPEC is a formula of LTL (`help ltl`)",
        "pml" | "prom" | "promela" => {
            "Promela is not read: the formula of its `ltl` block is one of LTL (`help ltl`)"
        }
        "spectra" | "slugsin" | "structuredslugs" => {
            "this format for GR(1) is not read: TLSF has INITIALLY, REQUIRE and ASSUME for the environment, and PRESET, ASSERT and GUARANTEE for the system (`help tlsf`)"
        }
        "llissy" | "prog" => {
            "this format for infinite-state games is not read; those of Issy (`.issy`) and rpgsolve (`.rpg`) are (`help programs`)"
        }
        "lus" => "Lustre is not read; the JSON that FRET exports is (`help fret`)",
        _ => return None,
    })
}

fn language_of(input: &Input, given: Option<SpecLanguage>, text: &str) -> Result<SpecLanguage, Diagnostic> {
    let known = input.path().and_then(SpecLanguage::of_ending).or(given);
    if let Some(language) = known {
        return Ok(language);
    }
    if input.path().is_some_and(is_stdin) {
        return Ok(SpecLanguage::of_text(text));
    }
    let name = input.shown();
    let message =
        format!("the language of `{name}` is not known: it ends neither in `.tsl`, `.ltl` nor `.tlsf`");
    let error = Diagnostic::error(Code::CANNOT_READ, message);
    let ending = input.path().and_then(Path::extension).and_then(|ending| ending.to_str());
    let ending = ending.map(str::to_lowercase);
    let ending = ending.as_deref();
    if matches!(ending, Some("rpg" | "issy")) {
        let message = format!("`{name}` is a game over a program, which this verb does not read");
        return Err(Diagnostic::error(Code::CANNOT_READ, message).hint(
            "`check` says who wins it and how, `emit --lang python` or `js` writes the controller: `help programs`",
        ));
    }
    if let Some(hint) = other_language(ending, text) {
        return Err(error.hint(hint));
    }
    if matches!(ending, Some("hoa" | "ehoa" | "aag" | "aig" | "json")) {
        return Err(error.hint(
            "machines (HOA, AIGER, machine JSON) are for `view`, `simulate`, `diff`, `convert` and `verify SPEC MACHINE`; exports of FRET have a list `requirements`",
        ));
    }
    Err(error.hint("say `--input-format tsl`, `ltl` or `tlsf`"))
}
