//! A core and a play as one sentence.

use super::arithmetic::may_hang_on_arithmetic;
use super::claim::{PlayLiteral, SufficientMoves, sufficient_inputs, sufficient_moves};
use super::clause::{cited, clause_quote};
use super::cores::Core;
use super::letters::idle;
use super::number_cells::deciding_inputs;
use super::play::{BrokenClause, LosingPlay, PlayEnding};
use super::shown::last_step;
use super::synthesis_queries::Synthesizer;
use super::values::{literal_text, why_unavailable};
use tsl_synth_core::logic::{AtomId, Letter, Player};
use tsl_synth_core::model::{Observer, Role};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::{FailedCertificate, SolverOptions};
use tsl_synth_lang::spec::{ClauseId, Problem, ValueSets};

/// The most steps that are described one by one.
const SHOWN: usize = 3;
/// The most guarantees that are named.
const NAMED: usize = 8;

/// Why the guarantees of a core cannot be kept, in a sentence or two without line ends: "the environment
/// may start with `inCave(s)` true, and then `…` fails at step 0, whatever the system does". Everything that it claims
/// was checked (see `claim.rs`).
///
/// # Errors
/// An answer to one of the questions failed its certificate check.
pub fn explanation_sentence(
    problem: &Problem,
    map: &SourceMap,
    core: &Core,
    play: &LosingPlay,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<String, FailedCertificate> {
    let quoted = |clause: ClauseId| cited(&clause_quote(problem, map, clause), clause, &core.guarantees);
    let mut asker = Synthesizer::new(options, observer);
    let mut sentence = match play.ending {
        PlayEnding::Violated => {
            let moves = sufficient_moves(problem, core, play, &mut asker)?;
            violated(problem, play, &moves, quoted)
        }
        PlayEnding::Repeats(_) => {
            let inputs = sufficient_inputs(problem, core, play, &mut asker)?;
            endless(problem, core, play, inputs.as_deref(), quoted)
        }
    };
    if let Some(first) = sentence.get(..1).map(str::to_uppercase) {
        sentence.replace_range(..1, &first);
    }
    if may_hang_on_arithmetic(problem, core) {
        sentence.push_str(", as long as arithmetic is not computed");
    }
    sentence.push('.');
    Ok(sentence)
}

/// A play that ends in a violation.
fn violated(
    problem: &Problem,
    play: &LosingPlay,
    moves: &SufficientMoves,
    quoted: impl Fn(ClauseId) -> String,
) -> String {
    let last = play.steps.len() - 1;
    let at = last_step(problem, play);
    let environment = match &moves.inputs {
        Some(inputs) => environment_part(problem, play, inputs),
        None => INPUTS_SHOWN.into(),
    };
    let condition = match &moves.answers {
        Some(answers) => answers_part(problem, answers),
        // Before the last step there is no answer to show.
        None if last == 0 => String::new(),
        None => "as shown".into(),
    };
    let mut begin = if environment.is_empty() { String::new() } else { format!("{environment}, and then ") };
    if !condition.is_empty() {
        begin = format!("if the system answers {condition}, {begin}");
    }
    // The text claims that the failure depends on no answer only if there is none before it, or if that was verified.
    let unconditional = last == 0 || moves.answers.as_ref().is_some_and(Vec::is_empty);
    let end = if unconditional { "" } else { "; other answers lose as well" };
    if let [only] = play.failures.as_slice()
        && only.answer.is_none()
    {
        let whatever = if unconditional { ", whatever the system does" } else { end };
        return format!("{begin}{} fails at step {at}{whatever}", quoted(only.clause));
    }
    let idle = idle(&problem.alphabet);
    let breaks: Vec<String> = play
        .failures
        .iter()
        .map(|f| {
            let answer = answer_text(problem, f.clause, f.answer.as_ref().unwrap_or(&idle));
            match problem.clauses[f.clause].role {
                Role::Restriction if !problem.clauses[f.clause].is_duty() => {
                    match unavailable(problem, play, f) {
                        Some(why) => format!("{answer} is not available, because {why}"),
                        None => format!("{answer} is not available"),
                    }
                }
                _ => format!("{answer} breaks {}", quoted(f.clause)),
            }
        })
        .collect();
    format!("{begin}no answer of the system at step {at} is right: {}{end}", breaks.join(", "))
}

/// Why the update that a restriction mentions is not available at the end of a play.
fn unavailable(problem: &Problem, play: &LosingPlay, failure: &BrokenClause) -> Option<String> {
    let support = problem.support(&[problem.clauses[failure.clause].formula]);
    let input = &play.steps.last()?.input;
    let answer = failure.answer.as_ref()?;
    let mut chosen = support.iter().filter(|&atom| {
        problem.alphabet.player(atom) == Player::System && problem.alphabet.holds(atom, answer)
    });
    why_unavailable(problem, chosen.next()?, input)
}

/// A play that goes on forever.
fn endless(
    problem: &Problem,
    core: &Core,
    play: &LosingPlay,
    inputs: Option<&[PlayLiteral]>,
    quoted: impl Fn(ClauseId) -> String,
) -> String {
    let all: Vec<String> = core.guarantees.iter().map(|&id| quoted(id)).collect();
    let failing: Vec<String> = play.failures.iter().map(|f| quoted(f.clause)).collect();
    let fail = if failing.len() == 1 { "fails" } else { "fail" };
    let environment = inputs.map_or(String::new(), |inputs| environment_part(problem, play, inputs));
    let begin = if environment.is_empty() { String::new() } else { format!("{environment}, and then ") };
    match (inputs, all.as_slice()) {
        (Some(_), [only]) => format!("{begin}{only} fails, whatever the system does"),
        (None, [only]) => {
            format!(
                "the environment has an answer to whatever the system does, and {only} fails, for example as shown"
            )
        }
        (_, many) => {
            let together = match many.len() {
                few if few <= NAMED => listed(&all),
                number => format!("the {number} guarantees"),
            };
            format!(
                "{begin}{together} cannot be kept together: with the answers shown {} {fail}",
                listed(&failing)
            )
        }
    }
}

/// The answers of a condition: "`[x <- y]` at step 0 and `!grant` at step 1".
fn answers_part(problem: &Problem, answers: &[PlayLiteral]) -> String {
    let mut steps: Vec<usize> = answers.iter().map(|literal| literal.step).collect();
    steps.dedup();
    if steps.len() > SHOWN {
        return "as shown".into();
    }
    let at = |step: usize| {
        let own = answers.iter().filter(|literal| literal.step == step);
        let own: Vec<(AtomId, bool)> = own.map(|literal| (literal.atom, literal.value)).collect();
        format!("{} at step {step}", listed(&literals_text(problem, &own)))
    };
    listed(&steps.into_iter().map(at).collect::<Vec<_>>())
}

/// The text if there are too many inputs to list.
const INPUTS_SHOWN: &str = "the environment may give the inputs shown";

/// The inputs of the environment in the play as text: "the environment may start with `a` true and give `b` at step 1".
fn environment_part(problem: &Problem, play: &LosingPlay, inputs: &[PlayLiteral]) -> String {
    // With Moore semantics inputs are given one step before the game sees them (see `shown.rs`).
    let delay = usize::from(problem.answers_first);
    let mut reported: Vec<Vec<(AtomId, bool)>> = vec![Vec::new(); play.steps.len()];
    for literal in inputs {
        reported[literal.step.saturating_sub(delay)].push((literal.atom, literal.value));
    }
    // True literals come first: they are the events.
    for reported in &mut reported {
        reported.sort_by_key(|&(atom, value)| (!value, atom));
    }
    let sets = ValueSets::new(problem);
    let words = |literals: &[(AtomId, bool)]| {
        let (values, literals) = sets.told(literals);
        let values: Vec<String> = values.iter().filter_map(|set| sets.text(set)).collect();
        let of = |wanted: bool| -> Option<String> {
            // `a + 1 <= 5` is true where `a + 1 > 5` is false.
            let text = |&(atom, value): &(AtomId, bool)| -> (String, bool) {
                let (yes, no) = (literal_text(problem, atom, true), literal_text(problem, atom, false));
                if !value && no != format!("!{yes}") { (no, true) } else { (yes, value) }
            };
            let names = literals.iter().map(text).filter(|(_, value)| *value == wanted).map(|(name, _)| name);
            let values = values.iter().filter(|_| wanted).cloned();
            let names: Vec<String> = values.chain(names).map(|name| format!("`{name}`")).collect();
            (!names.is_empty()).then(|| format!("{} {wanted}", listed(&names)))
        };
        listed(&[of(true), of(false)].into_iter().flatten().collect::<Vec<_>>())
    };
    let loop_from = match play.ending {
        PlayEnding::Repeats(from) => from.saturating_sub(delay),
        PlayEnding::Violated => play.steps.len(),
    };
    let cycle_is_one_step = matches!(play.ending, PlayEnding::Repeats(from) if from + 1 == play.steps.len());
    let matters = reported.iter().filter(|literals| !literals.is_empty()).count();
    if matters == 0 {
        return String::new();
    }
    if matters > SHOWN || reported.iter().flatten().count() > 2 * SHOWN {
        return INPUTS_SHOWN.into();
    }
    let mut parts = Vec::new();
    for (i, literals) in reported.iter().enumerate().filter(|(_, literals)| !literals.is_empty()) {
        let words = words(literals);
        parts.push(match (i, i >= loop_from) {
            (0, true) if cycle_is_one_step => format!("keep {words} for ever"),
            (_, true) if cycle_is_one_step => format!("keep {words} for ever from step {i} on"),
            (_, true) => format!("give {words} at step {i} and in each round"),
            (0, false) if !problem.answers_first => format!("start with {words}"),
            (_, false) => format!("give {words} at step {i}"),
        });
    }
    // Cells change by updates: the environment has only its inputs to decide what they are compared with.
    let later = reported.iter().enumerate().filter(|(i, _)| *i > 0 || *i >= loop_from);
    let later: Vec<AtomId> = later.flat_map(|(_, literals)| literals).map(|&(atom, _)| atom).collect();
    let by = match deciding_inputs(problem, &later).as_slice() {
        [] => String::new(),
        inputs => {
            let names: Vec<String> = inputs.iter().map(|name| format!("`{name}`")).collect();
            format!(" by its choice of {}", listed(&names))
        }
    };
    format!("the environment may {}{by}", listed(&parts))
}

/// The choices of an answer that a clause mentions.
pub(super) fn answer_text(problem: &Problem, clause: ClauseId, answer: &Letter) -> String {
    let support = problem.support(&[problem.clauses[clause].formula]);
    let mut words = Vec::new();
    for (id, cell) in problem.alphabet.cells().enumerate() {
        if cell.options.iter().any(|&option| support.contains(option) && !problem.is_hidden(option)) {
            let chosen = problem.alphabet.chosen(answer, id);
            words.push(format!("`{}`", problem.alphabet.atoms()[chosen].name));
        }
    }
    let outputs = problem.alphabet.outputs().filter(|&output| support.contains(output));
    let literals: Vec<(AtomId, bool)> =
        outputs.map(|output| (output, problem.alphabet.holds(output, answer))).collect();
    words.extend(literals_text(problem, &literals));
    if words.is_empty() { "every answer".into() } else { listed(&words) }
}

/// Literals in quotes, those of enumerations as values: `` `!go` ``, `` `mode == fast` ``.
fn literals_text(problem: &Problem, literals: &[(AtomId, bool)]) -> Vec<String> {
    let name = |atom: AtomId, holds: bool| {
        format!("{}{}", if holds { "" } else { "!" }, problem.alphabet.atoms()[atom].name)
    };
    let texts = ValueSets::new(problem).texts(literals, &name);
    texts.into_iter().map(|text| format!("`{text}`")).collect()
}

/// "a", "a and b", "a, b and c".
fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
