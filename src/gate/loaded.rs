//! Policies that are read and compiled.

use tsl_synth_core::base::sha256;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::{SourceId, SourceMap};
use tsl_synth_policy::language::{LawId, LawKind, load_policy};
use tsl_synth_policy::{CompiledPolicy, Conjunction};

/// A policy, ready to be used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedPolicy {
    /// The policy and the monitors of its laws.
    pub compiled: CompiledPolicy,
    /// Warnings and notes about the text.
    pub diagnostics: Diagnostics,
    /// SHA-256 of the text.
    pub sha256: String,
}

/// Why a policy cannot be used.
#[derive(Clone, Debug)]
pub enum UnusablePolicy {
    /// Its text has errors; the diagnostics say which.
    Text(Diagnostics),
    /// The monitor of a law is beyond a limit.
    Limit(Limit),
}

/// The maximal number of nodes of the diagrams of the conjunction of all hard laws.
const CONJUNCTION_NODES: usize = 1 << 17;

impl LoadedPolicy {
    /// Reads and compiles a policy. The text may nest as deep as the limits of the language permit, so a large stack is
    /// needed.
    ///
    /// # Errors
    /// Errors of the text, or a limit on the monitor of a law.
    pub fn read(sources: &mut SourceMap, source: SourceId, budget: &Budget) -> Result<Self, UnusablePolicy> {
        let mut diagnostics = Diagnostics::new();
        let sha256 = sha256(sources.get(source).text.as_bytes());
        let policy = load_policy(sources, source, &mut diagnostics);
        let Some(policy) = policy else { return Err(UnusablePolicy::Text(diagnostics)) };
        let compiled = CompiledPolicy::new(policy, budget).map_err(UnusablePolicy::Limit)?;
        Ok(Self { compiled, diagnostics, sha256 })
    }
    /// The solved question whether all hard laws without copies can still be kept together; `None` past a limit, or for
    /// fewer than two laws.
    pub fn conjunction(&self, budget: &Budget) -> Option<Conjunction> {
        let hard: Vec<LawId> = self
            .compiled
            .policy
            .laws
            .enumerate()
            .filter(|(_, law)| law.kind == LawKind::Hard && law.for_each.is_empty())
            .map(|(id, _)| id)
            .collect();
        if hard.len() < 2 {
            return None;
        }
        Conjunction::new(&self.compiled, &hard, CONJUNCTION_NODES, budget).ok()
    }
}
