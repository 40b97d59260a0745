//! What a machine has to satisfy: `facts → (restrictions ∧ (assumptions → guarantees))` over inputs and outputs.

use crate::formula::{Arena, Atom, Formula};
use std::collections::HashMap;

/// What a clause is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Given without condition.
    Fact,
    /// To be kept as long as the facts hold.
    Restriction,
    /// What the environment has to keep.
    Assumption,
    /// To be kept if the facts and the assumptions hold.
    Guarantee,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 4] = [Self::Fact, Self::Restriction, Self::Assumption, Self::Guarantee];

    /// The word for it in certificates.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fact => "fact",
            Self::Restriction => "restriction",
            Self::Assumption => "assumption",
            Self::Guarantee => "guarantee",
        }
    }
}

/// The names of the atoms, inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    names: Vec<String>,
    is_input: Vec<bool>,
    index: HashMap<String, Atom>,
    /// Cells: groups of atoms of which exactly one holds in each step.
    pub cells: Vec<Vec<Atom>>,
}

impl Signals {
    /// Adds an input or an output.
    ///
    /// # Errors
    /// The name is taken.
    pub fn add(&mut self, name: &str, is_input: bool) -> Result<Atom, String> {
        let atom = self.names.len() as Atom;
        if self.index.insert(name.to_string(), atom).is_some() {
            return Err(format!("{name:?} is declared twice"));
        }
        self.names.push(name.to_string());
        self.is_input.push(is_input);
        Ok(atom)
    }

    /// The atom of a name.
    pub fn find(&self, name: &str) -> Option<Atom> {
        self.index.get(name).copied()
    }

    /// The name of an atom.
    pub fn name(&self, atom: Atom) -> &str {
        &self.names[atom as usize]
    }

    /// Whether the environment sets it.
    pub fn is_input(&self, atom: Atom) -> bool {
        self.is_input[atom as usize]
    }

    /// How many atoms there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no atom.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All atoms.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> + use<> {
        0..self.names.len() as Atom
    }

    /// The sorted names of the inputs or of the outputs.
    pub fn sorted(&self, inputs: bool) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.atoms().filter(|&a| self.is_input(a) == inputs).map(|a| self.name(a)).collect();
        names.sort_unstable();
        names
    }
}

/// The clauses of a contract.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contract {
    /// Each clause with its role.
    pub clauses: Vec<(Role, Formula)>,
}

impl Contract {
    /// The clauses of a role.
    pub fn of(&self, role: Role) -> Vec<Formula> {
        self.clauses.iter().filter(|clause| clause.0 == role).map(|clause| clause.1).collect()
    }

    /// The contract as one formula.
    pub fn formula(&self, arena: &mut Arena) -> Formula {
        let mut of = |role| {
            let all = self.of(role);
            arena.and(all)
        };
        let (facts, restrictions) = (of(Role::Fact), of(Role::Restriction));
        let (assumptions, guarantees) = (of(Role::Assumption), of(Role::Guarantee));
        let not_assumed = arena.not(assumptions);
        let promised = arena.or([not_assumed, guarantees]);
        let kept = arena.and([restrictions, promised]);
        let not_given = arena.not(facts);
        arena.or([not_given, kept])
    }
}
