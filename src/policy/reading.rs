//! What the tables of a policy see in a call: the simple commands of its scripts, and which tables match each of them.

use super::compiled::CompiledPolicy;
use super::event_tables::{FoundValues, Held};
use super::interpret::{Interpreter, arguments_text};
use super::script::{pointers, script_at};
use super::tool_name::ToolName;
use crate::language::{EventKind, Match, ShellMatch};
use tsl_synth_core::model::{HostEvent, HostEventKind};
use tsl_synth_shell::{
    Certainty, CommandPattern, Disturbance, Exported, ShellCommand, ShellWord, Unread, WantedFiles,
    WordPiece, command_letter, disturbance,
};

/// The longest text of a word.
const LONGEST_WORD: usize = 60;
/// The longest text of a command.
const LONGEST: usize = 160;

/// A simple command of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandReading {
    /// Its words, then those of the command that it runs, and so on: `sudo git push`, `git push`. What is not known before
    /// it runs is `…`; long texts are cut.
    pub words: Vec<String>,
    /// Why it may do more than its words show.
    pub opaque: Option<&'static str>,
    /// The tables that match, or may match, by their numbers in the policy.
    pub tables: Vec<(usize, Certainty)>,
    /// Tables that do not match although the words of their patterns stand in the command in this order, with the first
    /// word between them that the pattern does not permit.
    pub near: Vec<(usize, String)>,
}

impl CommandReading {
    /// How sure it is that one of its tables is among these.
    pub fn certainty(&self, is_meant: impl Fn(usize) -> bool) -> Certainty {
        let own = self.tables.iter().filter(|(table, _)| is_meant(*table));
        own.map(|(_, certainty)| *certainty).max().unwrap_or(Certainty::No)
    }
}

/// What the tables of a policy see in a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallReading {
    /// The tables that match the call as a whole, by their numbers in the policy.
    pub tables: Vec<usize>,
    /// The simple commands of its scripts, in their order; equal ones are there once.
    pub commands: Vec<CommandReading>,
}

fn cut(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    text.chars().take(longest - 1).chain(['…']).collect()
}

/// A word as a person would write it, with `…` for what is not known.
fn word_text(word: &ShellWord) -> String {
    let pieces = word.pieces.iter().map(|piece| match piece {
        WordPiece::Text(text) => text.as_str(),
        _ => "…",
    });
    let text: String = pieces.collect();
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"'\"\\$`;&|<>()*?#".contains(c);
    if text.is_empty() {
        return "''".into();
    }
    let text = cut(&text, LONGEST_WORD);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace(char::is_control, " ")) }
}

fn words_text(words: &[ShellWord]) -> String {
    let words: Vec<String> = words.iter().map(word_text).collect();
    cut(&words.join(" "), LONGEST)
}

/// A table about commands whose conditions hold, or may hold.
#[derive(Clone, Copy)]
struct HeldTable<'c> {
    /// Its number in the policy.
    number: usize,
    shell: &'c ShellMatch,
    /// Whether its conditions hold for sure.
    is_sure: bool,
}

impl<'c> HeldTable<'c> {
    fn pattern(&self) -> CommandPattern<'c> {
        CommandPattern { any: vec![&self.shell.clause], asks_for_files: false, is_sure: self.is_sure }
    }
}

/// A probe whose answer tables ask for about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedProbe {
    /// Its number in the policy.
    pub probe: usize,
    /// Why an answer says nothing about the call, if that is so.
    pub useless: Option<String>,
}

/// Why an answer says nothing about a call.
fn why_useless(found: &Disturbance<'_>) -> String {
    let words = found.command.views.last().map(|view| words_text(view)).unwrap_or_default();
    let shown = if words.is_empty() { "a part of the command".to_owned() } else { format!("`{words}`") };
    if found.is_elsewhere {
        format!("{shown} may run in another folder or with other variables than the probe")
    } else {
        format!("{shown} in the same call may change what it finds; propose that in a call of its own")
    }
}

/// A simple command as these tables see it.
fn read_command(command: &ShellCommand, tables: &[HeldTable<'_>], exported: &Exported) -> CommandReading {
    let patterns: Vec<CommandPattern<'_>> = tables.iter().map(HeldTable::pattern).collect();
    let letter = command_letter(command, &patterns, exported);
    let of = |places: &[usize], certainty: Certainty| -> Vec<(usize, Certainty)> {
        places.iter().map(|&place| (tables[place].number, certainty)).collect()
    };
    let mut matched = of(&letter.sure, Certainty::Yes);
    matched.extend(of(&letter.maybe, Certainty::Maybe));
    matched.sort_unstable();
    let near = tables.iter().filter_map(|HeldTable { number, shell, .. }| {
        let between = command.views.iter().find_map(|view| shell.clause.stands_between(view))?;
        matched.iter().all(|(own, _)| own != number).then(|| (*number, word_text(between)))
    });
    let near = near.collect();
    CommandReading {
        words: command.views.iter().map(|view| words_text(view)).collect(),
        opaque: command.opaque,
        tables: matched,
        near,
    }
}

impl Interpreter {
    /// The files that have to be read before a proposed call can be decided, besides those that were read: the scripts that
    /// it runs, and the files that it writes.
    pub fn wanted_files(&self, compiled: &CompiledPolicy, event: &HostEvent<'_>) -> WantedFiles {
        let mut wanted = WantedFiles::default();
        let (HostEventKind::Call { server, tool, arguments, .. }, true) =
            (&event.kind, compiled.policy.read_scripts)
        else {
            return wanted;
        };
        let text = arguments_text(arguments);
        let tables = self.about_tool(compiled, EventKind::Call, server.as_deref(), tool);
        for place in pointers(tables.iter().filter_map(|(_, table)| table.shell.as_ref())) {
            wanted.add(script_at(place, tool, text.as_str(), event.scripts.as_ref(), Unread::MayLeave).1);
        }
        wanted
    }
    /// The probes whose answers decide whether a table is about a proposed call.
    pub fn wanted_probes(&self, compiled: &CompiledPolicy, event: &HostEvent<'_>) -> Vec<WantedProbe> {
        let policy = &compiled.policy;
        let (HostEventKind::Call { server, tool, arguments, .. }, false) =
            (&event.kind, policy.probes.is_empty())
        else {
            return Vec::new();
        };
        let text = arguments_text(arguments);
        let (tables, text) = (self.tables(), text.as_str());
        let found = tables.arguments.lookup.find(text);
        let found = found.unwrap_or_else(|_| vec![None; tables.arguments.pointers.len()]);
        let name = ToolName::new(server.as_deref(), tool);
        let host = [Some(name.tool), name.server];
        let said = Some(self.said());
        let values =
            FoundValues { text, arguments: &found, result: &[], event: &[], probes: &[], host, said };
        let mut asking = self.about_tool(compiled, EventKind::Call, server.as_deref(), tool);
        asking.retain(|&(i, table)| matches!(tables.hold(i, table, &values), Held::Unanswered(_)));
        let scripts = event.scripts.as_ref().filter(|_| policy.read_scripts);
        let mut wanted = Vec::new();
        for (probe, own) in policy.probes.iter().enumerate() {
            let asks = |table: &Match| {
                let mut pointers = table.conditions.iter().map(|one| &one.pointer);
                pointers.any(|pointer| policy.probe_at(pointer).is_some_and(|other| other.name == own.name))
            };
            let asking: Vec<&Match> =
                asking.iter().map(|(_, table)| *table).filter(|table| asks(table)).collect();
            let mut is_wanted = asking.iter().any(|table| table.shell.is_none());
            let mut useless = None;
            for place in pointers(asking.iter().filter_map(|table| table.shell.as_ref())) {
                let script = script_at(place, tool, text, scripts, Unread::MayLeave).0;
                let exported = Exported::of(&script);
                let clauses = asking.iter().filter_map(|table| table.shell.as_ref());
                let clauses: Vec<_> = clauses.filter(|own| own.pointer == *place).collect();
                let asks = |command: &ShellCommand| {
                    command.opaque.is_some()
                        || clauses.iter().any(|own| own.clause.matches(command, &exported) != Certainty::No)
                };
                let asks: Vec<bool> = script.letters.iter().map(asks).collect();
                if asks.contains(&true) {
                    is_wanted = true;
                    let found = disturbance(&script, &asks, &own.unchanged_by, own.folder.is_some());
                    useless = useless.or(found.map(|found| why_useless(&found)));
                }
            }
            if is_wanted {
                wanted.push(WantedProbe { probe, useless });
            }
        }
        wanted
    }
    /// What the tables see in a proposed call.
    pub fn reading(&self, compiled: &CompiledPolicy, event: &HostEvent<'_>) -> CallReading {
        let HostEventKind::Call { server, tool, arguments, .. } = &event.kind else {
            return CallReading::default();
        };
        let text = arguments_text(arguments);
        let (tables, text) = (self.tables(), text.as_str());
        let found = tables.arguments.lookup.find(text);
        let found = found.unwrap_or_else(|_| vec![None; tables.arguments.pointers.len()]);
        let name = ToolName::new(server.as_deref(), tool);
        let host = [Some(name.tool), name.server];
        let answers = tables.probe_answers(event);
        let probes = tables.probes.lookup.find(&answers).unwrap_or_default();
        let said = Some(self.said());
        let values =
            FoundValues { text, arguments: &found, result: &[], event: &[], probes: &probes, host, said };
        let held = self.about_tool(compiled, EventKind::Call, server.as_deref(), tool);
        let held = held.into_iter().map(|(i, table)| (i, table, tables.hold(i, table, &values)));
        let held: Vec<_> = held.filter(|(.., held)| *held != Held::No).collect();
        let whole = held.iter().filter(|(_, table, _)| table.shell.is_none()).map(|(i, ..)| *i).collect();
        let shell: Vec<HeldTable<'_>> = held
            .iter()
            .filter_map(|&(number, table, held)| {
                let is_sure = !matches!(held, Held::Unanswered(_));
                Some(HeldTable { number, shell: table.shell.as_ref()?, is_sure })
            })
            .collect();
        let scripts = event.scripts.as_ref().filter(|_| compiled.policy.read_scripts);
        let mut reading = CallReading { tables: whole, commands: Vec::new() };
        for place in pointers(shell.iter().map(|own| own.shell)) {
            let own: Vec<HeldTable<'_>> =
                shell.iter().filter(|own| own.shell.pointer == *place).copied().collect();
            let script = script_at(place, tool, text, scripts, Unread::MayLeave).0;
            let exported = Exported::of(&script);
            for command in &script.letters {
                let command = read_command(command, &own, &exported);
                if !reading.commands.contains(&command) {
                    reading.commands.push(command);
                }
            }
        }
        reading
    }
}
