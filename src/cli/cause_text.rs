//! The answer of `explain TRACE` as text.

use crate::terminal::{escape, escape_lines};
use std::fmt::Write;
use tsl_synth_core::logic::{Alphabet, BitId, Lasso, Letter, Player};
use tsl_synth_core::model::{Counterfactual, InputEvent};
use tsl_synth_documents::{CauseLetter, CauseValue, CauseWitness};
use tsl_synth_service::cause::{
    CauseAnswer, Explained, again_text, alternative_text, compare, event_text, input_name, recurring_text,
};
use tsl_synth_service::{ExplainTraceReport, TraceAnswer};

/// The largest number of rows of a table; further steps are only counted.
const ROWS: usize = 40;
/// The largest number of alternatives listed; further ones are only counted.
const ALTERNATIVES: usize = 10;

/// The whole answer.
pub(crate) fn render(report: &ExplainTraceReport) -> String {
    let document = &report.document;
    let mut out = String::new();
    for (number, link) in document.chain.iter().enumerate() {
        line(&mut out, &format!("{}{}", if number > 0 { "  " } else { "" }, link.sentence));
    }
    if !document.chain.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "{}", escape_lines(&document.sentence));
    if let Some(TraceAnswer { alphabet, actual, answer, .. }) = &report.found {
        match answer {
            CauseAnswer::Cause(found) => {
                cause(&mut out, alphabet, actual, found, document.automaton.is_some());
            }
            CauseAnswer::NotDecided(other) => {
                out.push_str("\nthe same inputs, and it does not happen:\n");
                table(&mut out, alphabet, actual, other);
            }
            _ => {}
        }
    }
    for note in &document.notes {
        line(&mut out, &format!("note: {note}"));
    }
    if let Some(hypothesis) = &document.hypothesis {
        out.push('\n');
        line(&mut out, &format!("hypothesis: {}", hypothesis.sentence));
        for witness in &hypothesis.witnesses {
            line(&mut out, &format!("  {}: {}", witness.shows, word(witness)));
        }
    }
    out
}

/// The answers about several effects, each under a heading.
pub(crate) fn render_all(reports: &[ExplainTraceReport]) -> String {
    let mut out = String::new();
    for (number, report) in (1..).zip(reports) {
        if number > 1 {
            out.push('\n');
        }
        let of = reports.len();
        line(&mut out, &format!("effect {number} of {of}: `{}`", report.document.effect));
        out.push_str(&render(report));
    }
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(&escape(text));
    out.push('\n');
}

fn cause(out: &mut String, alphabet: &Alphabet, actual: &Lasso, found: &Explained, built: bool) {
    let cause = &found.cause;
    if !cause.necessary.is_empty() {
        out.push_str("\nnecessary, each by itself:\n");
        for event in &cause.necessary {
            line(out, &format!("  {}", event_text(alphabet, event)));
        }
    }
    if !cause.alternatives.is_empty() {
        out.push_str("\nenough in one of several ways:\n");
        for set in cause.alternatives.iter().take(ALTERNATIVES) {
            line(out, &format!("  {}", alternative_text(alphabet, set)));
        }
        if cause.alternatives.len() > ALTERNATIVES {
            line(out, &format!("  ... and {} more", cause.alternatives.len() - ALTERNATIVES));
        }
    }
    if !cause.recurring.is_empty() {
        out.push_str("\nenough once:\n");
        line(out, &format!("  {}", recurring_text(alphabet, &cause.recurring)));
    }
    if !cause.again.is_empty() {
        out.push_str("\nnecessary again and again, however late:\n");
        for group in &cause.again {
            line(out, &format!("  {}", again_text(alphabet, group)));
        }
    }
    if !found.exact && cause.formula.is_none() {
        let no_list = cause.necessary.is_empty() && cause.alternatives.is_empty();
        let (what, all) = if no_list {
            ("no list of single events says it", "the exact cause")
        } else {
            ("these events are a part of the cause and not all of it", "all of it")
        };
        let how = if built {
            format!("the automaton is {all}")
        } else {
            format!("`--automaton FILE` builds {all}")
        };
        let _ = writeln!(out, "\n{what}: {how}");
    }
    if let Some(counterfactual) = &cause.counterfactual {
        diff(out, alphabet, actual, counterfactual);
    }
    if !cause.irrelevant.is_empty() {
        let names: Vec<String> =
            cause.irrelevant.iter().map(|&i| format!("`{}`", input_name(alphabet, i))).collect();
        out.push('\n');
        line(out, &format!("never mattered: {}", names.join(", ")));
    }
}

fn flips_text(alphabet: &Alphabet, flips: &[InputEvent]) -> String {
    let one = |event: &InputEvent| {
        let value = if event.actual { "false" } else { "true" };
        format!("`{}` {value} at step {}", input_name(alphabet, event.input), event.step)
    };
    let all: Vec<String> = flips.iter().map(one).collect();
    all.join(", ")
}

fn diff(out: &mut String, alphabet: &Alphabet, actual: &Lasso, counterfactual: &Counterfactual) {
    let mut what = Vec::new();
    if !counterfactual.flips.is_empty() {
        what.push(flips_text(alphabet, &counterfactual.flips));
    }
    if !counterfactual.period.is_empty() {
        what.push(format!("{}, and so on for ever", flips_text(alphabet, &counterfactual.period)));
    }
    out.push('\n');
    line(out, &format!("it would not have happened with {}:", what.join(", then ")));
    table(out, alphabet, actual, &counterfactual.play);
}

/// The steps of the actual and the counterfactual trace side by side, up to the step from which they are equal.
fn table(out: &mut String, alphabet: &Alphabet, actual: &Lasso, instead: &Lasso) {
    let (rows, joined) = compare(actual, instead);
    let mut table = vec![["step".to_owned(), "what happened".to_owned(), "instead".to_owned()]];
    for row in rows.iter().take(ROWS) {
        let flips: Vec<BitId> = alphabet
            .bits_of(Player::Environment)
            .filter(|&bit| row.actual.contains(bit) != row.instead.contains(bit))
            .collect();
        table.push([
            row.step.to_string(),
            letter(alphabet, &row.actual, &[]),
            letter(alphabet, &row.instead, &flips),
        ]);
    }
    let width = |i: usize| table.iter().map(|row| escape(&row[i]).chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1)];
    for [step, left, right] in &table {
        let (step, left, right) = (escape(step), escape(left), escape(right));
        let pad = widths[1].saturating_sub(left.chars().count());
        let _ = writeln!(out, "  {step:>0$}  {left}{1}  {right}", widths[0], " ".repeat(pad));
    }
    if rows.len() > ROWS {
        line(out, &format!("  ... {} more steps", rows.len() - ROWS));
    } else if let Some(step) = joined {
        line(out, &format!("  from step {step} on both are the same"));
    } else {
        let round = instead.cycle.len();
        let text = if round == 1 {
            "  and so on: the last step repeats".into()
        } else {
            format!("  and so on: the last {round} steps of `instead` repeat")
        };
        line(out, &text);
    }
}

/// Inputs as literals, those in `flips` between asterisks; then the outputs.
fn letter(alphabet: &Alphabet, letter: &Letter, flips: &[BitId]) -> String {
    let atoms = alphabet.atoms();
    let mut inputs = Vec::new();
    for (bit, atom) in alphabet.bits_of(Player::Environment).zip(alphabet.inputs()) {
        let literal = format!("{}{}", if letter.contains(bit) { "" } else { "!" }, atoms[atom].name);
        inputs.push(if flips.contains(&bit) { format!("*{literal}*") } else { literal });
    }
    let mut outputs = Vec::new();
    for atom in alphabet.outputs() {
        outputs.push(format!("{}{}", if alphabet.holds(atom, letter) { "" } else { "!" }, atoms[atom].name));
    }
    for cell in alphabet.cells().ids() {
        outputs.push(atoms[alphabet.chosen(letter, cell)].name.clone());
    }
    format!("{} / {}", inputs.join(" "), outputs.join(" "))
}

/// The letters of a witness on one line, in the syntax in which words are read.
fn word(witness: &CauseWitness) -> String {
    let letter = |letter: &CauseLetter| {
        let literal = |(name, value): (&String, &CauseValue)| match value {
            CauseValue::Holds(true) => name.clone(),
            CauseValue::Holds(false) => format!("!{name}"),
            CauseValue::Term(term) => format!("[{name} <- {term}]"),
        };
        letter.iter().map(literal).collect::<Vec<_>>().join(" & ")
    };
    let part = |letters: &[CauseLetter]| letters.iter().map(letter).collect::<Vec<_>>().join("; ");
    let prefix =
        if witness.prefix.is_empty() { String::new() } else { format!("{}; ", part(&witness.prefix)) };
    format!("{prefix}cycle{{{}}}", part(&witness.cycle))
}
