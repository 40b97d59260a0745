//! From the named files to a problem.

use crate::args::{InputArgs, InputFormat};
use crate::files::{self, ImportLoader};
use crate::settings::dialect;
use std::path::{Path, PathBuf};
use tsl_synth::base::{Limit, LimitKind};
use tsl_synth::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth::source::{SourceId, SourceMap};
use tsl_synth::spec::{LoadOptions, MainFile, Problem, TlsfOptions, load_ltl, load_tlsf, load_tsl};

/// What came of reading a specification.
pub(crate) enum Reading {
    /// A problem; the diagnostics hold no errors.
    Problem(Box<Problem>),
    /// The diagnostics say what is wrong.
    Wrong,
    /// Well-formed as far as it goes, and too large.
    TooLarge(Limit),
}

/// The name of a specification in results: its files, or its formula.
pub(crate) fn name(input: &InputArgs) -> String {
    if input.specs.is_empty() {
        return "<formula>".into();
    }
    input.specs.iter().map(|path| files::shown(path)).collect::<Vec<_>>().join(", ")
}

/// Reads and lowers a specification.
pub(crate) fn read(input: &InputArgs, map: &mut SourceMap, diagnostics: &mut Diagnostics) -> Reading {
    let mut sources: Vec<(PathBuf, SourceId)> = Vec::new();
    for path in &input.specs {
        match files::load(path, map) {
            Ok(source) => sources.push((path.clone(), source)),
            Err(Some(diagnostic)) => diagnostics.push(diagnostic),
            Err(None) => {
                let what = format!("`{}` is larger than {} MiB", files::shown(path), files::MAX_INPUT >> 20);
                return Reading::TooLarge(Limit::new(LimitKind::Size, what));
            }
        }
    }
    if diagnostics.has_errors() {
        return Reading::Wrong;
    }
    let language = match language(input) {
        Ok(language) => language,
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            return Reading::Wrong;
        }
    };
    let result = match language {
        InputFormat::Tsl => {
            let main = sources.first().map(|(path, _)| path.as_path());
            let loader = ImportLoader::new(input.import_root.as_deref(), main);
            let main_files: Vec<MainFile> = sources
                .iter()
                .map(|(path, source)| MainFile { source: *source, canonical: files::canonical_name(path) })
                .collect();
            let (dialect, strict) = (dialect(input.dialect), input.strict);
            let options = LoadOptions { dialect, strict, ..LoadOptions::default() };
            load_tsl(&main_files, &options, map, &loader)
        }
        InputFormat::Tlsf => {
            let options = TlsfOptions { parameters: input.parameters.clone(), ..TlsfOptions::default() };
            let [(_, source)] = &sources[..] else {
                let message =
                    "several TLSF files are no specification; with `--each` every file is one by itself";
                diagnostics.push(Diagnostic::error(Code::CANNOT_READ, message));
                return Reading::Wrong;
            };
            load_tlsf(*source, &options, map)
        }
        InputFormat::Ltl => {
            let formulas = input.formula.iter().map(|text| map.add("<formula>", text.as_str()));
            let all: Vec<SourceId> = sources.iter().map(|(_, id)| *id).chain(formulas).collect();
            load_ltl(&all, &input.ins, &input.outs, map)
        }
    };
    match result {
        Ok((mut problem, findings)) => {
            diagnostics.append(findings);
            problem.name = stem(input);
            Reading::Problem(Box::new(problem))
        }
        Err(failure) => {
            diagnostics.append(failure.diagnostics);
            match failure.limit {
                Some(limit) if !diagnostics.has_errors() => Reading::TooLarge(limit),
                _ => Reading::Wrong,
            }
        }
    }
}

/// The short name of a specification: the stem of its first file.
pub(crate) fn stem(input: &InputArgs) -> String {
    let stem =
        input.specs.first().and_then(|path| path.file_stem()).map(|s| s.to_string_lossy().into_owned());
    stem.filter(|stem| stem != "-").unwrap_or_else(|| "controller".into())
}

/// The one language of all files.
fn language(input: &InputArgs) -> Result<InputFormat, Diagnostic> {
    let mut all = Vec::new();
    for path in &input.specs {
        all.push((path, language_of(path, input.input_format)?));
    }
    let wrong = |message: &str| Err(Diagnostic::error(Code::CANNOT_READ, message));
    let language = match all.first() {
        None if input.formula.is_empty() => return wrong("there is no specification"),
        None => InputFormat::Ltl,
        Some((_, first)) if all.iter().any(|(_, other)| other != first) => {
            return wrong(
                "files of different languages together are no specification; with `--each` every file is one by itself",
            );
        }
        Some((_, first)) => *first,
    };
    if !input.parameters.is_empty() && language != InputFormat::Tlsf {
        return wrong("`--param` is for TLSF: specifications in other languages have no parameters");
    }
    if language == InputFormat::Ltl {
        return Ok(language);
    }
    let shown = if language == InputFormat::Tsl { "TSL" } else { "TLSF" };
    if !input.formula.is_empty() {
        return wrong(&format!("`--formula` is LTL and cannot be added to a {shown} specification"));
    }
    if !input.ins.is_empty() || !input.outs.is_empty() {
        return wrong(&format!(
            "`--ins` and `--outs` are for LTL: a {shown} specification says itself what its inputs and outputs are"
        ));
    }
    Ok(language)
}

fn language_of(path: &Path, given: Option<InputFormat>) -> Result<InputFormat, Diagnostic> {
    let ending = path.extension().and_then(|e| e.to_str());
    match (ending, given) {
        (Some("tsl"), _) => Ok(InputFormat::Tsl),
        (Some("ltl"), _) => Ok(InputFormat::Ltl),
        (Some("tlsf"), _) => Ok(InputFormat::Tlsf),
        (_, Some(given)) => Ok(given),
        _ if files::is_stdin(path) => {
            Err(Diagnostic::error(Code::CANNOT_READ, "the language of standard input is not known")
                .hint("say `--input-format tsl`, `ltl` or `tlsf`"))
        }
        _ => Err(Diagnostic::error(
            Code::CANNOT_READ,
            format!(
                "the language of `{}` is not known: it ends neither in `.tsl`, `.ltl` nor `.tlsf`",
                files::shown(path)
            ),
        )
        .hint("say `--input-format tsl`, `ltl` or `tlsf`")),
    }
}
