//! Parses TLSF by precedence climbing, with a limit on nesting.

use super::MOST_LEVELS;
use super::words::{Kind, Word};
use crate::read_ltl::Unread;
use crate::syntax::{Binary, Unary};

/// A section with formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Initially,
    Preset,
    Require,
    Assert,
    Assume,
    Guarantee,
}

/// An expression with its line.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) line: usize,
    pub(super) kind: ExprKind,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Number(i64),
    Constant(bool),
    Otherwise,
    Name(String),
    /// A function or bus with arguments, `f(a, b)`; a bus with an index is [`ExprKind::Index`].
    Call(String, Vec<Expr>),
    Index(String, Box<Expr>),
    Size(Box<Expr>),
    /// The size of a set.
    Count(Box<Expr>),
    Set(Vec<Expr>),
    /// `{a, b .. c}`
    Range(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    Logic(Unary, Option<Box<Bounds>>, Box<Expr>),
    Infix(&'static str, Box<Expr>, Box<Expr>),
    /// Big conjunction or disjunction.
    Big(Binary, Vec<Expr>, Box<Expr>),
}

/// `[low:high]`; `[n]` is `low` alone.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    pub(super) low: Expr,
    pub(super) high: Option<Expr>,
}

/// A definition: guarded alternatives, or one without a guard.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) name: String,
    /// `None` for a value without brackets.
    pub(super) arguments: Vec<String>,
    pub(super) cases: Vec<(Option<Expr>, Expr)>,
}

/// The parts of a text.
#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) info: Vec<(usize, String, Vec<String>)>,
    pub(super) parameters: Vec<(String, Expr)>,
    pub(super) definitions: Vec<Definition>,
    /// Whether it is an input, its name, and its width if it is a bus.
    pub(super) signals: Vec<(bool, usize, String, Option<Expr>)>,
    pub(super) clauses: Vec<(Section, Expr)>,
}

/// Level, whether it groups to the left, and the symbol; more is tighter.
const INFIX: &[(u8, bool, &[&str], &str)] = &[
    (90, true, &["*", "MUL"], "*"),
    (88, false, &["/", "DIV"], "/"),
    (88, false, &["%", "MOD"], "%"),
    (85, true, &["+", "PLUS"], "+"),
    (85, true, &["-", "MINUS"], "-"),
    (70, true, &["==", "EQ"], "=="),
    (70, true, &["!=", "/=", "NEQ"], "!="),
    (70, true, &["<", "LE"], "<"),
    (70, true, &["<=", "LEQ"], "<="),
    (70, true, &[">", "GE"], ">"),
    (70, true, &[">=", "GEQ"], ">="),
    (65, true, &["IN", "ELEM", "<-"], "IN"),
    (50, true, &["&&", "AND"], "&&"),
    (45, true, &["||", "OR"], "||"),
    (40, false, &["->", "IMPLIES"], "->"),
    (40, false, &["<->", "EQUIV"], "<->"),
    (35, false, &["W"], "W"),
    (30, false, &["U"], "U"),
    (25, true, &["R"], "R"),
];
const PREFIX: u8 = 60;
const SIZE: u8 = 95;

struct Parser {
    words: Vec<Word>,
    at: usize,
    levels: usize,
}

/// Parses the words of a text.
pub(super) fn parse(words: Vec<Word>) -> Result<Module, Unread> {
    let mut parser = Parser { words, at: 0, levels: 0 };
    let mut module = Module::default();
    while !parser.is_done() {
        let (line, name) = parser.name()?;
        parser.expect("{")?;
        match name.as_str() {
            "INFO" => parser.info(&mut module)?,
            "GLOBAL" => parser.global(&mut module)?,
            "MAIN" => parser.main(&mut module)?,
            _ => return Err(Unread::new(line, format!("INFO, GLOBAL or MAIN is expected, not {name:?}"))),
        }
        parser.expect("}")?;
    }
    Ok(module)
}

impl Parser {
    fn is_done(&self) -> bool {
        self.at >= self.words.len()
    }

    fn line(&self) -> usize {
        self.words.get(self.at).or(self.words.last()).map_or(1, |word| word.line)
    }

    fn error<T>(&self, why: impl Into<String>) -> Result<T, Unread> {
        Err(Unread::new(self.line(), why))
    }

    fn beyond<T>(&self, what: &str) -> Result<T, Unread> {
        Err(Unread::beyond(self.line(), format!("{what} not read here")))
    }

    fn is(&self, text: &str) -> bool {
        match self.words.get(self.at).map(|word| &word.kind) {
            Some(Kind::Symbol(symbol)) => *symbol == text,
            Some(Kind::Name(name)) => name == text,
            _ => false,
        }
    }

    fn take(&mut self, text: &str) -> bool {
        let is = self.is(text);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, text: &str) -> Result<(), Unread> {
        if self.take(text) { Ok(()) } else { self.error(format!("`{text}` is expected")) }
    }

    fn name(&mut self) -> Result<(usize, String), Unread> {
        match self.words.get(self.at) {
            Some(Word { line, kind: Kind::Name(name) }) => {
                self.at += 1;
                Ok((*line, name.clone()))
            }
            _ => self.error("a name is expected"),
        }
    }

    fn info(&mut self, module: &mut Module) -> Result<(), Unread> {
        while !self.is("}") {
            if self.take(";") {
                continue;
            }
            let (line, key) = self.name()?;
            self.expect(":")?;
            let mut values = Vec::new();
            loop {
                if self.words.get(self.at).is_some_and(|word| word.kind == Kind::Text) {
                    self.at += 1;
                } else if !self.is("}") {
                    values.push(self.name()?.1);
                }
                if !self.take(",") {
                    break;
                }
            }
            module.info.push((line, key, values));
        }
        Ok(())
    }

    fn global(&mut self, module: &mut Module) -> Result<(), Unread> {
        while !self.is("}") {
            let (line, part) = self.name()?;
            self.expect("{")?;
            while !self.take("}") {
                if self.take(";") {
                    continue;
                }
                if self.is("enum") {
                    return self.beyond("enumerations are");
                }
                let definition = self.definition()?;
                match part.as_str() {
                    "PARAMETERS" => {
                        let Some((None, value)) = definition.cases.into_iter().next() else {
                            return self.error("a parameter is a number");
                        };
                        module.parameters.push((definition.name, value));
                    }
                    "DEFINITIONS" => module.definitions.push(definition),
                    _ => return Err(Unread::new(line, format!("{part:?} is no part of GLOBAL"))),
                }
            }
        }
        Ok(())
    }

    fn definition(&mut self) -> Result<Definition, Unread> {
        let (_, name) = self.name()?;
        let mut arguments = Vec::new();
        if self.take("(") {
            loop {
                arguments.push(self.name()?.1);
                if !self.take(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        self.expect("=")?;
        let mut cases = Vec::new();
        loop {
            let first = self.expr(0)?;
            if self.is("~") {
                return self.beyond("pattern matching is");
            }
            if self.take(":") {
                let value = self.expr(0)?;
                cases.push((Some(first), value));
            } else {
                cases.push((None, first));
            }
            if self.take(";") {
                return Ok(Definition { name, arguments, cases });
            }
        }
    }

    fn main(&mut self, module: &mut Module) -> Result<(), Unread> {
        while !self.is("}") {
            let (line, part) = self.name()?;
            let section = match part.as_str() {
                "INPUTS" | "OUTPUTS" => None,
                "INITIALLY" => Some(Section::Initially),
                "PRESET" => Some(Section::Preset),
                "REQUIRE" | "REQUIREMENTS" => Some(Section::Require),
                "ASSERT" | "INVARIANTS" => Some(Section::Assert),
                "ASSUME" | "ASSUMPTIONS" => Some(Section::Assume),
                "GUARANTEE" | "GUARANTEES" => Some(Section::Guarantee),
                _ => return Err(Unread::new(line, format!("{part:?} is no section of MAIN"))),
            };
            self.expect("{")?;
            while !self.take("}") {
                if self.take(";") {
                    continue;
                }
                if let Some(section) = section {
                    module.clauses.push((section, self.expr(0)?));
                } else {
                    let (line, name) = self.name()?;
                    let mut width = None;
                    if self.take("[") {
                        width = Some(self.expr(0)?);
                        self.expect("]")?;
                    } else if !self.is(";") && !self.is("}") {
                        return self.beyond("signals of an enumeration are");
                    }
                    module.signals.push((part == "INPUTS", line, name, width));
                }
                if !self.is("}") {
                    self.expect(";")?;
                }
            }
        }
        Ok(())
    }

    fn infix(&self) -> Option<(u8, bool, &'static str)> {
        let text = match &self.words.get(self.at)?.kind {
            Kind::Symbol(symbol) => symbol,
            Kind::Name(name) => name.as_str(),
            _ => return None,
        };
        let row = INFIX.iter().find(|row| row.2.contains(&text))?;
        Some((row.0, row.1, row.3))
    }

    /// An expression of operators that bind at least as tightly as `least`.
    fn expr(&mut self, least: u8) -> Result<Expr, Unread> {
        self.levels += 1;
        if self.levels > MOST_LEVELS {
            return self.error(format!("more than {MOST_LEVELS} levels of operators and brackets"));
        }
        let mut left = self.prefix()?;
        while let Some((level, to_left, symbol)) = self.infix().filter(|op| op.0 >= least) {
            let line = self.line();
            self.at += 1;
            let right = self.expr(if to_left { level + 1 } else { level })?;
            left = Expr { line, kind: ExprKind::Infix(symbol, Box::new(left), Box::new(right)) };
        }
        if self.is("M") {
            return self.beyond("strong release is");
        }
        self.levels -= 1;
        Ok(left)
    }

    fn prefix(&mut self) -> Result<Expr, Unread> {
        let line = self.line();
        let big = match () {
            () if self.is("&&") || self.is("AND") || self.is("FORALL") => Some(Binary::And),
            () if self.is("||") || self.is("OR") || self.is("EXISTS") => Some(Binary::Or),
            () => None,
        };
        if let Some(op) = big {
            self.at += 1;
            self.expect("[")?;
            let binders = self.list("]")?;
            let body = self.expr(PREFIX)?;
            return Ok(Expr { line, kind: ExprKind::Big(op, binders, Box::new(body)) });
        }
        let op = match () {
            () if self.is("!") || self.is("NOT") => Unary::Not,
            () if self.is("X") => Unary::Next,
            () if self.is("F") => Unary::Finally,
            () if self.is("G") => Unary::Globally,
            () => return self.operand(),
        };
        self.at += 1;
        let mut bounds = None;
        if op != Unary::Not && self.take("[") {
            if self.is("!") {
                return self.beyond("strong bounds are");
            }
            let low = self.expr(0)?;
            let high = if self.take(":") { Some(self.expr(0)?) } else { None };
            if self.is("!") {
                return self.beyond("strong bounds are");
            }
            self.expect("]")?;
            bounds = Some(Box::new(Bounds { low, high }));
        }
        let operand = self.expr(PREFIX)?;
        Ok(Expr { line, kind: ExprKind::Logic(op, bounds, Box::new(operand)) })
    }

    /// Expressions between commas, up to a closing bracket.
    fn list(&mut self, close: &str) -> Result<Vec<Expr>, Unread> {
        let mut found = Vec::new();
        if self.take(close) {
            return Ok(found);
        }
        loop {
            found.push(self.expr(0)?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(close)?;
        Ok(found)
    }

    fn operand(&mut self) -> Result<Expr, Unread> {
        let line = self.line();
        let kind = match self.words.get(self.at).map(|word| word.kind.clone()) {
            Some(Kind::Number(number)) => {
                self.at += 1;
                ExprKind::Number(number)
            }
            Some(Kind::Symbol("(")) => {
                self.at += 1;
                let inner = self.expr(0)?;
                self.expect(")")?;
                return Ok(inner);
            }
            Some(Kind::Symbol("{")) => {
                self.at += 1;
                self.set()?
            }
            Some(Kind::Symbol("|")) => {
                self.at += 1;
                let inner = self.expr(0)?;
                self.expect("|")?;
                ExprKind::Count(Box::new(inner))
            }
            Some(Kind::Symbol("-")) => {
                self.at += 1;
                let zero = Box::new(Expr { line, kind: ExprKind::Number(0) });
                ExprKind::Infix("-", zero, Box::new(self.expr(SIZE)?))
            }
            Some(Kind::Symbol("+" | "*" | "(+)" | "(*)")) => return self.beyond("big sums and products are"),
            Some(Kind::Name(name)) => {
                self.at += 1;
                self.named(name)?
            }
            _ => return self.error("an operand is expected"),
        };
        Ok(Expr { line, kind })
    }

    fn set(&mut self) -> Result<ExprKind, Unread> {
        if self.take("}") {
            return Ok(ExprKind::Set(Vec::new()));
        }
        let mut items = vec![self.expr(0)?];
        while self.take(",") {
            items.push(self.expr(0)?);
        }
        if self.take("..") || self.take("...") {
            let last = self.expr(0)?;
            self.expect("}")?;
            let mut items = items.into_iter();
            return match (items.next(), items.next(), items.next()) {
                (Some(first), second, None) => {
                    Ok(ExprKind::Range(Box::new(first), second.map(Box::new), Box::new(last)))
                }
                _ => self.error("a range has one or two numbers before the dots"),
            };
        }
        self.expect("}")?;
        Ok(ExprKind::Set(items))
    }

    fn named(&mut self, name: String) -> Result<ExprKind, Unread> {
        Ok(match name.as_str() {
            "true" => ExprKind::Constant(true),
            "false" => ExprKind::Constant(false),
            "otherwise" => ExprKind::Otherwise,
            "SIZEOF" => ExprKind::Size(Box::new(self.expr(SIZE)?)),
            "SIZE" => ExprKind::Count(Box::new(self.expr(SIZE)?)),
            "MIN" | "MAX" => return self.beyond("least and largest elements are"),
            "Y" | "Z" | "O" | "H" | "S" | "T" if !self.is(";") => return self.beyond("past operators are"),
            _ if self.take("(") => ExprKind::Call(name, self.list(")")?),
            _ if self.take("[") => {
                let index = self.expr(0)?;
                self.expect("]")?;
                ExprKind::Index(name, Box::new(index))
            }
            _ => ExprKind::Name(name),
        })
    }
}
