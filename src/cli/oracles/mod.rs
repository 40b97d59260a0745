//! The adapters of the port [`Oracle`]: scripts, programs, models at an HTTP address, a person at the terminal.

mod args;
#[cfg(feature = "http")]
mod http;
mod ports;
mod program;
mod reading;
mod record;
mod sentence;
mod tools;
mod tty;
mod verb;

pub(crate) use args::{AccessArgs, Api, OracleArgs};
pub(crate) use ports::SharedOracle;
pub(crate) use verb::{OracleVerbArgs, run};

use crate::adapters::{Adapters, WithSources};
use crate::exit::Exit;
use crate::output;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tsl_synth_agents::{Oracle, Script};
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::read_script;
use tsl_synth_service::{Failure, Session};

/// How oracles are asked.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only models have names, keys and seeds"))]
pub(crate) struct Access {
    /// The name of the model at an HTTP address.
    pub(crate) model: Option<String>,
    /// The environment variable with the key, if one was named.
    pub(crate) key_env: Option<String>,
    /// How long an answer may take.
    pub(crate) timeout: Duration,
    /// For models that support a seed.
    pub(crate) seed: u64,
    /// The form of requests, if it was named.
    pub(crate) api: Option<Api>,
    /// The first limit of tokens, if it was given.
    pub(crate) max_tokens: Option<u32>,
    /// The temperature, if it was given.
    pub(crate) temperature: Option<f64>,
    /// More headers, as they were given.
    pub(crate) headers: Vec<String>,
    /// More parameters of the body.
    pub(crate) parameters: Vec<(String, Value)>,
    /// Whether answers are taken as streams.
    pub(crate) stream: bool,
    /// Whether models are asked to think first.
    pub(crate) think: bool,
    /// Whether schemas of closed sets go with requests.
    pub(crate) schemas: bool,
    /// Whether questions at the terminal have colors.
    pub(crate) color: bool,
}

impl Access {
    /// The settings of the flags.
    pub(crate) fn new(args: &AccessArgs, seed: Option<u64>, color: bool) -> Self {
        Self {
            model: args.model.clone(),
            key_env: args.key_env.clone(),
            timeout: args.oracle_timeout,
            seed: seed.unwrap_or(0),
            api: args.api,
            max_tokens: args.max_tokens,
            temperature: args.temperature,
            headers: args.header.clone(),
            parameters: args.model_param.clone(),
            stream: args.stream,
            think: args.think,
            schemas: args.decoding.is_some(),
            color,
        }
    }

    /// All that the answers of a model depend on, but for its address and the seed.
    pub(crate) fn identity(&self) -> String {
        format!(
            "{:?} {:?} {:?} {:?} {:?} {:?}",
            self.model,
            self.api,
            self.max_tokens,
            self.temperature,
            self.parameters,
            (self.think, self.schemas)
        )
    }
}

/// The end of the error message about a text that names no oracle.
const FORMS: &str = "expected `script:FILE`, `cmd:PROGRAM ARGS..`, `http:URL`, `record:FILE`, `record:FILE=ORACLE`, `tools:FILE` or `tty`; `agent` also has `sim`, `plan drive` `first`, `last` and `random`";

/// Opens the oracle that a text names.
///
/// # Errors
/// When the text names no oracle, or the oracle cannot be opened.
pub(crate) fn open(text: &str, access: &Access) -> Result<Box<dyn Oracle>> {
    let (scheme, rest) = text.split_once(':').unwrap_or((text, ""));
    Ok(match scheme {
        "script" => Box::new(script(Path::new(rest))?),
        "cmd" => Box::new(program::OracleProgram::start(rest, access.timeout)?),
        "http" | "https" => chat(text, access)?,
        "tools" => Box::new(tools::open(Path::new(rest), access.timeout)?),
        "record" => Box::new(record::Kept::open(rest, access.seed, &|inner| open(inner, access))?),
        "tty" if rest.is_empty() => Box::new(tty::Tty::new(access.color)),
        _ => bail!("`{text}` is no oracle: {FORMS}"),
    })
}

/// Opens an oracle whose answers are kept in this file; those that the same oracle gave with the same settings are given
/// without asking.
///
/// # Errors
/// As for [`open`], and when the file cannot be used.
pub(crate) fn open_kept(text: &str, file: &Path, access: &Access) -> Result<Box<dyn Oracle>> {
    let asked = format!("{} {}", text.split('?').next().unwrap_or_default(), access.identity());
    Ok(Box::new(record::Kept::of(file, Some(text), Some(asked), access.seed, &|inner| open(inner, access))?))
}

/// Asks the library, with an oracle if one is named. If there is no report, the reason is printed, and the error is the
/// exit code.
pub(crate) fn ask<T: Send + 'static>(
    adapters: &Adapters,
    oracle: Option<String>,
    access: Access,
    request: impl FnOnce(&mut Session<'_>, Option<&mut dyn Oracle>) -> Result<T, Failure> + Send + 'static,
) -> Result<(T, SourceMap), Exit> {
    let asked = adapters.ask(move |session| {
        let mut oracle = oracle.map(|oracle| open(&oracle, &access)).transpose()?;
        let oracle = oracle.as_mut().map(|oracle| oracle.as_mut() as &mut dyn Oracle);
        anyhow::Ok(request(session, oracle))
    });
    let WithSources { answer, sources } = asked.or_exit()?;
    match answer {
        Ok(Ok(report)) => Ok((report, sources)),
        Ok(Err(failure)) => Err(adapters.failed(&failure, &sources)),
        Err(error) => Err(output::error(&error)),
    }
}

#[cfg(feature = "http")]
fn chat(text: &str, access: &Access) -> Result<Box<dyn Oracle>> {
    Ok(Box::new(http::Chat::new(text, access)?))
}

#[cfg(not(feature = "http"))]
fn chat(text: &str, _access: &Access) -> Result<Box<dyn Oracle>> {
    bail!("`{text}`: this program was built without the feature `http`")
}

fn script(path: &Path) -> Result<Script> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let answers =
        read_script(&text).map_err(|(line, why)| anyhow!("{}, line {line}: {why}", path.display()))?;
    Ok(Script::new(answers))
}
