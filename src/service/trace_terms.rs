//! Resolves the letters of a trace: maps terms as written to atoms of an alphabet. Terms are compared in their
//! canonical spelling, so a trace may write `inCave summary` or `3 < x` where the specification has `inCave(summary)`
//! and `x > 3`. Only the names of atoms are needed, so this also works for machines that come without a specification.

use rustc_hash::FxHashMap;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, CellId, EncodedSignal};
use tsl_synth_core::model::{Observation, Trace};
use tsl_synth_core::source::Span;
use tsl_synth_formats::trace::{TraceEntry, TraceLetter, TraceString, TraceText, TraceValue};
use tsl_synth_lang::spec::resolve::canonical;
use tsl_synth_ltl::spelling::nearest;

/// Resolution stops after more diagnostics than this.
const FINDINGS: usize = 50;
/// More terms than this are not listed in a hint.
const LISTED: usize = 12;

/// The treatment of an input that a letter does not mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingInput {
    /// It is an error: the trace must give the value of every input.
    Error,
    /// It is false, so that letters typed by hand can be short.
    False,
    /// Its value stays open.
    Open,
}

/// Maps terms of traces to the atoms of an alphabet; results are cached.
#[derive(Debug)]
pub struct TraceTerms<'a> {
    alphabet: &'a Alphabet,
    /// Names of atoms, as they are and in canonical spelling.
    atoms: FxHashMap<String, (AtomId, bool)>,
    cells: FxHashMap<&'a str, CellId>,
    spelt: bool,
    cache: FxHashMap<String, Option<(AtomId, bool)>>,
}

impl<'a> TraceTerms<'a> {
    /// The terms of an alphabet.
    pub fn new(alphabet: &'a Alphabet) -> Self {
        let names = alphabet.atoms().enumerate().map(|(id, atom)| (atom.name.clone(), (id, true)));
        let cells = alphabet.cells().enumerate().map(|(id, cell)| (cell.name.as_str(), id));
        Self {
            alphabet,
            atoms: names.collect(),
            cells: cells.collect(),
            spelt: false,
            cache: FxHashMap::default(),
        }
    }
    /// The atom that a text denotes, and whether the text is the atom (`true`) or its negation.
    pub fn atom(&mut self, text: &str) -> Option<(AtomId, bool)> {
        if let Some(&found) = self.atoms.get(text).or_else(|| self.atoms.get(text.trim())) {
            return Some(found);
        }
        if let Some(&known) = self.cache.get(text) {
            return known;
        }
        if !std::mem::replace(&mut self.spelt, true) {
            for (id, atom) in self.alphabet.atoms().enumerate() {
                if let Some((name, positive)) = canonical(&atom.name) {
                    self.atoms.entry(name).or_insert((id, positive));
                }
            }
        }
        let found = canonical(text).and_then(|(name, positive)| {
            self.atoms.get(&name).map(|&(atom, polarity)| (atom, polarity == positive))
        });
        self.cache.insert(text.to_string(), found);
        found
    }
    /// The cell that a text denotes.
    pub fn cell(&self, text: &str) -> Option<CellId> {
        self.cells.get(text.trim()).copied()
    }
    /// The atom of the update of a cell to a term.
    pub fn option(&mut self, cell: CellId, term: &str) -> Option<AtomId> {
        let name = &self.alphabet.cells()[cell].name;
        let (atom, positive) = self.atom(&format!("[{name} <- {}]", term.trim()))?;
        positive.then_some(atom)
    }
    /// The letter as an observation. `step` names it in messages, such as `step 3`.
    ///
    /// # Errors
    /// Diagnostics about unknown terms, contradictory values and missing inputs.
    pub fn letter(
        &mut self,
        letter: &TraceLetter,
        step: &str,
        missing: MissingInput,
    ) -> Result<Observation, Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        let mut seen = Observation::default();
        // Values that signals do not have, where single atoms do not say this.
        let mut excluded = Vec::new();
        for entry in &letter.entries {
            match self.entry(entry, step) {
                Ok(EntryMeaning::Atoms(literals)) => {
                    for (atom, value) in literals {
                        if !self.record(&mut seen, atom, value) {
                            diagnostics.push(self.contradiction(atom, &entry.term, step));
                            break;
                        }
                    }
                }
                Ok(EntryMeaning::Not(signal, index)) => excluded.push((signal, index, &entry.term)),
                Ok(EntryMeaning::Recorded) => {}
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
        for (_, cell) in self.alphabet.cells().enumerate() {
            if cell.options.iter().all(|&option| seen.fails.contains(option)) {
                let message = format!("{step}: the cell `{}` gets no update", cell.name);
                diagnostics
                    .push(Diagnostic::error(Code::CONTRADICTION, message).at(letter.span, "in this letter"));
            }
        }
        for (signal, index, term) in excluded {
            let known: Option<Vec<bool>> = signal.atoms.iter().map(|&atom| seen.value(atom)).collect();
            match known {
                None => diagnostics.push(value_not_given(signal, term, step)),
                Some(_) if signal.index(|atom| seen.value(atom) == Some(true)) == index => {
                    diagnostics.push(self.contradiction(signal.atoms[0], term, step));
                }
                Some(_) => {}
            }
        }
        for signal in self.alphabet.encoded() {
            if let Some(value) = value_outside(signal, &seen) {
                let error = self.not_a_value(signal, &value, step);
                diagnostics.push(error.at(letter.span, "in this letter"));
            }
        }
        let open: Vec<AtomId> = self.alphabet.inputs().filter(|&atom| seen.value(atom).is_none()).collect();
        match missing {
            MissingInput::Open => {}
            MissingInput::False => open.iter().for_each(|&atom| {
                seen.fails.insert(atom);
            }),
            MissingInput::Error if open.is_empty() || diagnostics.has_errors() => {}
            MissingInput::Error => diagnostics.push(missing_inputs(self.alphabet, &open, step, letter.span)),
        }
        if diagnostics.has_errors() { Err(diagnostics) } else { Ok(seen) }
    }
    /// Records a value, with its consequences for the other options of a cell; returns whether the letter stays
    /// consistent.
    fn record(&self, seen: &mut Observation, atom: AtomId, value: bool) -> bool {
        let mut consistent = seen.record(atom, value);
        if let (AtomKind::Update(cell, _), true) = (self.alphabet.atoms()[atom].kind, value) {
            for &other in self.alphabet.cells()[cell].options.iter().filter(|&&other| other != atom) {
                consistent &= seen.record(other, false);
            }
        }
        consistent
    }
    /// What a letter says of the value of a signal that is encoded in atoms: `x = 3`, `x != 3`.
    fn equation(&self, text: &str, holds: bool) -> Option<EntryMeaning<'a>> {
        let (name, value) = text.split_once('=')?;
        let (name, negated) = match name.strip_suffix('!') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let (name, value) = (name.trim(), value.strip_prefix('=').unwrap_or(value).trim());
        let sides = [(name, value), (value, name)];
        sides.iter().find_map(|(name, value)| self.value(name, value, holds != negated))
    }
    /// What "the signal has this value", or that it has not, means for atoms.
    fn value(&self, name: &str, value: &str, has: bool) -> Option<EntryMeaning<'a>> {
        let signal = self.alphabet.encoded().iter().find(|signal| signal.name == name)?;
        let index = signal.find(value)?;
        Some(if has {
            EntryMeaning::Atoms(signal.literals(index).collect())
        } else {
            EntryMeaning::Not(signal, index)
        })
    }
    fn entry(&mut self, entry: &TraceEntry, step: &str) -> Result<EntryMeaning<'a>, Diagnostic> {
        let text = entry.term.text.as_str();
        if self.atom(text).is_none() {
            let said = match &entry.value {
                TraceValue::Holds(value) => self.equation(text, *value),
                TraceValue::Term(_) if self.cell(text).is_some() => None,
                TraceValue::Term(term) => self.value(text.trim(), term.text.trim(), true),
            };
            if let Some(said) = said {
                return Ok(said);
            }
            if let Some(wrong) = self.no_value(entry, step) {
                return Err(wrong);
            }
            let is_recorded = || RECORDED.iter().any(|name| text.eq_ignore_ascii_case(name));
            if matches!(entry.value, TraceValue::Term(_)) && self.cell(text).is_none() && is_recorded() {
                return Ok(EntryMeaning::Recorded);
            }
        }
        self.atom_entry(entry, step).map(|literal| EntryMeaning::Atoms(vec![literal]))
    }
    /// The error that an entry gives a signal a value that it does not have: `"x": 12`, `x = 12`.
    fn no_value(&self, entry: &TraceEntry, step: &str) -> Option<Diagnostic> {
        let text = entry.term.text.trim();
        let signal = |name: &str| self.alphabet.encoded().iter().find(|signal| signal.name == name.trim());
        let (signal, value, span) = match &entry.value {
            TraceValue::Term(_) if self.cell(text).is_some() => return None,
            TraceValue::Term(term) => (signal(text)?, term.text.as_str(), term.span),
            TraceValue::Holds(holds) => match text.split_once('=') {
                Some((name, value)) if *holds => {
                    (signal(name)?, value.trim_start_matches('='), entry.term.span)
                }
                Some(_) => return None,
                None => (signal(text)?, if *holds { "true" } else { "false" }, entry.term.span),
            },
        };
        Some(self.not_a_value(signal, value.trim(), step).at(span, "no such value"))
    }
    /// The error that a signal does not have such a value, in the words of emitted code.
    fn not_a_value(&self, signal: &EncodedSignal, value: &str, step: &str) -> Diagnostic {
        let noun = if self.cell(&signal.name).is_some() { "cell" } else { "input" };
        let values = &signal.values;
        let domain = if values.iter().all(|value| value.parse::<i64>().is_ok()) {
            format!("in {}..{}", values[0], values[values.len() - 1])
        } else if values.len() == 1 {
            values[0].clone()
        } else {
            format!("one of {}", listed(values))
        };
        let message = format!("{step}: the {noun} `{}` is {value}, which is not {domain}", signal.name);
        Diagnostic::error(Code::UNKNOWN_VALUE, message)
    }
    fn atom_entry(&mut self, entry: &TraceEntry, step: &str) -> Result<(AtomId, bool), Diagnostic> {
        let text = entry.term.text.as_str();
        match &entry.value {
            TraceValue::Holds(value) => {
                if let Some((atom, positive)) = self.atom(text) {
                    return Ok((atom, positive == *value));
                }
                // `a=1` is not a comparison of this alphabet, but gives the value of the atom `a`.
                if let Some((name, given)) =
                    text.rsplit_once('=').filter(|(name, _)| !name.ends_with(['!', '<', '>', '=']))
                    && let Some(given) = boolean(given)
                    && let Some((atom, positive)) = self.atom(name)
                {
                    return Ok((atom, (positive == given) == *value));
                }
                if let Some(cell) = self.cell(text) {
                    return self.boolean_cell(cell, *value, &entry.term, step);
                }
                Err(self.unknown(&entry.term, step))
            }
            TraceValue::Term(term) => {
                if let Some(cell) = self.cell(text) {
                    let found = self.option(cell, &term.text).map(|atom| (atom, true));
                    return found.ok_or_else(|| self.no_update(cell, term, step));
                }
                match (self.atom(text), boolean(&term.text)) {
                    (Some((atom, positive)), Some(value)) => Ok((atom, positive == value)),
                    (Some(_), None) => {
                        let message = format!("{step}: `{text}` is true or false, not `{}`", term.text);
                        Err(Diagnostic::error(Code::UNKNOWN_VALUE, message)
                            .at(term.span, "not a truth value"))
                    }
                    (None, _) => Err(self.unknown(&entry.term, step)),
                }
            }
        }
    }
    /// A truth value as the update of a cell.
    fn boolean_cell(
        &mut self,
        cell: CellId,
        value: bool,
        term: &TraceString,
        step: &str,
    ) -> Result<(AtomId, bool), Diagnostic> {
        let text = if value { "true" } else { "false" };
        let found = self.option(cell, text).map(|atom| (atom, true));
        found.ok_or_else(|| {
            let value = TraceString { text: text.into(), span: term.span };
            self.no_update(cell, &value, step)
        })
    }
    fn unknown(&self, term: &TraceString, step: &str) -> Diagnostic {
        let message = format!("{step}: there is no `{}`", term.text);
        let diagnostic = Diagnostic::error(Code::UNKNOWN_TERM, message).at(term.span, "not known");
        let atoms = self.alphabet.atoms();
        let mut listing = std::collections::BTreeSet::new();
        let inputs = self.alphabet.input_names();
        let names: Vec<&str> = inputs
            .iter()
            .map(String::as_str)
            .chain(self.alphabet.outputs().map(|atom| atoms[atom].name.as_str()))
            .chain(self.alphabet.cells().iter().map(|cell| cell.name.as_str()))
            .chain(self.alphabet.cells().iter().flat_map(|c| &c.options).map(|&a| atoms[a].name.as_str()))
            // The name of a Boolean cell is a term too.
            .filter(|&name| listing.insert(name))
            .collect();
        if let Some(near) = nearest(&term.text, names.iter().copied()) {
            return diagnostic.hint(format!("did you mean `{near}`?"));
        }
        // A call without its parentheses, or cut at a blank.
        let head = |s: &str| s.split(['(', ' ']).next().unwrap_or("").to_string();
        if let Some(near) = names.iter().find(|name| name.contains('(') && head(name) == head(&term.text)) {
            return diagnostic.hint(format!("did you mean `{near}`?"));
        }
        let all: Vec<String> = names.iter().take(LISTED + 1).map(|name| format!("`{name}`")).collect();
        diagnostic.hint(format!("there are {}", listed(&all)))
    }
    fn no_update(&self, cell: CellId, term: &TraceString, step: &str) -> Diagnostic {
        let cell = &self.alphabet.cells()[cell];
        let terms: Vec<&str> = cell
            .options
            .iter()
            .map(|&option| self.alphabet.update_term(option).unwrap_or_default())
            .collect();
        let message = format!("{step}: the cell `{}` has no update to `{}`", cell.name, term.text);
        let diagnostic = Diagnostic::error(Code::UNKNOWN_VALUE, message).at(term.span, "no such update");
        if let Some(near) = nearest(&term.text, terms.iter().copied()) {
            return diagnostic.hint(format!("did you mean `{near}`?"));
        }
        let all: Vec<String> = terms.iter().map(|term| format!("`{term}`")).collect();
        diagnostic.hint(format!("its updates: {}", listed(&all)))
    }
    fn contradiction(&self, atom: AtomId, term: &TraceString, step: &str) -> Diagnostic {
        let message = match self.alphabet.atoms()[atom].kind {
            AtomKind::Update(cell, _) => {
                let name = &self.alphabet.cells()[cell].name;
                format!("{step}: the cell `{name}` has contradictory updates")
            }
            _ => match self.alphabet.digit_of(atom) {
                Some(signal) => format!("{step}: `{}` has contradictory values", signal.name),
                None => {
                    format!("{step}: `{}` is said to hold and not to hold", self.alphabet.atoms()[atom].name)
                }
            },
        };
        Diagnostic::error(Code::CONTRADICTION, message).at(term.span, "against what was said before")
    }
}

/// What an entry of a letter says.
enum EntryMeaning<'a> {
    /// The truth values of these atoms.
    Atoms(Vec<(AtomId, bool)>),
    /// The signal does not have its value with this index.
    Not(&'a EncodedSignal, usize),
    /// When the letter was recorded, which says nothing about it.
    Recorded,
}

/// The names under which programs record when a letter was seen, unless the specification has them.
const RECORDED: [&str; 12] = [
    "timestamp",
    "@timestamp",
    "time",
    "ts",
    "date",
    "datetime",
    "step",
    "index",
    "seq",
    "line",
    "tick",
    "cycle",
];

/// The value of a signal if all atoms that encode it are known, and it is none of the values of the signal.
fn value_outside(signal: &EncodedSignal, seen: &Observation) -> Option<String> {
    let is_known = signal.atoms.iter().all(|&atom| seen.value(atom).is_some());
    let number = signal.number(|atom| seen.value(atom) == Some(true));
    if !is_known || number < signal.values.len() {
        return None;
    }
    let first = signal.values[0].parse::<i64>();
    Some(first.map_or_else(|_| format!("number {number}"), |n| (i128::from(n) + number as i128).to_string()))
}

/// The error that a letter says only which value a signal does not have.
fn value_not_given(signal: &EncodedSignal, term: &TraceString, step: &str) -> Diagnostic {
    let (name, value) = (&signal.name, &signal.values[0]);
    let message = format!("{step}: the value of `{name}` is not given");
    Diagnostic::error(Code::MISSING_INPUT, message)
        .at(term.span, "only a value that it does not have")
        .hint(format!("write its value: `{name} = {value}`"))
}

/// The error that a letter does not mention these inputs.
pub fn missing_inputs(alphabet: &Alphabet, missing: &[AtomId], step: &str, letter: Span) -> Diagnostic {
    let mut names: Vec<String> = Vec::new();
    for &atom in missing {
        let signal = alphabet.digit_of(atom).map(|signal| &signal.name);
        let name = format!("`{}`", signal.unwrap_or(&alphabet.atoms()[atom].name));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let (noun, verb) = if names.len() == 1 { ("the input", "is") } else { ("the inputs", "are") };
    let message = format!("{step}: {noun} {} {verb} missing", listed(&names));
    Diagnostic::error(Code::MISSING_INPUT, message)
        .at(letter, "in this letter")
        .hint("every letter says of every input whether it holds; only outputs may be left out")
}

/// Parses a truth value, as a word or a digit.
fn boolean(text: &str) -> Option<bool> {
    match text.trim() {
        "1" | "true" => Some(true),
        "0" | "false" => Some(false),
        _ => None,
    }
}

fn listed(names: &[String]) -> String {
    let mut text = names.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > LISTED {
        text.push_str(", ...");
    }
    text
}

/// The letters of a trace over the atoms of an alphabet.
///
/// # Errors
/// The diagnostics about its letters, up to a limit.
pub fn resolve_trace(
    alphabet: &Alphabet,
    text: &TraceText,
    missing: MissingInput,
) -> Result<Trace, Diagnostics> {
    let mut terms = TraceTerms::new(alphabet);
    let mut diagnostics = Diagnostics::new();
    let mut trace = Trace::default();
    for (step, letter) in text.prefix.iter().chain(&text.cycle).enumerate() {
        match terms.letter(letter, &format!("step {step}"), missing) {
            Ok(observation) if step < text.prefix.len() => trace.prefix.push(observation),
            Ok(observation) => trace.cycle.push(observation),
            Err(found) => {
                diagnostics.append(found);
                if diagnostics.len() > FINDINGS {
                    break;
                }
            }
        }
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(trace) }
}
