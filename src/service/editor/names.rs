//! Definitions, references and renaming.

use super::super::SpecLanguage;
use super::repairs::TextEdit;
use super::sketch::{Mention, NameRole, NamedThing, Sketch};
use std::ops::Range;
use tsl_synth_ltl::word::WordKind;

/// A use of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameUse {
    /// Its byte range.
    pub range: Range<usize>,
    /// Whether it is the target of an update, and not read.
    pub written: bool,
}

/// Where a name is introduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Introduction {
    /// In this text.
    Here(Range<usize>),
    /// In an imported file; its path as it is written, and the name there.
    Import(String, String),
}

impl Sketch {
    /// The thing that the name at a position refers to, and the range of the name.
    pub fn named_at(&self, offset: usize) -> Option<(&NamedThing, Range<usize>)> {
        let mention = self.mention_at(offset)?;
        Some((&self.things[mention.thing], mention.range.clone()))
    }

    /// Where the name at a position is introduced, or first used if it is not introduced anywhere.
    pub fn definition(&self, offset: usize) -> Option<Introduction> {
        if let Some(import) = self.imports.iter().find(|import| import.path_range.contains(&offset)) {
            return Some(Introduction::Import(import.path.clone(), String::new()));
        }
        let mention = self.mention_at(offset)?;
        let thing = &self.things[mention.thing];
        if thing.introduced.is_none()
            && let Some((import, name)) = self.imported(&thing.name)
        {
            return Some(Introduction::Import(import, name));
        }
        let first = || self.mentions.iter().find(|other| other.thing == mention.thing);
        let range = thing.introduced.clone().or_else(|| Some(first()?.range.clone()))?;
        Some(Introduction::Here(range))
    }

    /// The file of the import whose prefix a name has, and the name without the prefix.
    fn imported(&self, name: &str) -> Option<(String, String)> {
        let of = |module: &str| name.strip_prefix(module)?.strip_prefix('.');
        let import = self.imports.iter().find(|import| of(&import.module).is_some())?;
        Some((import.path.clone(), of(&import.module)?.to_string()))
    }

    /// Where a name is introduced in this text.
    pub fn introduced(&self, name: &str) -> Option<Range<usize>> {
        let thing = self.things.iter().position(|thing| thing.name == name && thing.scope.is_none())?;
        let first = self.mentions.iter().find(|mention| mention.thing == thing);
        self.things[thing].introduced.clone().or_else(|| first.map(|first| first.range.clone()))
    }

    /// All ranges of the name at a position, in order.
    pub fn references(&self, offset: usize) -> Vec<NameUse> {
        let Some(thing) = self.mention_at(offset).map(|mention| mention.thing) else { return Vec::new() };
        let uses = self.mentions.iter().filter(|mention| mention.thing == thing);
        uses.map(|m| NameUse { range: m.range.clone(), written: m.written }).collect()
    }

    /// The edits that rename the name at a position.
    ///
    /// # Errors
    /// The reason why the new name is not possible, as a sentence without a period.
    pub fn rename(&self, offset: usize, name: &str) -> Result<Vec<TextEdit>, String> {
        let Some(mention) = self.mention_at(offset) else { return Err("there is no name here".into()) };
        let thing = &self.things[mention.thing];
        if thing.introduced.is_none() && self.imported(&thing.name).is_some() {
            return Err(format!("`{}` is a name of another file: rename it there", thing.name));
        }
        let quoted = |mention: &Mention| {
            self.language == SpecLanguage::Ltl
                && self.text[..mention.range.start].ends_with('"')
                && self.text[mention.range.end..].starts_with('"')
        };
        let edits: Vec<TextEdit> = self
            .mentions
            .iter()
            .filter(|other| other.thing == mention.thing)
            .map(|other| TextEdit { range: other.range.clone(), text: name.to_string() })
            .collect();
        if thing.name == name {
            return Ok(edits);
        }
        if !self.is_name(name) && !quoted(mention) {
            return Err(format!("`{name}` cannot be a name"));
        }
        if name.contains(['"', '\\', '\n', ',']) {
            return Err(format!("`{name}` cannot be a name"));
        }
        if let Some(other) = self.things.iter().find(|other| other.name == name && self.meet(thing, other)) {
            return Err(format!("there is already {} `{name}`", article(other.role)));
        }
        // The new text must mean the same: the new name occurs exactly where the old one did.
        let proposal = super::EditProposal::new("", edits.clone());
        let after = Self::new(self.language, &proposal.apply(&self.text));
        let (mut shift, mut expected) = (0isize, Vec::new());
        for edit in &edits {
            let start = edit.range.start.wrapping_add_signed(shift);
            expected.push(start..start + name.len());
            shift += name.len().cast_signed() - edit.range.len().cast_signed();
        }
        let renamed = expected.first().map(|first| after.references(first.start)).unwrap_or_default();
        let found: Vec<Range<usize>> = renamed.into_iter().map(|one| one.range).collect();
        if found != expected || after.mentions.len() != self.mentions.len() {
            return Err(format!("`{name}` would be read differently in some place"));
        }
        Ok(edits)
    }

    /// Whether two things would clash if they had the same name.
    fn meet(&self, one: &NamedThing, other: &NamedThing) -> bool {
        match (&one.scope, &other.scope) {
            (None, None) => true,
            (Some(a), Some(b)) => a.start < b.end && b.start < a.end,
            // A scoped name would hide the name of the whole text, if that is used in the scope.
            (Some(scope), None) => self.used_within(other, scope),
            (None, Some(scope)) => self.used_within(one, scope),
        }
    }

    fn used_within(&self, thing: &NamedThing, scope: &Range<usize>) -> bool {
        self.mentions.iter().any(|mention| {
            self.things[mention.thing] == *thing
                && scope.start <= mention.range.start
                && mention.range.end <= scope.end
        })
    }

    /// Whether a text is one name and no reserved word.
    fn is_name(&self, name: &str) -> bool {
        let alone = |language, text: &str| {
            let sketch = Self::new(language, text);
            let only = sketch.words.first().filter(|word| {
                word.kind == WordKind::Name && word.range == (0..text.len()) && sketch.words.len() == 1
            });
            only.is_some()
        };
        let operator_ahead = self.language == SpecLanguage::Ltl
            && name.starts_with(['F', 'G', 'X'])
            && !name[1..].starts_with(|c: char| c.is_ascii_digit());
        !name.contains('.') && !operator_ahead && alone(self.language, name)
    }
}

/// A role with its article.
pub(super) fn article(role: NameRole) -> String {
    let noun = role.noun();
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}
