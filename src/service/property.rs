//! Effects and hypotheses: languages of infinite words, given by a formula or an automaton.

use super::tuning::EFFECT_STATES;
use std::collections::BTreeMap;
use tsl_synth_automata::{complement, intersect, ltl_to_buchi};
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas, Lasso, LassoSemantics, Node, Player};
use tsl_synth_core::model::Buchi;
use tsl_synth_explain::cause::accepts;
use tsl_synth_lang::spec::Problem;

/// An effect or hypothesis.
pub(super) enum Property {
    Formula(FormulaId),
    Automaton(Box<Buchi>),
}

impl Property {
    /// The formula, if it is given by one.
    pub(super) fn formula(&self) -> Option<FormulaId> {
        match self {
            Self::Formula(f) => Some(*f),
            Self::Automaton(_) => None,
        }
    }
    /// Whether a word has it.
    pub(super) fn holds(&self, formulas: &Formulas, alphabet: &Alphabet, word: &Lasso) -> bool {
        match self {
            Self::Formula(f) => LassoSemantics::new(formulas, alphabet, word).holds(*f),
            Self::Automaton(automaton) => accepts(alphabet, automaton, word),
        }
    }
    /// An automaton for the words that have it; every state of it has a nonempty language.
    pub(super) fn automaton(
        &self,
        formulas: &mut Formulas,
        alphabet: &Alphabet,
        budget: &Budget,
    ) -> Result<Buchi, Limit> {
        match self {
            Self::Formula(f) => ltl_to_buchi(formulas, alphabet, *f, EFFECT_STATES, budget),
            Self::Automaton(automaton) => Ok(automaton.as_ref().clone()),
        }
    }
    /// An automaton for the words that do not have it and satisfy `within`.
    pub(super) fn complement(
        &self,
        formulas: &mut Formulas,
        alphabet: &Alphabet,
        within: FormulaId,
        budget: &Budget,
    ) -> Result<Buchi, Limit> {
        match self {
            Self::Formula(f) => {
                let not = formulas.not(*f);
                let broken = formulas.and([not, within]);
                ltl_to_buchi(formulas, alphabet, broken, EFFECT_STATES, budget)
            }
            Self::Automaton(automaton) => {
                let not = complement(automaton, EFFECT_STATES, budget)?;
                let within = ltl_to_buchi(formulas, alphabet, within, EFFECT_STATES, budget)?;
                intersect(&not, &within, EFFECT_STATES, budget)
            }
        }
    }
    /// An output that it mentions.
    pub(super) fn output(&self, problem: &Problem) -> Option<String> {
        let alphabet = &problem.alphabet;
        match self {
            Self::Formula(f) => {
                let support = problem.support(&[*f]);
                let output = support.iter().find(|&a| alphabet.player(a) == Player::System);
                output.map(|atom| alphabet.atoms()[atom].name.clone())
            }
            Self::Automaton(automaton) => {
                let edges = automaton.edges.iter().flatten();
                let mut bits = edges.flat_map(|edge| automaton.guards.support(edge.guard));
                bits.find(|&bit| alphabet.owner(bit) == Player::System).map(|_| "an output".to_owned())
            }
        }
    }
    /// The last step that a formula of X and Boolean operators refers to; `None` for other properties.
    pub(super) fn horizon(&self, formulas: &Formulas) -> Option<usize> {
        let f = self.formula()?;
        let mut depth: BTreeMap<FormulaId, usize> = BTreeMap::new();
        for g in formulas.subformulas(&[f]) {
            let node = formulas.node(g);
            let mut deepest = 0;
            node.for_each_operand(|h| deepest = deepest.max(depth[&h]));
            let own = match node {
                Node::Next(_) => deepest + 1,
                Node::True
                | Node::False
                | Node::Atom(_)
                | Node::Not(_)
                | Node::And(_)
                | Node::Or(_)
                | Node::Iff(..) => deepest,
                _ => return None,
            };
            depth.insert(g, own);
        }
        depth.get(&f).copied()
    }
}
