//! Machines from HOA. Nothing is allocated on the word of a header; what is read is at most as large as the
//! text, times the number of propositions for implicit labels.

use super::expression::expression;
use super::lexer::{Lexer, Token};
use crate::base::{Id, IdVec};
use crate::logic::{Alphabet, AtomKind, BitId, Guard, Guards, Letter, Player};
use crate::model::{Mealy, MealyEdge, MealyState, StateId};
use rustc_hash::FxHashMap;

/// More states or propositions than this are refused.
const STATE_LIMIT: u64 = 1 << 22;
const PROPOSITION_LIMIT: u64 = 1 << 12;
/// Implicit labels list one edge per letter.
const IMPLICIT_LIMIT: usize = 20;
/// Products that an edge may be divided into, one per output letter.
const OUTPUT_LIMIT: usize = 1 << 16;

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoaError {
    /// The line, from 1; 0 for the machine as a whole.
    pub line: usize,
    /// One sentence.
    pub message: String,
}

impl std::fmt::Display for HoaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 {
            f.write_str(&self.message)
        } else {
            write!(f, "line {}: {}", self.line, self.message)
        }
    }
}

impl std::error::Error for HoaError {}

/// A state of a [`HoaMachine`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HoaState {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Labels and next states in the order of the text.
    pub edges: Vec<(Guard, usize)>,
}

/// An automaton without acceptance whose labels are guards over its propositions: bit i is proposition i.
#[derive(Clone, Debug)]
pub struct HoaMachine {
    /// The `name:` header.
    pub name: Option<String>,
    /// The names of the propositions.
    pub propositions: Vec<String>,
    /// The propositions under `controllable-AP`; `None` without that header.
    pub controllable: Option<Vec<usize>>,
    /// Owns the labels.
    pub guards: Guards,
    /// Where it begins.
    pub start: usize,
    /// The states.
    pub states: Vec<HoaState>,
}

/// Reads one automaton. A verdict line before it (`REALIZABLE`) is skipped, and so is what follows it.
///
/// # Errors
/// Malformed text, an automaton with acceptance other than `t`, several or no start states, universal
/// branching, or a size past the documented limits.
pub fn read_hoa(text: &str) -> Result<HoaMachine, HoaError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let start = text.trim_start();
    let verdict = ["REALIZABLE", "UNREALIZABLE"].iter().find_map(|word| start.strip_prefix(word));
    // Blank out the verdict, so that lines keep their numbers.
    let skipped = verdict.map_or(0, |rest| text.len() - rest.len());
    let mut lexer = Lexer::new(text);
    if skipped > 0 {
        lexer.next()?;
    }
    Reader::new(lexer).read()
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    machine: HoaMachine,
    aliases: FxHashMap<String, Guard>,
    states: Option<u64>,
    started: bool,
    seen: Vec<bool>,
}

impl<'a> Reader<'a> {
    fn new(lexer: Lexer<'a>) -> Self {
        let machine = HoaMachine {
            name: None,
            propositions: Vec::new(),
            controllable: None,
            guards: Guards::new(),
            start: 0,
            states: Vec::new(),
        };
        Self { lexer, machine, aliases: FxHashMap::default(), states: None, started: false, seen: Vec::new() }
    }
    fn read(mut self) -> Result<HoaMachine, HoaError> {
        match (self.lexer.next()?, self.lexer.next()?) {
            (Some(Token::Header(header)), Some(Token::Word(version))) if header == "HOA" => {
                if version != "v1" {
                    return Err(self.lexer.error(format!("HOA {version} is not known, only v1")));
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
        if !self.started {
            return Err(self.lexer.error("there is no `Start:`, so no machine"));
        }
        self.body()?;
        let known = self.machine.states.len();
        let targets = self.machine.states.iter().flat_map(|s| &s.edges).map(|&(_, next)| next);
        if let Some(missing) = targets.chain([self.machine.start]).find(|&n| n >= known || !self.seen[n]) {
            return Err(self.lexer.error(format!("state {missing} is not described")));
        }
        Ok(self.machine)
    }
    fn header(&mut self, header: &str) -> Result<(), HoaError> {
        match header {
            "States" => {
                let n = self.lexer.number()?;
                if n > STATE_LIMIT {
                    return Err(self.lexer.error(format!("more than {STATE_LIMIT} states")));
                }
                self.states = Some(n);
            }
            "Start" => {
                if self.started {
                    return Err(self.lexer.error("a machine has one start state"));
                }
                self.machine.start = self.lexer.number()? as usize;
                self.started = true;
                if self.lexer.skip('&')? {
                    return Err(self.lexer.error("universal branching is not a machine"));
                }
            }
            "AP" => {
                let n = self.lexer.number()?;
                if n > PROPOSITION_LIMIT {
                    return Err(self.lexer.error(format!("more than {PROPOSITION_LIMIT} propositions")));
                }
                for _ in 0..n {
                    let Some(Token::Text(name)) = self.lexer.next()? else {
                        return Err(self.lexer.error(format!("expected {n} quoted propositions")));
                    };
                    if self.machine.propositions.contains(&name) {
                        return Err(self.lexer.error(format!("proposition {name:?} is declared twice")));
                    }
                    self.machine.propositions.push(name);
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
                self.machine.controllable = Some(list);
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
                    self.machine.name = Some(name);
                }
            }
            "Acceptance" => {
                let sets = self.lexer.number()?;
                let word = self.lexer.next()?;
                if sets != 0 || word != Some(Token::Word("t".into())) {
                    return Err(self.lexer.error("a machine accepts everything: `Acceptance: 0 t`"));
                }
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
        let propositions = self.machine.propositions.len();
        expression(&mut self.lexer, &mut self.machine.guards, &self.aliases, propositions)
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
        // Tables grow with what was read, up to a factor for numbers that come out of order.
        if id > 2 * self.seen.len() + 1024 {
            return Err(self
                .lexer
                .error(format!("state {id} comes too early: describe the states in order")));
        }
        if self.seen.len() <= id {
            self.seen.resize(id + 1, false);
            self.machine.states.resize(id + 1, HoaState::default());
        }
        if std::mem::replace(&mut self.seen[id], true) {
            return Err(self.lexer.error(format!("state {id} is described twice")));
        }
        if let Some(Token::Text(_)) = self.lexer.peek()?
            && let Some(Token::Text(name)) = self.lexer.next()?
        {
            self.machine.states[id].name = Some(name);
        }
        self.acceptance()?;
        let mut letter = 0usize;
        loop {
            let label = self.label()?;
            match self.lexer.peek()? {
                Some(&Token::Number(next)) => {
                    self.lexer.next()?;
                    if self.lexer.skip('&')? {
                        return Err(self.lexer.error("universal branching is not a machine"));
                    }
                    let guard = match label.or(state_label) {
                        Some(guard) => guard,
                        None => self.implicit(letter)?,
                    };
                    letter += 1;
                    self.acceptance()?;
                    if guard != Guard::FALSE {
                        self.machine.states[id].edges.push((guard, next as usize));
                    }
                }
                _ if label.is_some() => return Err(self.lexer.error("expected a state after the label")),
                _ => return Ok(()),
            }
        }
    }
    /// Skips `{0 1}`.
    fn acceptance(&mut self) -> Result<(), HoaError> {
        if self.lexer.skip('{')? {
            while let Some(Token::Number(_)) = self.lexer.peek()? {
                self.lexer.next()?;
            }
            if !self.lexer.skip('}')? {
                return Err(self.lexer.error("expected `}`"));
            }
        }
        Ok(())
    }
    /// The letter that the edge with this number stands for when there are no labels.
    fn implicit(&mut self, letter: usize) -> Result<Guard, HoaError> {
        let propositions = self.machine.propositions.len();
        if propositions > IMPLICIT_LIMIT || letter >= 1 << propositions {
            return Err(self.lexer.error("more edges than letters"));
        }
        let cube: Vec<(BitId, bool)> =
            (0..propositions).rev().map(|i| (BitId::from_index(i), letter >> i & 1 == 1)).collect();
        Ok(self.machine.guards.cube(&cube))
    }
}

impl HoaMachine {
    /// The machine over an alphabet of its own: one input or Boolean output per proposition; updates of a cell,
    /// `[x <- a]` and `[x <- b]`, are its options where every label gives it exactly one. Without
    /// `controllable-AP`, `outputs` names the propositions of the system.
    ///
    /// # Errors
    /// If some state is not deterministic or does not read every input letter, or an edge allows too many
    /// output letters.
    pub fn mealy(&self, outputs: &[String]) -> Result<(Alphabet, Mealy), HoaError> {
        if let Some(alphabet) = self.alphabet(outputs, true)
            && let Ok(machine) = self.mealy_over(&alphabet)
        {
            return Ok((alphabet, machine));
        }
        let alphabet = self.alphabet(outputs, false).unwrap_or_default();
        let machine = self.mealy_over(&alphabet)?;
        Ok((alphabet, machine))
    }

    /// The propositions as atoms; `None` if there are to be cells and no proposition is an update.
    fn alphabet(&self, outputs: &[String], cells: bool) -> Option<Alphabet> {
        let controlled = |i: usize, name: &String| match &self.controllable {
            Some(list) => list.contains(&i),
            None => outputs.contains(name),
        };
        let cell_of = |name: &str| -> Option<String> {
            let (cell, _) = name.strip_prefix('[')?.strip_suffix(']')?.split_once("<-")?;
            Some(cell.trim().to_string())
        };
        let mut alphabet = Alphabet::new();
        let mut done: Vec<String> = Vec::new();
        for (i, name) in self.propositions.iter().enumerate() {
            if !controlled(i, name) {
                alphabet.add_input(name.clone());
                continue;
            }
            let Some(cell) = cell_of(name).filter(|_| cells) else {
                alphabet.add_output(name.clone());
                continue;
            };
            if !done.contains(&cell) {
                let same = |&(j, other): &(usize, &String)| {
                    controlled(j, other) && cell_of(other).as_deref() == Some(&cell)
                };
                let options = self.propositions.iter().enumerate().filter(same).map(|(_, name)| name.clone());
                alphabet.add_cell(cell.clone(), options.collect::<Vec<_>>());
                done.push(cell);
            }
        }
        (!cells || !done.is_empty()).then_some(alphabet)
    }

    /// The machine over a given alphabet: propositions are the names of its atoms.
    ///
    /// # Errors
    /// As [`Self::mealy`], and if a proposition is not an atom or a label leaves a cell without exactly one
    /// update.
    pub fn mealy_over(&self, alphabet: &Alphabet) -> Result<Mealy, HoaError> {
        let whole = |message: String| HoaError { line: 0, message };
        let index: FxHashMap<&str, _> =
            alphabet.atoms().enumerate().map(|(id, atom)| (atom.name.as_str(), id)).collect();
        let mut atoms = Vec::new();
        for name in &self.propositions {
            let Some(&atom) = index.get(name.as_str()) else {
                return Err(whole(format!("proposition {name:?} is not an atom of the specification")));
            };
            atoms.push(atom);
        }
        let mut guards = Guards::new();
        let mut states: IdVec<StateId, MealyState> = IdVec::new();
        for (number, state) in self.states.iter().enumerate() {
            let mut edges: Vec<MealyEdge> = Vec::new();
            let mut all = Guard::FALSE;
            for &(label, next) in &state.edges {
                let mut covered = Guard::FALSE;
                let products = self.guards.cubes(label);
                if products.len() > OUTPUT_LIMIT {
                    return Err(whole(format!("an edge of state {number} has too many cases")));
                }
                for product in products {
                    let (cube, output) = divide(alphabet, &atoms, &product).ok_or_else(|| {
                        whole(format!("an edge of state {number} gives a cell no or two updates"))
                    })?;
                    let guard = guards.cube(&cube);
                    // What a label leaves open is chosen here; what two edges leave open is not a machine.
                    let guard = guards.minus(guard, covered);
                    if guard == Guard::FALSE {
                        continue;
                    }
                    if guards.intersects(all, guard) {
                        return Err(whole(format!("state {number} has two edges for one input letter")));
                    }
                    covered = guards.or(covered, guard);
                    let next = StateId::from_index(next);
                    match edges.iter_mut().find(|e| e.next == next && e.output == output) {
                        Some(edge) => edge.guard = guards.or(edge.guard, guard),
                        None => edges.push(MealyEdge { guard, output, next }),
                    }
                }
                all = guards.or(all, covered);
            }
            if all != Guard::TRUE {
                return Err(whole(format!("state {number} does not read every input letter")));
            }
            states.push(MealyState { edges });
        }
        Ok(Mealy { guards, states, initial: StateId::from_index(self.start) })
    }
}

/// Divides a product over propositions into a cube of inputs and an output letter.
fn divide(
    alphabet: &Alphabet,
    atoms: &[crate::logic::AtomId],
    product: &[(BitId, bool)],
) -> Option<(Vec<(BitId, bool)>, Letter)> {
    let mut cube = Vec::new();
    let mut output = Letter::new();
    let mut chosen: FxHashMap<crate::logic::CellId, u32> = FxHashMap::default();
    let mut denied: FxHashMap<crate::logic::CellId, Vec<u32>> = FxHashMap::default();
    for &(bit, value) in product {
        let atom = atoms[bit.index()];
        match alphabet.atoms()[atom].kind {
            AtomKind::Input(bit) => cube.push((bit, value)),
            AtomKind::Output(_) => {
                if value {
                    alphabet.choose(atom, &mut output);
                }
            }
            AtomKind::Update(cell, option) => {
                if value {
                    if chosen.insert(cell, option).is_some() {
                        return None;
                    }
                    alphabet.choose(atom, &mut output);
                } else {
                    denied.entry(cell).or_default().push(option);
                }
            }
        }
    }
    for (id, cell) in alphabet.cells().enumerate() {
        let denied = denied.get(&id);
        if !chosen.contains_key(&id) {
            // The first option that is not denied.
            let free = (0..cell.options.len() as u32).find(|o| denied.is_none_or(|d| !d.contains(o)))?;
            alphabet.choose(cell.options[free as usize], &mut output);
        }
    }
    debug_assert!(cube.iter().all(|(bit, _)| alphabet.owner(*bit) == Player::Environment));
    cube.sort_unstable_by(|a, b| b.cmp(a));
    Some((cube, output))
}
