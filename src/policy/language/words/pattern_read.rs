//! Parses the named patterns: `push requires tests since edit`.

use super::hints::{forms, unknown_name};
use super::names::{NameKind, PolicyNames, outcome};
use super::pattern::{LawPattern, NameCondition, PatternSubject, Reset, Window};
use super::refused::Refused;
use std::ops::Range;
use tsl_synth_core::diag::Code;
use tsl_synth_ltl::spelling::nearest;

/// The largest length of a rule in bytes.
const LONGEST: usize = 10_000;
/// The largest nesting depth of parentheses in a rule.
const DEEPEST: usize = 100;
/// The largest distance of `A within N of B`.
const FARTHEST: u32 = 100;
/// The keywords of patterns. A name that equals one of them is written in double quotes.
const KEYWORDS: &[&str] = &[
    "requires",
    "before",
    "since",
    "forbids",
    "after",
    "then",
    "eventually",
    "immediately",
    "at",
    "most",
    "per",
    "never",
    "while",
    "only",
    "unless",
    "within",
    "of",
    "ask",
    "each",
    "first",
    "between",
    "and",
    "or",
    "not",
    "end",
];

#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternToken {
    Word(String),
    Name(String),
    Symbol(char),
}

/// Reads a rule as [`read_pattern`](super::read_pattern) does, without a suggestion for one in plain English.
pub(super) fn parse_pattern(text: &str, names: &PolicyNames) -> Result<LawPattern, Refused> {
    if text.len() > LONGEST {
        let message = format!("this rule has {} bytes, more than {LONGEST}", text.len());
        return Err(Refused::new(Code::RULE_FORM, 0..0, message));
    }
    let tokens = tokens(text)?;
    let mut reader = PatternReader { tokens, at: 0, end: text.trim_end().len(), names, depth: 0 };
    let pattern = reader.pattern().and_then(|pattern| match reader.tokens.get(reader.at) {
        None => Ok(pattern),
        Some((_, range)) => {
            let message = format!("expected the end of the rule, found `{}`", &text[range.clone()]);
            let hint = "one rule is one pattern; write several rules as several laws";
            Err(Refused::new(Code::RULE_FORM, range.clone(), message).hint(hint))
        }
    });
    pattern.map_err(|refused| {
        if let Some(hint) = in_parentheses(text, &refused) {
            return Refused { hints: vec![hint], ..refused };
        }
        let word = text.get(refused.range.clone()).unwrap_or_default().to_lowercase();
        if refused.code == Code::RULE_FORM && BEFORE_ARGUMENTS.contains(&word.as_str()) {
            refused.hint(
                "which calls are meant is said by a table, `[[match]]`, that makes them an action of their own: \
                 with `where`, or `program`, `flags` and `operands`",
            )
        } else {
            refused
        }
    })
}

/// The advice for `A or B` and `A and B` without parentheses, which are one condition with them.
fn in_parentheses(text: &str, refused: &Refused) -> Option<String> {
    let link = text.get(refused.range.clone()).filter(|_| refused.code == Code::RULE_FORM)?;
    let (before, after) = (text[..refused.range.start].trim_end(), text[refused.range.end..].trim_start());
    let first = before.rsplit(char::is_whitespace).next().filter(|first| !first.is_empty())?;
    let second = after.split(char::is_whitespace).next().filter(|second| !second.is_empty())?;
    let begin = &before[..before.len() - first.len()];
    let rest = &after[second.len()..];
    match link {
        "or" | "," => Some(format!(
            "`{begin}({first} | {second}){rest}` is one rule about both together; a law for each is about each of them alone"
        )),
        "and" => Some(format!(
            "one call is not both: a law for each is about each of them, `{begin}({first} | {second}){rest}` about both together"
        )),
        _ => None,
    }
}

/// Words that begin what a call is about: `never push to main`.
const BEFORE_ARGUMENTS: [&str; 9] = ["to", "into", "onto", "on", "from", "in", "with", "for", "at"];

fn tokens(text: &str) -> Result<Vec<(PatternToken, Range<usize>)>, Refused> {
    let mut found = Vec::new();
    let mut chars = text.char_indices().peekable();
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '\'' | ':');
    while let Some((start, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut end = start + c.len_utf8();
        let token = match c {
            '(' | ')' | '!' | '~' => PatternToken::Symbol(if c == '~' { '!' } else { c }),
            '&' | '|' => {
                if chars.peek().is_some_and(|(_, next)| *next == c) {
                    chars.next();
                    end += 1;
                }
                PatternToken::Symbol(c)
            }
            '"' | '`' => {
                let quote = c;
                let mut name = String::new();
                let mut closed = false;
                while let Some((at, c)) = chars.next() {
                    end = at + c.len_utf8();
                    match c {
                        c if c == quote => {
                            closed = true;
                            break;
                        }
                        '\\' => {
                            if let Some((at, c)) = chars.next() {
                                end = at + c.len_utf8();
                                name.push(c);
                            }
                        }
                        _ => name.push(c),
                    }
                }
                if !closed {
                    let message = "expected the quote after a name that begins with one";
                    return Err(Refused::new(Code::RULE_FORM, start..end, message));
                }
                PatternToken::Name(name)
            }
            c if part(c) => {
                while let Some((at, c)) = chars.peek().copied().filter(|(_, c)| part(*c)) {
                    end = at + c.len_utf8();
                    chars.next();
                }
                PatternToken::Word(text[start..end].to_owned())
            }
            _ => {
                let message = format!("`{}` means nothing in a rule", c.escape_debug());
                let hint =
                    "a rule is words, names, parentheses, `!`, `&` and `|`; LTL belongs into `ltl = \"..\"`";
                return Err(Refused::new(Code::RULE_FORM, start..end, message).hint(hint));
            }
        };
        found.push((token, start..end));
    }
    Ok(found)
}

struct PatternReader<'a> {
    tokens: Vec<(PatternToken, Range<usize>)>,
    at: usize,
    end: usize,
    names: &'a PolicyNames,
    depth: usize,
}

impl PatternReader<'_> {
    fn word(&self) -> Option<&str> {
        match self.tokens.get(self.at) {
            Some((PatternToken::Word(word), _)) => Some(word),
            _ => None,
        }
    }
    fn range(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(self.end..self.end, |(_, range)| range.clone())
    }
    fn shown(&self) -> String {
        match self.tokens.get(self.at) {
            None => "the end of the rule".into(),
            Some((PatternToken::Word(text) | PatternToken::Name(text), _)) => format!("`{text}`"),
            Some((PatternToken::Symbol(c), _)) => format!("`{c}`"),
        }
    }
    /// Consumes the next word if it is this one.
    fn takes(&mut self, word: &str) -> bool {
        let found = self.word() == Some(word);
        self.at += usize::from(found);
        found
    }
    fn symbol(&mut self, symbol: char) -> bool {
        let found = matches!(self.tokens.get(self.at), Some((PatternToken::Symbol(c), _)) if *c == symbol);
        self.at += usize::from(found);
        found
    }
    /// The error that one of these words was expected.
    fn expected(&self, words: &[&str], hint: &str) -> Refused {
        let quoted = |word: &&str| if word.contains(' ') { (*word).to_owned() } else { format!("`{word}`") };
        let list: Vec<String> = words.iter().map(quoted).collect();
        let message = format!("expected {}, found {}", list.join(" or "), self.shown());
        let refused = Refused::new(Code::RULE_FORM, self.range(), message);
        let lower = self.word().map(str::to_lowercase);
        match lower.as_deref().and_then(|word| nearest(word, words.iter().copied())) {
            Some(word) => refused.hint(format!("did you mean `{word}`?")),
            None if hint.is_empty() => refused,
            None => refused.hint(hint),
        }
    }
    fn expect(&mut self, word: &str, hint: &str) -> Result<(), Refused> {
        if self.takes(word) { Ok(()) } else { Err(self.expected(&[word], hint)) }
    }

    fn pattern(&mut self) -> Result<LawPattern, Refused> {
        if self.tokens.is_empty() {
            return Err(Refused::new(Code::RULE_FORM, 0..0, "this rule is empty").hint(forms("")));
        }
        let next_is = |reader: &Self, word: &str| matches!(reader.tokens.get(reader.at + 1), Some((PatternToken::Word(next), _)) if next == word);
        match self.word() {
            Some("at") if next_is(self, "most") || !next_is(self, "requires") => self.at_most(),
            Some("never") => self.never(),
            Some("ask") if next_is(self, "before") => self.ask(),
            Some("end") => {
                self.at += 1;
                self.expect("requires", "the pattern is `end requires B`")?;
                Ok(LawPattern::EndRequires { needed: self.condition()? })
            }
            Some("after") => {
                self.at += 1;
                let trigger = self.condition()?;
                let hint = "the pattern is `after A end requires B`; `A then B eventually` and `B forbids A after` are others";
                self.expect("end", hint)?;
                self.expect("requires", hint)?;
                Ok(LawPattern::AfterEndRequires { trigger, needed: self.condition()? })
            }
            _ => self.with_subject(),
        }
    }

    /// `never A`, `never A while P`, `never A unless B`
    fn never(&mut self) -> Result<LawPattern, Refused> {
        self.at += 1;
        let what = self.condition()?;
        if self.at == self.tokens.len() {
            return Ok(LawPattern::AtMost { most: 0, what, reset: Reset::Never });
        }
        if self.takes("unless") {
            return self.unless(what);
        }
        if !self.takes("while") {
            let hint = "the patterns are `never A`, `never A while P` and `never A unless B`";
            return Err(self.expected(&["while", "unless", "the end of the rule"], hint));
        }
        let start = self.range();
        let state = self.condition()?;
        self.only_states(&state, start.start)?;
        Ok(LawPattern::NeverWhile { what, state })
    }

    /// What makes an exception: a proposition holds in the letter of A, an action has succeeded before.
    fn unless(&mut self, what: NameCondition) -> Result<LawPattern, Refused> {
        let range = self.range();
        let unless = self.condition()?;
        if !unless.mentions_an_action() {
            return Ok(LawPattern::NeverWhile { what, state: NameCondition::Not(Box::new(unless)) });
        }
        let is_event = |subject: &PatternSubject| {
            matches!(subject, PatternSubject::Action(_) | PatternSubject::Outcome(..))
        };
        if unless.subjects().iter().all(|subject| is_event(subject)) {
            return Ok(LawPattern::RequiresBefore { what, needed: unless });
        }
        let message = "`unless` is about propositions, which hold with A, or about actions, which have succeeded before it";
        let hint = "two laws say both, or `ltl = \"..\"`";
        Err(Refused::new(Code::RULE_KIND, range, message).hint(hint))
    }

    /// `ask before each A`, `ask before each A unless B`, `ask before first A`
    fn ask(&mut self) -> Result<LawPattern, Refused> {
        self.at += 2;
        let first = self.takes("first");
        if !first {
            self.expect("each", "the patterns are `ask before each A` and `ask before first A`")?;
        }
        let start = self.range();
        let what = self.condition()?;
        if let Some(other) = what.subjects().into_iter().find(|s| !matches!(s, PatternSubject::Action(_)))
            && first
        {
            let message = format!("`ask before first` is about actions, and `{}` is none", other.name());
            return Err(Refused::new(Code::RULE_KIND, start, message));
        }
        let unless = if !first && self.takes("unless") {
            let start = self.range();
            let unless = self.condition()?;
            if unless.mentions_an_action() {
                let message = "`unless` is here about propositions, which hold with A";
                return Err(Refused::new(Code::RULE_KIND, start, message));
            }
            Some(unless)
        } else {
            None
        };
        Ok(LawPattern::Ask { what, first, unless })
    }

    /// The patterns that begin with a condition.
    fn with_subject(&mut self) -> Result<LawPattern, Refused> {
        let what = self.condition()?;
        if self.takes("requires") {
            let needed = self.condition()?;
            if self.takes("before") {
                return Ok(LawPattern::RequiresBefore { what, needed });
            }
            if self.takes("since") {
                return Ok(LawPattern::RequiresSince { what, needed, since: self.condition()? });
            }
            return Err(self.expected(
                &["before", "since"],
                "the patterns are `A requires B before` and `A requires B since C`",
            ));
        }
        if self.takes("forbids") {
            let forbidden = self.condition()?;
            self.expect("after", "the pattern is `B forbids A after`")?;
            return Ok(LawPattern::ForbidsAfter { trigger: what, forbidden });
        }
        if self.takes("then") {
            let start = self.range().start;
            let owed = self.condition()?;
            let end = self.tokens.get(self.at.saturating_sub(1)).map_or(start, |(_, range)| range.end);
            if self.takes("eventually") {
                can_be_awaited(&owed, start..end)?;
                return Ok(LawPattern::ThenEventually { trigger: what, owed });
            }
            if self.takes("immediately") {
                return Ok(LawPattern::ThenImmediately { trigger: what, owed });
            }
            return Err(self.expected(
                &["eventually", "immediately"],
                "the patterns are `A then B eventually` and `A then B immediately`",
            ));
        }
        if self.takes("unless") {
            return self.unless(what);
        }
        if self.takes("within") {
            return self.within(what);
        }
        if self.takes("only") {
            let hint = "the pattern is `A only between B and C`";
            self.expect("between", hint)?;
            let open = self.condition()?;
            self.expect("and", hint)?;
            return Ok(LawPattern::OnlyBetween { what, open, close: self.condition()? });
        }
        let word = self.word().unwrap_or_default().to_lowercase();
        Err(self.expected(&["requires", "forbids", "then", "only", "unless", "within"], &forms(&word)))
    }

    /// `A within N of B`
    fn within(&mut self, what: NameCondition) -> Result<LawPattern, Refused> {
        let hint = "the pattern is `A within N of B`: at most N steps after B";
        let most = self.word().and_then(|word| word.parse::<u32>().ok());
        let Some(most) = most.filter(|most| (1..=FARTHEST).contains(most)) else {
            let message = format!("expected a number from 1 to {FARTHEST}, found {}", self.shown());
            return Err(Refused::new(Code::RULE_FORM, self.range(), message).hint(hint));
        };
        self.at += 1;
        self.expect("of", hint)?;
        Ok(LawPattern::Within { what, most, of: self.condition()? })
    }

    fn at_most(&mut self) -> Result<LawPattern, Refused> {
        self.at += 1;
        let hint = "the patterns are `at most N A`, `at most N A since B`, `at most N A per WINDOW` and `at most N distinct V in A`";
        self.expect("most", hint)?;
        let number = self.word().map(str::to_owned).unwrap_or_default();
        let Ok(most) = number.parse::<u32>() else {
            let is_large = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
            let message = if is_large {
                format!("expected a number up to {}, found {}", u32::MAX, self.shown())
            } else {
                format!("expected a number, found {}", self.shown())
            };
            return Err(Refused::new(Code::RULE_FORM, self.range(), message).hint(hint));
        };
        self.at += 1;
        if self.takes_distinct() {
            return self.distinct(most);
        }
        let what = self.condition()?;
        let reset = if self.takes("since") {
            Reset::Since(self.condition()?)
        } else if self.takes("per") {
            let window = self.window()?;
            let is_over_sessions = self.takes("over");
            if is_over_sessions {
                self.expect("sessions", "the pattern is `at most N A per WINDOW over sessions`")?;
            }
            Reset::Per(Window { is_over_sessions, ..window })
        } else {
            Reset::Never
        };
        Ok(LawPattern::AtMost { most, what, reset })
    }

    /// `distinct` before the name of a value and `in`; alone it is a name.
    fn takes_distinct(&mut self) -> bool {
        let word = |at: usize| match self.tokens.get(at) {
            Some((PatternToken::Word(word), _)) => Some(word.as_str()),
            _ => None,
        };
        let is_meant = word(self.at) == Some("distinct") && word(self.at + 2) == Some("in");
        self.at += usize::from(is_meant);
        is_meant
    }
    /// `V in A`, `V in A since B`
    fn distinct(&mut self, most: u32) -> Result<LawPattern, Refused> {
        let Some((PatternToken::Word(name) | PatternToken::Name(name), _)) = self.tokens.get(self.at) else {
            let hint = "`at most N distinct V in A` counts the values that tables bind to V";
            return Err(self.expected(&["the name of a bound value"], hint));
        };
        let value = name.as_str().into();
        self.at += 1;
        self.expect("in", "the pattern is `at most N distinct V in A`")?;
        let what = self.condition()?;
        let since = if self.takes("since") { Some(self.condition()?) } else { None };
        if self.word() == Some("per") {
            let message = "distinct values are not counted per time";
            let hint = "`since` counts anew; `at most N A per WINDOW` counts all calls";
            return Err(Refused::new(Code::RULE_FORM, self.range(), message.to_owned()).hint(hint));
        }
        Ok(LawPattern::AtMostDistinct { most, value, what, since })
    }

    /// `60s`, `5 min`, `hour`
    fn window(&mut self) -> Result<Window, Refused> {
        let range = self.range();
        let word = self.word().unwrap_or_default().to_owned();
        let (count, unit) = number_and_unit(&word);
        let (count, mut unit) = (count.to_owned(), unit.to_owned());
        self.at += usize::from(!word.is_empty());
        if unit.is_empty()
            && let Some(next) = self.word().map(str::to_owned)
        {
            self.at += 1;
            unit = next;
        }
        length(&count, &unit).ok_or_else(|| {
            let message = format!("expected a length of time after `per`, found `{word}`");
            let hint = "for example `60s`, `5min`, `1h`, `day`";
            Refused::new(Code::RULE_FORM, range, message).hint(hint)
        })
    }

    /// A disjunction; `&` binds tighter than `|`, and `!` tightest.
    fn condition(&mut self) -> Result<NameCondition, Refused> {
        let mut any = vec![self.conjunction()?];
        while self.symbol('|') || (self.depth > 0 && self.takes("or")) {
            any.push(self.conjunction()?);
        }
        Ok(if any.len() == 1 { any.remove(0) } else { NameCondition::Any(any) })
    }
    fn conjunction(&mut self) -> Result<NameCondition, Refused> {
        let mut all = vec![self.literal()?];
        while self.symbol('&') || (self.depth > 0 && self.takes("and")) {
            all.push(self.literal()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { NameCondition::All(all) })
    }
    fn literal(&mut self) -> Result<NameCondition, Refused> {
        let start = self.range();
        let mut positive = true;
        while self.symbol('!') || self.takes("not") {
            positive = !positive;
        }
        let inner = if self.symbol('(') {
            self.depth += 1;
            if self.depth > DEEPEST {
                let message = format!("parentheses are nested deeper than {DEEPEST}");
                return Err(Refused::new(Code::RULE_FORM, start, message));
            }
            let inner = self.condition()?;
            if !self.symbol(')') {
                let message = format!("expected `)`, found {}", self.shown());
                return Err(Refused::new(Code::RULE_FORM, self.range(), message)
                    .hint("only `&`, `|` and `!` stand between parentheses"));
            }
            self.depth -= 1;
            inner
        } else {
            NameCondition::Is(self.subject()?)
        };
        Ok(if positive { inner } else { NameCondition::Not(Box::new(inner)) })
    }

    fn subject(&mut self) -> Result<PatternSubject, Refused> {
        let range = self.range();
        let (name, quoted) = match self.tokens.get(self.at) {
            Some((PatternToken::Word(word), _)) => (word.clone(), false),
            Some((PatternToken::Name(name), _)) => (name.clone(), true),
            _ => {
                let message = format!("expected a name or `(`, found {}", self.shown());
                return Err(Refused::new(Code::RULE_FORM, range, message));
            }
        };
        if !quoted && self.names.kind(&name).is_none() && KEYWORDS.contains(&name.as_str()) {
            let message = format!("expected a name or `(`, found the word `{name}`");
            let hint = "a name that is a word of the patterns is written between double quotes";
            return Err(Refused::new(Code::RULE_FORM, range, message).hint(hint));
        }
        self.at += 1;
        match self.names.kind(&name) {
            Some(NameKind::Action) => return Ok(PatternSubject::Action(name.into())),
            Some(NameKind::Momentary) => return Ok(PatternSubject::Momentary(name.into())),
            Some(NameKind::State) => return Ok(PatternSubject::State(name.into())),
            None => {}
        }
        if let Some((action, outcome)) = outcome(self.names, &name) {
            return Ok(PatternSubject::Outcome(action.into(), outcome));
        }
        Err(unknown_name(&name, range, self.names))
    }

    /// The condition after `while` may only mention propositions that keep their values.
    fn only_states(&self, condition: &NameCondition, start: usize) -> Result<(), Refused> {
        let end = self.tokens.get(self.at.saturating_sub(1)).map_or(start, |(_, range)| range.end);
        let Some(subject) = condition.subjects().into_iter().find(|subject| !subject.is_state()) else {
            return Ok(());
        };
        let name = subject.name();
        let message = format!(
            "`while` needs a proposition that keeps its value, and `{name}` is true in single letters only"
        );
        let hint = format!("declare `{name} = {{ state = true }}`, or write `{name} forbids A after`");
        Err(Refused::new(Code::RULE_KIND, start..end, message).hint(hint))
    }
}

/// Refuses a negated event after `then`, since `eventually` needs an event that happens or a state.
fn can_be_awaited(condition: &NameCondition, range: Range<usize>) -> Result<(), Refused> {
    let bad = condition.each(true, &|subject, positive| !positive && !subject.is_state(), &|_, parts| {
        parts.into_iter().any(|bad| bad)
    });
    if bad {
        let message = "`eventually` needs something that happens, and this is that something does not happen";
        let hint = "`B forbids A after` says that something never happens again";
        return Err(Refused::new(Code::RULE_KIND, range, message).hint(hint));
    }
    Ok(())
}

/// A length of time in the largest unit that divides it.
fn window_text(milliseconds: u64) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s")];
    let (size, unit) =
        units.into_iter().find(|(size, _)| milliseconds.is_multiple_of(*size)).unwrap_or((1, "ms"));
    format!("{}{unit}", milliseconds / size)
}

fn number_and_unit(word: &str) -> (&str, &str) {
    word.split_at(word.chars().take_while(char::is_ascii_digit).count())
}

/// A length of time such as `60s`.
pub(super) fn read_window(text: &str) -> Option<Window> {
    let (count, unit) = number_and_unit(text);
    length(count, unit)
}

/// A length of time; without a number it is one unit.
fn length(count: &str, unit: &str) -> Option<Window> {
    let factor = match unit {
        "ms" | "millisecond" | "milliseconds" => 1,
        "s" | "sec" | "second" | "seconds" => 1_000,
        "m" | "min" | "minute" | "minutes" => 60_000,
        "h" | "hour" | "hours" => 3_600_000,
        "d" | "day" | "days" => 86_400_000,
        _ => return None,
    };
    let count = if count.is_empty() { 1 } else { count.parse::<u64>().ok()? };
    let milliseconds = count.checked_mul(factor).filter(|n| *n > 0)?;
    Some(Window { milliseconds, text: window_text(milliseconds), is_over_sessions: false })
}
