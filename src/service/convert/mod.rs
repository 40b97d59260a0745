//! `convert`: a specification or a machine in another format.

mod machines;
mod names;
mod specs;

use super::{Failure, Input, SpecRequest};
use crate::Session;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::SourceId;
use tsl_synth_emit::{AigerForm, Contents};

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MachineFormat {
    /// Temporal stream logic.
    Tsl,
    /// TLSF 1.2; written without parameters and definitions.
    Tlsf,
    /// LTL in Spot's syntax.
    Ltl,
    /// Hanoi Omega-Automata.
    Hoa,
    /// AIGER.
    Aiger(AigerForm),
    /// Machine JSON.
    Json,
    /// SMV; only written.
    Smv,
}

impl MachineFormat {
    /// The format of files with this ending.
    pub fn of_ending(ending: &str) -> Option<Self> {
        Some(match ending {
            "tsl" => Self::Tsl,
            "tlsf" => Self::Tlsf,
            "ltl" => Self::Ltl,
            "hoa" | "ehoa" => Self::Hoa,
            "aag" => Self::Aiger(AigerForm::Ascii),
            "aig" => Self::Aiger(AigerForm::Binary),
            "json" => Self::Json,
            "smv" => Self::Smv,
            _ => return None,
        })
    }
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tsl => "TSL",
            Self::Tlsf => "TLSF",
            Self::Ltl => "LTL",
            Self::Hoa => "HOA",
            Self::Aiger(_) => "AIGER",
            Self::Json => "machine JSON",
            Self::Smv => "SMV",
        }
    }
}

/// Asks for a specification or a machine in another format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertRequest {
    /// A specification, or the one file of a machine (HOA, AIGER, machine JSON).
    pub spec: SpecRequest,
    /// The format that is written.
    pub to: MachineFormat,
}

impl ConvertRequest {
    /// Asks for this format.
    pub fn new(spec: SpecRequest, to: MachineFormat) -> Self {
        Self { spec, to }
    }
}

/// The result of a conversion.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertReport {
    /// The text, or the bytes of a binary format.
    pub contents: Contents,
    /// Warnings and notes about the input, and a note for each thing that is lost.
    pub diagnostics: Diagnostics,
}

fn not_expressible(message: impl Into<String>, hint: impl Into<String>) -> Failure {
    Diagnostic::error(Code::NOT_EXPRESSIBLE, message).hint(hint).into()
}

fn lost(message: impl Into<String>) -> Diagnostic {
    Diagnostic::note(Code::LOST, message)
}

impl Session<'_> {
    /// The contract of a component of an export of FRET.
    fn convert_fret(&mut self, request: &ConvertRequest, source: SourceId) -> Result<ConvertReport, Failure> {
        let contract = self.fret_contract(source, &request.spec, true)?;
        let text = contract.inputs.into_iter().find_map(|input| match input {
            Input::Text { text, .. } => Some(text),
            Input::File(_) => None,
        });
        Ok(ConvertReport {
            contents: Contents::Text(text.unwrap_or_default()),
            diagnostics: Diagnostics::new(),
        })
    }

    /// A specification or a machine in another format.
    ///
    /// # Errors
    /// Errors of the input, a target that cannot express it, a limit, or a defect of this program.
    pub fn convert(&mut self, request: &ConvertRequest) -> Result<ConvertReport, Failure> {
        self.deep(|session| {
            let ending = |input: &Input| {
                let path = input.path()?.extension()?.to_str()?.to_owned();
                MachineFormat::of_ending(&path)
            };
            if request.spec.inputs.iter().any(|input| ending(input) == Some(MachineFormat::Smv)) {
                let hint = "TSL, TLSF, LTL, HOA, AIGER and machine JSON are read";
                return Err(not_expressible("SMV is written and not read", hint));
            }
            if request.to == MachineFormat::Ltl
                && let [input] = &request.spec.inputs[..]
                && let Some(source) = session.fret_source(input)?
            {
                return session.convert_fret(request, source);
            }
            match session.named_machine(&request.spec) {
                Some(input) => session.convert_machine(request, &input),
                None => session.convert_spec(request),
            }
        })
    }
}
