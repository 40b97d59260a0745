//! Signals of a machine that a specification does not have: a machine with more signals than a property is verified
//! against it with more inputs, which the environment gives as it likes, and more outputs, which no clause reads.

use super::machine_names::as_specified;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::logic::{AtomId, AtomKind, Player};
use tsl_synth_formats::aiger::{is_aiger, read_aiger};
use tsl_synth_lang::spec::{Language, Problem, SymbolKind};

/// The most signals that a note lists.
const LISTED: usize = 12;

/// Adds the signals of a machine's file that a specification does not have, and notes their names. `None`, and nothing is
/// added, if there are none, if a signal that the specification has is missing, which may be spelt otherwise in the
/// file, if a signal of TSL is not a Boolean one that the player may decide, or if the file cannot be read.
pub(super) fn admit(problem: &mut Problem, file: &str, bytes: &[u8]) -> Option<Diagnostic> {
    let mut signals = signals(bytes)?;
    let names: Vec<String> = signals.iter().map(|(name, _)| name.clone()).collect();
    let alphabet = &problem.shown_alphabet();
    let (meant, _) = as_specified(problem, alphabet, file, &names);
    for ((name, _), meant) in signals.iter_mut().zip(meant) {
        *name = meant;
    }
    let owner = |name: &str| {
        let atom = alphabet.atoms().enumerate().find(|(_, atom)| atom.name == name);
        atom.map(|(id, _)| alphabet.player(id))
    };
    // Whose machine it is: the known signals that it controls are those of one player.
    let controlled = signals.iter().filter(|(_, controls)| *controls).find_map(|(name, _)| owner(name));
    let maker = controlled.unwrap_or(Player::System);
    let named = |id: AtomId| signals.iter().any(|(name, _)| *name == alphabet.atoms()[id].name);
    if !alphabet.atoms().ids().all(|id| named(id) || is_implied(problem, id)) {
        return None;
    }
    let player = |controls: bool| if controls { maker } else { maker.opponent() };
    let extra: Vec<(String, bool)> =
        signals.iter().filter(|(name, _)| owner(name).is_none()).cloned().collect();
    if extra.is_empty() || !extra.iter().all(|(name, controls)| is_free(problem, name, player(*controls))) {
        return None;
    }
    let extra: Vec<(String, Player)> =
        extra.into_iter().map(|(name, controls)| (name, player(controls))).collect();
    let mut listed: [Vec<String>; 2] = Default::default();
    for (name, player) in &extra {
        listed[usize::from(*player == Player::System)].push(format!("`{name}`"));
    }
    problem.add_signals(&extra);
    let part = |names: &[String], one: &str, many: &str| {
        let rest = names.len().saturating_sub(LISTED);
        let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
        let word = if names.len() == 1 { one } else { many };
        (!names.is_empty()).then(|| format!("{word} {}{more}", names[..names.len() - rest].join(", ")))
    };
    let [inputs, outputs] = listed;
    let parts = [part(&inputs, "the input", "the inputs"), part(&outputs, "the output", "the outputs")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let message = format!("`{file}`: the specification says nothing about {}", parts.join(" and "));
    Some(Diagnostic::note(Code::NAMES_EXTRA, message))
}

/// Makes cells of the Boolean outputs of LTL that a machine's file sets by updates, `[x <- true]` and `[x <- false]`, as
/// machines of TSL do.
pub(super) fn switch(problem: &mut Problem, bytes: &[u8]) {
    if problem.language == Language::Tsl {
        return;
    }
    let signals = signals(bytes).unwrap_or_default();
    let names = |name: &str| signals.iter().any(|(own, _)| own == name);
    let alphabet = &problem.alphabet;
    let outputs = alphabet.outputs().map(|atom| alphabet.atoms()[atom].name.clone());
    let is_switched = |name: &String| !names(name) && names(&format!("[{name} <- true]"));
    let switched: Vec<String> = outputs.filter(is_switched).collect();
    if !switched.is_empty() {
        problem.switch_outputs(&switched);
    }
}

/// Whether a machine's file need not name an update, since it is chosen where no other one of its cell is: the only one,
/// or that to false of a Boolean output.
fn is_implied(problem: &Problem, atom: AtomId) -> bool {
    let AtomKind::Update(cell, _) = problem.alphabet.atoms()[atom].kind else { return false };
    let cell = &problem.alphabet.cells()[cell];
    cell.options.len() == 1
        || problem.plain_output(&cell.name).is_some_and(|yes| yes != atom)
        || problem.language != Language::Tsl && cell.options[0] == atom
}

/// Whether this player may give a signal of this name, which is none of the specification's atoms, any value in every
/// step. In TSL this is so for plain names only: the values of predicates and updates depend on those of other terms.
fn is_free(problem: &Problem, name: &str, player: Player) -> bool {
    if problem.language != Language::Tsl {
        return true;
    }
    let own = match player {
        Player::Environment => SymbolKind::Input,
        Player::System => SymbolKind::Output,
    };
    let is_name = |c: char| c.is_alphanumeric() || "_.'".contains(c);
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(is_name)
        && !matches!(name, "true" | "false")
        && problem.plain_output(name).is_none()
        && problem.signature.symbols.iter().all(|symbol| symbol.name != name || symbol.kind == own)
}

/// The names of the signals of a machine, each with whether the machine controls it.
fn signals(bytes: &[u8]) -> Option<Vec<(String, bool)>> {
    if is_aiger(bytes) {
        let aiger = read_aiger(bytes).ok()?;
        let named = |names: &[Option<String>], controls: bool| -> Vec<(String, bool)> {
            names.iter().flatten().map(|name| (name.clone(), controls)).collect()
        };
        return Some([named(&aiger.inputs, false), named(&aiger.outputs, true)].concat());
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let header = &text[..text.find("--BODY--")?];
    let line = |key: &str| header.lines().find_map(|line| line.trim_start().strip_prefix(key));
    let names: Vec<String> = line("AP:")?.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    let controlled: Vec<usize> =
        line("controllable-AP:")?.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    Some(names.into_iter().enumerate().map(|(i, name)| (name, controlled.contains(&i))).collect())
}
