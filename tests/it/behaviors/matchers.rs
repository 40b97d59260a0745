//! Matchers for emitted grammars that share no code with the emitter: regular expressions and Lark terminals by lazy
//! DFAs, GBNF by sets of stacks. Each detects when no continuation of a text can match.

use regex_automata::Input;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::syntax;
use std::collections::{BTreeMap, BTreeSet};

/// A grammar as an automaton that reads text piece by piece.
pub(super) trait Matcher {
    type State: Clone;
    fn start(&mut self) -> Self::State;
    fn feed(&mut self, state: &Self::State, text: &str) -> Self::State;
    fn is_dead(&self, state: &Self::State) -> bool;
    fn accepts(&mut self, state: &Self::State) -> bool;
    fn matches(&mut self, text: &str) -> bool {
        let start = self.start();
        let state = self.feed(&start, text);
        self.accepts(&state)
    }
}

pub(super) struct Regex {
    dfa: DFA,
    cache: Cache,
}

impl Regex {
    pub(super) fn new(pattern: &str) -> Self {
        // Texts are matched from their first byte to their last.
        let dfa = DFA::builder()
            .configure(DFA::config().cache_capacity(64 << 20))
            .syntax(syntax::Config::new().unicode(true))
            .build(&format!("\\A(?:{pattern})\\z"))
            .unwrap_or_else(|error| panic!("{error}: {pattern}"));
        let cache = dfa.create_cache();
        Self { dfa, cache }
    }
}

impl Matcher for Regex {
    type State = LazyStateID;
    fn start(&mut self) -> LazyStateID {
        self.dfa.start_state_forward(&mut self.cache, &Input::new("")).expect("a start")
    }
    fn feed(&mut self, state: &LazyStateID, text: &str) -> LazyStateID {
        text.bytes().fold(*state, |state, byte| {
            self.dfa.next_state(&mut self.cache, state, byte).expect("room for states")
        })
    }
    fn is_dead(&self, state: &LazyStateID) -> bool {
        state.is_dead()
    }
    fn accepts(&mut self, state: &LazyStateID) -> bool {
        self.dfa.next_eoi_state(&mut self.cache, *state).expect("room for states").is_match()
    }
}

/// The regular expression of a structural tag: texts and patterns one after another.
pub(super) fn structural_tag(tag: &serde_json::Value) -> String {
    fn of(format: &serde_json::Value) -> String {
        match format["type"].as_str() {
            Some("const_string") => regex::escape(format["value"].as_str().expect("a text")),
            Some("regex") => format!("(?:{})", format["pattern"].as_str().expect("a pattern")),
            Some("sequence") => format["elements"].as_array().expect("elements").iter().map(of).collect(),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(tag["type"], "structural_tag");
    of(&tag["format"])
}

/// The regular expression of a Lark grammar of one terminal that names others.
pub(super) fn lark(grammar: &str) -> String {
    let rules: BTreeMap<&str, &str> =
        grammar.lines().map(|line| line.split_once(": ").expect("NAME: ...")).collect();
    assert_eq!(rules["start"], "SEGMENT");
    terminal(rules["SEGMENT"], &rules)
}

fn terminal(text: &str, rules: &BTreeMap<&str, &str>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            ' ' => 1,
            '"' => {
                let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                let text = stream.next().expect("a text").expect("a text");
                out.extend(["(?:", &*regex::escape(&text), ")"]);
                stream.byte_offset()
            }
            '/' => {
                let mut end = 1;
                while !rest[end..].starts_with('/') {
                    end += if rest[end..].starts_with('\\') { 2 } else { 1 };
                    while !rest.is_char_boundary(end) {
                        end += 1;
                    }
                }
                out.extend(["(?:", &rest[1..end], ")"]);
                end + 1
            }
            'A'..='Z' => {
                let end = rest.find(|c: char| !(c.is_ascii_uppercase() || c == '_')).unwrap_or(rest.len());
                out.extend(["(?:", &*terminal(rules[&rest[..end]], rules), ")"]);
                end
            }
            '(' => {
                out += "(?:";
                1
            }
            ')' | '|' | '*' | '?' => {
                out.push(c);
                1
            }
            other => panic!("{other:?} in a terminal"),
        };
        rest = &rest[taken..];
    }
    out
}

/// A symbol in a rule of GBNF.
#[derive(Clone, Debug)]
enum Part {
    Char(char),
    Not(BTreeSet<char>),
    Rule(usize),
}

/// A grammar in GBNF: alternatives of parts for each rule.
pub(super) struct Gbnf {
    rules: Vec<Vec<Vec<Part>>>,
    root: usize,
}

/// The open rules of one parse, innermost last: rule, alternative and position in it.
type Stack = Vec<(usize, usize, usize)>;

struct GbnfReader<'g> {
    rest: &'g str,
    names: BTreeMap<String, usize>,
    rules: Vec<Vec<Vec<Part>>>,
}

impl GbnfReader<'_> {
    fn rule(&mut self, name: &str) -> usize {
        let fresh = self.rules.len();
        let id = *self.names.entry(name.into()).or_insert(fresh);
        if id == fresh {
            self.rules.push(Vec::new());
        }
        id
    }
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(' ');
    }
    fn character(&mut self) -> char {
        let c = self.rest.chars().next().expect("a character");
        self.rest = &self.rest[c.len_utf8()..];
        if c != '\\' {
            return c;
        }
        let kind = self.rest.chars().next().expect("an escape");
        self.rest = &self.rest[1..];
        let digits = match kind {
            'n' => return '\n',
            'x' => 2,
            'u' => 4,
            'U' => 8,
            other => panic!("\\{other}"),
        };
        let (code, rest) = self.rest.split_at(digits);
        self.rest = rest;
        char::from_u32(u32::from_str_radix(code, 16).expect("hexadecimal")).expect("a character")
    }
    fn alternatives(&mut self) -> Vec<Vec<Part>> {
        let mut all = vec![Vec::new()];
        loop {
            self.blanks();
            let Some(c) = self.rest.chars().next() else { return all };
            // The parts of the last item, to which a `*` or `?` applies.
            let item: Vec<Part> = match c {
                ')' => return all,
                '|' => {
                    self.rest = &self.rest[1..];
                    all.push(Vec::new());
                    continue;
                }
                '(' => {
                    self.rest = &self.rest[1..];
                    let inner = self.alternatives();
                    assert!(self.rest.starts_with(')'), "{}", self.rest);
                    self.rest = &self.rest[1..];
                    self.rules.push(inner);
                    vec![Part::Rule(self.rules.len() - 1)]
                }
                '"' => {
                    self.rest = &self.rest[1..];
                    let mut text = Vec::new();
                    while !self.rest.starts_with('"') {
                        text.push(Part::Char(self.character()));
                    }
                    self.rest = &self.rest[1..];
                    text
                }
                '[' => {
                    self.rest = self.rest.strip_prefix("[^").expect("only negated sets");
                    let mut set = BTreeSet::new();
                    while !self.rest.starts_with(']') {
                        set.insert(self.character());
                    }
                    self.rest = &self.rest[1..];
                    vec![Part::Not(set)]
                }
                _ => {
                    let end = self.rest.find([' ', ')', '*', '?']).unwrap_or(self.rest.len());
                    let (name, rest) = self.rest.split_at(end);
                    self.rest = rest;
                    vec![Part::Rule(self.rule(name))]
                }
            };
            let last = all.last_mut().expect("at least one");
            if let Some(suffix) = self.rest.chars().next().filter(|c| matches!(c, '*' | '?')) {
                self.rest = &self.rest[1..];
                let own = self.rules.len();
                let mut again = item;
                if suffix == '*' {
                    again.push(Part::Rule(own));
                }
                self.rules.push(vec![Vec::new(), again]);
                last.push(Part::Rule(own));
            } else {
                last.extend(item);
            }
        }
    }
}

impl Gbnf {
    pub(super) fn new(grammar: &str) -> Self {
        let mut reader = GbnfReader { rest: "", names: BTreeMap::new(), rules: Vec::new() };
        // Named rules have the first indices; rules for groups come after them.
        for line in grammar.lines() {
            reader.rule(line.split_once(" ::= ").expect("a rule").0);
        }
        for line in grammar.lines() {
            let (name, body) = line.split_once(" ::= ").expect("a rule");
            let id = reader.rule(name);
            let mut inner = GbnfReader { rest: body, names: reader.names, rules: reader.rules };
            let alternatives = inner.alternatives();
            assert!(inner.rest.is_empty(), "{}", inner.rest);
            inner.rules[id] = alternatives;
            (reader.names, reader.rules) = (inner.names, inner.rules);
        }
        Self { root: reader.names["root"], rules: reader.rules }
    }

    /// The ε-closure: the stacks whose next symbol reads a character, and the empty stack if it is reached.
    fn close(&self, start: Vec<Stack>) -> BTreeSet<Stack> {
        let (mut ready, mut seen, mut todo) = (BTreeSet::new(), BTreeSet::new(), start);
        while let Some(mut stack) = todo.pop() {
            if !seen.insert(stack.clone()) {
                continue;
            }
            let Some(&(rule, choice, at)) = stack.last() else {
                ready.insert(stack);
                continue;
            };
            match self.rules[rule][choice].get(at) {
                None => {
                    stack.pop();
                    todo.push(stack);
                }
                Some(Part::Rule(inner)) => {
                    stack.pop();
                    // No return position after the last part, so that right recursion does not grow the stack.
                    if at + 1 < self.rules[rule][choice].len() {
                        stack.push((rule, choice, at + 1));
                    }
                    for choice in 0..self.rules[*inner].len() {
                        let mut next = stack.clone();
                        next.push((*inner, choice, 0));
                        todo.push(next);
                    }
                }
                Some(_) => {
                    ready.insert(stack);
                }
            }
        }
        ready
    }
}

impl Matcher for Gbnf {
    type State = BTreeSet<Stack>;
    fn start(&mut self) -> Self::State {
        self.close((0..self.rules[self.root].len()).map(|choice| vec![(self.root, choice, 0)]).collect())
    }
    fn feed(&mut self, state: &Self::State, text: &str) -> Self::State {
        text.chars().fold(state.clone(), |state, c| {
            let mut next = Vec::new();
            for stack in &state {
                let Some(&(rule, choice, at)) = stack.last() else { continue };
                let fits = match &self.rules[rule][choice][at] {
                    Part::Char(own) => *own == c,
                    Part::Not(set) => !set.contains(&c),
                    Part::Rule(_) => false,
                };
                if fits {
                    let mut stack = stack.clone();
                    stack.last_mut().expect("it has one").2 += 1;
                    next.push(stack);
                }
            }
            self.close(next)
        })
    }
    fn is_dead(&self, state: &Self::State) -> bool {
        state.is_empty()
    }
    fn accepts(&mut self, state: &Self::State) -> bool {
        state.contains(&Vec::new())
    }
}

#[test]
fn the_readers_read() {
    let mut gbnf = Gbnf::new("root ::= \"a\" n2 | (\"b\" [^\\x41c])*\nn2 ::= \"\\u00E4\" n2 | \"\"");
    for (text, good) in [("a", true), ("aää", true), ("", true), ("bxby", true), ("bA", false), ("ab", false)]
    {
        assert_eq!(gbnf.matches(text), good, "{text}");
    }
    let pattern = lark("start: SEGMENT\nSEGMENT: (\"a.\" TEXT | \"\\u000a\")?\nTEXT: /[^\\/b]/");
    let mut regex = Regex::new(&pattern);
    for (text, good) in [("a.x", true), ("\n", true), ("", true), ("a.b", false), ("abx", false)] {
        assert_eq!(regex.matches(text), good, "{text}");
    }
}
