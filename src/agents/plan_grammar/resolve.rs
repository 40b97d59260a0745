//! From the tree of a `.cfg` file to a [`PlanGrammar`].

use super::directives::{DirectiveErrors, Directives};
use super::grammar::{
    ControlId, ControlState, Nonterminal, NonterminalId, Places, PlanGrammar, PlanRule, StackSymbol,
    Terminal, TerminalId, first_id,
};
use super::health;
use crate::syntax_plan::{Body, CfgItem, CfgModule, TransitionRow};
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::IdVec;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Name;
use tsl_synth_core::source::Span;

/// The largest number of symbols on the right sides of a file.
const MAX_SYMBOLS: usize = 1 << 16;
/// Stands for any state, or any symbol of the stack.
const ANY: &str = "*";
/// The start symbol of a table whose initial stack has several symbols, by which it is replaced; no file can contain
/// it.
const BOTTOM: &str = "";

/// Rules with equal keys are duplicates.
type RuleKey = (Option<ControlId>, NonterminalId, Option<ControlId>, Vec<StackSymbol>);

struct PlanTables<'a> {
    module: &'a CfgModule,
    nonterminals: IdVec<NonterminalId, Nonterminal>,
    terminals: IdVec<TerminalId, Terminal>,
    controls: IdVec<ControlId, ControlState>,
    stack_names: FxHashMap<String, NonterminalId>,
    terminal_names: FxHashMap<String, TerminalId>,
    control_names: FxHashMap<String, ControlId>,
    places: Places,
    rules: Vec<PlanRule>,
    seen: FxHashSet<RuleKey>,
    too_large: bool,
}

impl<'a> PlanTables<'a> {
    fn new(module: &'a CfgModule) -> Self {
        Self {
            module,
            nonterminals: IdVec::new(),
            terminals: IdVec::new(),
            controls: IdVec::new(),
            stack_names: FxHashMap::default(),
            terminal_names: FxHashMap::default(),
            control_names: FxHashMap::default(),
            places: Places::default(),
            rules: Vec::new(),
            seen: FxHashSet::default(),
            too_large: false,
        }
    }
    fn nonterminal(&mut self, name: &Name) -> NonterminalId {
        if let Some(&id) = self.stack_names.get(&*name.text) {
            return id;
        }
        self.places.insert(name.text.to_string(), name.span);
        let id =
            self.nonterminals.push(Nonterminal { name: name.text.to_string(), goal: None, question: None });
        self.stack_names.insert(name.text.to_string(), id);
        id
    }
    fn control(&mut self, name: &Name) -> ControlId {
        if let Some(&id) = self.control_names.get(&*name.text) {
            return id;
        }
        self.places.entry(name.text.to_string()).or_insert(name.span);
        let id =
            self.controls.push(ControlState { name: name.text.to_string(), question: None, accepting: true });
        self.control_names.insert(name.text.to_string(), id);
        id
    }
    fn terminal(&mut self, name: &Name) -> TerminalId {
        if let Some(&id) = self.terminal_names.get(&*name.text) {
            return id;
        }
        self.places.insert(name.text.to_string(), name.span);
        let id = self.terminals.push(Terminal {
            name: name.text.to_string(),
            label: None,
            least: 0,
            most: None,
            cost: 0,
            subset: None,
        });
        self.terminal_names.insert(name.text.to_string(), id);
        id
    }
    fn symbol(&mut self, name: &Name) -> StackSymbol {
        match self.stack_names.get(&*name.text) {
            Some(&id) => StackSymbol::Nonterminal(id),
            None => StackSymbol::Terminal(self.terminal(name)),
        }
    }
    /// Adds a rule unless it is a duplicate, which is reported.
    fn add(&mut self, rule: PlanRule, span: Span, diagnostics: &mut Diagnostics) {
        if !self.seen.insert((rule.from, rule.top, rule.to, rule.body.clone())) {
            let message = "this rule is a duplicate";
            diagnostics.push(Diagnostic::warning(Code::CFG_TWICE, message).at(span, "the second is ignored"));
            return;
        }
        self.rules.push(rule);
        self.too_large |= self.rules.len() > MAX_SYMBOLS;
    }

    /// Collects the control states and the nonterminals: the symbols that have rows or productions.
    fn names(&mut self) {
        let module = self.module;
        for item in &module.items {
            match item {
                CfgItem::Production(production) => {
                    self.nonterminal(&production.head);
                }
                CfgItem::Row(row) => {
                    for top in row.tops.iter().filter(|top| &*top.text != ANY) {
                        self.nonterminal(top);
                    }
                    for state in row.from.iter().filter(|state| &*state.text != ANY) {
                        self.control(state);
                    }
                    self.control(&row.to);
                }
                CfgItem::Directive(directive) if &*directive.name.text == "start" => {
                    // `%start STATE STACK..` of a table.
                    if let [state, stack @ ..] = &directive.arguments[..]
                        && !stack.is_empty()
                    {
                        self.control(&state.name);
                        for symbol in stack {
                            self.nonterminal(&symbol.name);
                        }
                    }
                }
                CfgItem::Directive(_) => {}
            }
        }
    }

    fn body(&mut self, top: NonterminalId, body: &Body) -> PlanRule {
        let symbols = body.symbols.iter().map(|name| self.symbol(name)).collect();
        let label = body.label.as_ref().map(|label| label.text.to_string());
        PlanRule { from: None, top, to: None, body: symbols, label, ends: false }
    }

    fn row(&mut self, row: &TransitionRow, diagnostics: &mut Diagnostics) {
        let letter = row.letter.as_ref().map(|letter| {
            if let Some(&top) = self.stack_names.get(&*letter.text) {
                return StackSymbol::Nonterminal(top);
            }
            StackSymbol::Terminal(self.terminal(letter))
        });
        if let (Some(StackSymbol::Nonterminal(_)), Some(name)) = (letter, &row.letter) {
            let message = format!("`{}` is a symbol of the stack and is read as a letter", name.text);
            diagnostics.push(
                Diagnostic::error(Code::CFG_TABLE, message).at(name.span, "a step of the plan is expected"),
            );
            return;
        }
        let froms: Vec<Option<ControlId>> = row
            .from
            .iter()
            .map(|name| (&*name.text != ANY).then(|| self.control_names[&*name.text]))
            .collect();
        let any = row.tops.iter().any(|top| &*top.text == ANY);
        let tops: Vec<NonterminalId> = if any {
            self.nonterminals.ids().collect()
        } else {
            row.tops.iter().map(|top| self.stack_names[&*top.text]).collect()
        };
        let to = self.control_names[&*row.to.text];
        for from in froms {
            for &top in &tops {
                let mut body: Vec<StackSymbol> = letter.into_iter().collect();
                for name in &row.push {
                    if &*name.text == ANY {
                        body.push(StackSymbol::Nonterminal(top));
                        continue;
                    }
                    let Some(&id) = self.stack_names.get(&*name.text) else {
                        let message = format!("`{}` is pushed and no row takes it from the stack", name.text);
                        diagnostics.push(
                            Diagnostic::error(Code::CFG_TABLE, message)
                                .at(name.span, "no row has it as its top"),
                        );
                        return;
                    };
                    body.push(StackSymbol::Nonterminal(id));
                }
                let label = row.label.as_ref().map(|label| label.text.to_string());
                let rule = PlanRule { from, top, to: Some(to), body, label, ends: false };
                self.add(rule, row.span, diagnostics);
                if self.too_large {
                    return;
                }
            }
        }
    }
}

/// Resolves the names of a file. Findings are added to `diagnostics`; `None` if there are errors.
pub fn resolve_cfg(module: &CfgModule, name: &str, diagnostics: &mut Diagnostics) -> Option<PlanGrammar> {
    let mut found = Diagnostics::new();
    let mut tables = PlanTables::new(module);
    tables.names();
    let has_table = !tables.controls.is_empty();
    let mut size = 0;
    for item in &module.items {
        match item {
            CfgItem::Production(production) => {
                let top = tables.stack_names[&*production.head.text];
                for body in &production.bodies {
                    size += body.symbols.len() + 1;
                    let rule = tables.body(top, body);
                    tables.add(rule, body.span, &mut found);
                }
            }
            CfgItem::Row(row) => {
                size += row.push.len() + 1;
                tables.row(row, &mut found);
            }
            CfgItem::Directive(_) => {}
        }
        if size > MAX_SYMBOLS || tables.too_large {
            let message = format!("the grammar has more than {MAX_SYMBOLS} symbols on its right sides");
            diagnostics.push(Diagnostic::error(Code::CFG_SYNTAX, message));
            return None;
        }
    }
    if tables.rules.is_empty() && !found.has_errors() {
        let at = Span::new(module.source, 0, 0);
        found.push(
            Diagnostic::error(Code::CFG_SYNTAX, "there is no production and no row in this file").at(at, ""),
        );
    }
    if found.has_errors() {
        found.sort();
        diagnostics.append(found);
        return None;
    }
    if !has_table {
        tables.controls.push(ControlState { name: String::new(), question: None, accepting: true });
    }
    let start = tables.rules[0].top;
    let mut grammar = PlanGrammar {
        name: name.to_string(),
        task: None,
        terminals: tables.terminals,
        nonterminals: tables.nonterminals,
        controls: tables.controls,
        rules: tables.rules.into(),
        start,
        initial: first_id(),
        groups: Vec::new(),
        budget: None,
        order: super::Order::Written,
        by_top: IdVec::new(),
    };
    let mut errors = DirectiveErrors { diagnostics: &mut found };
    let mut directives =
        Directives { grammar: &mut grammar, has_table, accepting: Vec::new(), listed: None, started: None };
    for item in &module.items {
        if let CfgItem::Directive(directive) = item {
            directives.apply(directive, &mut errors);
        }
    }
    let Directives { accepting, listed, started, .. } = directives;
    if has_table && started.is_none() {
        let at = Span::new(module.source, 0, 0);
        found.push(
            Diagnostic::error(Code::CFG_TABLE, "the table has no start")
                .at(at, "a table says `%start STATE STACK`")
                .hint("`%start q0 Z` begins in the state `q0` with `Z` on the stack"),
        );
    }
    if let Some(stack) = started
        && stack.len() > 1
    {
        let bottom =
            grammar.nonterminals.push(Nonterminal { name: BOTTOM.into(), goal: None, question: None });
        let body = stack.into_iter().map(StackSymbol::Nonterminal).collect();
        grammar.rules.push(PlanRule { from: None, top: bottom, to: None, body, label: None, ends: false });
        grammar.start = bottom;
    }
    if accepting.len() * grammar.nonterminals.len() > MAX_SYMBOLS {
        let message =
            format!("the states of `%accept` times the symbols of the stack are more than {MAX_SYMBOLS}");
        found.push(Diagnostic::error(Code::CFG_TABLE, message));
    } else if !accepting.is_empty() {
        accept_in(&mut grammar, &accepting);
    }
    grammar.index_rules();
    if !found.has_errors() {
        health::look(&grammar, listed.as_deref(), &tables.places, module.source, &mut found);
    }
    found.sort();
    let failed = found.has_errors();
    diagnostics.append(found);
    (!failed).then_some(grammar)
}

/// Lets a plan end in these states, whatever is on the stack: new rules pop the rest of the stack without a step.
fn accept_in(grammar: &mut PlanGrammar, accepting: &[ControlId]) {
    for state in &mut grammar.controls {
        state.accepting = false;
    }
    for &id in accepting {
        grammar.controls[id].accepting = true;
    }
    let end = grammar.controls.push(ControlState { name: "end".into(), question: None, accepting: true });
    for from in accepting.iter().copied().chain([end]) {
        for top in grammar.nonterminals.ids() {
            grammar.rules.push(PlanRule {
                from: Some(from),
                top,
                to: Some(end),
                body: Vec::new(),
                label: None,
                ends: true,
            });
        }
    }
}
