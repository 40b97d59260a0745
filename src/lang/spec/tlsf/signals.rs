//! Declares enumerations and signals; signals become atoms.

use super::expand::TlsfExpander;
use super::tree::FormulaTree;
use super::value::{Bus, Enumeration, TlsfValue, Valid};
use crate::syntax::tlsf::{EnumDefinition, TlsfModule, TlsfSignal};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tsl_synth_core::base::Limit;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::logic::{Alphabet, AtomId};
use tsl_synth_core::source::Name;
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::BinaryOp;

/// Declares the enumerations and signals of a file, and returns the constraints of signals whose enumeration does not
/// use all codes. A signal of a bus `b` is the atom `b_i`, as in the other tools of the format.
///
/// # Errors
/// The budget is spent.
pub(super) fn declare(
    expander: &mut TlsfExpander<'_>,
    module: &TlsfModule,
    alphabet: &mut Alphabet,
) -> Result<Vec<Valid>, Limit> {
    let mut places = FxHashMap::default();
    for definition in &module.enums {
        enumeration(expander, definition, &mut places);
    }
    let mut valid = Vec::new();
    let mut atoms: FxHashMap<String, Span> = FxHashMap::default();
    for (signals, input) in [(&module.inputs, true), (&module.outputs, false)] {
        for signal in signals {
            let span = signal.name.span;
            if let Some(first) =
                places.get(&signal.name.text).copied().or(expander.defined(&signal.name.text))
            {
                expander.redefined(&signal.name, first);
                continue;
            }
            places.insert(signal.name.text.clone(), span);
            let Some((width, sort)) = width(expander, signal)? else {
                expander.globals.insert(signal.name.text.clone(), TlsfValue::Error);
                continue;
            };
            let mut all: Vec<AtomId> = Vec::new();
            for i in 0..width.unwrap_or(1) {
                let name = match width {
                    None => signal.name.text.to_string(),
                    Some(_) => format!("{}_{i}", signal.name.text),
                };
                if let Some(first) = atoms.insert(name.clone(), span) {
                    expander.redefined(&Name { text: name.as_str().into(), span }, first);
                }
                all.push(if input { alphabet.add_input(name) } else { alphabet.add_output(name) });
            }
            let value = if width.is_some() {
                expander.buses.push(Bus { name: signal.name.text.clone(), atoms: all, sort });
                TlsfValue::Bus(expander.buses.len() - 1)
            } else {
                TlsfValue::Formula(expander.trees.add(FormulaTree::Atom(all[0])))
            };
            expander.globals.insert(signal.name.text.clone(), value);
            if let Some(sort) = sort.filter(|&sort| !expander.enums[sort].is_total()) {
                let bus = expander.buses.len() - 1;
                let mut formula = expander.trees.bool(false);
                for value in 0..expander.enums[sort].values.len() {
                    let holds = expander.holds(bus, sort, value);
                    formula = expander.trees.binary(BinaryOp::Or, formula, holds);
                }
                valid.push(Valid { formula, input, span });
            }
        }
    }
    Ok(valid)
}

/// The width of a bus and its enumeration; no width for a single signal.
type Width = (Option<usize>, Option<usize>);

fn width(expander: &mut TlsfExpander<'_>, signal: &TlsfSignal) -> Result<Option<Width>, Limit> {
    if let Some(sort) = &signal.sort {
        let found = expander.enums.iter().position(|e| e.name == sort.text);
        let Some(found) = found else {
            let message = format!("there is no enumeration `{}`", sort.text);
            expander.report(
                Diagnostic::error(Code::UNKNOWN_NAME, message)
                    .at(sort.span, "used here")
                    .hint("signals of an enumeration are declared `enumeration name;`, others just `name;`"),
            );
            return Ok(None);
        };
        if signal.size.is_some() {
            let message = "buses of an enumeration are not part of TLSF";
            expander.error(Code::BAD_DECLARATION, signal.name.span, message);
            return Ok(None);
        }
        return Ok(Some((Some(expander.enums[found].width), Some(found))));
    }
    let Some(size) = signal.size else { return Ok(Some((None, None))) };
    let value = expander.expand(size)?;
    let at = expander.exprs.span(size);
    let Some(width) = expander.int(&value, at) else { return Ok(None) };
    if width < 0 {
        expander.error(Code::EMPTY_RANGE, at, format!("a bus cannot have {width} signals"));
        return Ok(None);
    }
    let width = usize::try_from(width).unwrap_or(usize::MAX);
    // Every signal has a name and an atom.
    expander.spend(width.saturating_mul(4))?;
    Ok(Some((Some(width), None)))
}

fn enumeration(
    expander: &mut TlsfExpander<'_>,
    definition: &EnumDefinition,
    places: &mut FxHashMap<Arc<str>, Span>,
) {
    let width = definition.values.first().and_then(|(_, codes)| codes.first()).map_or(0, |c| c.text.len());
    let mut values = Vec::new();
    for (name, codes) in &definition.values {
        if let Some(first) = places.get(&name.text).copied().or(expander.defined(&name.text)) {
            expander.redefined(name, first);
            continue;
        }
        places.insert(name.text.clone(), name.span);
        let mut words = Vec::new();
        for code in codes {
            if code.text.len() != width {
                let message =
                    format!("this code has {} bits, and the first one has {width}", code.text.len());
                expander.error(Code::BAD_DEFINITION, code.span, message);
            }
            words.push(
                code.text
                    .bytes()
                    .map(|b| match b {
                        b'0' => Some(false),
                        b'1' => Some(true),
                        _ => None,
                    })
                    .collect(),
            );
        }
        expander.globals.insert(name.text.clone(), TlsfValue::Variant(expander.enums.len(), values.len()));
        values.push((name.text.clone(), words));
    }
    if values.is_empty() {
        let message = "an enumeration has at least one value";
        expander.error(Code::BAD_DEFINITION, definition.name.span, message);
    }
    expander.enums.push(Enumeration { name: definition.name.text.clone(), width, values });
}
