//! `diff`: do two machines give the same answers, do two specifications allow the same words?

use super::machine::MachineFile;
use super::{Failure, FailureKind, Input, PlayedMachine, SolverOptions, SpecRequest, VERSION};
use crate::Session;
use std::collections::BTreeSet;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{Alphabet, AtomId, Lasso, Letter, Player};
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{
    AnyStrategy, CheckClause, CheckDiagnostic, DiffAtom, DiffDocument, DiffKind, DiffRelation, DiffVerdict,
    DiffWord, TraceDocument,
};
use tsl_synth_engine::mealy::{Compared, Difference, PlaySoFar, Strategist, first_difference};
use tsl_synth_explain::{Distinguishing, LanguageComparison, OneWay, clause_text, compare};
use tsl_synth_formats::hoa::read_hoa;
use tsl_synth_lang::spec::{JointSpec, Language, Problem, Target, join};

/// Asks whether two machines, or two specifications, are equivalent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DiffRequest {
    /// The first: a specification, or the one file of a machine (HOA, AIGER, machine JSON).
    pub left: SpecRequest,
    /// The second.
    pub right: SpecRequest,
    /// Whether outputs that only one of two machines has are left out; otherwise they are an error.
    pub common: bool,
    /// Limits.
    pub solver: SolverOptions,
}

impl DiffRequest {
    /// Asks about these two.
    pub fn new(left: SpecRequest, right: SpecRequest) -> Self {
        Self { left, right, common: false, solver: SolverOptions::default() }
    }
}

/// A step of two machines side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffStep {
    /// The choices of the opponent: literals and updates.
    pub given: Vec<String>,
    /// The answer of each machine, in the same form.
    pub answers: [Vec<String>; 2],
}

/// The first difference of two machines.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MachineDifference {
    /// All steps; in the last one the answers differ.
    pub steps: Vec<DiffStep>,
    /// The atoms in which the last answers differ, with their values in both.
    pub atoms: Vec<(String, [bool; 2])>,
    /// The play of each machine.
    pub plays: [TraceDocument; 2],
}

/// A word that one specification allows and the other one does not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DistinguishingWord {
    /// For each step the inputs and the outputs, as literals and updates.
    pub steps: Vec<[Vec<String>; 2]>,
    /// The step at which the cycle of the lasso begins.
    pub back: usize,
    /// The clause of the other specification that fails on the word, as it is written.
    pub clause: Option<String>,
    /// The word in the document of `--format json`.
    pub document: DiffWord,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DiffAnswer {
    /// Two machines of this player.
    Machines {
        /// The player whose strategies they are.
        owner: Player,
        /// The number of pairs of states that are reached by the same word.
        pairs: usize,
        /// The first difference, if there is one.
        difference: Option<Box<MachineDifference>>,
    },
    /// Two specifications.
    Specifications {
        /// A word that only the left one allows, and one that only the right one allows.
        words: [Option<Box<DistinguishingWord>>; 2],
        /// For each of the two words the limit that was reached, if it is not known whether there is such a word.
        unknown: [Option<Limit>; 2],
        /// The number of questions that were answered and certified.
        questions: u64,
    },
    /// A limit was reached before there was anything to compare.
    Unknown(Limit),
}

/// The answer to whether two machines or specifications are equivalent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DiffReport {
    /// The name of the first.
    pub left: String,
    /// The name of the second.
    pub right: String,
    /// The result of the comparison.
    pub answer: DiffAnswer,
    /// Remarks on the comparison: names that only one side has, and how they are treated.
    pub notes: Vec<String>,
    /// Warnings and notes about the input.
    pub diagnostics: Diagnostics,
}

impl DiffReport {
    /// A report without an answer.
    pub fn unknown(left: String, right: String, limit: Limit) -> Self {
        let answer = DiffAnswer::Unknown(limit);
        Self { left, right, answer, notes: Vec::new(), diagnostics: Diagnostics::new() }
    }
    /// The answer in a word.
    pub fn verdict(&self) -> DiffVerdict {
        match &self.answer {
            DiffAnswer::Machines { difference: None, .. } => DiffVerdict::Equivalent,
            DiffAnswer::Machines { .. } => DiffVerdict::Different,
            DiffAnswer::Specifications { words, unknown, .. } => {
                if words.iter().any(Option::is_some) {
                    DiffVerdict::Different
                } else if unknown.iter().any(Option::is_some) {
                    DiffVerdict::Unknown
                } else {
                    DiffVerdict::Equivalent
                }
            }
            DiffAnswer::Unknown(_) => DiffVerdict::Unknown,
        }
    }
    /// How the sets of words of two specifications are related, if that is known.
    pub fn relation(&self) -> Option<DiffRelation> {
        let DiffAnswer::Specifications { words, unknown, .. } = &self.answer else { return None };
        match (words, unknown) {
            ([Some(_), Some(_)], _) => Some(DiffRelation::Incomparable),
            (_, [Some(_), _] | [_, Some(_)]) => None,
            ([None, None], _) => Some(DiffRelation::Same),
            ([None, Some(_)], _) => Some(DiffRelation::LeftStronger),
            ([Some(_), None], _) => Some(DiffRelation::RightStronger),
        }
    }
    /// The answer in a sentence.
    pub fn reason(&self) -> String {
        let (left, right) = (&self.left, &self.right);
        match &self.answer {
            DiffAnswer::Machines { difference: None, .. } => {
                "The machines give the same answers to every word.".into()
            }
            DiffAnswer::Machines { difference: Some(found), .. } => match found.steps.len() {
                1 => "The answers of the machines differ in the first step.".into(),
                n => format!(
                    "The answers of the machines agree up to step {}, and differ in step {}.",
                    n - 2,
                    n - 1
                ),
            },
            DiffAnswer::Specifications { unknown, .. } => match self.relation() {
                Some(DiffRelation::Same) => "The specifications allow the same words.".into(),
                Some(DiffRelation::LeftStronger) => {
                    format!(
                        "`{left}` is stronger: all of its words are words of `{right}`, and not the other way round."
                    )
                }
                Some(DiffRelation::RightStronger) => {
                    format!(
                        "`{right}` is stronger: all of its words are words of `{left}`, and not the other way round."
                    )
                }
                Some(DiffRelation::Incomparable) => {
                    "Each specification allows words that the other one does not.".into()
                }
                None => {
                    let limit = unknown.iter().flatten().next();
                    let limit = limit.map_or_else(String::new, ToString::to_string);
                    match self.verdict() {
                        DiffVerdict::Different => format!(
                            "The specifications do not allow the same words; whether one of them is stronger is not known ({limit})."
                        ),
                        _ => limit,
                    }
                }
            },
            DiffAnswer::Unknown(limit) => limit.to_string(),
        }
    }
    /// The document of `diff --format json`.
    pub fn document(&self, sources: &SourceMap) -> DiffDocument {
        let mut document = DiffDocument::new(VERSION, &self.left, &self.right);
        document.verdict = self.verdict();
        document.reason = Some(self.reason());
        document.notes.clone_from(&self.notes);
        document.relation = self.relation();
        document.diagnostics = self.diagnostics.iter().map(|d| CheckDiagnostic::new(sources, d)).collect();
        match &self.answer {
            DiffAnswer::Machines { difference, .. } => {
                document.kind = Some(DiffKind::Machines);
                if let Some(found) = difference {
                    document.step = found.steps.len().checked_sub(1);
                    let atom = |(name, [left, right]): &(String, [bool; 2])| DiffAtom {
                        name: name.clone(),
                        left: *left,
                        right: *right,
                    };
                    document.atoms = found.atoms.iter().map(atom).collect();
                    document.plays = found.plays.to_vec();
                }
            }
            DiffAnswer::Specifications { words: [left, right], .. } => {
                document.kind = Some(DiffKind::Specifications);
                let word = |word: &Option<Box<DistinguishingWord>>| word.as_ref().map(|w| w.document.clone());
                (document.only_left, document.only_right) = (word(left), word(right));
            }
            DiffAnswer::Unknown(_) => {}
        }
        document
    }
}

impl Failure {
    /// The document of `diff --format json` for this failure.
    pub fn diff_document(&self, left: &str, right: &str, sources: &SourceMap) -> DiffDocument {
        let mut document = DiffDocument::new(VERSION, left, right);
        document.diagnostics = self.diagnostics.iter().map(|d| CheckDiagnostic::new(sources, d)).collect();
        document
    }
}

/// The name of a side: its files, or its formulas.
fn name(spec: &SpecRequest) -> String {
    if spec.inputs.is_empty() { spec.formulas.join(" & ") } else { spec.name() }
}

fn not_comparable(message: String, hint: impl Into<String>) -> Failure {
    Diagnostic::error(Code::NOT_COMPARABLE, message).hint(hint).into()
}

/// `a`, `b` and `c`, or the first ones of many.
fn listed(names: &[String]) -> String {
    const MOST: usize = 5;
    let mut words: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST {
        words.push(format!("{} more", names.len() - MOST));
    }
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

impl Session<'_> {
    /// Compares two machines or two specifications.
    ///
    /// # Errors
    /// Errors of the input, two things that cannot be compared, or a defect of this program.
    pub fn diff(&mut self, request: &DiffRequest) -> Result<DiffReport, Failure> {
        self.deep(|session| {
            let machines = [&request.left, &request.right].map(|spec| session.named_machine(spec));
            let names = [&request.left, &request.right].map(name);
            match machines {
                [Some(left), Some(right)] => session.diff_machines(request, &[left, right], names),
                [None, None] => session.diff_specs(request, names),
                [left, _] => {
                    let [one, other] = names;
                    let (machine, spec) = if left.is_some() { (one, other) } else { (other, one) };
                    let hint = "`tsl-synth verify SPEC MACHINE` asks whether a machine does what a specification asks";
                    Err(not_comparable(format!("`{machine}` is a machine and `{spec}` a specification"), hint))
                }
            }
        })
    }

    fn diff_machines(
        &mut self,
        request: &DiffRequest,
        inputs: &[Input; 2],
        names: [String; 2],
    ) -> Result<DiffReport, Failure> {
        let [left, right] = names;
        let mut diagnostics = Diagnostics::new();
        let (mut machines, mut open) = (Vec::new(), Vec::new());
        for (input, spec) in inputs.iter().zip([&request.left, &request.right]) {
            let mut played = self.played_file(input, &spec.outs)?;
            diagnostics.append(std::mem::take(&mut played.diagnostics));
            open.extend(self.left_open(input, &played));
            machines.push(played);
        }
        let [one, other] = &mut machines[..] else { return Err(Failure::internal("two machines")) };
        match_switches(one, other);
        match_switches(other, one);
        let (one, other) = (&*one, &*other);
        let sides = [compared(one)?, compared(other)?];
        let owner = sides[0].owner();
        if owner != sides[1].owner() {
            let whose = sides.map(|side| side.owner());
            let message =
                format!("`{left}` is a strategy of the {} and `{right}` one of the {}", whose[0], whose[1]);
            return Err(not_comparable(message, "compare two controllers, or two counter-strategies"));
        }
        let mut notes = open;
        let answers = names_compared(request.common, sides, [&left, &right], &mut notes)?;
        let budget = self.diff_budget(request);
        let found = match first_difference(sides, &answers, &budget) {
            Ok(found) => found,
            Err(limit) => {
                return Ok(DiffReport { notes, diagnostics, ..DiffReport::unknown(left, right, limit) });
            }
        };
        let (difference, pairs) = found;
        let difference =
            difference.map(|found| side_by_side([one, other], &found).map(Box::new)).transpose()?;
        let answer = DiffAnswer::Machines { owner, pairs, difference };
        Ok(DiffReport { left, right, answer, notes, diagnostics })
    }

    /// A note if a machine in HOA leaves outputs open: only one resolution is compared.
    fn left_open(&mut self, input: &Input, played: &PlayedMachine) -> Option<String> {
        let Ok(MachineFile::Hoa(text)) = self.machine_file(input) else { return None };
        let state = read_hoa(&text).ok()?.leaves_open(&played.alphabet)?;
        let name = input.shown();
        Some(format!("state {state} of `{name}` leaves outputs open; one way to choose them is compared"))
    }

    fn diff_budget(&self, request: &DiffRequest) -> Budget {
        Budget::unlimited().with_flag(self.cancel.clone()).with_memory(request.solver.memory)
    }

    fn diff_specs(&mut self, request: &DiffRequest, names: [String; 2]) -> Result<DiffReport, Failure> {
        let [left, right] = names;
        let mut diagnostics = Diagnostics::new();
        let mut problems = Vec::new();
        for spec in [&request.left, &request.right] {
            match self.problem(spec) {
                Ok((problem, found)) => {
                    diagnostics.append(found);
                    problems.push(problem);
                }
                Err(Failure { kind: FailureKind::Limit { limit, .. }, .. }) => {
                    return Ok(DiffReport { diagnostics, ..DiffReport::unknown(left, right, limit) });
                }
                Err(failure) => return Err(failure.after(diagnostics)),
            }
        }
        if problems.iter().any(|problem| problem.language != Language::Tsl) {
            // The Boolean outputs of TSL are those of the other language.
            problems = problems.into_iter().map(Problem::with_plain_outputs).collect();
        }
        let [one, other] = &problems[..] else { return Err(Failure::internal("two specifications")) };
        let mut joint = join(one, other).map_err(|why| {
            not_comparable(why, "both specifications have to agree on who decides a name")
                .after(Diagnostics::new())
        })?;
        let notes = notes_on_specs([one, other], [&left, &right], &joint);
        let budget = self.diff_budget(request);
        let LanguageComparison { ways, questions, .. } =
            compare(&mut joint, &budget).map_err(Failure::internal)?;
        let mut words = [None, None];
        let mut unknown = [None, None];
        for (i, way) in ways.into_iter().enumerate() {
            match way {
                OneWay::None => {}
                OneWay::Unknown(limit) => unknown[i] = Some(limit),
                OneWay::Word(found) => {
                    let other = &problems[1 - i];
                    words[i] = Some(Box::new(distinguishing(&joint, other, &self.sources, &found)));
                }
            }
        }
        let answer = DiffAnswer::Specifications { words, unknown, questions };
        Ok(DiffReport { left, right, answer, notes, diagnostics })
    }
}

/// Makes cells of the Boolean outputs of a machine that another one sets by updates, `[x <- true]` and `[x <- false]`.
fn match_switches(machine: &mut PlayedMachine, other: &PlayedMachine) {
    let is_switch = |name: &str| {
        let mut cells = other.alphabet.cells().iter().filter(|cell| cell.name == name);
        let texts = [false, true].map(|value| format!("[{name} <- {value}]"));
        let is_update = |atom: &AtomId| texts.contains(&other.alphabet.atoms()[*atom].name);
        cells.any(|cell| cell.options.iter().all(is_update))
    };
    let outputs = machine.alphabet.outputs().map(|atom| machine.alphabet.atoms()[atom].name.clone());
    let switched: Vec<String> = outputs.filter(|name| is_switch(name)).collect();
    if !switched.is_empty() {
        machine.alphabet = machine.alphabet.with_switches(&switched);
        machine.shown = machine.shown.with_switches(&switched);
    }
}

fn compared(machine: &PlayedMachine) -> Result<Compared<'_>, Failure> {
    let strategy = match machine.strategy.explicit()? {
        AnyStrategy::Mealy(mealy) => Strategist::Mealy(mealy),
        AnyStrategy::Counter(counter) => Strategist::Counter(counter),
    };
    Ok(Compared { alphabet: &machine.alphabet, strategy })
}

/// The names whose values are compared; adds notes on the others.
fn names_compared(
    common: bool,
    sides: [Compared<'_>; 2],
    files: [&str; 2],
    notes: &mut Vec<String>,
) -> Result<Vec<String>, Failure> {
    let owner = sides[0].owner();
    let of =
        |player: Player| sides.map(|side| side.names(player).map(str::to_owned).collect::<BTreeSet<_>>());
    let (reads, gives) = (of(owner.opponent()), of(owner));
    for i in 0..2 {
        if let Some(both) = reads[i].intersection(&gives[1 - i]).next() {
            let (one, other) = (files[i], files[1 - i]);
            let message = format!("`{both}` is read by `{one}` and given by `{other}`");
            return Err(not_comparable(message, "both machines have to agree on who decides a name"));
        }
    }
    let alone = |sets: &[BTreeSet<String>; 2], i: usize| -> Vec<String> {
        sets[i].difference(&sets[1 - i]).cloned().collect()
    };
    for (i, file) in files.into_iter().enumerate() {
        let only = alone(&reads, i);
        if !only.is_empty() {
            if owner == Player::Environment {
                let message = format!("only `{}` reads {}", file, listed(&only));
                let hint = "counter-strategies are compared over the same outputs and updates of the system";
                return Err(not_comparable(message, hint));
            }
            notes.push(format!(
                "only `{}` reads {}; the other one answers alike whatever they are",
                file,
                listed(&only)
            ));
        }
    }
    // An update that a machine never chooses need not be in its file.
    let is_cell = |i: usize, name: &String| {
        let alphabet = sides[i].alphabet;
        let cell = |name: &str| {
            name.strip_prefix('[').and_then(|n| n.split_once("<-")).map(|(c, _)| c.trim().to_owned())
        };
        cell(name).is_some_and(|cell| alphabet.cells().iter().any(|c| c.name == cell))
    };
    let mut left_out: BTreeSet<String> = BTreeSet::new();
    for (i, file) in files.into_iter().enumerate() {
        let only: Vec<String> = alone(&gives, i).into_iter().filter(|name| !is_cell(1 - i, name)).collect();
        if only.is_empty() {
            continue;
        }
        if !common {
            let message = format!("only `{}` gives {}", file, listed(&only));
            return Err(not_comparable(message, "`--common` compares only what both machines give"));
        }
        notes.push(format!("not compared, as only `{}` gives them: {}", file, listed(&only)));
        left_out.extend(only);
    }
    let mut names: Vec<String> = Vec::new();
    for name in sides.iter().flat_map(|side| side.names(owner)) {
        if !left_out.contains(name) && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// Replays the word of the first difference on both machines.
fn side_by_side(machines: [&PlayedMachine; 2], found: &Difference) -> Result<MachineDifference, Failure> {
    let mut plays = Vec::new();
    let mut letters = Vec::new();
    for machine in machines {
        let mut simulation = PlaySoFar::new(&machine.alphabet, compared(machine)?.strategy);
        for choice in found.choices(&machine.alphabet) {
            if simulation.step(&choice).is_none() {
                return Err(Failure::internal("a machine does not answer a word that was found on it"));
            }
        }
        let played = simulation.letters();
        let mut document = TraceDocument::new(VERSION, &machine.shown, played, None);
        document.machine = machine.path.as_ref().map(|path| super::shown(path));
        document.machine_id = Some(machine.id.clone());
        plays.push(document);
        letters.push(played.to_vec());
    }
    let owner = compared(machines[0])?.owner();
    // Check that the simulation of the machines shows the same difference.
    for (name, values) in &found.atoms {
        for (i, machine) in machines.into_iter().enumerate() {
            let atom = machine.alphabet.atoms().enumerate().find(|(_, atom)| atom.name == *name);
            let holds = |letter: &Letter| atom.is_some_and(|(id, _)| machine.alphabet.holds(id, letter));
            if letters[i].last().is_some_and(holds) != values[i] {
                return Err(Failure::internal(format!(
                    "the difference in `{name}` is not there when it is played"
                )));
            }
        }
    }
    // Inputs that only one of the machines reads are reported, too.
    let reader = owner.opponent();
    let steps = (0..found.word.len()).map(|step| {
        let reported = |i: usize, player| words(&machines[i].alphabet, None, &letters[i][step], player);
        let mut given = reported(0, reader);
        for word in reported(1, reader) {
            if !given.contains(&word) {
                given.push(word);
            }
        }
        DiffStep { given, answers: [reported(0, owner), reported(1, owner)] }
    });
    let steps = steps.collect();
    let plays: [TraceDocument; 2] =
        plays.try_into().map_err(|_| Failure::internal("there are two machines"))?;
    Ok(MachineDifference { steps, atoms: found.atoms.clone(), plays })
}

/// The values of a player's atoms in a letter: literals, and the updates that are chosen.
fn words(alphabet: &Alphabet, shown: Option<&[AtomId]>, letter: &Letter, player: Player) -> Vec<String> {
    let reported = |atom: AtomId| shown.is_none_or(|shown| shown.contains(&atom));
    let literal = |atom: AtomId| {
        let not = if alphabet.holds(atom, letter) { "" } else { "!" };
        format!("{not}{}", alphabet.atoms()[atom].name)
    };
    if player == Player::Environment {
        let inputs = alphabet.input_words(letter).into_iter().filter(|word| reported(word.atom));
        return inputs.map(|word| word.to_string()).collect();
    }
    let chosen = alphabet.cells().ids().map(|cell| alphabet.chosen(letter, cell));
    let updates = chosen.filter(|&atom| reported(atom)).map(|atom| alphabet.atoms()[atom].name.clone());
    updates.chain(alphabet.outputs().filter(|&atom| reported(atom)).map(literal)).collect()
}

fn notes_on_specs(problems: [&Problem; 2], files: [&str; 2], joint: &JointSpec) -> Vec<String> {
    let mut notes = Vec::new();
    if problems.iter().any(|problem| problem.language == Language::Tsl) {
        notes.push(
            "words of TSL: in every step a cell gets exactly one update; predicates are free but for what the language says of Boolean cells, ranges and comparisons with numbers"
                .into(),
        );
    }
    for (i, names) in joint.alone.iter().enumerate() {
        if !names.is_empty() {
            notes.push(format!("only `{}` has {}; the other one leaves them free", files[i], listed(names)));
        }
    }
    for (i, problem) in problems.iter().enumerate() {
        if problem.target == Target::Moore {
            notes.push(format!(
                "`{}` asks for a Moore machine: its words are those of the equivalent game for Mealy machines, in which inputs are evaluated with a one-step delay",
                files[i]
            ));
        }
    }
    notes
}

fn distinguishing(
    joint: &JointSpec,
    other: &Problem,
    sources: &SourceMap,
    found: &Distinguishing,
) -> DistinguishingWord {
    let alphabet = &joint.alphabet;
    let Lasso { prefix, .. } = &found.word;
    let letters: Vec<Letter> = (0..found.word.len()).map(|i| found.word.letter(i).clone()).collect();
    let back = prefix.len();
    let step = |letter: &Letter| {
        [Player::Environment, Player::System]
            .map(|player| words(alphabet, Some(&joint.shown), letter, player))
    };
    let hidden = alphabet.atoms().ids().find(|atom| !joint.shown.contains(atom));
    let shown = hidden.map_or_else(|| alphabet.clone(), |first| alphabet.before(first));
    let trace = TraceDocument::new(VERSION, &shown, &letters, Some(back));
    let clause = found.clause.map(|id| CheckClause::new(other, sources, id));
    DistinguishingWord {
        steps: letters.iter().map(step).collect(),
        back,
        clause: found.clause.map(|id| clause_text(other, sources, id)),
        document: DiffWord { trace, clause },
    }
}
