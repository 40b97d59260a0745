//! What simulated models read in the refusals of their prompts.

use crate::OracleRequest;
use tsl_synth_core::base::Random;

/// The beginning of the line of a refusal that lists the allowed actions.
const ALLOWED: &str = "Allowed now: ";

/// The actions that the last refusal of a prompt lists as allowed.
pub(super) fn allowed(prompt: &str) -> Option<Vec<&str>> {
    let line = prompt.lines().rev().find_map(|line| line.strip_prefix(ALLOWED))?;
    Some(line.trim_end_matches('.').split(", ").collect())
}

/// A choice that the last refusal lists as allowed: the wanted one if it is among them, else one at random.
pub(super) fn allowed_choice(
    request: &OracleRequest,
    wanted: Option<usize>,
    random: &mut Random,
) -> Option<usize> {
    let allowed = allowed(&request.prompt)?;
    let all = 0..request.choices.len();
    let among: Vec<usize> = all.filter(|&i| allowed.contains(&request.choices[i].as_str())).collect();
    let any = |random: &mut Random| (!among.is_empty()).then(|| among[random.below(among.len())]);
    wanted.filter(|wanted| among.contains(wanted)).or_else(|| any(random))
}
