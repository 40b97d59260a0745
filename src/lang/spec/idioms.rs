//! Idioms of other languages that are well-formed in TSL and mean something else there: `n'` and `next(n)` for the next
//! value of a cell, a comparison of the present value where an update is meant, and guarantees about the first step only.

use super::declare::Declarations;
use super::infer::Inferred;
use super::lower::RawClause;
use super::signature::{Operator, Sort, Symbol, SymbolKind};
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId};
use rustc_hash::FxHashSet;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::model::Role;

/// The finder of idioms.
pub(super) struct Idioms<'a> {
    declarations: &'a Declarations,
    values: &'a ExpandedValues,
    clauses: &'a [RawClause],
    inferred: &'a Inferred,
    /// The names that are declared.
    declared: FxHashSet<&'a str>,
}

impl<'a> Idioms<'a> {
    /// Prepares the search.
    pub(super) fn new(
        declarations: &'a Declarations,
        values: &'a ExpandedValues,
        clauses: &'a [RawClause],
        inferred: &'a Inferred,
    ) -> Self {
        let declared = declarations.all.iter().map(|declared| &**values.text(declared.name)).collect();
        Self { declarations, values, clauses, inferred, declared }
    }

    /// Reports names and applications that mean the next value of a signal elsewhere, as errors.
    pub(super) fn next_values(&self, diagnostics: &mut Diagnostics) {
        let roots = self.clauses.iter().map(|clause| clause.formula);
        let mut said: FxHashSet<NameId> = FxHashSet::default();
        let reachable = self.values.reachable(roots);
        let is_function = self.takes_next(&reachable);
        for id in reachable {
            let (written, base) = match self.values.get(id) {
                Expanded::Name(name) => {
                    let text = self.values.text(*name).to_string();
                    let Some(base) = text.strip_suffix('\'') else { continue };
                    let base = self.symbol(base);
                    if self.is_declared(*name) || !said.insert(*name) {
                        continue;
                    }
                    (text, base)
                }
                Expanded::Apply(name, arguments) if !is_function && &**self.values.text(*name) == "next" => {
                    let [argument] = arguments[..] else { continue };
                    let Expanded::Name(argument) = self.values.get(argument) else { continue };
                    if self.is_declared(*name) {
                        continue;
                    }
                    let base = self.symbol(self.values.text(*argument));
                    (format!("next({})", self.values.text(*argument)), base)
                }
                _ => continue,
            };
            let Some(Symbol { name, kind, sort, .. }) = base else { continue };
            let hint = match kind {
                SymbolKind::Cell | SymbolKind::Output => {
                    format!(
                        "an update sets it: `[{name} <- t]` gives `{name}` the value of the term `t` in the next step"
                    )
                }
                // Without a declaration both may be names of one's own.
                SymbolKind::Input if !self.declared.contains(name.as_str()) => continue,
                SymbolKind::Input if *sort == Sort::Bool => {
                    format!("in the next step `{name}` holds: `X {name}`")
                }
                SymbolKind::Input => {
                    format!("formulas about the next step are `X p`, as in `X ({name} = 0)`")
                }
                _ => continue,
            };
            let message = format!("`{written}` is not the next value of `{name}`");
            diagnostics.push(
                Diagnostic::error(Code::NEXT_VALUE, message)
                    .at(self.values.span(id), "a name of its own, which the environment would choose")
                    .hint(hint),
            );
        }
    }

    /// Whether a value of `next` is passed on, in an update or to a function: then it is a function of one's own.
    fn takes_next(&self, reachable: &[ExpandedId]) -> bool {
        let is_next = |id: ExpandedId| match self.values.get(id) {
            Expanded::Apply(name, _) => &**self.values.text(*name) == "next",
            _ => false,
        };
        reachable.iter().any(|&id| match self.values.get(id) {
            Expanded::Update(_, value) => is_next(*value),
            Expanded::Apply(_, arguments) => arguments.iter().any(|&argument| is_next(argument)),
            _ => false,
        })
    }

    /// Notes of guarantees without `always` that say something about an input in the first step and nothing later.
    pub(super) fn first_step(&self, diagnostics: &mut Diagnostics) {
        let first = self.clauses.iter().filter(|clause| clause.is_bare && clause.role == Role::Guarantee);
        for clause in first.filter(|clause| self.asks_at_once(clause.formula)) {
            diagnostics.push(
                Diagnostic::note(Code::FIRST_STEP_ONLY, "this guarantee is about the first step only")
                    .at(clause.span, "says nothing about later inputs")
                    .hint("`always guarantee { .. }` is about every step; `initially guarantee { .. }` says that the first is meant"),
            );
        }
    }

    /// Whether a formula depends on an input in one of the first steps, by a subformula that is below no operator about
    /// many steps, and has no such operator around an input.
    fn asks_at_once(&self, root: ExpandedId) -> bool {
        let (mut todo, mut seen) = (vec![root], FxHashSet::default());
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            let value = self.values.get(id);
            match value {
                Expanded::Next(_) => value.for_each_operand(|operand| todo.push(operand)),
                _ if value.is_boolean_operator() => value.for_each_operand(|operand| todo.push(operand)),
                Expanded::Name(_) | Expanded::Apply(..) | Expanded::Operation(..) if self.reads_input(id) => {
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    fn reads_input(&self, term: ExpandedId) -> bool {
        self.values.reachable([term]).into_iter().any(|id| {
            let Expanded::Name(name) = self.values.get(id) else { return false };
            let symbol = self.inferred.by_name.get(name).map(|&symbol| &self.inferred.symbols[symbol]);
            symbol.is_some_and(|symbol| symbol.kind == SymbolKind::Input)
        })
    }

    /// Warns where a guarantee demands a present value of a cell that no update gives it.
    pub(super) fn demanded_values(&self, diagnostics: &mut Diagnostics) {
        let roots = self.clauses.iter().map(|clause| clause.formula);
        let updates: FxHashSet<(NameId, ExpandedId)> = self
            .values
            .reachable(roots)
            .into_iter()
            .filter_map(|id| match self.values.get(id) {
                Expanded::Update(cell, term) => Some((*cell, *term)),
                _ => None,
            })
            .collect();
        let mut said = FxHashSet::default();
        for clause in self.clauses.iter().filter(|clause| clause.role == Role::Guarantee) {
            for id in self.demanded(clause.formula) {
                let Some((cell, value)) = self.comparison(id) else { continue };
                if self.inferred.by_name.get(&cell).is_some_and(|&s| self.inferred.symbols[s].hidden) {
                    continue;
                }
                let given = |(name, term): &(NameId, ExpandedId)| {
                    *name == cell
                        && *self.values.get(*term) != Expanded::Name(cell)
                        && self.may_be(*term, value)
                };
                if updates.iter().any(given) || !said.insert(id) {
                    continue;
                }
                let (name, value) = (self.values.text(cell), self.shown(value));
                let message = format!("no update gives `{name}` the value `{value}`, which is compared here");
                diagnostics.push(
                    Diagnostic::warning(Code::NEVER_SET, message)
                        .at(self.values.span(id), "compares the present value, and sets nothing")
                        .hint(format!("`[{name} <- {value}]` sets it")),
                );
            }
        }
    }

    /// The conditions that a guarantee demands of the system: in the scope of conjunctions, disjunctions, the right
    /// sides of implications and temporal operators.
    fn demanded(&self, root: ExpandedId) -> Vec<ExpandedId> {
        let (mut todo, mut found) = (vec![root], Vec::new());
        let mut seen = FxHashSet::default();
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.values.get(id) {
                Expanded::And(all) | Expanded::Or(all) => todo.extend(all.iter().copied()),
                Expanded::Implies(_, a)
                | Expanded::Next(a)
                | Expanded::Finally(a)
                | Expanded::Globally(a) => {
                    todo.push(*a);
                }
                Expanded::Until(a, b) | Expanded::WeakUntil(a, b) | Expanded::Iff(a, b) => {
                    todo.extend([*a, *b]);
                }
                Expanded::Operation(Operator::Equal, ..) => found.push(id),
                _ => {}
            }
        }
        found.sort_unstable();
        found
    }

    /// For a comparison of a cell with a constant, the cell and the constant.
    fn comparison(&self, id: ExpandedId) -> Option<(NameId, ExpandedId)> {
        let Expanded::Operation(Operator::Equal, a, b) = *self.values.get(id) else { return None };
        for (cell, value) in [(a, b), (b, a)] {
            let Expanded::Name(name) = *self.values.get(cell) else { continue };
            let symbol = self.inferred.by_name.get(&name).map(|&symbol| &self.inferred.symbols[symbol]);
            let is_cell = symbol.is_some_and(|symbol| symbol.kind == SymbolKind::Cell);
            let is_value = match self.values.get(value) {
                Expanded::Name(value) => self.declarations.variants.contains_key(value),
                Expanded::Int(_) | Expanded::Bool(_) => true,
                _ => false,
            };
            let initial =
                self.declarations.by_name.get(&name).and_then(|&d| self.declarations.all[d].initial);
            if is_cell && is_value && initial.is_none_or(|(initial, _)| initial != value) {
                return Some((name, value));
            }
        }
        None
    }

    /// Whether the value of a term may be this one: only two different values of enumerations, or numbers, certainly
    /// differ.
    fn may_be(&self, term: ExpandedId, value: ExpandedId) -> bool {
        let is_literal = match self.values.get(term) {
            Expanded::Int(_) | Expanded::Bool(_) => true,
            Expanded::Name(name) => self.declarations.variants.contains_key(name),
            _ => false,
        };
        !is_literal || term == value
    }

    fn shown(&self, value: ExpandedId) -> String {
        match self.values.get(value) {
            Expanded::Name(name) => self.values.text(*name).to_string(),
            Expanded::Int(number) => number.to_string(),
            Expanded::Bool(value) => value.to_string(),
            _ => String::new(),
        }
    }

    fn is_declared(&self, name: NameId) -> bool {
        self.declarations.by_name.contains_key(&name)
    }

    fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.inferred.symbols.iter().find(|symbol| symbol.name == name)
    }
}
