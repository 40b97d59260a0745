//! A core and a play in one plain sentence.

use super::clause::clause_text;
use super::deletion::Core;
use super::letters::idle;
use super::play::{Ending, Failure, Play};
use super::progress::after;
use crate::logic::{AtomId, AtomKind, FormulaId, Formulas, Lasso, Letter, Meaning, Player};
use crate::model::Role;
use crate::source::SourceMap;
use crate::spec::{AtomMeaning, ClauseId, Problem, Sort, SymbolKind, Term};

/// More steps than this are not told one by one.
const TOLD: usize = 3;

/// The input literals that matter, step by step: had the environment given the opposite in that one step,
/// some clause that fails would not have failed as it did.
fn literals(problem: &Problem, core: &Core, play: &Play) -> Vec<Vec<(AtomId, bool)>> {
    let mut result = decisive_literals(problem, play);
    let nothing = result.iter().all(Vec::is_empty);
    if nothing && play.steps.len() == 1 && play.ending == Ending::Repeats(0) {
        // No single input decides, but what is given for ever is all there is to tell.
        let spoken: Vec<FormulaId> = core.guarantees.iter().map(|&id| problem.clauses[id].formula).collect();
        let input = &play.steps[0].input;
        let support = problem.formulas.support(&spoken);
        result[0] = support
            .iter()
            .filter(|&atom| is_given(problem, atom))
            .map(|atom| (atom, problem.alphabet.holds(atom, input)))
            .take(TOLD + 1)
            .collect();
    }
    result
}

/// Whether the environment is free to choose the value of an atom: not an update, and not a value that
/// follows from earlier updates.
pub fn is_given(problem: &Problem, atom: AtomId) -> bool {
    if problem.alphabet.player(atom) != Player::Environment {
        return false;
    }
    let Some(AtomMeaning::Predicate(term)) = problem.signature.atoms.get(atom) else { return true };
    let mut stack = vec![*term];
    while let Some(term) = stack.pop() {
        match problem.signature.terms.get(term) {
            Term::Literal(_) => {}
            Term::Operation(_, a, b) => stack.extend([*a, *b]),
            Term::Signal(symbol) => {
                let symbol = &problem.signature.symbols[*symbol];
                let exact = matches!(symbol.sort, Sort::Bool | Sort::Range(..) | Sort::Enum(_));
                if symbol.kind == SymbolKind::Input || !exact {
                    return true;
                }
            }
            Term::Apply(..) => return true,
        }
    }
    false
}

fn decisive_literals(problem: &Problem, play: &Play) -> Vec<Vec<(AtomId, bool)>> {
    let mut formulas = problem.formulas.clone();
    let failing: Vec<FormulaId> = play.failures.iter().map(|f| problem.clauses[f.clause].formula).collect();
    let support = formulas.support(&failing);
    let mut result = Vec::new();
    for step in 0..play.steps.len() {
        let mut told = Vec::new();
        for atom in support.iter() {
            let AtomKind::Input(bit) = problem.alphabet.atoms()[atom].kind else { continue };
            if !is_given(problem, atom) {
                continue;
            }
            let mut other = play.clone();
            let input = &mut other.steps[step].input;
            let value = input.remove(bit);
            if !value {
                input.insert(bit);
            }
            if play.failures.iter().any(|failure| !still_fails(problem, &mut formulas, &other, failure)) {
                told.push((atom, value));
            }
        }
        // What is true comes first: it is what happens.
        told.sort_by_key(|&(atom, value)| (!value, atom));
        result.push(told);
    }
    result
}

/// The answers before the last step that matter, step by step: with another one there some clause that fails
/// would not have failed as it did.
fn answers_that_matter(problem: &Problem, play: &Play) -> Vec<Vec<String>> {
    let mut formulas = problem.formulas.clone();
    let failing: Vec<FormulaId> = play.failures.iter().map(|f| problem.clauses[f.clause].formula).collect();
    let support = formulas.support(&failing);
    let alphabet = &problem.alphabet;
    let mut result = vec![Vec::new(); play.steps.len()];
    for (step, told) in result.iter_mut().enumerate() {
        let Some(given) = &play.steps[step].output else { continue };
        let mut matters = |changed: Letter| {
            let mut other = play.clone();
            other.steps[step].output = Some(changed);
            play.failures.iter().any(|failure| !still_fails(problem, &mut formulas, &other, failure))
        };
        for (id, cell) in alphabet.cells().enumerate() {
            let chosen = alphabet.chosen(given, id);
            let others = cell.options.iter().filter(|&&option| option != chosen);
            let spoken = cell.options.iter().any(|&option| support.contains(option));
            let change = |&option: &AtomId| {
                let mut letter = given.clone();
                alphabet.choose(option, &mut letter);
                letter
            };
            if spoken && others.map(change).any(&mut matters) {
                told.push(format!("`{}`", alphabet.atoms()[chosen].name));
            }
        }
        for output in alphabet.outputs().filter(|&output| support.contains(output)) {
            let AtomKind::Output(bit) = alphabet.atoms()[output].kind else { continue };
            let mut letter = given.clone();
            if !letter.remove(bit) {
                letter.insert(bit);
            }
            if matters(letter) {
                let not = if given.contains(bit) { "" } else { "!" };
                told.push(format!("`{not}{}`", alphabet.atoms()[output].name));
            }
        }
    }
    result
}

/// Whether a clause fails on a play as the failure says.
fn still_fails(problem: &Problem, formulas: &mut Formulas, play: &Play, failure: &Failure) -> bool {
    let default = idle(&problem.alphabet);
    let formula = problem.clauses[failure.clause].formula;
    let letter = |i: usize| {
        let step = &play.steps[i];
        let mut letter = step.input.clone();
        letter.union_with(step.output.as_ref().or(failure.answer.as_ref()).unwrap_or(&default));
        letter
    };
    match play.ending {
        Ending::Violated => {
            let mut rest = vec![formula];
            for i in 0..play.steps.len() {
                rest = after(formulas, &problem.alphabet, &rest, &letter(i));
            }
            rest[0] == formulas.bottom()
        }
        Ending::Repeats(from) => {
            let letters: Vec<Letter> = (0..play.steps.len()).map(letter).collect();
            let word = Lasso { prefix: letters[..from].to_vec(), cycle: letters[from..].to_vec() };
            !Meaning::new(formulas, &problem.alphabet, &word).holds(formula)
        }
    }
}

/// Why the guarantees of a core cannot be kept, in a sentence or two without line ends: "the environment
/// may start with `inCave(s)` true, and then `…` fails at step 0, whatever the system does".
pub fn story(problem: &Problem, map: &SourceMap, core: &Core, play: &Play) -> String {
    let quoted = |clause: ClauseId| format!("`{}`", clause_text(problem, map, clause));
    let told = literals(problem, core, play);
    let environment = environment_part(problem, play, &told);
    let answers = answers_that_matter(problem, play);
    let when: Vec<String> = answers
        .iter()
        .enumerate()
        .filter(|(_, told)| !told.is_empty())
        .map(|(step, told)| format!("{} at step {step}", listed(told)))
        .collect();
    // In a loop the answers are part of what is shown, and there is no last step.
    let conditional = play.ending == Ending::Violated && !when.is_empty();
    let mut begin = if environment.is_empty() { String::new() } else { format!("{environment}, and then ") };
    if conditional {
        let answered = if when.len() > TOLD { "as shown".into() } else { listed(&when) };
        begin = format!("if the system answers {answered}, {begin}");
    }
    let mut sentence = match (play.ending, play.failures.as_slice()) {
        (Ending::Violated, [only]) if only.answer.is_none() => {
            let last = play.steps.len() - 1;
            let clause = quoted(only.clause);
            if conditional {
                format!("{begin}{clause} fails at step {last}; other answers lose as well")
            } else {
                format!("{begin}{clause} fails at step {last}, whatever the system does")
            }
        }
        (Ending::Violated, many) => {
            let last = play.steps.len() - 1;
            let idle = idle(&problem.alphabet);
            let breaks: Vec<String> = many
                .iter()
                .map(|f| {
                    let answer = answer_text(problem, f.clause, f.answer.as_ref().unwrap_or(&idle));
                    match problem.clauses[f.clause].role {
                        Role::Restriction => format!("{answer} is not available"),
                        _ => format!("{answer} breaks {}", quoted(f.clause)),
                    }
                })
                .collect();
            format!("{begin}no answer of the system at step {last} is right: {}", breaks.join(", "))
        }
        (Ending::Repeats(_), many) => {
            let clauses: Vec<String> = many.iter().map(|f| quoted(f.clause)).collect();
            let fail = if clauses.len() == 1 { "fails" } else { "fail" };
            if core.guarantees.len() == 1 {
                format!("{begin}{} {fail}, whatever the system does", clauses.join(" and "))
            } else {
                let all: Vec<String> = core.guarantees.iter().map(|&id| quoted(id)).collect();
                format!(
                    "{begin}{} cannot be kept together: with the answers shown {} {fail}",
                    listed(&all),
                    clauses.join(" and ")
                )
            }
        }
    };
    if let Some(first) = sentence.get(..1).map(str::to_uppercase) {
        sentence.replace_range(..1, &first);
    }
    sentence.push('.');
    sentence
}

/// What the environment does in the play: "the environment may start with `a` true and give `b` at step 1".
fn environment_part(problem: &Problem, play: &Play, told: &[Vec<(AtomId, bool)>]) -> String {
    let words = |literals: &[(AtomId, bool)]| {
        let all: Vec<String> = literals
            .iter()
            .map(|&(atom, value)| format!("`{}` {value}", problem.alphabet.atoms()[atom].name))
            .collect();
        listed(&all)
    };
    let loop_from = match play.ending {
        Ending::Repeats(from) => from,
        Ending::Violated => play.steps.len(),
    };
    let matters = told.iter().filter(|literals| !literals.is_empty()).count();
    if matters == 0 {
        return String::new();
    }
    if matters > TOLD || told.iter().flatten().count() > 2 * TOLD {
        return "the environment may give the inputs shown".into();
    }
    let cycle_is_one_step = play.steps.len() - loop_from == 1;
    let mut parts = Vec::new();
    for (i, literals) in told.iter().enumerate().filter(|(_, literals)| !literals.is_empty()) {
        let words = words(literals);
        parts.push(match (i, i >= loop_from) {
            (0, true) if cycle_is_one_step => format!("keep {words} for ever"),
            (_, true) if cycle_is_one_step => format!("keep {words} for ever from step {i} on"),
            (_, true) => format!("give {words} at step {i} and in each round"),
            (0, false) => format!("start with {words}"),
            (_, false) => format!("give {words} at step {i}"),
        });
    }
    format!("the environment may {}", listed(&parts))
}

/// The choices of an answer that a clause speaks about.
pub(super) fn answer_text(problem: &Problem, clause: ClauseId, answer: &Letter) -> String {
    let support = problem.formulas.support(&[problem.clauses[clause].formula]);
    let mut words = Vec::new();
    for (id, cell) in problem.alphabet.cells().enumerate() {
        if cell.options.iter().any(|&option| support.contains(option)) {
            let chosen = problem.alphabet.chosen(answer, id);
            words.push(format!("`{}`", problem.alphabet.atoms()[chosen].name));
        }
    }
    for output in problem.alphabet.outputs().filter(|&output| support.contains(output)) {
        let not = if problem.alphabet.holds(output, answer) { "" } else { "!" };
        words.push(format!("`{not}{}`", problem.alphabet.atoms()[output].name));
    }
    if words.is_empty() { "every answer".into() } else { listed(&words) }
}

/// "a", "a and b", "a, b and c".
fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
