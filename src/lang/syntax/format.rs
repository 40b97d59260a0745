//! The layout of `tsl-synth fmt`: blanks, indentation and blank lines are canonical; line breaks and comments of the
//! author are kept.
//!
//! The formatter works on words, not on trees, so nothing that the author wrote is lost. The tree only determines which
//! parentheses belong to calls, and where a text of another dialect needs more parentheses to have the same tree in
//! ours.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{ApplicationStyle, ExprId, ExprKind, Item, Module};
use super::parse_tsl;
use super::print::{level_of, operands};
use super::tsl::{Rule, lexemes};
use super::tslmt::is_tsl_mt;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_ltl::operators::reserved_word;
use tsl_synth_ltl::scan::scan;

/// Formats a TSL file; text of another dialect is printed in ours. Formatting twice changes nothing more, and
/// the result reads as the same module. `None` if the file has errors, which are added to `diagnostics`.
pub fn format_tsl(
    map: &SourceMap,
    source: SourceId,
    dialect: Dialect,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    if is_tsl_mt(&map.get(source).name) {
        let message = "texts of TSL modulo theories (`.tslmt`) have no standard layout here";
        let hint = "`tsl-synth convert FILE.tslmt -o FILE.tsl` rewrites one as TSL, which has";
        diagnostics.push(Diagnostic::error(Code::NOT_EXPRESSIBLE, message).hint(hint));
        return None;
    }
    let mut found = Diagnostics::new();
    let Some(module) = parse_tsl(map, source, dialect, &mut found) else {
        diagnostics.append(found);
        return None;
    };
    let text = map.get(source).text.as_str();
    let words = words(text, source)?;
    let marks = TreeMarks::of(&module, &words, dialect);
    let mut layout = FormatWriter::new(dialect, marks);
    for index in 0..words.len() {
        layout.word(&words, index);
    }
    Some(layout.finish())
}

/// The kinds of words that the layout distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordClass {
    LineComment,
    BlockComment,
    Theory,
    Keyword,
    Name,
    Number,
    Text,
    /// Operators, separators and brackets.
    Sign,
}

/// A word of the text.
struct FormatWord<'a> {
    class: WordClass,
    text: &'a str,
    start: usize,
    /// Line breaks before it.
    breaks: usize,
}

impl FormatWord<'_> {
    fn is_comment(&self) -> bool {
        matches!(self.class, WordClass::LineComment | WordClass::BlockComment)
    }
}

/// The words and comments of a text in order.
fn words(text: &str, source: SourceId) -> Option<Vec<FormatWord<'_>>> {
    let at = Span::new(source, 0, text.len());
    let comments = scan(text, at, true, &mut Diagnostics::new())?.comments;
    let mut all: Vec<(WordClass, std::ops::Range<usize>)> = Vec::new();
    for range in comments {
        let line = text[range.clone()].starts_with("//");
        all.push((if line { WordClass::LineComment } else { WordClass::BlockComment }, range));
    }
    for (rule, range) in lexemes(text)? {
        let class = match rule {
            Rule::theory => WordClass::Theory,
            Rule::word => WordClass::Keyword,
            Rule::name => WordClass::Name,
            Rule::number => WordClass::Number,
            Rule::string => WordClass::Text,
            _ => WordClass::Sign,
        };
        all.push((class, range));
    }
    all.sort_by_key(|(_, range)| range.start);
    let mut words = Vec::with_capacity(all.len());
    let mut end = 0;
    for (class, range) in all {
        let breaks = text[end..range.start].matches('\n').count();
        end = range.end;
        let text = text[range.clone()].trim_end();
        words.push(FormatWord { class, text, start: range.start, breaks });
    }
    Some(words)
}

/// Positions in the text that depend on the tree.
#[derive(Default)]
struct TreeMarks {
    /// Opening brackets without a blank before them: those of calls, bounds and binders.
    glued: FxHashSet<usize>,
    /// Ends of the numbers of `F within n f` and `G for n f`, after which an operand follows.
    counts: FxHashSet<usize>,
    /// The number of parentheses to add before the word at a position.
    opens: FxHashMap<usize, usize>,
    /// The number of parentheses to add after the word that ends at a position.
    closes: FxHashMap<usize, usize>,
}

impl TreeMarks {
    fn of(module: &Module, words: &[FormatWord<'_>], dialect: Dialect) -> Self {
        let mut marks = Self::default();
        let exprs = &module.exprs;
        let mut todo: Vec<ExprId> = Vec::new();
        for item in &module.items {
            match item {
                Item::Section(s) => todo.extend(s.clauses.iter().chain(&s.after)),
                Item::Definition(d) => {
                    for alternative in &d.alternatives {
                        todo.push(alternative.body);
                        if let super::ast::AlternativeGuard::When(guard) = alternative.guard {
                            todo.push(guard);
                        }
                    }
                }
                Item::Declaration(d) => {
                    todo.extend(d.init.iter().chain(d.widths.iter().flatten()));
                    let widths = d.names.iter().zip(&d.widths).filter(|(_, width)| width.is_some());
                    for (name, _) in widths {
                        let from = words.partition_point(|w| w.start < name.span.end as usize);
                        marks.glued.extend(words[from..].iter().find(|w| w.text == "[").map(|w| w.start));
                    }
                }
                Item::Import(_) => {}
            }
        }
        let mut needs = Vec::new();
        while let Some(id) = todo.pop() {
            let kind = exprs.kind(id);
            if let ExprKind::Timed { count, .. } = kind {
                marks.counts.insert(exprs.span(*count).end as usize);
            }
            let bracket = match kind {
                ExprKind::Apply { function, style: ApplicationStyle::Call, .. } => {
                    Some((exprs.span(*function).end, "("))
                }
                ExprKind::Bounded { .. } | ExprKind::Big { .. } => Some((exprs.span(id).start, "[")),
                ExprKind::BoundedBinary { left, .. } => Some((exprs.span(*left).end, "[")),
                ExprKind::Index { name_span, .. }
                | ExprKind::Update { cell_span: name_span, index: Some(_), .. } => Some((name_span.end, "[")),
                _ => None,
            };
            if let Some((after, bracket)) = bracket {
                let from = words.partition_point(|w| w.start < after as usize);
                let open = words[from..].iter().find(|w| w.text == bracket);
                marks.glued.extend(open.map(|w| w.start));
            }
            needs.clear();
            // A text in our dialect needs no more parentheses.
            if dialect != Dialect::TslSynth {
                operands(kind, &mut needs);
            }
            for &(operand, level) in &needs {
                if level_of(exprs.kind(operand)) < level {
                    let span = exprs.span(operand);
                    *marks.opens.entry(span.start as usize).or_default() += 1;
                    *marks.closes.entry(span.end as usize).or_default() += 1;
                }
            }
            exprs.for_each_child(id, |child| todo.push(child));
        }
        marks
    }
}

/// The context of the next word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordContext {
    /// Between items.
    Top,
    /// In a definition or declaration.
    Line { declaration: bool },
    /// In an import, after this many words.
    Import(u8),
    /// Between the first word of a section and its brace.
    Header,
    /// In a section, between clauses.
    Body,
    /// In a clause.
    Clause,
}

/// The text that is being written.
#[expect(clippy::struct_excessive_bools, reason = "each is one fact about the last word")]
struct FormatWriter {
    out: String,
    dialect: Dialect,
    marks: TreeMarks,
    place: WordContext,
    /// Open brackets of the item or clause.
    open: Vec<char>,
    /// The number of open `|` of sizes `|S|`.
    sizes: usize,
    /// The last word that is not a comment.
    last: String,
    /// Whether an operand is expected after that word.
    operand_next: bool,
    /// Whether the next word must be on a new line, because a line comment or the theory was written last.
    must_break: bool,
    /// The end in `out` of the last word that is not a comment.
    last_end: usize,
    /// Whether the last item was a section.
    after_section: bool,
    /// Whether a prefix sign was written last, which has no blank after it.
    tight: bool,
}

/// The width of one step of indentation.
const STEP: usize = 2;

impl FormatWriter {
    fn new(dialect: Dialect, marks: TreeMarks) -> Self {
        Self {
            out: String::new(),
            dialect,
            marks,
            place: WordContext::Top,
            open: Vec::new(),
            sizes: 0,
            last: String::new(),
            operand_next: true,
            must_break: false,
            last_end: 0,
            after_section: false,
            tight: false,
        }
    }

    fn finish(mut self) -> String {
        self.out.truncate(self.out.trim_end().len());
        self.out.push('\n');
        self.out
    }

    /// Begins a new line, with at most one empty line before it.
    fn line(&mut self, indent: usize, blank: bool) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        if !self.out.is_empty() {
            if !self.out.ends_with('\n') {
                self.out.push('\n');
            }
            if blank && !self.out.ends_with("\n\n") {
                self.out.push('\n');
            }
        }
        self.out.push_str(&" ".repeat(indent));
        self.must_break = false;
    }

    /// The indentation of a line that begins with `text`.
    fn indent(&self, text: &str) -> usize {
        let closing = usize::from(matches!(text, ")" | "]" | "}"));
        let depth = self.open.len().saturating_sub(closing);
        match self.place {
            WordContext::Top => 0,
            WordContext::Body => STEP,
            WordContext::Clause => 2 * STEP + STEP * depth,
            WordContext::Line { .. } | WordContext::Header | WordContext::Import(_) => STEP + STEP * depth,
        }
    }

    fn word(&mut self, words: &[FormatWord<'_>], index: usize) {
        let word = &words[index];
        if word.is_comment() {
            return self.comment(words, index);
        }
        let next = words[index + 1..].iter().find(|w| !w.is_comment());
        self.enter(word, words, index);
        self.separate(word);
        for _ in 0..self.marks.opens.get(&word.start).copied().unwrap_or(0) {
            self.out.push('(');
            self.open.push('(');
        }
        self.out.push_str(match word.text {
            "֋" | "←" => "<-",
            text => text,
        });
        let closes = self.marks.closes.get(&(word.start + word.text.len())).copied().unwrap_or(0);
        self.out.push_str(&")".repeat(closes));
        self.last_end = self.out.len();
        self.leave(word, next);
        self.open.truncate(self.open.len().saturating_sub(closes));
    }

    /// Begins a new line before a word that begins an item or a clause, or ends a section.
    fn enter(&mut self, word: &FormatWord<'_>, words: &[FormatWord<'_>], index: usize) {
        let own_line = index > 0 && words[index - 1].is_comment();
        match self.place {
            WordContext::Top => {
                let section = word.class == WordClass::Keyword;
                let blank = (section || self.after_section) && !own_line;
                self.line(0, blank || word.breaks > 1);
                self.after_section = false;
                self.open.clear();
                self.operand_next = true;
                self.place = match (word.class, word.text) {
                    (WordClass::Keyword, _) => WordContext::Header,
                    (WordClass::Name, "import") => WordContext::Import(0),
                    (WordClass::Theory, _) => WordContext::Top,
                    _ => WordContext::Line { declaration: Self::is_declaration(words, index) },
                };
                self.last.clear();
            }
            WordContext::Body if word.text == "}" => self.line(0, false),
            WordContext::Body => {
                let first = self.last == "{";
                self.line(STEP, word.breaks > 1 && !first);
                self.place = WordContext::Clause;
                self.open.clear();
                self.operand_next = true;
                self.last.clear();
            }
            WordContext::Clause if word.text == "}" && self.open.is_empty() => {
                // The last formula of a section may come without its semicolon.
                self.out.insert(self.last_end, ';');
                self.place = WordContext::Body;
                self.line(0, false);
            }
            _ => {}
        }
    }

    /// Whether the item that begins here is a declaration.
    fn is_declaration(words: &[FormatWord<'_>], index: usize) -> bool {
        let mut rest = words[index..].iter().filter(|w| !w.is_comment());
        let kinds = ["input", "output", "cell", "predicate", "function"];
        let modifiers = ["saturating", "wrapping", "noisy"];
        let first = rest.find(|w| !modifiers.contains(&w.text));
        first.is_some_and(|w| kinds.contains(&w.text))
            && rest.next().is_some_and(|w| w.class == WordClass::Name)
    }

    /// Puts a break, a blank or nothing before a word.
    fn separate(&mut self, word: &FormatWord<'_>) {
        let begins = self.last.is_empty() || self.out.is_empty() || self.place == WordContext::Body;
        if begins {
            return;
        }
        let sticks =
            matches!(word.text, ";" | ",") || (word.text == "{" && self.place == WordContext::Header);
        if self.must_break
            || (word.breaks > 0
                && !sticks
                && !matches!(self.place, WordContext::Import(_) | WordContext::Header))
        {
            let indent = self.indent(word.text);
            self.line(indent, false);
            return;
        }
        if self.blank_before(word) {
            self.out.push(' ');
        }
    }

    /// Whether there is a blank between the last word and this one on the same line.
    fn blank_before(&self, word: &FormatWord<'_>) -> bool {
        let last = self.last.as_str();
        let declaration = self.place == WordContext::Line { declaration: true };
        if self.tight {
            return false;
        }
        match word.text {
            "," | ";" | ")" | "]" | "}" | ".." => false,
            ":" if self.open.last() == Some(&'[') || declaration => false,
            "(" | "[" if self.marks.glued.contains(&word.start) => false,
            "|" if self.sizes > 0 && !self.operand_next => false,
            _ => match last {
                "(" | "[" | ".." => false,
                "{" => self.open.last() != Some(&'{'),
                ":" => self.open.last() != Some(&'['),
                _ => true,
            },
        }
    }

    /// Updates the state of the writer after a word.
    fn leave(&mut self, word: &FormatWord<'_>, next: Option<&FormatWord<'_>>) {
        word.text.clone_into(&mut self.last);
        self.tight = false;
        let operand_before = !self.operand_next;
        match (word.class, word.text) {
            (WordClass::Theory, _) => {
                self.must_break = true;
                self.place = WordContext::Top;
                return;
            }
            (WordClass::Sign, "(" | "[" | "{") if self.place == WordContext::Header && word.text == "{" => {
                self.place = WordContext::Body;
                return;
            }
            (WordClass::Sign, "(" | "[" | "{") => {
                self.open.extend(word.text.chars());
                self.operand_next = true;
            }
            (WordClass::Sign, "}") if self.place == WordContext::Body => {
                self.place = WordContext::Top;
                self.after_section = true;
                return;
            }
            (WordClass::Sign, ")" | "]" | "}") => {
                self.open.pop();
                self.operand_next = false;
            }
            (WordClass::Sign, ";") => {
                self.place = match self.place {
                    WordContext::Clause | WordContext::Body => WordContext::Body,
                    _ => WordContext::Top,
                };
                self.sizes = 0;
                return;
            }
            (WordClass::Sign, "|") => {
                if operand_before {
                    self.sizes = self.sizes.saturating_sub(1);
                    self.operand_next = false;
                } else {
                    self.sizes += 1;
                    self.tight = true;
                }
            }
            (WordClass::Sign, "⊤" | "⊥") => self.operand_next = false,
            (WordClass::Sign, "!" | "¬" | "-" | "+") if !operand_before => {
                self.tight = word.text != "+" || next.is_some_and(|n| n.class == WordClass::Number);
            }
            (WordClass::Sign, _) => self.operand_next = true,
            (WordClass::Name, text) => {
                let is_operator =
                    reserved_word(text).is_some() && !(text == "M" && self.dialect != Dialect::TslSynth);
                // `Real in -40..125`
                self.operand_next = is_operator
                    || text == "in" && matches!(self.place, WordContext::Line { declaration: true });
            }
            _ => self.operand_next = false,
        }
        self.operand_next |= self.marks.counts.contains(&(word.start + word.text.len()));
        if let WordContext::Import(n) = self.place {
            // `import "path" as Mod` has four words and, perhaps, a semicolon.
            // A library may come without `as Mod`.
            let is_short = n == 1 && word.class == WordClass::Name && next.is_none_or(|w| w.text != "as");
            let done = (n == 3 || is_short) && next.is_none_or(|w| w.text != ";");
            self.place = if done { WordContext::Top } else { WordContext::Import(n + 1) };
        }
    }

    fn comment(&mut self, words: &[FormatWord<'_>], index: usize) {
        let word = &words[index];
        let fresh = self.out.is_empty();
        let first_of_file = index == 0;
        let inside = matches!(
            self.place,
            WordContext::Line { .. } | WordContext::Clause | WordContext::Header | WordContext::Import(_)
        );
        if fresh {
            // The comment is the first word of the output.
        } else if word.breaks > 0 || self.must_break {
            let in_run = index > 0 && words[index - 1].is_comment();
            let next = words[index..].iter().find(|w| !w.is_comment());
            let section = next.is_some_and(|w| w.class == WordClass::Keyword);
            let apart = self.place == WordContext::Top && !in_run && (section || self.after_section);
            let first = self.place == WordContext::Body && self.last == "{" && !in_run;
            let indent = self.indent(if inside { "" } else { word.text });
            self.line(indent, (apart || word.breaks > 1) && !first && !inside);
        } else if !first_of_file && !self.out.ends_with([' ', '\n']) && !self.tight {
            self.out.push(' ');
        }
        let text = word.text.replace('\r', "");
        let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
        self.out.push_str(&lines.join("\n"));
        self.must_break = word.class == WordClass::LineComment;
        if word.class == WordClass::BlockComment && self.tight {
            self.out.push(' ');
        }
    }
}
