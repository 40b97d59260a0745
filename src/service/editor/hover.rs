//! Information about the word under the pointer.

use super::names::article;
use super::reading::KnownNames;
use super::sentence;
use super::sketch::{NameRole, NamedThing, Sketch, SketchForm};
use std::fmt::Write;
use std::ops::Range;
use tsl_synth_ltl::operators::{BigOp, BinaryOp, UnaryOp};
use tsl_synth_ltl::word::WordKind;

/// The information about a word.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hover {
    /// The word.
    pub range: Range<usize>,
    /// Markdown.
    pub text: String,
}

impl Sketch {
    /// The information about the word at a position. `known` describes the names, as found when the text could last be
    /// read.
    pub fn hover(&self, offset: usize, known: &KnownNames) -> Option<Hover> {
        if let Some(mention) = self.mention_at(offset) {
            let thing = &self.things[mention.thing];
            let text = self.about_name(thing, mention.thing, known);
            return Some(Hover { range: mention.range.clone(), text });
        }
        let word = self.word_at(offset)?;
        let text = match word.kind {
            WordKind::Operator => self.about_operator(&word.range)?,
            WordKind::Bracket => self.about_update(&word.range)?,
            WordKind::Keyword | WordKind::Constant => {
                about_keyword(&self.text[word.range.clone()])?.to_string()
            }
            _ => return None,
        };
        Some(Hover { range: word.range.clone(), text })
    }

    fn about_name(&self, thing: &NamedThing, index: usize, known: &KnownNames) -> String {
        let found = known.get(&thing.name).filter(|_| thing.scope.is_none());
        let stands_for = role(thing, known);
        let mut text = format!("**{}** `{}", stands_for.noun(), thing.name.replace('`', "'"));
        if let Some(found) = found.filter(|found| !found.sort.is_empty()) {
            let _ = write!(text, ": {}", found.sort);
        }
        if let Some(initial) = found.and_then(|found| found.initial.as_ref()) {
            let _ = write!(text, " = {initial}");
        }
        text.push('`');
        if let Some(found) = found.filter(|found| !found.modifiers.is_empty()) {
            let _ = write!(text, " ({})", found.modifiers.join(", "));
        }
        let _ = write!(text, "\n\n{}", about_role(stands_for));
        if !thing.written.is_empty() {
            let _ = write!(text, "\n\n```\n{}\n```", thing.written.replace('`', "'"));
        }
        let uses: Vec<_> = self.mentions.iter().filter(|mention| mention.thing == index).collect();
        let written = uses.iter().filter(|mention| mention.written).count();
        let read = uses.len() - written - usize::from(thing.introduced.is_some()).min(uses.len() - written);
        let times = |n: usize| if n == 1 { "once".to_string() } else { format!("{n} times") };
        if matches!(stands_for, NameRole::Cell | NameRole::Output) && written > 0 {
            let _ = write!(text, "\n\nUpdated {}, read {}.", times(written), times(read));
        } else {
            let _ = write!(text, "\n\nUsed {}.", times(read));
        }
        if thing.introduced.is_none() {
            text.push_str(" It is not declared: its kind follows from its use.");
        }
        text
    }

    /// What an operator means, and the formula around it in words.
    fn about_operator(&self, range: &Range<usize>) -> Option<String> {
        let spelling = &self.text[range.clone()];
        let node = self.node_around(range).map(|node| (node, &self.nodes[node].form));
        let (name, meaning) = match node {
            Some((_, SketchForm::Unary(op) | SketchForm::Bounded(op))) => sentence::unary(*op),
            Some((_, SketchForm::Timed(op))) => sentence::timed(*op),
            Some((_, SketchForm::Every)) => sentence::EVERY,
            Some((_, SketchForm::Binary(op))) => sentence::binary(*op),
            Some((_, SketchForm::Big(op))) => sentence::big(*op),
            Some((_, SketchForm::Update(_))) if spelling != "=" => {
                ("update", "`[x <- t]`: from the next step on, `x` has the value that `t` has in this step")
            }
            // The `=` of a definition, or of the initial value of a cell.
            _ if spelling == "=" => return None,
            _ => UnaryOp::of_spelling(spelling)
                .map(sentence::unary)
                .or_else(|| BinaryOp::of_spelling(spelling).map(sentence::binary))
                .or_else(|| BigOp::of_spelling(spelling).map(sentence::big))?,
        };
        let mut text = format!("**{name}**: {meaning}.");
        if let Some((node, _)) =
            node.filter(|(_, form)| !matches!(form, SketchForm::Leaf | SketchForm::Other))
        {
            let (reported, cited) = (self.in_words(node), self.cited(self.nodes[node].range.clone(), 400));
            if reported != format!("`{cited}`") {
                let always = self.clauses.iter().any(|clause| clause.root == node && clause.always);
                let _ = write!(text, "\n\nHere: {}{reported}.", if always { "in every step, " } else { "" });
            }
            let read = self.grouped(node).replace('`', "'");
            if read != cited {
                let _ = write!(text, "\n\nRead as `{read}`.");
            }
        }
        Some(text)
    }

    /// The text about a bracket of an update.
    fn about_update(&self, range: &Range<usize>) -> Option<String> {
        let node = self.node_around(range)?;
        matches!(self.nodes[node].form, SketchForm::Update(_))
            .then(|| format!("**update**: in this step, {}.", self.in_words(node)))
    }
}

/// The role of a name: the one found when the text was read, else the one that the text alone suggests.
pub(super) fn role(thing: &NamedThing, known: &KnownNames) -> NameRole {
    let found = known.get(&thing.name).filter(|_| thing.scope.is_none());
    match found {
        Some(found)
            if thing.introduced.is_none()
                || matches!(thing.role, NameRole::Output | NameRole::Cell | NameRole::Proposition) =>
        {
            found.role
        }
        _ => thing.role,
    }
}

fn about_role(role: NameRole) -> String {
    match role {
        NameRole::Input => "The environment gives it in every step.".into(),
        NameRole::Output => "The system sets it in every step.".into(),
        NameRole::Cell => {
            "The system sets it in every step, and its new value is read from the next step on.".into()
        }
        NameRole::Predicate => "Its truth is not computed: the environment gives it in every step.".into(),
        NameRole::Function => "It is not computed here: the emitted program calls it.".into(),
        NameRole::Constant => "A value that does not change.".into(),
        NameRole::Definition => "A macro: it stands for what it is defined as.".into(),
        NameRole::Proposition => {
            "An atomic proposition; it is not declared here as an input or output.".into()
        }
        other => {
            let mut text = article(other);
            text[..1].make_ascii_uppercase();
            text + "."
        }
    }
}

fn about_keyword(word: &str) -> Option<&'static str> {
    Some(match word {
        "always" => "**always**: every formula of the section holds in every step.",
        "initially" => "**initially**: the formulas of the section hold in the first step.",
        "assume" => {
            "**assume**: what the environment promises. The controller need not do anything where it is broken."
        }
        "guarantee" => "**guarantee**: what the system promises as long as the assumptions are kept.",
        "after" => "**after n**: the formulas of the section hold n steps later.",
        "input" => "**input**: a signal that the environment gives in every step.",
        "output" => "**output**: a signal that the system sets and does not read.",
        "cell" => "**cell**: a signal that the system sets; it has the new value from the next step on.",
        "predicate" => "**predicate**: a test of values whose answer the environment gives.",
        "function" => "**function**: a function of values that the emitted program calls.",
        "saturating" => "**saturating**: a result outside the range becomes the nearest end of the range.",
        "wrapping" => "**wrapping**: arithmetic past the range starts over at the other end.",
        "noisy" => "**noisy**: two evaluations on the same value may differ.",
        "otherwise" => "**otherwise**: where no guard before it is true.",
        "import" => "**import**: the names of a file, with a prefix.",
        "INFO" => "**INFO**: title, semantics and target of the specification.",
        "GLOBAL" => "**GLOBAL**: parameters and definitions.",
        "MAIN" => "**MAIN**: signals and formulas.",
        "PARAMETERS" => "**PARAMETERS**: constants that `--param` overrides.",
        "DEFINITIONS" => "**DEFINITIONS**: macros and enumerations.",
        "INPUTS" => "**INPUTS**: signals that the environment gives in every step.",
        "OUTPUTS" => "**OUTPUTS**: signals that the system gives in every step.",
        "INITIALLY" => "**INITIALLY**: what the environment promises about the first step.",
        "PRESET" => "**PRESET**: what the system promises about the first step.",
        "REQUIRE" | "REQUIREMENTS" => "**REQUIRE**: what the environment promises in every step.",
        "ASSERT" | "INVARIANTS" => "**ASSERT**: what the system promises in every step.",
        "ASSUME" | "ASSUMPTIONS" => "**ASSUME**: what the environment promises.",
        "GUARANTEE" | "GUARANTEES" => "**GUARANTEE**: what the system promises.",
        "true" => "**true**: holds in every step.",
        "false" => "**false**: holds in no step.",
        _ => return None,
    })
}
