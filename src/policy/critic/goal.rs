//! Goals of recorded runs.

use crate::CompiledPolicy;
use crate::language::{Atoms, LawAtom, Named};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics, Severity};
use tsl_synth_core::logic::Letter;
use tsl_synth_core::source::SourceMap;
use tsl_synth_ltl::ltl::{LtlExprs, LtlId, LtlKind, parse_ltl};

/// What runs are to reach.
#[derive(Clone, Debug)]
pub struct Goal {
    name: String,
    condition: Option<(LtlExprs, LtlId)>,
}

impl Goal {
    /// A goal that the environment reports under this name ([`RecordedRun::reached`](super::RecordedRun)).
    pub fn reported(name: &str) -> Self {
        Self { name: name.to_owned(), condition: None }
    }

    /// A formula without temporal operators over names of the policy: it is reached where it first holds.
    ///
    /// # Errors
    /// The text is no such formula, or has a name that is neither a proposition nor a result.
    pub fn read(text: &str, compiled: &CompiledPolicy) -> Result<Self, Diagnostic> {
        let atoms = &compiled.policy.atoms;
        let wrong = |why: &str| Diagnostic::error(Code::POLICY_NAME, format!("the goal `{text}` {why}"));
        let mut map = SourceMap::new();
        let source = map.add("goal", text);
        let mut found = Diagnostics::new();
        let module = parse_ltl(&map, source, &|name| atoms.named(name).is_some(), &mut found);
        let Some(module) = module else {
            let error = found.iter().find(|one| one.severity == Severity::Error);
            let why = error.map_or("", |error| error.message.as_str());
            return Err(wrong(&format!("is not a formula: {why}")));
        };
        let &[root] = module.formulas.as_slice() else {
            return Err(wrong("is not one formula"));
        };
        for (_, expr) in module.exprs.enumerate() {
            let LtlKind::Proposition(name) = &expr.kind else { continue };
            if !matches!(atoms.named(name), Some(Named::Proposition(_) | Named::Result(..))) {
                let what = if **name == *text { String::new() } else { format!("names `{name}`, which ") };
                return Err(wrong(&format!("{what}is neither a proposition nor a result of the policy")));
            }
        }
        if module.exprs.holds(root, &|_| false).is_none() {
            return Err(wrong("is about one moment, and has no temporal operators"));
        }
        Ok(Self { name: text.to_owned(), condition: Some((module.exprs, root)) })
    }

    /// Its text, or its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it holds where these propositions and results do.
    pub(super) fn holds(&self, atoms: &Atoms, now: &Letter) -> bool {
        let holds = |name: &str| match atoms.named(name) {
            Some(Named::Proposition(id)) => now.contains(atoms.bit(LawAtom::Proposition(id))),
            Some(Named::Result(action, outcome)) => now.contains(atoms.bit(LawAtom::Result(action, outcome))),
            _ => false,
        };
        self.condition.as_ref().is_some_and(|(exprs, root)| exprs.holds(*root, &holds) == Some(true))
    }
}

/// The propositions and results that hold after each letter: those of propositions that hold until they are cleared
/// are kept.
#[derive(Debug, Default)]
pub(super) struct Facts {
    now: Letter,
}

impl Facts {
    /// Reads the next letter.
    pub(super) fn read(&mut self, atoms: &Atoms, letter: &Letter) -> &Letter {
        let mut now = letter.clone();
        for (id, _) in atoms.propositions.enumerate().filter(|(_, own)| own.is_state) {
            let bit = atoms.bit(LawAtom::Proposition(id));
            if self.now.contains(bit) && !letter.contains(atoms.bit(LawAtom::Clear(id))) {
                now.insert(bit);
            }
        }
        self.now = now;
        &self.now
    }
}
