//! Regular expressions and globs as programs for a virtual machine that simulates all states of the NFA together and
//! reads each character once: for targets whose standard library has no regular expressions. The parser is that of the
//! gate's own engine, so expressions have the same meaning here.

use regex::Regex;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::Glob;

/// Programs with more instructions are refused.
const MOST_OPS: usize = 10_000;

/// An instruction: its opcode and two operands.
type Op = [usize; 3];

/// Reads a character of a class and continues with the next instruction.
const CLASS: usize = 0;
/// Continues with two instructions.
const SPLIT: usize = 1;
/// Continues with another instruction.
const JUMP: usize = 2;
/// Continues with the next instruction if an assertion about the surrounding characters holds.
const LOOK: usize = 3;
/// Accepts the text.
const MATCH: usize = 4;

/// The programs of a policy with the classes of characters that they share.
#[derive(Debug, Default)]
pub(super) struct Programs {
    /// The first and the last character of each range, one after the other.
    classes: Vec<Vec<u32>>,
    numbers: FxHashMap<Vec<u32>, usize>,
    all: Vec<Vec<Op>>,
    known: FxHashMap<(String, bool), usize>,
}

impl Programs {
    /// The classes of characters, each a list of first and last characters.
    pub(super) fn classes(&self) -> &[Vec<u32>] {
        &self.classes
    }
    /// The programs, each a list with three numbers for each instruction.
    pub(super) fn flat(&self) -> Vec<Vec<usize>> {
        self.all.iter().map(|ops| ops.concat()).collect()
    }
    /// The index of the program that matches a regular expression.
    ///
    /// # Errors
    /// If the expression has a feature that programs do not support, which the text names.
    pub(super) fn regex(&mut self, regex: &Regex) -> Result<usize, String> {
        self.add(regex.as_str(), false)
    }
    /// The index of the program that matches a glob with wildcards.
    ///
    /// # Errors
    /// If the glob has a feature that programs do not support, which the text names.
    pub(super) fn glob(&mut self, glob: &Glob) -> Result<usize, String> {
        self.add(glob.expression().ok_or("a pattern without an expression")?, true)
    }
    fn add(&mut self, text: &str, dot_all: bool) -> Result<usize, String> {
        let key = (text.to_owned(), dot_all);
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let hir = ParserBuilder::new().dot_matches_new_line(dot_all).build().parse(text);
        let hir = hir.map_err(|_| "a text that its parser does not read".to_owned())?;
        let mut ops = Vec::new();
        self.compile(&hir, &mut ops)?;
        push(&mut ops, [MATCH, 0, 0])?;
        self.all.push(ops);
        self.known.insert(key, self.all.len() - 1);
        Ok(self.all.len() - 1)
    }
    fn class(&mut self, ranges: Vec<u32>) -> usize {
        let next = self.classes.len();
        let number = *self.numbers.entry(ranges.clone()).or_insert(next);
        if number == next {
            self.classes.push(ranges);
        }
        number
    }
    /// The class of the characters of `\w`.
    fn words(&mut self, unicode: bool) -> Result<usize, String> {
        let hir = regex_syntax::parse(if unicode { r"\w" } else { r"(?-u:\w)" });
        match hir.map_err(|error| error.to_string())?.into_kind() {
            HirKind::Class(class) => Ok(self.class(ranges(&class)?)),
            _ => Err("the class of words".into()),
        }
    }
    fn compile(&mut self, hir: &Hir, ops: &mut Vec<Op>) -> Result<(), String> {
        match hir.kind() {
            HirKind::Empty => Ok(()),
            HirKind::Literal(literal) => {
                let text = std::str::from_utf8(&literal.0).map_err(|_| "bytes that are no characters")?;
                text.chars().try_for_each(|c| {
                    let class = self.class(vec![u32::from(c); 2]);
                    push(ops, [CLASS, class, 0])
                })
            }
            HirKind::Class(class) => {
                let class = self.class(ranges(class)?);
                push(ops, [CLASS, class, 0])
            }
            HirKind::Look(look) => {
                let (number, unicode) = look_number(*look);
                let word = unicode.map_or(Ok(0), |unicode| self.words(unicode))?;
                push(ops, [LOOK, number, word])
            }
            HirKind::Repetition(repetition) => self.repetition(repetition, ops),
            HirKind::Capture(capture) => self.compile(&capture.sub, ops),
            HirKind::Concat(all) => all.iter().try_for_each(|one| self.compile(one, ops)),
            HirKind::Alternation(all) => {
                let mut ends = Vec::new();
                for (i, one) in all.iter().enumerate() {
                    let split = ops.len();
                    let is_last = i + 1 == all.len();
                    if !is_last {
                        push(ops, [SPLIT, split + 1, 0])?;
                    }
                    self.compile(one, ops)?;
                    if !is_last {
                        ends.push(ops.len());
                        push(ops, [JUMP, 0, 0])?;
                        ops[split][2] = ops.len();
                    }
                }
                let end = ops.len();
                for jump in ends {
                    ops[jump][1] = end;
                }
                Ok(())
            }
        }
    }
    /// Greedy and lazy repetitions are compiled alike, since only the existence of a match is of interest.
    fn repetition(&mut self, repetition: &Repetition, ops: &mut Vec<Op>) -> Result<(), String> {
        let mut last = ops.len();
        for _ in 0..repetition.min {
            last = ops.len();
            self.compile(&repetition.sub, ops)?;
            // An expression without instructions matches the empty text, and so do its repetitions.
            if ops.len() == last {
                return Ok(());
            }
        }
        match repetition.max {
            None if repetition.min > 0 => {
                let next = ops.len() + 1;
                push(ops, [SPLIT, last, next])
            }
            None => {
                let split = ops.len();
                push(ops, [SPLIT, split + 1, 0])?;
                self.compile(&repetition.sub, ops)?;
                push(ops, [JUMP, split, 0])?;
                ops[split][2] = ops.len();
                Ok(())
            }
            Some(max) => {
                let mut splits = Vec::new();
                for _ in repetition.min..max {
                    let split = ops.len();
                    splits.push(split);
                    push(ops, [SPLIT, split + 1, 0])?;
                    self.compile(&repetition.sub, ops)?;
                }
                let end = ops.len();
                for split in splits {
                    ops[split][2] = end;
                }
                Ok(())
            }
        }
    }
}

fn push(ops: &mut Vec<Op>, op: Op) -> Result<(), String> {
    if ops.len() >= MOST_OPS {
        return Err(format!("more than {MOST_OPS} steps"));
    }
    ops.push(op);
    Ok(())
}

fn ranges(class: &Class) -> Result<Vec<u32>, String> {
    match class {
        Class::Unicode(class) => Ok(class
            .ranges()
            .iter()
            .flat_map(|range| [u32::from(range.start()), u32::from(range.end())])
            .collect()),
        Class::Bytes(class) if class.is_ascii() => Ok(class
            .ranges()
            .iter()
            .flat_map(|range| [u32::from(range.start()), u32::from(range.end())])
            .collect()),
        Class::Bytes(_) => Err("bytes that are no characters".into()),
    }
}

/// The number of an assertion; for an assertion about words also whether `\w` is that of Unicode.
fn look_number(look: Look) -> (usize, Option<bool>) {
    match look {
        Look::Start => (0, None),
        Look::End => (1, None),
        Look::StartLF => (2, None),
        Look::EndLF => (3, None),
        Look::StartCRLF => (4, None),
        Look::EndCRLF => (5, None),
        Look::WordAscii => (6, Some(false)),
        Look::WordAsciiNegate => (7, Some(false)),
        Look::WordUnicode => (6, Some(true)),
        Look::WordUnicodeNegate => (7, Some(true)),
        Look::WordStartAscii => (8, Some(false)),
        Look::WordEndAscii => (9, Some(false)),
        Look::WordStartUnicode => (8, Some(true)),
        Look::WordEndUnicode => (9, Some(true)),
        Look::WordStartHalfAscii => (10, Some(false)),
        Look::WordEndHalfAscii => (11, Some(false)),
        Look::WordStartHalfUnicode => (10, Some(true)),
        Look::WordEndHalfUnicode => (11, Some(true)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_share_what_is_the_same() {
        let mut programs = Programs::default();
        let regex = |text: &str| Regex::new(text).expect("a regular expression");
        assert_eq!(programs.regex(&regex("^a|b+")), Ok(0));
        assert_eq!(programs.regex(&regex("a{0,1}")), Ok(1));
        assert_eq!(programs.regex(&regex("^a|b+")), Ok(0));
        assert_eq!(programs.classes(), [[97, 97], [98, 98]]);
        let first = [
            [SPLIT, 1, 4],
            [LOOK, 0, 0],
            [CLASS, 0, 0],
            [JUMP, 6, 0],
            [CLASS, 1, 0],
            [SPLIT, 4, 6],
            [MATCH, 0, 0],
        ];
        let second = [[SPLIT, 1, 2], [CLASS, 0, 0], [MATCH, 0, 0]];
        assert_eq!(programs.flat(), [first.concat(), second.concat()]);
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let large = Regex::new("(a{100}){100}b").expect("a regular expression");
        let refused = Programs::default().regex(&large);
        assert_eq!(refused, Err(format!("more than {MOST_OPS} steps")));
    }
}
