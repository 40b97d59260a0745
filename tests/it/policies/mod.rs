//! Policies: laws compared with their definition, copies, the gallery, and the cases of the papers.

mod copies;
mod gallery;
mod safety_chip;
mod standings;

use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::CompiledPolicy;
use tsl_synth_policy::language::load_policy;

/// A policy from its text.
pub(crate) fn compiled(name: &str, text: &str) -> CompiledPolicy {
    let mut map = SourceMap::new();
    let source = map.add(name, text);
    let mut diagnostics = Diagnostics::new();
    let policy = load_policy(&mut map, source, &mut diagnostics);
    let findings: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    let policy = policy.unwrap_or_else(|| panic!("{text}\n{findings:?}"));
    CompiledPolicy::new(policy, &Budget::unlimited()).expect("small laws")
}

/// The letter with the bits of these names.
pub(crate) fn letter(compiled: &CompiledPolicy, names: &[&str]) -> tsl_synth_core::logic::Letter {
    let atoms = &compiled.policy.atoms;
    let bits = (0..atoms.bits()).map(tsl_synth_core::base::Id::from_index);
    let mut letter = tsl_synth_core::logic::Letter::default();
    for bit in bits.filter(|&bit| names.contains(&atoms.bit_name(bit).as_str())) {
        letter.insert(bit);
    }
    letter
}
