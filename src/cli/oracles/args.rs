//! The flags that name the oracles and configure access to them.

use crate::units::time;
use clap::{Args, ValueEnum};
use serde_json::Value;
use std::time::Duration;

/// The oracle of each port.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Oracles")]
pub(crate) struct OracleArgs {
    /// Who answers: `script:FILE`, `cmd:PROGRAM ARGS..`, `http:URL` (a chat model), `tty` (you),
    /// `record:FILE=ORACLE` (kept answers first): `help oracles`
    #[arg(long, value_name = "ORACLE")]
    pub(crate) oracle: Option<String>,
    /// Who says what holds and chooses, if not `--oracle`
    #[arg(long, value_name = "ORACLE")]
    pub(crate) evaluator: Option<String>,
    /// Who writes texts, if not `--oracle`
    #[arg(long, value_name = "ORACLE")]
    pub(crate) generator: Option<String>,
    /// Who plays the user
    #[arg(long, value_name = "ORACLE")]
    pub(crate) user: Option<String>,
    /// Who plays the environment that the agent acts on; under a policy also `effects:FILE` (a world file, or a policy with
    /// declared effects), `inventory`, `household:TASK`
    #[arg(long, value_name = "ORACLE")]
    pub(crate) env: Option<String>,
    #[command(flatten)]
    pub(crate) access: AccessArgs,
}

/// How oracles are asked.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Oracles")]
pub(crate) struct AccessArgs {
    /// The name of the model at an HTTP address that names none itself, as `URL#MODEL` does [default: the environment
    /// variable TSL_SYNTH_MODEL]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The form of the requests to an address [default: what its path ends in, else chat]
    #[arg(long, value_enum, value_name = "API")]
    pub(crate) api: Option<Api>,
    /// The most tokens of an answer; one that is cut off is asked for again with four times as many, up to 32768
    /// [default: 256, for texts 2048]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_tokens: Option<u32>,
    /// The temperature of a model [default: 0; more when an answer could not be used]
    #[arg(long, value_name = "T", value_parser = temperature)]
    pub(crate) temperature: Option<f64>,
    /// One more header of requests to an address: `NAME: VALUE`, or `NAME: env:VARIABLE` for one that is a secret
    #[arg(long, value_name = "HEADER")]
    pub(crate) header: Vec<String>,
    /// One more parameter of requests to an address: `NAME=VALUE`, where VALUE is JSON or a text; `null` takes one out
    #[arg(long, value_name = "NAME=VALUE", value_parser = model_parameter)]
    pub(crate) model_param: Vec<(String, Value)>,
    /// Take the answers of an address as a stream
    #[arg(long)]
    pub(crate) stream: bool,
    /// Constrain the answers of the model, if the server supports it: by the grammar of all text up to the next text of the
    /// environment for a behavior, by a JSON schema for choices
    #[arg(long, value_enum, value_name = "DECODING")]
    pub(crate) decoding: Option<Decoding>,
    /// Ask models to think before they choose, between `<think>` and `</think>`
    #[arg(long)]
    pub(crate) think: bool,
    /// The environment variable that holds the key for the address [default: OPENAI_API_KEY]
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) key_env: Option<String>,
    /// How long a program or an address may take for an answer, repetitions included, such as 500ms, 2m
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "60s")]
    pub(crate) oracle_timeout: Duration,
    /// How often the same is asked until there is an answer that can be used
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) attempts: u32,
}

impl Default for AccessArgs {
    fn default() -> Self {
        Self {
            model: None,
            api: None,
            max_tokens: None,
            temperature: None,
            header: Vec::new(),
            model_param: Vec::new(),
            stream: false,
            think: false,
            decoding: None,
            key_env: None,
            oracle_timeout: Duration::from_mins(1),
            attempts: 3,
        }
    }
}

/// The forms of requests that servers of models take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Api {
    /// Chat completions: messages in, a message out
    Chat,
    /// Completions: a text in, its continuation out
    Completions,
    /// OpenAI's responses
    Responses,
}

/// How the form of an answer is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Decoding {
    /// By the decoder of the server: GBNF (llama.cpp), regular expressions (vLLM, SGLang), JSON schemas
    Grammar,
}

fn temperature(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok().filter(|value| (0.0..=2.0).contains(value));
    value.ok_or_else(|| "a number from 0 to 2 is expected".into())
}

/// `NAME=VALUE`, where the value is JSON, or else a text.
fn model_parameter(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("a parameter is given as NAME=VALUE")?;
    let name = name.trim();
    if name.is_empty() {
        return Err("a parameter is given as NAME=VALUE".into());
    }
    let own = ["model", "messages", "input", "prompt", "stream"];
    if own.contains(&name) {
        return Err(format!("`{name}` is not set by this flag"));
    }
    Ok((name.to_string(), serde_json::from_str(value).unwrap_or_else(|_| value.into())))
}
