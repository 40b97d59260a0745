//! What the flags, the project file and the defaults come to.

use crate::args::{DialectArg, EngineArg, EngineArgs};
use crate::supervise::{Allowance, half_of_the_memory};
use std::time::Duration;
use tsl_synth::base::StopFlag;
use tsl_synth::syntax::Dialect;
use tsl_synth::synth::{Engine, Options, Wanted};

/// Under `CI` nobody waits for ever.
const CI_TIME: Duration = Duration::from_mins(5);

/// The flags of one run that concern the computation.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Time and memory.
    pub(crate) allowance: Allowance,
    args: EngineArgs,
}

impl Settings {
    /// The settings of these flags.
    pub(crate) fn new(args: EngineArgs) -> Self {
        let ci = std::env::var("CI").is_ok_and(|ci| !matches!(ci.as_str(), "" | "0" | "false"));
        let allowance = Allowance {
            time: args.time_limit.or(ci.then_some(CI_TIME)),
            memory: args.memory_limit.unwrap_or_else(half_of_the_memory),
        };
        Self { allowance, args }
    }
    /// What the synthesizer is asked for.
    pub(crate) fn options(&self, stop: StopFlag, minimize: bool) -> Options {
        let available = || std::thread::available_parallelism().map_or(1, usize::from).min(2);
        Options {
            engine: match self.args.engine {
                None | Some(EngineArg::Auto) => Engine::Auto,
                Some(EngineArg::Bounded) => Engine::Bounded,
                Some(EngineArg::Symbolic) => Engine::Symbolic,
                Some(EngineArg::Explicit) => Engine::Explicit,
            },
            bound: self.args.bound,
            threads: self.args.threads.map_or_else(available, |n| n as usize),
            certify: !self.args.no_certify,
            minimize,
            form: Wanted::Either,
            counter: None,
            stop,
            memory: self.allowance.memory,
            work: Options::default().work,
            rounds: Options::default().rounds,
            refinement_rounds: self.args.refinements.unwrap_or(Options::default().refinement_rounds),
        }
    }
}

/// The dialect that an argument names.
pub(crate) fn dialect(arg: Option<DialectArg>) -> Dialect {
    match arg {
        None | Some(DialectArg::TslSynth) => Dialect::TslSynth,
        Some(DialectArg::Tsltools) => Dialect::Tsltools,
        Some(DialectArg::Barnard) => Dialect::Barnard,
    }
}
