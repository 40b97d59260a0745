//! A reader of formulas of LTL in Spot's syntax, and of files of them. It shares no code with that of tsl-synth. The stack of
//! operators is a vector, so nesting is limited by memory only.
//!
//! Not read, and refused by name: past operators (`Y Z O H S T`), strong bounds (`X[!]`).

use crate::contract::{Contract, Role, Signals};
use crate::formula::{Arena, Formula};
use crate::syntax::{Binary, Syntax, Tree, Unary, Written};

/// Most steps of a bound such as `X[n]`.
const MOST_STEPS: u64 = 10_000;

/// A text that was not read: the line, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The line, from 1.
    pub line: usize,
    /// Why.
    pub why: String,
    /// Whether the text may be right and is only beyond this reader.
    pub is_beyond: bool,
}

impl Unread {
    /// An error of the text.
    pub fn new(line: usize, why: impl Into<String>) -> Self {
        Self { line, why: why.into(), is_beyond: false }
    }

    /// Something that this reader does not know.
    pub fn beyond(line: usize, why: impl Into<String>) -> Self {
        Self { line, why: why.into(), is_beyond: true }
    }
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Unary(Unary, Option<(u64, Option<u64>)>),
    Binary(Binary),
    Constant(bool),
    Name(String),
    /// `=0` or `=1` after a name
    Value(bool),
    Open,
    Close,
    End,
    Section(Role),
    CloseSection,
}

impl Token {
    fn begins_operand(&self) -> bool {
        matches!(self, Self::Unary(..) | Self::Constant(_) | Self::Name(_) | Self::Open)
    }
}

/// The text without comments, which become blanks; and the comments.
pub(crate) fn without_comments(text: &str) -> Result<(String, Vec<String>), Unread> {
    let chars: Vec<char> = text.chars().collect();
    let (mut out, mut comments, mut i, mut depth, mut quoted) = (String::new(), Vec::new(), 0, 0u32, false);
    let mut line = 1;
    while let Some(&c) = chars.get(i) {
        let next = chars.get(i + 1).copied();
        line += usize::from(c == '\n');
        if depth == 0 && quoted {
            out.push(c);
            if c == '\\'
                && let Some(next) = next
            {
                out.push(next);
                i += 1;
            }
            quoted = c != '"';
        } else if c == '/' && next == Some('*') {
            depth += 1;
            i += 1;
        } else if depth > 0 && c == '*' && next == Some('/') {
            depth -= 1;
            i += 1;
            out.push(' ');
        } else if depth > 0 {
            out.push(if c == '\n' { c } else { ' ' });
        } else if c == '/' && next == Some('/') {
            let comment: String = chars[i + 2..].iter().take_while(|&&c| c != '\n').collect();
            i += 1 + comment.chars().count();
            comments.push(comment);
        } else {
            quoted = c == '"';
            out.push(c);
        }
        i += 1;
    }
    if depth > 0 { Err(Unread::new(line, "a comment is not closed")) } else { Ok((out, comments)) }
}

struct Scanner<'a> {
    chars: Vec<char>,
    at: usize,
    line: usize,
    is_name: &'a dyn Fn(&str) -> bool,
    /// The line of the formula that ends before this place, if there is one: an operator follows.
    whole: Option<usize>,
}

/// Longer ones stand before those that they begin with.
const SYMBOLS: &[(&[&str], Token)] = &[
    (&["<-->", "<==>", "<->", "<=>", "↔", "⇔"], Token::Binary(Binary::Iff)),
    (&["-->", "==>", "->", "=>", "→", "⇒"], Token::Binary(Binary::Implies)),
    (&["<>", "◇", "⋄", "♢", "◊", "⬦", "𝐅", "𝖥", "𝗙"], Token::Unary(Unary::Finally, None)),
    (&["[]", "□", "◻", "⬜", "𝐆", "𝖦", "𝗚"], Token::Unary(Unary::Globally, None)),
    (&["()", "○", "◯", "𝐗", "𝖷", "𝗫"], Token::Unary(Unary::Next, None)),
    (&["&&", "/\\", "&", "*", "∧"], Token::Binary(Binary::And)),
    (&["||", "\\/", "|", "+", "∨"], Token::Binary(Binary::Or)),
    (&["^", "⊕"], Token::Binary(Binary::Xor)),
    (&["!", "~", "¬"], Token::Unary(Unary::Not, None)),
    (&["("], Token::Open),
    (&[")"], Token::Close),
    (&[";"], Token::End),
    (&["}"], Token::CloseSection),
    (&["⊤"], Token::Constant(true)),
    (&["⊥"], Token::Constant(false)),
];

fn starts_word(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '.' || c == '@'
}

impl Scanner<'_> {
    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    fn skip_blanks(&mut self) {
        while let Some(&c) = self.chars.get(self.at).filter(|c| c.is_whitespace() || **c == '\u{FEFF}') {
            self.line += usize::from(c == '\n');
            self.at += 1;
        }
    }

    fn next(&mut self) -> Result<Option<Token>, Unread> {
        self.skip_blanks();
        let Some(&c) = self.chars.get(self.at) else { return Ok(None) };
        if c == '=' && !self.starts_with("=>") && !self.starts_with("==>") {
            self.at += if self.starts_with("==") { 2 } else { 1 };
            self.skip_blanks();
            let values = [
                ("0", false),
                ("1", true),
                ("true", true),
                ("True", true),
                ("TRUE", true),
                ("false", false),
                ("False", false),
                ("FALSE", false),
            ];
            let Some((word, value)) = values.iter().find(|(word, _)| self.starts_with(word)) else {
                return Err(Unread::new(self.line, "`=` is followed by 0 or 1"));
            };
            self.at += word.len();
            return Ok(Some(Token::Value(*value)));
        }
        if c == '"' {
            return self.quoted().map(Some);
        }
        for (texts, token) in SYMBOLS {
            if let Some(text) = texts.iter().find(|text| self.starts_with(text)) {
                self.at += text.chars().count();
                return self.with_bounds(token.clone()).map(Some);
            }
        }
        if c.is_ascii_digit() {
            let digits: String = self.chars[self.at..].iter().take_while(|c| c.is_alphanumeric()).collect();
            self.at += digits.chars().count();
            return match digits.as_str() {
                "0" => Ok(Some(Token::Constant(false))),
                "1" => Ok(Some(Token::Constant(true))),
                _ => Err(Unread::new(self.line, format!("`{digits}` is no formula"))),
            };
        }
        if starts_word(c) {
            return self.word().map(Some);
        }
        Err(Unread::new(self.line, format!("unexpected character {c:?}")))
    }

    fn quoted(&mut self) -> Result<Token, Unread> {
        let mut name = String::new();
        self.at += 1;
        loop {
            match self.chars.get(self.at) {
                None | Some('\n') => return Err(Unread::new(self.line, "a name in quotes is not closed")),
                Some('"') => break,
                Some('\\') if self.at + 1 < self.chars.len() => {
                    name.push(self.chars[self.at + 1]);
                    self.at += 2;
                }
                Some(&c) => {
                    name.push(c);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        Ok(Token::Name(name))
    }

    fn word(&mut self) -> Result<Token, Unread> {
        let in_word = |c: &char| starts_word(*c) || c.is_alphanumeric() || *c == '\'';
        let word: String = self.chars[self.at..].iter().copied().take_while(in_word).collect();
        let length = word.chars().count();
        self.at += length;
        if (self.is_name)(&word) {
            return Ok(Token::Name(word));
        }
        let token = match word.as_str() {
            "true" | "True" | "TRUE" => Token::Constant(true),
            "false" | "False" | "FALSE" => Token::Constant(false),
            "NOT" | "not" => Token::Unary(Unary::Not, None),
            "AND" | "and" => Token::Binary(Binary::And),
            "OR" | "or" => Token::Binary(Binary::Or),
            "IMPLIES" | "implies" => Token::Binary(Binary::Implies),
            "EQUIV" | "IFF" | "iff" => Token::Binary(Binary::Iff),
            "XOR" | "xor" => Token::Binary(Binary::Xor),
            "U" => Token::Binary(Binary::Until),
            "R" | "V" => Token::Binary(Binary::Release),
            "W" => Token::Binary(Binary::Weak),
            "M" => Token::Binary(Binary::Strong),
            "Y" | "Z" | "O" | "H" | "S" | "T" => {
                return Err(Unread::beyond(
                    self.line,
                    format!("the past operator `{word}` is not read here"),
                ));
            }
            "assume" | "guarantee" => {
                self.skip_blanks();
                if self.chars.get(self.at) != Some(&'{') {
                    return Ok(Token::Name(word));
                }
                self.at += 1;
                let role = if word == "assume" { Role::Assumption } else { Role::Guarantee };
                return Ok(Token::Section(role));
            }
            _ => {
                let second = word.chars().nth(1);
                let glued = match word.chars().next() {
                    Some('U') => Some(Binary::Until),
                    Some('R' | 'V') => Some(Binary::Release),
                    Some('W') => Some(Binary::Weak),
                    Some('M') => Some(Binary::Strong),
                    _ => None,
                };
                if second.is_some_and(|c| c.is_ascii_digit()) {
                    return Ok(Token::Name(word));
                }
                // After a formula no name can stand: the rest is read again.
                if let Some(op) = glued.filter(|_| self.whole == Some(self.line)) {
                    self.at -= length - 1;
                    return Ok(Token::Binary(op));
                }
                let op = match word.chars().next() {
                    Some('X') => Unary::Next,
                    Some('F') => Unary::Finally,
                    Some('G') => Unary::Globally,
                    _ => return Ok(Token::Name(word)),
                };
                // Glued to what follows: the rest is read again.
                self.at -= length - 1;
                return self.with_bounds(Token::Unary(op, None));
            }
        };
        self.with_bounds(token)
    }

    /// Reads `[2]`, `[0:3]` or `[2:$]` after an operator.
    fn with_bounds(&mut self, token: Token) -> Result<Token, Unread> {
        let Token::Unary(op @ (Unary::Next | Unary::Finally | Unary::Globally), None) = token else {
            return Ok(token);
        };
        let start = self.at;
        self.skip_blanks();
        if self.chars.get(self.at) != Some(&'[') || self.chars.get(self.at + 1) == Some(&']') {
            self.at = start;
            return Ok(token);
        }
        let inside: String = self.chars[self.at + 1..].iter().take_while(|&&c| c != ']').collect();
        self.at += 2 + inside.chars().count();
        if inside.contains('!') {
            return Err(Unread::beyond(self.line, "strong bounds are not read here"));
        }
        let bad = || Unread::new(self.line, format!("the bounds `[{inside}]` are not understood"));
        let number = |text: &str| match text.trim().parse::<u64>() {
            Ok(n) if n <= MOST_STEPS => Ok(n),
            Ok(_) => Err(Unread::beyond(self.line, format!("a bound above {MOST_STEPS}"))),
            Err(_) => Err(bad()),
        };
        let parts = [":", "..", ",", "to"].iter().find_map(|word| inside.split_once(word));
        let bounds = match parts {
            None => (number(&inside)?, Some(number(&inside)?)),
            Some((low, high)) if matches!(high.trim(), "" | "$" | "inf") => (number(low)?, None),
            Some((low, high)) => (number(low)?, Some(number(high)?)),
        };
        if op == Unary::Next && parts.is_some() || bounds.1.is_some_and(|high| high < bounds.0) {
            return Err(bad());
        }
        Ok(Token::Unary(op, Some(bounds)))
    }
}

/// How tightly an operator binds; all of them group to the right.
fn level(op: Binary) -> u8 {
    match op {
        Binary::Until | Binary::Weak | Binary::Release | Binary::Strong => 5,
        Binary::And => 4,
        Binary::Xor => 3,
        Binary::Or => 2,
        Binary::Implies | Binary::Iff => 1,
    }
}

#[derive(Clone, Copy)]
enum Pending {
    Open,
    Unary(Unary, Option<(u64, Option<u64>)>),
    Binary(Binary),
}

/// The formula so far: operands and the operators that wait for more.
#[derive(Default)]
struct Row {
    operands: Vec<Tree>,
    pending: Vec<Pending>,
    /// Whether the last token ended an operand.
    is_whole: bool,
}

impl Row {
    fn apply(&mut self, syntax: &mut Syntax, pending: Pending) -> Result<(), String> {
        let last = self.operands.pop().ok_or("an operand is missing")?;
        let tree = match pending {
            Pending::Open => return Err("a bracket is not closed".into()),
            Pending::Unary(op, None) => syntax.unary(op, last)?,
            Pending::Unary(op, Some(bounds)) => bounded(syntax, op, bounds, last)?,
            Pending::Binary(op) => {
                let first = self.operands.pop().ok_or("an operand is missing")?;
                syntax.binary(op, first, last)?
            }
        };
        self.operands.push(tree);
        Ok(())
    }

    /// Applies what binds tighter than a level. Prefix operators bind tightest.
    fn reduce(&mut self, syntax: &mut Syntax, above: u8) -> Result<(), String> {
        while let Some(top) = self.pending.last() {
            match top {
                Pending::Open => break,
                Pending::Binary(op) if level(*op) <= above => break,
                Pending::Binary(_) | Pending::Unary(..) => {}
            }
            if let Some(top) = self.pending.pop() {
                self.apply(syntax, top)?;
            }
        }
        Ok(())
    }

    fn operand(&mut self, tree: Tree) -> Result<(), String> {
        if self.is_whole {
            return Err("an operator is missing between two formulas".into());
        }
        self.operands.push(tree);
        self.is_whole = true;
        Ok(())
    }

    /// Whether no bracket is open.
    fn is_outside(&self) -> bool {
        !self.pending.iter().any(|own| matches!(own, Pending::Open))
    }

    fn finish(&mut self, syntax: &mut Syntax) -> Result<Tree, String> {
        if !self.is_whole {
            return Err("the formula ends too early".into());
        }
        self.reduce(syntax, 0)?;
        self.is_whole = false;
        match (self.operands.pop(), self.pending.is_empty()) {
            (Some(tree), true) => Ok(tree),
            _ => Err("a bracket is not closed".into()),
        }
    }
}

/// `X[n] f`, `F[n:m] f`, `G[n:m] f` without bounds.
///
/// # Errors
/// Too many operators.
pub(crate) fn bounded(
    syntax: &mut Syntax,
    op: Unary,
    (low, high): (u64, Option<u64>),
    f: Tree,
) -> Result<Tree, String> {
    let mut tree = f;
    match (op, high) {
        (Unary::Next, _) | (_, None) => {
            if op != Unary::Next {
                tree = syntax.unary(op, tree)?;
            }
        }
        (_, Some(high)) => {
            let join = if op == Unary::Finally { Binary::Or } else { Binary::And };
            for _ in low..high {
                let later = syntax.unary(Unary::Next, tree)?;
                tree = syntax.binary(join, f, later)?;
            }
        }
    }
    for _ in 0..low {
        tree = syntax.unary(Unary::Next, tree)?;
    }
    Ok(tree)
}

/// The formulas of a text so far, each with its role.
#[derive(Default)]
struct Formulas {
    row: Row,
    found: Vec<(Role, Tree)>,
    section: Option<Role>,
    /// Whether the last token was a name.
    after_name: bool,
}

type Atoms<'a> = &'a mut dyn FnMut(&str) -> Result<u32, String>;

impl Formulas {
    fn end(&mut self, syntax: &mut Syntax) -> Result<(), String> {
        if !(self.row.operands.is_empty() && self.row.pending.is_empty()) {
            let tree = self.row.finish(syntax)?;
            self.found.push((self.section.unwrap_or(Role::Guarantee), tree));
        }
        Ok(())
    }

    fn take(&mut self, token: Token, syntax: &mut Syntax, atom: Atoms<'_>) -> Result<(), String> {
        let row = &mut self.row;
        let was_name = std::mem::replace(&mut self.after_name, matches!(token, Token::Name(_)));
        match token {
            Token::Unary(..) | Token::Open if row.is_whole => {
                return Err("an operator is missing between two formulas".into());
            }
            Token::Binary(_) | Token::Close if !row.is_whole => return Err("an operand is missing".into()),
            Token::Unary(op, bounds) => row.pending.push(Pending::Unary(op, bounds)),
            Token::Binary(op) => {
                row.reduce(syntax, level(op))?;
                row.pending.push(Pending::Binary(op));
                row.is_whole = false;
            }
            Token::Constant(value) => row.operand(syntax.add(Written::Constant(value))?)?,
            Token::Name(name) => row.operand(syntax.add(Written::Atom(atom(&name)?))?)?,
            Token::Value(value) => {
                let last = row.operands.pop().filter(|_| was_name).ok_or("`=` stands after a name only")?;
                row.operands.push(if value { last } else { syntax.unary(Unary::Not, last)? });
            }
            Token::Open => row.pending.push(Pending::Open),
            Token::Close => {
                row.reduce(syntax, 0)?;
                if !matches!(row.pending.pop(), Some(Pending::Open)) {
                    return Err("`)` closes nothing".into());
                }
            }
            Token::End => self.end(syntax)?,
            Token::CloseSection => {
                self.end(syntax)?;
                self.section.take().ok_or("`}` closes nothing")?;
            }
            Token::Section(role) => {
                self.end(syntax)?;
                if self.section.replace(role).is_some() {
                    return Err("a section in a section".into());
                }
            }
        }
        Ok(())
    }
}

/// The formulas of a text, each with its role. `atom` yields the atom of a name.
fn formulas(
    text: &str,
    syntax: &mut Syntax,
    is_name: &dyn Fn(&str) -> bool,
    atom: Atoms<'_>,
) -> Result<Vec<(Role, Tree)>, Unread> {
    let mut scanner = Scanner { chars: text.chars().collect(), at: 0, line: 1, is_name, whole: None };
    let mut all = Formulas::default();
    while let Some(token) = scanner.next()? {
        // A formula outside brackets ends with its line where the next line begins with an operand.
        let is_below = scanner.whole.is_some_and(|line| line < scanner.line);
        if is_below && all.row.is_outside() && token.begins_operand() {
            all.end(syntax).map_err(|why| Unread::new(scanner.line, why))?;
        }
        all.take(token, syntax, atom).map_err(|why| Unread::new(scanner.line, why))?;
        scanner.whole = all.row.is_whole.then_some(scanner.line);
    }
    all.end(syntax).map_err(|why| Unread::new(scanner.line, why))?;
    if all.section.is_some() {
        return Err(Unread::new(scanner.line, "a section is not closed"));
    }
    Ok(all.found)
}

/// One formula over known atoms, in normal form. Unquoted words that are names are atoms.
///
/// # Errors
/// The text is not one formula over these atoms.
pub fn read_formula(text: &str, signals: &Signals, arena: &mut Arena) -> Result<Formula, String> {
    let mut syntax = Syntax::default();
    let is_name = |word: &str| signals.find(word).is_some();
    let mut atom = |name: &str| signals.find(name).ok_or_else(|| format!("{name:?} is not declared"));
    let found = formulas(text, &mut syntax, &is_name, &mut atom).map_err(|unread| unread.why)?;
    match found[..] {
        [(_, tree)] => Ok(syntax.lower(tree, arena)),
        _ => Err("one formula is expected".into()),
    }
}

/// The names of header lines: `// inputs: a, b`. Quotes around names are taken off.
fn header(comments: &[String], word: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut is_there = false;
    for comment in comments {
        let Some(list) =
            comment.trim().strip_prefix(word).and_then(|rest| rest.trim_start().strip_prefix(':'))
        else {
            continue;
        };
        is_there = true;
        let plain = |name: &str| name.trim().trim_matches('"').to_string();
        names.extend(list.split(',').map(plain).filter(|name| !name.is_empty()));
    }
    is_there.then_some(names)
}

/// The contract of a file of formulas. Signals that the file does not declare are looked up in `declared`, those of the
/// certificate. The result says whether all signals were declared by the file.
///
/// # Errors
/// The text is not read.
pub fn read_ltl(
    text: &str,
    declared: &Signals,
    arena: &mut Arena,
) -> Result<(Signals, Contract, bool), Unread> {
    let (text, comments) = without_comments(text)?;
    let (inputs, outputs) = (header(&comments, "inputs"), header(&comments, "outputs"));
    let is_declared = inputs.is_some() && outputs.is_some();
    let mut signals = Signals::default();
    for (names, is_input) in [(&inputs, true), (&outputs, false)] {
        for name in names.iter().flatten() {
            if name.starts_with('/') {
                return Err(Unread::beyond(1, "regular expressions for signals are not read here"));
            }
            signals.add(name, is_input).map_err(|why| Unread::new(1, why))?;
        }
    }
    if inputs.is_none() && outputs.is_none() {
        for atom in declared.atoms() {
            signals.add(declared.name(atom), declared.is_input(atom)).map_err(|why| Unread::new(1, why))?;
        }
    }
    let known = signals.clone();
    let is_name = |word: &str| known.find(word).is_some();
    let mut atom = |name: &str| match (signals.find(name), &inputs, &outputs) {
        (Some(atom), ..) => Ok(atom),
        (None, Some(_), None) => signals.add(name, false),
        (None, None, Some(_)) => signals.add(name, true),
        _ => Err(format!("{name:?} is neither an input nor an output")),
    };
    let mut syntax = Syntax::default();
    let found = formulas(&text, &mut syntax, &is_name, &mut atom)?;
    let clauses = found.into_iter().map(|(role, tree)| (role, syntax.lower(tree, arena))).collect();
    Ok((signals, Contract { clauses }, is_declared || inputs.is_some() || outputs.is_some()))
}
