//! A trace and its cause as a picture: one row per input and output, one column per step; necessary events and the
//! changes of the nearest counterfactual are marked.

use super::answer::CauseAnswer;
use super::question::letter_at;
use std::fmt::Write;
use tsl_synth_core::base::escape_markup;
use tsl_synth_core::logic::{Alphabet, AtomId, BitId, Lasso, Player};

const ROW: usize = 24;
const COLUMN: usize = 28;
const LINE: usize = 18;
const MARGIN: usize = 10;
/// The least width, so that sentences have long lines.
const WIDTH: usize = 640;
/// The most steps that are drawn.
const STEPS: usize = 60;
/// An upper bound on the average width of a character in common fonts of this size.
const CHARACTER: usize = 8;
const LONGEST: usize = 48;
/// Colors for light and for dark pages; programs that read no style sheets see black and white.
const STYLE: &str = "\
.paper{fill:#fff}text{fill:#1b1f24}.quiet{fill:#59636e}.repeat{stroke:#59636e;stroke-dasharray:4 3}
.plain{fill:#fff;stroke:#bbb}.necessary{fill:#f4b183;stroke:#843c0c}.alternative{fill:#ffe699;stroke:#7f6000}
.flip{stroke:#c00000;stroke-width:3}
@media(prefers-color-scheme:dark){.paper{fill:#14171c}text{fill:#e8ebef}.quiet{fill:#97a3b0}.repeat{stroke:#97a3b0}
.plain{fill:#14171c;stroke:#49525d}.necessary{fill:#8a4b1d;stroke:#f4b183}.alternative{fill:#5c4b10;stroke:#ffe699}
.flip{stroke:#ff6b6b}}";
/// The colors of the drawing below.
const STYLE_BELOW: &str = "\
.state-box{fill:#f2f5f9;stroke:#1b1f24;stroke-width:1.3}.line{fill:none;stroke:#56606b;stroke-width:1.2}
.head,circle.begin{fill:#56606b;stroke:none}.label-box{fill:none;stroke:none}.state text{font-weight:600}
@media(prefers-color-scheme:dark){.state-box{fill:#22272f;stroke:#c9d1da}.line{stroke:#97a3b0}
.head,circle.begin{fill:#97a3b0}}";

/// The picture as SVG. Names are escaped; nothing in it is active.
///
/// `below` is a drawing that is placed below: an `svg` element, its width and height, and a caption.
pub fn timeline(
    alphabet: &Alphabet,
    sentence: &str,
    actual: &Lasso,
    answer: &CauseAnswer,
    below: Option<(&str, (usize, usize), &str)>,
) -> String {
    let inputs: Vec<(BitId, String)> = alphabet
        .bits_of(Player::Environment)
        .zip(alphabet.inputs().map(|atom| alphabet.atoms()[atom].name.clone()))
        .collect();
    let steps = (actual.prefix.len() + 2 * actual.cycle.len()).clamp(4, STEPS);
    let mut rows: Vec<(String, Vec<(String, &'static str)>)> = Vec::new();
    for (bit, name) in &inputs {
        let cell = |step: usize| {
            let value = letter_at(actual, step).contains(*bit);
            ((if value { "1" } else { "0" }).to_owned(), class(answer, actual, *bit, step))
        };
        rows.push((name.clone(), (0..steps).map(cell).collect()));
    }
    // Only the updates of a cell that happen are drawn.
    let happens = |atom: AtomId| (0..steps).any(|step| alphabet.holds(atom, letter_at(actual, step)));
    let is_update = |atom: AtomId| alphabet.cells().iter().any(|cell| cell.options.contains(&atom));
    let of_system = alphabet.atoms().ids().filter(|&atom| alphabet.player(atom) == Player::System);
    for atom in of_system.filter(|&atom| !is_update(atom) || happens(atom)) {
        let cell = |step: usize| {
            let value = alphabet.holds(atom, letter_at(actual, step));
            ((if value { "1" } else { "·" }).to_owned(), "plain")
        };
        rows.push((alphabet.atoms()[atom].name.clone(), (0..steps).map(cell).collect()));
    }
    let widest = rows.iter().map(|(name, _)| shown(name).chars().count()).max().unwrap_or(0);
    let left = MARGIN + 6 + CHARACTER * widest;
    let word = sentence.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
    let wide = (left + COLUMN * steps + MARGIN).max(WIDTH).max(CHARACTER * word + 2 * MARGIN);
    let wide = below.map_or(wide, |(_, (width, _), _)| wide.max(width + 2 * MARGIN));
    let lines = wrapped(sentence, (wide - 2 * MARGIN) / CHARACTER);
    let top = 2 * MARGIN + LINE * lines.len();
    let bottom = top + ROW * (rows.len() + 1);
    let legend = legend(actual, steps, rows.iter().flat_map(|(_, cells)| cells));
    let captions = below.map_or_else(Vec::new, |(_, _, text)| wrapped(text, (wide - 2 * MARGIN) / CHARACTER));
    let under = bottom + MARGIN + ROW * legend.len() + MARGIN;
    let height =
        below.map_or(under, |(_, (_, high), _)| under + MARGIN + LINE * captions.len() + high + 2 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{height}\" viewBox=\"0 0 {wide} {height}\" role=\"img\" aria-labelledby=\"title\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title id=\"title\">{}</title>\n<style>\n{STYLE}\n</style>\n\
         <rect class=\"paper\" width=\"{wide}\" height=\"{height}\" fill=\"#fff\"/>\n",
        escaped(sentence)
    );
    write_lines(&mut out, &lines, 2 * MARGIN);
    for step in 0..steps {
        let x = left + COLUMN * step + COLUMN / 2;
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{}\" class=\"quiet\" text-anchor=\"middle\">{step}</text>",
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
            "<line x1=\"{x}\" y1=\"{top}\" x2=\"{x}\" y2=\"{bottom}\" class=\"repeat\" stroke=\"#666\"/>"
        );
    }
    for (i, (class, text)) in legend.iter().enumerate() {
        let y = bottom + MARGIN + ROW * i;
        let x = MARGIN + COLUMN / 2;
        let sign = if class.is_empty() {
            let end = y + ROW - 2;
            format!("<line x1=\"{x}\" y1=\"{y}\" x2=\"{x}\" y2=\"{end}\" class=\"repeat\" stroke=\"#666\"/>")
        } else {
            let (w, h) = (COLUMN - 2, ROW - 6);
            format!("<rect class=\"{class}\" x=\"{MARGIN}\" y=\"{}\" width=\"{w}\" height=\"{h}\"/>", y + 2)
        };
        let (x, y) = (MARGIN + COLUMN + 6, y + 16);
        let _ = writeln!(out, "{sign}<text class=\"quiet\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(text));
    }
    if let Some((svg, _, _)) = below {
        let _ = writeln!(out, "<style>\n{STYLE_BELOW}\n</style>");
        write_lines(&mut out, &captions, under + MARGIN);
        let y = under + MARGIN + LINE * captions.len();
        let _ = writeln!(out, "<g transform=\"translate({MARGIN} {y})\">\n{svg}</g>");
    }
    out.push_str("</svg>\n");
    out
}

/// Lines of text, the first at this height.
fn write_lines(out: &mut String, lines: &[String], top: usize) {
    for (i, line) in lines.iter().enumerate() {
        let _ = writeln!(out, "<text x=\"{MARGIN}\" y=\"{}\">{}</text>", top + LINE * i, escaped(line));
    }
}

/// The signs that occur and what they mean; the one without a class is the dashed line.
fn legend<'a>(
    actual: &Lasso,
    steps: usize,
    cells: impl Iterator<Item = &'a (String, &'static str)>,
) -> Vec<(&'static str, String)> {
    let used: Vec<&str> = cells.map(|&(_, class)| class).collect();
    let mut all = Vec::new();
    for (class, word, text) in [
        ("necessary", "necessary", "necessary by itself"),
        ("alternative", "alternative", "one of several was enough"),
        ("plain flip", "flip", "changed in the nearest counterfactual"),
    ] {
        if used.iter().any(|class| class.split(' ').any(|other| other == word)) {
            all.push((class, text.to_owned()));
        }
    }
    let (from, every) = (actual.prefix.len(), actual.cycle.len());
    if from < steps {
        let text = match every {
            1 => format!("step {from} repeats for ever"),
            _ => format!("steps {from} to {} repeat for ever", from + every - 1),
        };
        all.push(("", text));
    }
    all
}

fn class(answer: &CauseAnswer, actual: &Lasso, input: BitId, step: usize) -> &'static str {
    let CauseAnswer::Cause(found) = answer else { return "plain" };
    let cause = &found.cause;
    let necessary = cause.necessary.iter().any(|event| event.input == input && event.steps.contains(step));
    let alternative =
        cause.alternatives.iter().flatten().any(|event| event.input == input && event.step == step)
            || cause.recurring.iter().any(|event| event.input == input && event.steps.contains(step))
            || cause.again.iter().flatten().any(|event| event.input == input && event.steps.contains(step));
    let flipped = cause.counterfactual.as_ref().is_some_and(|other| {
        letter_at(&other.play, step).contains(input) != letter_at(actual, step).contains(input)
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

/// For XML text: markup escaped, and characters replaced that XML does not allow or that change the direction of
/// writing.
fn escaped(text: &str) -> String {
    escape_markup(text, |c, out| {
        let is_replaced = c.is_control()
            || matches!(c,
                '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
                | '\u{fff9}'..='\u{ffff}' | '\u{e0000}'..='\u{e007f}');
        out.push(if is_replaced { '\u{fffd}' } else { c });
    })
}
