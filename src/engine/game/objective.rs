//! The objective of a player, as universal co-Büchi automata under gates.
//!
//! The system must achieve `F → (R ∧ (A → G))` (facts, restrictions, assumptions, guarantees), the environment its
//! negation. Universal automata need no product for a conjunction, so each conjunct has its own automaton, of its
//! negation; a hypothesis multiplies the automaton. Hypotheses that are safety properties are therefore kept apart as
//! deterministic *gates*: when a gate is dead, the automata behind it no longer count.

use super::tuning::{MAX_AUTOMATON_STATES, MAX_GATE_STATES};
use tsl_synth_automata::{Components, components, ltl_to_buchi, ltl_to_monitor};
use tsl_synth_core::base::{Budget, Id, Limit};
use tsl_synth_core::logic::{Alphabet, Class, FormulaId, Formulas, Normalizer, Player};
use tsl_synth_core::model::{Buchi, Contract, Monitor};

/// Automata behind the same gates.
#[derive(Clone, Debug)]
pub struct GatedAutomata {
    /// Indices of the gates that must all be alive.
    pub gates: Vec<usize>,
    /// The automata, each with its strongly connected components; no run may take rejecting edges infinitely often.
    pub automata: Vec<(Buchi, Components)>,
}

/// The objective of a player.
#[derive(Clone, Debug)]
pub struct Objective {
    /// The player who must achieve it.
    pub player: Player,
    /// Safety hypotheses.
    pub gates: Vec<Monitor>,
    /// The automata.
    pub groups: Vec<GatedAutomata>,
}

/// Builds gates; a hypothesis that is not a small safety property becomes part of the automata.
struct ObjectiveCompiler<'a> {
    formulas: &'a mut Formulas,
    alphabet: &'a Alphabet,
    budget: &'a Budget,
    normalizer: Normalizer,
    gates: Vec<Monitor>,
}

impl ObjectiveCompiler<'_> {
    /// The conjuncts of the normal forms of `fs`.
    fn conjuncts(&mut self, fs: &[FormulaId]) -> Vec<FormulaId> {
        let mut all = Vec::new();
        for &f in fs {
            let f = self.normalizer.normalize(self.formulas, f, false);
            match self.formulas.node(f) {
                tsl_synth_core::logic::Node::And(gs) => all.extend_from_slice(gs),
                _ => all.push(f),
            }
        }
        all.sort_unstable();
        all.dedup();
        all.retain(|&f| f != self.formulas.top());
        all
    }

    /// Gates for the safety properties among `hypotheses`, and the conjunction of the rest.
    fn split(&mut self, hypotheses: &[FormulaId]) -> Result<(Vec<usize>, FormulaId), Limit> {
        let (mut gates, mut rest) = (Vec::new(), Vec::new());
        for f in self.conjuncts(hypotheses) {
            if self.formulas.class(f).is(Class::SAFETY) {
                let monitor = ltl_to_monitor(self.formulas, self.alphabet, f, MAX_GATE_STATES, self.budget);
                match monitor {
                    Ok(monitor) => {
                        gates.push(self.gates.len());
                        self.gates.push(monitor);
                        continue;
                    }
                    Err(limit) if limit.kind != tsl_synth_core::base::LimitKind::Size => return Err(limit),
                    Err(_) => {}
                }
            }
            rest.push(f);
        }
        Ok((gates, self.formulas.and(rest)))
    }

    /// The automaton of `f ∧ hypothesis`.
    fn automaton(
        &mut self,
        f: FormulaId,
        hypothesis: FormulaId,
    ) -> Result<Option<(Buchi, Components)>, Limit> {
        let both = self.formulas.and([f, hypothesis]);
        let automaton = ltl_to_buchi(self.formulas, self.alphabet, both, MAX_AUTOMATON_STATES, self.budget)?;
        if automaton.initial.is_empty() {
            return Ok(None);
        }
        let successors: Vec<Vec<usize>> =
            automaton.edges.iter().map(|out| out.iter().map(|e| e.next.index()).collect()).collect();
        let components = components(&successors);
        Ok(Some((automaton, components)))
    }

    /// One automaton for the negation of each of `duties`, under a hypothesis.
    fn negations(
        &mut self,
        duties: &[FormulaId],
        hypothesis: FormulaId,
    ) -> Result<Vec<(Buchi, Components)>, Limit> {
        let mut automata = Vec::new();
        for f in self.conjuncts(duties) {
            let negation = self.normalizer.normalize(self.formulas, f, true);
            automata.extend(self.automaton(negation, hypothesis)?);
        }
        Ok(automata)
    }
}

/// Compiles the objective of a player.
///
/// # Errors
/// A limit, among them automata that are too large.
pub fn objective(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    player: Player,
    budget: &Budget,
) -> Result<Objective, Limit> {
    let normalizer = Normalizer::new();
    let mut compiler = ObjectiveCompiler { formulas, alphabet, budget, normalizer, gates: Vec::new() };
    let groups = match player {
        Player::System => {
            let (fact_gates, facts) = compiler.split(&contract.facts)?;
            let (assumption_gates, assumptions) = compiler.split(&contract.assumptions)?;
            let hypothesis = compiler.formulas.and([facts, assumptions]);
            let gates = [&fact_gates[..], &assumption_gates[..]].concat();
            let automata = compiler.negations(&contract.guarantees, hypothesis)?;
            let restrictions = compiler.negations(&contract.restrictions, facts)?;
            vec![
                GatedAutomata { gates, automata },
                GatedAutomata { gates: fact_gates, automata: restrictions },
            ]
        }
        Player::Environment => {
            // F ∧ ¬(R ∧ (¬A ∨ G)): avoid ¬f always, ¬a and G while R is kept.
            let facts = compiler.negations(&contract.facts, compiler.formulas.top())?;
            let (restriction_gates, restrictions) = compiler.split(&contract.restrictions)?;
            let assumptions = compiler.negations(&contract.assumptions, restrictions)?;
            let (guarantee_gates, guarantees) = compiler.split(&contract.guarantees)?;
            let goal: Vec<_> = compiler.automaton(guarantees, restrictions)?.into_iter().collect();
            let gates = [&restriction_gates[..], &guarantee_gates[..]].concat();
            vec![
                GatedAutomata { gates, automata: goal },
                GatedAutomata { gates: restriction_gates, automata: assumptions },
                GatedAutomata { gates: Vec::new(), automata: facts },
            ]
        }
    };
    let gates = compiler.gates;
    let groups = groups.into_iter().filter(|g| !g.automata.is_empty()).collect();
    Ok(Objective { player, gates, groups })
}
