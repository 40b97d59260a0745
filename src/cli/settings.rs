//! The settings that result from flags, project file and defaults.

use crate::flags::{DialectArg, EngineArg, EngineArgs, InputArgs, InputFormat};
use crate::memory::half_of_the_memory;
use crate::supervise::Allowance;
use std::path::PathBuf;
use std::time::Duration;
use tsl_synth_service::{Dialect, Engine, SolverOptions, SpecLanguage, SpecRequest};

/// The default time limit under `CI`.
const CI_TIME: Duration = Duration::from_mins(5);

/// The number of available cores, at least 1.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The settings of the computation.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Time and memory.
    pub(crate) allowance: Allowance,
    args: EngineArgs,
    /// How many computations share the memory and the cores.
    shares: u32,
}

impl Settings {
    /// The settings of these flags.
    pub(crate) fn new(args: EngineArgs) -> Self {
        let ci = std::env::var("CI").is_ok_and(|ci| !matches!(ci.as_str(), "" | "0" | "false"));
        let allowance = Allowance {
            time: args.time_limit.or(ci.then_some(CI_TIME)),
            memory: args.memory_limit.unwrap_or_else(half_of_the_memory),
        };
        Self { allowance, args, shares: 1 }
    }
    /// The settings of each of several simultaneous computations: one thread unless a flag sets the number, and a part
    /// of the memory. The limit of the whole process stays the same.
    pub(crate) fn shared(&self, computations: u32) -> Self {
        Self { shares: computations.max(1), ..self.clone() }
    }
    /// The options of the solver in the library.
    pub(crate) fn solver(&self) -> SolverOptions {
        let available = || match self.shares {
            1 => cores().min(2),
            _ => 1,
        };
        let mut solver = SolverOptions::default();
        solver.engine = match self.args.engine {
            None | Some(EngineArg::Auto) => Engine::Auto,
            Some(EngineArg::Bounded) => Engine::Bounded,
            Some(EngineArg::Symbolic) => Engine::Symbolic,
            Some(EngineArg::Explicit) => Engine::Explicit,
        };
        solver.bound = self.args.bound;
        solver.threads = self.args.threads.map_or_else(available, |n| n as usize);
        solver.certify = !self.args.no_certify;
        solver.friendly = !self.args.allow_falsifying;
        solver.prefer = self.args.prefer.unwrap_or_default();
        solver.memory = self.allowance.memory / u64::from(self.shares);
        solver.refinement_rounds = self.args.refinements.unwrap_or(solver.refinement_rounds);
        solver
    }
}

/// The dialect that an argument names.
pub(crate) fn dialect(arg: Option<DialectArg>) -> Dialect {
    match arg {
        None | Some(DialectArg::TslSynth | DialectArg::Duckdb) => Dialect::TslSynth,
        Some(DialectArg::Tsltools) => Dialect::Tsltools,
        Some(DialectArg::Barnard) => Dialect::Barnard,
    }
}

impl InputArgs {
    /// The specification that the flags name.
    pub(crate) fn spec(&self) -> SpecRequest {
        self.spec_of(self.specs.clone())
    }
    /// The specification in these files, with the input options of the flags.
    pub(crate) fn spec_of(&self, files: Vec<PathBuf>) -> SpecRequest {
        let mut spec = SpecRequest::files(files);
        spec.formulas.clone_from(&self.formula);
        spec.language = self.input_format.map(|format| match format {
            InputFormat::Tsl => SpecLanguage::Tsl,
            InputFormat::Ltl => SpecLanguage::Ltl,
            InputFormat::Tlsf => SpecLanguage::Tlsf,
        });
        spec.dialect = dialect(self.dialect);
        spec.strict = self.strict;
        spec.ins.clone_from(&self.ins);
        spec.outs.clone_from(&self.outs);
        spec.parameters.clone_from(&self.parameters);
        spec.component.clone_from(&self.component);
        spec
    }
}
