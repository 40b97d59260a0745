//! TLSF: specifications of the gallery agree with formulas that we wrote by hand, and the public benchmarks, where they
//! are there, with their conversion to LTL by the format's own tool, syfco.

use std::path::{Path, PathBuf};

use crate::gallery;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, AtomKind, BitId, FormulaId, Lasso, LassoSemantics, Letter};
use tsl_synth_core::model::{Silent, StrategyRepr, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::{SolverOptions, synthesize};
use tsl_synth_lang::spec::{LoadFailure, Problem, TlsfOptions, load_tlsf, resolve_ltl};
use tsl_synth_testkit::{Rng, more, quota, shared};

/// The folder of public benchmarks, if it is there.
pub(crate) fn bench() -> Option<PathBuf> {
    shared("bench")
}

/// The TLSF files of the folder of public benchmarks, in order.
pub(crate) fn files_in(bench: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(bench.join("syntcomp"))
        .expect("the benchmarks")
        .map(|entry| entry.expect("the benchmarks").path())
        .filter(|path| path.extension().is_some_and(|e| e == "tlsf"))
        .collect();
    files.sort();
    files
}

/// The files of part i of n if `TSL_SYNTH_SHARD=i/n` is set, else all.
pub(crate) fn part_of(bench: &Path) -> Vec<PathBuf> {
    let shard = std::env::var("TSL_SYNTH_SHARD").unwrap_or_else(|_| "1/1".into());
    let shard = shard.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    let (part, parts): (usize, usize) = shard.expect("TSL_SYNTH_SHARD=i/n");
    files_in(bench).into_iter().skip(part - 1).step_by(parts).collect()
}

pub(crate) fn load(text: &str, parameters: &[(&str, i64)]) -> Result<Problem, LoadFailure> {
    let mut map = SourceMap::new();
    let source = map.add("test.tlsf", text);
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
    let options = TlsfOptions { parameters, ..TlsfOptions::default() };
    load_tlsf(source, &options, &map).map(|(problem, _)| problem)
}

fn shown(failure: &LoadFailure) -> String {
    format!("{:?} {}", failure.limit, super::support::lines(&failure.diagnostics))
}

/// The same alphabet with names in lower case, as syfco writes them; `None` if two names coincide.
fn small_letters(alphabet: &Alphabet) -> Option<Alphabet> {
    let mut small = Alphabet::new();
    let mut names = std::collections::BTreeSet::new();
    for atom in alphabet.atoms() {
        let name = atom.name.to_lowercase();
        if !names.insert(name.clone()) {
            return None;
        }
        match atom.kind {
            AtomKind::Input(_) => small.add_input(name),
            AtomKind::Output(_) => small.add_output(name),
            AtomKind::Update(..) => return None,
        };
    }
    Some(small)
}

/// A word whose letters are mostly true, mostly false or anything.
fn word(rng: &mut Rng, bits: usize) -> Lasso {
    let (density, n, m) = ([1, 8, 15][rng.below(3)], rng.below(4), 1 + rng.below(3));
    let mut letter =
        || -> Letter { (0..bits).filter(|_| rng.below(16) < density).map(BitId::from_index).collect() };
    let prefix = (0..n).map(|_| letter()).collect();
    Lasso { prefix, cycle: (0..m).map(|_| letter()).collect() }
}

fn disagreement(problem: &mut Problem, other: FormulaId, rng: &mut Rng) -> Option<Lasso> {
    let contract = problem.contract();
    let own = contract.formula(&mut problem.formulas);
    let bits = problem.alphabet.bit_count();
    // Random words rarely distinguish formulas; flips of single bits along the way reach more cases.
    for _ in 0..24 {
        let mut word = word(rng, bits);
        for _ in 0..4 {
            let mut meaning = LassoSemantics::new(&problem.formulas, &problem.alphabet, &word);
            if meaning.holds(own) != meaning.holds(other) {
                return Some(word);
            }
            let position = rng.below(word.len());
            let bit = BitId::from_index(rng.below(bits.max(1)));
            let letter = match position.checked_sub(word.prefix.len()) {
                None => &mut word.prefix[position],
                Some(i) => &mut word.cycle[i],
            };
            if bits > 0 && !letter.remove(bit) {
                letter.insert(bit);
            }
        }
    }
    None
}

/// Specifications of the gallery for two processes, with the formulas that they stand for.
const WRITTEN: [(&str, &str); 5] = [
    ("simple_arbiter", "G !(g_0 && g_1) && G (r_0 -> F g_0) && G (r_1 -> F g_1)"),
    (
        "round_robin_arbiter",
        "(G (r_0 && !g_0 -> X r_0) && G (r_1 && !g_1 -> X r_1) && G (!r_0 && g_0 -> X !r_0) && \
         G (!r_1 && g_1 -> X !r_1) && G F !(r_0 && g_0) && G F !(r_1 && g_1)) -> \
         (G !(g_0 && g_1) && G (r_0 -> F g_0) && G (r_1 -> F g_1))",
    ),
    (
        "prioritized_arbiter",
        "G F !r_m -> (G !(g_0 && g_1) && G (g_m -> !g_0 && !g_1) && G (r_0 -> F g_0) && G (r_1 -> F g_1) && \
         G (r_m -> X ((!g_0 && !g_1) U g_m)))",
    ),
    (
        "full_arbiter",
        "G !(g_0 && g_1) && (r_0 R !g_0) && (r_1 R !g_1) && G (r_0 -> F g_0) && G (r_1 -> F g_1) && \
         G ((g_0 && G !r_0 -> F !g_0) && (g_0 && X (!r_0 && !g_0) -> X (r_0 R !g_0))) && \
         G ((g_1 && G !r_1 -> F !g_1) && (g_1 && X (!r_1 && !g_1) -> X (r_1 R !g_1)))",
    ),
    ("detector", "(G F accepting && G F p_0 && G F p_1) || (F G !accepting && (F G !p_0 || F G !p_1))"),
];

#[test]
fn specifications_mean_the_formulas_written_for_them() {
    let mut rng = Rng(2025);
    for (name, formula) in WRITTEN {
        let path = gallery::folder().join("tlsf").join(name).with_extension("tlsf");
        let text = std::fs::read_to_string(path).expect("the gallery");
        let mut problem = load(&text, &[("n", 2)]).unwrap_or_else(|f| panic!("{name}: {}", shown(&f)));
        let mut of = |text: &str| {
            let mut map = SourceMap::new();
            let source = map.add("ltl", text);
            resolve_ltl(&mut problem, &map, source).unwrap_or_else(|found| panic!("{name}: {found:?}"))
        };
        // Random words suffice: they also find a disjunct that is rarely true.
        let output = if name == "detector" { "accepting" } else { "g_0" };
        let wrong = of(&format!("({formula}) || ({output} && X {output} && X X !{output})"));
        let written = of(formula);
        let differs = |problem: &mut Problem, other, rng: &mut Rng| {
            (0..20).find_map(|_| disagreement(problem, other, rng))
        };
        assert_eq!(differs(&mut problem, written, &mut rng), None, "{name}");
        assert!(differs(&mut problem, wrong, &mut rng).is_some(), "{name}");
    }
    if let Some(bench) = more("bench") {
        public_benchmarks_mean_their_conversions(&bench);
    }
}

fn public_benchmarks_mean_their_conversions(bench: &Path) {
    let converted = std::fs::read_to_string(bench.join("ltl.jsonl")).expect("ltl.jsonl");
    let files = files_in(bench);
    let mut rng = Rng(2025);
    let (mut read, mut compared, mut wrong) = (0, 0, Vec::new());
    let sampled = if quota(1) > 1 { 1 } else { 5 };
    for path in files.iter().step_by(sampled) {
        let name = path.file_stem().and_then(|s| s.to_str()).expect("a name");
        let text = std::fs::read_to_string(path).expect("a benchmark");
        if let Err(failure) = load(&text, &[]) {
            wrong.push(format!("{name}: {}", shown(&failure)));
            continue;
        }
        read += 1;
        let key = format!("\"name\": \"{name}\",");
        let Some(line) = converted.lines().find(|line| line.contains(&key)) else { continue };
        // The converted formula does not depend on the semantics of the file: it is compared under `Mealy`, not strict.
        let plain = text.replace("Mealy,Strict", "Mealy").replace("SEMANTICS:   Moore", "SEMANTICS: Mealy");
        let mut problem = load(&plain, &[]).unwrap_or_else(|f| panic!("{name}: {}", shown(&f)));
        let Some(alphabet) = small_letters(&problem.alphabet) else { continue };
        problem.alphabet = alphabet;
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let mut map = SourceMap::new();
        let source = map.add("ltl", row["ltl"].as_str().expect("a formula"));
        match resolve_ltl(&mut problem, &map, source) {
            Err(found) => wrong.push(format!("{name}: {}", super::support::lines(&found))),
            Ok(other) => {
                compared += 1;
                if let Some(word) = disagreement(&mut problem, other, &mut rng) {
                    wrong.push(format!("{name}: differs on {word:?}"));
                }
            }
        }
    }
    println!("{} files, {read} read, {compared} compared", files.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared * sampled > 600, "only {compared} compared");
}

/// A specification with this semantics, target and body of `MAIN`.
fn spec(semantics: &str, target: &str, main: &str) -> String {
    format!(
        "INFO {{ TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: {semantics} TARGET: {target} }} MAIN {{ {main} }}"
    )
}

fn problem(semantics: &str, target: &str, main: &str) -> Problem {
    load(&spec(semantics, target, main), &[]).unwrap_or_else(|failure| panic!("{main}: {}", shown(&failure)))
}

fn verdict(problem: &mut Problem) -> Verdict {
    let outcome = synthesize(problem, &SolverOptions::default(), &Silent).expect("a certified answer");
    assert!(outcome.certificate.is_some(), "{:?}", outcome.verdict);
    outcome.verdict
}

fn realizable(semantics: &str, target: &str, main: &str) -> bool {
    matches!(verdict(&mut problem(semantics, target, main)), Verdict::Realizable(_))
}

/// The clauses as text, with the first letter of their roles.
fn clauses(semantics: &str, target: &str, main: &str) -> Vec<String> {
    let p = problem(semantics, target, main);
    let text = |c: &tsl_synth_lang::spec::Clause| {
        format!("{}: {}", &format!("{:?}", c.role)[..1], p.formulas.display(c.formula, &p.alphabet))
    };
    p.clauses.iter().map(text).collect()
}

const SIX: &str = "INPUTS { i; } OUTPUTS { o; } INITIALLY { i; } PRESET { o; } REQUIRE { i -> X i; } \
                   ASSERT { o -> X o; } ASSUME { G F i; } GUARANTEE { G F o; }";

#[test]
fn sections_are_the_parts_of_a_contract() {
    let found = clauses("Mealy", "Mealy", SIX).join("\n");
    assert_eq!(found, GOLDEN_PLAIN, "{found}");
    let found = clauses("Mealy,Strict", "Mealy", SIX).join("\n");
    assert_eq!(found, GOLDEN_STRICT, "{found}");
    let found = clauses("Moore", "Moore", SIX).join("\n");
    assert_eq!(found, GOLDEN_MOORE, "{found}");
    let found = clauses("Mealy,Finite", "Mealy", SIX).join("\n");
    assert_eq!(found, GOLDEN_FINITE, "{found}");
}

const GOLDEN_PLAIN: &str = "A: i\nR: o | !i\nA: G (X i | !i)\nG: G (X o | !o)\nA: G F i\nG: G F o";
const GOLDEN_STRICT: &str =
    "A: i\nR: o | !i\nA: G (X i | !i)\nR: !i | (X o | !o) W !(X i | !i)\nA: G F i\nG: G F o";
const GOLDEN_MOORE: &str = "A: X i\nR: o | !X i\nA: G (X X i | !X i)\nG: G (X o | !o)\nA: G F X i\nG: G F o";
const GOLDEN_FINITE: &str = "A: i\nR: o | !i\nA: done R (done | X i | !i)\nG: done R (done | X o | !o)\nA: !done U (done & i)\nG: !done U (done & o)\nR: F done";

#[test]
fn moore_machines_do_not_see_the_input_of_their_step() {
    let copy = "INPUTS { i; } OUTPUTS { o; } ASSERT { o <-> i; }";
    assert!(realizable("Mealy", "Mealy", copy));
    assert!(!realizable("Moore", "Mealy", copy) && !realizable("Moore", "Moore", copy));
    // With Mealy semantics and a Moore target, outputs are delayed by one step.
    assert!(realizable("Mealy", "Moore", copy));
    let echo = "INPUTS { i; } OUTPUTS { o; } ASSERT { X o <-> i; }";
    assert!(realizable("Moore", "Moore", echo) && realizable("Moore", "Mealy", echo));
    let mut asked = problem(
        "Moore",
        "Moore",
        "INPUTS { i; j; } OUTPUTS { o; } ASSERT { X o <-> (i && !j); X o -> X X !o; }",
    );
    assert!(matches!(verdict(&mut asked), Verdict::Unrealizable(..)));
    let mut asked = problem(
        "Moore",
        "Moore",
        "INPUTS { i; j; } OUTPUTS { o; p; } ASSERT { X o <-> (i && !j); X p <-> o; }",
    );
    let Verdict::Realizable(StrategyRepr::Explicit(machine)) = verdict(&mut asked) else {
        panic!("it is realizable")
    };
    for state in &machine.states {
        assert!(state.edges.windows(2).all(|pair| pair[0].output == pair[1].output));
    }
    // The contract in the steps of the target machine: `o` in step n + 1 is `i && !j` of step n.
    let (mut meaning, contract) = (asked.clone(), asked.contract());
    let contract = meaning.target_contract(&contract);
    let text = meaning.formulas.display(contract.guarantees[0], &meaning.alphabet);
    assert!(!text.contains("X i") && !text.contains("X j"), "{text}");
}

#[test]
fn strict_systems_keep_their_invariants_while_the_environment_does() {
    let tempted = "INPUTS { e; } OUTPUTS { s; } ASSUME { !s; } ASSERT { !s; } GUARANTEE { F e; }";
    assert!(realizable("Mealy", "Mealy", tempted));
    assert!(!realizable("Mealy,Strict", "Mealy", tempted));
    let after = "INPUTS { e; } OUTPUTS { s; } REQUIRE { !e; } ASSERT { s <-> !e; }";
    assert!(realizable("Mealy,Strict", "Mealy", after));
}

/// A formula of LTLf, with its meaning on finite words by definition (De Giacomo and Vardi 2013).
#[derive(Clone, Debug)]
enum Ltlf {
    Atom(usize),
    Not(Box<Ltlf>),
    And(Box<Ltlf>, Box<Ltlf>),
    Next(Box<Ltlf>),
    StrongNext(Box<Ltlf>),
    Finally(Box<Ltlf>),
    Globally(Box<Ltlf>),
    Until(Box<Ltlf>, Box<Ltlf>),
    Release(Box<Ltlf>, Box<Ltlf>),
    WeakUntil(Box<Ltlf>, Box<Ltlf>),
}

impl Ltlf {
    fn random(rng: &mut Rng, size: usize) -> Self {
        if size <= 1 {
            return Self::Atom(rng.below(3));
        }
        let one = |rng: &mut Rng| Box::new(Self::random(rng, size - 1));
        let left = 1 + rng.below(size.max(2) - 1);
        let two =
            |rng: &mut Rng| (Box::new(Self::random(rng, left)), Box::new(Self::random(rng, size - left)));
        match rng.below(9) {
            0 => Self::Not(one(rng)),
            1 => Self::Next(one(rng)),
            2 => Self::StrongNext(one(rng)),
            3 => Self::Finally(one(rng)),
            4 => Self::Globally(one(rng)),
            n => {
                let (a, b) = two(rng);
                match n {
                    5 => Self::And(a, b),
                    6 => Self::Until(a, b),
                    7 => Self::Release(a, b),
                    _ => Self::WeakUntil(a, b),
                }
            }
        }
    }
    fn text(&self) -> String {
        match self {
            Self::Atom(a) => ["a", "b", "c"][*a].into(),
            Self::Not(f) => format!("!({})", f.text()),
            Self::And(f, g) => format!("({}) && ({})", f.text(), g.text()),
            Self::Next(f) => format!("X ({})", f.text()),
            Self::StrongNext(f) => format!("X[!] ({})", f.text()),
            Self::Finally(f) => format!("F ({})", f.text()),
            Self::Globally(f) => format!("G ({})", f.text()),
            Self::Until(f, g) => format!("({}) U ({})", f.text(), g.text()),
            Self::Release(f, g) => format!("({}) R ({})", f.text(), g.text()),
            Self::WeakUntil(f, g) => format!("({}) W ({})", f.text(), g.text()),
        }
    }
    fn holds(&self, word: &[Letter], i: usize) -> bool {
        let n = word.len();
        match self {
            Self::Atom(a) => word[i].contains(BitId::from_index(*a)),
            Self::Not(f) => !f.holds(word, i),
            Self::And(f, g) => f.holds(word, i) && g.holds(word, i),
            Self::Next(f) => i + 1 == n || f.holds(word, i + 1),
            Self::StrongNext(f) => i + 1 < n && f.holds(word, i + 1),
            Self::Finally(f) => (i..n).any(|k| f.holds(word, k)),
            Self::Globally(f) => (i..n).all(|k| f.holds(word, k)),
            Self::Until(f, g) => (i..n).any(|k| g.holds(word, k) && (i..k).all(|j| f.holds(word, j))),
            Self::Release(f, g) => (i..n).all(|k| g.holds(word, k) || (i..k).any(|j| f.holds(word, j))),
            Self::WeakUntil(f, g) => (i..n).all(|k| f.holds(word, k) || (i..=k).any(|j| g.holds(word, j))),
        }
    }
}

#[test]
fn formulas_on_finite_words_mean_what_the_definition_says() {
    let mut rng = Rng(7);
    for _ in 0..300 {
        let size = 1 + rng.below(7);
        let formula = Ltlf::random(&mut rng, size);
        let main = format!("INPUTS {{ a; b; }} OUTPUTS {{ c; }} GUARANTEE {{ {}; }}", formula.text());
        let mut p = problem("Mealy,Finite", "Mealy", &main);
        assert_eq!(p.alphabet.atoms().iter().last().map(|atom| &*atom.name), Some("done"));
        let contract = p.contract();
        let lowered = contract.formula(&mut p.formulas);
        for _ in 0..20 {
            let finite: Vec<Letter> = (0..=rng.below(5))
                .map(|_| (0..3).filter(|_| rng.flip()).map(BitId::from_index).collect())
                .collect();
            let mut prefix = finite.clone();
            prefix.last_mut().expect("a letter").insert(BitId::from_index(3));
            let rest = (0..4).filter(|_| rng.flip()).map(BitId::from_index).collect();
            let word = Lasso { prefix, cycle: vec![rest] };
            let found = LassoSemantics::new(&p.formulas, &p.alphabet, &word).holds(lowered);
            assert_eq!(found, formula.holds(&finite, 0), "{} on {finite:?}", formula.text());
        }
        // A word without `done` never ends, and satisfies no formula.
        let endless = Lasso { prefix: Vec::new(), cycle: vec![(0..3).map(BitId::from_index).collect()] };
        assert!(!LassoSemantics::new(&p.formulas, &p.alphabet, &endless).holds(lowered));
    }
}

#[test]
fn controllers_for_finite_words_end_them_in_time() {
    let main = "INPUTS { order; } OUTPUTS { deliver; } REQUIRE { order -> X !order; } \
                ASSERT { order -> !deliver && X[!] F deliver; }";
    assert!(realizable("Mealy,Finite", "Mealy", main) && realizable("Moore,Finite", "Moore", main));
    assert!(!realizable("Mealy,Finite", "Mealy", "INPUTS { i; } OUTPUTS { o; } GUARANTEE { F i; }"));
    assert!(realizable("Mealy,Finite", "Mealy", "INPUTS { i; } OUTPUTS { o; } GUARANTEE { i -> X[!] o; }"));
    // `X[!]` is false at the last position of every word; nested ones need a word that is long enough.
    assert!(!realizable("Mealy,Finite", "Mealy", "INPUTS { i; } OUTPUTS { o; } GUARANTEE { G X[!] o; }"));
    assert!(realizable(
        "Mealy,Finite",
        "Mealy",
        "INPUTS { i; } OUTPUTS { o; } GUARANTEE { G X o; X[!] X[!] o; }"
    ));
    // The word may end after the step in which the input came, also for a Moore machine.
    let told = "INPUTS { i; } OUTPUTS { o; } GUARANTEE { F (i || !i && X[!] o); }";
    assert!(realizable("Moore,Finite", "Moore", told));
}

#[test]
fn parameters_that_are_too_large_are_limits() {
    let header = "INFO { TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Mealy TARGET: Mealy }";
    let texts = [
        "GLOBAL { PARAMETERS { n = 1000000000; } } MAIN { INPUTS { r[n]; } OUTPUTS { g; } }",
        "MAIN { INPUTS { r; } OUTPUTS { g; } GUARANTEE { X[1000000000] g; } }",
        "MAIN { INPUTS { r; } OUTPUTS { g; } GUARANTEE { &&[0 <= i < 100000] &&[0 <= j < 100000] g; } }",
        "MAIN { INPUTS { r; } OUTPUTS { g; } GUARANTEE { &&[i IN {0, 2 .. 1000000000000}] g; } }",
        "GLOBAL { DEFINITIONS { f(x) = X f(x + 1); } } MAIN { INPUTS { r; } OUTPUTS { g; } GUARANTEE { f(0); } }",
        "GLOBAL { DEFINITIONS { f(x) = f(X x) && f(F x); } } MAIN { INPUTS { r; } OUTPUTS { g; } GUARANTEE { f(g); } }",
    ];
    for text in texts {
        let failure =
            load(&format!("{header} {text}"), &[]).err().unwrap_or_else(|| panic!("{text}: no limit"));
        assert!(failure.limit.is_some(), "{text}: {}", shown(&failure));
        assert!(!failure.diagnostics.has_errors(), "{text}: {}", shown(&failure));
    }
    // Equal calls are evaluated once; else `fib(80)` would take exponential time.
    let fib = "GLOBAL { DEFINITIONS { fib(n) = n <= 1 : n otherwise : fib(n - 1) + fib(n - 2); } } \
               MAIN { INPUTS { r; } OUTPUTS { g; } GUARANTEE { &&[i IN {fib(80)}] g; } }";
    assert!(load(&format!("{header} {fib}"), &[]).is_ok());
}

#[test]
fn definitions_have_guards_patterns_and_sets() {
    let header = "INFO { TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Mealy TARGET: Mealy }";
    let body = "GLOBAL { PARAMETERS { n = 2; m = n * 2; } DEFINITIONS { \
        enum color = red: 00 green: 01, 1* ; \
        swap(f) = f ~ a U b : b U a  f ~ ! a : a  otherwise : f; \
        evens(k) = {0, 2 .. k} (+) {1} (\\) {1}; } } \
        MAIN { INPUTS { r[m]; color light; } OUTPUTS { g; h; } GUARANTEE { \
        swap(g U h); swap(!g); swap(G g); \
        &&[i IN evens(m - 1)] r[i]; ||[j IN {2}, 0 <= i < j] r[i]; \
        light != red; g || MAX {1, 3} == 3 && |{1, 1, 2}| == 2 && +[0 < i <= 3] i == 6; } }";
    let p = load(&format!("{header} {body}"), &[("n", 2)]).unwrap_or_else(|f| panic!("{}", shown(&f)));
    let text: Vec<String> = p.clauses.iter().map(|c| p.formulas.display(c.formula, &p.alphabet)).collect();
    assert_eq!(text.join("; "), "h U g; g; G g; r_0; r_2; r_0 | r_1; !(!light_0 & !light_1); 1");
}

/// `M` between two formulas is strong release; a file that uses the letter as a name has no such operator.
#[test]
fn strong_release_is_an_operator_where_no_name_can_stand() {
    let both = |semantics: &str, text: &str| {
        let main = |text: &str| format!("INPUTS {{ a; b; }} OUTPUTS {{ c; d; }} GUARANTEE {{ {text}; }}");
        clauses(semantics, "Mealy", &main(text))
    };
    assert_eq!(both("Mealy", "a M c"), ["G: a M c"]);
    for (text, same, other) in [
        ("a M c", "c U (a && c)", "a R c"),
        ("a U b M c", "a U (c U (b && c))", "(a U b) M c"),
        ("a M b U c", "(b U (a && b)) U c", "a M (b U c)"),
        ("a M b M c", "a M (b M c)", "(a M b) M c"),
        ("a -> b M c", "(a -> b) M c", "a -> (b M c)"),
    ] {
        assert_eq!(both("Finite,Mealy", text), both("Finite,Mealy", same), "{text} is {same}");
        assert_ne!(both("Finite,Mealy", text), both("Finite,Mealy", other), "{text} is not {other}");
    }
    let header = "INFO { TITLE: \"t\" DESCRIPTION: \"d\"; SEMANTICS: Mealy; TARGET: Mealy; }";
    let names = [
        "MAIN { INPUTS { M; } OUTPUTS { o; } GUARANTEE { G (M -> o); } }",
        "GLOBAL { PARAMETERS { M = 2; } } MAIN { INPUTS { r; } OUTPUTS { g[M]; } GUARANTEE { g[M - 1]; } }",
        "GLOBAL { DEFINITIONS { M(a, b) = b U (a && b); } } MAIN { INPUTS { a; } OUTPUTS { o; } GUARANTEE { G M(a, o); } }",
        "GLOBAL { DEFINITIONS { f(M) = M; } } MAIN { INPUTS { a; } OUTPUTS { o; } GUARANTEE { G (f(a) -> f(o)); } }",
        "GLOBAL { DEFINITIONS { f(M) = M == 1 : o M == 2 : X o; } } MAIN { INPUTS { a; } OUTPUTS { o; } GUARANTEE { f(2); } }",
        "MAIN { INPUTS { a; } OUTPUTS { p[2]; } GUARANTEE { &&[M IN {0, 1}] p[M]; } }",
        "GLOBAL { DEFINITIONS { enum C = M: 0 T: 1; } } MAIN { INPUTS { a; } OUTPUTS { C s; } GUARANTEE { s == M; F (s == T); } }",
        "GLOBAL { DEFINITIONS { enum C = S: 0,1; } } MAIN { INPUTS { C s; } OUTPUTS { o; } GUARANTEE { s == S -> o; } }",
    ];
    for text in names {
        let loaded = load(&format!("{header} {text}"), &[]);
        assert!(loaded.is_ok(), "{text}: {}", loaded.err().map_or_else(String::new, |f| shown(&f)));
    }
}

#[test]
fn names_in_patterns_are_new() {
    let header = "INFO { TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Mealy TARGET: Mealy }";
    let main = "MAIN { INPUTS { a; b[2]; } OUTPUTS { o; } GUARANTEE { f(G a); } }";
    let with = |definitions: &str| {
        load(
            &format!("{header} GLOBAL {{ PARAMETERS {{ n = 1; }} DEFINITIONS {{ {definitions} }} }} {main}"),
            &[],
        )
    };
    for right in [
        "f(x) = x ~ G y : y otherwise : false;",
        "f(x) = x ~ (y && y) : y otherwise : false;",
        "f(x) = x ~ (_ U y) : y otherwise : false;",
        "f(x) = x ~ G true : true otherwise : false;",
    ] {
        assert!(with(right).is_ok(), "{right}");
    }
    for wrong in [
        "f(x) = x ~ G a : true otherwise : false;",
        "f(x) = x ~ (y U b) : true otherwise : false;",
        "f(x) = x ~ X x : true otherwise : false;",
        "f(x) = x ~ (n W y) : true otherwise : false;",
        "f(x) = x ~ (y || g) : true otherwise : false; g = true;",
    ] {
        let failure = with(wrong).err().unwrap_or_else(|| panic!("{wrong}: no error"));
        let text = super::support::lines(&failure.diagnostics);
        assert!(text.contains("TSL0022"), "{wrong}: {text}");
    }
}

#[test]
fn hostile_names_and_deep_nesting_are_refused_in_words() {
    let wrong = |main: &str, code: &str| {
        let failure =
            load(&spec("Mealy", "Mealy", main), &[]).err().unwrap_or_else(|| panic!("{main}: no error"));
        let text = super::support::lines(&failure.diagnostics);
        assert!(text.contains(code), "{main}: {text}");
    };
    let deep = format!("OUTPUTS {{ g; }} GUARANTEE {{ {}g{}; }}", "(".repeat(1500), ")".repeat(1500));
    wrong(&deep, "TSL0002");
    wrong(&format!("OUTPUTS {{ g; }} GUARANTEE {{ {}g; }}", "!".repeat(1500)), "TSL0002");
    wrong("OUTPUTS { g[2]; g_1; }", "TSL0104");
    wrong("INPUTS { X; } OUTPUTS { g; }", "TSL0017");
    wrong("OUTPUTS { g[2]; } GUARANTEE { g[2]; }", "TSL0134");
    wrong("OUTPUTS { g[2]; } GUARANTEE { g; }", "TSL0107");
    wrong("OUTPUTS { g; } GUARANTEE { h; }", "TSL0132");
    wrong("OUTPUTS { g[9223372036854775807 + 1]; }", "TSL0110");
    wrong("OUTPUTS { g[1 / 0]; }", "TSL0111");
}
