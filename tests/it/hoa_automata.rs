//! Automata in HOA: written and read again, acceptance conditions of every shape, hostile headers.

use crate::automaton::accepts;
use std::fmt::Write;
use tsl_synth_automata::{components, emerson_lei_to_buchi, ltl_to_buchi};
use tsl_synth_core::base::{Budget, Id, LimitKind};
use tsl_synth_core::logic::{Alphabet, Formulas, Lasso, LassoSemantics, Letter};
use tsl_synth_core::model::{Acceptance, AcceptanceClause, EmersonLei, Marks};
use tsl_synth_formats::hoa::{HoaHeader, read_automaton, write_emerson_lei};
use tsl_synth_testkit::{Rng, random_formula, random_lasso, small_alphabet};

/// Whether an automaton accepts a lasso: for some clause, a reachable cycle without edges in its `Fin` sets and with an
/// edge in each of its `Inf` sets.
fn accepts_by_clauses(automaton: &EmersonLei, word: &Lasso) -> bool {
    let m = word.len();
    let mut edges = Vec::new();
    for (q, out) in automaton.edges.enumerate() {
        for i in 0..m {
            for e in out.iter().filter(|e| automaton.guards.contains(e.guard, word.letter(i))) {
                edges.push((q.index() * m + i, e.next.index() * m + word.successor(i), e.marks));
            }
        }
    }
    let graph = |fin: Marks| {
        let mut successors = vec![Vec::new(); automaton.edges.len() * m];
        for &(v, w, _) in edges.iter().filter(|(_, _, marks)| !marks.meets(fin)) {
            successors[v].push(w);
        }
        successors
    };
    let all = graph(Marks::NONE);
    let mut reached = vec![false; all.len()];
    let mut stack: Vec<usize> = automaton.initial.iter().map(|q| q.index() * m).collect();
    while let Some(v) = stack.pop() {
        if !std::mem::replace(&mut reached[v], true) {
            stack.extend(&all[v]);
        }
    }
    automaton.acceptance.clauses.iter().any(|&AcceptanceClause { inf, fin }| {
        let component = components(&graph(fin));
        component.iter().any(|c| {
            let inside = edges.iter().filter(|&&(v, w, marks)| {
                reached[v] && component[v] == c && component[w] == c && !marks.meets(fin)
            });
            let marks: Vec<Marks> = inside.map(|&(_, _, marks)| marks).collect();
            !marks.is_empty() && marks.into_iter().fold(Marks::NONE, Marks::union).covers(inf)
        })
    })
}

#[test]
fn what_is_written_is_read_again() {
    let mut rng = Rng(11);
    let mut accepted = 0;
    for round in 0..400 {
        let alphabet = small_alphabet(round % 2 == 0);
        let mut formulas = Formulas::new();
        let size = 2 + rng.below(9);
        let f = random_formula(&mut rng, &mut formulas, &alphabet, size);
        let budget = Budget::unlimited();
        let automaton = ltl_to_buchi(&mut formulas, &alphabet, f, 10_000, &budget).expect("small");
        let name = formulas.display(f, &alphabet);
        let header = HoaHeader { name: name.clone(), tool_version: "0".into() };
        let clause = AcceptanceClause { inf: Marks::all(automaton.sets), fin: Marks::NONE };
        let automaton = EmersonLei {
            guards: automaton.guards,
            edges: automaton.edges,
            initial: automaton.initial,
            acceptance: Acceptance { sets: automaton.sets, clauses: vec![clause] },
        };
        let text = write_emerson_lei(&alphabet, &automaton, &header).expect("short labels");
        let read = read_automaton(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(read.name.as_deref(), Some(&name[..]));
        let read = read.over(&alphabet).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let back = emerson_lei_to_buchi(&read, 10_000, &budget).expect("small");
        for _ in 0..10 {
            let word = random_lasso(&mut rng, &alphabet);
            let truth = LassoSemantics::new(&formulas, &alphabet, &word).holds(f);
            assert_eq!(accepts_by_clauses(&read, &word), truth, "{word:?}\n{text}");
            assert_eq!(accepts(&back, &word), truth, "{word:?}\n{text}");
            accepted += usize::from(truth);
        }
    }
    assert!(accepted > 800, "{accepted}");
}

/// An acceptance condition of HOA, before normalization.
enum Condition {
    Constant(bool),
    Inf { set: usize, complemented: bool },
    Fin { set: usize, complemented: bool },
    And(Box<[Condition; 2]>),
    Or(Box<[Condition; 2]>),
}

impl Condition {
    fn random(rng: &mut Rng, sets: usize, depth: usize) -> Self {
        match rng.below(if depth == 0 { 5 } else { 10 }) {
            0 if rng.flip() => Self::Constant(rng.flip()),
            0..3 => Self::Inf { set: rng.below(sets), complemented: rng.below(4) == 0 },
            3..5 => Self::Fin { set: rng.below(sets), complemented: rng.below(4) == 0 },
            n => {
                let both = Box::new([(); 2].map(|()| Self::random(rng, sets, depth - 1)));
                if n < 8 { Self::And(both) } else { Self::Or(both) }
            }
        }
    }
    /// With parentheses only where they are needed; `&` binds more tightly.
    fn text(&self) -> String {
        let not = |complemented: bool| if complemented { "!" } else { "" };
        let factor = |c: &Self| if matches!(c, Self::Or(_)) { format!("({})", c.text()) } else { c.text() };
        match self {
            Self::Constant(value) => if *value { "t" } else { "f" }.into(),
            Self::Inf { set, complemented } => format!("Inf({}{set})", not(*complemented)),
            Self::Fin { set, complemented } => format!("Fin({}{set})", not(*complemented)),
            Self::And(both) => format!("{}&{}", factor(&both[0]), factor(&both[1])),
            Self::Or(both) => format!("{} | {}", both[0].text(), both[1].text()),
        }
    }
    /// Whether a run is accepting; `again` has the sets of each edge that it takes infinitely often.
    fn holds(&self, again: &[Vec<usize>]) -> bool {
        let met = |set: usize, complemented: bool| again.iter().any(|e| e.contains(&set) != complemented);
        match self {
            Self::Constant(value) => *value,
            Self::Inf { set, complemented } => met(*set, *complemented),
            Self::Fin { set, complemented } => !met(*set, *complemented),
            Self::And(both) => both.iter().all(|c| c.holds(again)),
            Self::Or(both) => both.iter().any(|c| c.holds(again)),
        }
    }
}

/// The letters over two propositions, written in different ways.
const LABELS: [&str; 4] = ["[!@a&!1]", "[0&!1]", "[!@a & (1|f)]", "[@ab]"];

/// A complete deterministic automaton over two propositions: per state and letter the next state and sets.
struct Table {
    states: Vec<[(usize, Vec<usize>); 4]>,
    on_states: bool,
}

impl Table {
    fn random(rng: &mut Rng, sets: usize) -> Self {
        let n = 1 + rng.below(4);
        let on_states = rng.flip();
        let some = |rng: &mut Rng| (0..sets).filter(|_| rng.below(3) == 0).collect::<Vec<_>>();
        let state = |_| {
            let of_state = some(rng);
            [(); 4].map(|()| (rng.below(n), if on_states { of_state.clone() } else { some(rng) }))
        };
        Self { states: (0..n).map(state).collect(), on_states }
    }
    fn text(&self, rng: &mut Rng, sets: usize, condition: &Condition) -> String {
        let braces = |sets: &[usize]| {
            let sets: Vec<String> = sets.iter().map(usize::to_string).collect();
            if sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(" ")) }
        };
        let mut out = format!(
            "HOA: v1\nStates: {}\nStart: 0\nAP: 2 \"a\" \"b\"\nAlias: @a 0\nAlias: @ab @a & 1\n\
             Acceptance: {sets} {}\n--BODY--\n",
            self.states.len(),
            condition.text()
        );
        for (q, edges) in self.states.iter().enumerate() {
            let of_state = if self.on_states { braces(&edges[0].1) } else { String::new() };
            writeln!(out, "State: {q}{of_state}").unwrap();
            let implicit = rng.flip();
            for (letter, (next, marks)) in edges.iter().enumerate() {
                let label = if implicit { "" } else { LABELS[letter] };
                let marks = if self.on_states { String::new() } else { braces(marks) };
                writeln!(out, "{label} {next}{marks}").unwrap();
            }
        }
        out + "--END--\n"
    }
    /// The sets of the edges that the run takes infinitely often.
    fn again(&self, word: &Lasso, letter: impl Fn(&Letter) -> usize) -> Vec<Vec<usize>> {
        let (mut q, mut i, mut again) = (0, 0, Vec::new());
        let enough = word.len() * (self.states.len() + 1);
        for step in 0..2 * enough {
            let (next, sets) = &self.states[q][letter(word.letter(i))];
            if step >= enough {
                again.push(sets.clone());
            }
            (q, i) = (*next, word.successor(i));
        }
        again
    }
}

#[test]
fn conditions_of_every_shape_mean_what_they_say() {
    let mut alphabet = Alphabet::new();
    let (a, b) = (alphabet.add_input("a"), alphabet.add_input("b"));
    let code = |l: &Letter| usize::from(alphabet.holds(a, l)) + 2 * usize::from(alphabet.holds(b, l));
    let mut rng = Rng(12);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..600 {
        let sets = 1 + rng.below(4);
        let condition = Condition::random(&mut rng, sets, 3);
        let table = Table::random(&mut rng, sets);
        let text = table.text(&mut rng, sets, &condition);
        let read = read_automaton(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let read = read.over(&alphabet).expect("the same names");
        let buchi = emerson_lei_to_buchi(&read, 10_000, &Budget::unlimited()).expect("small");
        for _ in 0..10 {
            let word = random_lasso(&mut rng, &alphabet);
            let truth = condition.holds(&table.again(&word, code));
            assert_eq!(accepts_by_clauses(&read, &word), truth, "{word:?}\n{text}");
            assert_eq!(accepts(&buchi, &word), truth, "{word:?}\n{text}");
            if truth { accepted += 1 } else { refused += 1 }
        }
    }
    assert!(accepted > 1000 && refused > 1000, "{accepted} accepted, {refused} refused");
}

const HEAD: &str = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 1 Inf(0)\n--BODY--\n";

#[test]
fn small_things() {
    let body = "State: 0\n[0] 0 {0}\n[!0] 0\n--END--\n";
    let read = read_automaton(&format!("{HEAD}{body}")).expect("HOA");
    assert_eq!(read.automaton.acceptance.sets, 1);
    // Version 1.1 has dots in names of headers and aliases.
    let dotted = format!("{HEAD}{body}").replace("HOA: v1\n", "HOA: v1.1\nspot.highlight.states: 0 5\n");
    let dotted = dotted.replace("--BODY--", "Alias: @a.1-x 0\n--BODY--").replace("[0]", "[@a.1-x]");
    let dotted = read_automaton(&dotted.replace("[!0]", "[!@a.1-x]")).expect("HOA");
    let mut small = Alphabet::new();
    small.add_input("a");
    let written =
        |automaton| write_emerson_lei(&small, automaton, &HoaHeader::default()).expect("short labels");
    assert_eq!(written(&dotted.automaton), written(&read.automaton));
    // Without initial states the language is empty.
    let none = read_automaton(&format!("{HEAD}{body}").replace("Start: 0\n", "")).expect("HOA");
    assert!(none.automaton.initial.is_empty());
    // Unsatisfiable clauses are removed, and those that imply another one.
    let clauses = |condition: &str| {
        let text = format!("{HEAD}{body}").replace("1 Inf(0)", condition);
        read_automaton(&text)
            .unwrap_or_else(|e| panic!("{e}: {condition}"))
            .automaton
            .acceptance
            .clauses
            .len()
    };
    assert_eq!(clauses("1 Inf(0)&Fin(0)"), 0);
    assert_eq!(clauses("2 Inf(0)|Inf(0)&Inf(1)"), 1);
    assert_eq!(clauses("3 (Fin(0)&Inf(1))|Fin(2)|Inf(0)"), 3);
    assert_eq!(clauses("2 (t|Fin(0))&(f|Inf(1))"), 1);
    let mut other = Alphabet::new();
    other.add_input("b");
    assert!(read.over(&other).is_err(), "a proposition of nobody");
    let limit = emerson_lei_to_buchi(&read.automaton, 1, &Budget::unlimited()).unwrap_err();
    assert_eq!(limit.kind, LimitKind::Size);
}

#[test]
fn hostile_headers_are_refused_quickly() {
    let body = "State: 0\n[t] 0 {0}\n--END--";
    let whole = format!("{HEAD}{body}");
    assert!(read_automaton(&whole).is_ok());
    let cases: Vec<(&str, String, &str)> = vec![
        ("Acceptance: 1 Inf(0)\n", String::new(), "is not declared"),
        ("1 Inf(0)", "4000000000 Inf(0)".into(), "too large"),
        ("1 Inf(0)", "65 Inf(0)".into(), "more than 64"),
        ("1 Inf(0)", "1 Inf(1)".into(), "not declared"),
        ("1 Inf(0)", "1 Inf(0".into(), "expected `)`"),
        ("1 Inf(0)", "1 (Inf(0)".into(), "not closed"),
        ("1 Inf(0)", "1 Inf(0)&".into(), "expected `Inf`"),
        ("1 Inf(0)", "1 Oft(0)".into(), "no acceptance"),
        ("1 Inf(0)", format!("1 {}Inf(0)", "(".repeat(1_000_000)), "nests deeper"),
        ("1 Inf(0)", format!("1 Inf(0){}", "|Fin(0)&Inf(0)".repeat(20_000)), ""),
        ("Start: 0", "Start: 0&0".into(), "universal branching"),
        ("[t] 0", "[t] 0&0".into(), "universal branching"),
        ("{0}", "{0 1}".into(), "not declared"),
        ("[t] 0", "0".into(), "not one per letter"),
        ("States: 1", "States: 4000000000".into(), "too large"),
        ("States: 1", "States: 2000000000".into(), "more than"),
        ("AP: 1", "AP: 2000000000".into(), "more than"),
        ("AP: 1", "AP: 2".into(), "quoted"),
        ("State: 0", "State: 3999999".into(), "not declared"),
        ("--END--", String::new(), "expected"),
    ];
    for (part, by, message) in cases {
        assert!(whole.contains(part), "{part}");
        let text = whole.replacen(part, &by, 1);
        match read_automaton(&text) {
            Err(error) => assert!(error.message.contains(message) && !message.is_empty(), "{part}: {error}"),
            Ok(_) => assert!(message.is_empty(), "{part} replaced by {by:.40}"),
        }
    }
    // A condition with 2³² clauses in disjunctive normal form; complements of 64 sets, which would be 64 more sets.
    let sums: Vec<String> = (0..32).map(|i| format!("(Inf({i})|Fin({}))", i + 32)).collect();
    let error = read_automaton(&whole.replace("1 Inf(0)", &format!("64 {}", sums.join("&")))).unwrap_err();
    assert!(error.message.contains("cases"), "{error}");
    let complements: Vec<String> = (0..64).map(|i| format!("Inf(!{i})")).collect();
    let text = whole.replace("1 Inf(0)", &format!("64 {}", complements.join("&")));
    assert!(read_automaton(&text).unwrap_err().message.contains("more than 64"));
}
