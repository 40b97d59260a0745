//! Reads `.cfg` files, line by line.

use super::{Argument, Body, CfgItem, CfgModule, Directive, Production, TransitionRow};
use pest::Parser;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Name;
use tsl_synth_core::source::{SourceId, SourceMap, Span};

use tsl_synth_grammars::cfg as grammar;

use grammar::Rule;

/// More errors than this are not listed one by one.
const MAX_ERRORS: usize = 200;

#[derive(Clone, Debug)]
struct PlanToken {
    rule: Rule,
    text: String,
    span: Span,
}

impl PlanToken {
    fn name(&self) -> Name {
        Name { text: self.text.as_str().into(), span: self.span }
    }
    fn is_symbol(&self) -> bool {
        matches!(self.rule, Rule::word | Rule::quoted)
    }
}

/// Parses a `.cfg` file. Findings are added to `diagnostics`; `None` if there are errors.
pub fn parse_cfg(map: &SourceMap, source: SourceId, diagnostics: &mut Diagnostics) -> Option<CfgModule> {
    let text = map.get(source).text.as_str();
    let mut reader = PlanReader { source, items: Vec::new(), diagnostics: Diagnostics::new(), errors: 0 };
    for line in reader.lines(text) {
        reader.line(&line);
    }
    let mut found = reader.diagnostics;
    if reader.items.is_empty() && !found.has_errors() {
        found.push(
            Diagnostic::error(Code::CFG_SYNTAX, "there is no production and no row in this file")
                .at(Span::new(source, 0, 0), "`S -> a S b | ε` is a production"),
        );
    }
    found.sort();
    let failed = found.has_errors();
    diagnostics.append(found);
    (!failed).then_some(CfgModule { source, items: reader.items })
}

/// The text between quotes, with each escape replaced by the character after its backslash.
fn unquoted(text: &str) -> String {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    let (mut out, mut kept) = (String::with_capacity(inner.len()), false);
    for c in inner.chars() {
        if c == '\\' && !kept {
            kept = true;
            continue;
        }
        out.push(c);
        kept = false;
    }
    out
}

struct PlanReader {
    source: SourceId,
    items: Vec<CfgItem>,
    diagnostics: Diagnostics,
    errors: usize,
}

impl PlanReader {
    fn error(&mut self, code: Code, at: Span, message: impl Into<String>, remark: &str, hint: &str) {
        self.errors += 1;
        if self.errors > MAX_ERRORS {
            return;
        }
        let mut error = Diagnostic::error(code, message).at(at, remark);
        if !hint.is_empty() {
            error = error.hint(hint);
        }
        self.diagnostics.push(error);
    }

    /// The tokens of each line that has some; a line that begins with `|` continues the line before.
    fn lines(&mut self, text: &str) -> Vec<Vec<PlanToken>> {
        let pairs = match grammar::PlanSyntax::parse(Rule::text, text) {
            Ok(mut pairs) => pairs.next().map(pest::iterators::Pair::into_inner),
            Err(_) => None,
        };
        let mut lines: Vec<Vec<PlanToken>> = Vec::new();
        let mut fresh = true;
        for pair in pairs.into_iter().flatten() {
            let at = pair.as_span();
            let span = Span::new(self.source, at.start(), at.end());
            let rule = pair.as_rule();
            let text = match rule {
                Rule::newline => {
                    fresh = true;
                    continue;
                }
                Rule::EOI => continue,
                Rule::unknown if pair.as_str() == "\"" => {
                    let hint = "a text between quotes ends on its line";
                    self.error(Code::CFG_SYNTAX, span, "this quote is never closed", "", hint);
                    continue;
                }
                Rule::unknown => {
                    let shown = pair.as_str().escape_debug().to_string();
                    let message = format!("`{shown}` cannot stand here");
                    self.error(
                        Code::CFG_SYNTAX,
                        span,
                        message,
                        "",
                        "texts with such characters stand between quotes",
                    );
                    continue;
                }
                Rule::quoted => unquoted(pair.as_str()),
                _ => pair.as_str().to_string(),
            };
            if fresh && (rule != Rule::bar || lines.is_empty()) {
                lines.push(Vec::new());
            }
            fresh = false;
            if let Some(line) = lines.last_mut() {
                line.push(PlanToken { rule, text, span });
            }
        }
        lines
    }

    fn line(&mut self, tokens: &[PlanToken]) {
        let Some(first) = tokens.first() else { return };
        match first.rule {
            Rule::directive => self.directive(first, &tokens[1..]),
            Rule::open => self.row(tokens),
            Rule::word | Rule::quoted => self.production(first, &tokens[1..]),
            _ => {
                let message = format!("a line does not begin with `{}`", first.text);
                let hint = "a line is a production `A -> x B`, a row `(q, x, Z) -> (r, Z)` or a directive `%limit x 1`";
                self.error(Code::CFG_SYNTAX, first.span, message, "", hint);
            }
        }
    }

    fn directive(&mut self, name: &PlanToken, rest: &[PlanToken]) {
        let mut arguments = Vec::new();
        for token in rest {
            match token.rule {
                Rule::word | Rule::quoted => {
                    arguments.push(Argument { name: token.name(), quoted: token.rule == Rule::quoted });
                }
                Rule::comma | Rule::equals => {}
                _ => {
                    let message = format!("`{}` is no argument of `{}`", token.text, name.text);
                    self.error(
                        Code::CFG_DIRECTIVE,
                        token.span,
                        message,
                        "",
                        "arguments are symbols, numbers and quoted texts",
                    );
                    return;
                }
            }
        }
        let text = name.text.trim_start_matches('%');
        let name = Name { text: text.into(), span: name.span };
        self.items.push(CfgItem::Directive(Directive { name, arguments }));
    }

    /// Splits a label `= "text"` off the end of some tokens.
    fn label(&mut self, tokens: &mut &[PlanToken]) -> Option<Name> {
        let at = tokens.iter().position(|token| token.rule == Rule::equals)?;
        let (before, after) = tokens.split_at(at);
        *tokens = before;
        match after {
            [_, label] if label.rule == Rule::quoted => Some(label.name()),
            _ => {
                let span = after[0].span.to(after[after.len() - 1].span);
                self.error(
                    Code::CFG_SYNTAX,
                    span,
                    "after `=` one quoted text is expected",
                    "",
                    "`B -> a C = \"the label of this alternative\"`",
                );
                None
            }
        }
    }

    fn production(&mut self, head: &PlanToken, rest: &[PlanToken]) {
        let Some((arrow, rest)) = rest.split_first().filter(|(arrow, _)| arrow.rule == Rule::arrow) else {
            let at = rest.first().map_or(head.span, |token| token.span);
            let message = format!("`->` is expected after `{}`", head.text);
            self.error(Code::CFG_SYNTAX, at, message, "", "a production is `A -> x B | y`");
            return;
        };
        let mut bodies = Vec::new();
        for mut part in rest.split(|token| token.rule == Rule::bar) {
            let span = match part {
                [] => arrow.span,
                [first, .., last] => first.span.to(last.span),
                [only] => only.span,
            };
            let label = self.label(&mut part);
            if part.is_empty() {
                let hint = "the empty alternative is written `ε`";
                self.error(Code::CFG_SYNTAX, span, "there is nothing in this alternative", "", hint);
                continue;
            }
            if let Some(wrong) = part.iter().find(|token| !token.is_symbol() && token.rule != Rule::epsilon) {
                let message = format!("`{}` cannot stand in a production", wrong.text);
                self.error(
                    Code::CFG_SYNTAX,
                    wrong.span,
                    message,
                    "",
                    "one production stands on a line; symbols with such characters stand between quotes",
                );
                continue;
            }
            let symbols = part.iter().filter(|token| token.is_symbol()).map(PlanToken::name).collect();
            bodies.push(Body { span, symbols, label });
        }
        if !bodies.is_empty() {
            self.items.push(CfgItem::Production(Production { head: head.name(), bodies }));
        }
    }

    /// The lists between the commas of `( .. )`, and the tokens after it.
    fn lists<'t>(
        &mut self,
        tokens: &'t [PlanToken],
        parts: usize,
    ) -> Option<(Vec<&'t [PlanToken]>, &'t [PlanToken])> {
        let wrong = |reader: &mut Self, span: Span| {
            let hint =
                "a row is `(states, letter, tops) -> (state, stack)`, the stack with its new top first";
            reader.error(Code::CFG_SYNTAX, span, "this is no row of a pushdown table", "", hint);
        };
        let first = tokens.first()?;
        let end = tokens.iter().position(|token| token.rule == Rule::close);
        let (Rule::open, Some(end)) = (first.rule, end) else {
            wrong(self, first.span);
            return None;
        };
        let lists: Vec<&[PlanToken]> = tokens[1..end].split(|token| token.rule == Rule::comma).collect();
        let plain = |list: &&[PlanToken]| {
            !list.is_empty() && list.iter().all(|token| token.is_symbol() || token.rule == Rule::epsilon)
        };
        if lists.len() != parts || !lists.iter().all(plain) {
            wrong(self, first.span.to(tokens[end].span));
            return None;
        }
        Some((lists, &tokens[end + 1..]))
    }

    fn row(&mut self, tokens: &[PlanToken]) {
        let mut tokens = tokens;
        let whole = tokens[0].span.to(tokens[tokens.len() - 1].span);
        let label = self.label(&mut tokens);
        let Some((left, rest)) = self.lists(tokens, 3) else { return };
        let right = match rest.split_first() {
            Some((arrow, rest)) if arrow.rule == Rule::arrow && !rest.is_empty() => self.lists(rest, 2),
            _ => {
                self.error(
                    Code::CFG_SYNTAX,
                    whole,
                    "`-> (state, stack)` is expected after the left side of a row",
                    "",
                    "",
                );
                return;
            }
        };
        let Some((right, rest)) = right else { return };
        if let Some(extra) = rest.first() {
            self.error(
                Code::CFG_SYNTAX,
                extra.span,
                "a row ends before this",
                "",
                "one row stands on a line",
            );
            return;
        }
        let names = |list: &[PlanToken]| -> Vec<Name> {
            list.iter().filter(|token| token.is_symbol()).map(PlanToken::name).collect()
        };
        let (from, letters, tops, to) = (names(left[0]), names(left[1]), names(left[2]), names(right[0]));
        if let ([_, ..], [] | [_], [_, ..], [target]) = (&from[..], &letters[..], &tops[..], &to[..]) {
            let (letter, to, push) = (letters.first().cloned(), target.clone(), names(right[1]));
            self.items.push(CfgItem::Row(TransitionRow { span: whole, letter, to, push, from, tops, label }));
        } else {
            let hint = "a row has one letter (or `ε`), one next state, and states and tops to its left";
            self.error(Code::CFG_SYNTAX, whole, "this is no row of a pushdown table", "", hint);
        }
    }
}
