//! The readers of formulas, specifications and machines, on texts whose meaning is known, and on bad input.

use tsl_check::certificate::{FIRST_LINE, read_certificate};
use tsl_check::contract::{Role, Signals};
use tsl_check::formula::Arena;
use tsl_check::hoa::read_hoa;
use tsl_check::machine::{MachineKind, check_machine};
use tsl_check::read_ltl::{read_formula, read_ltl};
use tsl_check::tlsf::read_tlsf;

fn signals() -> Signals {
    let mut signals = Signals::default();
    for (name, is_input) in [("a", true), ("b", true), ("c", false), ("G1", false)] {
        signals.add(name, is_input).expect("different names");
    }
    signals
}

/// Whether two texts are read as the same formula.
fn same(left: &str, right: &str) -> bool {
    let (signals, mut arena) = (signals(), Arena::new());
    let mut read = |text: &str| read_formula(text, &signals, &mut arena).expect("it is a formula");
    read(left) == read(right)
}

#[test]
fn operators_bind_as_in_the_manual() {
    for (left, right) in [
        ("!a U b & c", "((!a) U b) & c"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a <-> b -> c", "a <-> (b -> c)"),
        ("a U b U c", "a U (b U c)"),
        ("a | b ^ c & a", "a | (b ^ (c & a))"),
        ("G F a & b", "(G (F a)) & b"),
        ("GFa", "G F a"),
        ("XXXa", "X X X a"),
        ("G1 & a", "\"G1\" & a"),
        ("X[2] a", "X X a"),
        ("F[1:2] a", "X (a | X a)"),
        ("G[0:1] a", "a & X a"),
        ("F[1:$] a", "X F a"),
        ("a=1 & b=0", "a & !b"),
        ("a R b", "!(!a U !b)"),
        ("a M b", "!(!a W !b)"),
        ("□ ◇ a → ○ b", "[] <> a => X b"),
        ("a V b", "a R b"),
        ("G (a & b)", "G a & G b"),
        ("NOT a AND b", "!a && b"),
        ("(a)Ub", "a U b"),
        ("a=0Ub=1", "(!a) U b"),
        ("(Ga)RXb", "(G a) R (X b)"),
        ("a==1 ==> b = FALSE", "a -> !b"),
        ("a and b or TRUE", "(a & b) | 1"),
    ] {
        assert!(same(left, right), "{left} is {right}");
    }
    for (left, right) in
        [("a U b", "a W b"), ("a & b", "a | b"), ("X a", "a"), ("a -> b", "b -> a"), ("a R b", "b R a")]
    {
        assert!(!same(left, right), "{left} is not {right}");
    }
}

#[test]
fn malformed_formulas_are_refused() {
    let (signals, mut arena) = (signals(), Arena::new());
    for text in [
        "",
        "a b",
        "a &",
        "& a",
        "(a",
        "a)",
        "a (b)",
        "!",
        "X",
        "d",
        "a; b",
        "\"a",
        "X[ a",
        "X[2:1] a",
        "F[3:1] a",
        "a = 2",
        "Y a",
        "a S b",
        "X[!] a",
        "a ! b",
        "7",
        "a { b }",
        "assume { a",
        "}",
        "/* a",
        "X[99999999999999999999] a",
    ] {
        assert!(read_formula(text, &signals, &mut arena).is_err(), "{text:?} is no formula");
    }
}

#[test]
fn deep_nesting_needs_no_stack() {
    let (signals, mut arena) = (signals(), Arena::new());
    let deep = 100_000;
    let brackets = format!("{}a{}", "(".repeat(deep), ")".repeat(deep));
    assert!(read_formula(&brackets, &signals, &mut arena).is_ok());
    assert!(read_formula(&"(".repeat(deep), &signals, &mut arena).is_err());
    let alternating = format!("{}a{}", "(a U X ".repeat(deep), ")".repeat(deep));
    let f = read_formula(&alternating, &signals, &mut arena).expect("it is a formula");
    assert_eq!(arena.not(f), arena.not(f));
    let brackets = format!(
        "INFO {{ SEMANTICS: Mealy }} MAIN {{ INPUTS {{ a; }} OUTPUTS {{ b; }} GUARANTEE {{ {brackets}; }} }}"
    );
    let refused = read_tlsf(&brackets, &[], &mut arena).expect_err("it nests too deep");
    assert!(refused.why.contains("levels"), "{refused}");
    let label = format!(
        "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\n--BODY--\nState: 0\n[{}0] 0\n--END--\n",
        "(".repeat(deep)
    );
    assert!(read_hoa(&label, &signals).is_err());
}

#[test]
fn files_of_formulas_have_roles_and_signals() {
    let mut arena = Arena::new();
    let text = "// inputs: a\n// outputs: c\nassume { G F a /* often */ }\nguarantee { G (a -> c); F !c }";
    let (signals, contract, divided) = read_ltl(text, &Signals::default(), &mut arena).expect("it is read");
    assert!(divided && signals.len() == 2);
    let roles: Vec<Role> = contract.clauses.iter().map(|clause| clause.0).collect();
    assert_eq!(roles, [Role::Assumption, Role::Guarantee, Role::Guarantee]);
    assert!(read_ltl("// inputs: a\n// outputs: a\na", &Signals::default(), &mut arena).is_err());
    assert!(read_ltl("// inputs: a\n// outputs: c\nG d", &Signals::default(), &mut arena).is_err());
}

#[test]
fn formulas_stand_on_lines_of_their_own() {
    let mut arena = Arena::new();
    let mut clauses = |text: &str| {
        let text = format!("// inputs: a\n// outputs: c, X1\n{text}");
        read_ltl(&text, &Signals::default(), &mut arena).map(|(_, contract, _)| contract.clauses)
    };
    for (lines, marked) in [
        ("G (a -> c)\nF !c", "G (a -> c); F !c"),
        ("G (a -> c)\n\n  (a & c)\nX1\ntrue\n!a", "G (a -> c); (a & c); X1; true; !a"),
        ("assume { G F a\nF a }\nguarantee { c\n}", "assume { G F a; F a } guarantee { c }"),
        ("G a\n& c", "(G a) & c"),
        ("a ->\nc", "a -> c"),
        ("(a\n| c)\nc", "(a | c); c"),
        ("G\na", "G a"),
    ] {
        assert_eq!(clauses(lines), clauses(marked), "{lines}");
        assert!(clauses(lines).is_ok(), "{lines}");
    }
    for wrong in ["a c", "(a\nc)", "a\n)", "a &\n", "X(a\nc)"] {
        assert!(clauses(wrong).is_err(), "{wrong}");
    }
}

const TLSF: &str = r#"
INFO { TITLE: "t" DESCRIPTION: "d" SEMANTICS: Mealy TARGET: Mealy }
GLOBAL {
  PARAMETERS { n = 2; }
  DEFINITIONS {
    none(b, k) = &&[0 <= i < k] !b[i];
    turns(b, i) = i == 0 : b[0]  otherwise : turns(b, i - 1) U b[i];
  }
}
MAIN {
  INPUTS { r[n]; } OUTPUTS { g[n]; }
  INITIALLY { none(r, SIZEOF r); } PRESET { !g[0]; }
  REQUIRE { r[0] -> X r[1]; } ASSUME { G F r[1]; }
  ASSERT { ||[i IN {0, 1}] g[i]; } GUARANTEE { turns(g, n - 1); X[n] g[1]; }
}"#;

#[test]
fn tlsf_is_expanded() {
    let mut arena = Arena::new();
    let found = read_tlsf(TLSF, &[], &mut arena).expect("it is read");
    let expected = [
        (Role::Fact, "!r_0 & !r_1"),
        (Role::Restriction, "!g_0"),
        (Role::Assumption, "G (r_0 -> X r_1)"),
        (Role::Assumption, "G F r_1"),
        (Role::Guarantee, "G (g_0 | g_1)"),
        (Role::Guarantee, "g_0 U g_1"),
        (Role::Guarantee, "X X g_1"),
    ];
    for ((role, text), clause) in expected.iter().zip(&found.contract.clauses) {
        let formula = read_formula(text, &found.signals, &mut arena).expect("a formula");
        assert_eq!((*role, formula), *clause, "{text}");
    }
    assert_eq!(found.contract.clauses.len(), expected.len());
    let wider = read_tlsf(TLSF, &[("n".into(), 3)], &mut arena).expect("it is read");
    assert_eq!(wider.signals.len(), 6);
    assert!(read_tlsf(TLSF, &[("m".into(), 3)], &mut arena).is_err());
    assert!(read_tlsf(TLSF, &[("n".into(), 1_000_000_000)], &mut arena).is_err());
}

#[test]
fn tlsf_binds_temporal_operators_loosely() {
    let mut arena = Arena::new();
    let text = TLSF.replace("X[n] g[1];", "r[0] -> g[0] U g[1] && r[1];");
    let found = read_tlsf(&text, &[], &mut arena).expect("it is read");
    let strong = read_tlsf(&TLSF.replace("X[n] g[1];", "r[0] M g[0];"), &[], &mut arena);
    assert!(strong.is_err_and(|unread| unread.is_beyond && unread.why.contains("strong release")));
    let wanted = read_formula("(r_0 -> g_0) U (g_1 & r_1)", &found.signals, &mut arena).expect("a formula");
    assert_eq!(found.contract.clauses[6].1, wanted);
}

#[test]
fn strict_and_moore_are_converted() {
    let mut arena = Arena::new();
    let text = "INFO { SEMANTICS: Moore,Strict TARGET: Mealy } MAIN { INPUTS { a; } OUTPUTS { c; } REQUIRE { a; } \
                ASSERT { c; } }";
    let found = read_tlsf(text, &[], &mut arena).expect("it is read");
    let contract = found.converted(false, &mut arena);
    for (text, clause) in ["G X a", "c W !X a"].iter().zip(&contract.clauses) {
        let formula = read_formula(text, &found.signals, &mut arena).expect("a formula");
        assert_eq!(formula, clause.1, "{text}");
    }
    for other in ["Mealy,Finite", "Mealy TARGET: Both", "Something"] {
        let text = format!("INFO {{ SEMANTICS: {other} }} MAIN {{ INPUTS {{ a; }} OUTPUTS {{ c; }} }}");
        assert!(read_tlsf(&text, &[], &mut arena).is_err(), "{other}");
    }
}

/// A machine over `a`, `b` and the output `c` with these edges of its only state.
fn machine(controls: &str, edges: &[&str], kind: MachineKind) -> Result<(), String> {
    let mut signals = Signals::default();
    for (name, is_input) in [("a", true), ("b", true), ("c", false)] {
        signals.add(name, is_input).expect("different names");
    }
    let text = format!(
        "HOA: v1\nStates: 1\nStart: 0\nAP: 3 \"a\" \"b\" \"c\"\ncontrollable-AP: {controls}\nAcceptance: 0 t\n--BODY--\n\
         State: 0\n{}\n--END--\n",
        edges.join("\n")
    );
    let machine = read_hoa(&text, &signals).map_err(|unread| unread.to_string())?;
    check_machine(&machine, kind, &signals)
}

#[test]
fn machines_are_total_deterministic_and_blind() {
    use MachineKind::{Counter, Mealy, Moore};
    assert_eq!(machine("2", &["[0&2] 0", "[!0&!2] 0"], Mealy), Ok(()));
    assert_eq!(machine("2", &["[(0|1)&2] 0", "[!(0|1)&!2] 0"], Mealy), Ok(()));
    assert_eq!(machine("2", &["[2] 0"], Moore), Ok(()));
    assert_eq!(machine("0 1", &["[0&!1] 0"], Counter), Ok(()));
    for (controls, edges, kind) in [
        ("2", &["[0&2] 0"][..], Mealy),
        ("2", &["[t] 0"], Mealy),
        ("2", &["[0&2] 0", "[!2] 0"], Mealy),
        ("2", &["[0&2] 0", "[!0&!2] 0"], Moore),
        ("0 1", &["[0&2] 0", "[!0&!2] 0"], Counter),
        ("0 1", &["[0&1&2] 0"], Counter),
        ("0", &["[0&!1] 0"], Counter),
        ("2", &["[0&!1] 0"], Counter),
        ("0 1", &["[2] 0"], Moore),
        ("2", &[], Mealy),
    ] {
        assert!(machine(controls, edges, kind).is_err(), "{controls} {edges:?}");
    }
}

/// A certificate of `G (a -> c)` with a machine that answers `c` always.
const CERTIFICATE: &str = "tsl-certificate 1\nspec \"s\"\nverdict realizable\nmachine mealy\ninput \"a\"\noutput \"c\"\n\
    guarantee G (a -> c)\nHOA: v1\nStates: 1\nStart: 0\nAP: 2 \"a\" \"c\"\ncontrollable-AP: 1\nAcceptance: 0 t\n--BODY--\n\
    State: 0\n[1] 0\n--END--\nnode 0 true\nnode 1 yes \"a\"\nnode 2 no \"c\"\nnode 3 and 1 2\nnode 4 until 0 3\n\
    claim guarantee 1\nrow 0 0 4\n";

fn accepts(text: &str) -> Result<bool, String> {
    let mut arena = Arena::new();
    let certificate = read_certificate(text, &mut arena).map_err(|unread| unread.to_string())?;
    let machine = certificate.machine.clone();
    Ok(tsl_check::check::check(&certificate, &machine, &mut arena).is_ok())
}

#[test]
fn a_certificate_by_hand_is_accepted_and_its_lies_are_not() {
    assert_eq!(accepts(CERTIFICATE), Ok(true));
    for (old, new) in [
        ("[1] 0", "[!1] 0"),
        ("claim guarantee 1\nrow 0 0 4\n", ""),
        ("row 0 0 4", "row 0 0"),
        ("row 0 0 4", "row 7 0 4"),
        ("row 0 0 4\n", ""),
        ("(a -> c)", "(a <-> c)"),
        ("verdict realizable", "verdict unrealizable"),
        ("row 0 0 4", "row 0 0 4\nrow 0 0 4"),
        ("until 0 3", "weak 0 3"),
    ] {
        assert!(CERTIFICATE.contains(old));
        assert_eq!(accepts(&CERTIFICATE.replace(old, new)), Ok(false), "{old:?} as {new:?}");
    }
}

#[test]
fn bad_certificates_are_errors_and_no_panics() {
    for (old, new) in [
        ("node 3 and 1 2", "node 3 and 3 2"),
        ("node 3 and 1 2", "node 3 and 4 2"),
        ("node 3 and 1 2", "node 9 and 1 2"),
        ("row 0 0 4", "row 0 0 5"),
        ("row 0 0 4", "row -1 0 4"),
        ("row 0 0 4", "row 0 99999999999999999999999 4"),
        ("claim guarantee 1", "claim guarantee 2"),
        ("claim guarantee 1", "claim guarantee 0"),
        ("claim guarantee 1", "given fact"),
        ("guarantee G", "promise G"),
        ("States: 1", "States: 99999999999"),
        ("--END--", ""),
        ("output \"c\"", "output \"a\""),
        ("output \"c\"", "output c"),
        ("tsl-certificate 1", "tsl-certificate 2"),
        ("verdict realizable\n", ""),
        ("machine mealy\n", ""),
    ] {
        assert!(CERTIFICATE.contains(old));
        assert!(accepts(&CERTIFICATE.replace(old, new)).is_err(), "{old:?} as {new:?}");
    }
    let deep = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(accepts(&CERTIFICATE.replace("(a -> c)", &format!("({deep} -> c)"))), Ok(true));
    for end in 0..CERTIFICATE.len() - 1 {
        let cut = &CERTIFICATE[..end];
        assert_ne!(accepts(cut), Ok(true), "cut after {end} bytes");
    }
    assert!(accepts("").is_err() && accepts(FIRST_LINE).is_err());
    // Every byte replaced by some others: no panic.
    for at in 0..CERTIFICATE.len() {
        for other in ["\"", "(", "9", "\n", " ", "\u{202e}"] {
            let changed = format!("{}{other}{}", &CERTIFICATE[..at], &CERTIFICATE[at + 1..]);
            let _ = accepts(&changed);
        }
    }
}
