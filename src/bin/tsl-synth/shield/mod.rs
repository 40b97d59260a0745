//! `shield`: a policy as a gate in front of the calls of an agent. Here: putting it into the settings of a host.

pub(crate) mod doctor;
pub(crate) mod install;
mod places;
mod probe;
pub(crate) mod store;

use crate::exit::Exit;
use clap::{Args, Subcommand};

/// What `shield` can be told.
#[derive(Debug, Args)]
pub(crate) struct ShieldArgs {
    #[command(subcommand)]
    action: ShieldAction,
}

/// The parts of the verb.
#[derive(Debug, Subcommand)]
enum ShieldAction {
    /// Put the hooks of a policy into the settings of a host, with everything else in them as it was
    Install(install::InstallArgs),
    /// Take our hooks out of the settings of a host
    Uninstall(install::UninstallArgs),
    /// Check the hooks that are installed: are they called, do they refuse, what does the host let through all the same?
    Doctor(doctor::DoctorArgs),
}

/// Runs the verb.
pub(crate) fn run(args: &ShieldArgs) -> Exit {
    match &args.action {
        ShieldAction::Install(args) => install::run(args),
        ShieldAction::Uninstall(args) => install::run_uninstall(args),
        ShieldAction::Doctor(args) => doctor::run(args),
    }
}
