//! Which of the controllers of a specification is wanted.

use std::fmt;

/// Which of many controllers is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Prefer {
    /// One that keeps its cells as they are unless a clause asks for a change, and then does what is owed as soon as it
    /// can.
    #[default]
    Keep,
    /// One that does what is owed as soon as it can, whatever else changes.
    Fast,
    /// The one that is found first, with few states.
    Any,
}

impl Prefer {
    /// All preferences.
    pub const ALL: [Self; 3] = [Self::Keep, Self::Fast, Self::Any];

    /// Its name on the command line: `keep`, `fast`, `any`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Fast => "fast",
            Self::Any => "any",
        }
    }
    /// The preference with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|prefer| prefer.name() == name)
    }
}

impl fmt::Display for Prefer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
