//! A trace and its cause as a picture: one row per input and output, one column per step; what was necessary is
//! marked, and what the nearest counterfactual changes.

use super::answer::Answer;
use super::question::letter_at;
use crate::logic::{Alphabet, BitId, Lasso, Player};
use std::fmt::Write;

const ROW: usize = 24;
const COLUMN: usize = 28;
/// More steps than this are not drawn.
const STEPS: usize = 60;
/// Wide enough for the longest name, within reason.
const CHARACTER: usize = 8;
const LONGEST: usize = 48;

/// The picture as SVG. Names are escaped; nothing in it is active.
pub fn timeline(alphabet: &Alphabet, sentence: &str, actual: &Lasso, answer: &Answer) -> String {
    let inputs: Vec<(BitId, String)> = alphabet
        .bits_of(Player::Environment)
        .zip(alphabet.inputs().map(|atom| alphabet.atoms()[atom].name.clone()))
        .collect();
    let steps = (actual.prefix.len() + 2 * actual.cycle.len()).clamp(4, STEPS);
    let mut rows: Vec<(String, Vec<(String, &'static str)>)> = Vec::new();
    for (bit, name) in &inputs {
        let cell = |step: usize| {
            let value = letter_at(actual, step).contains(*bit);
            let text = if value { "1" } else { "0" }.to_owned();
            (text, class(answer, *bit, step))
        };
        rows.push((name.clone(), (0..steps).map(cell).collect()));
    }
    for atom in alphabet.atoms().ids().filter(|&atom| alphabet.player(atom) == Player::System) {
        let cell = |step: usize| {
            let value = alphabet.holds(atom, letter_at(actual, step));
            ((if value { "1" } else { "·" }).to_owned(), "plain")
        };
        rows.push((alphabet.atoms()[atom].name.clone(), (0..steps).map(cell).collect()));
    }
    let widest = rows.iter().map(|(name, _)| shown(name).chars().count()).max().unwrap_or(0);
    let left = 16 + CHARACTER * widest;
    let wide = (left + COLUMN * steps + 16).max(560);
    let lines = wrapped(sentence, wide / 7);
    let top = 20 + 18 * lines.len();
    let height = top + ROW * (rows.len() + 1) + 34;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{height}\" viewBox=\"0 0 {wide} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <style>.plain{{fill:#fff;stroke:#bbb}}.necessary{{fill:#f4b183;stroke:#843c0c}}.alternative{{fill:#ffe699;stroke:#7f6000}}.flip{{stroke:#c00000;stroke-width:3}}</style>\n\
         <rect width=\"{wide}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for (i, line) in lines.iter().enumerate() {
        let _ = writeln!(out, "<text x=\"10\" y=\"{}\">{}</text>", 20 + 18 * i, escaped(line));
    }
    for step in 0..steps {
        let x = left + COLUMN * step + COLUMN / 2;
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"#666\">{step}</text>",
            top + 14
        );
    }
    for (r, (name, cells)) in rows.iter().enumerate() {
        let y = top + ROW * (r + 1);
        let text = escaped(&shown(name));
        let _ = writeln!(out, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{text}</text>", left - 6, y + 16);
        for (step, (value, class)) in cells.iter().enumerate() {
            let x = left + COLUMN * step;
            let (w, h) = (COLUMN - 2, ROW - 2);
            let _ = writeln!(
                out,
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{value}</text>",
                x + w / 2,
                y + 16
            );
        }
    }
    // Where the cycle begins.
    let x = left + COLUMN * actual.prefix.len() - 1;
    if actual.prefix.len() < steps {
        let _ = writeln!(
            out,
            "<line x1=\"{x}\" y1=\"{top}\" x2=\"{x}\" y2=\"{}\" stroke=\"#666\" stroke-dasharray=\"4 3\"/>",
            top + ROW * (rows.len() + 1)
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"10\" y=\"{}\" fill=\"#666\">orange: necessary; yellow: one of several; red frame: changed in the nearest counterfactual; dashed: the steps from here on repeat every {}</text>",
        height - 12,
        actual.cycle.len()
    );
    out.push_str("</svg>\n");
    out
}

fn class(answer: &Answer, input: BitId, step: usize) -> &'static str {
    let Answer::Cause(found) = answer else { return "plain" };
    let cause = &found.cause;
    let necessary = cause.necessary.iter().any(|event| event.input == input && event.steps.contains(step));
    let alternative =
        cause.alternatives.iter().flatten().any(|event| event.input == input && event.step == step)
            || cause.recurring.iter().any(|event| event.input == input && event.steps.contains(step))
            || cause.again.iter().flatten().any(|event| event.input == input && event.steps.contains(step));
    let flipped = cause.counterfactual.as_ref().is_some_and(|other| {
        let cell = |event: &crate::model::Event| event.input == input && event.step == step;
        other.flips.iter().any(cell) || other.period.iter().any(cell)
    });
    match (necessary, alternative, flipped) {
        (true, _, true) => "necessary flip",
        (true, _, false) => "necessary",
        (_, true, true) => "alternative flip",
        (_, true, false) => "alternative",
        (_, _, true) => "plain flip",
        _ => "plain",
    }
}

fn shown(name: &str) -> String {
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() && line.chars().count() + word.chars().count() >= width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// For XML text: markup escaped, everything that XML does not allow or that turns the direction of writing
/// replaced.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push('\u{fffd}'),
            '\u{061c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{ffff}'
            | '\u{e0000}'..='\u{e007f}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
