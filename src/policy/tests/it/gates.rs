//! A gate without files for tests.

use std::sync::Arc;
use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::model::{HostEvent, HostEventKind, Ruling};
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::gate::{GateOptions, GateSession, GateSolver};
use tsl_synth_policy::language::load_policy;

/// A session under a policy.
pub(super) struct Gate {
    pub(super) solver: GateSolver,
    pub(super) session: GateSession,
}

impl Gate {
    pub(super) fn new(text: &str) -> Self {
        let mut sources = SourceMap::new();
        let source = sources.add("policy.toml", text);
        let mut found = Diagnostics::new();
        let policy = load_policy(&mut sources, source, &mut found);
        let policy = policy.unwrap_or_else(|| panic!("{found:?}\n{text}"));
        let compiled = CompiledPolicy::new(policy, &Budget::unlimited()).expect("monitors");
        let solver = GateSolver::new(Arc::new(compiled), GateOptions::default(), &Budget::unlimited());
        let solver = solver.expect("a game");
        let session = solver.session();
        Self { solver, session }
    }

    /// What the world tells.
    pub(super) fn hears(&mut self, kind: HostEventKind<'static>) {
        self.solver.read_event(&mut self.session, &HostEvent::new("s", 1, kind));
    }

    /// The ruling about a call that is not made then, and the soft laws that give way for it.
    pub(super) fn ruling(&mut self, call: HostEventKind<'static>) -> (Ruling, Vec<String>) {
        let mut session = self.session.clone();
        let proposal = self.solver.propose(&mut session, &HostEvent::new("s", 2, call));
        let laws = &self.solver.compiled().policy.laws;
        let dropped = proposal.decision.dropped.iter().map(|&law| laws[law].id.clone()).collect();
        (proposal.decision.ruling, dropped)
    }

    /// Whether a call is let through, which is not made then.
    pub(super) fn lets_through(&mut self, call: HostEventKind<'static>) -> bool {
        self.ruling(call).0 < Ruling::Ask
    }
}
