//! Laws that a table about every call empties: `push requires tests before`, where everything that the agent does counts
//! as running the tests.

use super::frame::AnalysisFrame;
use crate::language::{EventKind, LawAtom, LawId, Match, TraceMode};
use rustc_hash::FxHashSet;
use tsl_synth_core::logic::{BitId, Guard};
use tsl_synth_core::model::{CallOutcome, LawStatus};
use tsl_synth_shell::{Certainty, Exported, ShellAutomaton, script_automaton};

/// A name that no policy has in mind.
const UNLIKELY: &str = "zq7f3-unlikely";

/// The laws that forbid nothing any more as soon as one call has succeeded, because a table matches every call and its
/// action or proposition is what they ask for; each with the number of that table in the policy.
///
/// Only for letters of single events. Takes a few steps of each law that reads what such a table says.
pub fn emptied(frame: &mut AnalysisFrame<'_>) -> Vec<(LawId, usize)> {
    let policy = &frame.compiled.policy;
    if policy.trace != TraceMode::PerEvent {
        return Vec::new();
    }
    let unlikely = script_automaton(&format!("{UNLIKELY} -x {UNLIKELY}"));
    let tables = policy.matches.iter().enumerate().filter(|(_, table)| matches_everything(table, &unlikely));
    let tables: Vec<(usize, &Match)> = tables.collect();
    let mut all = Vec::new();
    for law in frame.own_laws() {
        let reads = frame.compiled.reads(law);
        let emptying = tables.iter().find(|(_, table)| {
            let bits = said(frame, table);
            !bits.always.is_empty()
                && reads.iter().any(|bit| bits.asked.contains(bit))
                && is_emptied(frame, law, &bits)
        });
        all.extend(emptying.map(|(number, _)| (law, *number)));
    }
    all
}

/// Whether a table matches each call that the agent makes, whatever it is; `unlikely` is a command that only such a table
/// matches.
fn matches_everything(table: &Match, unlikely: &ShellAutomaton) -> bool {
    let is_any = |globs: &[tsl_synth_core::base::Glob]| {
        globs.is_empty() || globs.iter().any(|glob| glob.matches(UNLIKELY))
    };
    if table.on != EventKind::Call || !table.conditions.is_empty() || !table.said.is_empty() {
        return false;
    }
    match &table.shell {
        // The tools of such a table are those that run commands.
        Some(shell) => {
            let exported = Exported::of(unlikely);
            let mut commands = unlikely.letters.iter();
            commands.any(|command| shell.clause.matches(command, &exported) == Certainty::Yes)
        }
        None => is_any(&table.tools) && table.servers.is_empty(),
    }
}

/// What a table says of each call.
struct SaidBits {
    /// The bits of each letter with a call.
    always: Vec<BitId>,
    /// The bit of the success of its action, which follows each call.
    succeeds: Option<BitId>,
    /// The bits that laws may ask for.
    asked: Vec<BitId>,
}

fn said(frame: &AnalysisFrame<'_>, table: &Match) -> SaidBits {
    let atoms = &frame.compiled.policy.atoms;
    let call = table.action.map(|action| atoms.bit(LawAtom::Call(action)));
    let succeeds = table.action.map(|action| atoms.bit(LawAtom::Result(action, CallOutcome::Ok)));
    let set = table.set.iter().filter(|(_, value)| *value);
    let set: Vec<BitId> = set.map(|(id, _)| atoms.bit(LawAtom::Proposition(*id))).collect();
    SaidBits {
        always: call.into_iter().chain(set.iter().copied()).collect(),
        asked: succeeds.into_iter().chain(set).collect(),
        succeeds,
    }
}

/// Whether no words of calls, each with these bits and followed by its success, violate a law after the first of them; but
/// calls without them would.
fn is_emptied(frame: &mut AnalysisFrame<'_>, law: LawId, bits: &SaidBits) -> bool {
    let all = |frame: &mut AnalysisFrame<'_>, bits: &[BitId]| {
        bits.iter().fold(Guard::TRUE, |sum, &bit| {
            let own = frame.guards.bit(bit);
            frame.guards.and(sum, own)
        })
    };
    let (call, success) = (all(frame, &bits.always), all(frame, bits.succeeds.as_slice()));
    let standing = |frame: &AnalysisFrame<'_>, state: u32| frame.compiled.monitors[law].standing(state);
    // One call with its success: the states after it, and whether the call or its success violates the law.
    let step = |frame: &mut AnalysisFrame<'_>, from: u32, call: Guard, success: Guard| {
        let (mut after, mut is_violated) = (Vec::new(), false);
        let edges = frame.edges(law, from);
        for &(middle, letters) in edges.iter() {
            if !frame.meets(letters, call) {
                continue;
            }
            is_violated |= standing(frame, middle) == LawStatus::Violated;
            let edges = frame.edges(law, middle);
            for &(to, letters) in edges.iter() {
                if frame.meets(letters, success) {
                    is_violated |= standing(frame, to) == LawStatus::Violated;
                    after.push(to);
                }
            }
        }
        (after, is_violated)
    };
    let silent = frame.silent;
    let any_call = frame.guards.not(silent);
    if !step(frame, 0, any_call, Guard::TRUE).1 {
        // It does not forbid a first call, so that it may be about something else.
        return false;
    }
    let (call, success) = (frame.guards.and(call, any_call), frame.guards.and(success, silent));
    let (mut open, _) = step(frame, 0, call, success);
    open.retain(|&state| standing(frame, state) != LawStatus::Violated);
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    while let Some(state) = open.pop() {
        if !seen.insert(state) {
            continue;
        }
        let (after, is_violated) = step(frame, state, call, success);
        if is_violated {
            return false;
        }
        open.extend(after);
    }
    !seen.is_empty()
}
