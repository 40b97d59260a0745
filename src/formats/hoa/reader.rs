//! Reads the text of an automaton. The counts in headers cause no allocation; the result is at most as large as the
//! text, times the number of propositions for implicit labels.

use super::acceptance::acceptance;
use super::expression::expression;
use super::lexer::{HoaError, Lexer, Token};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{BitId, Guard, Guards};
use tsl_synth_core::model::{Acceptance, Marks};

/// More states or propositions than this are refused.
const STATE_LIMIT: u64 = 1 << 22;
const PROPOSITION_LIMIT: u64 = 1 << 12;
/// The largest number of propositions with implicit labels, which need one edge per letter.
const IMPLICIT_LIMIT: usize = 20;

/// The automaton that a text describes. Bit i of the guards is proposition i.
#[derive(Debug, Default)]
pub(super) struct Described {
    pub(super) name: Option<String>,
    pub(super) propositions: Vec<String>,
    pub(super) controllable: Option<Vec<usize>>,
    pub(super) guards: Guards,
    /// Start states with their lines.
    pub(super) starts: Vec<(usize, usize)>,
    /// The acceptance with its line.
    pub(super) acceptance: Option<(Acceptance, usize)>,
    pub(super) states: Vec<DescribedState>,
}

/// A state of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct DescribedState {
    pub(super) name: Option<String>,
    /// Whether the text has a `State:` item for it; `States:` may announce more states.
    pub(super) described: bool,
    /// Labels, next states and acceptance sets in the order of the text; sets of the state are on its edges.
    pub(super) edges: Vec<(Guard, usize, Marks)>,
}

/// Reads the one automaton of a text. A verdict line before it (`REALIZABLE`) is skipped, and so are automata that end
/// with `--ABORT--` and text after it. A second automaton is an error, since nobody would look at it.
pub(super) fn describe(text: &str) -> Result<Described, HoaError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let start = text.trim_start();
    let verdict = ["REALIZABLE", "UNREALIZABLE"].iter().find_map(|word| start.strip_prefix(word));
    let mut lexer = Lexer::new(text);
    if let Some(rest) = verdict {
        lexer.next()?;
        if rest.trim().is_empty() {
            return Err(lexer.error("expected a machine after the verdict: HOA, or a circuit in AIGER"));
        }
    }
    let (lexer, aborted) = after_aborted(lexer);
    if aborted && lexer.clone().peek()?.is_none() {
        return Err(lexer.error("the automaton was aborted (`--ABORT--`), and none follows it"));
    }
    HoaReader::new(lexer).read()
}

/// The position after the last `--ABORT--`, if there is one. Linear.
fn after_aborted(begin: Lexer<'_>) -> (Lexer<'_>, bool) {
    if !begin.may_abort() {
        return (begin, false);
    }
    let (mut position, mut aborted) = (begin.clone(), false);
    let mut lexer = begin;
    // What is no token is reported by whoever reads the automaton.
    while let Ok(Some(token)) = lexer.next() {
        if token == Token::Abort {
            (position, aborted) = (lexer.clone(), true);
        }
    }
    (position, aborted)
}

struct HoaReader<'a> {
    lexer: Lexer<'a>,
    found: Described,
    aliases: FxHashMap<String, Guard>,
    states: Option<u64>,
    has_propositions: bool,
    seen: Vec<bool>,
    /// For each declared acceptance set its complement, if the condition refers to it.
    complements: Vec<Option<usize>>,
}

impl<'a> HoaReader<'a> {
    fn new(lexer: Lexer<'a>) -> Self {
        Self {
            lexer,
            found: Described::default(),
            aliases: FxHashMap::default(),
            states: None,
            has_propositions: false,
            seen: Vec::new(),
            complements: Vec::new(),
        }
    }
    fn read(mut self) -> Result<Described, HoaError> {
        match (self.lexer.next()?, self.lexer.next()?) {
            (Some(Token::Header(header)), Some(Token::Word(version))) if header == "HOA" => {
                // Version 1.1 adds negated properties, which are passed over as the others are.
                if !matches!(version.as_str(), "v1" | "v1.1") {
                    return Err(self.lexer.error(format!("HOA {version} is not known, only v1 and v1.1")));
                }
            }
            _ => return Err(self.lexer.error("expected `HOA: v1`")),
        }
        loop {
            match self.lexer.next()? {
                Some(Token::Header(header)) => self.header(&header)?,
                Some(Token::Body) => break,
                _ => return Err(self.lexer.error("expected a header or `--BODY--`")),
            }
        }
        let propositions = self.found.propositions.len();
        if let Some(number) = self.found.controllable.iter().flatten().find(|&&n| n >= propositions) {
            let message =
                format!("`controllable-AP:` names proposition {number}, and `AP:` has {propositions}");
            return Err(self.lexer.error(message));
        }
        self.body()?;
        self.no_other()?;
        let known = self.found.states.len();
        let targets = self.found.states.iter().flat_map(|s| &s.edges).map(|&(_, next, _)| next);
        let starts = self.found.starts.iter().map(|&(start, _)| start);
        if let Some(missing) = targets.chain(starts).find(|&n| n >= known || !self.seen[n]) {
            return Err(self.lexer.error(format!("state {missing} is not described")));
        }
        Ok(self.found)
    }
    fn header(&mut self, header: &str) -> Result<(), HoaError> {
        let is_given = match header {
            "States" => self.states.is_some(),
            "AP" => self.has_propositions,
            "controllable-AP" => self.found.controllable.is_some(),
            _ => false,
        };
        if is_given {
            return Err(self.lexer.error(format!("the header `{header}:` is given twice")));
        }
        match header {
            "States" => {
                let n = self.lexer.number()?;
                if n > STATE_LIMIT {
                    return Err(self.lexer.error(format!("more than {STATE_LIMIT} states")));
                }
                self.states = Some(n);
            }
            "Start" => {
                let start = self.lexer.number()? as usize;
                self.found.starts.push((start, self.lexer.line()));
                self.no_branching()?;
            }
            "AP" => {
                self.has_propositions = true;
                let n = self.lexer.number()?;
                if n > PROPOSITION_LIMIT {
                    return Err(self.lexer.error(format!("more than {PROPOSITION_LIMIT} propositions")));
                }
                for _ in 0..n {
                    let Some(Token::Text(name)) = self.lexer.next()? else {
                        return Err(self.lexer.error(format!("expected {n} quoted propositions")));
                    };
                    if self.found.propositions.contains(&name) {
                        return Err(self.lexer.error(format!("proposition {name:?} is declared twice")));
                    }
                    self.found.propositions.push(name);
                }
            }
            "controllable-AP" => {
                let mut list = Vec::new();
                while let Some(Token::Number(n)) = self.lexer.peek()? {
                    let n = *n as usize;
                    self.lexer.next()?;
                    list.push(n);
                }
                list.sort_unstable();
                list.dedup();
                self.found.controllable = Some(list);
            }
            "Alias" => {
                let Some(Token::Alias(name)) = self.lexer.next()? else {
                    return Err(self.lexer.error("expected `@name`"));
                };
                let guard = self.expression()?;
                if self.aliases.insert(name.clone(), guard).is_some() {
                    return Err(self.lexer.error(format!("alias @{name} is declared twice")));
                }
            }
            "name" => {
                if let Some(Token::Text(name)) = self.lexer.next()? {
                    self.found.name = Some(name);
                }
            }
            "Acceptance" => {
                if self.found.acceptance.is_some() {
                    return Err(self.lexer.error("the acceptance is given twice"));
                }
                let (condition, complements) = acceptance(&mut self.lexer)?;
                self.complements = complements;
                self.found.acceptance = Some((condition, self.lexer.line()));
            }
            // Spot's own, the only one in small letters that changes the meaning: an edge is then half a step.
            "spot-state-player" | "spot.state-player" => {
                return Err(self.lexer.error(format!(
                    "`{header}:` makes this a game in which a step is a move of each player, and here an edge is a \
                     whole step: `ltlsynt` prints a Mealy machine without `--print-game-hoa`, and \
                     `spot.unsplit_2step` in Spot's Python joins the moves of a strategy"
                )));
            }
            // Unknown headers that begin with a capital may change the meaning.
            _ if header.starts_with(|c: char| c.is_ascii_uppercase()) => {
                return Err(self.lexer.error(format!("header `{header}:` is not known")));
            }
            _ => {
                while !matches!(self.lexer.peek()?, None | Some(Token::Header(_) | Token::Body | Token::End))
                {
                    self.lexer.next()?;
                }
            }
        }
        Ok(())
    }
    fn expression(&mut self) -> Result<Guard, HoaError> {
        let propositions = self.found.propositions.len();
        expression(&mut self.lexer, &mut self.found.guards, &self.aliases, propositions)
    }
    fn label(&mut self) -> Result<Option<Guard>, HoaError> {
        if !self.lexer.skip('[')? {
            return Ok(None);
        }
        let guard = self.expression()?;
        if !self.lexer.skip(']')? {
            return Err(self.lexer.error("expected `]`"));
        }
        Ok(Some(guard))
    }
    /// Reports a second automaton after the end of the first.
    fn no_other(&mut self) -> Result<(), HoaError> {
        // Text of another kind after the automaton is passed over.
        while let Ok(Some(token)) = self.lexer.next() {
            if token == Token::Header("HOA".into()) {
                let message =
                    "a second automaton begins here, and one is expected: put each into a file of its own";
                return Err(self.lexer.error(message));
            }
        }
        Ok(())
    }
    fn body(&mut self) -> Result<(), HoaError> {
        loop {
            match self.lexer.next()? {
                Some(Token::Header(header)) if header == "State" => self.state()?,
                Some(Token::End) => return Ok(()),
                _ => return Err(self.lexer.error("expected `State:` or `--END--`")),
            }
        }
    }
    fn state(&mut self) -> Result<(), HoaError> {
        let state_label = self.label()?;
        let id = self.lexer.number()?;
        if id >= self.states.unwrap_or(STATE_LIMIT) {
            return Err(self.lexer.error(format!("state {id} is not declared")));
        }
        let id = id as usize;
        // The tables grow linearly with the states read so far; the slack allows for state numbers out of order.
        if id > 2 * self.seen.len() + 1024 {
            return Err(self
                .lexer
                .error(format!("state {id} comes too early: describe the states in order")));
        }
        if self.seen.len() <= id {
            self.seen.resize(id + 1, false);
            self.found.states.resize(id + 1, DescribedState::default());
        }
        self.found.states[id].described = true;
        if std::mem::replace(&mut self.seen[id], true) {
            return Err(self.lexer.error(format!("state {id} is described twice")));
        }
        if let Some(Token::Text(_)) = self.lexer.peek()?
            && let Some(Token::Text(name)) = self.lexer.next()?
        {
            self.found.states[id].name = Some(name);
        }
        let of_state = self.sets()?;
        let (mut letter, mut implicit) = (0usize, false);
        // Whether the edges before have labels; all edges of a state do, or none does.
        let mut labelled = None;
        loop {
            let label = self.label()?;
            if label.is_some() && state_label.is_some() {
                return Err(self.lexer.error(format!(
                    "state {id} has a label, which is that of all its edges, and one of them has a label of its own: \
                     write either"
                )));
            }
            match self.lexer.peek()? {
                Some(&Token::Number(next)) => {
                    self.lexer.next()?;
                    if *labelled.get_or_insert(label.is_some()) != label.is_some() {
                        let message = format!("some edges of state {id} have labels and others have none");
                        return Err(self.lexer.error(message));
                    }
                    self.no_branching()?;
                    let guard = if let Some(guard) = label.or(state_label) {
                        guard
                    } else {
                        implicit = true;
                        self.implicit(letter)?
                    };
                    letter += 1;
                    let of_edge = self.sets()?;
                    let marks = self.marks(&[&of_state[..], &of_edge].concat());
                    if guard != Guard::FALSE {
                        self.found.states[id].edges.push((guard, next as usize, marks));
                    }
                }
                _ if label.is_some() => return Err(self.lexer.error("expected a state after the label")),
                _ if implicit && letter != 1 << self.found.propositions.len() => {
                    let message = format!("state {id} has {letter} edges without labels, not one per letter");
                    return Err(self.lexer.error(message));
                }
                _ => return Ok(()),
            }
        }
    }
    fn no_branching(&mut self) -> Result<(), HoaError> {
        if self.lexer.skip('&')? {
            return Err(self.lexer.error("universal branching (an alternating automaton) is not read"));
        }
        Ok(())
    }
    /// The sets in `{0 1}`, with the numbers of the text.
    fn sets(&mut self) -> Result<Vec<usize>, HoaError> {
        let mut sets = Vec::new();
        if self.lexer.skip('{')? {
            while let Some(&Token::Number(set)) = self.lexer.peek()? {
                self.lexer.next()?;
                let set = set as usize;
                if set >= self.complements.len() {
                    return Err(self.lexer.error(format!("acceptance set {set} is not declared")));
                }
                sets.push(set);
            }
            if !self.lexer.skip('}')? {
                return Err(self.lexer.error("expected `}`"));
            }
        }
        Ok(sets)
    }
    /// The acceptance sets, including complements, of an edge that the text puts into `sets`.
    fn marks(&self, sets: &[usize]) -> Marks {
        let outside = self.complements.iter().enumerate().filter(|(set, _)| !sets.contains(set));
        let outside = outside.filter_map(|(_, &complement)| complement);
        sets.iter().copied().chain(outside).map(Marks::of).fold(Marks::NONE, Marks::union)
    }
    /// The letter of the edge with this number if labels are implicit.
    fn implicit(&mut self, letter: usize) -> Result<Guard, HoaError> {
        let propositions = self.found.propositions.len();
        if propositions > IMPLICIT_LIMIT || letter >= 1 << propositions {
            return Err(self.lexer.error("more edges than letters"));
        }
        let cube: Vec<(BitId, bool)> =
            (0..propositions).rev().map(|i| (BitId::from_index(i), letter >> i & 1 == 1)).collect();
        Ok(self.found.guards.cube(&cube))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{read_automaton, read_hoa};

    const HEAD: &str = "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"r\" \"g\"\ncontrollable-AP: 1\nacc-name: all\n\
                        Acceptance: 0 t\nproperties: trans-labels\n--BODY--\n";

    #[test]
    fn games_whose_edges_are_half_steps_are_refused() {
        // Spot's strategies and games alike: which states are whose, in the spellings of its versions, on several lines.
        let body = "State: 0\n[0] 1\n[!0] 1\nState: 1\n[1] 0\n--END--\n";
        let plain = format!("{HEAD}{body}");
        assert!(read_hoa(&plain).is_ok() && read_automaton(&plain).is_ok());
        for players in ["spot-state-player: 0 1", "spot.state-player: 0\n 1", "spot-state-player:"] {
            let text = plain.replace("acc-name: all", players);
            let errors = [read_hoa(&text).expect_err(players), read_automaton(&text).expect_err(players)];
            for error in errors {
                assert_eq!(error.line, 6, "{players}: {error}");
                assert!(error.message.contains("--print-game-hoa"), "{players}: {error}");
            }
        }
        // Headers in small letters that say something else are passed over; `synt-moore:` tells how the file was made.
        for header in ["synt-moore: true", "spot.highlight.edges: 1 2", "tool: \"spot-state-player: 0 1\""] {
            let text = plain.replace("acc-name: all", header);
            assert!(read_hoa(&text).is_ok() && read_automaton(&text).is_ok(), "{header}");
        }
        // What is said twice is not taken from either place.
        for header in ["States: 2", "AP: 1 \"x\"", "controllable-AP: 0", "Acceptance: 0 t"] {
            let text = plain.replace("acc-name: all", header);
            assert!(read_hoa(&text).is_err() && read_automaton(&text).is_err(), "{header}");
        }
        // Unknown ones with a capital are not.
        let text = plain.replace("acc-name: all", "Synt-moore: true");
        assert_eq!((read_hoa(&text).expect_err("a capital").line, read_automaton(&text).is_err()), (6, true));
    }
}
