//! The monitor automata of laws for pages: their transition tables and their drawings.

use super::tables::{PolicyTables, kind_name};
use crate::graph::{GraphEdge, GraphState};
use crate::input::EmitError;
use crate::page_sessions::FollowedPart;
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_core::logic::cover::{cover_within, formula};
use tsl_synth_core::logic::{BitId, Guard, Guards};
use tsl_synth_documents::{FollowedAutomaton, FollowedEdge, FollowedLetter, FollowedState};
use tsl_synth_policy::language::{LawAtom, LawId, TraceMode};
use tsl_synth_policy::{CompiledPolicy, DecisionResult, LawDecision, SeenLetter};

/// Conditions whose covers have more cubes are not shown.
const LONGEST: usize = 24;

/// The laws of a policy, ready for a page.
pub struct PolicyPages<'p> {
    tables: PolicyTables<'p>,
}

impl<'p> PolicyPages<'p> {
    /// The tables of the laws.
    ///
    /// # Errors
    /// If they are too large.
    pub fn new(compiled: &'p CompiledPolicy) -> Result<Self, EmitError> {
        Ok(Self { tables: PolicyTables::new(compiled)? })
    }
    /// The names of the atoms of letters.
    pub fn atoms(&self) -> Vec<String> {
        self.tables.atoms.iter().map(|atom| atom.name.clone()).collect()
    }
    /// A letter by the numbers of its atoms.
    pub fn letter(&self, seen: &SeenLetter) -> FollowedLetter {
        let holds = seen.letter.iter().map(|bit| self.tables.number(bit)).collect();
        FollowedLetter { holds, bound: seen.bindings.clone() }
    }
    /// The atoms that some law tests, and the pairs of them that are never true together.
    pub fn offered(&self) -> (Vec<usize>, Vec<(usize, usize)>) {
        let decisions = &self.tables.compiled.decisions;
        let bits: BTreeSet<BitId> =
            decisions.iter().flat_map(|own| own.tests().iter().map(|test| test.bit)).collect();
        let number = |bit: &BitId| self.tables.number(*bit);
        let mut pairs = Vec::new();
        for (i, one) in bits.iter().enumerate() {
            for other in bits.iter().skip(i + 1).filter(|other| self.excludes(*one, **other)) {
                pairs.push((number(one), number(other)));
            }
        }
        (bits.iter().map(number).collect(), pairs)
    }
    /// Whether two atoms are never true in one letter.
    fn excludes(&self, one: BitId, other: BitId) -> bool {
        let policy = &self.tables.compiled.policy;
        let actions = &policy.atoms.actions;
        match (policy.atoms.atom(one), policy.atoms.atom(other)) {
            (LawAtom::Call(a), LawAtom::Call(b)) => a != b && actions[a].group == actions[b].group,
            (LawAtom::Result(a, first), LawAtom::Result(b, second)) => a == b && first != second,
            (LawAtom::Proposition(a), LawAtom::Clear(b)) | (LawAtom::Clear(a), LawAtom::Proposition(b)) => {
                a == b
            }
            (LawAtom::Call(_), LawAtom::Result(..)) | (LawAtom::Result(..), LawAtom::Call(_)) => {
                policy.trace == TraceMode::PerEvent
            }
            _ => false,
        }
    }
    /// The monitor of a law, with titled texts about it.
    pub fn law(&self, law: LawId, about: Vec<(&'static str, String)>) -> FollowedPart {
        let compiled = self.tables.compiled;
        let (own, monitor) = (&compiled.policy.laws[law], &compiled.monitors[law]);
        let decision = &compiled.decisions[law];
        let mut guards = compiled.policy.guards.clone();
        let care = self.care(&mut guards, decision);
        let (mut states, mut edges, mut drawn) = (Vec::new(), Vec::new(), Vec::new());
        for (state, row) in decision.rows().enumerate() {
            let standing = monitor.standing(state as u32).name().to_owned();
            let name = format!("q{state}");
            let mut targets: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
            for (class, &next) in row.iter().enumerate() {
                targets.entry(next).or_default().insert(class as u32);
            }
            let mut leaving = Vec::new();
            for (next, classes) in targets {
                let Some(when) = self.condition(&mut guards, decision, &classes, care) else { continue };
                let next = next as usize;
                edges.push(FollowedEdge { from: state, to: next, when: when.clone() });
                let guard = if when == "always" { "1".into() } else { when };
                let letters = Guard::TRUE;
                leaving.push(GraphEdge { guard, actions: Vec::new(), next, letters, chosen: Vec::new() });
            }
            drawn.push(GraphState {
                name: name.clone(),
                letter: vec![standing.clone()],
                start: state == 0,
                sink: state != 0 && leaving.iter().all(|edge| edge.next == state),
                edges: leaving,
            });
            states.push(FollowedState { name, standing });
        }
        let tests = self.tables.tests(law);
        let automaton = FollowedAutomaton {
            name: own.id.clone(),
            role: kind_name(own.kind).into(),
            about,
            each: own.for_each.clone(),
            states,
            edges,
            tests: tests.tests,
            root: tests.root,
            rows: self.tables.rows(law),
            drawn: false,
        };
        FollowedPart { automaton, states: drawn }
    }
    /// The care set over the atoms that a law tests: the letters in which no two exclusive atoms are true.
    fn care(&self, guards: &mut Guards, decision: &LawDecision) -> Guard {
        let bits: BTreeSet<BitId> = decision.tests().iter().map(|test| test.bit).collect();
        let mut care = Guard::TRUE;
        for (i, &one) in bits.iter().enumerate() {
            for &other in bits.iter().skip(i + 1).filter(|&&other| self.excludes(one, other)) {
                let (one, other) = (guards.bit(one), guards.bit(other));
                let both = guards.and(one, other);
                care = guards.minus(care, both);
            }
        }
        care
    }
    /// A small formula for the letters of some classes; `None` if no letter of the care set is in one of them.
    fn condition(
        &self,
        guards: &mut Guards,
        decision: &LawDecision,
        classes: &BTreeSet<u32>,
        care: Guard,
    ) -> Option<String> {
        let mut made: Vec<Guard> = Vec::new();
        let of = |decided: DecisionResult, made: &[Guard]| match decided {
            DecisionResult::Test(number) => made[number as usize],
            DecisionResult::Class(class) if classes.contains(&class) => Guard::TRUE,
            DecisionResult::Class(_) => Guard::FALSE,
        };
        for test in decision.tests() {
            let (low, high) = (of(test.low, &made), of(test.high, &made));
            let bit = guards.bit(test.bit);
            made.push(guards.ite(bit, high, low));
        }
        let guard = of(decision.root(), &made);
        let lower = guards.and(guard, care);
        if lower == Guard::FALSE {
            return None;
        }
        let outside = guards.not(care);
        let upper = guards.or(guard, outside);
        if upper == Guard::TRUE {
            return Some("always".into());
        }
        let Some(cubes) = cover_within(guards, lower, upper, LONGEST) else {
            return Some("a long condition".into());
        };
        let atoms = &self.tables.compiled.policy.atoms;
        Some(formula(&cubes, &|bit, value| {
            let name = atoms.bit_name(bit);
            match (value, name.starts_with('!')) {
                (true, _) => name,
                (false, false) => format!("!{name}"),
                (false, true) => format!("!({name})"),
            }
        }))
    }
}
