//! Edits of the laws of a policy.

/// The kind of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// A law is added at the end.
    Add,
    /// The formula and the explanation of a law are replaced.
    Replace,
    /// A law is deleted.
    Delete,
}

impl EditKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Add, Self::Replace, Self::Delete];
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Replace => "replace",
            Self::Delete => "delete",
        }
    }
    /// The kind of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// An edit of one law, named by its id (LTLCrit, Gokhale, Srivastava and Bullo 2025, section 3.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LawEdit {
    /// Whether the law is added, replaced or deleted.
    pub kind: EditKind,
    /// The id of the law.
    pub id: String,
    /// The new formula, in LTL; empty if the law is deleted.
    pub ltl: String,
    /// The reason, in words.
    pub why: String,
}
