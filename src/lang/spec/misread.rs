//! Warnings about names that probably do not mean what was intended: outputs that no update sets, cells that never
//! change, unused inputs while a similar undeclared name is used, and names that are similar to values of an
//! enumeration.

use super::declare::{Declarations, Declared};
use super::infer::Inferred;
use super::signature::{Operator, Sort, Symbol, SymbolKind};
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId};
use crate::spec::FINITE_VALUES;
use crate::syntax::ast::DeclarationKind;
use rustc_hash::FxHashSet;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_ltl::spelling::{nearest, one_edit};

/// Reports such names in the roots (formulas) and in the declarations.
pub(super) fn names(
    declarations: &Declarations,
    values: &ExpandedValues,
    roots: &[ExpandedId],
    inferred: &Inferred,
    diagnostics: &mut Diagnostics,
) {
    let reachable = values.reachable(roots.iter().copied());
    let (mut updated, mut used) = (FxHashSet::default(), FxHashSet::default());
    for &id in &reachable {
        match values.get(id) {
            Expanded::Update(cell, _) => {
                updated.insert(*cell);
            }
            Expanded::Name(name) | Expanded::Apply(name, _) => {
                used.insert(*name);
            }
            _ => {}
        }
    }
    let find = MisreadFinder { declarations, values, inferred, used: &used };
    for declared in &declarations.all {
        match declared.kind {
            DeclarationKind::Output if !updated.contains(&declared.name) && used.contains(&declared.name) => {
                find.never_set(declared, diagnostics);
            }
            DeclarationKind::Cell if !updated.contains(&declared.name) && used.contains(&declared.name) => {
                find.never_changes(declared, diagnostics);
            }
            DeclarationKind::Input if !used.contains(&declared.name) => {
                find.instead_of(declared, diagnostics);
            }
            _ => {}
        }
    }
    let mut said = FxHashSet::default();
    for &id in &reachable {
        match values.get(id) {
            Expanded::Operation(Operator::Equal, a, b) => {
                for (cell, value) in [(*a, *b), (*b, *a)] {
                    find.compared(cell, value, &mut said, diagnostics);
                }
            }
            Expanded::Apply(name, _) => find.constant(*name, id, &mut said, diagnostics),
            _ => {}
        }
    }
}

struct MisreadFinder<'a> {
    declarations: &'a Declarations,
    values: &'a ExpandedValues,
    inferred: &'a Inferred,
    used: &'a FxHashSet<NameId>,
}

impl MisreadFinder<'_> {
    fn symbol(&self, name: NameId) -> Option<&Symbol> {
        self.inferred.by_name.get(&name).map(|&symbol| &self.inferred.symbols[symbol])
    }

    fn never_set(&self, declared: &Declared, diagnostics: &mut Diagnostics) {
        let name = self.values.text(declared.name);
        let message = format!("no update sets the output `{name}`: its value is chosen by the environment");
        let example = match self.symbol(declared.name).map(|symbol| &symbol.sort) {
            Some(Sort::Bool) => format!("`[{name} <- true]` sets it; `{name}` alone reads it"),
            _ => format!("`[{name} <- ...]` sets it"),
        };
        diagnostics
            .push(Diagnostic::warning(Code::NEVER_SET, message).at(declared.span, "never set").hint(example));
    }

    fn never_changes(&self, declared: &Declared, diagnostics: &mut Diagnostics) {
        let name = self.values.text(declared.name);
        let message = format!("no update changes the cell `{name}`: it keeps its first value");
        diagnostics.push(
            Diagnostic::note(Code::NEVER_SET, message)
                .at(declared.span, "never changed")
                .hint(format!("`[{name} <- ...]` changes it")),
        );
    }

    /// A declared input that is never used, while a similar undeclared name is.
    fn instead_of(&self, declared: &Declared, diagnostics: &mut Diagnostics) {
        let name = self.values.text(declared.name);
        let mut others: Vec<NameId> = self.used.iter().copied().collect();
        others.sort_unstable();
        let close = |other: &str| {
            one_edit(name, other)
                || name.to_lowercase() == other.to_lowercase()
                || name.len().min(other.len()) >= 4 && nearest(name, [other]).is_some()
        };
        let undeclared = others.into_iter().find(|other| {
            !self.declarations.by_name.contains_key(other)
                && !self.declarations.variants.contains_key(other)
                && self.symbol(*other).is_some_and(|symbol| symbol.kind == SymbolKind::Input)
                && close(self.values.text(*other))
        });
        let Some(other) = undeclared else { return };
        let text = self.values.text(other);
        let message = format!("the input `{name}` is never used, and `{text}` is used and not declared");
        let mut diagnostic = Diagnostic::warning(Code::MISSPELT, message);
        if let Some(&symbol) = self.inferred.by_name.get(&other) {
            diagnostic = diagnostic.at(self.inferred.places[symbol], "a new name");
        }
        diagnostics.push(diagnostic.at(declared.span, "never used").hint(format!("did you mean `{name}`?")));
    }

    /// A comparison of a signal of an enumeration with an undeclared signal.
    fn compared(
        &self,
        cell: ExpandedId,
        value: ExpandedId,
        said: &mut FxHashSet<NameId>,
        diagnostics: &mut Diagnostics,
    ) {
        let (Expanded::Name(cell), Expanded::Name(other)) = (self.values.get(cell), self.values.get(value))
        else {
            return;
        };
        let Some(Symbol { sort: Sort::Enum(names), name, .. }) = self.symbol(*cell) else { return };
        let declared =
            self.declarations.by_name.contains_key(other) || self.declarations.variants.contains_key(other);
        if declared || !self.declarations.by_name.contains_key(cell) || !said.insert(*other) {
            return;
        }
        let text = self.values.text(*other);
        let message = format!("`{text}` is no value of `{name}`, and is read as an input");
        let hint = match nearest(text, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the values of `{name}` are `{}`", names.join("`, `")),
        };
        diagnostics.push(
            Diagnostic::warning(Code::NOT_A_VALUE, message)
                .at(self.values.span(value), "an input")
                .hint(hint),
        );
    }

    /// A constant such as `red()`, while an enumeration has the value `red`.
    fn constant(
        &self,
        name: NameId,
        at: ExpandedId,
        said: &mut FxHashSet<NameId>,
        diagnostics: &mut Diagnostics,
    ) {
        let text = self.values.text(name);
        let is_variant = self.declarations.variants.contains_key(&name);
        if !is_variant || self.declarations.by_name.contains_key(&name) || !said.insert(name) {
            return;
        }
        let message = format!("`{text}()` is a constant of its own, and not the value `{text}`");
        diagnostics.push(
            Diagnostic::warning(Code::NOT_A_VALUE, message)
                .at(self.values.span(at), "a constant")
                .hint(format!("write `{text}`")),
        );
    }
}

/// Reports declared ranges that have too many values to be followed.
pub(super) fn large_ranges(
    declarations: &Declarations,
    values: &ExpandedValues,
    diagnostics: &mut Diagnostics,
) {
    for declared in &declarations.all {
        let Some(Sort::Range(low, high)) = declared.sort else { continue };
        let count = i128::from(high) - i128::from(low) + 1;
        if count > FINITE_VALUES as i128 {
            let name = values.text(declared.name);
            let message = format!("the range of `{name}` has {count} values, more than {FINITE_VALUES}");
            diagnostics
                .push(Diagnostic::warning(Code::LARGE_RANGE, message).at(declared.span, "declared here").hint(
                "use a smaller range; without a range arithmetic is not computed but left to the environment",
            ));
        }
    }
}
