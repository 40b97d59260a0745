//! What amounts count that are not known: an approval without a name, a payment whose result has no amount.

use super::atoms::LawAtom;
use super::types::{Amount, LawKind, Policy, RegisterId, UnknownAmount};
use tsl_synth_core::base::Id;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::atoms::restrict;
use tsl_synth_core::logic::{BitId, FiniteNode, Guard, Guards};

/// How the laws use the proposition of a register.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    /// Some law is easier to keep where it holds.
    permits: bool,
    /// Some law is harder to keep where it holds.
    forbids: bool,
}

impl Uses {
    /// The uses in a guard that counts as it is or, if negated, against the law.
    fn add(&mut self, guards: &mut Guards, guard: Guard, bit: BitId, negated: bool) {
        if !guards.support(guard).contains(&bit) {
            return;
        }
        let [without, with] = [false, true].map(|value| restrict(guards, guard, bit, value));
        let (grows, shrinks) = (!guards.implies(with, without), !guards.implies(without, with));
        self.permits |= if negated { shrinks } else { grows };
        self.forbids |= if negated { grows } else { shrinks };
    }
}

/// Decides for each register what an amount counts that is not known: nothing where laws permit calls only above its limit,
/// and more than the limit otherwise.
pub(super) fn set_unknown_amounts(policy: &mut Policy, diagnostics: &mut Diagnostics) {
    let registers: Vec<RegisterId> = policy.registers.ids().collect();
    for register in registers {
        if policy.registers[register].amount.is_one() {
            continue;
        }
        let uses = uses(policy, register);
        let own = &mut policy.registers[register];
        own.unknown = match uses {
            Uses { permits: true, forbids: false } => UnknownAmount::Nothing,
            _ => UnknownAmount::Above,
        };
        if uses.permits && uses.forbids {
            let name = &policy.atoms.propositions[own.proposition].name;
            let (what, other) = match own.amount {
                Amount::Distinct(_) => ("a call without a value", "a new value"),
                _ => ("a result without an amount", "more than the limit"),
            };
            let message = format!(
                "`{name}` both permits and forbids: {what} counts as {other}, also where that permits a call"
            );
            diagnostics.push(
                Diagnostic::warning(Code::COUNT_BOTH_WAYS, message)
                    .at(own.span, "here")
                    .hint("declare it twice, with a name for what it permits and one for what it forbids"),
            );
        }
    }
}

/// How laws use the proposition of a register.
fn uses(policy: &mut Policy, register: RegisterId) -> Uses {
    let Policy { atoms, guards, laws, registers, .. } = policy;
    let bit = atoms.bit(LawAtom::Proposition(registers[register].proposition));
    let mut uses = Uses::default();
    for law in laws.iter() {
        let formulas = &law.formula.formulas;
        let (mut open, mut seen) = (vec![law.formula.root], vec![false; formulas.len()]);
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match *formulas.node(id) {
                FiniteNode::Constant(_) => {}
                FiniteNode::Letter { letter, negated } => {
                    // An assumption that is easier to keep binds the agent more.
                    let is_against = negated != (law.kind == LawKind::Assume);
                    uses.add(guards, law.formula.guards[letter as usize], bit, is_against);
                }
                FiniteNode::Next(f)
                | FiniteNode::StrongNext(f)
                | FiniteNode::Yesterday(f)
                | FiniteNode::WeakYesterday(f) => open.push(f),
                FiniteNode::And(f, g)
                | FiniteNode::Or(f, g)
                | FiniteNode::Until(f, g)
                | FiniteNode::Release(f, g)
                | FiniteNode::Since(f, g)
                | FiniteNode::Triggered(f, g) => open.extend([f, g]),
            }
        }
    }
    uses
}
