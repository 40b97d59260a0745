//! `verify`: does a machine do what a specification asks?

use crate::args::{EmitFormat, EngineArg, InputArgs, VerifyArgs};
use crate::exit::Exit;
use crate::files::{self, ReadError};
use crate::input::{self, Reading};
use crate::output::{self, Output};
use crate::settings::Settings;
use crate::supervise::{self, End};
use crate::terminal::{self, Spinner, escape};
use crate::{project, text};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tsl_synth::base::{Limit, StopFlag};
use tsl_synth::diag::{Code, Diagnostic, Diagnostics, Severity};
use tsl_synth::explain::{clause_text, role_word};
use tsl_synth::format::aiger::{is_aiger, read_aiger};
use tsl_synth::format::hoa::read_hoa;
use tsl_synth::logic::{AtomId, Lasso, Player};
use tsl_synth::mealy::{rename_counter, rename_mealy};
use tsl_synth::model::{Notion, Role};
use tsl_synth::source::SourceMap;
use tsl_synth::spec::{ClauseId, Problem};
use tsl_synth::synth::{Candidate, Judgment, Options, Verification, VerifyOptions, verify};
use tsl_synth::wire::machine::MachineDocument;
use tsl_synth::wire::{
    AnyStrategy, CheckCertificate, CheckClause, CheckDiagnostic, TraceDocument, VerifyDocument,
    VerifyVerdict, answer_words,
};

/// What the work came to.
struct Answer {
    document: VerifyDocument,
    exit: Exit,
    /// What the text form says after the sentence.
    details: String,
    map: SourceMap,
    diagnostics: Diagnostics,
}

/// The last file has to be one.
const NO_MACHINE: &str = "there is no machine: `tsl-synth verify [SPEC]... MACHINE`";

/// Runs the verb.
pub(crate) fn run(mut args: VerifyArgs) -> Exit {
    let Some(machine) = args.input.specs.pop() else {
        return output::wrong(NO_MACHINE);
    };
    if matches!(machine.extension().and_then(|e| e.to_str()), Some("tsl" | "ltl" | "tlsf")) {
        return output::wrong(NO_MACHINE);
    }
    if let Err(message) = project::complete(&mut args.input, &mut args.engine) {
        return output::wrong(&message);
    }
    let settings = Settings::new(args.engine.clone());
    let stop = StopFlag::new();
    let spinner = Arc::new(Spinner::new(args.output.progress, args.output.quiet));
    let Options { memory, refinement_rounds, .. } = settings.options(stop.clone(), true);
    let work = Work {
        input: args.input.clone(),
        machine: machine.clone(),
        options: VerifyOptions {
            symbolic: args.engine.engine == Some(EngineArg::Symbolic),
            refinement_rounds,
            stop: stop.clone(),
            memory,
        },
    };
    let observer = Arc::clone(&spinner);
    let end = supervise::run(settings.allowance, &stop, move |_| work.run(&observer));
    spinner.clear();
    let mut answer = match end {
        End::Done(answer) => answer,
        End::Abandoned(kind, _) => {
            let mut answer = Answer::new(&args.input, &machine);
            answer.unknown(&Limit::new(kind, "the computation did not stop by itself"));
            answer
        }
        End::Panicked(message) => return output::internal(&message),
    };
    let mut out = Output::new(args.output.output.as_deref());
    match args.format {
        EmitFormat::Json => {
            let mirror = |d: &Diagnostic| CheckDiagnostic::new(&answer.map, d);
            answer.document.diagnostics = answer.diagnostics.iter().map(mirror).collect();
            out.push(&output::json(&answer.document));
        }
        EmitFormat::Text => {
            let color = terminal::wants_color(args.output.color);
            let least = if args.output.quiet { Severity::Error } else { Severity::Warning };
            let shown = answer.diagnostics.iter().filter(|d| d.severity >= least);
            terminal::say(&text::render(shown, &answer.map, color));
            if answer.exit != Exit::Wrong {
                out.push(&answer.text());
            }
        }
    }
    match out.finish() {
        Ok(()) => answer.exit,
        Err(message) => output::wrong(&message).worst(answer.exit),
    }
}

impl Answer {
    fn new(input: &InputArgs, machine: &Path) -> Self {
        let document =
            VerifyDocument::new(env!("CARGO_PKG_VERSION"), input::name(input), files::shown(machine));
        let (map, diagnostics) = (SourceMap::new(), Diagnostics::new());
        Self { document, exit: Exit::Unknown, details: String::new(), map, diagnostics }
    }
    fn unknown(&mut self, limit: &Limit) {
        self.exit = Exit::Unknown;
        self.document.reason = Some(limit.to_string());
    }
    fn wrong(&mut self, diagnostic: Diagnostic) {
        self.exit = Exit::Wrong;
        self.diagnostics.push(diagnostic);
    }
    fn no(&mut self, reason: String) {
        self.exit = Exit::No;
        self.document.verdict = VerifyVerdict::Violated;
        self.document.reason = Some(reason);
    }
    fn text(&self) -> String {
        let verdict = match self.document.verdict {
            VerifyVerdict::Holds => "HOLDS",
            VerifyVerdict::Violated => "VIOLATED",
            VerifyVerdict::Unknown => "UNKNOWN",
        };
        let reason = self.document.reason.as_deref().map(|r| format!("{}\n", terminal::escape_lines(r)));
        format!("{verdict}\n{}{}", reason.unwrap_or_default(), self.details)
    }
}

/// The work, done on its own thread.
struct Work {
    input: InputArgs,
    machine: PathBuf,
    options: VerifyOptions,
}

impl Work {
    fn run(&self, observer: &Spinner) -> Answer {
        let mut answer = Answer::new(&self.input, &self.machine);
        let mut problem = match input::read(&self.input, &mut answer.map, &mut answer.diagnostics) {
            Reading::Problem(problem) => *problem,
            Reading::Wrong => {
                answer.exit = Exit::Wrong;
                return answer;
            }
            Reading::TooLarge(limit) => {
                answer.unknown(&limit);
                return answer;
            }
        };
        if let Some(candidate) = self.candidate(&problem, &mut answer) {
            let player = if candidate.owner() == Player::System { "system" } else { "environment" };
            answer.document.player = Some(player.into());
            if let Candidate::Circuit { circuit, .. } = &candidate {
                answer.document.latches = Some(circuit.latches.len());
                answer.document.gates = Some(circuit.gates.len());
            }
            let found = verify(&mut problem, &candidate, &self.options, observer);
            tell(&problem, candidate.owner(), found, &mut answer);
        }
        answer
    }

    /// The machine over the atoms of the specification.
    fn candidate(&self, problem: &Problem, answer: &mut Answer) -> Option<Candidate> {
        let name = files::shown(&self.machine);
        let bad = |message: String| Diagnostic::error(Code::BAD_MACHINE, format!("`{name}`: {message}"));
        let bytes = match files::read_bytes(&self.machine) {
            Ok(bytes) => bytes,
            Err(ReadError::TooLarge) => {
                let message = format!("`{name}` is larger than {} MiB", files::MAX_INPUT >> 20);
                answer.unknown(&Limit::new(tsl_synth::base::LimitKind::Size, message));
                return None;
            }
            Err(ReadError::Unreadable(why)) => {
                let message = format!("cannot read `{name}`: {why}");
                answer.wrong(Diagnostic::error(Code::CANNOT_READ, message));
                return None;
            }
            Err(ReadError::NotText { .. }) => return None,
        };
        let found = if is_aiger(&bytes) {
            let read = read_aiger(&bytes).and_then(|aiger| aiger.strategy(&problem.alphabet));
            read.map_err(|error| bad(error.to_string())).map(|strategy| Candidate::Circuit {
                owner: strategy.owner,
                circuit: strategy.circuit,
                proper: strategy.proper,
            })
        } else {
            match String::from_utf8(bytes) {
                Ok(text) if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') => {
                    json(problem, &name, text, &mut answer.map)
                }
                Ok(text) => match hoa(problem, &text) {
                    Ok(Ok(candidate)) => Ok(candidate),
                    Ok(Err(reason)) => {
                        answer.no(format!("This is no strategy: {reason}."));
                        return None;
                    }
                    Err(message) => Err(bad(message)),
                },
                Err(_) => Err(bad("it is neither text nor binary AIGER".into())),
            }
        };
        match found {
            Ok(candidate) => Some(candidate),
            Err(diagnostic) => {
                answer.wrong(diagnostic);
                None
            }
        }
    }
}

fn json(problem: &Problem, name: &str, text: String, map: &mut SourceMap) -> Result<Candidate, Diagnostic> {
    let source = map.add(name, text);
    let (alphabet, strategy) = MachineDocument::read(map, source)?.strategy()?;
    let renamed = match strategy {
        AnyStrategy::Mealy(mealy) => rename_mealy(&alphabet, &mealy, &problem.alphabet).map(Candidate::Mealy),
        AnyStrategy::Counter(counter) => {
            rename_counter(&alphabet, &counter, &problem.alphabet).map(Candidate::Counter)
        }
    };
    renamed.map_err(|message| Diagnostic::error(Code::BAD_MACHINE, format!("`{name}`: {message}")))
}

/// A text that cannot be read is an error; a machine that is no strategy is an answer.
fn hoa(problem: &Problem, text: &str) -> Result<Result<Candidate, String>, String> {
    let hoa = read_hoa(text).map_err(|error| error.to_string())?;
    if let Some(unknown) = hoa.unknown_over(&problem.alphabet) {
        return Err(format!("the proposition {unknown:?} is not an atom of the specification"));
    }
    let made = if hoa.is_counter_over(&problem.alphabet) {
        hoa.counter_over(&problem.alphabet).map(Candidate::Counter)
    } else {
        hoa.mealy_over(&problem.alphabet).map(Candidate::Mealy)
    };
    Ok(made.map_err(|error| error.to_string()))
}

/// So many of what a noun names.
fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Puts what was found into words.
fn tell(problem: &Problem, owner: Player, found: Verification, answer: &mut Answer) {
    answer.document.states = found.states;
    let notion_word = |notion| if notion == Notion::Tsl { "tsl" } else { "ltl" };
    match found.judgment {
        Judgment::Holds(certified, notion) => {
            answer.exit = Exit::Yes;
            let document = &mut answer.document;
            document.verdict = VerifyVerdict::Holds;
            document.reason = Some(match owner {
                Player::System => "The machine keeps every guarantee, whatever the environment does.".into(),
                Player::Environment => "The machine of the environment defeats every system.".into(),
            });
            document.certificate = Some(CheckCertificate { checked: true, by: found.by.to_string() });
            document.questions = Some(certified.searches);
            if found.states.is_some() {
                document.product_states = Some(certified.product_states);
            } else {
                document.diagram_nodes = Some(certified.diagram_nodes);
            }
            if owner == Player::Environment {
                document.notion = Some(notion_word(notion).into());
            }
            let size = match (found.states, certified.product_states) {
                (Some(states), product) => {
                    format!("{}, {}", counted(states as u64, "state"), counted(product, "product state"))
                }
                (None, _) => counted(certified.diagram_nodes, "diagram node"),
            };
            answer.details =
                format!("checked: {}; {}, {size}\n", roles(problem), counted(certified.searches, "question"));
            if !found.constraints.is_empty() {
                let facts = counted(found.constraints.len() as u64, "fact");
                let _ = writeln!(answer.details, "with {facts} of TSL that its plays made necessary");
            }
            if owner == Player::Environment && notion == Notion::Ltl {
                answer.details.push_str(
                    "notion: ltl; some of its plays may not be plays of TSL, and a controller may still exist\n",
                );
            }
            let _ = writeln!(answer.details, "certified by {}", found.by);
        }
        Judgment::Violated { clause, role, play, notion } => {
            violated(problem, owner, clause, role, &play, answer);
            answer.document.notion = Some(notion_word(notion).into());
            if notion == Notion::Ltl {
                answer.details.push_str(
                    "notion: ltl; it is not known whether predicates and functions of TSL allow this play\n",
                );
            }
        }
        Judgment::Improper(cell, inputs) => {
            let cell = &problem.alphabet.cells()[cell].name;
            let step = inputs.len() - 1;
            answer.no(format!("In step {step} of this play `{cell}` does not get exactly one update."));
            let atoms: Vec<AtomId> = problem.alphabet.inputs().collect();
            let _ = writeln!(answer.details, "\n  step  the environment gives");
            for (i, step) in inputs.iter().enumerate() {
                let bits = problem.alphabet.bits_of(Player::Environment).zip(step);
                let letter = bits.filter(|(_, value)| **value).map(|(bit, _)| bit).collect();
                let _ = writeln!(answer.details, "  {i:<4}  {}", given(problem, &atoms, &letter));
            }
        }
        Judgment::Malformed(message) => answer.no(format!("This is no strategy: {message}.")),
        Judgment::Unknown(limit) => answer.unknown(&limit),
    }
}

/// How many clauses of each role there are.
fn roles(problem: &Problem) -> String {
    let count = |role| problem.clauses.iter().filter(|clause| clause.role == role).count();
    let words =
        [Role::Guarantee, Role::Restriction, Role::Assumption, Role::Fact].map(|role| (count(role), role));
    let some = words.iter().filter(|(n, role)| *n > 0 || *role == Role::Guarantee);
    let word =
        |&(n, role): &(usize, Role)| format!("{n} {}{}", role_word(role), if n == 1 { "" } else { "s" });
    some.map(word).collect::<Vec<_>>().join(", ")
}

fn violated(
    problem: &Problem,
    owner: Player,
    clause: Option<ClauseId>,
    role: Role,
    play: &Lasso,
    answer: &mut Answer,
) {
    let alphabet = &problem.alphabet;
    let letters: Vec<_> = (0..play.len()).map(|i| play.letter(i).clone()).collect();
    let trace = TraceDocument::new(env!("CARGO_PKG_VERSION"), alphabet, &letters, Some(play.prefix.len()));
    answer.document.trace = Some(trace);
    let text = clause.map(|id| clause_text(problem, &answer.map, id)).unwrap_or_default();
    let reason = match (owner, role) {
        (Player::System, _) => format!("The {} `{text}` fails on this play:", role_word(role)),
        (Player::Environment, Role::Guarantee) => {
            "On this play the system keeps every guarantee against the machine:".into()
        }
        (Player::Environment, _) => {
            format!("The machine of the environment breaks the {} `{text}` on this play:", role_word(role))
        }
    };
    answer.no(reason);
    if let Some(id) = clause {
        answer.document.clause = Some(CheckClause::new(problem, &answer.map, id));
        if let Some(span) = problem.clauses[id].span {
            let (start, _) = answer.map.positions(span);
            let name = escape(&answer.map.get(span.source).name);
            let _ = writeln!(answer.details, "  {name}:{}:{}  {}", start.line, start.column, escape(&text));
        }
    }
    // Atoms that have no part in the clause are in the JSON form.
    let all: Vec<AtomId> = alphabet.atoms().ids().collect();
    let support = clause.map(|id| problem.formulas.support(&[problem.clauses[id].formula]));
    let atoms: Vec<AtomId> = match support {
        Some(support) if all.len() > 8 => all.into_iter().filter(|&atom| support.contains(atom)).collect(),
        _ => all,
    };
    let rows: Vec<[String; 2]> = letters
        .iter()
        .map(|letter| [given(problem, &atoms, letter), answer_words(problem, &atoms, letter).join(", ")])
        .map(|row| row.map(|cell| escape(&cell)))
        .collect();
    let heads = match owner {
        Player::System => ["the environment gives", "the machine answers"],
        Player::Environment => ["the machine gives", "the system answers"],
    };
    let width = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0).max(heads[0].len());
    let _ = writeln!(answer.details, "\n  step  {:width$}  {}", heads[0], heads[1]);
    for (i, [input, output]) in rows.iter().enumerate() {
        let _ = writeln!(answer.details, "{}", format!("  {i:<4}  {input:width$}  {output}").trim_end());
    }
    let (from, last) = (play.prefix.len(), play.len() - 1);
    let _ = match last - from {
        0 => writeln!(answer.details, "  and step {from} repeats for ever"),
        _ => writeln!(answer.details, "  and steps {from} to {last} repeat for ever"),
    };
}

/// The inputs of a letter, as literals.
fn given(problem: &Problem, atoms: &[AtomId], letter: &tsl_synth::logic::Letter) -> String {
    let alphabet = &problem.alphabet;
    let literal = |&atom: &AtomId| {
        let not = if alphabet.holds(atom, letter) { "" } else { "!" };
        format!("{not}{}", alphabet.atoms()[atom].name)
    };
    let inputs = atoms.iter().filter(|&&atom| alphabet.player(atom) == Player::Environment);
    inputs.map(literal).collect::<Vec<_>>().join(", ")
}
