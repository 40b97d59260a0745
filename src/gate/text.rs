//! Decisions in sentences and documents.

use crate::answer::{GateDocument, GateWayStep, OwedFor};
use crate::commands;
use std::fmt::Write;
use tsl_synth_core::model::{ProposalAnswer, Ruling};
use tsl_synth_policy::gate::{AgentOptions, Decision, GateSession, GateSolver, Reason};
use tsl_synth_policy::language::{ActionId, DefaultRuling, LawId, OnViolation};
use tsl_synth_policy::{CallReading, Key, SeenLetter};

/// The maximal number of laws, actions and steps that a sentence lists.
const LISTED: usize = 12;
/// The maximal number of values that are listed for one law.
const OWED_VALUES: usize = 10;

fn list(names: &[String], nothing: &str) -> String {
    if names.is_empty() {
        return nothing.to_owned();
    }
    let mut text = names.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > LISTED {
        let _ = write!(text, " and {} more", names.len() - LISTED);
    }
    text
}

pub(crate) fn law_ids(judge: &GateSolver, laws: &[LawId]) -> Vec<String> {
    laws.iter().map(|&law| judge.compiled().policy.laws[law].id.clone()).collect()
}

pub(crate) fn action_names(judge: &GateSolver, actions: &[ActionId]) -> Vec<String> {
    actions.iter().map(|&action| judge.compiled().policy.atoms.actions[action].name.clone()).collect()
}

fn letter_names(judge: &GateSolver, seen: &SeenLetter) -> Vec<String> {
    let mut names = judge.compiled().policy.atoms.letter_names(&seen.letter);
    names.extend(seen.bindings.iter().map(|(name, value)| format!("{name}={value}")));
    names
}

/// The laws that a decision is due to.
fn blamed(judge: &GateSolver, decision: &Decision) -> Vec<LawId> {
    let mut laws: Vec<LawId> = Vec::new();
    for reason in &decision.reasons {
        if let Reason::Violates(own) | Reason::Loses(own) | Reason::Owes(own) = reason {
            laws.extend(own);
        }
    }
    // A law that only warns, or is only recorded, refuses nothing.
    let is_mild = |law: LawId| {
        let on = judge.compiled().policy.laws[law].on_violation;
        matches!(on, OnViolation::Warn | OnViolation::Log)
    };
    laws.retain(|&law| decision.ruling < Ruling::Ask || !is_mild(law));
    laws.sort_unstable();
    laws.dedup();
    laws
}

/// The document of a decision, without the allowed actions.
pub(crate) fn document(
    judge: &GateSolver,
    session: &str,
    decision: &Decision,
    before: Option<&SeenLetter>,
) -> GateDocument {
    let mut document = GateDocument::new("verdict", session);
    document.verdict = Some(decision.ruling.name().to_owned());
    document.by = law_ids(judge, &blamed(judge, decision));
    document.lost = decision.is_lost;
    document.dropped = law_ids(judge, &decision.dropped);
    document.owed = law_ids(judge, &decision.left_owed);
    if decision.ruling > Ruling::Allow {
        document.safe = before.map(|seen| letter_names(judge, seen));
        document.violated = decision.letters.last().map(|seen| letter_names(judge, seen));
    }
    document
}

/// Adds the allowed actions, the laws that are owed, and a shortest way to an accepted end.
pub(crate) fn add_options(document: &mut GateDocument, judge: &GateSolver, options: &AgentOptions) {
    document.allowed = Some(action_names(judge, &options.allowed));
    document.lost = options.is_lost;
    let atoms = &judge.compiled().policy.atoms;
    document.way_out = options.way_out.as_ref().map(|way| {
        way.iter()
            .map(|step| GateWayStep::new(step.is_agents, atoms.letter_names(&step.letter.bits)))
            .collect()
    });
}

/// Adds the laws that are owed, and the values for which they are.
pub(crate) fn add_owed(
    document: &mut GateDocument,
    judge: &GateSolver,
    session: &GateSession,
    owed: &[LawId],
) {
    document.owed = law_ids(judge, owed);
    let laws = &judge.compiled().policy.laws;
    for &law in owed.iter().filter(|&&law| !laws[law].for_each.is_empty()) {
        let keys = judge.owing_values(session, law);
        let written = |key: &Key| {
            let names = laws[law].for_each.iter().zip(key.iter());
            let parts = names.filter_map(|(name, value)| Some(format!("{name}={}", value.as_deref()?)));
            parts.collect::<Vec<String>>().join(" and ")
        };
        let values: Vec<String> = keys.iter().take(OWED_VALUES).map(written).collect();
        let values = values.into_iter().filter(|value| !value.is_empty()).collect();
        let own = OwedFor { values, others: keys.len().saturating_sub(OWED_VALUES) };
        if !own.values.is_empty() {
            document.owed_for.insert(laws[law].id.clone(), own);
        }
    }
}

/// The laws that are owed, with the values for which they are.
fn owed_laws(document: &GateDocument) -> Vec<String> {
    let of_law = |law: &String| match document.owed_for.get(law) {
        Some(own) => {
            let more = if own.others > 0 { format!(" and {} more", own.others) } else { String::new() };
            format!("{law} for {}{more}", own.values.join(", "))
        }
        None => law.clone(),
    };
    document.owed.iter().map(of_law).collect()
}

/// The sentence for a reason, in addition to the laws that it names.
fn sentence(judge: &GateSolver, document: &GateDocument, reason: &Reason) -> Option<String> {
    Some(match reason {
        Reason::Unreadable(fault) => format!("The call cannot be judged: {fault}."),
        Reason::DefaultRuling => "No table of the policy names this call.".into(),
        Reason::Opaque => "Part of the command cannot be read, so what it does is not known.".into(),
        Reason::Overflow => "The session has more values than the policy tells apart.".into(),
        Reason::Violates(_) => return None,
        Reason::Loses(laws) => {
            let ids = law_ids(judge, laws);
            // Perhaps only because of what others may do then.
            let together = if ids.len() == 1 { "" } else { " together" };
            format!("After it nothing that you do would be sure to keep {}{together}.", list(&ids, ""))
        }
        Reason::Owes(_) if !document.owed_for.is_empty() => return None,
        Reason::Owes(_) => "That is owed before the end.".into(),
        Reason::TooHard(why) => format!("Whether it is safe was too hard to decide: {why}."),
    })
}

/// The sentences of a decision, for the model and for people.
pub(crate) fn reason(
    judge: &GateSolver,
    decision: &Decision,
    document: &GateDocument,
    reading: &CallReading,
) -> String {
    let mut text = String::new();
    if decision.ruling == Ruling::Allow && decision.left_owed.is_empty() && decision.reasons.is_empty() {
        return text;
    }
    let word = match decision.ruling {
        Ruling::Allow if decision.reasons.is_empty() => "Allowed to stop",
        Ruling::Allow => "Allowed, and recorded",
        Ruling::Warn => "Warning",
        Ruling::Ask => "A person must approve this",
        Ruling::Deny => "Denied",
    };
    let laws = blamed(judge, decision);
    match laws.as_slice() {
        // The first sentence follows on the same line.
        [] => {
            let _ = write!(text, "{word}. ");
        }
        [one] => {
            let law = &judge.compiled().policy.laws[*one];
            let _ = writeln!(text, "{word} by {}: {}", law.id, law.says());
        }
        several => {
            let _ = writeln!(text, "{word} by {}.", list(&document.by, ""));
            for &law in several.iter().take(LISTED) {
                let law = &judge.compiled().policy.laws[law];
                let _ = writeln!(text, "{}: {}", law.id, law.says());
            }
        }
    }
    let about_commands = commands::sentences(judge, decision, &laws, reading);
    // Where the commands are named, or why the call cannot be read, more general sentences about it are left out.
    let is_unreadable = decision.reasons.iter().any(|reason| matches!(reason, Reason::Unreadable(_)));
    let says_more = |reason: &&Reason| match reason {
        Reason::DefaultRuling => about_commands.is_empty() && !is_unreadable,
        Reason::Opaque => about_commands.is_empty(),
        _ => true,
    };
    let of_reasons = decision.reasons.iter().filter(says_more);
    let of_reasons: Vec<String> = of_reasons.filter_map(|reason| sentence(judge, document, reason)).collect();
    for sentence in about_commands.into_iter().chain(of_reasons) {
        let _ = writeln!(text, "{sentence}");
    }
    if let (Some(violated), true) = (&document.violated, decision.reasons.iter().any(is_about_laws)) {
        let safe = document.safe.as_deref().unwrap_or_default();
        let _ =
            writeln!(text, "Safe: {}. Violated: {}.", list(safe, "nothing yet"), list(violated, "nothing"));
    }
    if decision.is_lost {
        let _ =
            writeln!(text, "The hard laws could not be kept in any case; only laws violated at once count.");
    }
    if !decision.left_owed.is_empty() {
        let _ = writeln!(text, "Still owed: {}.", list(&law_ids(judge, &decision.left_owed), ""));
    }
    if let Some(allowed) = &document.allowed {
        let is_about_named = judge.compiled().policy.unmatched == DefaultRuling::Allow;
        let none = if is_about_named { "nothing that the laws name" } else { "no action" };
        let _ = writeln!(text, "Allowed now: {}.", list(allowed, none));
    }
    let is_end = decision.reasons.iter().any(|reason| matches!(reason, Reason::Owes(_)));
    if decision.left_owed.is_empty()
        && !document.owed.is_empty()
        && (!is_end || !document.owed_for.is_empty())
    {
        let _ = writeln!(text, "Owed before the end: {}.", list(&owed_laws(document), ""));
    }
    if let Some(way) = document.way_out.as_ref().filter(|way| !way.is_empty()) {
        let steps: Vec<String> = way.iter().map(|step| step.letter.join(" and ")).collect();
        let values: usize = document.owed_for.values().map(|own| own.values.len() + own.others).sum();
        let whither = if values > 1 { "for one of these values" } else { "to an accepted end" };
        let _ = writeln!(text, "Shortest way {whither}: {}.", list(&steps, ""));
    }
    text.truncate(text.trim_end().len());
    text
}

fn is_about_laws(reason: &Reason) -> bool {
    matches!(reason, Reason::Violates(_) | Reason::Loses(_))
}

/// The answer in the form for hosts.
pub(crate) fn answer(decision: &Decision, document: &GateDocument) -> ProposalAnswer {
    ProposalAnswer {
        ruling: decision.ruling,
        reason: document.reason.clone(),
        laws: document.by.clone(),
        ticket: document.ticket.clone(),
    }
}
