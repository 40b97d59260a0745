//! `verify`: does a machine satisfy a specification?

use crate::adapters::{Adapters, WithSources, not_stopped};
use crate::exit::Exit;
use crate::flags::{EmitFormat, EngineArgs, InputArgs, OutputArgs};
use crate::supervise::WorkEnd;
use crate::terminal::{escape, escape_lines};
use crate::{output, pipe, project};
use clap::Args;
use std::fmt::Write;
use tsl_synth_core::base::counted;
use tsl_synth_core::diag::{Code, Severity};
use tsl_synth_core::logic::{AtomId, Lasso, Letter, Player};
use tsl_synth_core::model::{Abstraction, Role};
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{VerifyVerdict, answer_words};
use tsl_synth_lang::spec::{ClauseId, Problem};
use tsl_synth_service::{
    Input, MachineVerdict, SpecLanguage, Verification, VerifyAnswer, VerifyReport, VerifyRequest,
    clause_quote, is_stdin, role_word, shown,
};

/// `verify`
#[derive(Args, Debug)]
#[command(
    override_usage = "tsl-synth verify [OPTIONS] [SPEC]... <MACHINE>",
    after_help = "The last file is the machine: HOA, AIGER (ASCII or binary) or machine JSON; a controller, or a \
                  counter-strategy of an unrealizable specification. `--engine symbolic` checks on decision \
                  diagrams what is otherwise enumerated. Exit codes: 0 holds, 1 violated, 2 wrong input, 3 unknown."
)]
pub(crate) struct VerifyArgs {
    /// Form of the answer
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: EmitFormat,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// The error message if the last file is not a machine.
const NO_MACHINE: &str = "there is no machine: `tsl-synth verify [SPEC]... MACHINE`";

/// Runs the verb.
pub(crate) fn run(mut args: VerifyArgs) -> Exit {
    let Some(machine) = args.input.specs.pop() else {
        return output::wrong(NO_MACHINE);
    };
    if SpecLanguage::of_ending(&machine).is_some() {
        let swapped = args.input.specs.iter().any(|other| SpecLanguage::of_ending(other).is_none());
        let hint = if swapped { "; the machine comes last" } else { "" };
        return output::wrong(&format!("{NO_MACHINE}{hint}"));
    }
    let piped = if is_stdin(&machine) {
        Ok(())
    } else {
        pipe::complete(&mut args.input.specs, &args.input.formula, project::of_folder)
    };
    if let Err(error) = piped.and_then(|()| project::complete(&mut args.input, &mut args.engine)) {
        return output::error(&error);
    }
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let machine_name = shown(&machine);
    let mut request = VerifyRequest::new(args.input.spec(), Input::File(machine));
    let name = request.spec.name();
    request.solver = adapters.settings.solver();
    let (answer, sources) = match adapters.ask(move |session| session.verify(&request)) {
        WorkEnd::Done(WithSources { answer, sources }) => (answer, sources),
        WorkEnd::Abandoned(kind, _) => {
            let report = VerifyReport::unknown(name.clone(), machine_name.clone(), not_stopped(kind));
            (Ok(report), SourceMap::new())
        }
        WorkEnd::Panicked(message) => return output::internal(&message),
    };
    let (text, exit) = match (&answer, args.format) {
        (Ok(report), format) => {
            let exit = match report.verdict() {
                VerifyVerdict::Holds => Exit::Yes,
                VerifyVerdict::Violated => Exit::No,
                VerifyVerdict::Unknown => Exit::Unknown,
            };
            let text = match format {
                EmitFormat::Text => {
                    adapters.show(&report.diagnostics, Severity::Warning, &sources);
                    rendered(report, &sources)
                }
                EmitFormat::Json => output::json(&report.document(&sources)),
            };
            (text, exit)
        }
        (Err(failure), EmitFormat::Text) => (String::new(), adapters.failed(failure, &sources)),
        (Err(failure), EmitFormat::Json) => {
            let exit = if failure.is_of_input() { Exit::Wrong } else { adapters.failed(failure, &sources) };
            (output::json(&failure.verify_document(&name, &machine_name, &sources)), exit)
        }
    };
    let delivered = output::deliver(args.output.output.as_deref(), &text);
    if let (Ok(report), EmitFormat::Text) = (&answer, args.format) {
        // A remark on a machine that satisfies the specification comes after the verdict.
        let remarks = report.diagnostics.iter().filter(|found| {
            matches!(found.code, Code::MAY_FALSIFY | Code::NAMES_MATCHED | Code::NAMES_EXTRA)
        });
        adapters.show(remarks, Severity::Note, &sources);
    }
    match delivered {
        Ok(()) => exit,
        Err(error) => output::error(&error).worst(exit),
    }
}

/// The answer as text: the verdict, the reason, and what was checked or a counterexample.
fn rendered(report: &VerifyReport, sources: &SourceMap) -> String {
    let verdict = match report.verdict() {
        VerifyVerdict::Holds => "HOLDS",
        VerifyVerdict::Violated => "VIOLATED",
        VerifyVerdict::Unknown => "UNKNOWN",
    };
    let mut text = format!("{verdict}\n{}\n", escape_lines(&report.reason(sources)));
    if let (Some(problem), VerifyAnswer::Judged { owner, found, .. }) = (&report.problem, &report.answer) {
        details(problem, sources, *owner, found, &mut text);
    }
    text
}

/// What was checked, or the counterexample.
fn details(problem: &Problem, sources: &SourceMap, owner: Player, found: &Verification, text: &mut String) {
    match &found.judgment {
        MachineVerdict::Holds(certified, notion) => {
            let size = match (found.states, certified.product_states) {
                (Some(states), product) => {
                    format!("{}, {}", counted(states, "state"), counted(product, "product state"))
                }
                (None, _) => counted(certified.diagram_nodes, "diagram node"),
            };
            let questions = counted(certified.searches, "question");
            let _ = writeln!(text, "checked: {}; {questions}, {size}", roles(problem));
            if !found.constraints.is_empty() {
                let facts = counted(found.constraints.len(), "fact");
                let _ = writeln!(text, "with {facts} of TSL that its plays made necessary");
            }
            if owner == Player::Environment && *notion == Abstraction::Ltl {
                text.push_str(
                    "notion: ltl; some of its plays may not be plays of TSL, and a controller may still exist\n",
                );
            }
            if let Some(certificate) = found.certificate() {
                let _ = writeln!(text, "certified by {certificate}");
            }
        }
        MachineVerdict::Violated { clause, play, .. } | MachineVerdict::Undecided { clause, play, .. } => {
            violated(problem, sources, owner, *clause, play, text);
        }
        MachineVerdict::Improper(_, inputs) => {
            let atoms: Vec<AtomId> = problem.alphabet.inputs().collect();
            let _ = writeln!(text, "\n  step  the environment gives");
            for (i, step) in inputs.iter().enumerate() {
                let bits = problem.alphabet.bits_of(Player::Environment).zip(step);
                let letter = bits.filter(|(_, value)| **value).map(|(bit, _)| bit).collect();
                let _ = writeln!(text, "  {i:<4}  {}", given(problem, &atoms, &letter));
            }
        }
        MachineVerdict::Malformed(_) | MachineVerdict::Unknown(_) => {}
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
    sources: &SourceMap,
    owner: Player,
    clause: Option<ClauseId>,
    play: &Lasso,
    text: &mut String,
) {
    let alphabet = &problem.alphabet;
    let letters: Vec<_> = (0..play.len()).map(|i| play.letter(i).clone()).collect();
    if let Some((id, span)) = clause.and_then(|id| Some((id, problem.clauses[id].span?))) {
        let (start, _) = sources.positions(span);
        let name = escape(&sources.get(span.source).name);
        let clause = escape(&clause_quote(problem, sources, id));
        let _ = writeln!(text, "  {name}:{}:{}  {clause}", start.line, start.column);
    }
    // If there are many atoms, only those of the clause are shown; the JSON form has all.
    let all: Vec<AtomId> = alphabet.atoms().ids().collect();
    let support = clause.map(|id| problem.support(&[problem.clauses[id].formula]));
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
    let _ = writeln!(text, "\n  step  {:width$}  {}", heads[0], heads[1]);
    for (i, [input, output]) in rows.iter().enumerate() {
        let _ = writeln!(text, "{}", format!("  {i:<4}  {input:width$}  {output}").trim_end());
    }
    let (from, last) = (play.prefix.len(), play.len() - 1);
    let _ = match last - from {
        0 => writeln!(text, "  and step {from} repeats for ever"),
        _ => writeln!(text, "  and steps {from} to {last} repeat for ever"),
    };
}

/// The inputs of a letter, as literals.
fn given(problem: &Problem, atoms: &[AtomId], letter: &Letter) -> String {
    let alphabet = &problem.alphabet;
    let literal = |&atom: &AtomId| {
        let not = if alphabet.holds(atom, letter) { "" } else { "!" };
        format!("{not}{}", alphabet.atoms()[atom].name)
    };
    let inputs = atoms.iter().filter(|&&atom| alphabet.player(atom) == Player::Environment);
    inputs.map(literal).collect::<Vec<_>>().join(", ")
}
