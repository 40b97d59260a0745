//! Vocabularies: actions that come with their tables, over the tools of all hosts, MCP servers and shell programs.
//!
//! A policy names the words that it uses, `use = ["git.push", "tests.run"]`; each is an action of that name. The tables
//! are those that users write, in `policy/vocabularies`. A call may be several words, since each is a group of its own.

use super::atoms::{Action, Named};
use super::context::LawContext;
use super::fields::TableFields;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::data::{DataValue, parse_data};
use tsl_synth_ltl::spelling::nearest;

/// A word of the vocabularies.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    /// Its name, as policies use it.
    pub name: &'static str,
    /// The text of its tables, in TOML.
    pub text: &'static str,
}

macro_rules! vocabularies {
    ($($name:literal),* $(,)?) => {
        &[$(Vocabulary { name: $name, text: include_str!(concat!("../vocabularies/", $name, ".toml")) }),*]
    };
}

/// All words, sorted by name.
pub const VOCABULARIES: &[Vocabulary] = vocabularies![
    "code.inline",
    "db.destroy",
    "db.migrate",
    "deploy.run",
    "files.delete",
    "files.delete.recursive",
    "files.edit",
    "files.read",
    "files.write",
    "git.commit",
    "git.commit.unverified",
    "git.discard",
    "git.push",
    "git.push.force",
    "infra.destroy",
    "money.send",
    "network.send",
    "package.install",
    "package.publish",
    "pr.merge",
    "secrets.read",
    "tests.run",
];

/// The word of a name.
pub fn vocabulary(name: &str) -> Option<&'static Vocabulary> {
    VOCABULARIES.iter().find(|own| own.name == name)
}

impl Vocabulary {
    /// What it means, in a sentence: the first line of its text, which is a remark.
    pub fn summary(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches('#').trim()
    }
}

/// Declares the words that a policy uses, each in a group of its own, and returns their tables.
pub(super) fn read(
    context: &mut LawContext<'_>,
    used: &[(&str, Span)],
    first_group: usize,
    diagnostics: &mut Diagnostics,
) -> Vec<Vec<DataValue>> {
    let mut all = Vec::new();
    for (i, (name, span)) in used.iter().enumerate() {
        let Some(own) = vocabulary(name) else {
            let error = Diagnostic::error(Code::POLICY_UNKNOWN, format!("there is no vocabulary `{name}`"));
            let near = nearest(name, VOCABULARIES.iter().map(|own| own.name));
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`tsl-synth schema vocabulary` lists them".to_owned(),
            };
            diagnostics.push(error.at(*span, "unknown").hint(hint));
            continue;
        };
        if used[..i].iter().any(|(other, _)| other == name) {
            continue;
        }
        let action =
            Action { name: (*name).to_owned(), span: *span, group: first_group + i, is_declared: true };
        // A policy may put words of vocabularies into groups.
        let is_grouped = matches!(context.atoms.named(name), Some(Named::Action(_)));
        if !is_grouped && context.atoms.add_action(action).is_none() {
            let error = Diagnostic::error(Code::POLICY_TWICE, format!("the name `{name}` is taken"));
            diagnostics.push(error.at(*span, "a vocabulary brings it"));
            continue;
        }
        let source = context.map.add(format!("vocabulary {name}"), own.text);
        let Some(data) = parse_data(context.map, source, Some(false), Code::POLICY_SYNTAX, diagnostics)
        else {
            continue;
        };
        let Some(mut fields) = TableFields::of(&data, "a vocabulary", diagnostics) else { continue };
        fields.get("vocabulary");
        all.push(fields.list("match", diagnostics).to_vec());
        fields.finish(diagnostics);
    }
    all
}
