//! The automata of the symbolic engine and the monitors of the bounded one, conjunct by conjunct, compared with the
//! lasso semantics on random words.

use crate::cli::Folder;
use crate::gallery;
use crate::spec::tlsf;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::Path;
use tsl_synth_automata::ltl_to_monitor;
use tsl_synth_core::base::{Budget, Id, Limit};
use tsl_synth_core::logic::{
    Alphabet, BitId, Class, FormulaId, Guard, Guards, Lasso, LassoSemantics, Letter, Node, Normalizer,
};
use tsl_synth_core::model::{Contract, EmersonLei, Marks, Monitor, RunStateId};
use tsl_synth_engine::game::{
    AutomatonId, ColorCondition, ColorId, CompiledContract, FEW_STATES, GameRole, Sharing, compile_contract,
    conjunct_automaton,
};
use tsl_synth_formats::hoa::{HoaHeader, read_automaton, write_emerson_lei};
use tsl_synth_lang::spec::Problem;
use tsl_synth_testkit::{Rng, random_letter};

/// The limit of counted work for one conjunct.
const WORK: u64 = 1 << 19;
/// The most states of a monitor of the bounded engine, and of a printed automaton.
const STATES: usize = 256;

/// The conjuncts of all clauses in normal form, each once.
fn conjuncts(problem: &mut Problem) -> Vec<FormulaId> {
    let mut normalizer = Normalizer::new();
    let mut all = Vec::new();
    for clause in &problem.clauses {
        let f = normalizer.normalize(&mut problem.formulas, clause.formula, false);
        match problem.formulas.node(f) {
            Node::And(gs) => all.extend_from_slice(gs),
            _ => all.push(f),
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn with_memory(letter: &Letter, memory: &Letter) -> Letter {
    let mut both = letter.clone();
    both.union_with(memory);
    both
}

/// Whether the product accepts a word as the guarantees of a contract.
pub(crate) fn product_accepts(product: &CompiledContract, word: &Lasso) -> bool {
    let part = product.part(GameRole::Guarantee);
    let mut states: Vec<RunStateId> = product.automata.iter().map(|automaton| automaton.initial).collect();
    let (mut position, mut memory, mut history) = (0, Letter::new(), Vec::new());
    let mut seen: HashMap<(usize, Letter, Vec<RunStateId>), usize> = HashMap::new();
    let back = loop {
        if let Some(&back) = seen.get(&(position, memory.clone(), states.clone())) {
            break back;
        }
        seen.insert((position, memory.clone(), states.clone()), history.len());
        let mut accepting = Vec::new();
        let letter = with_memory(word.letter(position), &memory);
        for (state, automaton) in states.iter_mut().zip(&product.automata) {
            let edge = automaton.edge(*state, &letter);
            accepting.push(edge.accepting);
            *state = edge.next;
        }
        memory = product.memory.step(&letter);
        history.push(accepting);
        position = word.successor(position);
    };
    let infinitely = |color: ColorId| {
        history[back..].iter().any(|accepting| product.colors[color].holds(&|c| accepting[c.index()]))
    };
    let dead = |&c: &AutomatonId| Some(states[c.index()]) == product.automata[c].dead;
    !part.safety.iter().any(dead) && meets(&part.condition, &infinitely)
}

fn meets(condition: &ColorCondition, infinitely: &dyn Fn(ColorId) -> bool) -> bool {
    match condition {
        ColorCondition::True => true,
        ColorCondition::False => false,
        ColorCondition::Inf(color) => infinitely(*color),
        ColorCondition::Fin(color) => !infinitely(*color),
        ColorCondition::And(parts) => parts.iter().all(|part| meets(part, infinitely)),
        ColorCondition::Or(parts) => parts.iter().any(|part| meets(part, infinitely)),
    }
}

fn monitor_accepts(monitor: &Monitor, word: &Lasso) -> bool {
    let (mut state, mut position) = (monitor.initial, 0);
    for _ in 0..=monitor.states.len() * word.len() {
        state = monitor.step(state, word.letter(position));
        position = word.successor(position);
    }
    !monitor.states[state].dead
}

/// The automaton written as HOA and read back; `None` if the text would be too long, or its acceptance condition has
/// more clauses than the reader accepts.
fn read_back(alphabet: &Alphabet, automaton: &EmersonLei, name: &str) -> Option<EmersonLei> {
    let header = HoaHeader { name: name.to_owned(), tool_version: "0".into() };
    let text = write_emerson_lei(alphabet, automaton, &header)?;
    let read = match read_automaton(&text) {
        Err(error) if error.to_string().contains("an acceptance of more than") => return None,
        read => read.unwrap_or_else(|error| panic!("{error}\n{text}")),
    };
    assert_eq!(read.name.as_deref(), Some(name));
    Some(read.over(alphabet).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

/// Whether the run of a deterministic automaton on a word is accepting.
fn run_accepts(automaton: &EmersonLei, word: &Lasso) -> bool {
    let (mut state, mut position) = (automaton.initial[0], 0);
    let rounds = automaton.edges.len() * word.len() + 1;
    let mut seen = Marks::NONE;
    // The first half reaches the cycle, the second goes round it.
    for step in 0..2 * rounds {
        let mut taken = automaton.edges[state]
            .iter()
            .filter(|e| automaton.guards.contains(e.guard, word.letter(position)));
        let Some(edge) = taken.next() else { return false };
        assert_eq!(taken.next(), None, "deterministic");
        if step >= rounds {
            seen = seen.union(edge.marks);
        }
        (state, position) = (edge.next, word.successor(position));
    }
    automaton.acceptance.clauses.iter().any(|clause| seen.covers(clause.inf) && !seen.meets(clause.fin))
}

/// A random letter that satisfies a guard; if its bits are no code of an update, it is made canonical and may violate
/// the guard.
fn letter_in(rng: &mut Rng, alphabet: &Alphabet, guards: &Guards, guard: Guard) -> Letter {
    let mut letter: Letter = random_letter(rng, alphabet);
    let mut at = guard;
    while let Some((bit, low, high)) = guards.branch(at) {
        let value = match (low, high) {
            (Guard::FALSE, _) => true,
            (_, Guard::FALSE) => false,
            _ => rng.flip(),
        };
        if value {
            letter.insert(bit);
        } else {
            letter.remove(bit);
        }
        at = if value { high } else { low };
    }
    alphabet.canonical(&letter)
}

/// A random word: letters of some density, and letters on random walks through the automata, so that more words satisfy
/// the conjunct.
fn word(rng: &mut Rng, alphabet: &Alphabet, product: &CompiledContract) -> Lasso {
    let (prefix, cycle) = (rng.below(7), 1 + rng.below(5));
    let mut states: Vec<RunStateId> = product.automata.iter().map(|automaton| automaton.initial).collect();
    let (density, led) = (1 + rng.below(7), rng.below(4));
    let (mut letters, mut memory) = (Vec::new(), Letter::new());
    for _ in 0..prefix + cycle {
        let mut letter: Letter =
            (0..alphabet.bit_count()).filter(|_| rng.below(8) < density).map(BitId::from_index).collect();
        letter = alphabet.canonical(&letter);
        if !states.is_empty() && rng.below(4) < led {
            let id = AutomatonId::from_index(rng.below(states.len()));
            let automaton = &product.automata[id];
            let edges = &automaton.states[states[id.index()]];
            let live: Vec<_> = edges.iter().filter(|edge| Some(edge.next) != automaton.dead).collect();
            if !live.is_empty() {
                let edge = live[rng.below(live.len())];
                letter = letter_in(rng, alphabet, &automaton.guards, edge.guard);
                letter = letter.iter().filter(|bit| bit.index() < alphabet.bit_count()).collect();
            }
        }
        let known = with_memory(&letter, &memory);
        for (state, automaton) in states.iter_mut().zip(&product.automata) {
            *state = automaton.edge(*state, &known).next;
        }
        memory = product.memory.step(&known);
        letters.push(letter);
    }
    let cycle = letters.split_off(prefix);
    Lasso { prefix: letters, cycle }
}

/// What was compared.
#[derive(Debug, Default)]
struct Tally {
    conjuncts: usize,
    /// Conjuncts whose automata exist, and those with a monitor of the bounded engine.
    compiled: usize,
    monitors: usize,
    /// Conjuncts whose one automaton was printed and read back.
    printed: usize,
    words: usize,
    accepted: usize,
    /// Why the others have no automata.
    reasons: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

impl Tally {
    fn take(&mut self, name: &str, problem: &mut Problem, rng: &mut Rng, words: usize) {
        for f in conjuncts(problem) {
            self.conjuncts += 1;
            if let Err(limit) = self.compare(name, problem, f, rng, words) {
                *self.reasons.entry(limit.to_string()).or_default() += 1;
            }
        }
    }

    fn compare(
        &mut self,
        name: &str,
        problem: &mut Problem,
        f: FormulaId,
        rng: &mut Rng,
        words: usize,
    ) -> Result<(), Limit> {
        let Problem { formulas, alphabet, .. } = problem;
        let budget = || Budget::unlimited().with_work(WORK);
        let contract = Contract { guarantees: vec![f], ..Contract::default() };
        let product =
            compile_contract(formulas, alphabet, &contract, Sharing::Memory(FEW_STATES), &budget())?;
        self.compiled += 1;
        // The subset construction on alternating automata takes longer for a unit of work, as its guards are larger.
        let few = Budget::unlimited().with_work(WORK >> 8);
        let monitor = formulas
            .class(f)
            .is(Class::SAFETY)
            .then(|| ltl_to_monitor(formulas, alphabet, f, STATES, &few).ok())
            .flatten();
        self.monitors += usize::from(monitor.is_some());
        let printed = conjunct_automaton(formulas, alphabet, f, STATES, &budget()).ok();
        let printed =
            printed.and_then(|automaton| read_back(alphabet, &automaton, &formulas.display(f, alphabet)));
        self.printed += usize::from(printed.is_some());
        for _ in 0..words {
            let word = word(rng, alphabet, &product);
            let truth = LassoSemantics::new(formulas, alphabet, &word).holds(f);
            self.words += 1;
            self.accepted += usize::from(truth);
            if product_accepts(&product, &word) != truth {
                self.wrong.push(format!("{name}: automata of {} on {word:?}", formulas.display(f, alphabet)));
            }
            if printed.as_ref().is_some_and(|printed| run_accepts(printed, &word) != truth) {
                self.wrong.push(format!("{name}: printed {} on {word:?}", formulas.display(f, alphabet)));
            }
            if monitor.as_ref().is_some_and(|monitor| monitor_accepts(monitor, &word) != truth) {
                self.wrong.push(format!("{name}: monitor of {} on {word:?}", formulas.display(f, alphabet)));
            }
        }
        Ok(())
    }

    fn show(&self) -> String {
        let Self { conjuncts, compiled, monitors, printed, words, accepted, .. } = self;
        let mut text = format!(
            "{conjuncts} conjuncts, {compiled} compiled, {monitors} monitors, {printed} printed, {words} words, {accepted} accepted\n"
        );
        for (reason, count) in &self.reasons {
            let _ = writeln!(text, "  {count} not compiled: {reason}");
        }
        text + &self.wrong.join("\n")
    }
}

#[test]
fn monitors_of_the_gallery_agree_with_lasso_semantics() {
    let (mut tally, mut rng) = (Tally::default(), Rng(41));
    for path in gallery::gallery() {
        tally.take(&path.display().to_string(), &mut gallery::problem(&path), &mut rng, 24);
    }
    println!("{}", tally.show());
    assert!(tally.wrong.is_empty(), "{} wrong", tally.wrong.len());
    assert!(tally.compiled > 200 && tally.monitors > 100 && tally.printed > 200, "too little was compared");
    assert!((tally.words / 10..tally.words * 9 / 10).contains(&tally.accepted), "the words decide nothing");
}

/// The printed automata of one specification, compared with fixtures that were inspected by hand.
#[test]
fn monitors_are_printed() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/monitors");
    let folder = Folder::new();
    let spec = fixtures.join("desk.tsl");
    for lang in ["hoa", "dot"] {
        let run =
            folder.run(["emit", "--lang", lang, "--conjunct-automata", &spec.display().to_string()]).exits(0);
        let kept = fixtures.join(format!("desk.{lang}"));
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            let text = run.out.replace(env!("CARGO_PKG_VERSION"), "VERSION");
            std::fs::write(&kept, text).expect("a fixture");
        }
        let kept =
            std::fs::read_to_string(&kept).expect("a fixture").replace("VERSION", env!("CARGO_PKG_VERSION"));
        assert!(kept == run.out, "{lang}: run the test with UPDATE_FIXTURES=1 and look at the difference");
    }
    folder.run(["emit", "--lang", "js", "--conjunct-automata", &spec.display().to_string()]).exits(2);
    // A disjunction of 27 persistence properties under G: its diagrams would have 2²⁷ nodes.
    let collector = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/tlsf/collector_v1.tlsf");
    let collector = collector.display().to_string();
    let run =
        folder.run(["emit", "--lang", "hoa", "--conjunct-automata", "--param", "n=27", &collector]).exits(3);
    assert!(run.err.contains("nodes of diagrams"), "{}", run.err);
    // The automaton of the first guarantee would have 2¹⁴ states; that of the second is printed nevertheless.
    let late = format!("// inputs: r\n// outputs: g\nG (r -> {}g);\nG (r -> g);\n", "X ".repeat(14));
    folder.file("late.ltl", late);
    let run = folder.run(["emit", "--lang", "hoa", "--conjunct-automata", "late.ltl"]).exits(3);
    assert_eq!(run.out.matches("HOA: v1").count(), 1, "{}", run.out);
    assert!(run.err.contains("no automaton of guarantee 1"), "{}", run.err);
}

#[test]
#[ignore = "a campaign: see tests/README.md"]
fn campaign_monitors() {
    let Some(bench) = tlsf::bench() else { return };
    let (mut tally, mut unread) = (Tally::default(), 0);
    let files = tlsf::part_of(&bench);
    for (number, path) in files.iter().enumerate() {
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        // Printed first, to identify a benchmark that takes too much time or memory.
        println!("{name}");
        let text = std::fs::read_to_string(path).expect("a benchmark");
        let Ok(mut problem) = tlsf::load(&text, &[]) else {
            unread += 1;
            continue;
        };
        tally.take(name, &mut problem, &mut Rng(2026 + number as u64), 24);
    }
    println!("{} files, {unread} not read\n{}", files.len(), tally.show());
    assert!(tally.wrong.is_empty(), "{} wrong", tally.wrong.len());
    assert!(files.len() < 800 || tally.compiled > 5_000, "too little was compared");
}
