//! Writes contracts as specifications in other languages: LTL for Spot's tools, TLSF, TSL with Boolean signals, SMV.
//! The caller gives every atom a name that is valid in the language.

use super::notation::{LTL, Notation, SMV, TLSF, TSL, write_formula};
use std::fmt::Write;
use tsl_synth_core::logic::{AtomId, FormulaId, Formulas, Node};

/// A contract to write, with names that are valid in the target language.
#[derive(Clone, Debug)]
pub struct ContractText<'a> {
    /// The title: text without control characters.
    pub title: &'a str,
    /// Lines of a comment at the beginning.
    pub comments: &'a [String],
    /// The formulas.
    pub formulas: &'a Formulas,
    /// For each atom its text in formulas.
    pub atoms: &'a [String],
    /// The names of inputs that are declared.
    pub inputs: &'a [String],
    /// The names of Boolean outputs that are declared.
    pub outputs: &'a [String],
    /// In SMV: variables with several values, of which one holds in each step.
    pub cells: &'a [(String, Vec<String>)],
    /// The assumptions: the system has to satisfy `asked` if all of these hold.
    pub premises: &'a [FormulaId],
    /// The guarantees.
    pub asked: &'a [FormulaId],
}

impl ContractText<'_> {
    fn formula(&self, f: FormulaId, notation: &Notation) -> String {
        let atom = |atom: AtomId| self.atoms[tsl_synth_core::base::Id::index(atom)].clone();
        write_formula(self.formulas, f, notation, &atom)
    }
    /// All formulas as one conjunction, in parentheses where that matters.
    fn conjunction(&self, all: &[FormulaId], notation: &Notation) -> String {
        match all {
            [] => notation.constants[1].into(),
            [only] => format!("({})", self.formula(*only, notation)),
            _ => {
                let parts = all.iter().map(|&f| format!("({})", self.formula(f, notation)));
                format!("({})", parts.collect::<Vec<_>>().join(notation.and))
            }
        }
    }
    fn implication(&self, notation: &Notation) -> String {
        let asked = self.conjunction(self.asked, notation);
        if self.premises.is_empty() {
            return asked;
        }
        format!("{} -> {asked}", self.conjunction(self.premises, notation))
    }
    fn comment(&self, mark: &str) -> String {
        self.comments.iter().fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "{}", format!("{mark} {line}").trim_end());
            text
        })
    }

    /// LTL on one line, with the signals in the first lines.
    pub fn ltl(&self) -> String {
        let mut text = String::new();
        for (word, names) in [("inputs", self.inputs), ("outputs", self.outputs)] {
            if !names.is_empty() {
                let _ = writeln!(text, "// {word}: {}", names.join(", "));
            }
        }
        text.push_str(&self.comment("//"));
        let _ = writeln!(text, "{}", self.implication(&LTL));
        text
    }

    /// Basic TLSF.
    pub fn tlsf(&self) -> String {
        let quoted: String = self
            .title
            .chars()
            .map(|c| if c == '"' || c == '\\' || c.is_control() { '\'' } else { c })
            .collect();
        let mut text = self.comment("//");
        let _ = write!(
            text,
            "INFO {{\n  TITLE:       \"{quoted}\"\n  DESCRIPTION: \"converted by tsl-synth\"\n  \
             SEMANTICS:   Mealy\n  TARGET:      Mealy\n}}\nMAIN {{\n"
        );
        for (word, names) in [("INPUTS", self.inputs), ("OUTPUTS", self.outputs)] {
            let list: Vec<String> = names.iter().map(|name| format!(" {name};")).collect();
            let _ = writeln!(text, "  {word} {{{} }}", list.concat());
        }
        for (word, all) in [("ASSUMPTIONS", self.premises), ("GUARANTEES", self.asked)] {
            if !all.is_empty() {
                let _ = writeln!(text, "  {word} {{");
                for &f in all {
                    let _ = writeln!(text, "    {};", self.formula(f, &TLSF));
                }
                text.push_str("  }\n");
            }
        }
        text.push_str("}\n");
        text
    }

    /// TSL with Boolean inputs and outputs, each of which is in a formula.
    pub fn tsl(&self) -> String {
        let mut text = self.comment("//");
        for name in self.inputs {
            let _ = writeln!(text, "input {name}: Bool;");
        }
        for name in self.outputs {
            let _ = writeln!(text, "output {name}: Bool;");
        }
        for (word, all) in [("assume", self.premises), ("guarantee", self.asked)] {
            let inside = |&f: &FormulaId| match *self.formulas.node(f) {
                Node::Globally(g) => Some(g),
                _ => None,
            };
            let always: Vec<FormulaId> = all.iter().filter_map(inside).collect();
            let once: Vec<FormulaId> = all.iter().copied().filter(|f| inside(f).is_none()).collect();
            for (word, part) in [(format!("always {word}"), always), (word.to_owned(), once)] {
                if !part.is_empty() {
                    let _ = writeln!(text, "\n{word} {{");
                    for f in part {
                        let _ = writeln!(text, "  {};", self.formula(f, &TSL));
                    }
                    text.push_str("}\n");
                }
            }
        }
        text
    }

    /// A module that leaves all signals free, with the contract as its property.
    pub fn smv(&self) -> String {
        let mut text = self.comment("--");
        text.push_str("MODULE main\nVAR\n");
        for (what, names) in [("input", self.inputs), ("output", self.outputs)] {
            for name in names {
                let _ = writeln!(text, "  {name} : boolean; -- {what}");
            }
        }
        for (name, values) in self.cells {
            let _ = writeln!(text, "  {name} : {{{}}}; -- output", values.join(", "));
        }
        if self.inputs.is_empty() && self.outputs.is_empty() && self.cells.is_empty() {
            text.push_str("  nothing : boolean;\n");
        }
        let _ = writeln!(text, "LTLSPEC\n  {}", self.implication(&SMV));
        text
    }
}
