//! Names of a machine's file that are those of a specification but for their spelling. Other tools write the names of
//! TLSF in small letters, the signals of a bus as `b[0]`, and a Boolean output of TSL as one signal.

use rustc_hash::FxHashMap;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::logic::{Alphabet, AtomKind};
use tsl_synth_lang::spec::Problem;

/// More matched names than this are not listed one by one.
const LISTED: usize = 4;

/// The names of a file in the spelling of a specification, in order, and a note if some differ. A name that is none of
/// the specification stands for the signal with this name, or this index of a bus, up to letter case, provided that it
/// is the only such signal and the file does not name it otherwise. Names without such a signal stay.
pub(super) fn as_specified(
    problem: &Problem,
    shown: &Alphabet,
    file: &str,
    names: &[String],
) -> (Vec<String>, Option<Diagnostic>) {
    let mut atoms: FxHashMap<String, Option<&str>> = FxHashMap::default();
    for (id, atom) in shown.atoms().enumerate() {
        let bus = problem.signature.spellings.get(&id).filter(|spelling| **spelling != atom.name);
        // A Boolean output stands for its update to true.
        let output = match atom.kind {
            AtomKind::Update(cell, _) => Some(&shown.cells()[cell].name),
            AtomKind::Input(_) | AtomKind::Output(_) => None,
        };
        let output = output.filter(|name| problem.plain_output(name) == Some(id));
        for spelling in [Some(&atom.name), bus, output].into_iter().flatten() {
            let known = atoms.entry(spelling.to_lowercase()).or_insert(Some(&atom.name));
            if *known != Some(&atom.name) {
                *known = None;
            }
        }
    }
    let is_known = |name: &str| shown.atoms().iter().any(|atom| atom.name == name);
    // How often the file names each signal.
    let mut uses: FxHashMap<&str, usize> = FxHashMap::default();
    let meant: Vec<Option<&str>> = names
        .iter()
        .map(|name| if is_known(name) { Some(name.as_str()) } else { *atoms.get(&name.to_lowercase())? })
        .collect();
    for name in meant.iter().flatten() {
        *uses.entry(name).or_default() += 1;
    }
    let sole = |name: &&str| uses.get(name) == Some(&1);
    let matched: Vec<String> =
        names.iter().zip(&meant).map(|(own, meant)| meant.filter(sole).unwrap_or(own).to_string()).collect();
    let is_output = |name: &str| problem.plain_output(name).is_some();
    let pairs: Vec<String> = names
        .iter()
        .zip(&matched)
        .filter(|(own, matched)| own != matched && !is_output(own))
        .map(|(own, matched)| format!("`{own}` is `{matched}`"))
        .collect();
    if pairs.is_empty() {
        return (matched, None);
    }
    let rest = pairs.len().saturating_sub(LISTED);
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    let listed = pairs[..pairs.len() - rest].join(", ");
    let message = format!("`{file}`: names are matched without regard to their spelling: {listed}{more}");
    (matched, Some(Diagnostic::note(Code::NAMES_MATCHED, message)))
}
