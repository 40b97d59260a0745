//! Reads LTL: matches brackets, distinguishes operands from operators, and builds trees by precedence.

use std::sync::Arc;

use pest::Parser;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{INFIX, LtlExprs, LtlId, LtlKind, LtlModule, PREFIX, PREFIXES, is_one_name};
use super::{foreign, signed_names, unread};
use crate::operators::{BinaryOp, UnaryOp};
use crate::scan::{MAX_NESTING, scan, too_deep};
use crate::shunting_yard::{OperatorNode, RowSymbol, shunting_yard};
use crate::signs::in_ascii;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics, Severity};
use tsl_synth_core::source::Name;
use tsl_synth_core::source::{SourceId, SourceMap, Span};

use tsl_synth_grammars::ltl as grammar;

use grammar::Rule;

/// More errors than this are not listed one by one.
const MAX_ERRORS: usize = 200;

/// Parses LTL formulas. Words for which `is_proposition` holds and the names of header lines are propositions, even if
/// they begin with `F`, `G` or `X`. Findings are added to `diagnostics`; `None` if there are errors.
pub fn parse_ltl(
    map: &SourceMap,
    source: SourceId,
    is_proposition: &dyn Fn(&str) -> bool,
    diagnostics: &mut Diagnostics,
) -> Option<LtlModule> {
    let mut found = Diagnostics::new();
    let module = parse_ltl_partly(map, source, is_proposition, &mut found);
    let failed = found.has_errors();
    diagnostics.append(found);
    module.filter(|_| !failed)
}

/// Parses LTL formulas as far as possible in spite of errors: `true` replaces the parts that cannot be parsed. `None`
/// if brackets nest too deep or a comment is not closed.
pub fn parse_ltl_partly(
    map: &SourceMap,
    source: SourceId,
    is_proposition: &dyn Fn(&str) -> bool,
    diagnostics: &mut Diagnostics,
) -> Option<LtlModule> {
    let text = map.get(source).text.as_str();
    let all = Span::new(source, 0, text.len());
    let scanned = scan(text, all, true, diagnostics)?;
    let mut reader = LtlReader {
        text,
        source,
        is_proposition,
        declared: FxHashSet::default(),
        exprs: LtlExprs::new(),
        names: FxHashMap::default(),
        diagnostics: Diagnostics::new(),
        errors: 0,
        rows: vec![LtlRow { open: None, tokens: Vec::new() }],
        formulas: Vec::new(),
        assumptions: Vec::new(),
        section: None,
        has_sections: false,
        strong_nexts: Vec::new(),
        prefixes: 0,
        whole: FxHashSet::default(),
        glued: Vec::new(),
    };
    let (mut inputs, mut outputs) = (None, None);
    for comment in &scanned.comments {
        reader.header(comment, &mut inputs, &mut outputs);
    }
    for name in inputs.iter().chain(&outputs).flatten() {
        reader.declared.insert(name.text.to_string());
    }
    reader.read();
    reader.warn_of_glued_names();
    let mut found = reader.diagnostics;
    // Sections of TSL around formulas of LTL are no TSL.
    let is_ltl = found.iter().all(|f| f.severity != Severity::Error || f.code == Code::UNKNOWN_PROPOSITION);
    if found.has_errors() && !is_ltl && foreign::reads_like_tsl(text) {
        found = Diagnostics::new();
        found.push(
            Diagnostic::error(Code::CHARACTER, "this text is TSL, and is read as LTL")
                .at(
                    Span::new(source, 0, text.chars().next().map_or(0, char::len_utf8)),
                    "read as LTL from here on",
                )
                .hint("name the file `.tsl`, or say `--input-format tsl`"),
        );
    }
    if found.has_errors()
        && let Some(other) = foreign::language(text, &scanned.comments)
    {
        found = Diagnostics::new();
        let span = Span::new(source, other.at.start, other.at.end);
        found.push(Diagnostic::error(Code::NOTATION, other.message).at(span, "").hint(other.hint));
    }
    found.sort();
    diagnostics.append(found);
    let LtlReader { formulas, assumptions, has_sections, strong_nexts, exprs, declared, .. } = reader;
    let is_listed = |name: &str| declared.contains(name) || is_proposition(name);
    unread::warn_of_ends(&exprs, text, !strong_nexts.is_empty(), &is_listed, diagnostics);
    let module =
        LtlModule { source, inputs, outputs, formulas, assumptions, has_sections, strong_nexts, exprs };
    Some(module)
}

/// The bounds of an operator: the first and the last step, if there is a last one.
fn read_bounds(op: UnaryOp, text: &str) -> Result<(u64, Option<u64>), &'static str> {
    let number = |digits: &str| digits.parse::<u64>().map_err(|_| "a bound does not fit 64 bits");
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (low, rest) = (number(&text[..digits])?, text[digits..].trim_start());
    let high = rest.trim_start_matches([':', '.', ',', 't', 'o']).trim();
    let is_step = matches!(op, UnaryOp::Next | UnaryOp::Yesterday | UnaryOp::WeakYesterday);
    match (is_step, rest.is_empty(), high) {
        _ if op == UnaryOp::Not => Err("`!` has no bounds"),
        (true, true, _) => Ok((low, Some(low))),
        (true, false, _) => Err("`X` and `Y` have one bound"),
        (false, true, _) => Err("bounds of another form"),
        (false, false, "" | "$" | "inf") => Ok((low, None)),
        (false, false, high) => Ok((low, Some(number(high)?))),
    }
}

/// A symbol of a row.
#[derive(Clone, Copy, Debug)]
enum RowKind {
    Operand(LtlId),
    Prefix(UnaryOp),
    Bounded(UnaryOp, u64, Option<u64>),
    Infix(BinaryOp),
}

/// Operands and operators between two brackets.
struct LtlRow {
    open: Option<Span>,
    tokens: Vec<(RowKind, Span)>,
}

impl LtlRow {
    fn expects_operand(&self) -> bool {
        !matches!(self.tokens.last(), Some((RowKind::Operand(_), _)))
    }
}

struct LtlReader<'a> {
    text: &'a str,
    source: SourceId,
    is_proposition: &'a dyn Fn(&str) -> bool,
    /// The names of the header lines.
    declared: FxHashSet<String>,
    exprs: LtlExprs,
    names: FxHashMap<&'a str, Arc<str>>,
    diagnostics: Diagnostics,
    errors: usize,
    /// Open rows, innermost last.
    rows: Vec<LtlRow>,
    formulas: Vec<LtlId>,
    assumptions: Vec<LtlId>,
    /// The open section: whether it is `assume`, and where it begins.
    section: Option<(bool, Span)>,
    has_sections: bool,
    strong_nexts: Vec<Span>,
    /// The number of consecutive prefix operators before the next operand.
    prefixes: usize,
    /// The words that are propositions as a whole.
    whole: FxHashSet<&'a str>,
    /// Words that were read as one operator and a proposition: where the word is, and the proposition.
    glued: Vec<(Span, &'a str)>,
}

impl<'a> LtlReader<'a> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, start, end)
    }
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
    fn row(&mut self) -> &mut LtlRow {
        self.rows.last_mut().expect("the outermost row stays")
    }
    fn hole(&mut self, span: Span) -> LtlId {
        self.exprs.push(span, LtlKind::Constant(true))
    }

    /// A line `// inputs: a, b` or `// outputs: c`.
    fn header(
        &mut self,
        comment: &std::ops::Range<usize>,
        inputs: &mut Option<Vec<Name>>,
        outputs: &mut Option<Vec<Name>>,
    ) {
        let Some(line) = self.text[comment.clone()].strip_prefix("//") else { return };
        // Header lines come before the first formula.
        let before = &self.text[..comment.start];
        if before.lines().any(|l| !l.trim().is_empty() && !l.trim_start().starts_with("//")) {
            return;
        }
        let Some((word, list)) = line.split_once(':') else { return };
        let target = match word.trim().to_lowercase().as_str() {
            "inputs" | "input" | "ins" => inputs,
            "outputs" | "output" | "outs" => outputs,
            _ => return,
        };
        let mut names = target.take().unwrap_or_default();
        let mut at = comment.end - list.len();
        for part in list.split(',') {
            let name = part.trim();
            let start = at + (part.len() - part.trim_start().len());
            let span = self.span(start, start + name.len());
            at += part.len() + 1;
            if name.is_empty() {
                continue;
            }
            let bare = name.strip_prefix('"').and_then(|n| n.strip_suffix('"')).unwrap_or(name);
            if bare.len() == name.len() && !is_one_name(name) {
                let hint = "names are separated by commas";
                self.error(Code::BAD_HEADER, span, format!("`{name}` is not one name"), "", hint);
            }
            names.push(Name { text: bare.into(), span });
        }
        *target = Some(names);
    }

    fn read(&mut self) {
        let text = self.text;
        let pairs = match grammar::LtlGrammar::parse(Rule::text, text) {
            Ok(mut pairs) => pairs.next().map(pest::iterators::Pair::into_inner),
            Err(_) => None,
        };
        // The end of a name that is several words.
        let mut end = 0;
        for pair in pairs.into_iter().flatten() {
            let at = pair.as_span();
            if at.start() < end {
                continue;
            }
            let span = self.span(at.start(), at.end());
            let word = pair.as_str();
            match pair.as_rule() {
                Rule::symbol => self.symbol(word, span),
                Rule::value => self.value(word, span),
                Rule::bounds => self.bounds(word, span),
                Rule::constant => {
                    let kind = LtlKind::Constant(matches!(word, "1" | "⊤"));
                    self.operand(kind, span);
                }
                Rule::word => match self.name_with_signs(at.start()) {
                    Some(name) => {
                        end = at.start() + name.len();
                        let span = self.span(at.start(), end);
                        self.proposition(name, span);
                    }
                    None => self.word(word, span),
                },
                Rule::quoted => {
                    let name = word[1..word.len() - 1].replace("\\\"", "\"").replace("\\\\", "\\");
                    if name.is_empty() {
                        self.error(Code::BAD_PROPOSITION, span, "a proposition without a name", "", "");
                    }
                    self.operand(LtlKind::Proposition(name.into()), span);
                }
                Rule::open => {
                    self.separate(span);
                    self.prefixes = 0;
                    self.rows.push(LtlRow { open: Some(span), tokens: Vec::new() });
                }
                Rule::close => self.close(span),
                Rule::semicolon => self.end_formulas(span),
                Rule::section => self.begin_section(word, span),
                Rule::section_end => self.end_section(span),
                Rule::EOI => {
                    self.end_formulas(span);
                    if let Some((_, begin)) = self.section {
                        let message = "this section is not closed: expected `}` before the end";
                        self.error(Code::NOT_CLOSED, begin, message, "opened here", "");
                    }
                }
                _ => self.unknown(word, span),
            }
        }
        if self.formulas.is_empty() && !self.diagnostics.has_errors() && self.errors == 0 {
            let at = self.span(0, 0);
            self.error(Code::NOTHING_STATED, at, "there is no formula", "expected a formula", "");
        }
    }

    fn begin_section(&mut self, word: &str, span: Span) {
        self.end_formulas(span);
        if let Some((_, begin)) = self.section {
            self.errors += 1;
            let error = Diagnostic::error(Code::NOT_CLOSED, "a section in a section: expected `}` before it");
            self.diagnostics.push(error.at(span, "a section begins here").at(begin, "the open one"));
        }
        self.section = Some((word.starts_with("assume"), span));
        self.has_sections = true;
    }

    fn end_section(&mut self, span: Span) {
        if self.section.is_none() && self.rows.len() == 1 {
            return self.unknown("}", span);
        }
        self.end_formulas(span);
        self.section = None;
    }

    fn unknown(&mut self, word: &str, span: Span) {
        let hint = match word {
            "{" | "}" => "group with parentheses; sections are `assume { .. }` and `guarantee { .. }`",
            "[" | "]" => {
                "bounds are `X[n]`, `F[n:m]`, `G[n:m]`, so `G[<=3]` is `G[0:3]`; always is `[]` without a blank, or `G`"
            }
            "?" => "write one implication for each case: `(c -> a) & (!c -> b)`",
            "\"" => "a proposition between double quotes ends on its line",
            "=" => {
                "a proposition is true or false, `a=1` or `a=0`: write one proposition for each other value"
            }
            "≤" | "≥" | "≠" | "<" | ">" => {
                "propositions are not compared here: write one proposition for each comparison"
            }
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                "a name that begins with a digit stands between double quotes"
            }
            _ => "",
        };
        let shown = if word == "\\" { word.to_owned() } else { word.escape_debug().to_string() };
        let quoted = signed_names::hint_at(self.text, span.start as usize);
        let hint = quoted.as_deref().unwrap_or(hint);
        self.error(Code::CHARACTER, span, format!("`{shown}` means nothing here"), "", hint);
    }

    fn symbol(&mut self, word: &str, span: Span) {
        let spelling = in_ascii(word);
        if let Some(row) = PREFIXES.iter().find(|row| row.1.contains(&spelling)) {
            return self.prefix(row.0, span);
        }
        if let Some(row) = INFIX.iter().find(|row| row.1.contains(&spelling)) {
            return self.infix(row.0, word, span);
        }
        let hint = "formulas are compared by `<->`; `a==1` is the proposition `a`, and `a==0` its negation";
        self.error(Code::NOTATION, span, format!("`{word}` is not an operator of LTL"), "", hint);
        self.infix(BinaryOp::Iff, word, span);
    }

    /// `=1` or `=0` after a proposition, which binds tighter than every operator.
    fn value(&mut self, word: &str, span: Span) {
        self.settle();
        let last = self.row().tokens.last().copied();
        let Some((RowKind::Operand(id), at)) = last.filter(|(kind, at)| match kind {
            RowKind::Operand(id) => {
                matches!(self.exprs.kind(*id), LtlKind::Proposition(_)) && self.exprs.span(*id) == *at
            }
            _ => false,
        }) else {
            let hint = "`a=1` is the proposition `a`, and `a=0` its negation; formulas are compared by `<->`";
            let message = format!("`{word}` stands after no proposition");
            return self.error(Code::SYNTAX, span, message, "expected a proposition before it", hint);
        };
        let whole = at.to(span);
        let is_false = word.ends_with('0') || word.to_lowercase().ends_with("false");
        let id = if is_false { self.exprs.push(whole, LtlKind::Unary(UnaryOp::Not, id)) } else { id };
        if let Some(last) = self.row().tokens.last_mut() {
            *last = (RowKind::Operand(id), whole);
        }
    }

    /// A word: an operator, a constant, a proposition, or operators glued to one of these.
    fn word(&mut self, word: &'a str, span: Span) {
        let mut rest = word;
        let mut start = span.start;
        loop {
            let at = Span { start, ..span };
            if self.declared.contains(rest) || (self.is_proposition)(rest) {
                return self.proposition(rest, at);
            }
            match rest {
                "true" | "True" | "TRUE" => return self.operand(LtlKind::Constant(true), at),
                "false" | "False" | "FALSE" => return self.operand(LtlKind::Constant(false), at),
                "not" => return self.prefix(UnaryOp::Not, at),
                _ => {}
            }
            if let Some(row) = INFIX.iter().find(|row| row.1.contains(&rest)) {
                if row.0.is_past() && self.row().expects_operand() {
                    return self.proposition(rest, at);
                }
                return self.infix(row.0, rest, at);
            }
            if start == span.start && self.follows_formula(at) {
                if let Some(op) = foreign::in_capitals(rest) {
                    return self.infix(op, rest, at);
                }
                if let Some((op, hint)) = foreign::infix(rest) {
                    let message = format!("`{rest}` is not an operator of LTL");
                    self.error(Code::NOTATION, at, message, "", hint);
                    return self.infix(op, rest, at);
                }
                if let Some(op) = self.glued_infix(rest, at) {
                    self.infix(op, &rest[..1], Span { end: start + 1, ..at });
                    (rest, start) = (&rest[1..], start + 1);
                    continue;
                }
            }
            // Past operators are not glued to others.
            let past = PREFIXES.iter().find(|row| row.0.is_past() && row.1.contains(&rest));
            if let Some(row) = past.filter(|_| start == span.start) {
                return self.prefix(row.0, at);
            }
            let mut chars = rest.chars();
            let op = match chars.next() {
                Some('X') => UnaryOp::Next,
                Some('F') => UnaryOp::Finally,
                Some('G') => UnaryOp::Globally,
                _ => return self.undeclared(word, rest, at),
            };
            if chars.next().is_some_and(|c| c.is_ascii_digit()) {
                return self.undeclared(word, rest, at);
            }
            self.prefix(op, Span { end: start + 1, ..at });
            (rest, start) = (&rest[1..], start + 1);
            if rest.is_empty() {
                return;
            }
        }
    }

    /// The name from here on that has signs in it, `at(r1)`, if a list has exactly this name.
    fn name_with_signs(&self, start: usize) -> Option<&'a str> {
        let name = signed_names::from(self.text, start)?;
        (self.declared.contains(name) || (self.is_proposition)(name)).then_some(name)
    }

    /// Whether a formula ends before `at` on the same line.
    fn follows_formula(&mut self, at: Span) -> bool {
        let text = self.text;
        match self.row().tokens.last() {
            Some((RowKind::Operand(_), last)) => {
                text.get(last.end as usize..at.start as usize).is_some_and(|between| !between.contains('\n'))
            }
            _ => false,
        }
    }

    /// The infix operator with which a word after a formula begins: in `(a)Ub`, and after a blank if what is left of the
    /// word is one letter or occurs elsewhere.
    fn glued_infix(&mut self, word: &str, at: Span) -> Option<BinaryOp> {
        let op = match word.as_bytes().first()? {
            b'U' => BinaryOp::Until,
            b'R' | b'V' => BinaryOp::Release,
            b'W' => BinaryOp::WeakUntil,
            b'M' => BinaryOp::StrongRelease,
            _ => return None,
        };
        let rest = &word[1..];
        if rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let touches = self.row().tokens.last().is_some_and(|(_, last)| last.end == at.start);
        let is_known = || {
            self.declared.contains(rest)
                || (self.is_proposition)(rest)
                || self.names.contains_key(rest)
                || rest.chars().count() == 1
        };
        (touches || is_known()).then_some(op)
    }

    /// Replaces a proposition before an operand by the prefix operator that it denotes in other notations: `always (a)`.
    fn reads_as_prefix(&mut self) -> bool {
        let text = self.text;
        let Some(&(RowKind::Operand(id), at)) = self.row().tokens.last() else { return false };
        let Some(word) = text.get(at.range()) else { return false };
        if !matches!(self.exprs.kind(id), LtlKind::Proposition(name) if &**name == word)
            || self.declared.contains(word)
            || (self.is_proposition)(word)
        {
            return false;
        }
        let op = match (word, foreign::prefix(word)) {
            ("NOT", _) => UnaryOp::Not,
            (_, Some((op, hint))) => {
                let message = format!("`{word}` is not an operator of LTL");
                self.error(Code::NOTATION, at, message, "", hint);
                op
            }
            _ => return false,
        };
        if let Some(last) = self.row().tokens.last_mut() {
            *last = (RowKind::Prefix(op), at);
        }
        self.prefixes += 1;
        true
    }

    /// A proposition that no list names: all of `word`, or what is left of it after operators.
    fn undeclared(&mut self, word: &'a str, rest: &'a str, span: Span) {
        let operators = word.len() - rest.len();
        if operators == 0 {
            let is_new = self.whole.insert(word);
            if let ("tt" | "ff", true) = (word, is_new) {
                let constant = if word == "tt" { "true" } else { "false" };
                let warning = format!("`{word}` is a proposition here, not a constant");
                self.diagnostics.push(
                    Diagnostic::warning(Code::LIKE_A_CONSTANT, warning)
                        .at(span, "read as a proposition")
                        .hint(format!("did you mean `{constant}`?")),
                );
            }
        } else if operators == 1 && rest.chars().filter(|c| c.is_alphabetic()).nth(1).is_some() {
            self.glued.push((Span { start: span.start - 1, ..span }, rest));
        }
        self.proposition(rest, span);
    }

    /// Warns of words such as `Green`, which are read as an operator and a proposition that occurs nowhere else.
    fn warn_of_glued_names(&mut self) {
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        for (span, rest) in std::mem::take(&mut self.glued) {
            let Some(word) = self.text.get(span.range()) else { continue };
            if self.whole.contains(rest) || !seen.insert(word) {
                continue;
            }
            let message = format!("`{word}` is read as `{} {rest}`", &word[..1]);
            self.diagnostics.push(
                Diagnostic::warning(Code::GLUED_NAME, message)
                    .at(span, "an operator and a proposition")
                    .hint(format!(
                        "if it is a name, list it with the inputs or outputs (`--outs {word}`), or write `\"{word}\"`"
                    ))
                    .hint("if it is an operator, a blank after it says so"),
            );
        }
    }

    fn proposition(&mut self, word: &'a str, span: Span) {
        let name = self.names.entry(word).or_insert_with(|| Arc::from(word)).clone();
        self.operand(LtlKind::Proposition(name), span);
    }

    /// Called before an operand: ends the previous formula if that is on an earlier line.
    fn separate(&mut self, span: Span) {
        if self.row().expects_operand() {
            return;
        }
        let last = self.row().tokens.last().map_or(span, |t| t.1);
        let between = &self.text[last.end as usize..(span.start as usize).max(last.end as usize)];
        if between.contains('\n') {
            return self.end_formulas(span);
        }
        if self.reads_as_prefix() {
            return;
        }
        let quoted = signed_names::hint_at(self.text, span.start as usize);
        let hint =
            quoted.as_deref().unwrap_or("formulas stand on lines of their own or have `;` between them");
        self.error(Code::MISSING_OPERATOR, span, "expected an operator between two formulas", "", hint);
        self.row().tokens.push((RowKind::Infix(BinaryOp::And), Span { end: span.start, ..span }));
    }

    fn operand(&mut self, kind: LtlKind, span: Span) {
        self.separate(span);
        self.prefixes = 0;
        let id = self.exprs.push(span, kind);
        self.row().tokens.push((RowKind::Operand(id), span));
    }

    fn prefix(&mut self, op: UnaryOp, span: Span) {
        self.separate(span);
        self.prefixes += 1;
        match self.prefixes {
            n if n <= MAX_NESTING => self.row().tokens.push((RowKind::Prefix(op), span)),
            n if n == MAX_NESTING + 1 => {
                self.errors += 1;
                self.diagnostics.push(too_deep(span, "prefix operators are"));
            }
            _ => {}
        }
    }

    /// Called before an operator or an end: turns a past operator without an operand into a proposition of that name.
    fn settle(&mut self) {
        let text = self.text;
        let Some(&(RowKind::Prefix(op), at)) = self.row().tokens.last() else { return };
        if op.is_past()
            && let Some(word) = text.get(at.range())
        {
            self.row().tokens.pop();
            self.proposition(word, at);
        }
    }

    fn infix(&mut self, op: BinaryOp, word: &str, span: Span) {
        self.settle();
        self.prefixes = 0;
        if self.row().expects_operand() {
            let message = format!("`{word}` lacks its left side");
            self.error(Code::MISSING_OPERAND, span, message, "expected a formula before it", "");
            let at = Span { end: span.start, ..span };
            let hole = self.hole(at);
            self.row().tokens.push((RowKind::Operand(hole), at));
        }
        self.row().tokens.push((RowKind::Infix(op), span));
    }

    fn bounds(&mut self, word: &str, span: Span) {
        let inner = word[1..word.len() - 1].trim();
        let Some((RowKind::Prefix(op), at)) = self.row().tokens.last().copied() else {
            let quoted = signed_names::hint_at(self.text, span.start as usize);
            let hint = quoted.as_deref().unwrap_or("bounds follow `X`, `F`, `G`, `Y`, `Z`, `O` or `H`");
            return self.error(Code::BAD_BOUNDS, span, "these bounds belong to no operator", "", hint);
        };
        let unmarked = inner.trim_matches('!').trim();
        if unmarked.len() < inner.len() {
            // On infinite words strong operators are the others.
            if op.is_past() || unmarked.is_empty() && op != UnaryOp::Next {
                let hint = "strong are `X[!]`, `X[n!]`, `F[n:m!]` and `G[n:m!]`";
                return self.error(Code::BAD_BOUNDS, span, "bounds that cannot be strong", "", hint);
            }
            self.strong_nexts.push(at);
        }
        if unmarked.is_empty() {
            return;
        }
        let hint = "write `X[n]`, `F[n:m]`, `G[n:m]`";
        match read_bounds(op, unmarked) {
            Ok((low, high)) => {
                if let Some(last) = self.row().tokens.last_mut() {
                    *last = (RowKind::Bounded(op, low, high), at.to(span));
                }
            }
            Err(message) => self.error(Code::BAD_BOUNDS, span, message, "", hint),
        }
    }

    fn close(&mut self, span: Span) {
        self.settle();
        if self.rows.len() == 1 {
            return self.error(Code::NOT_OPENED, span, "`)` without its `(`", "closes nothing", "");
        }
        let Some(row) = self.rows.pop() else { return };
        let whole = row.open.unwrap_or(span).to(span);
        let id = if row.tokens.is_empty() {
            let hint = "next is `X`, or `()` without a blank";
            self.error(Code::EMPTY_FORMULA, whole, "nothing stands between these parentheses", "", hint);
            self.hole(whole)
        } else {
            self.build(row.tokens)
        };
        self.prefixes = 0;
        self.row().tokens.push((RowKind::Operand(id), whole));
    }

    /// Ends the formula before `at`, with all its brackets.
    fn end_formulas(&mut self, at: Span) {
        let opens: Vec<Span> = self.rows.iter().filter_map(|r| r.open).collect();
        if let Some(last) = opens.last() {
            let found = self.text.get(at.range()).filter(|t| !t.is_empty());
            let found = found.map_or("the end of the text".to_owned(), |t| format!("`{t}`"));
            let mut error = Diagnostic::error(
                Code::NOT_CLOSED,
                match opens.len() {
                    1 => format!("`(` is not closed: expected `)` before {found}"),
                    n => format!("{n} brackets are not closed: expected `)` before {found}"),
                },
            )
            .at(at, "expected `)`")
            .at(*last, "opened here");
            if opens.len() > 1 {
                error = error.at(opens[0], "opened here");
            }
            self.errors += 1;
            self.diagnostics.push(error);
            self.rows.truncate(1);
            self.row().tokens.clear();
            return;
        }
        self.settle();
        self.refuse_unread_word(at);
        let tokens = std::mem::take(&mut self.row().tokens);
        self.prefixes = 0;
        if !tokens.is_empty() {
            let formula = self.build(tokens);
            match self.section {
                Some((true, _)) => self.assumptions.push(formula),
                _ => self.formulas.push(formula),
            }
        }
    }

    /// Refuses a word such as `always` at the end of a formula, before `at`, that no list names.
    fn refuse_unread_word(&mut self, at: Span) {
        let text = self.text;
        let Some(&(RowKind::Operand(id), last)) = self.row().tokens.last() else { return };
        let (word, next) = (&text[last.range()], text.get(at.range()).unwrap_or_default());
        let is_bare = matches!(self.exprs.kind(id), LtlKind::Proposition(name) if &**name == word);
        if !is_bare || self.declared.contains(word) || (self.is_proposition)(word) {
            return;
        }
        let is_alone = self.row().tokens.len() == 1;
        let place = unread::Place {
            is_alone,
            is_last: matches!(next, ";" | "}" | ""),
            heads_section: is_alone
                && next.ends_with('{')
                && !text[last.end as usize..at.start as usize].contains('\n'),
        };
        if let Some(hint) = unread::hint(word, place) {
            let message = format!("`{word}` is neither an input nor an output");
            self.error(Code::UNKNOWN_PROPOSITION, last, message, "used here", &hint);
        }
    }

    /// The tree of a row.
    fn build(&mut self, mut tokens: Vec<(RowKind, Span)>) -> LtlId {
        match tokens.last() {
            Some((RowKind::Operand(_), _)) | None => {}
            Some(&(kind, span)) => {
                let word = self.text.get(span.range()).unwrap_or("").to_owned();
                let message = match kind {
                    RowKind::Infix(_) => format!("`{word}` lacks its right side"),
                    _ => format!("`{word}` lacks its formula"),
                };
                let hint = match kind {
                    RowKind::Infix(op) if op.is_past() => {
                        format!(
                            "`{word}` is the past operator {}; a proposition of this name is `\"{word}\"`",
                            if word == "S" { "since" } else { "triggered" }
                        )
                    }
                    _ => String::new(),
                };
                self.error(Code::MISSING_OPERAND, span, message, "expected a formula after it", &hint);
                let hole = self.hole(span);
                tokens.push((RowKind::Operand(hole), span));
            }
        }
        let symbols = tokens.iter().map(|(kind, _)| match kind {
            RowKind::Operand(_) => RowSymbol::Operand,
            RowKind::Prefix(_) | RowKind::Bounded(..) => RowSymbol::Prefix(PREFIX),
            RowKind::Infix(op) => {
                let row = INFIX.iter().find(|row| row.0 == *op);
                row.map_or(RowSymbol::Operand, |row| RowSymbol::Infix(row.2, row.3))
            }
        });
        // Each node with its span, parentheses around it included, which the tree does not keep.
        let mut built: Vec<(LtlId, Span)> = Vec::new();
        for node in shunting_yard(symbols) {
            let (place, children) = match node {
                OperatorNode::Operand(place) => (place, vec![]),
                OperatorNode::Prefix(place, a) => (place, vec![built[a as usize]]),
                OperatorNode::Infix(place, a, b) => (place, vec![built[a as usize], built[b as usize]]),
            };
            let (kind, at) = tokens[place as usize];
            let span = children.iter().fold(at, |s, c| s.to(c.1));
            let id = match (kind, &children[..]) {
                (RowKind::Operand(id), _) => id,
                (RowKind::Prefix(op), [a]) => self.exprs.push(span, LtlKind::Unary(op, a.0)),
                (RowKind::Bounded(op, low, high), [body]) => {
                    self.exprs.push(span, LtlKind::Bounded { op, low, high, body: body.0 })
                }
                (RowKind::Infix(op), [a, b]) => self.exprs.push(span, LtlKind::Binary(op, a.0, b.0)),
                _ => unreachable!("nodes have as many children as their operators"),
            };
            built.push((id, span));
        }
        built.last().expect("a row has a root").0
    }
}
