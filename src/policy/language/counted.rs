//! Registers that can never count: no letter that they count can occur, or none for which there is an amount.

use super::atoms::{Atoms, LawAtom, OUTCOMES};
use super::formula::LawFormula;
use super::types::{Amount, EventKind, LawId, LawRegister, Match, Policy, TraceMode};
use super::unknown_amounts::set_unknown_amounts;
use tsl_synth_core::base::Id;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{BitId, FiniteNode, Guard, Guards};

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
    set_unknown_amounts(policy, diagnostics);
}

/// Reads a law that the proposition of a register never holds, `G !over`, as a law about the letters that the register
/// counts: `G (on -> !over)`. Both are violated by the same letter first, since only such a letter takes the number above
/// its limit. After that, when calls were made without regard to the law, the others are not forbidden.
fn judge_counted_letters(policy: &mut Policy) {
    let Policy { atoms, guards, laws, registers, .. } = policy;
    let ids: Vec<LawId> = laws.ids().collect();
    for id in ids {
        let LawFormula { guards: own, formulas, root } = &mut laws[id].formula;
        let FiniteNode::Release(never, always) = *formulas.node(*root) else { continue };
        let FiniteNode::Letter { letter, negated } = *formulas.node(always) else { continue };
        if *formulas.node(never) != FiniteNode::Constant(false) {
            continue;
        }
        let guard = own[letter as usize];
        let demanded = if negated { guards.not(guard) } else { guard };
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

/// Warns of laws with `for_each` that read a count: it is one count for all values.
fn counts_over_all(policy: &Policy, diagnostics: &mut Diagnostics) {
    let Policy { atoms, guards, laws, registers, .. } = policy;
    for law in laws.iter().filter(|law| !law.for_each.is_empty()) {
        let bits: Vec<BitId> = law.formula.guards.iter().flat_map(|&guard| guards.support(guard)).collect();
        let is_read = |own: &&LawRegister| bits.contains(&atoms.bit(LawAtom::Proposition(own.proposition)));
        let Some(register) = registers.iter().find(is_read) else { continue };
        let count = &atoms.propositions[register.proposition].name;
        let values = law.for_each.join("` and `");
        let message = format!(
            "`{}` is no limit for each `{values}`: `{count}` is one count for all values of it together",
            law.id
        );
        let hint = "without `for_each` the law says what is enforced; `at most N A` without a time, with N up to 8, is \
                    counted for each value";
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
    let occurs = |guards: &mut Guards, kind: &LetterKind, needed: Option<Guard>| {
        let mut letters = atoms.possible(guards, !joined);
        letters = guards.and(letters, register.on);
        if let Some(needed) = needed {
            letters = guards.and(letters, needed);
        }
        for bit in
            (0..atoms.bits()).map(BitId::from_index).filter(|&bit| !may_have(atoms, matches, kind, bit))
        {
            let bit = guards.bit(bit);
            letters = guards.minus(letters, bit);
        }
        letters != Guard::FALSE
    };
    let any_call = atoms.any_call(guards);
    let any_result = any_result(atoms, guards);
    let wrong = |message: String, hint: &str| {
        Some(Diagnostic::error(Code::POLICY_COUNT, message).at(register.span, "here").hint(hint))
    };
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
            if occurs(guards, &of_results, Some(any_result)) {
                return None;
            }
            let message =
                format!("`{name}` never counts: `{pointer}` is in results, and `on` names no outcome");
            wrong(message, "`on = \"NAME.ok\"` counts the results of the calls that succeeded")
        }
        Amount::Sum(_) => {
            let is_counted =
                occurs(guards, &of_calls, Some(any_call)) || occurs(guards, &of_results, Some(any_result));
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

/// Letters with an outcome.
fn any_result(atoms: &Atoms, guards: &mut Guards) -> Guard {
    let mut any = Guard::FALSE;
    for id in atoms.actions.ids() {
        for outcome in OUTCOMES {
            let bit = guards.bit(atoms.bit(LawAtom::Result(id, outcome)));
            any = guards.or(any, bit);
        }
    }
    any
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
