//! Formulas of FRET and assignments in the syntax of Lustre, parsed by precedence. They differ in `->`: implication in a
//! formula, "in the first step the left side, later the right one" in an assignment.

use crate::logic::{Binary, Temporal};
use tsl_synth_core::base::Rational;

/// The largest depth of brackets and operators.
const MAX_DEPTH: usize = 400;

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    Not,
    Minus,
    /// `pre` of Lustre: the value in the step before.
    Pre,
    Temporal(Temporal),
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Infix {
    /// `->` of Lustre.
    Followed,
    Iff,
    Implies,
    Xor,
    Or,
    And,
    Temporal(Binary),
    Equal,
    Different,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
    Power,
}

impl Infix {
    /// Whether both operands and the value are numbers.
    pub(crate) fn is_arithmetic(self) -> bool {
        matches!(self, Self::Plus | Self::Minus | Self::Times | Self::Over | Self::Modulo | Self::Power)
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Constant(bool),
    Number(Rational),
    Name(String),
    Prefix(Prefix, Box<Expr>),
    /// A temporal operator with bounds.
    Bounded(Temporal, u32, u32, Box<Expr>),
    Infix(Infix, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
}

/// The meaning of `->`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrow {
    Implies,
    Followed,
}

/// Parses a text. Linear in its length.
///
/// # Errors
/// What was expected, or a limit.
pub(crate) fn parse(text: &str, arrow: Arrow) -> Result<Expr, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, arrow, depth: 0 };
    let expr = parser.expression(0)?;
    match parser.tokens.get(parser.at) {
        None => Ok(expr),
        Some(token) => Err(format!("`{}` is not expected here", shown(token))),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Number(Rational),
    Sign(&'static str),
}

fn shown(token: &Token) -> String {
    match token {
        Token::Word(word) => word.clone(),
        Token::Number(number) => number.to_string(),
        Token::Sign(sign) => (*sign).to_string(),
    }
}

const SIGNS: [&str; 24] = [
    "<->", "<=>", "->", "=>", "<=", ">=", "!=", "<>", "==", "&&", "||", "(", ")", "[", "]", ",", "!", "&",
    "|", "=", "<", ">", "+", "-",
];
const MORE_SIGNS: [&str; 4] = ["*", "/", "^", "~"];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            (Token::Word(rest[..end].to_string()), end)
        } else if first.is_ascii_digit() || first == '.' {
            number(rest)?
        } else {
            let sign = SIGNS.into_iter().chain(MORE_SIGNS).find(|sign| rest.starts_with(sign));
            let sign = sign.ok_or_else(|| format!("`{}` is no sign of a formula", first.escape_debug()))?;
            (Token::Sign(sign), sign.len())
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// The number that a text begins with, and its length; also with an exponent.
fn number(text: &str) -> Result<(Token, usize), String> {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let mut end = digits(text);
    if text[end..].starts_with('.') {
        end += 1 + digits(&text[end + 1..]);
    }
    let mantissa = format!("0{}", text[..end].trim_end_matches('.'));
    let mut value = Rational::parse(&mantissa);
    let exponent = text[end..].strip_prefix(['e', 'E']);
    if let Some(exponent) = exponent {
        let signed = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        let length = digits(signed);
        if length > 0 {
            let power: u32 = signed[..length].parse().unwrap_or(u32::MAX);
            let factor = 10i128.checked_pow(power).and_then(Rational::integer);
            value = match (value, factor, exponent.starts_with('-')) {
                (Some(value), Some(factor), false) => value.times(factor),
                (Some(value), Some(factor), true) => value.over(factor),
                _ => None,
            };
            end += 1 + (exponent.len() - signed.len()) + length;
        }
    }
    let value = value.ok_or_else(|| format!("the number `{}` is too large or too long", &text[..end]))?;
    Ok((Token::Number(value), end))
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    arrow: Arrow,
    depth: usize,
}

/// The operand of a negation or a temporal operator ends before `&`: `! a = b` is `!(a = b)`.
const OPERAND: u8 = 7;

impl Parser {
    fn takes(&mut self, sign: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Sign(other)) if *other == sign);
        self.at += usize::from(found);
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Word(other)) if other == word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.takes(sign) {
            return Ok(());
        }
        Err(match self.tokens.get(self.at) {
            Some(token) => format!("`{sign}` is expected before `{}`", shown(token)),
            None => format!("`{sign}` is expected at the end"),
        })
    }

    /// An operator of two operands with its level, and whether it associates to the right.
    fn infix(&self) -> Option<(Infix, u8, bool)> {
        Some(match self.tokens.get(self.at)? {
            Token::Sign(sign) => match *sign {
                "->" if self.arrow == Arrow::Followed => (Infix::Followed, 0, true),
                "<->" | "<=>" => (Infix::Iff, 1, true),
                "->" | "=>" => (Infix::Implies, 2, true),
                "|" | "||" => (Infix::Or, 4, false),
                "&" | "&&" => (Infix::And, 5, false),
                "=" | "==" => (Infix::Equal, 7, false),
                "!=" | "<>" => (Infix::Different, 7, false),
                "<" => (Infix::Less, 7, false),
                "<=" => (Infix::AtMost, 7, false),
                ">" => (Infix::Greater, 7, false),
                ">=" => (Infix::AtLeast, 7, false),
                "+" => (Infix::Plus, 8, false),
                "-" => (Infix::Minus, 8, false),
                "*" => (Infix::Times, 9, false),
                "/" => (Infix::Over, 9, false),
                "^" => (Infix::Power, 10, true),
                _ => return None,
            },
            Token::Word(word) => match word.as_str() {
                "xor" => (Infix::Xor, 3, false),
                "or" => (Infix::Or, 4, false),
                "and" => (Infix::And, 5, false),
                "U" => (Infix::Temporal(Binary::Until), 6, true),
                "V" | "R" => (Infix::Temporal(Binary::Release), 6, true),
                "S" => (Infix::Temporal(Binary::Since), 6, true),
                "T" => (Infix::Temporal(Binary::Triggered), 6, true),
                "mod" => (Infix::Modulo, 9, false),
                "div" => (Infix::Over, 9, false),
                _ => return None,
            },
            Token::Number(_) => return None,
        })
    }

    fn expression(&mut self, level: u8) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("brackets and operators are nested more than {MAX_DEPTH} deep"));
        }
        let mut left = self.operand()?;
        while let Some((op, own, right)) = self.infix().filter(|&(_, own, _)| own >= level) {
            self.at += 1;
            let next = self.expression(if right { own } else { own + 1 })?;
            left = Expr::Infix(op, Box::new(left), Box::new(next));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expr, String> {
        if self.takes("(") {
            let inner = self.expression(0)?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.takes("!") || self.takes("~") || self.takes_word("not") {
            return Ok(Expr::Prefix(Prefix::Not, Box::new(self.expression(OPERAND)?)));
        }
        if self.takes("-") {
            // `-x * y` is `(-x) * y`, which has the same value.
            return Ok(Expr::Prefix(Prefix::Minus, Box::new(self.expression(10)?)));
        }
        if self.takes_word("if") {
            return self.choice();
        }
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        match token {
            Some(Token::Number(number)) => Ok(Expr::Number(number)),
            Some(Token::Word(word)) => self.word(&word),
            Some(token) => Err(format!("an operand is expected before `{}`", shown(&token))),
            None => Err("the text ends where an operand is expected".into()),
        }
    }

    /// After `if`.
    fn choice(&mut self) -> Result<Expr, String> {
        let condition = self.expression(0)?;
        if !self.takes_word("then") {
            return Err("`then` is expected".into());
        }
        let then = self.expression(1)?;
        let otherwise = if self.takes_word("else") {
            self.expression(1)?
        } else {
            return Ok(Expr::Infix(Infix::Implies, Box::new(condition), Box::new(then)));
        };
        Ok(Expr::If(Box::new(condition), Box::new(then), Box::new(otherwise)))
    }

    fn word(&mut self, word: &str) -> Result<Expr, String> {
        let op = match word {
            "TRUE" | "true" => return Ok(Expr::Constant(true)),
            "FALSE" | "false" => return Ok(Expr::Constant(false)),
            "X" => Temporal::Next,
            "G" => Temporal::Globally,
            "F" => Temporal::Finally,
            "Y" => Temporal::Yesterday,
            "Z" => Temporal::WeakYesterday,
            "H" => Temporal::Historically,
            "O" => Temporal::Once,
            "pre" => return Ok(Expr::Prefix(Prefix::Pre, Box::new(self.expression(10)?))),
            _ => return self.name(word),
        };
        if !self.takes("[") {
            return Ok(Expr::Prefix(Prefix::Temporal(op), Box::new(self.expression(OPERAND)?)));
        }
        let (from, to) = self.bounds()?;
        self.expect("]")?;
        Ok(Expr::Bounded(op, from, to, Box::new(self.expression(OPERAND)?)))
    }

    /// `a,b`, `<=b` or `<b`.
    fn bounds(&mut self) -> Result<(u32, u32), String> {
        if self.takes("<=") {
            return Ok((0, self.steps()?));
        }
        if self.takes("<") {
            let steps = self.steps()?;
            return Ok((0, steps.checked_sub(1).ok_or("no step is before step 0")?));
        }
        let from = self.steps()?;
        self.expect(",")?;
        let to = self.steps()?;
        if from > to { Err(format!("the bounds {from} and {to} are not in order")) } else { Ok((from, to)) }
    }

    /// A number of steps. FRET also writes a difference such as `5-1`.
    fn steps(&mut self) -> Result<u32, String> {
        let expr = self.expression(8)?;
        let value = match &expr {
            Expr::Number(number) => Some(*number),
            Expr::Infix(Infix::Minus, a, b) => match (&**a, &**b) {
                (Expr::Number(a), Expr::Number(b)) => a.minus(*b),
                _ => None,
            },
            _ => None,
        };
        let steps = value.filter(|v| v.is_integer()).and_then(|v| u32::try_from(v.numerator()).ok());
        steps
            .filter(|&steps| steps <= 100_000)
            .ok_or_else(|| "a bound is no number of steps up to 100000".into())
    }

    fn name(&mut self, word: &str) -> Result<Expr, String> {
        if !self.takes("(") {
            return Ok(Expr::Name(word.to_string()));
        }
        let mut arguments = Vec::new();
        if !self.takes(")") {
            loop {
                arguments.push(self.expression(0)?);
                if self.takes(")") {
                    break;
                }
                self.expect(",")?;
            }
        }
        Ok(Expr::Call(word.to_string(), arguments))
    }
}
