//! The answer of `explain TRACE` as text.

use crate::layout::{self, wrapped};
use crate::terminal::{escape, escape_lines};
use std::fmt::Write;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, Lasso, Letter, Player};
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

/// In the place of a blank at which no line is broken.
const GLUE: &str = "\u{a0}";

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
            cell(&letter(alphabet, &row.actual, &[])),
            cell(&letter(alphabet, &row.instead, &flips)),
        ]);
    }
    let width = |i: usize| table.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
    // A column gets half of the line, or what the other one leaves; longer cells go on in further lines.
    let first = width(0);
    let room = layout::width().saturating_sub(first + 6);
    let [left, right] = [width(1), width(2)];
    let left = left.min((room / 2).max(room.saturating_sub(right)));
    let widths = [left, right.min(room - left)];
    for [step, left, right] in &table {
        let [left, right] =
            [(left, widths[0]), (right, widths[1])].map(|(cell, width)| wrapped(cell, width.max(1)));
        for i in 0..left.len().max(right.len()) {
            let [left, right] = [&left, &right].map(|cell| cell.get(i).map_or("", String::as_str));
            let step = if i == 0 { step } else { "" };
            let pad = widths[0].saturating_sub(left.chars().count());
            let line = format!("  {step:>first$}  {left}{}  {right}", " ".repeat(pad));
            let _ = writeln!(out, "{}", line.replace(GLUE, " ").trim_end());
        }
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

/// Words for a cell of a table: lines are broken between them and not within.
fn cell(words: &[String]) -> String {
    words.iter().map(|word| escape(word).replace(' ', GLUE)).collect::<Vec<_>>().join(" ")
}

/// Inputs as literals, those in `flips` between asterisks; then the outputs. The value of a signal that several atoms
/// encode is shown in the place of the first of them.
fn letter(alphabet: &Alphabet, letter: &Letter, flips: &[BitId]) -> Vec<String> {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for (id, atom) in alphabet.atoms().enumerate() {
        let (AtomKind::Input(bit) | AtomKind::Output(bit)) = atom.kind else { continue };
        let mut bits = vec![bit];
        let mut literal = format!("{}{}", if alphabet.holds(id, letter) { "" } else { "!" }, atom.name);
        if let Some(signal) = alphabet.encoded_by(id) {
            if signal.atoms[0] != id {
                continue;
            }
            let value = &signal.values[signal.index(|atom| alphabet.holds(atom, letter))];
            literal = format!("{} = {value}", signal.name);
            bits = signal.atoms.iter().filter_map(|&atom| bit_of(alphabet, atom)).collect();
        }
        if bits.iter().any(|bit| flips.contains(bit)) {
            literal = format!("*{literal}*");
        }
        if alphabet.player(id) == Player::Environment { inputs.push(literal) } else { outputs.push(literal) }
    }
    for cell in alphabet.cells().ids() {
        outputs.push(alphabet.atoms()[alphabet.chosen(letter, cell)].name.clone());
    }
    inputs.push("/".into());
    inputs.extend(outputs);
    inputs
}

fn bit_of(alphabet: &Alphabet, atom: AtomId) -> Option<BitId> {
    match alphabet.atoms()[atom].kind {
        AtomKind::Input(bit) | AtomKind::Output(bit) => Some(bit),
        AtomKind::Update(..) => None,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::logic::{EncodedSignal, ValueCode};

    /// A signal of eight values in binary digits, as outputs or inputs, with an input before and a cell after it.
    fn alphabet(as_outputs: bool) -> Alphabet {
        let mut alphabet = Alphabet::new();
        alphabet.add_input("sees(player)");
        let names = ["(timer % 2) = 1", "((timer / 2) % 2) = 1", "timer > 3"];
        let add = |alphabet: &mut Alphabet, name| {
            if as_outputs { alphabet.add_output(name) } else { alphabet.add_input(name) }
        };
        let atoms = names.map(|name| add(&mut alphabet, name)).to_vec();
        let values = (0..8).map(|value| value.to_string()).collect();
        alphabet.add_encoded(EncodedSignal { name: "timer".into(), values, atoms, code: ValueCode::Binary });
        alphabet.add_cell("move", ["[move <- wander()]", "[move <- moveTo(player)]"]);
        alphabet
    }

    fn value(alphabet: &Alphabet, value: usize) -> Letter {
        let mut letter = Letter::new();
        for (atom, holds) in alphabet.encoded()[0].literals(value) {
            if holds {
                alphabet.choose(atom, &mut letter);
            }
        }
        letter
    }

    #[test]
    fn values_are_shown_by_their_names() {
        for (is_output, shown) in
            [(true, "!sees(player) / timer = 4 [move"), (false, "!sees(player) timer = 4 / [move")]
        {
            let alphabet = alphabet(is_output);
            let text = letter(&alphabet, &value(&alphabet, 4), &[]).join(" ");
            assert!(text.starts_with(shown) && !text.contains('%'), "{text}");
        }
        let alphabet = alphabet(false);
        let digit = bit_of(&alphabet, alphabet.encoded()[0].atoms[1]).expect("an input");
        assert!(letter(&alphabet, &value(&alphabet, 6), &[digit]).contains(&"*timer = 6*".to_owned()));
    }

    #[test]
    fn a_table_is_no_wider_than_the_line_and_loses_nothing() {
        let mut wide = Alphabet::new();
        for i in 0..12 {
            wide.add_input(format!("a_rather_long_name_{i}"));
        }
        for alphabet in [alphabet(true), wide] {
            let bit = alphabet.bits_of(Player::Environment).next().expect("an input");
            let play = |letter: Letter| Lasso { prefix: vec![Letter::new()], cycle: vec![letter] };
            let mut out = String::new();
            table(&mut out, &alphabet, &play(Letter::new()), &play(Letter::from_iter([bit])));
            let most = out.lines().map(|line| line.chars().count()).max();
            assert!(most <= Some(layout::width()), "{most:?}:\n{out}");
            for atom in alphabet.inputs() {
                assert!(out.contains(&alphabet.atoms()[atom].name), "{out}");
            }
        }
    }
}
