//! A reader of TLSF 1.2 (Jacobs, Perez and Schlehuber-Caissier, "The temporal logic synthesis format TLSF v1.2"), written
//! from the format's description; it shares no code with that of tsl-synth.
//!
//! Read: INFO; parameters; definitions of values and functions with guards; all sections of MAIN; buses; big operators;
//! bounded `X F G`; Mealy and Moore, each also strict, with any target. Not read, and refused by name: enumerations, pattern
//! matching (`~`), finite words, past operators, big sums and products, operations on sets.

mod expand;
mod parse;
mod words;

use crate::contract::{Contract, Role, Signals};
use crate::formula::Arena;
use crate::read_ltl::Unread;
use crate::syntax::{Binary, Syntax, Tree, Unary};
use expand::Expander;
use parse::{Module, Section};

/// Levels of brackets, operators and definitions inside of each other.
const MOST_LEVELS: usize = 2000;
/// The stack of the thread that reads, in bytes: enough for [`MOST_LEVELS`] in a build without optimization.
const STACK: usize = 256 << 20;

/// What a machine is asked for by `SEMANTICS` and `TARGET`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Whether the formulas are about plays in which the system answers first.
    pub is_moore: bool,
    /// Whether the machine to build is a Moore machine.
    pub builds_moore: bool,
}

/// A specification as it is written, before it is translated for a machine.
#[derive(Clone, Debug)]
pub struct Specification {
    /// Inputs and outputs.
    pub signals: Signals,
    /// The clauses.
    pub contract: Contract,
    /// Semantics and target.
    pub kind: Kind,
}

impl Specification {
    /// The contract about the plays of a controller (`of_counter` false) or of a counter-strategy. TLSF converts
    /// between kinds of machines by putting signals one step later: outputs for a Moore machine of a Mealy
    /// specification, inputs for a Mealy machine of a Moore specification. A counter-strategy moves first and gives the inputs
    /// of a Moore machine's step one step later, since it sees the outputs of that step.
    pub fn converted(&self, of_counter: bool, arena: &mut Arena) -> Contract {
        let Kind { is_moore, builds_moore } = self.kind;
        let outputs_late = !is_moore && builds_moore;
        let inputs_late = if builds_moore { of_counter } else { is_moore };
        let is_late = |atom| if self.signals.is_input(atom) { inputs_late } else { outputs_late };
        let clauses = self.contract.clauses.iter();
        Contract { clauses: clauses.map(|&(role, f)| (role, arena.shifted(f, &is_late))).collect() }
    }
}

/// Reads a specification; `parameters` replace those of the text.
///
/// # Errors
/// The text is malformed, or uses what this reader does not know.
pub fn read_tlsf(
    text: &str,
    parameters: &[(String, i64)],
    arena: &mut Arena,
) -> Result<Specification, Unread> {
    // Parsing and expansion recurse as deep as the text nests, up to a limit: on a stack of known size.
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(STACK);
        let handle = reader.spawn_scoped(scope, || read(text, parameters, arena));
        let failed = |_| Unread::beyond(1, "no thread to read with");
        handle.map_err(|_| Unread::beyond(1, "no thread to read with"))?.join().map_err(failed)?
    })
}

fn read(text: &str, parameters: &[(String, i64)], arena: &mut Arena) -> Result<Specification, Unread> {
    let module = parse::parse(words::words(text)?)?;
    let (kind, is_strict) = kind_of(&module)?;
    let mut expander = Expander::new(&module, parameters)?;
    let found = expander.clauses()?;
    let signals = std::mem::take(&mut expander.signals);
    let mut syntax = std::mem::take(&mut expander.syntax);
    let clauses = roles(&found, is_strict, &mut syntax).map_err(|why| Unread::new(1, why))?;
    let clauses = clauses.into_iter().map(|(role, tree)| (role, syntax.lower(tree, arena))).collect();
    Ok(Specification { signals, contract: Contract { clauses }, kind })
}

fn kind_of(module: &Module) -> Result<(Kind, bool), Unread> {
    let mut kind = Kind { is_moore: false, builds_moore: false };
    let (mut is_strict, mut has_semantics, mut target) = (false, false, None);
    for (line, key, values) in &module.info {
        let values: Vec<String> = values.iter().map(|value| value.to_lowercase()).collect();
        let unknown =
            |value: &String| Unread::beyond(*line, format!("`{value}` under {key} is not read here"));
        match key.as_str() {
            "SEMANTICS" => {
                has_semantics = true;
                for value in &values {
                    match value.as_str() {
                        "mealy" => kind.is_moore = false,
                        "moore" => kind.is_moore = true,
                        "strict" => is_strict = true,
                        _ => return Err(unknown(value)),
                    }
                }
            }
            "TARGET" => match values.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["mealy"] => target = Some(false),
                ["moore"] => target = Some(true),
                _ => return Err(unknown(&values.concat())),
            },
            _ => {}
        }
    }
    if !has_semantics {
        return Err(Unread::new(1, "SEMANTICS is missing"));
    }
    kind.builds_moore = target.unwrap_or(kind.is_moore);
    Ok((kind, is_strict))
}

/// The contract `θe → (θs ∧ (G ψe ∧ φe → G ψs ∧ φs))` of the sections INITIALLY, PRESET, REQUIRE, ASSUME, ASSERT and
/// GUARANTEE, strict `θe → (θs ∧ (ψs W ¬ψe) ∧ (G ψe ∧ φe → φs))`.
fn roles(
    found: &[(Section, Tree)],
    is_strict: bool,
    syntax: &mut Syntax,
) -> Result<Vec<(Role, Tree)>, String> {
    let mut clauses = Vec::new();
    let required: Vec<Tree> = found.iter().filter(|c| c.0 == Section::Require).map(|c| c.1).collect();
    for &(section, tree) in found {
        clauses.push(match section {
            Section::Initially => (Role::Fact, tree),
            Section::Preset => (Role::Restriction, tree),
            Section::Require => (Role::Assumption, syntax.unary(Unary::Globally, tree)?),
            Section::Assume => (Role::Assumption, tree),
            Section::Assert if is_strict => {
                let mut broken = syntax.add(crate::syntax::Written::Constant(false))?;
                for &one in &required {
                    let not = syntax.unary(Unary::Not, one)?;
                    broken = syntax.binary(Binary::Or, broken, not)?;
                }
                (Role::Restriction, syntax.binary(Binary::Weak, tree, broken)?)
            }
            Section::Assert => (Role::Guarantee, syntax.unary(Unary::Globally, tree)?),
            Section::Guarantee => (Role::Guarantee, tree),
        });
    }
    Ok(clauses)
}
