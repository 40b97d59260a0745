//! Parses the text of a script to a tree. The parser is `brush-parser`. Its grammar backtracks and recurses, so texts
//! on which it could take too long or overflow the stack are refused first; constructs that it parses differently from
//! bash are refused afterwards.

use super::effects::{Changes, Code, Outer, evaluates, has_code, is_arithmetic};
use super::found::{fed_by, read_name};
use super::prepare::{Part, SCRIPT_DEPTH, part_number, prepare};
use super::tree::{
    AndOrList, CommandTree, Fed, Inner, List, Pipeline, Redirect, RedirectKind, Simple, has_functions,
    only_simple,
};
use super::values::{LoopValue, is_own_variable, loop_value, may_set_any, may_set_options, only_set_once};
use super::word::{Known, ReadWord, ShellWord, UnknownText, WordPiece, computes, read_prepared, read_words};
use brush_parser::{ParserOptions, SourceSpan, Token, ast, parse_tokens, uncached_tokenize_str};
use std::collections::BTreeMap;

/// Longer scripts, in bytes, are not read.
pub const SCRIPT_LENGTH: usize = 128 << 10;
/// Compound commands nested deeper are not read.
const TREE_DEPTH: usize = 48;
/// The most words that may open a compound command.
const OPENERS: usize = 1_000;
/// The deepest nesting of brackets and `case`: the running time of the parser doubles with each level.
const DOUBLING: usize = 9;
/// Scripts with at most this many openers and this many bytes are read on the stack of the caller.
const SHALLOW: usize = 12;
const SHORT: usize = 512;

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
    if openers <= SHALLOW && text.len() <= SHORT {
        return work();
    }
    // If the parser panics, the script cannot be read.
    tsl_synth_core::base::on_large_stack(work).unwrap_or(Err("the parser failed"))
}

fn parse(text: &str, depth: usize, outer: &Outer) -> Result<(List, Code), &'static str> {
    let options = ParserOptions::default();
    let prepared = prepare(text)?;
    let tokens =
        uncached_tokenize_str(&prepared.text, &options.tokenizer_options()).map_err(|_| "not a script")?;
    guard(&tokens)?;
    let tokens = as_bash_reads(tokens);
    let program = parse_tokens(&tokens, &options).map_err(|_| "not a script")?;
    let reader = ShellReader {
        characters: prepared.text.chars().collect(),
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
        for command in &program.complete_commands {
            list.extend(reader.items(command, 0)?);
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

/// Drops the words before a command that the parser takes for the name of a program, and bash does not: the variable in
/// `{fd}>file`, which gets the number of the descriptor, and the `--` in `time -- cmd` and `time -p -- cmd`.
fn as_bash_reads(tokens: Vec<Token>) -> Vec<Token> {
    let word = |i: Option<usize>| match i.and_then(|i| tokens.get(i)) {
        Some(Token::Word(word, _)) => Some(word.as_str()),
        _ => None,
    };
    let is_dropped = |i: usize| {
        let own = word(Some(i));
        if own.is_some_and(is_descriptor_variable) {
            return match (&tokens[i], tokens.get(i + 1)) {
                (Token::Word(_, at), Some(Token::Operator(next, after))) => {
                    next.starts_with(['<', '>']) && !next.ends_with('(') && at.end.index == after.start.index
                }
                _ => false,
            };
        }
        let time = if word(i.checked_sub(1)) == Some("-p") { i.checked_sub(2) } else { i.checked_sub(1) };
        own == Some("--")
            && word(time) == Some("time")
            && time.is_some_and(|time| begins_command(time.checked_sub(1).map(|before| &tokens[before])))
    };
    let dropped: Vec<bool> = (0..tokens.len()).map(is_dropped).collect();
    tokens.into_iter().zip(dropped).filter(|(_, dropped)| !dropped).map(|(token, _)| token).collect()
}

/// `{name}` or `{name[index]}`, without quotes.
fn is_descriptor_variable(word: &str) -> bool {
    let Some(inside) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else { return false };
    let (name, index) = inside.split_once('[').map_or((inside, None), |(name, index)| (name, Some(index)));
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name && index.is_none_or(|index| index.ends_with(']'))
}

/// Whether a command may begin after a token.
fn begins_command(before: Option<&Token>) -> bool {
    match before {
        None => true,
        Some(Token::Operator(operator, _)) => !operator.starts_with(['<', '>']),
        Some(Token::Word(word, _)) => matches!(
            word.as_str(),
            "!" | "{" | "time" | "if" | "then" | "else" | "elif" | "while" | "until" | "do" | "coproc"
        ),
    }
}

/// Refuses texts on which the parser would take too long, overflow its stack, or panic.
fn guard(tokens: &[Token]) -> Result<(), &'static str> {
    let (mut open, mut deepest, mut total) = (0usize, 0usize, 0usize);
    let (mut cases, mut openers) = (0usize, 0usize);
    for (i, token) in tokens.iter().enumerate() {
        match token {
            Token::Operator(operator, _) if operator == "(" => {
                let empty = matches!(tokens.get(i + 1), Some(Token::Operator(next, _)) if next == ")");
                total += usize::from(!empty);
                openers += 1;
                open += 1;
                deepest = deepest.max(open);
            }
            Token::Operator(operator, _) if operator == ")" => open = open.saturating_sub(1),
            Token::Operator(..) => {}
            Token::Word(word, _) => match word.as_str() {
                "case" => {
                    cases += 1;
                    openers += 1;
                }
                "if" | "while" | "until" | "for" | "{" | "!" | "[[" | "function" | "coproc" | "elif" => {
                    openers += 1;
                }
                // The parser panics on file descriptors that are too large.
                digits if digits.len() > 8 && digits.bytes().all(|b| b.is_ascii_digit()) => {
                    if matches!(tokens.get(i + 1), Some(Token::Operator(next, _)) if next.starts_with(['<', '>']))
                    {
                        return Err("not a script");
                    }
                }
                _ => {}
            },
        }
    }
    // The patterns of `case` close brackets that were not opened, so that the depth is not known.
    let nested = if cases > 0 { total } else { deepest };
    if openers > OPENERS || nested + cases > DOUBLING {
        return Err("commands are nested too deep");
    }
    Ok(())
}

#[derive(Clone)]
struct ShellReader {
    characters: Vec<char>,
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
    fn list(&mut self, list: &ast::CompoundList, depth: usize) -> Result<List, &'static str> {
        let around = self.variables.clone();
        let read = self.items(list, depth);
        self.variables = around;
        read
    }
    fn items(&mut self, list: &ast::CompoundList, depth: usize) -> Result<List, &'static str> {
        if depth > TREE_DEPTH {
            return Err("commands are nested too deep");
        }
        let mut read = List::new();
        for ast::CompoundListItem(chain, separator) in &list.0 {
            let first = self.pipeline(&chain.first, depth)?;
            if !matches!(separator, ast::SeparatorOperator::Async) {
                self.assigned(&first, &chain.first);
            }
            let mut rest = Vec::new();
            for next in &chain.additional {
                rest.push(match next {
                    ast::AndOr::And(pipeline) => (true, self.pipeline(pipeline, depth)?),
                    ast::AndOr::Or(pipeline) => (false, self.pipeline(pipeline, depth)?),
                });
            }
            read.push(AndOrList {
                first,
                rest,
                background: matches!(separator, ast::SeparatorOperator::Async),
            });
        }
        Ok(read)
    }
    /// Notes the values that the only command of a pipeline assigns.
    fn assigned(&mut self, pipeline: &Pipeline, source: &ast::Pipeline) {
        let [CommandTree::Simple(simple)] = &pipeline.parts[..] else { return };
        let [ast::Command::Simple(source)] = &source.seq[..] else { return };
        let items = source.prefix.iter().flat_map(|prefix| &prefix.0);
        let is_plain = |item: &ast::CommandPrefixOrSuffixItem| match item {
            ast::CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) => {
                let is_scalar = matches!(assignment.value, ast::AssignmentValue::Scalar(_));
                is_scalar
                    && !assignment.append
                    && matches!(assignment.name, ast::AssignmentName::VariableName(_))
            }
            _ => false,
        };
        if !self.follows || !simple.words.is_empty() || !items.into_iter().all(is_plain) {
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
    fn pipeline(&mut self, pipeline: &ast::Pipeline, depth: usize) -> Result<Pipeline, &'static str> {
        let mut parts = Vec::new();
        for part in &pipeline.seq {
            let fed = parts.last().filter(|_| !self.changes.functions).and_then(fed_by);
            self.fed.clone_from(&fed);
            let mut tree = self.command(part, depth + 1)?;
            if let CommandTree::Simple(simple) = &mut tree {
                simple.fed = fed;
            }
            parts.push(tree);
        }
        self.fed = None;
        Ok(Pipeline { negated: pipeline.bang, parts })
    }
    fn command(&mut self, command: &ast::Command, depth: usize) -> Result<CommandTree, &'static str> {
        match command {
            ast::Command::Simple(simple) => self.simple(simple),
            ast::Command::Compound(compound, redirects) => {
                let tree = self.compound(compound, depth)?;
                self.with(redirects.as_ref(), tree)
            }
            ast::Command::Function(function) => {
                let ast::FunctionBody(body, redirects) = &function.body;
                let tree = self.compound(body, depth)?;
                let tree = self.with(redirects.as_ref(), tree)?;
                Ok(CommandTree::Function(function.fname.value.clone(), Box::new(tree)))
            }
            ast::Command::ExtendedTest(test, redirects) => {
                let mut inner = Inner::default();
                let mut open = vec![&test.expr];
                while let Some(expression) = open.pop() {
                    match expression {
                        ast::ExtendedTestExpr::And(a, b) | ast::ExtendedTestExpr::Or(a, b) => {
                            open.extend([&**b, &**a]);
                        }
                        ast::ExtendedTestExpr::Not(a) | ast::ExtendedTestExpr::Parenthesized(a) => {
                            open.push(a);
                        }
                        ast::ExtendedTestExpr::UnaryTest(_, word) => {
                            self.code.computes |= word.value.contains('[');
                            self.test_word(&word.value, &mut inner)?;
                        }
                        ast::ExtendedTestExpr::BinaryTest(predicate, a, b) => {
                            self.code.computes |= is_arithmetic(predicate);
                            self.test_word(&a.value, &mut inner)?;
                            self.test_word(&b.value, &mut inner)?;
                        }
                    }
                }
                let tree = CommandTree::With(inner, Box::new(CommandTree::Test));
                self.with(redirects.as_ref(), tree)
            }
        }
    }
    /// Words of `[[ .. ]]` may have brackets of patterns; they are read only for the commands that they run.
    fn test_word(&mut self, text: &str, inner: &mut Inner) -> Result<(), &'static str> {
        if text.contains(['$', '`']) {
            self.word(text, inner)?;
        }
        Ok(())
    }
    fn compound(
        &mut self,
        compound: &ast::CompoundCommand,
        depth: usize,
    ) -> Result<CommandTree, &'static str> {
        use ast::CompoundCommand as C;
        Ok(match compound {
            C::Arithmetic(arithmetic) => {
                // `( (a) )` is two subshells, not arithmetic.
                if !self.doubled(&arithmetic.loc) {
                    return Err("brackets that may be subshells or arithmetic");
                }
                self.arithmetic(&[Some(&arithmetic.expr)], CommandTree::Test)?
            }
            C::ArithmeticForClause(clause) => {
                let body = self.list(&clause.body.list, depth)?;
                let parts = [&clause.initializer, &clause.condition, &clause.updater].map(Option::as_ref);
                self.arithmetic(&parts, CommandTree::Loop(None, body))?
            }
            C::BraceGroup(group) => CommandTree::Group(self.list(&group.list, depth)?),
            C::Subshell(subshell) => CommandTree::Subshell(self.list(&subshell.list, depth)?),
            C::ForClause(clause) => {
                let mut inner = Inner::default();
                let mut values = Vec::new();
                for word in clause.values.iter().flatten() {
                    values.extend(self.words(&word.value, &mut inner)?);
                }
                let body = self.loop_body(clause, &values, depth)?;
                CommandTree::With(inner, Box::new(CommandTree::Loop(None, body)))
            }
            C::CaseClause(clause) => {
                let mut inner = Inner::default();
                self.word(&clause.value.value, &mut inner)?;
                let mut arms = Vec::new();
                for case in &clause.cases {
                    for pattern in &case.patterns {
                        self.test_word(&pattern.value, &mut inner)?;
                    }
                    let body = case.cmd.as_ref().map_or(Ok(List::new()), |list| self.list(list, depth))?;
                    arms.push((body, !matches!(case.post_action, ast::CaseItemPostAction::ExitCase)));
                }
                CommandTree::With(inner, Box::new(CommandTree::Case(arms)))
            }
            C::IfClause(clause) => {
                let mut arms = vec![(self.list(&clause.condition, depth)?, self.list(&clause.then, depth)?)];
                let mut otherwise = None;
                for part in clause.elses.iter().flatten() {
                    let body = self.list(&part.body, depth)?;
                    match &part.condition {
                        Some(condition) => arms.push((self.list(condition, depth)?, body)),
                        None => otherwise = Some(body),
                    }
                }
                CommandTree::If(arms, otherwise)
            }
            C::WhileClause(ast::WhileOrUntilClauseCommand(condition, body, _)) => {
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
                let body = self.list(&body.list, depth);
                self.variables = around;
                CommandTree::Loop(Some((condition, false)), body?)
            }
            C::UntilClause(ast::WhileOrUntilClauseCommand(condition, body, _)) => {
                CommandTree::Loop(Some((self.list(condition, depth)?, true)), self.list(&body.list, depth)?)
            }
            C::Coprocess(coprocess) => {
                let body = self.command(&coprocess.body, depth + 1)?;
                let first = Pipeline { negated: false, parts: vec![body] };
                CommandTree::Beside(vec![AndOrList { first, rest: Vec::new(), background: false }])
            }
        })
    }
    /// The body of a loop: for each of a few known values, or for what is known of all of them.
    fn loop_body(
        &mut self,
        clause: &ast::ForClauseCommand,
        values: &[ShellWord],
        depth: usize,
    ) -> Result<List, &'static str> {
        let name = &clause.variable_name;
        let is_known = self.follows && is_own_variable(name) && only_set_once(name, &self.text);
        let around = self.variables.clone();
        let value = loop_value(values).filter(|_| is_known);
        let body = match value {
            Some(LoopValue::Each(values)) if self.copies * values.len() <= COPIES => {
                self.copies *= values.len();
                let copies = self.each(clause, &values, depth);
                self.copies /= values.len();
                copies
            }
            value => {
                if let Some(LoopValue::Some(value)) = value {
                    self.variables.insert(name.clone(), value);
                }
                self.list(&clause.body.list, depth)
            }
        };
        self.variables = around;
        body
    }
    /// A choice between the bodies for these values; the body without a value if it defines functions.
    fn each(
        &mut self,
        clause: &ast::ForClauseCommand,
        values: &[ShellWord],
        depth: usize,
    ) -> Result<List, &'static str> {
        let mut arms = Vec::new();
        for value in values {
            self.variables.insert(clause.variable_name.clone(), value.clone());
            arms.push((self.list(&clause.body.list, depth)?, false));
        }
        if arms.iter().any(|(body, _)| has_functions(body)) {
            self.variables.remove(&clause.variable_name);
            return self.list(&clause.body.list, depth);
        }
        if arms.len() == 1 {
            return Ok(arms.remove(0).0);
        }
        let first = Pipeline { negated: false, parts: vec![CommandTree::Case(arms)] };
        Ok(vec![AndOrList { first, rest: Vec::new(), background: false }])
    }
    /// Whether a span begins with `((` and ends with `))`.
    fn doubled(&self, span: &SourceSpan) -> bool {
        let (start, end) = (span.start.index, span.end.index);
        let part = |from: usize, to: usize| self.characters.get(from..to);
        part(start, start + 2) == Some(&['(', '(']) && end >= 2 && part(end - 2, end) == Some(&[')', ')'])
    }
    fn with(
        &mut self,
        redirects: Option<&ast::RedirectList>,
        tree: CommandTree,
    ) -> Result<CommandTree, &'static str> {
        let Some(ast::RedirectList(redirects)) = redirects else { return Ok(tree) };
        let mut simple = Simple::default();
        for redirect in redirects {
            self.redirect(redirect, &mut simple)?;
        }
        simple.inner.redirects = simple.redirects;
        Ok(CommandTree::With(simple.inner, Box::new(tree)))
    }
    /// Arithmetic, which may run commands by substitutions.
    fn arithmetic(
        &mut self,
        parts: &[Option<&ast::UnexpandedArithmeticExpr>],
        tree: CommandTree,
    ) -> Result<CommandTree, &'static str> {
        let mut inner = Inner::default();
        for part in parts.iter().flatten() {
            if part.value.contains('`') {
                return Ok(CommandTree::Opaque("arithmetic with commands"));
            }
            self.code.computes |= computes(&part.value);
            // As between double quotes.
            self.expanded(&part.value, true, &mut inner)?;
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
            let arms = vec![(self.nested(text)?, false)];
            let first = Pipeline { negated: false, parts: vec![CommandTree::Case(arms)] };
            inner.before.push(vec![AndOrList { first, rest: Vec::new(), background: false }]);
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
    fn simple(&mut self, simple: &ast::SimpleCommand) -> Result<CommandTree, &'static str> {
        let mut read = Simple::default();
        let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
        for item in prefix {
            self.item(item, true, &mut read)?;
        }
        if let Some(name) = &simple.word_or_name {
            let words = self.words(&name.value, &mut read.inner)?;
            read.words.extend(words);
        }
        for item in suffix {
            self.item(item, false, &mut read)?;
        }
        self.code.computes |= evaluates(&read.words);
        Ok(CommandTree::Simple(Box::new(read)))
    }
    fn item(
        &mut self,
        item: &ast::CommandPrefixOrSuffixItem,
        prefix: bool,
        read: &mut Simple,
    ) -> Result<(), &'static str> {
        use ast::CommandPrefixOrSuffixItem as Item;
        match item {
            Item::IoRedirect(redirect) => self.redirect(redirect, read)?,
            Item::Word(word) => {
                let words = self.words(&word.value, &mut read.inner)?;
                read.words.extend(words);
            }
            Item::AssignmentWord(assignment, raw) => {
                let value = match &assignment.value {
                    ast::AssignmentValue::Scalar(word) => self.word(&word.value, &mut read.inner)?,
                    ast::AssignmentValue::Array(elements) => {
                        for word in elements.iter().flat_map(|(key, value)| key.iter().chain([value])) {
                            self.word(&word.value, &mut read.inner)?;
                        }
                        ShellWord::unknown()
                    }
                };
                let name = match &assignment.name {
                    ast::AssignmentName::VariableName(name) => name.clone(),
                    ast::AssignmentName::ArrayElementName(name, index) => {
                        self.code.computes |= computes(index);
                        self.word(index, &mut read.inner)?;
                        name.clone()
                    }
                };
                if prefix {
                    read.assignments.push((name, value));
                } else if matches!(assignment.value, ast::AssignmentValue::Array(_)) {
                    read.words.push(ShellWord::unknown());
                } else {
                    let mut ignored = Inner::default();
                    let words = self.words(&raw.value, &mut ignored)?;
                    read.words.extend(words);
                }
            }
            Item::ProcessSubstitution(_, subshell) => {
                let list = self.list(&subshell.list, 0)?;
                read.inner.beside.push(list);
                let pieces = vec![WordPiece::Text("/dev/fd/".to_owned()), WordPiece::Plain];
                read.words.push(ShellWord { pieces, ..ShellWord::default() });
            }
        }
        Ok(())
    }
    fn redirect(&mut self, redirect: &ast::IoRedirect, read: &mut Simple) -> Result<(), &'static str> {
        match redirect {
            ast::IoRedirect::File(_, kind, target) => {
                use ast::IoFileRedirectKind as Kind;
                let kind = match kind {
                    Kind::Read | Kind::DuplicateInput => RedirectKind::Read,
                    Kind::Write | Kind::Clobber | Kind::DuplicateOutput => RedirectKind::Write,
                    Kind::Append => RedirectKind::Append,
                    Kind::ReadAndWrite => RedirectKind::ReadWrite,
                };
                match target {
                    ast::IoFileRedirectTarget::Filename(file) => {
                        let target = self.word(&file.value, &mut read.inner)?;
                        read.redirects.push(Redirect { kind, target });
                        read.redirected = true;
                    }
                    ast::IoFileRedirectTarget::Fd(_) => {}
                    ast::IoFileRedirectTarget::ProcessSubstitution(_, subshell) => {
                        let list = self.list(&subshell.list, 0)?;
                        read.inner.beside.push(list);
                    }
                    ast::IoFileRedirectTarget::Duplicate(word) => {
                        let target = self.word(&word.value, &mut read.inner)?;
                        let descriptor =
                            |text: &str| text == "-" || text.trim_end_matches('-').parse::<u32>().is_ok();
                        if !target.text().is_some_and(descriptor) {
                            read.redirects.push(Redirect { kind, target });
                            read.redirected = true;
                        }
                    }
                }
            }
            // They were taken out before.
            ast::IoRedirect::HereDocument(..) => return Err("not a script"),
            ast::IoRedirect::HereString(descriptor, word) => {
                let text = self.input(&word.value, &mut read.inner)?;
                if descriptor.is_none_or(|descriptor| descriptor == 0) {
                    read.input = Some(text);
                }
            }
            ast::IoRedirect::OutputAndError(word, append) => {
                let target = self.word(&word.value, &mut read.inner)?;
                let kind = if *append { RedirectKind::Append } else { RedirectKind::Write };
                read.redirects.push(Redirect { kind, target });
                read.redirected = true;
            }
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
    let texts = texts?;
    let known = |text: &str| Some(ShellWord::literal(text.trim_end_matches('\n')));
    match (&texts[..], &own.input) {
        (["cat"], Some(input)) => {
            let mut output = input.clone();
            if let Some(WordPiece::Text(last)) = output.pieces.last_mut() {
                last.truncate(last.trim_end_matches('\n').len());
            }
            Some(output)
        }
        (["echo", rest @ ..], None)
            if rest.iter().all(|text| !text.starts_with('-') && !text.contains('\\')) =>
        {
            known(&rest.join(" "))
        }
        (["printf", format, rest @ ..], None) if !format.starts_with('-') => {
            // The beginning is known up to the first escape.
            match format.find(['%', '\\']) {
                None if rest.is_empty() => known(format),
                Some(at) if at > 0 => {
                    let pieces = vec![WordPiece::Text(format[..at].to_owned()), WordPiece::Any];
                    Some(ShellWord { pieces, ..ShellWord::default() })
                }
                _ => None,
            }
        }
        _ => None,
    }
}
