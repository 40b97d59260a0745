//! Controllers as text: code, diagrams, automata, JSON.
//!
//! [`emit`] is the whole interface. The way of a machine: `Problem` and `Mealy` → decision trees, one per
//! state → a view with target-ready names and expressions (`wire`) → a template that only lays it out.

mod data;
mod dialect;
mod expressions;
mod identity;
mod input;
mod labels;
mod machine;
mod names;
mod rows;
mod scope;
mod text;
mod tree;
mod view;

pub use input::{
    AssumptionMonitor, ClauseText, EmitError, EmitInput, EmitOptions, EmittedFile, Lang, Meta, OnBroken,
    Strategy, UserTemplate,
};

/// Emits a machine for one target.
///
/// The result depends on nothing but the arguments. Files come in a fixed order, the main one first.
///
/// # Errors
/// If the target cannot express the machine or the options, or a template fails.
pub fn emit(_input: &EmitInput<'_>, options: &EmitOptions) -> Result<Vec<EmittedFile>, EmitError> {
    Err(EmitError::Unsupported(format!("`{}` is not emitted yet", options.lang.name())))
}
