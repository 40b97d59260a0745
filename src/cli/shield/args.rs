//! The flags of `shield`.

use super::places::HostArg;
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tsl_synth_stores::JournalStore;

/// `shield POLICY`
#[derive(Args, Clone, Debug)]
pub(crate) struct GateArgs {
    /// The policy: TOML, JSON of the same shape, or a JSON list of laws
    pub(crate) policy: PathBuf,
    /// How the host speaks to the gate
    #[arg(long, value_enum, default_value_t)]
    pub(crate) proto: Proto,
    /// The host whose hook this is, with `--proto hook`; with `--proto mcp` calls pass that a hook of this host granted, once each
    #[arg(long, value_enum, required_if_eq("proto", "hook"))]
    pub(crate) host: Option<HostArg>,
    /// With `--proto hook`: the event that the hook is installed for, in case that the payload does not tell
    #[arg(long, value_name = "NAME")]
    pub(crate) event: Option<String>,
    /// Decide and record, and let everything pass
    #[arg(long)]
    pub(crate) shadow: bool,
    /// The session of requests that name none; with `--proto mcp` that of the proxy [default: `session`; with `mcp` a new one]
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Keep journals in this folder [default: in memory; with `--proto hook` and `mcp` the folder of the user's state]
    #[arg(long, value_name = "DIR")]
    pub(crate) journal: Option<PathBuf>,
    /// Wait until the disk has each record
    #[arg(long)]
    pub(crate) durable: bool,
    /// Solve the game of the laws in each process; else what was solved is kept in the folder of journals
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// What becomes of decisions when the policy file is edited
    #[arg(long, value_enum, default_value_t)]
    pub(crate) on_change: OnChange,
    /// With `--proto mcp`: the name of the server in the policy [default: the file name of its program]
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
    /// With `--proto mcp`: the program of the server and its arguments
    #[arg(last = true, value_name = "SERVER")]
    pub(crate) command: Vec<String>,
}

impl GateArgs {
    /// The folder of journals: the one that was named, or that of the user.
    ///
    /// # Errors
    /// When the path of the folder cannot be determined.
    pub(crate) fn store(&self) -> Result<JournalStore> {
        match &self.journal {
            Some(folder) => Ok(JournalStore::new(std::path::absolute(folder)?, self.durable)),
            None => Ok(JournalStore::of_user(self.durable)?),
        }
    }
}

/// The protocol between host and gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Proto {
    /// JSON lines on standard input and output: `tsl-synth help shield`
    #[default]
    Jsonl,
    /// One payload of a hook on standard input
    Hook,
    /// A proxy in front of an MCP server
    Mcp,
}

/// How the gate decides after the policy file was edited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnChange {
    /// The new policy decides from the next decision on, and the session is read by it from its beginning
    #[default]
    Reload,
    /// Everything is denied
    Deny,
}
