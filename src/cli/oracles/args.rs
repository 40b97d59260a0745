//! The flags that name the oracles and configure access to them.

use crate::units::time;
use clap::Args;
use std::time::Duration;

/// The oracle of each port.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Oracles")]
pub(crate) struct OracleArgs {
    /// Who answers: `script:FILE`, `cmd:PROGRAM ARGS..`, `http:URL` (a chat model), `tty` (you): `help oracles`
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
    /// Who plays the environment that the agent acts on; under a policy also `inventory`, `household:TASK`
    #[arg(long, value_name = "ORACLE")]
    pub(crate) env: Option<String>,
    #[command(flatten)]
    pub(crate) access: AccessArgs,
}

/// How oracles are asked.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Oracles")]
pub(crate) struct AccessArgs {
    /// The name of the model at an HTTP address [default: the environment variable TSL_SYNTH_MODEL]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
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
        Self { model: None, key_env: None, oracle_timeout: Duration::from_mins(1), attempts: 3 }
    }
}
