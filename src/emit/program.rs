//! Controllers of games over programs as code that computes with exact numbers.

use crate::input::{Contents, EmitError, EmittedFile, Lang};
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
    /// Whether some number may be no integer.
    fractions: bool,
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

/// The name, the version and the stem of the file in which a controller is written.
#[derive(Clone, Copy, Debug)]
pub struct ProgramFile<'t> {
    /// The name of the specification.
    pub source: &'t str,
    /// The name of the file without its ending.
    pub stem: &'t str,
    /// The version of this program.
    pub version: &'t str,
}

/// The controller of a game as a module in Python or JavaScript. The actions of moves, if there are any, have these names.
///
/// # Errors
/// Another language, or a defect of the template.
pub fn emit_program(
    game: &ProgramGame,
    controller: &ProgramController,
    actions: &[String],
    lang: Lang,
    ProgramFile { source, stem, version }: ProgramFile<'_>,
) -> Result<Vec<EmittedFile>, EmitError> {
    let fractions = has_fractions(game, controller);
    let (notation, template, ending) = match lang {
        Lang::Python => (Notation::Python, "python/program", "py"),
        Lang::Js if fractions => (Notation::Fractions, "js/program", "js"),
        Lang::Js => (Notation::Integers, "js/program", "js"),
        _ => {
            let what = "the controller computes with numbers: `emit --lang python` and `--lang js` write it";
            return Err(EmitError::Unsupported(what.into()));
        }
    };
    let names = names(game, controller.remembered);
    let option = |option: &ControllerOption| OptionView {
        condition: notation.condition(&option.conditions, &names),
        cells: notation.list(&option.cells, &names),
        remembered: notation.list(&option.remembered, &names),
        node: option.node,
        answer: notation.answer(option.actions, actions),
    };
    let sorts = |from: usize, to: usize| {
        let one = |variable: &tsl_synth_core::model::ProgramVariable| {
            let sort = match variable.sort {
                ProgramSort::Boolean => "bool",
                ProgramSort::Integer => "int",
                ProgramSort::Real => "real",
            };
            format!("{}: \"{sort}\"", notation.text(&variable.name))
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
        first: notation.first(game),
        answers: !actions.is_empty(),
        fractions,
        start: controller.start.iter().map(option).collect(),
        nodes: controller
            .nodes
            .iter()
            .map(|node| NodeView {
                location: notation.text(&game.locations[node.location]),
                options: node.options.iter().map(option).collect(),
            })
            .collect(),
    };
    let code = render::embedded(template, &view)?;
    Ok(vec![EmittedFile { path: format!("{stem}.{ending}"), contents: Contents::Text(code), main: true }])
}

/// Whether a controller may compute with numbers that are no integers.
fn has_fractions(game: &ProgramGame, controller: &ProgramController) -> bool {
    let is_whole =
        |sum: &Sum| sum.offset().is_integer() && sum.terms().all(|(_, factor)| factor.is_integer());
    let options = controller.start.iter().chain(controller.nodes.iter().flat_map(|node| &node.options));
    let is_whole_option = |option: &ControllerOption| {
        let sums = option.conditions.iter().map(|part| &part.sum);
        sums.chain(&option.cells).chain(&option.remembered).all(is_whole)
    };
    game.variables.iter().any(|variable| variable.sort == ProgramSort::Real)
        || !options.into_iter().all(is_whole_option)
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

/// How numbers and texts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    /// Python, whose integers and fractions are exact.
    Python,
    /// JavaScript with `BigInt`.
    Integers,
    /// JavaScript with a class of fractions.
    Fractions,
}

impl Notation {
    /// The names of actions as a list that does not change.
    fn answer(self, actions: u64, names: &[String]) -> String {
        let own = names.iter().enumerate().filter(|(number, _)| actions >> number & 1 == 1);
        self.items(own.map(|(_, name)| self.text(name)))
    }
    fn items(self, items: impl Iterator<Item = String>) -> String {
        match self {
            Self::Python => {
                format!("({})", items.map(|item| format!("{item},")).collect::<Vec<_>>().join(" "))
            }
            Self::Integers | Self::Fractions => format!("[{}]", items.collect::<Vec<_>>().join(", ")),
        }
    }
    /// The first values of the cells that the game fixes, as a dictionary.
    fn first(self, game: &ProgramGame) -> String {
        let [start] = game.start.as_slice() else { return "{}".into() };
        let mut all = Vec::new();
        for (variable, cell) in (0u32..).zip(&game.variables[..game.cells]) {
            let bound = |part: &Inequality, sign: Rational| {
                let is_own = part.sum.terms().eq([(variable, sign)]) && !part.strict;
                is_own
                    .then(|| if sign.is_negative() { part.sum.offset() } else { part.sum.offset().negated() })
            };
            let lows = start.iter().filter_map(|part| bound(part, Rational::ONE.negated()));
            let highs: Vec<Rational> = start.iter().filter_map(|part| bound(part, Rational::ONE)).collect();
            let Some(value) = lows.into_iter().find(|low| highs.contains(low)) else { continue };
            let value = match (cell.sort, self) {
                (ProgramSort::Boolean, Self::Python) if value.is_positive() => "True".into(),
                (ProgramSort::Boolean, Self::Python) => "False".into(),
                (ProgramSort::Boolean, _) => value.is_positive().to_string(),
                // As values are given.
                (ProgramSort::Integer | ProgramSort::Real, Self::Fractions) if value.is_integer() => {
                    format!("{}n", value.numerator())
                }
                (ProgramSort::Integer | ProgramSort::Real, _) => self.number(value),
            };
            all.push(format!("{}: {value}", self.text(&cell.name)));
        }
        format!("{{{}}}", all.join(", "))
    }
    /// A text as a literal: JSON's escapes of ASCII are those of Python and of JavaScript.
    fn text(self, text: &str) -> String {
        let mut quoted = String::from("\"");
        for c in text.chars() {
            match c {
                '"' | '\\' => quoted.extend(['\\', c]),
                ' '..='~' => quoted.push(c),
                _ if self == Self::Python => {
                    let _ = write!(quoted, "\\U{:08x}", u32::from(c));
                }
                _ => {
                    let _ = write!(quoted, "\\u{{{:x}}}", u32::from(c));
                }
            }
        }
        quoted.push('"');
        quoted
    }
    fn condition(self, conditions: &[Inequality], names: &[String]) -> String {
        let one = |part: &Inequality| {
            let (sum, sign) = (self.sum(&part.sum, names), if part.strict { "<" } else { "<=" });
            match self {
                Self::Python => format!("{sum} {sign} 0"),
                Self::Integers => format!("{sum} {sign} 0n"),
                Self::Fractions => format!("{sum}.numerator {sign} 0n"),
            }
        };
        let all: Vec<String> = conditions.iter().map(one).collect();
        match (all.is_empty(), self) {
            (true, Self::Python) => "True".into(),
            (true, _) => "true".into(),
            (false, Self::Python) => all.join(" and "),
            (false, _) => all.join(" && "),
        }
    }
    fn list(self, sums: &[Sum], names: &[String]) -> String {
        self.items(sums.iter().map(|part| self.sum(part, names)))
    }
    fn number(self, value: Rational) -> String {
        match (self, value.is_integer()) {
            (Self::Python, true) => value.numerator().to_string(),
            (Self::Python, false) => format!("Fraction({}, {})", value.numerator(), value.denominator()),
            (Self::Integers, _) => format!("{}n", value.numerator()),
            (Self::Fractions, true) => format!("$f({}n)", value.numerator()),
            (Self::Fractions, false) => format!("$f({}n, {}n)", value.numerator(), value.denominator()),
        }
    }
    fn sum(self, sum: &Sum, names: &[String]) -> String {
        let name = |variable: u32| names.get(variable as usize).map(String::as_str);
        if self == Self::Fractions {
            let term = |(variable, factor)| Some(format!("[{}, {}]", self.number(factor), name(variable)?));
            let terms: Vec<String> = sum.terms().filter_map(term).collect();
            return match (terms.as_slice(), sum.offset()) {
                ([], offset) => self.number(offset),
                (terms, offset) => format!("$sum({}, {})", self.number(offset), terms.join(", ")),
            };
        }
        sum.text(|variable| name(variable).unwrap_or("0").to_owned(), |value| self.number(value))
    }
}
