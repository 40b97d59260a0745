//! The simple commands of a shell call in sentences: which of them a denial is about, and how to write them so that the
//! gate can read them.

use crate::answer::{GateCommand, GateDocument};
use tsl_synth_policy::gate::{Decision, GateSolver, Reason};
use tsl_synth_policy::language::{LawAtom, LawId, Match};
use tsl_synth_policy::{CallReading, CommandReading};
use tsl_synth_shell::Certainty;

/// The most commands that sentences name.
const NAMED: usize = 3;

/// The names of the tables that match a command with this certainty.
fn named(
    judge: &GateSolver,
    command: &CommandReading,
    wanted: Certainty,
    is_meant: &dyn Fn(&Match) -> bool,
) -> Vec<String> {
    let policy = &judge.compiled().policy;
    let own = command.tables.iter().filter(|(_, certainty)| *certainty == wanted);
    let own = own.map(|(table, _)| &policy.matches[*table]).filter(|table| is_meant(table));
    let mut all: Vec<String> = own.flat_map(|table| policy.table_names(table)).collect();
    all.sort();
    all.dedup();
    all
}

/// The words of a command without those that only run it.
fn words(command: &CommandReading) -> String {
    command.words.last().cloned().unwrap_or_default()
}

/// The command as a document.
fn document(judge: &GateSolver, command: &CommandReading) -> GateCommand {
    let is = named(judge, command, Certainty::Yes, &|_| true);
    let mut may_be = named(judge, command, Certainty::Maybe, &|_| true);
    may_be.retain(|name| !is.contains(name));
    GateCommand { command: words(command), is, may_be, unreadable: command.opaque.map(str::to_owned) }
}

/// Whether a law reads a name of a table.
fn concerns(judge: &GateSolver, laws: &[LawId], table: &Match) -> bool {
    let compiled = judge.compiled();
    laws.iter().flat_map(|&law| compiled.reads(law)).any(|bit| match compiled.policy.atoms.atom(bit) {
        LawAtom::Call(action) | LawAtom::Result(action, _) => table.action == Some(action),
        LawAtom::Proposition(id) | LawAtom::Clear(id) => table.set.iter().any(|(own, _)| *own == id),
        LawAtom::Opaque => false,
    })
}

/// Sentences about the commands that a refusal is due to; none if the call has no shell commands.
pub(crate) fn sentences(
    judge: &GateSolver,
    decision: &Decision,
    laws: &[LawId],
    reading: &CallReading,
) -> Vec<String> {
    let has = |wanted: fn(&Reason) -> bool| decision.reasons.iter().any(wanted);
    let is_default = has(|reason| *reason == Reason::DefaultRuling);
    let is_opaque = has(|reason| *reason == Reason::Opaque);
    let mut all = Vec::new();
    let matches = &judge.compiled().policy.matches;
    let is_meant = |table: &Match| concerns(judge, laws, table);
    for command in &reading.commands {
        let certainty = command.certainty(|table| is_meant(&matches[table]));
        let shown = match (words(command), command.opaque) {
            (words, _) if !words.is_empty() => format!("`{words}`"),
            (_, Some(_)) => "Part of the command".to_owned(),
            (_, None) => "A command without words".to_owned(),
        };
        let names = named(judge, command, certainty, &is_meant);
        if certainty == Certainty::Yes {
            all.push(format!("{shown} is {}.", names.join(" and ")));
        } else if certainty == Certainty::Maybe {
            let is_secret = names.iter().any(|name| name.contains("secret"));
            let advice = match (shown.contains('…'), is_secret) {
                (false, _) => "",
                // The value of a variable may be a secret itself.
                (true, true) => ": name the file that it reads",
                (true, false) => ": write out what is `…` here",
            };
            all.push(format!("{shown} may be {}{advice}.", names.join(" or ")));
        } else if let (Some(why), true) = (command.opaque, is_opaque || !laws.is_empty()) {
            all.push(format!("{shown} cannot be read ({why}): write the commands themselves."));
        } else if is_default && command.tables.is_empty() && command.opaque.is_none() {
            let shown = if words(command).is_empty() { "a command without words" } else { &shown };
            all.push(format!("No table of the policy names {shown}."));
        }
    }
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    if more > 0 {
        all.push(format!("{more} more of its commands are refused likewise."));
    }
    all
}

/// Adds the commands of a call to the document of its refusal.
pub(crate) fn add(document: &mut GateDocument, judge: &GateSolver, reading: &CallReading) {
    document.commands = reading.commands.iter().map(|command| self::document(judge, command)).collect();
}
