//! Specifications with names and sorts resolved, and the one [`Problem`] that all input languages are
//! lowered to.

mod apply;
mod arithmetic;
mod binary;
mod bounds;
mod chosen;
mod circular;
mod clocks;
mod compute;
mod conditions;
mod declare;
mod expand;
mod facts;
mod finite;
mod fold;
mod idioms;
mod infer;
mod joint;
mod lint;
pub mod load;
mod lower;
mod lowering;
mod ltl;
mod misread;
mod modules;
mod more_atoms;
mod number_functions;
mod numbers;
mod open_terms;
mod past;
mod past_ltl;
mod piecewise;
mod plain_outputs;
mod problem;
mod refine;
mod remainders;
pub mod resolve;
mod signal_names;
mod signature;
mod small_numbers;
mod sorts;
mod stored;
mod target;
mod theory;
mod tlsf;
mod truth_choices;
mod value;
mod value_sets;

pub use arithmetic::{
    LinearAnswer, LinearModel, NumberComparison, NumberGame, NumberPlan, NumberPlay, NumberSet, NumberStep,
    compared_numbers, comparison_of, decide, has_numbers, impossible_play, number_game, number_plan,
    number_set, numbers_of_steps, refutation, satisfies, sum_of, value,
};
pub use finite::{FINITE_COMBINATIONS, FINITE_VALUES, ONE_HOT_VALUES};
pub use joint::{JointSide, JointSpec, TracedFormula, join};
pub use load::{LoadFailure, LoadOptions, load_tsl};
pub use ltl::{LTL_NODES, load_ltl, resolve_ltl};
pub use modules::{IMPORT_DEPTH, IMPORT_FILES, LoadError, Loaded, Loader, MainFile, NoImports};
pub use open_terms::{OpenTerms, open_terms};
pub use problem::{Clause, ClauseId, Constraint, Language, Problem, Restricted, Target, Wordings};
pub use refine::{
    Consistency, Refinement, StepEvaluation, check_plays, frame_constraints, numbers_are_separate,
};
pub use resolve::{cell_named, predicate_atom, resolve_formula, resolve_term, update_atom};
pub use signal_names::SignalNames;
pub use signature::{
    AtomMeaning, EnumeratedSignal, LiteralValue, Operator, Overflow, Signature, Sort, Symbol, SymbolId,
    SymbolKind, Term, TermId, Terms,
};
pub use tlsf::{TlsfOptions, load_tlsf};
pub use value_sets::{ValueSet, ValueSets};
