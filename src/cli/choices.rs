//! The possible values of options.

use clap::ValueEnum;
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use serde::Deserialize;

/// The input languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    /// Temporal stream logic
    Tsl,
    /// Linear temporal logic
    Ltl,
    /// Temporal logic synthesis format
    Tlsf,
}

/// Reads the name of an input language; that of LTL on finite words is answered with where it is read.
#[derive(Clone)]
pub(crate) struct InputFormatParser;

impl TypedValueParser for InputFormatParser {
    type Value = InputFormat;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<InputFormat, clap::Error> {
        if value.to_str().is_some_and(|value| value.to_lowercase().starts_with("ltlf")) {
            let message = "formulas over finite words (LTLf) are read in TLSF with `SEMANTICS: Mealy,Finite`: \
                           `tsl-synth help tlsf`\n";
            return Err(clap::Error::raw(ErrorKind::InvalidValue, message).with_cmd(command));
        }
        EnumValueParser::<InputFormat>::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values: Vec<PossibleValue> =
            InputFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
        Some(Box::new(values.into_iter()))
    }
}

/// Dialects of TSL.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DialectArg {
    /// Ours
    TslSynth,
    /// reactive-systems/tsltools
    Tsltools,
    /// Barnard-PL-Labs/tsltools
    Barnard,
    /// Not of TSL: the SQL of DuckDB, for `emit POLICY --lang sql`
    #[serde(skip)]
    Duckdb,
}

/// Engines.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EngineArg {
    /// All of them
    Auto,
    /// Bounded games over universal co-Buechi automata
    Bounded,
    /// Games of deterministic automata on decision diagrams
    Symbolic,
    /// The same games explored forward as graphs
    Explicit,
}

/// Colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressChoice {
    /// On a terminal
    #[default]
    Auto,
    /// Never
    Never,
}

/// Forms of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    #[default]
    Text,
    /// One JSON document
    Json,
    /// Annotations of GitHub workflows
    Github,
    /// SARIF 2.1.0
    Sarif,
    /// JUnit XML
    Junit,
}

/// Sets of exit codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExitCodes {
    /// 0 yes, 1 no, 3 unknown
    #[default]
    TslSynth,
    /// 10 realizable, 20 unrealizable, 0 unknown
    Syntcomp,
}

/// JSON schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaName {
    /// The answer of an oracle, on one line
    Answer,
    /// The result of `policy ask --format json`
    Ask,
    /// The file of `check --baseline`
    Baseline,
    /// The result of `explain TRACE --format json`
    Cause,
    /// The same for several effects
    Causes,
    /// The result of `check --format json`
    Check,
    /// The result of `critic POLICY .. --format json`
    Critic,
    /// The result of `critic POLICY --loop .. --format json`
    CriticLoop,
    /// The result of `diff --format json`
    Diff,
    /// The result of `emit --format json`
    Emit,
    /// The result of `explain SPEC --format json`
    Explain,
    /// A machine: the result of `emit --lang json`
    Machine,
    /// What an oracle is asked, on one line
    Request,
    /// A line of a script of answers
    Script,
    /// What a template given to `emit --template` sees
    Template,
    /// The result of `plan GRAMMAR .. --format json`
    Plan,
    /// The documents of `plan judge`
    Judgments,
    /// The named patterns of rules with the LTL that they mean: a table, not a schema
    Pattern,
    /// A policy, in TOML or JSON
    Policy,
    /// The result of `check POLICY --format json`
    PolicyCheck,
    /// The result of `check POLICY --from-nl .. --format json`
    Sentences,
    /// A tools file: `--env tools:FILE`
    Tools,
    /// A trace: what `simulate` writes and `explain` reads
    Trace,
    /// The result of `verify --format json`
    Verify,
    /// The words that a policy can `use`; with a word, its tables in TOML
    Vocabulary,
    /// A world file: `--env effects:FILE`
    World,
}

/// The findings that `--deny` turns into exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deny {
    /// Findings that make REALIZABLE meaningless: unsatisfiable assumptions, or a controller that can win only by
    /// falsifying the assumptions.
    Critical,
    /// All warnings.
    Warnings,
    /// One code.
    Code(u16),
}

impl std::str::FromStr for Deny {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "critical" | "loud" => Ok(Self::Critical),
            "warnings" => Ok(Self::Warnings),
            _ => parse_code(text)
                .map(|code| Self::Code(code.0))
                .ok_or_else(|| "expected `critical`, `warnings` or a code such as TSL0123".into()),
        }
    }
}

/// Reads a diagnostic code, such as `TSL0123` or `tsl123`.
pub(crate) fn parse_code(text: &str) -> Option<tsl_synth_core::diag::Code> {
    let digits = text.get(..3).filter(|head| head.eq_ignore_ascii_case("tsl")).and_then(|_| text.get(3..))?;
    let all_digits = !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|b| b.is_ascii_digit());
    all_digits.then(|| digits.parse().ok().map(tsl_synth_core::diag::Code)).flatten()
}
