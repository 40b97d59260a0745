//! The data of the templates of policy monitors. Texts are literals of the target, or safe in comments.

use serde::Serialize;

/// A policy in code.
#[derive(Clone, Debug, Serialize)]
pub struct PolicyCodeView {
    /// The name of the policy, safe in a comment.
    pub policy: String,
    /// The version of this tool, safe in a comment.
    pub version: String,
    /// The hash of the text of the policy, safe in a comment.
    pub sha256: String,
    /// The hash of the tables: hexadecimal digits.
    pub machine_id: String,
    /// The name of the policy, as a literal.
    pub name: String,
    /// The prefix of names of functions and types (C).
    pub p: String,
    /// The prefix of names of constants (C).
    pub guard: String,
    /// Lines about the laws and names, safe in a comment.
    pub doc: Vec<String>,
    /// Digits after the point of amounts.
    pub scale: u32,
    /// The number of values of one law that are distinguished.
    pub max_values: usize,
    /// The atoms that may be true in a letter.
    pub atoms: Vec<PolicyAtomView>,
    /// The numbers of the atoms that registers compute, as a literal of a set.
    pub computed: String,
    /// The names that values are bound to.
    pub names: Vec<PolicyNameView>,
    /// The laws.
    pub laws: Vec<PolicyLawView>,
    /// The registers.
    pub registers: Vec<PolicyRegisterView>,
}

/// An atom: something that may be true in a letter.
#[derive(Clone, Debug, Serialize)]
pub struct PolicyAtomView {
    /// Its name, as a literal.
    pub name: String,
    /// An identifier.
    pub ident: String,
    /// Its name, safe in a comment.
    pub remark: String,
    /// Whether a register computes it.
    pub computed: bool,
}

/// A name that values are bound to.
#[derive(Clone, Debug, Serialize)]
pub struct PolicyNameView {
    /// As a literal.
    pub name: String,
    /// An identifier.
    pub ident: String,
    /// Safe in a comment.
    pub remark: String,
}

/// A node of a decision diagram: the successors if the atom is false and if it is true. `-1 - c` is the class `c`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PolicyTestView {
    /// The number of the atom.
    pub atom: usize,
    /// The successor if the atom is false.
    pub low: i64,
    /// The successor if the atom is true.
    pub high: i64,
}

/// A decision diagram.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PolicyTestsView {
    /// The tests.
    pub tests: Vec<PolicyTestView>,
    /// The root of the decision diagram.
    pub root: i64,
}

/// A law in code.
#[derive(Clone, Debug, Serialize)]
pub struct PolicyLawView {
    /// Its name, as a literal.
    pub id: String,
    /// An identifier.
    pub ident: String,
    /// Its name, safe in a comment.
    pub remark: String,
    /// `assume`, `hard` or `soft`, as a literal.
    pub kind: String,
    /// Whether it is hard.
    pub hard: bool,
    /// The numbers of its names.
    pub for_each: Vec<usize>,
    /// Its formula, as a literal.
    pub ltl: String,
    /// The reason for the law, as a literal.
    pub why: String,
    /// What happens to a call that violates it, as a literal.
    pub on_violation: String,
    /// The decision diagram from letters to classes.
    pub tests: Vec<PolicyTestView>,
    /// The root of the decision diagram.
    pub root: i64,
    /// For each state the next state for each class.
    pub rows: Vec<Vec<u32>>,
    /// For each state the verdict on the law, from 0 (violated) to 3 (satisfied).
    pub verdicts: Vec<u8>,
    /// The number of classes.
    pub classes: u32,
}

/// A register in code.
#[derive(Clone, Debug, Serialize)]
pub struct PolicyRegisterView {
    /// The name of its proposition, as a literal.
    pub name: String,
    /// An identifier.
    pub ident: String,
    /// Safe in a comment.
    pub remark: String,
    /// The number of its atom.
    pub atom: usize,
    /// Whether it sums amounts; else it counts letters.
    pub is_sum: bool,
    /// The atom holds while the number is above this, in units.
    pub limit: String,
    /// Milliseconds after which an amount no longer counts.
    pub window: Option<i64>,
    /// The letters that count, as class 1.
    pub on: PolicyTestsView,
    /// The letters after which it is 0, as class 1.
    pub reset_on: PolicyTestsView,
}

/// An agent behind a gate.
#[derive(Clone, Debug, Serialize)]
pub struct PolicyAgentView {
    /// The name of the policy, safe in a comment.
    pub policy: String,
    /// The version of this tool, safe in a comment.
    pub version: String,
    /// The ending of files of code.
    pub ending: String,
    /// The file of the policy.
    pub file: String,
    /// The command that installs the package that the agent uses.
    pub install: String,
    /// The command that runs the agent.
    pub command: String,
    /// What the command needs: a sentence.
    pub runtime: String,
    /// The tools that the policy names.
    pub tools: Vec<PolicyToolView>,
}

/// A tool that a policy names.
#[derive(Clone, Debug, Serialize)]
pub struct PolicyToolView {
    /// Its name, as a string literal.
    pub name: String,
    /// The name of its stub.
    pub function: String,
    /// The entries of the policy about it, safe in a comment.
    pub doc: String,
}
