//! The cache of verdicts. A cache is never trusted: its strategy is certified against the specification as it was just
//! read, the facts of TSL that it needs are derived anew, and if certification fails, the specification is solved as if
//! there were no cache.

use super::questions::CertificateTimer;
use super::{CheckRequest, Input, VERSION};
use crate::Session;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::Player;
use tsl_synth_core::model::{Abstraction, StrategyRepr, Verdict};
use tsl_synth_documents::{CachedVerdict, CheckNotion, CheckVerdict, SCHEMA_VERSION};
use tsl_synth_engine::mealy::Registers;
use tsl_synth_engine::synth::{
    FailedCertificate, Friendliness, MachineCandidate, MachineVerdict, Outcome, SolverOptions, Statistics,
    VerifyOptions, synthesize, verify, without_early_minimization,
};
use tsl_synth_formats::aiger::{aiger_of_strategy, write_ascii};
use tsl_synth_formats::hoa::{HoaHeader, write_counter_strategy, write_mealy};
use tsl_synth_lang::spec::Problem;

/// The maximal size of an entry in bytes; larger ones are neither written nor read.
const MOST: usize = 16 << 20;

/// The source of an answer.
pub(super) enum Solved {
    /// From the cache.
    Before,
    /// From the synthesizer; to be stored in the cache under this key.
    AnewFor(String),
    /// From the synthesizer; not to be stored.
    Anew,
}

impl Session<'_> {
    /// The answer of the cache, if there is one that passes the certifier; else that of the synthesizer.
    pub(super) fn solve(
        &mut self,
        request: &CheckRequest,
        problem: &mut Problem,
        diagnostics: &mut Diagnostics,
        options: &SolverOptions,
        relay: &CertificateTimer<'_>,
    ) -> Result<(Outcome, Solved), FailedCertificate> {
        // Whether the controller falsifies the assumptions is decided after the verdict (`prefer_friendly`), and
        // minimization waits for that.
        let plain = SolverOptions { friendly: false, ..without_early_minimization(problem, options) };
        let Some(cache) = self.cache.filter(|_| options.certify) else {
            return Ok((synthesize(problem, &plain, relay)?, Solved::Anew));
        };
        let key = self.key(request, problem);
        if let Some(bytes) = cache.get(&key) {
            match self.recall(&bytes, problem, options, relay) {
                Ok((known, outcome)) => {
                    *problem = known;
                    return Ok((outcome, Solved::Before));
                }
                Err(why) => {
                    let message = format!("what the cache has on this specification is not used: {why}");
                    diagnostics.push(Diagnostic::note(Code::CACHE_NOT_USED, message));
                }
            }
        }
        Ok((synthesize(problem, &plain, relay)?, Solved::AnewFor(key)))
    }

    /// Puts an answer into the cache if it is certified.
    pub(super) fn keep(&self, key: &str, problem: &Problem, outcome: &mut Outcome) {
        if let (Some(cache), Some(value)) = (self.cache, kept(problem, outcome))
            && let Err(why) = cache.put(key, &value)
        {
            outcome.statistics.log.push(format!("the cache does not take the verdict: {why}"));
        }
    }

    /// A hash of everything that the verdict depends on: the texts, how they are read, the game that is solved, and the
    /// version of this program.
    fn key(&self, request: &CheckRequest, problem: &Problem) -> String {
        let (spec, solver) = (&request.spec, &request.solver);
        let read = format!(
            "{VERSION} {:?} {:?} {:?} {} {:?} {:?} {:?}",
            problem.language, problem.target, spec.dialect, spec.strict, spec.ins, spec.outs, spec.parameters
        );
        let solved = format!(
            "{:?} {:?} {} {} {}",
            solver.engine, solver.bound, solver.refinement_rounds, solver.friendly, request.minimize
        );
        let mut hash = Sha256::new();
        for part in [read.as_str(), solved.as_str()].into_iter().chain(self.texts()) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        hash.finalize().iter().fold(String::new(), |mut key, byte| {
            let _ = write!(key, "{byte:02x}");
            key
        })
    }

    /// The certified outcome of a cache entry, with the problem whose arena holds the facts that it uses; or the reason
    /// why the entry is not used.
    fn recall(
        &mut self,
        bytes: &[u8],
        problem: &Problem,
        options: &SolverOptions,
        relay: &CertificateTimer<'_>,
    ) -> Result<(Problem, Outcome), String> {
        if bytes.len() > MOST {
            return Err("it is too large".into());
        }
        let entry: CachedVerdict = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if entry.schema_version != SCHEMA_VERSION {
            return Err("it is of another version".into());
        }
        let text = Input::Text { name: "<cache>".into(), text: entry.strategy };
        let (candidate, resolutions) = self.candidate(problem, &text).map_err(|lack| lack.to_string())?;
        if resolutions.is_some() {
            return Err("the machine leaves outputs open".into());
        }
        let claimed = match entry.verdict {
            CheckVerdict::Realizable => Player::System,
            CheckVerdict::Unrealizable => Player::Environment,
            CheckVerdict::Unknown | CheckVerdict::Error => return Err("it is no answer".into()),
        };
        if candidate.owner() != claimed {
            return Err("the strategy is of the other player".into());
        }
        let mut problem = problem.clone();
        let verifying = VerifyOptions {
            symbolic: false,
            refinement_rounds: options.refinement_rounds,
            stop: self.cancel.clone(),
            memory: options.memory,
        };
        let found = verify(&mut problem, &candidate, &verifying, relay);
        let certificate = found.certificate();
        let notion = match found.judgment {
            MachineVerdict::Holds(_, notion) => notion,
            MachineVerdict::Unknown(limit) => {
                return Err(format!("its certificate is not finished: {limit}"));
            }
            MachineVerdict::Violated { .. }
            | MachineVerdict::Undecided { .. }
            | MachineVerdict::Improper(..)
            | MachineVerdict::Malformed(_) => {
                return Err("its strategy fails the certificate check".into());
            }
        };
        if claimed == Player::Environment && entry.notion != Some(CheckNotion::of(notion)) {
            return Err("its notion is not the one that the certificate check finds".into());
        }
        let mut statistics = Statistics::default();
        statistics.log.push("the strategy is from the cache and was certified again".into());
        let outcome = Outcome {
            verdict: verdict(candidate, notion),
            certificate,
            friendly: Friendliness::NotAsked,
            constraints: found.constraints,
            statistics,
        };
        Ok((problem, outcome))
    }
}

fn verdict(candidate: MachineCandidate, notion: Abstraction) -> Verdict {
    match candidate {
        MachineCandidate::Mealy(mealy) => Verdict::Realizable(StrategyRepr::Explicit(mealy)),
        MachineCandidate::Counter(counter) => Verdict::Unrealizable(StrategyRepr::Explicit(counter), notion),
        MachineCandidate::Circuit { owner: Player::System, circuit, .. } => {
            Verdict::Realizable(StrategyRepr::Circuit(circuit))
        }
        MachineCandidate::Circuit { owner: Player::Environment, circuit, .. } => {
            Verdict::Unrealizable(StrategyRepr::Circuit(circuit), notion)
        }
    }
}

/// The entry of a certified answer.
fn kept(problem: &Problem, outcome: &Outcome) -> Option<Vec<u8>> {
    outcome.certificate.as_ref()?;
    let alphabet = &problem.shown_alphabet();
    let header = HoaHeader { name: "strategy".into(), tool_version: VERSION.into() };
    let aiger = |circuit, owner| write_ascii(&aiger_of_strategy(alphabet, circuit, owner, ""));
    let (notion, strategy) = match &Registers::of(problem).hidden(&outcome.verdict) {
        Verdict::Realizable(StrategyRepr::Explicit(mealy)) => (None, write_mealy(alphabet, mealy, &header)),
        Verdict::Realizable(StrategyRepr::Circuit(circuit)) => (None, aiger(circuit, Player::System)),
        Verdict::Unrealizable(StrategyRepr::Explicit(counter), notion) => {
            (Some(*notion), write_counter_strategy(alphabet, counter, &header))
        }
        Verdict::Unrealizable(StrategyRepr::Circuit(circuit), notion) => {
            (Some(*notion), aiger(circuit, Player::Environment))
        }
        Verdict::Unknown(_) => return None,
    };
    let entry = CachedVerdict::new(CheckVerdict::of(&outcome.verdict), notion.map(CheckNotion::of), strategy);
    serde_json::to_vec(&entry).ok().filter(|bytes| bytes.len() <= MOST)
}
