//! The prompt that asks a model for edits of laws.

use super::runs::{Feature, FeatureId, Run};
use crate::CompiledPolicy;
use crate::analysis::Stuck;
use crate::language::{LawKind, Timing};
use std::fmt::Write;
use tsl_synth_core::base::Id;
use tsl_synth_core::model::CallOutcome;

/// The largest number of steps that a prompt lists.
const STEPS: usize = 400;
/// The largest number of over-constrained states that a prompt lists.
const STATES: usize = 10;

/// What a prompt says besides the laws.
#[derive(Clone, Copy, Debug)]
pub struct PromptParts<'p> {
    /// What the runs are to reach, in order.
    pub goals: &'p [String],
    /// The features of steps.
    pub features: &'p [Feature],
    /// The recorded runs.
    pub runs: &'p [Run],
    /// For each run what was said and reported in it, with the number of letters before.
    pub notes: &'p [&'p [(usize, String)]],
    /// The states in which laws leave no action.
    pub stuck: &'p [Stuck],
    /// The edits that were refused before.
    pub refused: &'p [String],
}

/// The request for edits: the goal, the names, the laws, the states in which they leave no action, the runs step by
/// step with thoughts and error texts, and the edits that were refused before.
pub fn prompt(compiled: &CompiledPolicy, parts: PromptParts<'_>) -> String {
    let PromptParts { goals, features, runs, notes, stuck, refused } = parts;
    let policy = &compiled.policy;
    let mut text = String::from(
        "You review recorded runs of an agent and edit the laws that guard it. Add a law for each action that the environment \
         refused and that can be foreseen, ban steps that do not help to reach the goal, and weaken or delete soft laws that \
         leave the agent no action.\n\n",
    );
    if !goals.is_empty() {
        let _ = writeln!(text, "The goal of the agent: {}.\n", goals.join(", then "));
    }
    let list = |names: &mut dyn Iterator<Item = &String>| names.cloned().collect::<Vec<_>>().join(", ");
    let _ = writeln!(text, "Actions: {}", list(&mut policy.atoms.actions.iter().map(|own| &own.name)));
    let _ = writeln!(
        text,
        "Propositions: {}\n\nLaws:",
        list(&mut policy.atoms.propositions.iter().map(|own| &own.name))
    );
    for law in &policy.laws {
        let kind = match law.kind {
            LawKind::Assume => "assume",
            LawKind::Hard => "hard",
            LawKind::Soft => "soft",
        };
        let _ = writeln!(text, "- {} ({kind}): {}  {}", law.id, law.ltl, law.why);
    }
    if !stuck.is_empty() {
        text += "\nStates in which laws leave no action:\n";
        for one in stuck.iter().take(STATES) {
            let laws: Vec<&str> = one.core.iter().map(|&law| policy.laws[law].id.as_str()).collect();
            let last = one.trajectory.steps.last().map(|step| step.truths.join(", ")).unwrap_or_default();
            let _ = writeln!(text, "- {}, where {{{last}}} holds", laws.join(" and "));
        }
    }
    let mut reported = 0;
    for (number, run) in runs.iter().enumerate() {
        if reported >= STEPS {
            let _ = writeln!(text, "\n{} more runs are left out.", runs.len() - number);
            break;
        }
        let reached: Vec<String> = goals
            .iter()
            .zip(&run.reached)
            .map(|(goal, at)| match at {
                Some(steps) => format!("`{goal}` after {steps} steps"),
                None => format!("`{goal}` never"),
            })
            .collect();
        let reached =
            if reached.is_empty() { String::new() } else { format!(" (reached: {})", reached.join(", ")) };
        let _ = writeln!(text, "\nRun {}{reached}:", number + 1);
        let mut told = notes.get(number).map_or(&[][..], |notes| *notes).iter().peekable();
        for (i, step) in run.steps.iter().enumerate().take(STEPS - reported) {
            let holds: Vec<String> = features
                .iter()
                .enumerate()
                .filter(|(f, _)| step.holds.contains(FeatureId::from_index(*f)))
                .map(|(_, feature)| feature.formula(true).to_string())
                .collect();
            let outcome = match step.outcome {
                Some(CallOutcome::Ok) => " (ok)",
                Some(CallOutcome::Failed) => " (failed)",
                Some(CallOutcome::Unknown) | None => "",
            };
            // The notes of the steps before.
            while let Some((_, note)) = told.next_if(|(at, _)| *at <= step.letter) {
                let _ = writeln!(text, "   {note}");
            }
            let action = &policy.atoms.actions[step.action].name;
            let _ = writeln!(text, "{}. {{{}}} -> {action}{outcome}", i + 1, holds.join(", "));
        }
        if reported + run.steps.len() <= STEPS {
            for (_, note) in told {
                let _ = writeln!(text, "   {note}");
            }
        }
        reported += run.steps.len();
    }
    if !refused.is_empty() {
        text += "\nRefused so far:\n";
        for why in refused {
            let _ = writeln!(text, "- {why}");
        }
    }
    let form = match policy.timing {
        Timing::Next => "G(p & !q -> X(!action))",
        Timing::Same => "G(p & !q -> !action)",
    };
    let _ = write!(
        text,
        "\nAnswer with a list of edits in JSON and nothing else: [{{\"op\":\"add\",\"law_id\":\"..\",\"law\":\"{form}\",\
         \"explanation\":\"..\"}},{{\"op\":\"replace\",..}},{{\"op\":\"delete\",\"law_id\":\"..\"}}]. Laws are formulas of LTL on \
         finite words over these names. The condition of a law has to hold in some step of the runs. Hard laws are not edited. \
         An empty list ends the review."
    );
    text
}
