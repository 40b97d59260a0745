//! Explicit machines in HOA (Babiak et al., "The Hanoi omega-automata format", CAV 2015), as tsl-synth and Spot's tools
//! write strategies: explicit labels, one start state, `controllable-AP`, acceptance `0 t`.

use crate::contract::Signals;
use crate::cube::Cube;
use crate::read_ltl::Unread;

/// The number of a state.
pub type State = usize;

/// A machine: its plays are the letters along its paths from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The start.
    pub start: State,
    /// For each state, sets of letters with the next state.
    pub edges: Vec<Vec<(Cube, State)>>,
    /// Whether an atom is controlled by the machine.
    pub controls: Vec<bool>,
}

/// Most states, and most cubes of all labels.
const MOST: usize = 1 << 20;
/// Most cubes of one label.
const MOST_CUBES: usize = 1 << 14;
/// Levels of brackets in a label.
const MOST_LEVELS: usize = 200;

/// Reads a machine over the signals of a contract.
///
/// # Errors
/// The text is malformed, names other propositions, or uses more of the format.
pub fn read_hoa(text: &str, signals: &Signals) -> Result<Machine, Unread> {
    let mut reader = Reader { signals, atoms: Vec::new(), machine: None, count: None, start: None, cubes: 0 };
    let mut controlled = None;
    let mut state = None;
    let mut in_body = false;
    for (number, line) in text.lines().enumerate() {
        let (number, line) = (number + 1, line.trim());
        let wrong = |why: &str| Unread::new(number, why);
        if line.is_empty() {
            continue;
        }
        if line == "--END--" {
            let mut machine = reader.machine.take().ok_or_else(|| wrong("there is no body"))?;
            let controlled: Vec<u32> = controlled.unwrap_or_default();
            machine.controls = signals.atoms().map(|atom| controlled.contains(&atom)).collect();
            return Ok(machine);
        }
        if line == "--BODY--" {
            in_body = true;
            let count = reader.count.ok_or_else(|| wrong("`States:` is missing"))?;
            let start = reader.start.filter(|&start| start < count);
            let start = start.ok_or_else(|| wrong("there is no start state"))?;
            let edges = vec![Vec::new(); count];
            reader.machine = Some(Machine { start, edges, controls: Vec::new() });
        } else if !in_body {
            reader.header(number, line, &mut controlled)?;
        } else if let Some(rest) = line.strip_prefix("State:") {
            let name = rest.split_whitespace().next().unwrap_or_default();
            let next = name.parse().ok().filter(|&s| Some(s) < reader.count);
            state = Some(next.ok_or_else(|| wrong("no state has this number"))?);
        } else {
            let from = state.ok_or_else(|| wrong("an edge before the first state"))?;
            reader.edge(number, from, line)?;
        }
    }
    Err(Unread::new(text.lines().count(), "`--END--` is missing"))
}

struct Reader<'a> {
    signals: &'a Signals,
    atoms: Vec<u32>,
    machine: Option<Machine>,
    count: Option<usize>,
    start: Option<State>,
    cubes: usize,
}

impl Reader<'_> {
    fn header(&mut self, number: usize, line: &str, controlled: &mut Option<Vec<u32>>) -> Result<(), Unread> {
        let wrong = |why: String| Unread::new(number, why);
        let Some((key, value)) = line.split_once(':') else {
            return Err(wrong("a header line has a colon".into()));
        };
        let value = value.trim();
        match key {
            "States" => {
                let count: usize = value.parse().map_err(|_| wrong("`States:` has a number".into()))?;
                if count > MOST {
                    return Err(Unread::beyond(number, format!("more than {MOST} states")));
                }
                self.count = Some(count);
            }
            "Start" => {
                let start = value.parse().map_err(|_| wrong("`Start:` has one number".into()))?;
                if self.start.replace(start).is_some() {
                    return Err(wrong("a machine has one start state".into()));
                }
            }
            "AP" => {
                for name in quoted(value).ok_or_else(|| wrong("the names under `AP:`".into()))? {
                    let atom = self.signals.find(&name);
                    let atom = atom.ok_or_else(|| wrong(format!("{name:?} is no signal of the contract")))?;
                    if self.atoms.contains(&atom) {
                        return Err(wrong(format!("{name:?} stands there twice")));
                    }
                    self.atoms.push(atom);
                }
                let count = value.split_whitespace().next().and_then(|n| n.parse::<usize>().ok());
                if count != Some(self.atoms.len()) {
                    return Err(wrong("the number of names under `AP:`".into()));
                }
            }
            "controllable-AP" => {
                let mut found = Vec::new();
                for item in value.split_whitespace() {
                    let atom = item.parse().ok().and_then(|i: usize| self.atoms.get(i));
                    found.push(*atom.ok_or_else(|| wrong(format!("{item} is no proposition")))?);
                }
                *controlled = Some(found);
            }
            "Acceptance" if value != "0 t" => return Err(wrong("a machine accepts all its plays".into())),
            "Alias" => return Err(Unread::beyond(number, "aliases are not read here")),
            // The format asks readers to stop at unknown headers with a capital letter, which can change the meaning.
            "HOA" | "Acceptance" => {}
            _ if key.starts_with(char::is_uppercase) => {
                return Err(Unread::beyond(number, format!("the header {key:?} is not read here")));
            }
            _ => {}
        }
        Ok(())
    }

    fn edge(&mut self, number: usize, from: State, line: &str) -> Result<(), Unread> {
        let wrong = |why: &str| Unread::new(number, why);
        let inside = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let (label, next) = inside.ok_or_else(|| wrong("an edge has a label, `[..] NEXT`"))?;
        let next = next.trim().parse().ok().filter(|&next| Some(next) < self.count);
        let next = next.ok_or_else(|| wrong("an edge leads to one state"))?;
        let mut label = Label { chars: label.chars().collect(), at: 0, atoms: &self.atoms, levels: 0 };
        let cubes = label.sum(true).map_err(|unread| Unread { line: number, ..unread })?;
        if label.peek().is_some() {
            return Err(wrong("the label is not understood"));
        }
        let cubes = cubes.map_err(|why| Unread::beyond(number, why))?;
        self.cubes += cubes.len();
        if self.cubes > MOST {
            return Err(Unread::beyond(number, format!("more than {MOST} cases in labels")));
        }
        if let Some(machine) = &mut self.machine {
            machine.edges[from].extend(cubes.into_iter().map(|cube| (cube, next)));
        }
        Ok(())
    }
}

/// The quoted texts of a line.
fn quoted(line: &str) -> Option<Vec<String>> {
    let (mut found, mut open): (Vec<String>, Option<String>) = (Vec::new(), None);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (&mut open, c) {
            (Some(_), '"') => found.extend(open.take()),
            (Some(text), '\\') => text.push(chars.next()?),
            (Some(text), c) => text.push(c),
            (None, '"') => open = Some(String::new()),
            (None, _) => {}
        }
    }
    open.is_none().then_some(found)
}

/// The parser of a label, which returns its disjunctive normal form. Errors: the text is malformed, or there are too many
/// cubes.
struct Label<'a> {
    chars: Vec<char>,
    at: usize,
    atoms: &'a [u32],
    levels: usize,
}

type Cubes = Result<Vec<Cube>, String>;

impl Label<'_> {
    fn peek(&mut self) -> Option<char> {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.chars.get(self.at).copied()
    }

    fn malformed<T>() -> Result<T, Unread> {
        Err(Unread::new(0, "a label is not understood"))
    }

    /// A disjunction, or with `sign` false its negation.
    fn sum(&mut self, sign: bool) -> Result<Cubes, Unread> {
        let mut all = self.product(sign)?;
        while self.peek() == Some('|') {
            self.at += 1;
            let next = self.product(sign)?;
            all = if sign { union(all, next) } else { meet(all, next) };
        }
        Ok(all)
    }

    fn product(&mut self, sign: bool) -> Result<Cubes, Unread> {
        let mut all = self.operand(sign)?;
        while self.peek() == Some('&') {
            self.at += 1;
            let next = self.operand(sign)?;
            all = if sign { meet(all, next) } else { union(all, next) };
        }
        Ok(all)
    }

    fn operand(&mut self, mut sign: bool) -> Result<Cubes, Unread> {
        while self.peek() == Some('!') {
            self.at += 1;
            sign = !sign;
        }
        let Some(c) = self.peek() else { return Self::malformed() };
        if c == '(' {
            self.at += 1;
            self.levels += 1;
            if self.levels > MOST_LEVELS {
                return Err(Unread::beyond(0, format!("more than {MOST_LEVELS} brackets in a label")));
            }
            let inner = self.sum(sign)?;
            if self.peek() != Some(')') {
                return Self::malformed();
            }
            self.at += 1;
            self.levels -= 1;
            return Ok(inner);
        }
        if c == 't' || c == 'f' {
            self.at += 1;
            return Ok(Ok(if (c == 't') == sign { vec![Cube::default()] } else { Vec::new() }));
        }
        let digits: String = self.chars[self.at..].iter().take_while(|c| c.is_ascii_digit()).collect();
        self.at += digits.len();
        let atom = digits.parse().ok().and_then(|i: usize| self.atoms.get(i));
        let Some(&atom) = atom else { return Self::malformed() };
        let mut cube = Cube::default();
        cube.add(atom, sign);
        Ok(Ok(vec![cube]))
    }
}

fn bound(cubes: Vec<Cube>) -> Cubes {
    if cubes.len() > MOST_CUBES { Err(format!("a label of more than {MOST_CUBES} cases")) } else { Ok(cubes) }
}

fn union(a: Cubes, b: Cubes) -> Cubes {
    let mut all = a?;
    all.extend(b?);
    bound(all)
}

fn meet(a: Cubes, b: Cubes) -> Cubes {
    let (a, b) = (a?, b?);
    if a.len().saturating_mul(b.len()) > MOST_CUBES {
        return Err(format!("a label of more than {MOST_CUBES} cases"));
    }
    bound(a.iter().flat_map(|x| b.iter().filter_map(|y| x.and(y))).collect())
}
