//! Terms as expressions of the target.

use super::data::{DataView, TermRoot, sort_of};
use super::dialect::{TargetExpr, Ty, ValuePlace};
use super::scope::ControllerScope;
use rustc_hash::FxHashMap;
use tsl_synth_core::logic::AtomId;
use tsl_synth_documents::view::{CallView, EvaluationView};
use tsl_synth_lang::spec::{LiteralValue, Operator, Overflow, Sort, SymbolId, Term, TermId};

/// Prints the terms of one controller.
pub(super) struct Expressions<'a> {
    pub(super) scope: &'a ControllerScope<'a>,
    pub(super) data: &'a DataView,
    pub(super) asynchronous: bool,
}

impl Expressions<'_> {
    /// How a predicate is evaluated.
    pub(super) fn predicate(&self, root: &TermRoot, atom: AtomId) -> EvaluationView {
        let (calls, exprs) = self.calls(root, Some(atom));
        let code = self.scope.dialect.stored(&exprs[&root.term], &Ty::Bool);
        EvaluationView { calls, code }
    }
    /// How the new value of a cell is evaluated.
    pub(super) fn update(&self, root: &TermRoot, cell: SymbolId) -> EvaluationView {
        let symbol = &self.scope.problem.signature.symbols[cell];
        let (calls, exprs) = self.calls(root, None);
        let expr = &exprs[&root.term];
        let dialect = self.scope.dialect;
        let expr = match (self.scope.problem.signature.terms.get(root.term), &symbol.sort) {
            (Term::Literal(literal), sort) => self.literal(literal, sort),
            _ => expr.clone(),
        };
        let ty = self.scope.ty(&symbol.sort);
        let code = match (symbol.overflow, &symbol.sort) {
            (Overflow::Saturating, Sort::Range(low, high)) => {
                let [low, high] = [*low, *high].map(|n| dialect.integer(n, self.scope.reals));
                dialect.saturate(&expr.code, &low, &high)
            }
            (Overflow::Wrapping, Sort::Range(low, high)) => {
                let [low, high] = [*low, *high].map(|n| dialect.integer(n, self.scope.reals));
                dialect.wrap(&expr.code, &low, &high, self.scope.reals)
            }
            _ => dialect.stored(&expr, &ty),
        };
        EvaluationView { calls, code }
    }
    /// The declared initial value of a cell, if it is a literal. A Boolean output has no value that is read, and begins as
    /// false.
    pub(super) fn initial(&self, cell: SymbolId) -> Option<String> {
        let signature = &self.scope.problem.signature;
        let symbol = &signature.symbols[cell];
        if symbol.initial.is_none() && signature.chosen.contains(&cell) {
            return Some(self.literal(&LiteralValue::Bool(false), &symbol.sort).code);
        }
        match signature.terms.get(symbol.initial?) {
            Term::Literal(literal) => Some(self.literal(literal, &symbol.sort).code),
            _ => None,
        }
    }
    /// The least or greatest value of a number, as an operand of comparisons, which needs no parentheses.
    pub(super) fn bound(&self, literal: &LiteralValue, sort: &Sort) -> String {
        let code = self.literal(literal, sort).code;
        code.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(&code).to_owned()
    }
    /// The calls whose results are stored in variables, and the expressions of the term and its subterms.
    fn calls(&self, root: &TermRoot, atom: Option<AtomId>) -> (Vec<CallView>, FxHashMap<TermId, TargetExpr>) {
        let dialect = self.scope.dialect;
        let mut exprs = FxHashMap::default();
        let mut views = Vec::new();
        for &call in &root.calls {
            let Term::Apply(method, arguments) = self.scope.problem.signature.terms.get(call) else {
                continue;
            };
            let symbol = &self.scope.problem.signature.symbols[*method];
            let arguments: Vec<String> = arguments
                .iter()
                .enumerate()
                .map(|(i, &argument)| {
                    let sort = symbol
                        .arguments
                        .get(i)
                        .cloned()
                        .unwrap_or_else(|| sort_of(self.scope.problem, argument));
                    let expr = self.expr(argument, Some(&sort), &mut exprs);
                    dialect.argument(&expr, &self.scope.ty(&sort))
                })
                .collect();
            let ident = &self.scope.locals[&call];
            let code = dialect.call(&self.scope.methods[method], &arguments, self.asynchronous, ident);
            let shared = self.data.is_shared(call);
            let ty = self.scope.ty(&symbol.sort);
            let builtin = ty.is_builtin();
            if call == root.term && !shared && !dialect.calls_are_statements() {
                exprs.insert(call, TargetExpr::temporary(code));
                continue;
            }
            let definer = self.data.definite.get(&call);
            let by_reference = shared && definer.is_none() && !builtin && dialect.shared_by_reference();
            let place = if by_reference { ValuePlace::Reference } else { ValuePlace::Variable };
            exprs.insert(call, TargetExpr { code: ident.clone(), place, closed: true });
            let kind = match definer {
                Some(definer) if Some(*definer) == atom => "define",
                Some(_) => continue,
                None if shared => "memo",
                None => "own",
            };
            views.push(CallView {
                ident: ident.clone(),
                ty: dialect.ty(&ty),
                builtin,
                code,
                kind: kind.into(),
            });
        }
        self.expr(root.term, None, &mut exprs);
        (views, exprs)
    }
    /// The expression of a term whose calls are in `exprs` already.
    fn expr(
        &self,
        term: TermId,
        expected: Option<&Sort>,
        exprs: &mut FxHashMap<TermId, TargetExpr>,
    ) -> TargetExpr {
        let terms = &self.scope.problem.signature.terms;
        // Operands have smaller ids than the operations made of them.
        let mut needed = vec![term];
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            if let (Term::Operation(_, a, b), false) = (terms.get(term), exprs.contains_key(&term)) {
                needed.extend([*a, *b]);
                stack.extend([*a, *b]);
            }
        }
        needed.sort_unstable();
        needed.dedup();
        for part in needed {
            if exprs.contains_key(&part) {
                continue;
            }
            let expr = match terms.get(part) {
                Term::Signal(symbol) => self.signal(*symbol),
                Term::Literal(literal) => match expected {
                    // A literal argument is not cached, since its type depends on the parameter.
                    Some(sort) if part == term => return self.literal(literal, sort),
                    _ => self.literal(literal, &Sort::Number),
                },
                Term::Operation(operator, a, b) => self.operation(*operator, *a, *b, exprs),
                Term::Apply(..) => continue,
            };
            exprs.insert(part, expr);
        }
        exprs[&term].clone()
    }
    fn signal(&self, symbol: SymbolId) -> TargetExpr {
        let dialect = self.scope.dialect;
        let sort = &self.scope.problem.signature.symbols[symbol].sort;
        let code = match (self.scope.cells.get(&symbol), sort) {
            (Some(cell), _) => dialect.cell(&cell.field),
            (None, Sort::Int) => dialect.exact_input(dialect.input(&self.scope.inputs[&symbol])),
            (None, Sort::Real) => {
                let input = dialect.input(&self.scope.inputs[&symbol]);
                dialect.rational(&input).unwrap_or(input)
            }
            (None, _) => dialect.input(&self.scope.inputs[&symbol]),
        };
        TargetExpr { code, place: ValuePlace::Variable, closed: true }
    }
    fn literal(&self, literal: &LiteralValue, sort: &Sort) -> TargetExpr {
        let dialect = self.scope.dialect;
        let code = match literal {
            LiteralValue::Bool(value) => dialect.boolean(*value),
            LiteralValue::Int(value) => {
                let digits = dialect.integer(*value, self.scope.reals);
                let exact = if *sort == Sort::Real { dialect.rational(&value.to_string()) } else { None };
                exact.unwrap_or(digits)
            }
            LiteralValue::Real(text) if self.scope.exact => {
                dialect.rational(&dialect.string(text)).unwrap_or_else(|| real(text))
            }
            LiteralValue::Real(text) => real(text),
            LiteralValue::Variant(text) => {
                let has = |view: &&tsl_synth_documents::view::EnumView| {
                    view.variants.iter().any(|v| v.quoted == dialect.string(text))
                };
                let views = || self.scope.enums.iter();
                let exact = views().find(|(known, _)| known == sort).map(|(_, view)| view).filter(has);
                let view = exact.or_else(|| views().map(|(_, view)| view).find(has));
                let quoted = dialect.string(text);
                let variant = view
                    .and_then(|view| view.variants.iter().find(|v| v.quoted == quoted).map(|v| (view, v)));
                match variant {
                    Some((view, variant)) => dialect.variant(&view.ident, &variant.ident, &quoted),
                    None => quoted,
                }
            }
        };
        TargetExpr::temporary(code)
    }
    fn operation(
        &self,
        operator: Operator,
        a: TermId,
        b: TermId,
        exprs: &FxHashMap<TermId, TargetExpr>,
    ) -> TargetExpr {
        let terms = &self.scope.problem.signature.terms;
        let dialect = self.scope.dialect;
        let sort_a = sort_of(self.scope.problem, a);
        let sort = if matches!(sort_a, Sort::Number) { sort_of(self.scope.problem, b) } else { sort_a };
        let ty = self.scope.ty(&sort);
        let operand = |term: TermId| match terms.get(term) {
            Term::Literal(literal) => dialect.operand(&self.literal(literal, &sort), &ty),
            _ => dialect.operand(&exprs[&term], &ty),
        };
        if operator == Operator::Equal {
            for (value, other) in [(a, b), (b, a)] {
                if let Term::Literal(LiteralValue::Bool(value)) = terms.get(value) {
                    let other = operand(other);
                    let code = if *value { other } else { dialect.negate(&other) };
                    return TargetExpr { code, place: ValuePlace::Temporary, closed: *value };
                }
            }
        }
        let (left, right) = (operand(a), operand(b));
        let code = match operator {
            Operator::Div | Operator::Mod if self.is_integer(a) && self.is_integer(b) => {
                dialect.integer_division(operator, &left, &right, self.scope.reals)
            }
            Operator::Add | Operator::Sub | Operator::Mul if self.is_exact(a) || self.is_exact(b) => {
                match dialect.exact(operator, &left, &right) {
                    Some(code) => return TargetExpr { code, place: ValuePlace::Temporary, closed: true },
                    None => format!("{left} {} {right}", dialect.operator(operator)),
                }
            }
            Operator::Add | Operator::Sub | Operator::Mul => {
                match dialect.computed(operator, &left, &right, &ty) {
                    Some(code) => return TargetExpr::temporary(code),
                    None => format!("{left} {} {right}", dialect.operator(operator)),
                }
            }
            _ => format!("{left} {} {right}", dialect.operator(operator)),
        };
        TargetExpr { code, place: ValuePlace::Temporary, closed: false }
    }
}

impl Expressions<'_> {
    /// Whether a term reads a signal of sort `Int`.
    fn is_exact(&self, term: TermId) -> bool {
        let signature = &self.scope.problem.signature;
        signature.signals_of(term).into_iter().any(|symbol| signature.symbols[symbol].sort == Sort::Int)
    }
    /// Whether a term is made of integers and signals of ranges only, so that its value is an integer.
    fn is_integer(&self, term: TermId) -> bool {
        let signature = &self.scope.problem.signature;
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            match *signature.terms.get(term) {
                Term::Literal(LiteralValue::Int(_)) => {}
                Term::Signal(symbol)
                    if matches!(signature.symbols[symbol].sort, Sort::Range(..) | Sort::Int) => {}
                Term::Operation(_, a, b) => stack.extend([a, b]),
                _ => return false,
            }
        }
        true
    }
}

/// A decimal number in the syntax that all targets share.
fn real(text: &str) -> String {
    let mut digits: String = text.chars().filter(|c| c.is_ascii_digit() || *c == '.' || *c == '-').collect();
    if digits.starts_with('.') {
        digits.insert(0, '0');
    }
    if digits.ends_with('.') || !digits.contains('.') {
        digits.push_str(if digits.contains('.') { "0" } else { ".0" });
    }
    if digits.starts_with('-') { format!("({digits})") } else { digits }
}
