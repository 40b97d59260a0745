//! Converts nested lists to the syntax tree of an agent; items in wrong positions are reported.

use super::read::{AgentItem, ItemKind, read};
use super::{AgentFlag, AgentFormula, AgentFormulaId, AgentFormulas, AgentModule, AgentState, Bound, Quoted};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Name;
use tsl_synth_core::source::{SourceId, SourceMap, Span};

/// The greatest bound of a loop that is accepted.
const MOST_LOOPS: u32 = 1_000;

/// Parses a behavior. Findings are added to `diagnostics`; `None` if there are errors.
pub fn parse_agent(map: &SourceMap, source: SourceId, diagnostics: &mut Diagnostics) -> Option<AgentModule> {
    let mut found = Diagnostics::new();
    let items = read(map, source, &mut found);
    let is_balanced = !found.has_errors();
    let mut reader = AgentReader { found, formulas: AgentFormulas::default() };
    let module = reader.module(source, &items, is_balanced);
    let mut found = reader.found;
    found.sort();
    let failed = found.has_errors();
    diagnostics.append(found);
    module.filter(|_| !failed)
}

struct AgentReader {
    found: Diagnostics,
    formulas: AgentFormulas,
}

/// The first word of a list with its span, and the other items.
fn parts(item: &AgentItem) -> Option<(&str, Span, &[AgentItem])> {
    let ItemKind::List(items) = &item.kind else { return None };
    let (first, rest) = items.split_first()?;
    match &first.kind {
        ItemKind::Name(word) | ItemKind::Keyword(word) => Some((word, first.span, rest)),
        _ => None,
    }
}

fn name(item: &AgentItem) -> Option<Name> {
    match &item.kind {
        ItemKind::Name(text) => Some(Name { text: text.as_str().into(), span: item.span }),
        _ => None,
    }
}

impl AgentReader {
    fn error(&mut self, code: Code, at: Span, message: impl Into<String>, remark: &str, hint: &str) {
        let mut error = Diagnostic::error(code, message).at(at, remark);
        if !hint.is_empty() {
            error = error.hint(hint);
        }
        self.found.push(error);
    }

    /// The file. If parentheses are unbalanced, missing parts are not reported as well.
    fn module(&mut self, source: SourceId, items: &[AgentItem], is_balanced: bool) -> Option<AgentModule> {
        const SHAPE: &str = "a file is `(define NAME (:states ...) (:behavior FORMULA))`";
        let Some((first, others)) = items.split_first() else {
            if is_balanced {
                let at = Span::new(source, 0, 0);
                self.error(Code::NOTHING_STATED, at, "there is no agent", "expected `(define ...)`", SHAPE);
            }
            return None;
        };
        if let (Some(other), true) = (others.first(), is_balanced) {
            let message = format!("{} after the end of the agent", other.reported());
            self.error(Code::AGENT_FORM, other.head(), message, "outside of `(define ...)`", SHAPE);
        }
        let Some(("define", at, rest)) = parts(first) else {
            let message = format!("expected `(define ...)`, found {}", first.reported());
            self.error(Code::AGENT_FORM, first.head(), message, "", SHAPE);
            return None;
        };
        let named = rest.first().and_then(name);
        if named.is_none() {
            self.error(Code::AGENT_FORM, at, "the agent has no name", "expected a name after this", SHAPE);
        }
        let (mut states, mut max_loops, mut behavior) = (None, None, None);
        for item in &rest[usize::from(named.is_some())..] {
            match parts(item) {
                Some((":states", at, items)) => {
                    let list = self.states(items);
                    self.once(&mut states, list, ":states", at);
                }
                Some((":behavior", at, items)) => {
                    let formula = self.behavior(at, items);
                    self.once(&mut behavior, formula, ":behavior", at);
                }
                Some((":max-loops", at, items)) => {
                    let bound = self.bound(at, items);
                    self.once(&mut max_loops, bound, ":max-loops", at);
                }
                _ if is_balanced => {
                    let message = format!("{} is no part of an agent", item.reported());
                    let hint = "its parts are `(:states ...)`, `(:max-loops N)` and `(:behavior FORMULA)`";
                    self.error(Code::AGENT_FORM, item.head(), message, "", hint);
                }
                _ => {}
            }
        }
        for (there, what) in [(states.is_some(), ":states"), (behavior.is_some(), ":behavior")] {
            if !there && is_balanced {
                let message = format!("the agent has no `({what} ...)`");
                self.error(Code::AGENT_FORM, first.head(), message, "in this definition", SHAPE);
            }
        }
        let formulas = std::mem::take(&mut self.formulas);
        let (states, behavior, max_loops) = (states?.0, behavior?.0?, max_loops.and_then(|(bound, _)| bound));
        Some(AgentModule { source, name: named?, states, max_loops, formulas, behavior })
    }

    /// Keeps the first of several parts of the same kind and reports the others.
    fn once<T>(&mut self, slot: &mut Option<(T, Span)>, value: T, what: &str, at: Span) {
        match slot {
            Some((_, first)) => {
                let message = format!("`{what}` is there twice");
                let error =
                    Diagnostic::error(Code::AGENT_TWICE, message).at(at, "").at(*first, "the first one");
                self.found.push(error);
            }
            None => *slot = Some((value, at)),
        }
    }

    fn states(&mut self, items: &[AgentItem]) -> Vec<AgentState> {
        items.iter().filter_map(|item| self.state(item)).collect()
    }

    fn state(&mut self, item: &AgentItem) -> Option<AgentState> {
        const SHAPE: &str = "a state is `(NAME (:text \"prompt\"))`, with `(:flags :env-input :initial :final)` \
                             and `(:one-of \"a\" \"b\")` if wanted";
        let Some((first, at, rest)) = parts(item) else {
            let message = format!("expected a state, found {}", item.reported());
            self.error(Code::AGENT_STATE, item.head(), message, "", SHAPE);
            return None;
        };
        if matches!(first, ":states" | ":behavior" | ":max-loops") {
            let message = format!("`({first} ...)` stands inside of `(:states ...)`");
            self.error(Code::AGENT_STATE, item.head(), message, "", "a `)` is missing before it");
            return None;
        }
        if first.starts_with(':') {
            let message = format!("`({first} ...)` is outside of its state");
            let hint = "the `)` before it closes the state too early";
            self.error(Code::AGENT_STATE, item.head(), message, "expected a state", hint);
            return None;
        }
        let name = Name { text: first.into(), span: at };
        let (mut text, mut flags, mut one_of) = (None, None, None);
        for part in rest {
            match parts(part) {
                Some((":text", at, [AgentItem { kind: ItemKind::Quoted(prompt), span }])) => {
                    let prompt = Quoted { text: prompt.clone(), span: *span };
                    self.once(&mut text, prompt, ":text", at);
                }
                Some((":flags", at, words)) => {
                    let list = words.iter().filter_map(|word| self.flag(word)).collect();
                    self.once(&mut flags, list, ":flags", at);
                }
                Some((":one-of", at, words)) if !words.is_empty() => {
                    let list = words.iter().filter_map(|word| self.text(word)).collect();
                    self.once(&mut one_of, list, ":one-of", at);
                }
                Some((word, _, _)) if !word.starts_with(':') => {
                    let message = format!("{} stands inside of the state `{first}`", part.reported());
                    self.error(Code::AGENT_STATE, part.head(), message, "", "a `)` is missing before it");
                }
                _ => {
                    let message = format!("{} is no part of a state", part.reported());
                    self.error(Code::AGENT_STATE, part.head(), message, "", SHAPE);
                }
            }
        }
        let Some((text, _)) = text else {
            let message = format!("the state `{first}` has no prompt");
            self.error(Code::AGENT_STATE, at, message, "expected `(:text \"...\")`", SHAPE);
            return None;
        };
        let (flags, one_of) = (flags.map_or_else(Vec::new, |f| f.0), one_of.map_or_else(Vec::new, |o| o.0));
        Some(AgentState { name, text, flags, one_of, span: item.span })
    }

    fn flag(&mut self, item: &AgentItem) -> Option<AgentFlag> {
        let flag = match &item.kind {
            ItemKind::Keyword(word) | ItemKind::Name(word) => match word.as_str() {
                ":env-input" => Some(AgentFlag::EnvInput),
                ":initial" => Some(AgentFlag::Initial),
                ":final" => Some(AgentFlag::Final),
                _ => None,
            },
            _ => None,
        };
        if flag.is_none() {
            let message = format!("{} is no flag of a state", item.reported());
            self.error(
                Code::AGENT_STATE,
                item.head(),
                message,
                "",
                "flags are `:env-input`, `:initial`, `:final`",
            );
        }
        flag
    }

    fn text(&mut self, item: &AgentItem) -> Option<Quoted> {
        if let ItemKind::Quoted(text) = &item.kind {
            return Some(Quoted { text: text.clone(), span: item.span });
        }
        let message = format!("expected a text, found {}", item.reported());
        self.error(Code::AGENT_TEXT, item.head(), message, "", "texts stand between double quotes");
        None
    }

    fn bound(&mut self, at: Span, items: &[AgentItem]) -> Option<Bound> {
        let number = match items {
            [AgentItem { kind: ItemKind::Number(digits), span }] => Some((digits.parse::<u32>(), *span)),
            _ => None,
        };
        match number {
            Some((Ok(times), span)) if times <= MOST_LOOPS => Some(Bound { times, span }),
            Some((_, span)) => {
                let message = format!("a bound of loops is at most {MOST_LOOPS}");
                self.error(Code::AGENT_BOUND, span, message, "", "");
                None
            }
            None => {
                self.error(Code::AGENT_BOUND, at, "expected one number", "", "a bound is `(:max-loops 3)`");
                None
            }
        }
    }

    fn behavior(&mut self, at: Span, items: &[AgentItem]) -> Option<AgentFormulaId> {
        match items {
            [] => {
                let hint =
                    "a formula is a state, `(next F G)`, `(until BODY EXIT)`, `(or F G)` or `(always F)`";
                self.error(
                    Code::EMPTY_FORMULA,
                    at,
                    "the behavior has no formula",
                    "expected one after this",
                    hint,
                );
                None
            }
            [formula] => self.formula(formula),
            [_, second, ..] => {
                let message = "the behavior has more than one formula";
                let hint = "one after the other is `(next F G ...)`, a choice is `(or F G ...)`";
                self.error(Code::AGENT_OPERATOR, second.head(), message, "the second one", hint);
                None
            }
        }
    }

    /// The recursion depth is that of the parentheses, which is bounded.
    fn formula(&mut self, item: &AgentItem) -> Option<AgentFormulaId> {
        const FORMS: &str =
            "a formula is a state, `(next F G)`, `(until BODY EXIT)`, `(or F G)` or `(always F)`";
        if let Some(name) = name(item) {
            return Some(self.formulas.push(item.span, AgentFormula::State(name)));
        }
        let Some((operator, at, rest)) = parts(item) else {
            let message = format!("expected a formula, found {}", item.reported());
            self.error(Code::AGENT_OPERATOR, item.head(), message, "", FORMS);
            return None;
        };
        let formula = match operator {
            "next" | "or" if !rest.is_empty() => {
                let all: Vec<Option<AgentFormulaId>> = rest.iter().map(|item| self.formula(item)).collect();
                let all: Vec<AgentFormulaId> = all.into_iter().collect::<Option<_>>()?;
                if operator == "next" { AgentFormula::Next(all) } else { AgentFormula::Or(all) }
            }
            "until" => self.until(at, rest)?,
            "always" if rest.len() == 1 => AgentFormula::Always(self.formula(&rest[0])?),
            "next" | "or" | "always" => {
                let wanted = if operator == "always" { "exactly one" } else { "at least one" };
                let message = format!("`{operator}` has {wanted} formula, here {}", rest.len());
                let hint = if rest.is_empty() { FORMS } else { "one after the other is `(next F G ...)`" };
                self.error(Code::AGENT_OPERATOR, at, message, "", hint);
                return None;
            }
            other => {
                let hint = match other {
                    "U" | "while" | "loop" | "repeat" => {
                        "a loop is `(until BODY EXIT)`: the body any number of times"
                    }
                    "X" | "seq" | "then" | "and" | "progn" => "one after the other is `(next F G ...)`",
                    "G" | "globally" | "forever" => "without end is `(always F)`",
                    "|" | "choice" | "alt" | "if" => "a choice is `(or F G ...)`",
                    "not" | "eventually" | "F" | "implies" | "->" => {
                        "behaviors are regular: there is no negation and no `eventually`"
                    }
                    _ => FORMS,
                };
                self.error(Code::AGENT_OPERATOR, at, format!("`{other}` is no operator"), "", hint);
                return None;
            }
        };
        Some(self.formulas.push(item.span, formula))
    }

    fn until(&mut self, at: Span, items: &[AgentItem]) -> Option<AgentFormula> {
        let (formulas, bound) = match items {
            [formulas @ .., last] => match parts(last) {
                Some((":max-loops", at, number)) => (formulas, Some(self.bound(at, number)?)),
                _ => (items, None),
            },
            [] => (items, None),
        };
        let [body, exit] = formulas else {
            let message = format!("`until` has a body and an exit, here are {} formulas", formulas.len());
            let hint = "a body of several steps is `(until (next F G) EXIT)`; a bound is `(until BODY EXIT (:max-loops 3))`";
            self.error(Code::AGENT_OPERATOR, at, message, "", hint);
            return None;
        };
        let (body, exit) = (self.formula(body), self.formula(exit));
        Some(AgentFormula::Until { body: body?, exit: exit?, bound })
    }
}
