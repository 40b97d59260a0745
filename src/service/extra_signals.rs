//! Signals of a machine that a specification does not have: a machine with more signals than a property is verified
//! against it with more inputs, which the environment gives as it likes, and more outputs, which no clause reads.

use super::machine_names::as_specified;
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::logic::Player;
use tsl_synth_formats::aiger::{is_aiger, read_aiger};
use tsl_synth_lang::spec::{AtomMeaning, Language, Problem};

/// The most signals that a note lists.
const LISTED: usize = 12;

/// Adds the signals of a machine's file that a specification of propositions does not have, and notes their names.
/// `None`, and nothing is added, if there are none, if a signal that the specification has is missing, which may be
/// spelt otherwise in the file, or if the file cannot be read.
pub(super) fn admit(problem: &mut Problem, file: &str, bytes: &[u8]) -> Option<Diagnostic> {
    if problem.language == Language::Tsl || !problem.signature.registers.is_empty() {
        return None;
    }
    let mut signals = signals(bytes)?;
    let names: Vec<String> = signals.iter().map(|(name, _)| name.clone()).collect();
    let (meant, _) = as_specified(problem, &problem.alphabet, file, &names);
    for ((name, _), meant) in signals.iter_mut().zip(meant) {
        *name = meant;
    }
    let alphabet = &problem.alphabet;
    let owner = |name: &str| {
        let atom = alphabet.atoms().enumerate().find(|(_, atom)| atom.name == name);
        atom.map(|(id, _)| alphabet.player(id))
    };
    // Whose machine it is: the known signals that it controls are those of one player.
    let controlled = signals.iter().filter(|(_, controls)| *controls).find_map(|(name, _)| owner(name));
    let maker = controlled.unwrap_or(Player::System);
    if !alphabet.atoms().iter().all(|atom| signals.iter().any(|(name, _)| *name == atom.name)) {
        return None;
    }
    let extra: Vec<(String, bool)> = signals.into_iter().filter(|(name, _)| owner(name).is_none()).collect();
    if extra.is_empty() {
        return None;
    }
    let mut listed: [Vec<String>; 2] = Default::default();
    for (name, controls) in extra {
        let player = if controls { maker } else { maker.opponent() };
        listed[usize::from(player == Player::System)].push(format!("`{name}`"));
        match player {
            Player::Environment => problem.alphabet.add_input(name),
            Player::System => problem.alphabet.add_output(name),
        };
        problem.signature.atoms.push(AtomMeaning::Proposition);
    }
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
