//! Conditions over the propositions of a policy: formulas without temporal operators.

use tsl_synth_core::base::Id;
use tsl_synth_core::diag::{Diagnostics, Severity};
use tsl_synth_core::source::SourceMap;
use tsl_synth_ltl::ltl::{LtlExprs, LtlId, LtlKind, parse_ltl};
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};
use tsl_synth_ltl::spelling::nearest;
use tsl_synth_policy::language::{Atoms, Named, PropositionId};

/// A condition.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    exprs: LtlExprs,
    root: LtlId,
    /// The propositions that it names.
    names: Vec<(String, PropositionId)>,
}

/// The proposition of a name.
pub(super) fn proposition(atoms: &Atoms, name: &str) -> Result<PropositionId, String> {
    if let Some(Named::Proposition(id)) = atoms.named(name) {
        return Ok(id);
    }
    let names = atoms.propositions.iter().map(|one| one.name.as_str());
    Err(format!("the policy has no proposition `{name}`{}", meant(name, names)))
}

/// A question about the name that is probably meant by an unknown one; empty if none is near.
pub(super) fn meant<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(name, names).map_or(String::new(), |near| format!("; is `{near}` meant?"))
}

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    /// The first thing that is wrong with it, as a sentence.
    pub(super) fn read(text: &str, atoms: &Atoms) -> Result<Self, String> {
        let mut map = SourceMap::new();
        let source = map.add("condition", text);
        let mut found = Diagnostics::new();
        let is_proposition = |name: &str| atoms.named(name).is_some();
        let Some(module) = parse_ltl(&map, source, &is_proposition, &mut found) else {
            let error = found.iter().find(|one| one.severity == Severity::Error);
            let message = error.map_or("this is no formula".into(), |error| error.message.clone());
            return Err(format!("`{text}`: {message}"));
        };
        let &[root] = module.formulas.as_slice() else {
            return Err(format!("`{text}`: one formula is expected"));
        };
        let mut names: Vec<(String, PropositionId)> = Vec::new();
        for (_, expr) in module.exprs.enumerate() {
            match &expr.kind {
                LtlKind::Constant(_)
                | LtlKind::Unary(UnaryOp::Not, _)
                | LtlKind::Binary(
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff | BinaryOp::Xor,
                    ..,
                ) => {}
                LtlKind::Proposition(name) => {
                    let id = proposition(atoms, name).map_err(|why| format!("`{text}`: {why}"))?;
                    names.push((name.to_string(), id));
                }
                LtlKind::Unary(..) | LtlKind::Bounded { .. } | LtlKind::Binary(..) => {
                    return Err(format!(
                        "`{text}`: a condition is about one moment, and has no temporal operators"
                    ));
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        Ok(Self { exprs: module.exprs, root, names })
    }

    /// Whether it holds where these propositions do.
    pub(super) fn holds(&self, truth: impl Fn(PropositionId) -> bool) -> bool {
        // Children come before their parents.
        let mut values: Vec<bool> = Vec::new();
        for (_, expr) in self.exprs.enumerate() {
            let of = |id: LtlId| values[id.index()];
            let value = match &expr.kind {
                LtlKind::Constant(value) => *value,
                LtlKind::Proposition(name) => {
                    let known = self.names.binary_search_by(|(own, _)| own.as_str().cmp(name));
                    known.is_ok_and(|at| truth(self.names[at].1))
                }
                LtlKind::Unary(_, a) => !of(*a),
                LtlKind::Binary(op, a, b) => match op {
                    BinaryOp::And => of(*a) && of(*b),
                    BinaryOp::Or => of(*a) || of(*b),
                    BinaryOp::Implies => !of(*a) || of(*b),
                    BinaryOp::Iff => of(*a) == of(*b),
                    _ => of(*a) != of(*b),
                },
                LtlKind::Bounded { .. } => false,
            };
            values.push(value);
        }
        values[self.root.index()]
    }
}
