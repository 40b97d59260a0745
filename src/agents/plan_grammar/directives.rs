//! The directives of a `.cfg` file.

use super::grammar::{ControlId, NonterminalId, Order, PlanGrammar, StepGroup, Subset, TerminalId, index_of};
use crate::syntax_plan::{Argument, Directive};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::spelling::nearest;

/// The largest number of elements that a step can choose from.
const MAX_ELEMENTS: usize = 64;

/// The nearest known name is searched for only while there are fewer diagnostics than this.
const HINTED: usize = 50;

/// The names of all directives.
const NAMES: [&str; 16] = [
    "accept",
    "ask",
    "budget",
    "cost",
    "goal",
    "group",
    "label",
    "limit",
    "order",
    "require",
    "some",
    "start",
    "subset",
    "task",
    "terminals",
    "unlimited",
];

/// What `%limit`, `%require` and `%cost` name.
#[derive(Clone, Copy)]
enum Counted {
    Step(TerminalId),
    /// A group, by its index.
    Group(usize),
}

/// Collects the errors in directives.
pub(super) struct DirectiveErrors<'a> {
    pub(super) diagnostics: &'a mut Diagnostics,
}

impl DirectiveErrors<'_> {
    fn wrong(&mut self, code: Code, at: Span, message: impl Into<String>, hint: &str) {
        let mut error = Diagnostic::error(code, message).at(at, "");
        if !hint.is_empty() {
            error = error.hint(hint);
        }
        self.diagnostics.push(error);
    }
}

/// The grammar with the directives applied to it, and the arguments of those that apply to the whole file.
pub(super) struct Directives<'a> {
    pub(super) grammar: &'a mut PlanGrammar,
    pub(super) has_table: bool,
    /// `%accept`
    pub(super) accepting: Vec<ControlId>,
    /// `%terminals`
    pub(super) listed: Option<Vec<String>>,
    /// The stack of `%start`.
    pub(super) started: Option<Vec<NonterminalId>>,
}

impl Directives<'_> {
    fn find_terminal(&self, argument: &Argument, errors: &mut DirectiveErrors<'_>) -> Option<TerminalId> {
        let name = &*argument.name.text;
        let found = self.grammar.terminal(name);
        if found.is_none() {
            let names = self.grammar.terminals.iter().map(|terminal| terminal.name.as_str());
            let near = if errors.diagnostics.len() < HINTED { nearest(name, names) } else { None };
            let hint = near.map_or("only symbols without productions are steps of plans".into(), |near| {
                format!("perhaps `{near}` is meant")
            });
            let message = format!("the grammar has no terminal `{name}`");
            errors.wrong(Code::CFG_UNKNOWN, argument.name.span, message, &hint);
        }
        found
    }
    fn find_nonterminal(
        &self,
        argument: &Argument,
        errors: &mut DirectiveErrors<'_>,
    ) -> Option<NonterminalId> {
        let name = &*argument.name.text;
        let found = index_of(&self.grammar.nonterminals, name, |nonterminal| &nonterminal.name);
        if found.is_none() {
            let names = self.grammar.nonterminals.iter().map(|one| one.name.as_str());
            let near = if errors.diagnostics.len() < HINTED { nearest(name, names) } else { None };
            let hint = near.map_or(String::new(), |near| format!("perhaps `{near}` is meant"));
            let message = format!("the grammar has no nonterminal `{name}`");
            errors.wrong(Code::CFG_UNKNOWN, argument.name.span, message, &hint);
        }
        found
    }
    /// Parses terminals (`*` for all), names of groups, and a final number, 1 by default.
    fn counted(
        &self,
        directive: &Directive,
        errors: &mut DirectiveErrors<'_>,
    ) -> Option<(Vec<Counted>, u32)> {
        let usage = format!("`%{} TERMINAL.. NUMBER`", directive.name.text);
        let (last, symbols) = directive.arguments.split_last().or_else(|| {
            errors.wrong(Code::CFG_DIRECTIVE, directive.name.span, "terminals are expected", &usage);
            None
        })?;
        let is_number = !last.quoted && last.name.text.bytes().all(|b| b.is_ascii_digit());
        let (symbols, number) = if is_number && !symbols.is_empty() {
            let Ok(number) = last.name.text.parse::<u32>() else {
                errors.wrong(Code::CFG_DIRECTIVE, last.name.span, "this number is too large", &usage);
                return None;
            };
            (symbols, number)
        } else {
            (&directive.arguments[..], 1)
        };
        let mut ids = Vec::new();
        for symbol in symbols {
            if &*symbol.name.text == "*" && !symbol.quoted {
                ids.extend(self.grammar.terminals.ids().map(Counted::Step));
            } else {
                ids.push(self.find_counted(symbol, errors)?);
            }
        }
        Some((ids, number))
    }

    fn find_counted(&self, argument: &Argument, errors: &mut DirectiveErrors<'_>) -> Option<Counted> {
        let name = &*argument.name.text;
        match self.grammar.groups.iter().position(|group| group.name == name) {
            Some(group) => Some(Counted::Group(group)),
            None => self.find_terminal(argument, errors).map(Counted::Step),
        }
    }

    /// `%group NAME TERMINAL..`
    fn group(&mut self, directive: &Directive, errors: &mut DirectiveErrors<'_>) {
        let Some((name, symbols)) = directive.arguments.split_first().filter(|(_, rest)| !rest.is_empty())
        else {
            let hint = "`%group italian trattoria osteria`, then `%require italian 1` or `%limit italian 2`";
            let message = "a name and terminals are expected";
            errors.wrong(Code::CFG_DIRECTIVE, directive.name.span, message, hint);
            return;
        };
        let text = name.name.text.to_string();
        let known = self.grammar.terminal(&text).is_some()
            || self.grammar.groups.iter().any(|group| group.name == text);
        if known {
            let message = format!("`{text}` is the name of a terminal or of another group");
            errors.wrong(Code::CFG_DIRECTIVE, name.name.span, message, "a group has a name of its own");
            return;
        }
        let mut members: Vec<TerminalId> = Vec::new();
        for symbol in symbols {
            match self.find_terminal(symbol, errors) {
                Some(id) if !members.contains(&id) => members.push(id),
                Some(_) => {}
                None => return,
            }
        }
        self.grammar.groups.push(StepGroup { name: text, members, least: 0, most: None });
    }

    /// `%limit`, `%require` and `%cost`.
    fn numbers(&mut self, directive: &Directive, errors: &mut DirectiveErrors<'_>) {
        let Some((counted, number)) = self.counted(directive, errors) else { return };
        let grammar = &mut *self.grammar;
        for one in counted {
            match (&*directive.name.text, one) {
                ("limit", Counted::Step(id)) => grammar.terminals[id].most = Some(number),
                ("limit", Counted::Group(at)) => grammar.groups[at].most = Some(number),
                ("require", Counted::Step(id)) => grammar.terminals[id].least = number,
                ("require", Counted::Group(at)) => grammar.groups[at].least = number,
                (_, Counted::Step(id)) => grammar.terminals[id].cost = number,
                (_, Counted::Group(at)) => {
                    for &id in &grammar.groups[at].members {
                        grammar.terminals[id].cost = number;
                    }
                }
            }
        }
    }

    /// Applies a directive.
    pub(super) fn apply(&mut self, directive: &Directive, errors: &mut DirectiveErrors<'_>) {
        let span = directive.name.span;
        let arguments = &directive.arguments[..];
        match &*directive.name.text {
            "start" => self.start(directive, errors),
            "group" => self.group(directive, errors),
            "limit" | "require" | "cost" => self.numbers(directive, errors),
            "unlimited" => {
                for argument in arguments {
                    match self.find_counted(argument, errors) {
                        Some(Counted::Step(id)) => self.grammar.terminals[id].most = None,
                        Some(Counted::Group(at)) => self.grammar.groups[at].most = None,
                        None => {}
                    }
                }
            }
            "budget" => match arguments {
                [one] => match one.name.text.parse::<u32>() {
                    Ok(number) => self.grammar.budget = Some(number),
                    Err(_) => errors.wrong(
                        Code::CFG_DIRECTIVE,
                        one.name.span,
                        "a number is expected",
                        "`%budget 900`",
                    ),
                },
                _ => errors.wrong(Code::CFG_DIRECTIVE, span, "one number is expected", "`%budget 900`"),
            },
            "task" => match arguments {
                [text] => self.grammar.task = Some(text.name.text.to_string()),
                _ => errors.wrong(
                    Code::CFG_DIRECTIVE,
                    span,
                    "one quoted text is expected",
                    "`%task \"Bake a cake\"`",
                ),
            },
            "label" | "goal" | "ask" => self.texts(directive, errors),
            "order" => match arguments.iter().map(|argument| &*argument.name.text).collect::<Vec<_>>()[..] {
                ["execution"] => self.grammar.order = Order::Execution,
                ["written"] => self.grammar.order = Order::Written,
                _ => errors.wrong(
                    Code::CFG_DIRECTIVE,
                    span,
                    "the order is `execution` or `written`",
                    "`%order execution`",
                ),
            },
            "accept" => {
                for argument in arguments {
                    match index_of(&self.grammar.controls, &argument.name.text, |state| &state.name) {
                        Some(id) if self.has_table => self.accepting.push(id),
                        _ => {
                            let message = format!("the table has no state `{}`", argument.name.text);
                            errors.wrong(
                                Code::CFG_TABLE,
                                argument.name.span,
                                message,
                                "rows `(q, x, Z) -> (r, Z)` have states",
                            );
                        }
                    }
                }
            }
            "terminals" => {
                let listed = self.listed.get_or_insert_default();
                listed.extend(arguments.iter().map(|argument| argument.name.text.to_string()));
            }
            "subset" | "some" => self.subset(directive, errors),
            other => {
                let message = format!("there is no directive `%{other}`");
                let hint = nearest(other, NAMES).map_or_else(
                    || format!("the directives are {}", NAMES.map(|name| format!("%{name}")).join(", ")),
                    |near| format!("perhaps `%{near}` is meant"),
                );
                errors.wrong(Code::CFG_DIRECTIVE, span, message, &hint);
            }
        }
    }

    fn start(&mut self, directive: &Directive, errors: &mut DirectiveErrors<'_>) {
        match &directive.arguments[..] {
            [start] if !self.has_table => {
                if let Some(id) = self.find_nonterminal(start, errors) {
                    self.grammar.start = id;
                }
            }
            [state, stack @ ..] if self.has_table && !stack.is_empty() => {
                let state = index_of(&self.grammar.controls, &state.name.text, |state| &state.name);
                let stack: Option<Vec<_>> =
                    stack.iter().map(|symbol| self.find_nonterminal(symbol, errors)).collect();
                if let (Some(state), Some(stack)) = (state, stack) {
                    self.grammar.initial = state;
                    self.grammar.start = stack[0];
                    self.started = Some(stack);
                }
            }
            _ if self.has_table => {
                errors.wrong(
                    Code::CFG_DIRECTIVE,
                    directive.name.span,
                    "a state and a stack are expected",
                    "`%start q0 Z`",
                );
            }
            _ => errors.wrong(
                Code::CFG_DIRECTIVE,
                directive.name.span,
                "one nonterminal is expected",
                "`%start S`",
            ),
        }
    }

    fn texts(&mut self, directive: &Directive, errors: &mut DirectiveErrors<'_>) {
        let what = &*directive.name.text;
        let [symbol, text] = &directive.arguments[..] else {
            let hint = format!("`%{what} SYMBOL \"text\"`");
            errors.wrong(Code::CFG_DIRECTIVE, directive.name.span, "a symbol and a text are expected", &hint);
            return;
        };
        let words = Some(text.name.text.to_string());
        let (name, grammar) = (&*symbol.name.text, &mut *self.grammar);
        match what {
            "label" => {
                if let Some(id) = self.find_terminal(symbol, errors) {
                    self.grammar.terminals[id].label = words;
                }
            }
            "ask" if index_of(&grammar.controls, name, |state| &state.name).is_some() && self.has_table => {
                if let Some(id) = index_of(&grammar.controls, name, |state| &state.name) {
                    grammar.controls[id].question = words;
                }
            }
            _ => {
                if let Some(id) = self.find_nonterminal(symbol, errors) {
                    let nonterminal = &mut self.grammar.nonterminals[id];
                    *(if what == "ask" { &mut nonterminal.question } else { &mut nonterminal.goal }) = words;
                }
            }
        }
    }

    fn subset(&mut self, directive: &Directive, errors: &mut DirectiveErrors<'_>) {
        let may_be_empty = &*directive.name.text == "subset";
        let hint = format!("`%{} TERMINAL ELEMENT..`", directive.name.text);
        let Some((symbol, elements)) = directive.arguments.split_first().filter(|(_, rest)| !rest.is_empty())
        else {
            errors.wrong(
                Code::CFG_DIRECTIVE,
                directive.name.span,
                "a terminal and elements are expected",
                &hint,
            );
            return;
        };
        let elements: Vec<String> = elements.iter().map(|element| element.name.text.to_string()).collect();
        if elements.len() > MAX_ELEMENTS {
            let message = format!("there are more than {MAX_ELEMENTS} elements");
            errors.wrong(Code::CFG_DIRECTIVE, directive.name.span, message, &hint);
            return;
        }
        if let Some(twice) = elements.iter().enumerate().find(|(i, element)| elements[..*i].contains(element))
        {
            let message = format!("`{}` is an element twice", twice.1);
            errors.wrong(Code::CFG_DIRECTIVE, directive.name.span, message, &hint);
            return;
        }
        if let Some(id) = self.find_terminal(symbol, errors) {
            self.grammar.terminals[id].subset = Some(Subset { elements, may_be_empty });
        }
    }
}
