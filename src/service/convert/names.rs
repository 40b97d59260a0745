//! The names of atoms in another language: an atom keeps its name if it is valid there, and gets an identifier
//! otherwise. Different atoms have different names.

use std::collections::BTreeSet;
use tsl_synth_emit::identifier;
use tsl_synth_lang::syntax::tlsf::is_name;
use tsl_synth_ltl::ltl::proposition;
use tsl_synth_ltl::operators::reserved_word;

/// The target languages, each with its own rules for names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    Ltl,
    Tlsf,
    Tsl,
    Smv,
}

/// Reserved words of TSL other than operators.
const TSL: &[&str] = &[
    "always",
    "initially",
    "assume",
    "guarantee",
    "after",
    "input",
    "output",
    "cell",
    "predicate",
    "function",
    "saturating",
    "wrapping",
    "noisy",
    "import",
    "as",
    "Bool",
    "enum",
    "otherwise",
    "true",
    "false",
    "if",
    "assumption",
    "assumptions",
    "guarantees",
    "require",
    "assert",
];

/// Reserved words of SMV.
const SMV: &[&str] = &[
    "MODULE",
    "DEFINE",
    "MDEFINE",
    "CONSTANTS",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "INIT",
    "TRANS",
    "INVAR",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "PSLSPEC",
    "COMPUTE",
    "NAME",
    "INVARSPEC",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "ISA",
    "ASSIGN",
    "CONSTRAINT",
    "SIMPWFF",
    "CTLWFF",
    "LTLWFF",
    "PSLWFF",
    "COMPWFF",
    "IN",
    "MIN",
    "MAX",
    "MIRROR",
    "PRED",
    "PREDICATES",
    "process",
    "array",
    "of",
    "boolean",
    "integer",
    "real",
    "word",
    "word1",
    "bool",
    "signed",
    "unsigned",
    "extend",
    "resize",
    "sizeof",
    "uwconst",
    "swconst",
    "EX",
    "AX",
    "EF",
    "AF",
    "EG",
    "AG",
    "E",
    "F",
    "O",
    "G",
    "H",
    "X",
    "Y",
    "Z",
    "A",
    "U",
    "S",
    "V",
    "T",
    "BU",
    "EBF",
    "ABF",
    "EBG",
    "ABG",
    "case",
    "esac",
    "mod",
    "next",
    "init",
    "union",
    "in",
    "xor",
    "xnor",
    "self",
    "TRUE",
    "FALSE",
    "count",
    "abs",
    "max",
    "min",
    "main",
    "nothing",
    "toint",
    "floor",
    "clock",
    "Integer",
    "Boolean",
    "typeof",
    "READ",
    "WRITE",
    "CONSTARRAY",
    "FUN",
    "ITYPE",
    "GROUP",
    "PARSYNTH",
    "noncontinuous",
    "time",
];

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl Naming {
    /// The name as the language writes it, if it is valid there.
    fn kept(self, name: &str) -> Option<String> {
        let fine = match self {
            Self::Ltl => {
                let odd = |c: char| c.is_control() || c.is_whitespace() || ",\"\\:;(){}[]/".contains(c);
                !name.is_empty() && !name.contains(odd)
            }
            Self::Tlsf => is_identifier(name) && is_name(name),
            Self::Tsl => is_identifier(name) && reserved_word(name).is_none() && !TSL.contains(&name),
            Self::Smv => is_identifier(name) && !SMV.contains(&name),
        };
        fine.then(|| if self == Self::Ltl { proposition(name) } else { name.to_owned() })
    }

    /// A name for each text; all are different from each other and from those in `taken`.
    pub(super) fn names(self, texts: &[String], taken: &mut BTreeSet<String>) -> Vec<String> {
        let kept: Vec<Option<String>> =
            texts.iter().map(|text| self.kept(text).filter(|name| taken.insert(name.clone()))).collect();
        let fresh = |text: &String, taken: &mut BTreeSet<String>| {
            let base = identifier(text);
            let candidates = std::iter::once(base.clone()).chain((2_u64..).map(|n| format!("{base}_{n}")));
            let free =
                |name: &String| is_identifier(name) && self.kept(name).is_some() && !taken.contains(name);
            let name = candidates.into_iter().find(free).unwrap_or(base);
            taken.insert(name.clone());
            name
        };
        texts.iter().zip(kept).map(|(text, kept)| kept.unwrap_or_else(|| fresh(text, taken))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_different_and_none_is_a_word_of_the_language() {
        let texts: Vec<String> = [
            "req",
            "[x <- f(y)]",
            "[x <- f(y) ]",
            "G",
            "true",
            "MODULE",
            "a b",
            "a_b",
            "a_b_2",
            "",
            "é",
            "\"; X",
            "x_gets_f_y",
        ]
        .map(String::from)
        .into();
        for naming in [Naming::Ltl, Naming::Tlsf, Naming::Tsl, Naming::Smv] {
            let mut taken = BTreeSet::from(["state".to_owned()]);
            let names = naming.names(&texts, &mut taken);
            let all: BTreeSet<&String> = names.iter().collect();
            assert_eq!(all.len(), texts.len(), "{names:?}");
            assert!(!names.contains(&"state".to_owned()));
            assert!(names.iter().all(|name| !name.contains([';', '[', ' ', ','])), "{names:?}");
            assert_eq!(names[0], "req");
            assert!(names.iter().all(|name| naming.kept(name.trim_matches('"')).is_some()), "{names:?}");
        }
    }
}
