//! Shell commands as programs over letters: each command is a call, followed by its outcome before the script
//! continues; the outcome of the last command is that of the whole script.

use super::compiled::CompiledPolicy;
use super::letters::{bind as bind_name, two_of_a_group};
use super::observation::EventFault;
use super::program::{Arrow, BoundLetter, Last, Program, UNKNOWN_VALUE};
use crate::language::{ActionId, DefaultRuling, LawAtom, Match, PropositionId, ShellMatch, is_powershell};
use std::collections::BTreeMap;
use std::sync::Arc;
use tsl_synth_core::json_text;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::{CallOutcome, Pointer, ReadScripts};
use tsl_synth_shell::{
    CommandLetter, CommandPattern, ScriptEdge, ScriptState, ShellAutomaton, Unread, WantedFiles,
    argv_with_files, letter_automaton, powershell_with_files, script_with_files,
};

/// A table about shell commands whose conditions hold, or may hold, for a call.
pub(super) struct ShellTable<'t> {
    pub(super) table: &'t Match,
    pub(super) shell: &'t ShellMatch,
    /// The values that it binds.
    pub(super) bind: Vec<(String, String)>,
    /// Whether its conditions hold for sure; else it may match, and no more.
    pub(super) is_sure: bool,
}

/// A call whose arguments have shell commands.
pub(super) struct ShellCall<'t> {
    pub(super) compiled: &'t CompiledPolicy,
    pub(super) tables: &'t [ShellTable<'t>],
    pub(super) tool: &'t str,
    pub(super) arguments: &'t str,
    /// The scripts that were read for the call, if the policy permits that.
    pub(super) scripts: Option<&'t Arc<ReadScripts>>,
    /// The values that the tables about the whole call bind.
    pub(super) bindings: &'t [(String, String)],
}

/// The letters of a call with shell commands.
pub(super) struct ShellProgram {
    pub(super) program: Program,
    /// Whether each of its commands certainly has a table.
    pub(super) is_named: bool,
}

/// Tables that say the same of the commands that they match.
type Alike<'a, 't> = Vec<&'a ShellTable<'t>>;

/// A letter that a command may have, `None` for no letter, and its actions.
type Choice = (Option<BoundLetter>, Vec<ActionId>);

impl ShellCall<'_> {
    /// The program of the call: first the letter of the tables about the whole call, then the commands of each script.
    pub(super) fn program(&self, whole: Program, faults: &mut Vec<EventFault>) -> ShellProgram {
        let mut all = ShellProgram { program: whole, is_named: true };
        for place in pointers(self.tables.iter().map(|own| own.shell)) {
            let own: Vec<&ShellTable<'_>> =
                self.tables.iter().filter(|own| own.shell.pointer == *place).collect();
            let script = self.commands(&own, place, faults);
            all.is_named &= script.is_named;
            all.program = then(&all.program, script.program);
        }
        all
    }
    /// The letter of a command that tables of these kinds match.
    fn letter(
        &self,
        kinds: &[Alike<'_, '_>],
        matched: &[usize],
        command: &CommandLetter,
        opaque: bool,
    ) -> (Choice, Option<EventFault>) {
        let atoms = &self.compiled.policy.atoms;
        let (mut letter, mut actions, mut fault) = (Letter::default(), Vec::new(), None);
        let mut bind: BTreeMap<String, String> = self.bindings.iter().cloned().collect();
        let mut set: BTreeMap<PropositionId, bool> = BTreeMap::new();
        for own in matched.iter().filter_map(|&i| kinds[i].first()) {
            if let Some(action) = own.table.action {
                letter.insert(atoms.bit(LawAtom::Call(action)));
                if !actions.contains(&action) {
                    actions.push(action);
                }
            }
            for &(proposition, value) in &own.table.set {
                if set.insert(proposition, value).is_some_and(|before| before != value) {
                    let name = &atoms.propositions[proposition].name;
                    fault = Some(EventFault::Contradiction(format!("two tables disagree on `{name}`")));
                }
                if value {
                    letter.insert(atoms.bit(LawAtom::Proposition(proposition)));
                } else if atoms.propositions[proposition].is_state {
                    letter.insert(atoms.bit(LawAtom::Clear(proposition)));
                }
            }
            let of_files = own.shell.files.iter().map(|(name, written)| {
                let file = if *written { &command.written } else { &command.read };
                (name.clone(), file.clone().unwrap_or_else(|| UNKNOWN_VALUE.to_owned()))
            });
            for (name, value) in own.bind.iter().cloned().chain(of_files) {
                if bind_name(&mut bind, &name, value) {
                    let what = format!("two tables bind `{name}` to different values");
                    fault = Some(EventFault::Contradiction(what));
                }
            }
        }
        let fault = fault.or_else(|| two_of_a_group(self.compiled, &actions, "one command may be"));
        if opaque {
            letter.insert(atoms.bit(LawAtom::Opaque));
        }
        let bindings = bind.into_iter().collect();
        let bound = BoundLetter { letter, bindings, amounts: Vec::new() };
        (((!bound.letter.is_empty()).then_some(bound), actions), fault)
    }
    /// The possible letters of a command: of the patterns that surely match together with each set of others that may
    /// match. A set of which two tables disagree is a fault.
    fn letters(
        &self,
        kinds: &[Alike<'_, '_>],
        command: &CommandLetter,
        faults: &mut Vec<EventFault>,
    ) -> Vec<Choice> {
        let mut tables = kinds.iter().flatten();
        let opaque = command.opaque && tables.any(|own| own.shell.opaque != DefaultRuling::Allow);
        let sets = command.together.clone().or_else(|| subsets(&command.maybe));
        let sets = sets.unwrap_or_else(|| {
            faults.push(EventFault::TooManyWays("a command may match too many sets of tables".into()));
            vec![Vec::new(), command.maybe.clone()]
        });
        let mut all = Vec::new();
        for set in sets {
            let mut matched: Vec<usize> = command.sure.iter().copied().chain(set).collect();
            matched.sort_unstable();
            let (choice, fault) = self.letter(kinds, &matched, command, opaque);
            faults.extend(fault.filter(|fault| !faults.contains(fault)));
            if !all.contains(&choice) {
                all.push(choice);
            }
        }
        all
    }
    /// The commands of one script.
    fn commands(
        &self,
        tables: &[&ShellTable<'_>],
        place: &Pointer,
        faults: &mut Vec<EventFault>,
    ) -> ShellProgram {
        let kinds = kinds(tables);
        let patterns: Vec<CommandPattern<'_>> = kinds.iter().map(|kind| pattern(kind)).collect();
        let is_allowed = tables.iter().all(|own| own.shell.opaque == DefaultRuling::Allow);
        let unread = if is_allowed { Unread::GoesOn } else { Unread::MayLeave };
        let automaton =
            letter_automaton(&script_at(place, self.tool, self.arguments, self.scripts, unread).0, &patterns);
        let of_letters: Vec<Vec<Choice>> =
            automaton.letters.iter().map(|command| self.letters(&kinds, command, faults)).collect();
        // What is opaque is judged as such.
        let is_named = |edge: &ScriptEdge| {
            let command = &automaton.letters[edge.letter];
            command.named || command.opaque
        };
        let is_named = automaton.states.iter().flat_map(|state| &state.edges).all(is_named);
        let mut program = Program { arrows: vec![Vec::new(); automaton.states.len()], last: Vec::new() };
        for (at, state) in automaton.states.iter().enumerate() {
            if at == 0 && (state.ends_ok || state.ends_failed) {
                // Without any command it ends only as its exit status says.
                program.last.push(Last {
                    state: 0,
                    actions: Vec::new(),
                    on_ok: state.ends_ok.then_some(CallOutcome::Ok),
                    on_failed: state.ends_failed.then_some(CallOutcome::Failed),
                });
            }
            // Edges with the same command share one call, whose outcome determines the edge.
            let mut called: BTreeMap<(usize, usize), usize> = BTreeMap::new();
            for edge in &state.edges {
                for (choice, (letter, actions)) in of_letters[edge.letter].iter().enumerate() {
                    let called = *called.entry((edge.letter, choice)).or_insert_with(|| {
                        program.arrows.push(Vec::new());
                        let to = program.arrows.len() - 1;
                        program.arrows[at].push(Arrow { to, letter: letter.clone() });
                        to
                    });
                    let target = &automaton.states[edge.to];
                    if !target.edges.is_empty() {
                        let bindings = letter.as_ref().map_or(&[][..], |letter| &letter.bindings);
                        goes_on(self.compiled, &mut program, called, edge, actions, bindings);
                    }
                    if target.ends_ok || target.ends_failed {
                        ends(&mut program, called, edge, target, actions);
                    }
                }
            }
        }
        ShellProgram { program, is_named }
    }
}

/// The pointers of some tables to shell commands, each once, in the order of the tables.
pub(super) fn pointers<'t>(tables: impl Iterator<Item = &'t ShellMatch>) -> Vec<&'t Pointer> {
    let mut all: Vec<&Pointer> = Vec::new();
    for table in tables {
        if !all.contains(&&table.pointer) {
            all.push(&table.pointer);
        }
    }
    all
}

/// The automaton of the script at a pointer into the arguments of a call. A value that is neither a text nor a list of
/// words cannot be read. `scripts` are the files that were read; the second result names those that are missing.
pub(super) fn script_at(
    place: &Pointer,
    tool: &str,
    arguments: &str,
    scripts: Option<&Arc<ReadScripts>>,
    unread: Unread,
) -> (ShellAutomaton, WantedFiles) {
    let inner = place.within("arguments").unwrap_or_else(|| place.clone());
    let found = json_text::at(&inner, arguments).ok().flatten();
    match found.map(|found| (found.string(), found.strings())) {
        Some((Some(text), _)) if is_powershell(tool) => powershell_with_files(&text, scripts, unread),
        Some((Some(text), _)) => script_with_files(&text, scripts, unread),
        Some((None, Some(words))) => argv_with_files(&words, scripts, unread),
        // A list without words is opaque.
        _ => argv_with_files(&[], scripts, unread),
    }
}

/// The most kinds of tables of which all sets are tried.
const MOST_KINDS: usize = 5;

/// The tables, those that say the same taken together.
fn kinds<'a, 't>(tables: &[&'a ShellTable<'t>]) -> Vec<Alike<'a, 't>> {
    let mut kinds: Vec<Alike<'a, 't>> = Vec::new();
    for &own in tables {
        let says_same = |kind: &&mut Alike<'_, '_>| {
            let other = kind[0];
            (own.table.action, &own.table.set, &own.bind, &own.shell.files, own.is_sure)
                == (other.table.action, &other.table.set, &other.bind, &other.shell.files, other.is_sure)
        };
        match kinds.iter_mut().find(says_same) {
            Some(kind) => kind.push(own),
            None => kinds.push(vec![own]),
        }
    }
    kinds
}

/// What the tables of a kind say about commands.
fn pattern<'t>(kind: &Alike<'_, 't>) -> CommandPattern<'t> {
    CommandPattern {
        any: kind.iter().map(|own| &own.shell.clause).collect(),
        asks_for_files: kind.iter().any(|own| !own.shell.files.is_empty()),
        is_sure: kind.iter().all(|own| own.is_sure),
    }
}

/// All sets of these kinds; `None` if there are too many.
fn subsets(maybe: &[usize]) -> Option<Vec<Vec<usize>>> {
    let chosen = |code: usize| {
        let chosen = maybe.iter().enumerate().filter(move |(k, _)| code >> k & 1 == 1);
        chosen.map(|(_, &kind)| kind).collect()
    };
    (maybe.len() <= MOST_KINDS).then(|| (0..1_usize << maybe.len()).map(chosen).collect())
}

/// The concatenation of two programs, of which the first has at most one letter.
fn then(first: &Program, second: Program) -> Program {
    let Some(letter) = first.only_letter() else { return second };
    let mut program = second;
    let begin = program.arrows.len();
    program.arrows.push(Vec::new());
    // State 0 is the initial state, so the old state 0 is moved to a new index.
    program.arrows.swap(0, begin);
    let moved = |state: usize| if state == 0 { begin } else { state };
    for arrow in program.arrows.iter_mut().flatten() {
        arrow.to = moved(arrow.to);
    }
    for last in &mut program.last {
        last.state = moved(last.state);
    }
    program.arrows[0] = vec![Arrow { to: begin, letter: Some(letter.clone()) }];
    program
}

/// Adds the outcomes after which the script continues along an edge.
fn goes_on(
    compiled: &CompiledPolicy,
    program: &mut Program,
    called: usize,
    edge: &ScriptEdge,
    actions: &[ActionId],
    bindings: &[(String, String)],
) {
    let atoms = &compiled.policy.atoms;
    for (outcome, ok) in [(CallOutcome::Ok, true), (CallOutcome::Failed, false)] {
        if !edge.outcome.allows(ok) {
            continue;
        }
        let mut ended = Letter::default();
        for &action in actions {
            ended.insert(atoms.bit(LawAtom::Result(action, outcome)));
        }
        let letter = (!ended.is_empty()).then(|| BoundLetter {
            letter: ended,
            bindings: bindings.to_vec(),
            amounts: Vec::new(),
        });
        let arrow = Arrow { to: edge.to, letter };
        if !program.arrows[called].contains(&arrow) {
            program.arrows[called].push(arrow);
        }
    }
}

/// Adds the ends of a script after a command, one for each outcome of the command: after `pytest; exit 0` the script has
/// succeeded whether or not the tests passed.
fn ends(program: &mut Program, called: usize, edge: &ScriptEdge, target: &ScriptState, actions: &[ActionId]) {
    let last = |on_ok, on_failed| Last {
        state: called,
        actions: actions.to_vec(),
        on_ok: target.ends_ok.then_some(on_ok),
        on_failed: target.ends_failed.then_some(on_failed),
    };
    if actions.is_empty() {
        // No action has the outcome of the command, so that one end is enough for both outcomes.
        return end(program, last(CallOutcome::Ok, CallOutcome::Failed));
    }
    for (outcome, ok) in [(CallOutcome::Ok, true), (CallOutcome::Failed, false)] {
        if edge.outcome.allows(ok) {
            end(program, last(outcome, outcome));
        }
    }
}

/// Adds an end; it is merged with an end in the same state if they do not contradict each other.
fn end(program: &mut Program, last: Last) {
    let agree = |a: Option<CallOutcome>, b: Option<CallOutcome>| a.is_none() || b.is_none() || a == b;
    let known = program.last.iter_mut().find(|known| {
        known.state == last.state && agree(known.on_ok, last.on_ok) && agree(known.on_failed, last.on_failed)
    });
    match known {
        Some(known) => {
            known.on_ok = known.on_ok.or(last.on_ok);
            known.on_failed = known.on_failed.or(last.on_failed);
        }
        None => program.last.push(last),
    }
}
