//! The adherence of agent runs: which guarantees were kept, who is to blame for the others, and how often generated
//! texts satisfied the predicates that were requested of them.
//!
//! Procedural adherence is a property of the controller: the guarantees hold wherever the assumptions do. Point-in-time
//! adherence is a property of the models: the text that was written for an update `[cell <- f]` satisfies the predicate
//! `p(cell)` that was requested (Rothkopf et al., arXiv 2402.16905, section 6).

use super::{Failure, SpecRequest, VERSION};
use crate::Session;
use std::collections::BTreeMap;
use tsl_synth_agents::prompts::Prompts;
use tsl_synth_agents::story::{Observed, WatchedClauses, checks};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::logic::{AtomId, CellId, Letter};
use tsl_synth_documents::{AdherenceDocument, AdherencePoint, AdherenceViolation, Record, TurnDocument};
use tsl_synth_explain::clause_text;
use tsl_synth_lang::spec::{AtomMeaning, Problem, Term};

/// A run as it was recorded or logged.
#[derive(Clone, Debug)]
pub struct LoggedRun {
    /// Its name in reports.
    pub name: String,
    /// Its turns.
    pub turns: Vec<TurnDocument>,
    /// For each update, the predicates that must hold of the text that it wrote.
    pub checks: BTreeMap<String, Vec<String>>,
}

impl LoggedRun {
    /// The run of a record.
    pub fn new(name: impl Into<String>, record: &Record) -> Self {
        Self { name: name.into(), turns: record.turns.clone(), checks: record.header.checks.clone() }
    }
}

/// A violated guarantee.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunViolation {
    /// The name of the run.
    pub run: String,
    /// The number of the turn.
    pub turn: u32,
    /// The text of the guarantee.
    pub guarantee: String,
    /// The first turn up to this one in which an assumption was broken, and the assumption. `None`: the agent is to
    /// blame.
    pub broken: Option<(u32, String)>,
    /// The first turn in which the agent made an assumption impossible by its own choice, and the assumption.
    pub given_up: Option<(u32, String)>,
}

/// Point-in-time adherence of one update: how often the text that it wrote satisfied a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Point {
    /// The update that wrote the text.
    pub update: String,
    /// The predicate that has to hold of the text.
    pub predicate: String,
    /// How often the update was made and the predicate was evaluated in the next turn.
    pub asked: usize,
    /// How often the predicate held in the next turn.
    pub kept: usize,
}

/// The adherence of several runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Adherence {
    /// The number of runs.
    pub runs: usize,
    /// The number of runs that violate no guarantee.
    pub kept: usize,
    /// The number of turns of all runs.
    pub turns: usize,
    /// The first violation of each guarantee in each run.
    pub violations: Vec<RunViolation>,
    /// For each assumption, the number of runs in which it was broken.
    pub broken: BTreeMap<String, usize>,
    /// Point-in-time adherence, for each update and predicate.
    pub points: Vec<Point>,
}

impl Adherence {
    /// The document of `agent stats --format json`.
    pub fn document(&self) -> AdherenceDocument {
        let mut document = AdherenceDocument::empty(VERSION);
        (document.runs, document.kept, document.turns) = (self.runs, self.kept, self.turns);
        document.broken.clone_from(&self.broken);
        document.violations = self
            .violations
            .iter()
            .map(|found| AdherenceViolation {
                run: found.run.clone(),
                turn: found.turn,
                guarantee: found.guarantee.clone(),
                broken: found.broken.as_ref().map(|(_, assumption)| assumption.clone()),
                broken_in: found.broken.as_ref().map(|(turn, _)| *turn),
                given_up: found.given_up.as_ref().map(|(_, assumption)| assumption.clone()),
            })
            .collect();
        document.points = self
            .points
            .iter()
            .map(|point| AdherencePoint {
                update: point.update.clone(),
                predicate: point.predicate.clone(),
                asked: point.asked,
                kept: point.kept,
            })
            .collect();
        document
    }
    /// The share of the runs that violate no guarantee, in percent; 100 if there are no runs.
    pub fn percent(&self) -> f64 {
        percent(self.kept, self.runs)
    }
}

impl Point {
    /// How often the predicate held, in percent; 100 if it was never evaluated.
    pub fn percent(&self) -> f64 {
        percent(self.kept, self.asked)
    }
}

fn percent(part: usize, all: usize) -> f64 {
    if all == 0 { 100.0 } else { 100.0 * part as f64 / all as f64 }
}

/// Computes the adherence of these runs.
pub fn adherence(runs: &[LoggedRun]) -> Adherence {
    let mut found = Adherence { runs: runs.len(), ..Adherence::default() };
    let mut points: BTreeMap<(String, String), (usize, usize)> = BTreeMap::new();
    for run in runs {
        found.turns += run.turns.len();
        let (mut first, mut given_up, mut kept) = (None, None, true);
        let mut broken: Vec<&String> = Vec::new();
        for (i, turn) in run.turns.iter().enumerate() {
            for assumption in &turn.broken {
                first.get_or_insert_with(|| (turn.number, assumption.clone()));
                if !broken.contains(&assumption) {
                    broken.push(assumption);
                }
            }
            for assumption in &turn.given_up {
                given_up.get_or_insert_with(|| (turn.number, assumption.clone()));
            }
            for guarantee in &turn.violated {
                kept = false;
                found.violations.push(RunViolation {
                    run: run.name.clone(),
                    turn: turn.number,
                    guarantee: guarantee.clone(),
                    broken: first.clone(),
                    given_up: given_up.clone(),
                });
            }
            let Some(next) = run.turns.get(i + 1) else { continue };
            for (cell, term) in &turn.updates {
                let update = format!("[{cell} <- {term}]");
                for predicate in run.checks.get(&update).into_iter().flatten() {
                    let Some(holds) = next.inputs.get(predicate) else { continue };
                    let point = points.entry((update.clone(), predicate.clone())).or_default();
                    point.0 += 1;
                    point.1 += usize::from(*holds);
                }
            }
        }
        for assumption in broken {
            *found.broken.entry(assumption.clone()).or_default() += 1;
        }
        found.kept += usize::from(kept);
    }
    let point = |((update, predicate), (asked, kept))| Point { update, predicate, asked, kept };
    found.points = points.into_iter().map(point).collect();
    found
}

/// A table with one row for each turn of several runs, as spreadsheets export it.
#[derive(Clone, Debug, Default)]
pub struct TableLog {
    /// The names of the columns: `run` (or `game`), `step` (or `turn`), predicates, and cells, whose values are
    /// updates. If only one cell has several updates, its column may be called `update`.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Whether the predicates of a row were evaluated after its update, on the text that it wrote, and not before it.
    pub after: bool,
}

/// The meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Run,
    Step,
    Predicate(AtomId),
    Cell(CellId),
    Output(AtomId),
}

/// The ASCII letters and digits of a name in lower case: names of columns are compared up to case and punctuation.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The function, predicate or signal at the head of the term of an atom.
fn head(problem: &Problem, atom: AtomId) -> Option<&str> {
    let (AtomMeaning::Predicate(term) | AtomMeaning::Update(_, term)) = problem.signature.atoms.get(atom)?
    else {
        return None;
    };
    match problem.signature.terms.get(*term) {
        Term::Signal(symbol) | Term::Apply(symbol, _) => Some(&problem.signature.symbols[*symbol].name),
        _ => None,
    }
}

fn no_value(message: impl Into<String>) -> Failure {
    Diagnostic::error(Code::BAD_RECORD, message).into()
}

fn wrong(message: impl Into<String>) -> Failure {
    Diagnostic::error(Code::BAD_RECORD, message)
        .hint("`--columns` gives the columns other names: those of predicates, of cells, `run`, `step`, and `-` for others")
        .into()
}

impl Session<'_> {
    /// The runs of a table, judged by a specification, which need not be realizable.
    ///
    /// # Errors
    /// Errors of the specification, a predicate without a column, two columns with the same meaning, or an invalid
    /// value.
    pub fn logged_runs(&mut self, spec: &SpecRequest, log: &TableLog) -> Result<Vec<LoggedRun>, Failure> {
        self.deep(|session| {
            let (mut problem, _) = session.problem(spec)?;
            let sources = &session.sources;
            let clauses = WatchedClauses::new(&mut problem, &[], &|problem, clause| {
                clause_text(problem, sources, clause)
            });
            read_log(&problem, &clauses, log)
        })
    }
}

fn read_log(problem: &Problem, clauses: &WatchedClauses, log: &TableLog) -> Result<Vec<LoggedRun>, Failure> {
    let columns = columns(problem, log)?;
    let at = |wanted: Column| columns.iter().position(|column| *column == Some(wanted));
    let mut runs: Vec<(String, Vec<&Vec<String>>)> = Vec::new();
    for row in &log.rows {
        let name = at(Column::Run).and_then(|i| row.get(i)).cloned().unwrap_or_else(|| "1".into());
        match runs.iter_mut().find(|(other, _)| *other == name) {
            Some((_, rows)) => rows.push(row),
            None => runs.push((name, vec![row])),
        }
    }
    let mut of_updates: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let name = |atom: AtomId| problem.alphabet.atoms()[atom].name.clone();
    for (update, predicate) in checks(problem, &Prompts::default()) {
        of_updates.entry(name(update)).or_default().push(name(predicate));
    }
    let mut logged = Vec::new();
    for (run, rows) in runs {
        let mut steps = Vec::new();
        for (number, row) in (0..).zip(rows) {
            let read = step(problem, &columns, number, row);
            steps.push(read.map_err(|why| no_value(format!("run {run}, {why}")))?);
        }
        let turns = judged(problem, clauses, log.after, &steps);
        logged.push(LoggedRun { name: run, turns, checks: of_updates.clone() });
    }
    Ok(logged)
}

/// The meaning of each column; `None`: it is ignored. Nothing is guessed: a predicate, cell or output without a column
/// is an error.
fn columns(problem: &Problem, log: &TableLog) -> Result<Vec<Option<Column>>, Failure> {
    let alphabet = &problem.alphabet;
    let atoms = alphabet.atoms();
    let name_of = |atom: AtomId| atoms[atom].name.as_str();
    let mut named: Vec<(&str, Column)> = Vec::new();
    named.extend(alphabet.inputs().map(|atom| (name_of(atom), Column::Predicate(atom))));
    named.extend(alphabet.cells().enumerate().map(|(id, cell)| (cell.name.as_str(), Column::Cell(id))));
    named.extend(alphabet.outputs().map(|atom| (name_of(atom), Column::Output(atom))));
    // Whole terms take precedence over the bare names of functions and predicates.
    named.extend(alphabet.inputs().filter_map(|atom| Some((head(problem, atom)?, Column::Predicate(atom)))));
    named.extend([
        ("run", Column::Run),
        ("game", Column::Run),
        ("step", Column::Step),
        ("turn", Column::Step),
    ]);
    named.extend(updated(problem).map(|cell| ("update", Column::Cell(cell))));
    let column = |given: &String| {
        let name = plain(given);
        let exact = named.iter().find(|(known, _)| known == given);
        let found =
            exact.or_else(|| named.iter().find(|(known, _)| !name.is_empty() && plain(known) == name));
        found.map(|(_, column)| *column)
    };
    let columns: Vec<Option<Column>> = log.columns.iter().map(column).collect();
    for (i, column) in columns.iter().enumerate() {
        if column.is_some() && columns[..i].contains(column) {
            return Err(wrong(format!("two columns are `{}`", log.columns[i])));
        }
    }
    let missing = |column: Column| !columns.contains(&Some(column));
    if let Some(atom) = alphabet.inputs().find(|&atom| missing(Column::Predicate(atom))) {
        return Err(wrong(format!("no column says whether `{}` holds", name_of(atom))));
    }
    if let Some(atom) = alphabet.outputs().find(|&atom| missing(Column::Output(atom))) {
        return Err(wrong(format!("no column says whether `{}` holds", name_of(atom))));
    }
    let mut cells = alphabet.cells().enumerate().filter(|(_, cell)| cell.options.len() > 1);
    if let Some((_, cell)) = cells.find(|(id, _)| missing(Column::Cell(*id))) {
        return Err(wrong(format!("no column says what `{}` is set to", cell.name)));
    }
    Ok(columns)
}

/// The cell that a column `update` refers to: the only one with several updates, else the only one that some update
/// sets to a function application.
fn updated(problem: &Problem) -> Option<CellId> {
    let mut several = problem.alphabet.cells().enumerate().filter(|(_, cell)| cell.options.len() > 1);
    match (several.next(), several.next()) {
        (Some((cell, _)), None) => Some(cell),
        _ => applied(problem),
    }
}

/// The only cell that some update sets to a function application.
fn applied(problem: &Problem) -> Option<CellId> {
    let signature = &problem.signature;
    let is_applied = |atom: &AtomId| match signature.atoms.get(*atom) {
        Some(AtomMeaning::Update(_, term)) => matches!(signature.terms.get(*term), Term::Apply(..)),
        _ => false,
    };
    let cells = problem.alphabet.cells().enumerate();
    let mut found = cells.filter(|(_, cell)| cell.options.iter().any(is_applied)).map(|(id, _)| id);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The predicates and updates of a row.
struct TraceLine {
    number: u32,
    inputs: Vec<(AtomId, bool)>,
    outputs: Vec<(AtomId, bool)>,
    updates: Vec<AtomId>,
}

fn step(
    problem: &Problem,
    columns: &[Option<Column>],
    number: u32,
    row: &[String],
) -> Result<TraceLine, String> {
    let alphabet = &problem.alphabet;
    let mut line = TraceLine { number, inputs: Vec::new(), outputs: Vec::new(), updates: Vec::new() };
    if row.len() != columns.len() {
        return Err(format!("line {number}: {} columns, not {}", row.len(), columns.len()));
    }
    for (column, text) in columns.iter().zip(row) {
        let text = text.trim();
        match column {
            Some(Column::Step) => {
                line.number = text.parse().map_err(|_| format!("line {number}: `{text}` is no step"))?;
            }
            Some(Column::Predicate(atom) | Column::Output(atom)) => {
                let holds = match text.to_ascii_lowercase().as_str() {
                    "1" | "true" => true,
                    "0" | "false" => false,
                    _ => return Err(format!("line {number}: `{text}` is neither 0 nor 1")),
                };
                let is_output = matches!(column, Some(Column::Output(_)));
                if is_output { line.outputs.push((*atom, holds)) } else { line.inputs.push((*atom, holds)) }
            }
            Some(Column::Cell(cell)) => {
                let options = &alphabet.cells()[*cell].options;
                let named = |atom: &&AtomId| {
                    let atom = **atom;
                    alphabet.update_term(atom) == Some(text)
                        || alphabet.atoms()[atom].name == text
                        || head(problem, atom) == Some(text)
                };
                let Some(atom) = options.iter().find(named) else {
                    let cell = &alphabet.cells()[*cell].name;
                    return Err(format!("line {number}: `{text}` is no update of `{cell}`"));
                };
                line.updates.push(*atom);
            }
            _ => {}
        }
    }
    Ok(line)
}

/// The turns of a run with the clauses that they violate. A cell without a column keeps its value if it has that
/// update, and else takes its first update.
fn judged(
    problem: &Problem,
    clauses: &WatchedClauses,
    after: bool,
    lines: &[TraceLine],
) -> Vec<TurnDocument> {
    let alphabet = &problem.alphabet;
    let mut observed = Vec::new();
    let mut turns = Vec::new();
    let nothing: Vec<(AtomId, bool)> = alphabet.inputs().map(|atom| (atom, false)).collect();
    let count = lines.len() + usize::from(after);
    for k in 0..count {
        // If predicates are evaluated after the update, a letter has the predicate values of the previous row.
        let inputs = match (after, k) {
            (false, _) => &lines[k].inputs,
            (true, 0) => &nothing,
            (true, _) => &lines[k - 1].inputs,
        };
        let line = lines.get(k);
        let mut letter = Letter::new();
        let after_the_last = || lines.last().map_or(0, |line| line.number.saturating_add(1));
        let number = line.map_or_else(after_the_last, |line| line.number);
        let mut turn = TurnDocument { number, ..TurnDocument::default() };
        for &(atom, holds) in inputs {
            if holds {
                alphabet.choose(atom, &mut letter);
            }
            turn.inputs.insert(alphabet.atoms()[atom].name.clone(), holds);
        }
        for &(atom, holds) in line.iter().flat_map(|line| &line.outputs) {
            if holds {
                alphabet.choose(atom, &mut letter);
            }
            turn.outputs.insert(alphabet.atoms()[atom].name.clone(), holds);
        }
        for cell in alphabet.cells() {
            let chosen = line.and_then(|line| line.updates.iter().find(|atom| cell.options.contains(atom)));
            let keeps = |atom: &&AtomId| alphabet.update_term(**atom) == Some(cell.name.as_str());
            let update = chosen.or_else(|| cell.options.iter().find(keeps)).or(cell.options.first());
            if let Some(&update) = update {
                alphabet.choose(update, &mut letter);
                if chosen.is_some() {
                    let term = alphabet.update_term(update).unwrap_or_default();
                    turn.updates.insert(cell.name.clone(), term.into());
                }
            }
        }
        observed.push(Observed { letter: alphabet.canonical(&letter), only_inputs: line.is_none() });
        turns.push(turn);
    }
    for (turn, judged) in turns.iter_mut().zip(clauses.judge(alphabet, &observed)) {
        let text = |i: &usize| clauses.assumptions[*i].text.clone();
        turn.broken = judged.broken.iter().map(text).collect();
        turn.given_up = judged.given_up.iter().map(text).collect();
        turn.violated = judged.violated.iter().map(|&i| clauses.guarantees[i].text.clone()).collect();
    }
    turns
}
