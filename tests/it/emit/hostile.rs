//! Hostile names: reserved words, prototypes, code, markup, and names that may collide after escaping.

use super::examples::{Example, random_machine};
use tsl_synth_core::base::IdVec;
use tsl_synth_core::logic::{Alphabet, Formulas, Guards};
use tsl_synth_core::model::{Monitor, MonitorEdge, MonitorState};
use tsl_synth_emit::{AssumptionMonitor, ClauseText, Meta};
use tsl_synth_lang::spec::{
    AtomMeaning, Language, Problem, Signature, Sort, Symbol, SymbolId, SymbolKind, Term, Wordings,
};
use tsl_synth_testkit::Rng;

const WORDS: &str = "abstract alignas and arguments as asm assert async auto await bool boolean break bytes \
    case catch char class cls concept const constexpr continue crate debugger decltype def default del delete \
    do double drop dyn elif else enum eval except exec explicit export extends extern false False final finally \
    float fn for friend from fun function gen get global globalThis goto if impl implements import in inline \
    instanceof int int64_t interface is lambda let long loop macro main match mod module move mut namespace NaN \
    native never new nil None nonlocal not null nullptr NULL number object of operator or override package pass \
    print private protected prototype pub public raise ref register require restrict return Self self set short \
    signed sizeof static str string struct super switch symbol template this throw trait true True try type \
    typedef typeof typename undefined union unsafe unsigned use using uint32_t var virtual void volatile wchar_t \
    where while with xor yield constructor __proto__ prototype_ hasOwnProperty toString valueOf isPrototypeOf \
    __defineGetter__ toJSON then catch_ name length caller \
    State Controller Environment Inputs Cells Predicates Predicate Updates Update Step StepError Assumption \
    Letter Snapshot RestoreError Watch Plan Ask Error Keep keep KEEP START STATES MACHINE_ID machineId decide \
    plan attempt step run restore save trace letter truth inputs cells env self p u q t from to next state after \
    broken monitors planned first other place fold v_x p_x next_x slot_x S0 Sink1 s0 shared_0 watch_a1 a1 A1 \
    Option Some Ok Err Result Vec String Box Clone Copy Debug Eq Hash PartialEq core std fmt f64 i64 u32 \
    dataclass Enum ABC Generic TypeVar Any Callable mro value names values items __init__ __slots__ _ __ ___ \
    Foo foo FOO fOO fo_o fo__o _foo foo_ Foo_2 foo_2 a_b A_b aB AB ab x X x1 x_1 X1 \
    unix linux errno stdin EOF assert_ memset strlen put skip output outcome restarts context result unused \
    word number_ Truth ASSUMPTIONS Reentered AssumptionBroken UNKNOWN BROKEN Promise Readonly Record Partial";

const STRINGS: [&str; 60] = [
    "*/ alert(1) /*",
    "/* open",
    "// line",
    "</script><script>alert(1)</script>",
    "<!-- x -->",
    "`${process.exit(1)}`",
    "${x}",
    "{{ 7 * 7 }}",
    "{% for x in y %}",
    "{# comment #}",
    "\"; process.exit(1); \"",
    "'; import os; os.abort(); '",
    "\"\"\"",
    "'''",
    "line\nfeed",
    "carriage\rreturn",
    "tab\tulator",
    "nul\u{0}byte",
    "bell\u{7}",
    "esc\u{1b}[31mred",
    "u+2028\u{2028}end",
    "u+2029\u{2029}end",
    "bidi\u{202e}drawkcab",
    "isolate\u{2066}x\u{2069}",
    "zero\u{200b}width",
    "\u{feff}bom",
    "back\\slash",
    "trailing\\",
    "??/",
    "??=define",
    "%s%n%d",
    "%%",
    "#define X",
    "#include <x>",
    "#[derive(Debug)]",
    "//! inner",
    "/// doc",
    "```",
    "@types {string}",
    "{@link x}",
    "ünïcödé",
    "名前",
    "имя",
    "😀",
    "e\u{301}",
    "é",
    "ﬀ",
    "ⅷ",
    "1st",
    "42",
    "-1",
    "a-b",
    "a.b",
    "a'b",
    "a@b",
    "a+b",
    "a b",
    " a",
    "[x <- y]",
    "&amp;",
];

/// At least 500 different names.
pub(crate) fn names() -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut push = |name: String| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    for name in STRINGS.into_iter().chain(WORDS.split_whitespace()) {
        push(name.to_owned());
    }
    push("x".repeat(5000));
    push(format!("{}1", "x".repeat(5000)));
    push("a".repeat(39) + "é");
    let mut rng = Rng(7);
    let palette: Vec<char> =
        "aAbB_xX01é\u{202e}\u{2028}\n\"'`\\*/<>{}$%#;:()[]=+-&|!?~^,. ".chars().collect();
    for _ in 0..200 {
        push((0..=rng.below(9)).map(|_| palette[rng.below(palette.len())]).collect());
    }
    names
}

/// Examples in which every name and text is hostile.
pub(crate) fn all() -> Vec<Example> {
    let names = names();
    assert!(names.len() >= 500, "{} names", names.len());
    names.chunks(24).enumerate().map(|(i, chunk)| example(i, chunk)).collect()
}

fn example(number: usize, names: &[String]) -> Example {
    let mut signature = Signature::default();
    let mut alphabet = Alphabet::new();
    let mut pool = names.iter().cycle();
    let mut name = || pool.next().expect("an endless cycle").clone();
    let sort =
        |i: usize| if names.len() > i { Sort::Named(names[i].clone()) } else { Sort::Inferred(i as u32) };
    let variants = Sort::Enum(names.iter().take(5).cloned().collect());
    let symbol =
        |signature: &mut Signature, name: String, kind, arguments: Vec<Sort>, sort: Sort| -> SymbolId {
            signature.symbols.push(Symbol {
                name,
                kind,
                arguments,
                sort,
                initial: None,
                bounds: [None, None],
                noisy: false,
                overflow: tsl_synth_lang::spec::Overflow::default(),
                hidden: false,
            })
        };
    let inputs: Vec<SymbolId> = (0..4)
        .map(|i| {
            let sort = [sort(0), sort(1), Sort::Bool, variants.clone()][i].clone();
            symbol(&mut signature, name(), SymbolKind::Input, vec![], sort)
        })
        .collect();
    let cells: Vec<SymbolId> = (0..5)
        .map(|i| {
            let sort = [sort(0), sort(1), sort(2), variants.clone(), Sort::Bool][i].clone();
            symbol(&mut signature, name(), SymbolKind::Cell, vec![], sort)
        })
        .collect();
    let signals: Vec<SymbolId> = inputs.iter().chain(&cells).copied().collect();
    let sorts: Vec<Sort> = signals.iter().map(|&s| signature.symbols[s].sort.clone()).collect();
    // Inputs first: each Boolean signal itself, and a predicate over each other one of the first six signals.
    for (i, (&signal, sort)) in signals.iter().zip(&sorts).enumerate() {
        let argument = signature.terms.intern(Term::Signal(signal));
        let term = if *sort == Sort::Bool {
            argument
        } else if i < 6 {
            let p = symbol(&mut signature, name(), SymbolKind::Predicate, vec![sort.clone()], Sort::Bool);
            signature.terms.intern(Term::Apply(p, vec![argument].into()))
        } else {
            continue;
        };
        alphabet.add_input(signature.display(term));
        signature.atoms.push(AtomMeaning::Predicate(term));
    }
    for (i, &cell) in cells.iter().enumerate() {
        let sort = signature.symbols[cell].sort.clone();
        let mut terms = vec![signature.terms.intern(Term::Signal(cell))];
        for j in 0..2 {
            let arguments: Vec<Sort> = sorts.iter().cycle().skip(i + j).take(1 + j).cloned().collect();
            let values: Vec<_> = signals.iter().cycle().skip(i + j).take(1 + j).copied().collect();
            let values: Vec<_> =
                values.into_iter().map(|s| signature.terms.intern(Term::Signal(s))).collect();
            let f = symbol(&mut signature, name(), SymbolKind::Function, arguments, sort.clone());
            terms.push(signature.terms.intern(Term::Apply(f, values.into())));
        }
        let cell_name = signature.symbols[cell].name.clone();
        let texts: Vec<String> =
            terms.iter().map(|&t| format!("[{cell_name} <- {}]", signature.display(t))).collect();
        alphabet.add_cell(cell_name, texts);
        for term in terms {
            signature.atoms.push(AtomMeaning::Update(cell, term));
        }
        signature.cells.push(cell);
    }
    let text = names.join(" ");
    let problem = Problem {
        name: format!("hostile{number}"),
        language: Language::Tsl,
        formulas: Formulas::new(),
        alphabet,
        clauses: IdVec::new(),
        signature,
        rewritten: false,
        restricted: None,
        invariants: Vec::new(),
        wordings: Wordings::default(),
        answers_first: false,
        finite: false,
        target: tsl_synth_lang::spec::Target::Mealy,
    };
    let mealy = random_machine(&problem, 4, &mut Rng(number as u64));
    let meta = Meta {
        tool_version: text.clone(),
        spec_name: text.clone(),
        spec_sha256: text.clone(),
        certified_by: Some(text.clone()),
        origin: text.clone(),
        clauses: names.iter().map(|n| ClauseText { section: n.clone(), text: n.clone() }).collect(),
        asked: Vec::new(),
    };
    let monitors = vec![AssumptionMonitor { text, monitor: no_first_input(&problem) }];
    Example { name: format!("hostile{number}"), problem, mealy, monitors, meta }
}

/// The monitor of "the first input never holds in two consecutive steps".
fn no_first_input(problem: &Problem) -> Monitor {
    let mut guards = Guards::new();
    let atom = problem.alphabet.inputs().next().expect("there are inputs");
    let yes = problem.alphabet.guard(atom, &mut guards);
    let no = guards.not(yes);
    let id = tsl_synth_core::base::Id::from_index;
    let edge = |guard, next| MonitorEdge { guard, next: id(next) };
    let states = vec![
        MonitorState { dead: false, edges: vec![edge(no, 0), edge(yes, 1)] },
        MonitorState { dead: false, edges: vec![edge(no, 0), edge(yes, 2)] },
        MonitorState { dead: true, edges: vec![] },
    ];
    Monitor { guards, states: IdVec::from(states), initial: id(0) }
}
