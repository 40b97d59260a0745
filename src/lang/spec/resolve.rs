//! Resolves terms and formulas about a problem that was lowered before: letters of traces, effects, queries. They may
//! use only its predicate terms and updates.

use super::chosen;
use super::conditions::{Need, needs};
use super::expand::Expander;
use super::lowering::{Lowering, term};
use super::modules::Unit;
use super::problem::{Language, Problem};
use super::signature::{AtomMeaning, Overflow, Signature, Sort, Symbol, SymbolId, SymbolKind, TermId};
use super::value::{Expanded, ExpandedId, ExpandedValues, NameId};
use crate::syntax::{Expression, parse_tsl_expression};
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{Id, Limit};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{AtomId, FormulaId};
use tsl_synth_core::source::{SourceMap, Span};
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::spelling::one_edit;

/// The largest number of nodes that an expression may expand to.
const NODES: usize = 1 << 16;

/// The term written under `span`, over symbols of the signature. It need not occur in the specification.
///
/// # Errors
/// Diagnostics, when it is not a term or mentions unknown names.
pub fn resolve_term(signature: &mut Signature, map: &SourceMap, span: Span) -> Result<TermId, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let Some(expression) = parse_tsl_expression(map, span, Dialect::default(), &mut diagnostics) else {
        return Err(diagnostics);
    };
    let (values, root) = expand(&expression, span, &mut diagnostics)?;
    if !values.class(root).is_term() {
        let found = values.describe(root);
        diagnostics.push(
            Diagnostic::error(Code::WRONG_KIND, format!("expected a term, found {found}")).at(span, "here"),
        );
        return Err(diagnostics);
    }
    let names = names(signature, &values, root, &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let mut terms: FxHashMap<ExpandedId, TermId> = FxHashMap::default();
    for value in values.reachable([root]) {
        if let Some(term) = term(&values, value, &names, &terms) {
            let id = signature.terms.intern(term);
            terms.insert(value, id);
        }
    }
    Ok(terms[&root])
}

/// The formula written under `span`: in TSL notation for TSL, over names of atoms for LTL (for which
/// [`resolve_ltl`](super::resolve_ltl) reads LTL notation). Its predicate terms and updates must occur in
/// the specification, or be computed.
///
/// # Errors
/// Diagnostics, when it is not a formula or mentions something that the problem does not have.
pub fn resolve_formula(problem: &mut Problem, map: &SourceMap, span: Span) -> Result<FormulaId, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let Some(expression) = parse_tsl_expression(map, span, Dialect::default(), &mut diagnostics) else {
        return Err(diagnostics);
    };
    let (mut values, mut root) = expand(&expression, span, &mut diagnostics)?;
    if !values.class(root).is_formula() {
        let found = values.describe(root);
        diagnostics.push(
            Diagnostic::error(Code::WRONG_KIND, format!("expected a formula, found {found}"))
                .at(span, "here"),
        );
        return Err(diagnostics);
    }
    let chosen: FxHashSet<NameId> =
        problem.signature.chosen.iter().map(|&id| values.name(&problem.signature.symbols[id].name)).collect();
    // The budget is larger than any expression that was expanded.
    if let Ok(rewritten) = chosen::rewrite(&mut values, &[root], &chosen) {
        root = rewritten[0];
    }
    let reachable = values.reachable([root]);
    for &value in &reachable {
        if matches!(values.get(value), Expanded::Yesterday(_) | Expanded::Since(..) | Expanded::Tick(_)) {
            let message = "past operators are for specifications; only future operators are allowed here";
            diagnostics.push(Diagnostic::error(Code::WRONG_KIND, message).at(values.span(value), "here"));
        }
    }
    if problem.language != Language::Tsl {
        let message = "the problem is in LTL: its formulas are read in LTL notation";
        diagnostics.push(Diagnostic::error(Code::WRONG_KIND, message).at(span, "here"));
    }
    let names = names(&problem.signature, &values, root, &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let mut lowering = Lowering::of(problem, &values, &names);
    let found = lowering.resolve(&reachable, root, &mut diagnostics);
    lowering.give_back(problem);
    match found {
        Ok(Some(formula)) => Ok(formula),
        Ok(None) => Err(diagnostics),
        Err(limit) => {
            diagnostics.push(Diagnostic::error(Code::WRONG_KIND, limit.to_string()).at(span, "too large"));
            Err(diagnostics)
        }
    }
}

/// The input atom of a predicate term, if the specification has it.
pub fn predicate_atom(signature: &Signature, term: TermId) -> Option<AtomId> {
    let is = |meaning: &AtomMeaning| *meaning == AtomMeaning::Predicate(term);
    signature.atoms.iter().position(is).map(AtomId::from_index)
}

/// The atom of an update, if the specification has it.
pub fn update_atom(signature: &Signature, cell: SymbolId, term: TermId) -> Option<AtomId> {
    let is = |meaning: &AtomMeaning| *meaning == AtomMeaning::Update(cell, term);
    signature.atoms.iter().position(is).map(AtomId::from_index)
}

/// The cell or output of this name.
pub fn cell_named(signature: &Signature, name: &str) -> Option<SymbolId> {
    signature.cells.iter().copied().find(|&symbol| signature.symbols[symbol].name == name)
}

/// The canonical spelling of a Boolean term or update, as used in names of atoms, and whether it is positive (`f x` is
/// `f(x)`, `a <= b` is the negation of `a > b`). `None` for anything else.
pub fn canonical(text: &str) -> Option<(String, bool)> {
    let mut map = SourceMap::new();
    let source = map.add("<term>", text);
    let span = Span::new(source, 0, text.len());
    let mut diagnostics = Diagnostics::new();
    let expression = parse_tsl_expression(&map, span, Dialect::default(), &mut diagnostics)?;
    let (values, mut root) = expand(&expression, span, &mut diagnostics).ok()?;
    let mut positive = true;
    while let Expanded::Not(operand) = values.get(root) {
        (root, positive) = (*operand, !positive);
    }
    let (cell, root) = match values.get(root) {
        Expanded::Update(cell, term) => (Some(*cell), *term),
        _ => (None, root),
    };
    if !values.class(root).is_term() {
        return None;
    }
    // The spelling depends only on the names of symbols.
    let mut signature = Signature::default();
    let mut names: FxHashMap<NameId, SymbolId> = FxHashMap::default();
    let mut terms: FxHashMap<ExpandedId, TermId> = FxHashMap::default();
    for value in values.reachable([root]) {
        if let Expanded::Name(name) | Expanded::Apply(name, _) = values.get(value) {
            names.entry(*name).or_insert_with(|| {
                signature.symbols.push(Symbol {
                    name: values.text(*name).to_string(),
                    kind: SymbolKind::Input,
                    arguments: Vec::new(),
                    sort: Sort::Bool,
                    initial: None,
                    bounds: [None, None],
                    noisy: false,
                    overflow: Overflow::default(),
                    hidden: false,
                })
            });
        }
        let id = signature.terms.intern(term(&values, value, &names, &terms)?);
        terms.insert(value, id);
    }
    let text = signature.display(*terms.get(&root)?);
    Some(match cell {
        Some(cell) => (format!("[{} <- {text}]", values.text(cell)), positive),
        None => (text, positive),
    })
}

fn expand(
    expression: &Expression,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Result<(ExpandedValues, ExpandedId), Diagnostics> {
    let units = [Unit::of_expression(expression, span.source)];
    let mut expander = Expander::new(&units, NODES, diagnostics);
    let expanded = expander.expand(0, expression.root);
    let values = expander.values;
    match expanded {
        Ok(root) if !diagnostics.has_errors() => Ok((values, root)),
        Ok(_) => Err(std::mem::take(diagnostics)),
        Err(limit) => {
            diagnostics.push(Diagnostic::error(Code::WRONG_KIND, limit.to_string()).at(span, "too large"));
            Err(std::mem::take(diagnostics))
        }
    }
}

/// The symbols that the names of an expression denote; variants of enumerations have no entry.
fn names(
    signature: &Signature,
    values: &ExpandedValues,
    root: ExpandedId,
    diagnostics: &mut Diagnostics,
) -> FxHashMap<NameId, SymbolId> {
    let index: FxHashMap<&str, SymbolId> =
        signature.symbols.enumerate().map(|(id, symbol)| (symbol.name.as_str(), id)).collect();
    let is_variant = |text: &str| {
        signature
            .symbols
            .iter()
            .any(|s| matches!(&s.sort, Sort::Enum(names) if names.iter().any(|n| n == text)))
    };
    let mut found = FxHashMap::default();
    for value in values.reachable([root]) {
        let (name, count) = match values.get(value) {
            Expanded::Apply(name, arguments) => (*name, Some(arguments.len())),
            Expanded::Name(name) | Expanded::Update(name, _) => (*name, None),
            _ => continue,
        };
        let text = values.text(name);
        let span = values.span(value);
        match index.get(&**text) {
            Some(&symbol) => {
                let info = &signature.symbols[symbol];
                if count.is_some_and(|count| count != info.arguments.len()) {
                    let message = format!("`{text}` takes {} arguments", info.arguments.len());
                    diagnostics
                        .push(Diagnostic::error(Code::ARITY_CLASH, message).at(span, "another number here"));
                }
                found.insert(name, symbol);
            }
            None if count.is_none() && is_variant(text) => {}
            None => {
                let message = format!("the specification has no `{text}`");
                let mut diagnostic = Diagnostic::error(Code::UNDECLARED, message).at(span, "not known");
                if let Some(near) = signature.symbols.iter().find(|s| one_edit(&s.name, text)) {
                    diagnostic = diagnostic.hint(format!("did you mean `{}`?", near.name));
                }
                diagnostics.push(diagnostic);
            }
        }
    }
    found
}

impl Lowering<'_> {
    /// The formula of a value; `None` with diagnostics if some atom that it needs does not exist.
    fn resolve(
        &mut self,
        reachable: &[ExpandedId],
        root: ExpandedId,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<FormulaId>, Limit> {
        for &value in reachable {
            self.term(value);
        }
        let mut whole = true;
        for &value in reachable {
            if let Some((symbol, term)) = self.update_of(value)
                && !self.updates.get(&symbol).is_some_and(|options| options.contains(&term))
            {
                whole = false;
                diagnostics.push(self.no_update(symbol, term, value));
            }
        }
        for (value, term) in self.conditions_of(reachable, &[root]) {
            for need in needs(&self.signature, term) {
                let text = match need {
                    Need::Atom(term) if !self.atoms.contains_key(&term) => self.signature.display(term),
                    Need::Value(symbol) if !self.domains.contains_key(&symbol) => {
                        self.signature.symbols[symbol].name.clone()
                    }
                    _ => continue,
                };
                whole = false;
                let message = format!("the specification never asks `{text}`");
                let known: Vec<String> = self.predicates.iter().map(|&t| self.signature.display(t)).collect();
                diagnostics.push(
                    Diagnostic::error(Code::UNDECLARED, message)
                        .at(self.span_of(value), "not an atom of this specification")
                        .hint(format!("its predicate terms: `{}`", known.join("`, `"))),
                );
            }
        }
        if !whole {
            return Ok(None);
        }
        let lowered = self.lower_values(reachable)?;
        self.as_formula(root, &lowered).map(Some)
    }

    fn no_update(&self, symbol: SymbolId, term: TermId, value: ExpandedId) -> Diagnostic {
        let name = &self.signature.symbols[symbol].name;
        let text = |t| format!("[{name} <- {}]", self.signature.display(t));
        let message = format!("the specification has no update `{}`", text(term));
        let diagnostic = Diagnostic::error(Code::UNDECLARED, message)
            .at(self.span_of(value), "not an atom of this specification");
        match self.updates.get(&symbol) {
            Some(options) => {
                let all: Vec<String> = options.iter().map(|&t| text(t)).collect();
                diagnostic.hint(format!("the updates of `{name}`: `{}`", all.join("`, `")))
            }
            None => diagnostic.hint(format!("`{name}` is not updated at all")),
        }
    }
}
