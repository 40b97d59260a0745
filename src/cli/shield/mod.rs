//! `shield`: a policy as a gate in front of the calls of an agent.

mod args;
mod clean;
mod config_change;
pub(crate) mod doctor;
mod finders;
mod forks;
pub(crate) mod gate_file;
mod grants;
mod hook;
pub(crate) mod install;
mod journal;
mod lines;
mod mcp;
mod own_files;
mod path_words;
mod places;
pub(crate) mod probe;
mod reached;
pub(crate) mod test;

use crate::output;
use args::{GateArgs, Proto};
use clap::{Args, Subcommand};
use tsl_synth_seats::hook::HookHost;

/// The flags of `shield`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ShieldArgs {
    #[command(flatten)]
    gate: Option<GateArgs>,
    #[command(subcommand)]
    action: Option<ShieldAction>,
}

/// The subcommands; without one, the gate is run.
#[derive(Debug, Subcommand)]
enum ShieldAction {
    /// Put the hooks of a policy into the settings of a host, with everything else in them as it was
    Install(install::InstallArgs),
    /// Take our hooks out of the settings of a host
    Uninstall(install::UninstallArgs),
    /// Decide about one pasted payload, in a session that begins with it
    Test(test::TestArgs),
    /// Check the hooks that are installed: are they called, do they refuse, what does the host let through all the same?
    Doctor(doctor::DoctorArgs),
    /// Remove the sessions that are older than the policies say that decided in them (`retain`)
    Clean(clean::CleanArgs),
}

/// Runs the verb and returns the exit code.
pub(crate) fn run(args: &ShieldArgs) -> i32 {
    let exit = match (&args.action, &args.gate) {
        (Some(ShieldAction::Install(args)), _) => install::run(args),
        (Some(ShieldAction::Uninstall(args)), _) => install::run_uninstall(args),
        (Some(ShieldAction::Test(args)), _) => test::run(args),
        (Some(ShieldAction::Doctor(args)), _) => doctor::run(args),
        (Some(ShieldAction::Clean(args)), _) => clean::run(args),
        (None, Some(gate)) => match (gate.proto, gate.host) {
            (Proto::Hook, Some(host)) => return hook::run(gate, HookHost::from(host)),
            (Proto::Hook, None) => output::wrong("`--proto hook` needs `--host`"),
            (Proto::Jsonl, _) => lines::run(gate),
            (Proto::Mcp, _) => return mcp::run(gate),
        },
        (None, None) => output::wrong(
            "`shield` needs a policy, or one of `install`, `uninstall`, `test`, `doctor`, `clean`",
        ),
    };
    exit.code()
}
