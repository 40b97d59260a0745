//! Parses a script into a tree: [`super::prepare`] replaces nested scripts by numbers, and the crate `rable` parses what is
//! left. Scripts that might overflow the stack are refused, and so are constructs that `rable` parses differently from
//! bash.

use super::case_pattern::case_matches;
use super::effects::{Changes, Code, Outer, evaluates, has_code, is_arithmetic};
use super::found::{fed_by, read_name, written};
use super::nodes::{Assignment, is_balanced, is_process, pipelines, word_text};
use super::prepare::{NOT_A_SCRIPT, Part, SCRIPT_DEPTH, part_number, prepare};
use super::tree::{
    AndOrList, CaseArm, CaseEnd, CommandTree, Fed, Inner, List, LoopHead, Pipeline, Redirect, RedirectKind,
    Simple, has_functions, only_simple,
};
use super::values::{LoopValue, is_own_variable, loop_value, may_set_any, may_set_options, only_set_once};
use super::word::{
    Certainty, Known, ReadWord, ShellWord, UnknownText, WordPiece, computes, read_prepared, read_words,
};
use rable::{CasePattern, ListOperator, Node, NodeKind};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Longer scripts, in bytes, are not read.
pub const SCRIPT_LENGTH: usize = 128 << 10;
/// Compound commands nested deeper are not read.
const TREE_DEPTH: usize = 48;
/// The most words that may open a compound command.
const OPENERS: usize = 1_000;
/// The most commands, by the signs between them: the tree of a list is as deep as the list is long.
const SEPARATORS: usize = 10_000;
/// Scripts with at most this many openers and this many bytes are read on the stack of the caller.
const SHALLOW: usize = 12;
const SHORT: usize = 512;

const FAILED: &str = "the parser failed";

/// The most copies of a command in loops over known words.
const COPIES: usize = 32;

/// Reads a script; the error is the reason, in a few words, why it cannot be read.
pub(super) fn read_script(text: &str, depth: usize) -> Result<List, &'static str> {
    read_with_code(text, depth, &Outer::default()).map(|(list, _)| list)
}

/// Reads a script of a shell that changes this, with what it computes.
pub(super) fn read_changed(text: &str, depth: usize, changes: Changes) -> Result<(List, Code), &'static str> {
    read_with_code(text, depth, &Outer { changes, ..Outer::default() })
}

/// Reads a text that a shell evaluates whose script changes this.
pub(super) fn read_evaluated(text: &str, depth: usize, changes: Changes) -> Result<List, &'static str> {
    read_with_code(text, depth, &Outer { changes, ..Outer::default() }).map(|(list, _)| list)
}

fn read_with_code(text: &str, depth: usize, outer: &Outer) -> Result<(List, Code), &'static str> {
    if depth > SCRIPT_DEPTH {
        return Err("scripts are nested too deep");
    }
    if text.len() > SCRIPT_LENGTH {
        return Err("the script is too long");
    }
    if text.contains('\0') {
        return Err("the script has a zero byte");
    }
    let openings = ["$(", "${", "<(", ">(", "`"].iter().map(|open| text.matches(open).count()).sum::<usize>();
    let brackets = text.matches(['(', '{', '[', '!']).count();
    if openings > 4 * OPENERS {
        return Err("the script has too many substitutions");
    }
    let work = || parse(text, depth, outer);
    let words = ["if", "while", "until", "for", "case", "coproc", "function"];
    let openers = openings + brackets + words.iter().map(|word| text.matches(word).count()).sum::<usize>();
    // If the parser panics, the script cannot be read.
    if openers <= SHALLOW && text.len() <= SHORT {
        return catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(FAILED));
    }
    tsl_synth_core::base::on_large_stack(work).unwrap_or(Err(FAILED))
}

fn parse(text: &str, depth: usize, outer: &Outer) -> Result<(List, Code), &'static str> {
    let prepared = prepare(text)?;
    if prepared.text.matches([';', '&', '|', '\n']).count() > SEPARATORS {
        return Err("the script has too many commands");
    }
    let program = rable::parse(&prepared.text, true).map_err(|_| NOT_A_SCRIPT)?;
    let reader = ShellReader {
        parts: prepared.parts,
        depth,
        knows_home: !sets_home(text),
        code: Code::default(),
        text: text.to_owned(),
        variables: outer.variables.clone(),
        follows: false,
        is_survey: outer.is_survey,
        copies: 1,
        fed: None,
        changes: outer.changes.or(Changes::of(text)),
    };
    let read = |mut reader: ShellReader| {
        let mut list = List::new();
        for node in &program {
            list.extend(reader.items(node, 0)?);
        }
        Ok::<_, &'static str>((list, reader))
    };
    // Variables are followed if no command sets some that it does not spell out.
    let (list, reader) = if text.contains(['$', '`']) && !outer.is_survey {
        let (first, _) = read(ShellReader { is_survey: true, ..reader.clone() })?;
        let is_known = !may_set_any(&first);
        let variables = if is_known { reader.variables.clone() } else { BTreeMap::new() };
        let mut changes = reader.changes;
        changes.hidden |= may_set_options(&first);
        read(ShellReader { follows: is_known, variables, changes, ..reader })?
    } else {
        read(reader)?
    };
    // `x='a[$(git push)]'; ((x))` runs the command, since values are expressions and an index is expanded.
    if reader.code.may_run() {
        return Err("arithmetic with a text that may be a command");
    }
    Ok((list, reader.code))
}

/// Whether a script has the name of the variable of the home folder, but not as `$HOME`, so that it may set it.
pub(super) fn sets_home(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices("HOME").any(|(at, name)| {
        // `PYTHONHOME` is another variable, `-vHOME` is not.
        let before = text[..at].trim_end_matches(is_part);
        let is_own = before.len() == at || before.ends_with('-');
        let is_use =
            before.len() == at && before.ends_with(['$', '{']) && before.trim_end_matches('{').ends_with('$');
        is_own && !is_use && !text[at + name.len()..].starts_with(is_part)
    })
}

#[derive(Clone)]
struct ShellReader {
    /// What was taken out of the text.
    parts: Vec<Part>,
    depth: usize,
    /// Whether `~` and `$HOME` are the home folder of the user.
    knows_home: bool,
    code: Code,
    /// The text of the script.
    text: String,
    /// The variables whose values are known here: of the loops around, and those that were assigned before.
    variables: BTreeMap<String, ShellWord>,
    /// Whether the values of variables of this script are tracked.
    follows: bool,
    /// Whether the script is only read for what it may set: scripts inside of it are then read once, so that the time is
    /// not exponential in their depth.
    is_survey: bool,
    /// The number of copies of what is read, for the values of variables.
    copies: usize,
    /// What is on the standard input of the command, if that is known.
    fed: Option<Fed>,
    changes: Changes,
}

impl ShellReader {
    /// A list inside of a command. What it assigns is known only there, since it may be skipped, or run in a shell of its
    /// own.
    fn list(&mut self, list: &Node, depth: usize) -> Result<List, &'static str> {
        let around = self.variables.clone();
        let read = self.items(list, depth);
        self.variables = around;
        read
    }
    fn items(&mut self, list: &Node, depth: usize) -> Result<List, &'static str> {
        if depth > TREE_DEPTH {
            return Err("commands are nested too deep");
        }
        let mut read = List::new();
        let pipelines = pipelines(list);
        let goes_on = |(_, operator): &(&Node, Option<ListOperator>)| {
            matches!(operator, Some(ListOperator::And | ListOperator::Or))
        };
        for chain in pipelines.split_inclusive(|link| !goes_on(link)) {
            let [(source, operator), more @ ..] = chain else { continue };
            let background = chain.last().is_some_and(|(_, last)| *last == Some(ListOperator::Background));
            let first = self.pipeline(source, depth)?;
            if !background {
                self.assigned(&first, source);
            }
            let (mut rest, mut before) = (Vec::new(), operator);
            for (next, operator) in more {
                rest.push((*before == Some(ListOperator::And), self.pipeline(next, depth)?));
                before = operator;
            }
            read.push(AndOrList { first, rest, background });
        }
        Ok(read)
    }
    /// Notes the values that the only command of a pipeline assigns.
    fn assigned(&mut self, pipeline: &Pipeline, source: &Node) {
        let [CommandTree::Simple(simple)] = &pipeline.parts[..] else { return };
        let NodeKind::Command { assignments, words, redirects } = &source.kind else { return };
        let is_plain = |node: &Node| {
            word_text(node).and_then(Assignment::of).is_some_and(|assignment| {
                assignment.index.is_none() && !assignment.appends && !assignment.is_array()
            })
        };
        if !self.follows || !words.is_empty() || !redirects.is_empty() || !assignments.iter().all(is_plain) {
            return;
        }
        for (name, value) in &simple.assignments {
            // Wildcards are no names of files here.
            let is_known = value.text().is_some_and(|text| !text.is_empty())
                || !value.splits
                    && !value.home
                    && value.unknown != UnknownText::Arguments
                    && value.pieces.len() > 1;
            if is_known && is_own_variable(name) && only_set_once(name, &self.text) {
                self.variables.insert(name.clone(), value.clone());
            }
        }
    }
    fn pipeline(&mut self, pipeline: &Node, depth: usize) -> Result<Pipeline, &'static str> {
        let (mut negated, mut node) = (false, pipeline);
        loop {
            match &node.kind {
                NodeKind::Negation { pipeline } => (negated, node) = (!negated, pipeline),
                NodeKind::Time { pipeline, .. } => node = pipeline,
                _ => break,
            }
        }
        let commands = match &node.kind {
            NodeKind::Pipeline { commands, .. } => &commands[..],
            _ => std::slice::from_ref(node),
        };
        let mut parts = Vec::new();
        // `a |& b` may have a redirection of its own between both, which is to a descriptor.
        for part in commands.iter().filter(|part| !matches!(part.kind, NodeKind::Redirect { .. })) {
            let fed = parts.last().filter(|_| !self.changes.functions).and_then(fed_by);
            self.fed.clone_from(&fed);
            let text = match parts.last() {
                Some(CommandTree::Simple(before)) if !self.changes.functions => written(before),
                _ => None,
            };
            let mut tree = self.command(part, depth + 1)?;
            if let CommandTree::Simple(simple) = &mut tree {
                simple.fed = fed;
                // A redirection is stronger than the pipeline.
                let is_piped = simple.input.is_none() && !simple.reads_descriptor;
                if is_piped && !simple.redirects.iter().any(|own| own.kind.reads()) {
                    simple.input = text;
                }
            }
            parts.push(tree);
        }
        self.fed = None;
        Ok(Pipeline { negated, parts })
    }
    fn command(&mut self, command: &Node, depth: usize) -> Result<CommandTree, &'static str> {
        use NodeKind as K;
        let (tree, redirects) = match &command.kind {
            // `!` or `time` alone.
            K::Empty => return Ok(CommandTree::Simple(Box::default())),
            K::Command { assignments, words, redirects } => {
                return self.simple(assignments, words, redirects);
            }
            K::Function { name, body } => {
                let tree = self.command(body, depth)?;
                return Ok(CommandTree::Function(name.clone(), Box::new(tree)));
            }
            K::Coproc { command, .. } => {
                let body = self.command(command, depth + 1)?;
                let first = Pipeline { negated: false, parts: vec![body] };
                return Ok(CommandTree::Beside(vec![AndOrList {
                    first,
                    rest: Vec::new(),
                    background: false,
                }]));
            }
            K::ConditionalExpr { body, redirects } => (self.test(body)?, redirects),
            K::ArithmeticCommand { raw_content, redirects, .. } => {
                if !is_balanced(raw_content) {
                    return Err("brackets that may be subshells or arithmetic");
                }
                (self.arithmetic(&[raw_content], CommandTree::Test)?, redirects)
            }
            K::ForArith { init, cond, incr, body, redirects } => {
                let body = self.list(body, depth)?;
                (self.arithmetic(&[init, cond, incr], CommandTree::Loop(LoopHead::Open, body))?, redirects)
            }
            K::BraceGroup { body, redirects } => (CommandTree::Group(self.list(body, depth)?), redirects),
            K::Subshell { body, redirects } => (CommandTree::Subshell(self.list(body, depth)?), redirects),
            K::For { var, words, body, redirects } => {
                let (inner, values) = self.loop_values(words.as_deref())?;
                let body = self.loop_body(var, body, &values, depth)?;
                let head = LoopHead::For { never_empty: values.iter().any(|word| word.text().is_some()) };
                (CommandTree::With(inner, Box::new(CommandTree::Loop(head, body))), redirects)
            }
            K::Select { words, body, redirects, .. } => {
                let (inner, _) = self.loop_values(words.as_deref())?;
                let body = self.list(body, depth)?;
                (CommandTree::With(inner, Box::new(CommandTree::Loop(LoopHead::Open, body))), redirects)
            }
            K::Case { word, patterns, redirects } => (self.case(word, patterns, depth)?, redirects),
            K::If { redirects, .. } => (self.conditional(command, depth)?, redirects),
            K::While { condition, body, redirects } => (self.while_loop(condition, body, depth)?, redirects),
            K::Until { condition, body, redirects } => {
                let condition = self.list(condition, depth)?;
                (CommandTree::Loop(LoopHead::While(condition, true), self.list(body, depth)?), redirects)
            }
            _ => return Err(NOT_A_SCRIPT),
        };
        self.with(redirects, tree)
    }
    /// `[[ .. ]]`
    fn test(&mut self, body: &Node) -> Result<CommandTree, &'static str> {
        use NodeKind as K;
        let mut inner = Inner::default();
        let mut open = vec![body];
        while let Some(expression) = open.pop() {
            match &expression.kind {
                K::CondAnd { left, right } | K::CondOr { left, right } => open.extend([&**right, &**left]),
                K::CondNot { operand: inside } | K::CondParen { inner: inside } => open.push(inside),
                K::UnaryTest { operand, .. } => {
                    let text = word_text(operand).ok_or(NOT_A_SCRIPT)?;
                    self.code.computes |= text.contains('[');
                    self.test_word(text, &mut inner)?;
                }
                K::BinaryTest { op, left, right } => {
                    self.code.computes |= is_arithmetic(op);
                    self.test_word(word_text(left).ok_or(NOT_A_SCRIPT)?, &mut inner)?;
                    let right = word_text(right).ok_or(NOT_A_SCRIPT)?;
                    if op == "=~" {
                        // A regular expression, whose brackets are text as between double quotes.
                        self.expanded(right, true, &mut inner)?;
                    } else {
                        self.test_word(right, &mut inner)?;
                    }
                }
                _ => return Err(NOT_A_SCRIPT),
            }
        }
        Ok(CommandTree::With(inner, Box::new(CommandTree::Test)))
    }
    /// Words of `[[ .. ]]` may have brackets of patterns; they are read only for the commands that they run.
    fn test_word(&mut self, text: &str, inner: &mut Inner) -> Result<(), &'static str> {
        if text.contains(['$', '`']) {
            self.word(text, inner)?;
        }
        Ok(())
    }
    fn case(
        &mut self,
        word: &Node,
        patterns: &[CasePattern],
        depth: usize,
    ) -> Result<CommandTree, &'static str> {
        let mut inner = Inner::default();
        let word = self.word(word_text(word).ok_or(NOT_A_SCRIPT)?, &mut inner)?;
        let mut arms = Vec::new();
        for case in patterns {
            let mut matches = Certainty::No;
            for pattern in &case.patterns {
                let pattern = word_text(pattern).ok_or(NOT_A_SCRIPT)?;
                self.test_word(pattern, &mut inner)?;
                matches = matches.max(case_matches(&word, pattern));
            }
            let body = case.body.as_ref().map_or(Ok(List::new()), |list| self.list(list, depth))?;
            let end = match case.terminator.as_str() {
                ";&" => CaseEnd::RunsNext,
                ";;&" => CaseEnd::TriesNext,
                _ => CaseEnd::Stops,
            };
            arms.push(CaseArm { matches, body, end });
        }
        Ok(CommandTree::With(inner, Box::new(CommandTree::Case(arms, false))))
    }
    /// `if`, with its `elif` as further arms.
    fn conditional(&mut self, node: &Node, depth: usize) -> Result<CommandTree, &'static str> {
        let (mut arms, mut otherwise) = (Vec::new(), None);
        let mut rest = Some(node);
        while let Some(node) = rest.take() {
            match &node.kind {
                NodeKind::If { condition, then_body, else_body, redirects }
                    if arms.is_empty() || redirects.is_empty() =>
                {
                    arms.push((self.list(condition, depth)?, self.list(then_body, depth)?));
                    rest = else_body.as_deref();
                }
                _ => otherwise = Some(self.list(node, depth)?),
            }
        }
        Ok(CommandTree::If(arms, otherwise))
    }
    fn while_loop(
        &mut self,
        condition: &Node,
        body: &Node,
        depth: usize,
    ) -> Result<CommandTree, &'static str> {
        let fed = self.fed.take();
        let condition = self.list(condition, depth)?;
        let around = self.variables.clone();
        if let Some((name, Fed::Names(fed))) = read_name(&condition).zip(fed)
            && self.follows
            && is_own_variable(&name)
            && only_set_once(&name, &self.text)
        {
            self.variables.insert(name, fed);
        }
        let body = self.list(body, depth);
        self.variables = around;
        Ok(CommandTree::Loop(LoopHead::While(condition, false), body?))
    }
    /// The words after the `in` of a loop, and the commands that run for them.
    fn loop_values(&mut self, words: Option<&[Node]>) -> Result<(Inner, Vec<ShellWord>), &'static str> {
        let (mut inner, mut values) = (Inner::default(), Vec::new());
        for word in words.unwrap_or_default() {
            values.extend(self.words(word_text(word).ok_or(NOT_A_SCRIPT)?, &mut inner)?);
        }
        Ok((inner, values))
    }
    /// The body of a loop: for each of a few known values, or for what is known of all of them.
    fn loop_body(
        &mut self,
        name: &str,
        body: &Node,
        values: &[ShellWord],
        depth: usize,
    ) -> Result<List, &'static str> {
        let is_known = self.follows && is_own_variable(name) && only_set_once(name, &self.text);
        let around = self.variables.clone();
        let value = loop_value(values).filter(|_| is_known);
        let read = match value {
            Some(LoopValue::Each(values)) if self.copies * values.len() <= COPIES => {
                self.copies *= values.len();
                let copies = self.each(name, body, &values, depth);
                self.copies /= values.len();
                copies
            }
            value => {
                if let Some(LoopValue::Some(value)) = value {
                    self.variables.insert(name.to_owned(), value);
                }
                self.list(body, depth)
            }
        };
        self.variables = around;
        read
    }
    /// A choice between the bodies for these values; the body without a value if it defines functions.
    fn each(
        &mut self,
        name: &str,
        body: &Node,
        values: &[ShellWord],
        depth: usize,
    ) -> Result<List, &'static str> {
        let mut arms = Vec::new();
        for value in values {
            self.variables.insert(name.to_owned(), value.clone());
            arms.push(CaseArm::open(self.list(body, depth)?));
        }
        if arms.iter().any(|arm| has_functions(&arm.body)) {
            self.variables.remove(name);
            return self.list(body, depth);
        }
        if arms.len() == 1 {
            return Ok(arms.remove(0).body);
        }
        let first = Pipeline { negated: false, parts: vec![CommandTree::Case(arms, true)] };
        Ok(vec![AndOrList { first, rest: Vec::new(), background: false }])
    }
    fn with(&mut self, redirects: &[Node], tree: CommandTree) -> Result<CommandTree, &'static str> {
        if redirects.is_empty() {
            return Ok(tree);
        }
        let mut simple = Simple::default();
        for redirect in redirects {
            self.redirect(redirect, &mut simple)?;
        }
        let is_read = simple.redirects.iter().any(|redirect| redirect.kind.reads());
        simple.inner.feeds = is_read || simple.reads_descriptor || simple.input.is_some();
        simple.inner.redirects = simple.redirects;
        Ok(CommandTree::With(simple.inner, Box::new(tree)))
    }
    /// Arithmetic, which may run commands by substitutions.
    fn arithmetic(&mut self, parts: &[&str], tree: CommandTree) -> Result<CommandTree, &'static str> {
        let mut inner = Inner::default();
        for part in parts {
            if part.contains('`') {
                return Ok(CommandTree::Opaque("arithmetic with commands"));
            }
            self.code.computes |= computes(part);
            // As between double quotes.
            self.expanded(part, true, &mut inner)?;
        }
        Ok(CommandTree::With(inner, Box::new(tree)))
    }
    /// Reads a word that is not split, without its braces, and the commands that it runs.
    fn word(&mut self, text: &str, inner: &mut Inner) -> Result<ShellWord, &'static str> {
        self.expanded(text, false, inner)
    }
    /// Reads a word as the words that its braces become.
    fn words(&mut self, text: &str, inner: &mut Inner) -> Result<Vec<ShellWord>, &'static str> {
        read_words(text, self.known()).into_iter().map(|read| self.take(read, inner)).collect()
    }
    fn expanded(&mut self, text: &str, heredoc: bool, inner: &mut Inner) -> Result<ShellWord, &'static str> {
        let read = read_prepared(text, heredoc, self.known());
        self.take(read, inner)
    }
    fn known(&self) -> Known<'_> {
        Known {
            parts: &self.parts,
            variables: Some(&self.variables),
            splits_at_blanks: !self.changes.splitting,
            no_functions: !self.changes.functions,
            depth: self.depth + 1,
            output: if self.is_survey { |_, _| None } else { output },
        }
    }
    fn take(&mut self, read: ReadWord, inner: &mut Inner) -> Result<ShellWord, &'static str> {
        for text in &read.inner {
            let list = self.nested(text)?;
            inner.before.push(list);
        }
        for text in &read.maybe {
            let arms = vec![CaseArm::open(self.nested(text)?)];
            let first = Pipeline { negated: false, parts: vec![CommandTree::Case(arms, false)] };
            inner.before.push(vec![AndOrList { first, rest: Vec::new(), background: false }]);
        }
        for text in &read.beside {
            let list = self.nested(text)?;
            inner.beside.push(list);
        }
        if read.opaque {
            inner.opaque = Some("an expansion");
        }
        self.code.computes |= read.computes;
        let mut word = read.word;
        word.home &= self.knows_home;
        if self.changes.hidden && word.unknown == UnknownText::Wildcard {
            word.unknown = UnknownText::Value;
        }
        self.code.has_code |= word.pieces.iter().any(|piece| match piece {
            WordPiece::Text(text) => has_code(text),
            _ => false,
        });
        Ok(word)
    }
    /// Reads a script inside of this one.
    fn nested(&mut self, text: &str) -> Result<List, &'static str> {
        let outer = Outer {
            variables: if self.follows { self.variables.clone() } else { BTreeMap::new() },
            changes: self.changes,
            is_survey: self.is_survey,
        };
        let (list, code) = read_with_code(text, self.depth + 1, &outer)?;
        self.code.computes |= code.computes;
        self.code.has_code |= code.has_code;
        Ok(list)
    }
    /// The text of a here-document or a here-string.
    fn input(&mut self, text: &str, inner: &mut Inner) -> Result<ShellWord, &'static str> {
        let number =
            text.strip_prefix('$').and_then(part_number).filter(|(_, length)| length + 1 == text.len());
        let part = number.and_then(|(number, _)| self.parts.get(number)).cloned();
        match part {
            Some(Part::Document { body, expands: true }) => self.expanded(&body, true, inner),
            Some(Part::Document { body, expands: false }) => {
                self.code.has_code |= has_code(&body);
                Ok(ShellWord::literal(&body))
            }
            _ => self.word(text, inner),
        }
    }
    fn simple(
        &mut self,
        assignments: &[Node],
        words: &[Node],
        redirects: &[Node],
    ) -> Result<CommandTree, &'static str> {
        let mut read = Simple::default();
        for node in assignments {
            let assignment = word_text(node).and_then(Assignment::of).ok_or(NOT_A_SCRIPT)?;
            let value = self.assignment(&assignment, &mut read.inner)?;
            read.assignments.push((assignment.name.to_owned(), value));
        }
        for node in words {
            let text = word_text(node).ok_or(NOT_A_SCRIPT)?;
            match Assignment::of(text) {
                // An argument of `declare` and the like.
                Some(assignment) if assignment.is_array() => {
                    self.assignment(&assignment, &mut read.inner)?;
                    read.words.push(ShellWord::unknown());
                }
                assignment => {
                    let index = assignment.and_then(|assignment| assignment.index);
                    self.code.computes |= index.is_some_and(computes);
                    let words = self.words(text, &mut read.inner)?;
                    read.words.extend(words);
                }
            }
        }
        for redirect in redirects {
            self.redirect(redirect, &mut read)?;
        }
        // Without a number these leave with the same status.
        let texts: Vec<Option<&str>> = words.iter().map(word_text).collect();
        if let [Some("exit" | "return"), Some("$?" | "\"$?\"" | "${?}" | "\"${?}\"")] = texts[..] {
            read.words.truncate(1);
        }
        self.code.computes |= evaluates(&read.words);
        Ok(CommandTree::Simple(Box::new(read)))
    }
    /// The value of an assignment.
    fn assignment(
        &mut self,
        assignment: &Assignment<'_>,
        inner: &mut Inner,
    ) -> Result<ShellWord, &'static str> {
        if let Some(index) = assignment.index {
            self.code.computes |= computes(index);
            self.word(index, inner)?;
        }
        if let Some(elements) = assignment.elements() {
            self.word(elements, inner)?;
            return Ok(ShellWord::unknown());
        }
        self.word(assignment.value, inner)
    }
    fn redirect(&mut self, redirect: &Node, read: &mut Simple) -> Result<(), &'static str> {
        // Here-documents were taken out before.
        let NodeKind::Redirect { op, target, fd, varfd } = &redirect.kind else { return Err(NOT_A_SCRIPT) };
        let target = word_text(target).ok_or(NOT_A_SCRIPT)?;
        let kind = match op.as_str() {
            "<<<" => {
                let text = self.input(target, &mut read.inner)?;
                if *fd <= 0 && varfd.is_none() {
                    read.input = Some(text);
                }
                return Ok(());
            }
            // Closed.
            ">&-" => return Ok(()),
            "<" | "<&" => RedirectKind::Read,
            ">" | ">|" | ">&" | "&>" => RedirectKind::Write,
            ">>" | "&>>" => RedirectKind::Append,
            "<>" => RedirectKind::ReadWrite,
            _ => return Err(NOT_A_SCRIPT),
        };
        let word = self.word(target, &mut read.inner)?;
        let descriptor = |text: &str| text == "-" || text.trim_end_matches('-').parse::<u32>().is_ok();
        let is_descriptor = op.ends_with('&') && word.text().is_some_and(descriptor);
        if kind.reads() && *fd <= 0 && varfd.is_none() && (is_descriptor || is_process(target)) {
            (read.input, read.reads_descriptor) = (None, true);
        }
        if !is_descriptor && !is_process(target) {
            read.redirects.push(Redirect { kind, target: word });
            read.redirected = true;
        }
        Ok(())
    }
}

/// The output of a script without the line feeds at its end, as far as its text tells: of `cat` with a here-document, of
/// `echo` and `printf` with known words.
fn output(script: &str, depth: usize) -> Option<ShellWord> {
    let names = ["cat", "echo", "printf"];
    if !names.iter().any(|name| script.trim_start().starts_with(name)) {
        return None;
    }
    let mut list = read_script(script, depth).ok()?;
    let simple = only_simple(&mut list)?;
    let own = &*simple;
    if !own.assignments.is_empty() || !own.redirects.is_empty() || own.redirected {
        return None;
    }
    let texts: Option<Vec<&str>> = own.words.iter().map(ShellWord::text).collect();
    if let ["printf", format, ..] = texts?[..]
        && let Some(at) = format.find(['%', '\\']).filter(|&at| at > 0 && !format.starts_with('-'))
        && own.input.is_none()
    {
        // The beginning is known up to the first escape.
        let pieces = vec![WordPiece::Text(format[..at].to_owned()), WordPiece::Any];
        return Some(ShellWord { pieces, ..ShellWord::default() });
    }
    let mut output = written(own)?;
    if let Some(WordPiece::Text(last)) = output.pieces.last_mut() {
        last.truncate(last.trim_end_matches('\n').len());
    }
    Some(output)
}
