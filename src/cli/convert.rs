//! `convert`: a specification or a machine in another format.

use crate::adapters::{Adapters, WithSources};
use crate::exit::Exit;
use crate::flags::{EngineArgs, InputArgs, InputFormat, OutputArgs};
use crate::output;
use crate::supervise::WorkEnd;
use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::Path;
use tsl_synth_core::diag::Severity;
use tsl_synth_service::{AigerForm, Contents, ConvertRequest, MachineFormat, is_stdin};

/// `convert`
#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    /// The format that is written [default: by the ending of the file that `-o` names]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) to: Option<To>,
    /// The language of standard input; machines are recognized by how they begin
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "input_format", help_heading = "Input")]
    pub(crate) from: Option<From>,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// The output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum To {
    /// A specification with Boolean signals in TSL
    Tsl,
    /// A specification in basic TLSF
    Tlsf,
    /// A specification as one LTL formula
    Ltl,
    /// A machine as HOA
    Hoa,
    /// A machine as AIGER, in ASCII
    #[value(alias = "aag")]
    Aiger,
    /// A machine as binary AIGER
    Aig,
    /// A machine as machine JSON
    Json,
    /// A specification as LTLSPEC, or a machine as module, for NuSMV and nuXmv
    Smv,
}

/// The input formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// TSL
    Tsl,
    /// TLSF
    Tlsf,
    /// LTL
    Ltl,
    /// HOA
    Hoa,
    /// AIGER, in ASCII or binary
    Aiger,
    /// Machine JSON
    Json,
}

impl To {
    fn format(self) -> MachineFormat {
        match self {
            Self::Tsl => MachineFormat::Tsl,
            Self::Tlsf => MachineFormat::Tlsf,
            Self::Ltl => MachineFormat::Ltl,
            Self::Hoa => MachineFormat::Hoa,
            Self::Aiger => MachineFormat::Aiger(AigerForm::Ascii),
            Self::Aig => MachineFormat::Aiger(AigerForm::Binary),
            Self::Json => MachineFormat::Json,
            Self::Smv => MachineFormat::Smv,
        }
    }
}

/// Runs the verb.
pub(crate) fn run(mut args: ConvertArgs) -> Exit {
    if args.input.specs.is_empty() && args.input.formula.is_empty() {
        return output::wrong("there is nothing to convert: `tsl-synth convert IN -o OUT`");
    }
    let ending = |path: &Path| MachineFormat::of_ending(path.extension()?.to_str()?);
    let file = args.output.output.as_deref().filter(|path| !is_stdin(path));
    let Some(to) = args.to.map(To::format).or_else(|| ending(file?)) else {
        return output::wrong(
            "the format is not known: say `--to FORMAT`, or `-o FILE` with an ending that tells it",
        );
    };
    match args.from {
        Some(From::Tsl) => args.input.input_format = Some(InputFormat::Tsl),
        Some(From::Tlsf) => args.input.input_format = Some(InputFormat::Tlsf),
        Some(From::Ltl) => args.input.input_format = Some(InputFormat::Ltl),
        Some(From::Hoa | From::Aiger | From::Json) | None => {}
    }
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let request = ConvertRequest::new(args.input.spec(), to);
    let (answer, sources) = match adapters.ask(move |session| session.convert(&request)) {
        WorkEnd::Done(WithSources { answer, sources }) => (answer, sources),
        other => return other.or_exit().map_or_else(|exit| exit, |_| Exit::Internal),
    };
    let report = match answer {
        Ok(report) => report,
        Err(failure) => return adapters.failed(&failure, &sources),
    };
    adapters.show(&report.diagnostics, Severity::Note, &sources);
    let path = args.output.output.as_deref();
    let delivered = match (&report.contents, file) {
        (Contents::Text(text), _) => output::deliver(path, text),
        (contents, Some(file)) => output::write_file(file, contents.bytes()),
        (contents, None) => std::io::stdout().write_all(contents.bytes()).map_err(anyhow::Error::from),
    };
    delivered.map_or_else(|error| output::error(&error), |()| Exit::Yes)
}
