//! The functions of numbers that are understood where no declaration gives them another meaning.

use super::declare::Declarations;
use super::value::{Expanded, ExpandedId, ExpandedValues};

/// The functions that are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Abs,
    Min,
    Max,
    Ite,
    Mod,
    Div,
}

/// The built-in function that a value applies; `None` if it applies none, or one that the specification declares.
pub(super) fn function(
    values: &ExpandedValues,
    declarations: &Declarations,
    id: ExpandedId,
) -> Option<Function> {
    let Expanded::Apply(name, arguments) = values.get(id) else { return None };
    if declarations.by_name.contains_key(name) {
        return None;
    }
    match (&**values.text(*name), arguments.len()) {
        ("abs", 1) => Some(Function::Abs),
        ("min", 2) => Some(Function::Min),
        ("max", 2) => Some(Function::Max),
        ("ite", 3) => Some(Function::Ite),
        ("mod", 2) => Some(Function::Mod),
        ("div", 2) => Some(Function::Div),
        _ => None,
    }
}
