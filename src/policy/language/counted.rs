//! Registers that can never count: no letter that they count can occur, or none for which there is an amount.

use super::atoms::{Atoms, LawAtom};
use super::formula::LawFormula;
use super::types::{Amount, EventKind, LawId, LawKind, LawRegister, Match, Policy, TraceMode};
use super::unknown_amounts::set_unknown_amounts;
use std::collections::BTreeSet;
use tsl_synth_core::base::Id;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{BitId, FiniteId, FiniteNode, Guard, Guards};

/// The atoms that letters of a kind may have.
struct LetterKind {
    calls: bool,
    results: bool,
    /// The kinds of tables whose propositions it may have; `None` for all.
    tables: Option<EventKind>,
}

/// Determines how laws read the propositions of counts, and warns of laws that may mean something else than intended.
pub(super) fn settle_counts(policy: &mut Policy, diagnostics: &mut Diagnostics) {
    counts_over_all(policy, diagnostics);
    judge_counted_letters(policy);
    find_value_limits(policy, diagnostics);
    set_unknown_amounts(policy, diagnostics);
}

/// Reads a law that the proposition of a register never holds, `G !over`, as a law about the letters that the register
/// counts: `G (on -> !over)`. Both are violated by the same letter first, since only such a letter takes the number above
/// its limit. After that, when calls were made without regard to the law, the others are not forbidden.
fn judge_counted_letters(policy: &mut Policy) {
    let Policy { atoms, guards, laws, registers, .. } = policy;
    let ids: Vec<LawId> = laws.ids().collect();
    for id in ids {
        let Some((never, letter)) = always(&laws[id].formula) else { continue };
        let demanded = letter.guard(guards);
        let LawFormula { guards: own, formulas, root } = &mut laws[id].formula;
        for register in registers.iter() {
            let over = guards.bit(atoms.bit(LawAtom::Proposition(register.proposition)));
            let below = guards.not(over);
            if demanded == below {
                let others = guards.not(register.on);
                own.push(guards.or(others, below));
                let letter = formulas.letter(own.len() as u32 - 1);
                *root = formulas.release(never, letter);
                break;
            }
        }
    }
}

/// Marks the laws that limit a register with one number for each value, and reports laws that read it in another way.
fn find_value_limits(policy: &mut Policy, diagnostics: &mut Diagnostics) {
    let Policy { atoms, guards, laws, registers, trace, .. } = policy;
    for register in registers.iter().filter(|own| !own.for_each.is_empty()) {
        let count = &atoms.propositions[register.proposition].name;
        let values = register.for_each.join("` and `");
        let mut wrong = |message: String, hint: String| {
            let error = Diagnostic::error(Code::COUNT_FOR_EACH, message).at(register.span, "here").hint(hint);
            diagnostics.push(error);
        };
        if *trace == TraceMode::PerAction {
            let message =
                format!("`{count}` has a number for each `{values}`, which needs a letter for each event");
            wrong(message, "with `trace = \"per-event\"`".into());
            continue;
        }
        let bit = atoms.bit(LawAtom::Proposition(register.proposition));
        let over = guards.bit(bit);
        let counted = guards.and(register.on, over);
        for law in laws.iter_mut() {
            if !law.formula.guards.iter().any(|&guard| guards.support(guard).contains(&bit)) {
                continue;
            }
            let forbidden = always(&law.formula).map(|(_, letter)| letter.not(guards));
            let is_limit = forbidden.is_some_and(|forbidden| guards.implies(forbidden, counted));
            if is_limit && law.for_each == register.for_each && law.kind != LawKind::Assume {
                law.is_value_limit = true;
            } else {
                let message = format!(
                    "`{}` reads `{count}`, a number for each `{values}`, other than as a limit",
                    law.id
                );
                let names: Vec<String> = register.for_each.iter().map(|name| format!("\"{name}\"")).collect();
                let hint =
                    format!("a limit is `G !{count}` in a law with `for_each = [{}]`", names.join(", "));
                wrong(message, hint);
            }
        }
        let reads = |other: &LawRegister| {
            [other.on, other.returned_on, other.reset_on]
                .iter()
                .any(|&guard| guards.support(guard).contains(&bit))
        };
        if let Some(other) = registers.iter().find(|other| reads(other)) {
            let other = &atoms.propositions[other.proposition].name;
            let message = format!("`{other}` reads `{count}`, a number for each `{values}`");
            wrong(message, "only laws read such a number".into());
        }
    }
}

/// A letter of a formula, or its negation.
struct FormulaLetter {
    guard: Guard,
    negated: bool,
}

impl FormulaLetter {
    /// The letters that satisfy it.
    fn guard(&self, guards: &mut Guards) -> Guard {
        if self.negated { guards.not(self.guard) } else { self.guard }
    }
    /// The letters that do not.
    fn not(&self, guards: &mut Guards) -> Guard {
        if self.negated { self.guard } else { guards.not(self.guard) }
    }
}

/// The letters that a law demands always, if that is all that it says.
fn always(formula: &LawFormula) -> Option<(FiniteId, FormulaLetter)> {
    let FiniteNode::Release(never, always) = *formula.formulas.node(formula.root) else { return None };
    let FiniteNode::Letter { letter, negated } = *formula.formulas.node(always) else { return None };
    let is_false = *formula.formulas.node(never) == FiniteNode::Constant(false);
    is_false.then(|| (never, FormulaLetter { guard: formula.guards[letter as usize], negated }))
}

/// Warns of laws with `for_each` that read a count which has no number for each value.
fn counts_over_all(policy: &Policy, diagnostics: &mut Diagnostics) {
    let Policy { atoms, guards, laws, registers, .. } = policy;
    for law in laws.iter().filter(|law| !law.for_each.is_empty()) {
        let bits: Vec<BitId> = law.formula.guards.iter().flat_map(|&guard| guards.support(guard)).collect();
        let is_read = |own: &&LawRegister| {
            own.for_each.is_empty() && bits.contains(&atoms.bit(LawAtom::Proposition(own.proposition)))
        };
        let Some(register) = registers.iter().find(is_read) else { continue };
        let count = &atoms.propositions[register.proposition].name;
        let values = law.for_each.join("` and `");
        let message = format!(
            "`{}` is no limit for each `{values}`: `{count}` is one count for all values of it together",
            law.id
        );
        let names: Vec<String> = law.for_each.iter().map(|name| format!("\"{name}\"")).collect();
        let hint = format!("`for_each = [{}]` in the `[[count]]` counts for each value", names.join(", "));
        diagnostics.push(Diagnostic::warning(Code::COUNT_OVER_ALL, message).at(law.span, "here").hint(hint));
    }
}

/// An error if a register can never count.
pub(super) fn never_counts(
    atoms: &Atoms,
    guards: &mut Guards,
    matches: &[Match],
    trace: TraceMode,
    register: &LawRegister,
) -> Option<Diagnostic> {
    let name = &atoms.propositions[register.proposition].name;
    let joined = trace == TraceMode::PerAction;
    let kind = |calls, results, tables: EventKind| LetterKind {
        calls: calls || joined,
        results: results || joined,
        tables: (trace == TraceMode::PerEvent).then_some(tables),
    };
    let of_calls = kind(true, false, EventKind::Call);
    let of_results = kind(false, true, EventKind::Result);
    let of_others = LetterKind { calls: joined, results: joined, tables: None };
    // Letters in which only bits of a kind hold that the register reads, and one further bit.
    let occurs_with = |guards: &mut Guards, kind: &LetterKind, further: Option<BitId>| {
        let mut bits: BTreeSet<BitId> = guards.support(register.on).into_iter().collect();
        bits.extend(further);
        let bits: Vec<BitId> = bits.into_iter().collect();
        let mut letters = atoms.possible_values(guards, &bits, !joined);
        letters = guards.and(letters, register.on);
        if let Some(further) = further {
            let bit = guards.bit(further);
            letters = guards.and(letters, bit);
        }
        for bit in bits.into_iter().filter(|&bit| !may_have(atoms, matches, kind, bit)) {
            let bit = guards.bit(bit);
            letters = guards.minus(letters, bit);
        }
        letters != Guard::FALSE
    };
    let occurs = |guards: &mut Guards, kind: &LetterKind, needed: Option<fn(LawAtom) -> bool>| {
        occurs_with(guards, kind, None)
            && needed.is_none_or(|is_needed| {
                let read = guards.support(register.on);
                let mut further = read.into_iter().chain((0..atoms.bits()).map(BitId::from_index));
                further.any(|bit| is_needed(atoms.atom(bit)) && occurs_with(guards, kind, Some(bit)))
            })
    };
    let is_call = |atom| matches!(atom, LawAtom::Call(_));
    let is_result = |atom| matches!(atom, LawAtom::Result(..));
    let wrong = |message: String, hint: &str| {
        Some(Diagnostic::error(Code::POLICY_COUNT, message).at(register.span, "here").hint(hint))
    };
    if let Some(value) = register.for_each.iter().find(|value| !is_bound(matches, value)) {
        let message = format!("`{name}` counts for each `{value}`, and no table binds it");
        let table = format!("`bind = {{ {value} = \"/arguments/{value}\" }}` in the table of the action");
        return wrong(message, &format!("for example {table}"));
    }
    match &register.amount {
        Amount::Distinct(value) if !is_bound(matches, value) => {
            let message = format!("`{name}` counts values of `{value}`, and no table binds them");
            wrong(
                message,
                &format!(
                    "for example `bind = {{ {value} = \"/arguments/{value}\" }}` in the table of the action"
                ),
            )
        }
        Amount::One | Amount::Distinct(_) => {
            let kinds = [of_calls, of_results, of_others];
            if kinds.iter().any(|kind| occurs(guards, kind, None)) {
                return None;
            }
            let message = format!("`{name}` never counts: no letter is one that `on` names");
            wrong(
                message,
                "a call and an outcome are letters of their own, and so are two calls of one group",
            )
        }
        Amount::Sum(pointer) if pointer.within("result").is_some() => {
            if occurs(guards, &of_results, Some(is_result)) {
                return None;
            }
            let message =
                format!("`{name}` never counts: `{pointer}` is in results, and `on` names no outcome");
            wrong(message, "`on = \"NAME.ok\"` counts the results of the calls that succeeded")
        }
        Amount::Sum(_) => {
            let is_counted =
                occurs(guards, &of_calls, Some(is_call)) || occurs(guards, &of_results, Some(is_result));
            if is_counted {
                return None;
            }
            let message = format!("`{name}` never counts: only calls and their outcomes have amounts");
            wrong(message, "`on` is an action `NAME`, or an outcome such as `NAME.ok`")
        }
    }
}

/// Whether some table binds this name.
fn is_bound(matches: &[Match], name: &str) -> bool {
    matches.iter().any(|table| {
        let files = table.shell.iter().flat_map(|shell| shell.files.iter().map(|(name, _)| name));
        table.bind.iter().map(|(name, _)| name).chain(files).any(|own| own == name)
    })
}

fn may_have(atoms: &Atoms, matches: &[Match], kind: &LetterKind, bit: BitId) -> bool {
    match atoms.atom(bit) {
        LawAtom::Call(_) | LawAtom::Opaque => kind.calls,
        LawAtom::Result(..) => kind.results,
        LawAtom::Proposition(id) | LawAtom::Clear(id) => {
            let is_set = |on| matches.iter().any(|table| table.on == on && table.sets(id));
            // Registers count before computed propositions are known.
            !atoms.propositions[id].is_computed && kind.tables.is_none_or(is_set)
        }
    }
}
