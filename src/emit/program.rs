//! Controllers of games over programs as Python.

use crate::input::{Contents, EmitError, EmittedFile};
use crate::render;
use serde::Serialize;
use std::fmt::Write;
use tsl_synth_core::base::Rational;
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::{ProgramGame, ProgramSort};
use tsl_synth_programs::{ControllerOption, ProgramController};

#[derive(Serialize)]
struct ProgramView {
    source: String,
    version: String,
    state: String,
    inputs: String,
    /// The parameters of functions over the state, and over everything.
    cells: String,
    all: String,
    /// First values of the state that no other can have.
    first: String,
    start: Vec<OptionView>,
    nodes: Vec<NodeView>,
    /// Whether the options have answers.
    answers: bool,
}

#[derive(Serialize)]
struct NodeView {
    location: String,
    options: Vec<OptionView>,
}

#[derive(Serialize)]
struct OptionView {
    condition: String,
    cells: String,
    remembered: String,
    node: usize,
    answer: String,
}

/// The controller of a game as a Python module. The actions of moves, if there are any, have these names.
///
/// # Errors
/// A defect of the template.
pub fn emit_program(
    game: &ProgramGame,
    controller: &ProgramController,
    actions: &[String],
    source: &str,
    stem: &str,
    version: &str,
) -> Result<Vec<EmittedFile>, EmitError> {
    let names = names(game, controller.remembered);
    let option = |option: &ControllerOption| OptionView {
        condition: condition(&option.conditions, &names),
        cells: tuple(&option.cells, &names),
        remembered: tuple(&option.remembered, &names),
        node: option.node,
        answer: answer(option.actions, actions),
    };
    let sorts = |from: usize, to: usize| {
        let one = |variable: &tsl_synth_core::model::ProgramVariable| {
            let sort = match variable.sort {
                ProgramSort::Boolean => "bool",
                ProgramSort::Integer => "int",
                ProgramSort::Real => "real",
            };
            format!("{}: \"{sort}\"", text(&variable.name))
        };
        let all: Vec<String> = game.variables[from..to].iter().map(one).collect();
        format!("{{{}}}", all.join(", "))
    };
    let numbers = game.cells + game.inputs;
    let parameters: Vec<&str> =
        names[..numbers].iter().chain(&names[game.variables.len()..]).map(String::as_str).collect();
    let view = ProgramView {
        // In a comment of one line.
        source: source.chars().filter(|c| !c.is_control()).collect(),
        version: version.into(),
        state: sorts(0, game.cells),
        inputs: sorts(game.cells, numbers),
        cells: names[..game.cells].join(", "),
        all: parameters.join(", "),
        first: first(game),
        answers: !actions.is_empty(),
        start: controller.start.iter().map(option).collect(),
        nodes: controller
            .nodes
            .iter()
            .map(|node| NodeView {
                location: text(&game.locations[node.location]),
                options: node.options.iter().map(option).collect(),
            })
            .collect(),
    };
    let code = render::embedded("python/program", &view)?;
    Ok(vec![EmittedFile { path: format!("{stem}.py"), contents: Contents::Text(code), main: true }])
}

/// The names of actions as a tuple.
fn answer(actions: u64, names: &[String]) -> String {
    let own = names.iter().enumerate().filter(|(number, _)| actions >> number & 1 == 1);
    let all: Vec<String> = own.map(|(_, name)| format!("{},", text(name))).collect();
    format!("({})", all.join(" "))
}

/// The first values of the cells that the game fixes, as a dictionary.
fn first(game: &ProgramGame) -> String {
    let [start] = game.start.as_slice() else { return "{}".into() };
    let mut all = Vec::new();
    for (variable, cell) in (0u32..).zip(&game.variables[..game.cells]) {
        let bound = |part: &Inequality, sign: Rational| {
            let is_own = part.sum.terms().eq([(variable, sign)]) && !part.strict;
            is_own.then(|| if sign.is_negative() { part.sum.offset() } else { part.sum.offset().negated() })
        };
        let lows = start.iter().filter_map(|part| bound(part, Rational::ONE.negated()));
        let highs: Vec<Rational> = start.iter().filter_map(|part| bound(part, Rational::ONE)).collect();
        let Some(value) = lows.into_iter().find(|low| highs.contains(low)) else { continue };
        let value = match cell.sort {
            ProgramSort::Boolean if value.is_positive() => "True".into(),
            ProgramSort::Boolean => "False".into(),
            ProgramSort::Integer | ProgramSort::Real => number(value),
        };
        all.push(format!("{}: {value}", text(&cell.name)));
    }
    format!("{{{}}}", all.join(", "))
}

/// A text as a Python literal: JSON's escapes of ASCII are Python's.
fn text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            ' '..='~' => quoted.push(c),
            _ => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(c));
            }
        }
    }
    quoted.push('"');
    quoted
}

/// Names of parameters: `s_` for the state, `i_` for inputs, `k` for what is remembered, so that none is reserved.
fn names(game: &ProgramGame, remembered: usize) -> Vec<String> {
    let plain = |name: &str| -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
    };
    let mut names: Vec<String> = Vec::new();
    for (index, variable) in game.variables.iter().enumerate() {
        let kind = if index < game.cells { "s" } else { "i" };
        let mut name = format!("{kind}_{}", plain(&variable.name));
        while names.contains(&name) {
            name.push('_');
        }
        names.push(name);
    }
    names.extend((0..remembered).map(|index| format!("k{index}")));
    names
}

fn condition(conditions: &[Inequality], names: &[String]) -> String {
    let one =
        |part: &Inequality| format!("{} {} 0", sum(&part.sum, names), if part.strict { "<" } else { "<=" });
    let all: Vec<String> = conditions.iter().map(one).collect();
    if all.is_empty() { "True".into() } else { all.join(" and ") }
}

fn tuple(sums: &[Sum], names: &[String]) -> String {
    let all: Vec<String> = sums.iter().map(|part| format!("{},", sum(part, names))).collect();
    format!("({})", all.join(" "))
}

fn number(value: Rational) -> String {
    if value.is_integer() {
        value.numerator().to_string()
    } else {
        format!("Fraction({}, {})", value.numerator(), value.denominator())
    }
}

fn sum(sum: &Sum, names: &[String]) -> String {
    let mut text = String::new();
    for (variable, factor) in sum.terms() {
        let name = names.get(variable as usize).map_or("0", String::as_str);
        let is_first = text.is_empty();
        let size = if factor.is_negative() { factor.negated() } else { factor };
        match (factor.is_negative(), is_first) {
            (true, true) => text.push('-'),
            (true, false) => text.push_str(" - "),
            (false, false) => text.push_str(" + "),
            (false, true) => {}
        }
        if size == Rational::ONE {
            text.push_str(name);
        } else {
            let _ = write!(text, "{} * {name}", number(size));
        }
    }
    let offset = sum.offset();
    if text.is_empty() {
        return number(offset);
    }
    if offset.is_negative() {
        let _ = write!(text, " - {}", number(offset.negated()));
    } else if !offset.is_zero() {
        let _ = write!(text, " + {}", number(offset));
    }
    text
}
