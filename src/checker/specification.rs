//! The contract of a specification, by the readers of this crate.

use crate::contract::{Contract, Signals};
use crate::formula::Arena;
use crate::machine::MachineKind;
use crate::read_ltl::{Unread, read_ltl};
use crate::tlsf::read_tlsf;

/// The language of a specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Formulas in Spot's syntax.
    Ltl,
    /// TLSF.
    Tlsf,
    /// TSL or another language that this crate does not read.
    Other,
}

impl Source {
    /// The language by the ending of a file name.
    pub fn of_name(name: &str) -> Self {
        match name.rsplit_once('.').map(|parts| parts.1.to_lowercase()).as_deref() {
            Some("ltl") => Self::Ltl,
            Some("tlsf") => Self::Tlsf,
            _ => Self::Other,
        }
    }
}

/// A contract as read here.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Inputs and outputs.
    pub signals: Signals,
    /// The clauses, about plays of the machine.
    pub contract: Contract,
    /// Whether the text says which signals are inputs.
    pub is_divided: bool,
    /// The kind of a controller for it.
    pub controller: MachineKind,
}

/// Reads a specification. `declared` are the signals of the certificate, for formulas that do not say which signals are
/// inputs; `of_counter` whether the contract is about the plays of a counter-strategy.
///
/// # Errors
/// The text is not read; always so for [`Source::Other`].
pub fn contract_of(
    source: Source,
    text: &str,
    parameters: &[(String, i64)],
    (declared, of_counter): (&Signals, bool),
    arena: &mut Arena,
) -> Result<Origin, Unread> {
    match source {
        Source::Ltl => {
            if !parameters.is_empty() {
                return Err(Unread::new(1, "files of LTL have no parameters"));
            }
            let (signals, contract, is_divided) = read_ltl(text, declared, arena)?;
            Ok(Origin { signals, contract, is_divided, controller: MachineKind::Mealy })
        }
        Source::Tlsf => {
            let found = read_tlsf(text, parameters, arena)?;
            let contract = found.converted(of_counter, arena);
            let controller = if found.kind.builds_moore { MachineKind::Moore } else { MachineKind::Mealy };
            Ok(Origin { signals: found.signals, contract, is_divided: true, controller })
        }
        Source::Other => Err(Unread::beyond(1, "this language is not read here")),
    }
}

impl Origin {
    /// The clauses with the atoms of a certificate. Atoms are numbered by the reader of a text; a certificate numbers its
    /// own.
    ///
    /// # Errors
    /// The signals differ.
    pub fn renumbered(&self, signals: &Signals, arena: &mut Arena) -> Result<Contract, String> {
        let find = |atom| {
            let name = self.signals.name(atom);
            signals.find(name).ok_or_else(|| format!("{name:?} is no signal of the certificate"))
        };
        let atoms: Result<Vec<u32>, String> = self.signals.atoms().map(find).collect();
        let atoms = atoms?;
        let clauses = self.contract.clauses.iter();
        Ok(Contract { clauses: clauses.map(|&(role, f)| (role, arena.renamed(f, &atoms))).collect() })
    }
}
