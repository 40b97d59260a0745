//! A sufficient condition for a grammar to be unambiguous: then it has as many words as derivations.

use crate::plan_grammar::{NonterminalId, PlanGrammar, PlanRule, StackSymbol, TerminalId};
use tsl_synth_core::base::{Id, IdSet, IdVec};

/// Tables with more pairs of control states and stack symbols are not examined.
const MAX_PAIRS: usize = 1 << 20;

/// Whether the grammar is LL(1) (Rosenkrantz and Stearns, "Properties of deterministic top-down grammars", 1970), or is
/// a table whose rules for a control state and a top of the stack begin with different steps. Other grammars may be
/// unambiguous, too.
pub(super) fn is_deterministic(grammar: &PlanGrammar) -> bool {
    if grammar.has_table() {
        return grammar.controls.len() * grammar.nonterminals.len() <= MAX_PAIRS
            && grammar.controls.ids().all(|control| {
                grammar.nonterminals.ids().all(|top| {
                    let rules: Vec<&PlanRule> =
                        grammar.rules_for(control, top).map(|(_, rule)| rule).collect();
                    let mut letters = IdSet::new();
                    rules.len() < 2
                        || rules.iter().all(|rule| match rule.body.first() {
                            Some(StackSymbol::Terminal(id)) => letters.insert(*id),
                            _ => false,
                        })
                })
            });
    }
    let first = First::new(grammar);
    let mut follow: IdVec<NonterminalId, IdSet<TerminalId>> =
        IdVec::filled(IdSet::new(), grammar.nonterminals.len());
    loop {
        let mut changed = false;
        for rule in &grammar.rules {
            for (i, symbol) in rule.body.iter().enumerate() {
                let StackSymbol::Nonterminal(id) = *symbol else { continue };
                let (mut after, empty) = first.of(&rule.body[i + 1..]);
                if empty {
                    after.union_with(&follow[rule.top]);
                }
                if !after.is_subset(&follow[id]) {
                    follow[id].union_with(&after);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    grammar.nonterminals.ids().all(|top| {
        let (mut seen, mut empties) = (IdSet::new(), 0);
        grammar.rules.iter().filter(|rule| rule.top == top).all(|rule| {
            let (mut begins, empty) = first.of(&rule.body);
            if empty {
                empties += 1;
                begins.union_with(&follow[top]);
            }
            let apart = begins.is_disjoint(&seen) && empties < 2;
            seen.union_with(&begins);
            apart
        })
    })
}

/// For each nonterminal, the steps that its words may begin with, and whether it derives the empty word.
struct First {
    begins: Vec<IdSet<TerminalId>>,
    empty: Vec<bool>,
}

impl First {
    fn new(grammar: &PlanGrammar) -> Self {
        let n = grammar.nonterminals.len();
        let mut this = Self { begins: vec![IdSet::new(); n], empty: vec![false; n] };
        loop {
            let mut changed = false;
            // Symbols are mostly used before they are defined, so the reverse order needs fewer rounds.
            for rule in grammar.rules.iter().rev() {
                let (begins, empty) = this.of(&rule.body);
                let top = rule.top.index();
                changed |= empty && !this.empty[top] || !begins.is_subset(&this.begins[top]);
                this.empty[top] |= empty;
                this.begins[top].union_with(&begins);
            }
            if !changed {
                return this;
            }
        }
    }
    fn of(&self, body: &[StackSymbol]) -> (IdSet<TerminalId>, bool) {
        let mut begins = IdSet::new();
        for symbol in body {
            match symbol {
                StackSymbol::Terminal(id) => {
                    begins.insert(*id);
                    return (begins, false);
                }
                StackSymbol::Nonterminal(id) => {
                    begins.union_with(&self.begins[id.index()]);
                    if !self.empty[id.index()] {
                        return (begins, false);
                    }
                }
            }
        }
        (begins, true)
    }
}
