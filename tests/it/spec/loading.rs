//! Imports, LTL files, and terms and formulas that are resolved against a loaded problem.

use super::support::{Table, lines, load_all, problem, show};
use tsl_synth_core::logic::AtomKind;
use tsl_synth_core::model::Role;
use tsl_synth_core::source::{SourceMap, Span};
use tsl_synth_lang::spec;
use tsl_synth_lang::spec::{AtomMeaning, Language, LoadOptions, Problem, SymbolKind};

fn clauses(problem: &Problem, role: Role) -> Vec<String> {
    let of = problem.clauses.iter().filter(|c| c.role == role);
    of.map(|c| problem.formulas.display(c.formula, &problem.alphabet)).collect()
}

fn atoms(problem: &Problem) -> Vec<&str> {
    problem.alphabet.atoms().iter().map(|a| a.name.as_str()).collect()
}

#[test]
fn imports_prefix_every_name() {
    let mut table = Table::default();
    let timer =
        "press x = !x && X x; START = press btn; always assume { p t; } guarantee { [t <- inc t c()]; }";
    table.0.insert("timer.tsl".into(), timer.into());
    table
        .0
        .insert("lamp.tsl".into(), "import \"timer.tsl\" as Sub\nalways assume { Sub.START -> lit; }".into());
    let text = "import \"timer.tsl\" as T\nimport \"lamp.tsl\" as T\nguarantee { T.START -> [x <- T.t]; }";
    let (_, result) = load_all(&[text], &LoadOptions::default(), &table);
    let (p, _) = result.unwrap_or_else(|failure| panic!("{}", show(&failure)));
    assert_eq!(
        clauses(&p, Role::Assumption),
        ["G T.p(T.t)", "G T.Sub.p(T.Sub.t)", "G (T.lit | !(!T.Sub.btn & X T.Sub.btn))"]
    );
    assert!(atoms(&p).contains(&"[T.t <- T.inc(T.t, T.c())]"), "{:?}", atoms(&p));
    assert!(atoms(&p).contains(&"[x <- T.t]"));
}

#[test]
fn one_file_imported_twice_under_one_name_is_there_once() {
    let mut table = Table::default();
    table.0.insert("a.tsl".into(), "d = a; assume { d; }".into());
    let main = "import \"a.tsl\" as A\nguarantee { [x <- A.a]; }";
    let (_, result) = load_all(&[main, main], &LoadOptions::default(), &table);
    let (p, _) = result.unwrap_or_else(|failure| panic!("{}", show(&failure)));
    assert_eq!(clauses(&p, Role::Assumption), ["A.a"]);
}

#[test]
fn kinds_of_names() {
    let p = problem("always guarantee { p x i -> [y <- f x c()]; b -> [x <- j]; k -> [z <- z]; }");
    let kind = |name: &str| p.signature.symbols.iter().find(|s| s.name == name).map(|s| s.kind);
    assert_eq!(kind("p"), Some(SymbolKind::Predicate));
    assert_eq!(kind("x"), Some(SymbolKind::Cell));
    assert_eq!(kind("y"), Some(SymbolKind::Output));
    assert_eq!(kind("z"), Some(SymbolKind::Output));
    assert_eq!(kind("f"), Some(SymbolKind::Function));
    assert_eq!(kind("c"), Some(SymbolKind::Constant));
    for name in ["i", "b", "j", "k"] {
        assert_eq!(kind(name), Some(SymbolKind::Input), "{name}");
    }
}

fn ltl(text: &str, ins: &[&str], outs: &[&str]) -> Result<Problem, String> {
    let mut map = SourceMap::new();
    let source = map.add("f.ltl", text);
    let list = |names: &[&str]| names.iter().map(|n| (*n).to_string()).collect::<Vec<_>>();
    match spec::load_ltl(&[source], &list(ins), &list(outs), &map) {
        Ok((problem, _)) => Ok(problem),
        Err(failure) => Err(show(&failure)),
    }
}

fn split(problem: &Problem) -> (Vec<&str>, Vec<&str>) {
    let all = problem.alphabet.atoms().iter();
    let (ins, outs): (Vec<_>, Vec<_>) = all.partition(|a| matches!(a.kind, AtomKind::Input(_)));
    (ins.iter().map(|a| a.name.as_str()).collect(), outs.iter().map(|a| a.name.as_str()).collect())
}

#[test]
fn ltl_inputs_and_outputs() {
    let text = "G(req1 -> F ack1) & G(req2 -> F ack2)";
    for (ins, outs) in [
        (&["req1", "req2"][..], &["ack1", "ack2"][..]),
        (&["req1", "req2"], &[]),
        (&[], &["/^ack/"]),
        (&["/req[0-9]/"], &["/ack/"]),
    ] {
        let p = ltl(text, ins, outs).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(split(&p), (vec!["req1", "req2"], vec!["ack1", "ack2"]));
        assert_eq!(p.language, Language::Ltl);
        assert_eq!(clauses(&p, Role::Guarantee), ["G (F ack1 | !req1)", "G (F ack2 | !req2)"]);
        assert!(p.signature.atoms.iter().all(|a| *a == AtomMeaning::Proposition));
    }
    let p = ltl("// inputs: a\n// outputs: c\nG(a <-> X[2] c); F[1:2] !a", &[], &[])
        .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(clauses(&p, Role::Guarantee), ["G (a <-> X X c)", "X (!a | X !a)"]);
}

/// If the specification is a single implication, its left side is the assumption.
#[test]
fn ltl_assumptions() {
    let read = |text| ltl(text, &["a", "b"], &["c"]).unwrap_or_else(|e| panic!("{e}"));
    let p = read("(G F a & G b) -> (F c & (G c -> F a))");
    assert_eq!(clauses(&p, Role::Assumption), ["G F a", "G b"]);
    assert_eq!(clauses(&p, Role::Guarantee), ["F c", "F a | !G c"]);
    // Several formulas are conjoined: an implication among them is a guarantee.
    let p = read("G F a -> F c; G b");
    assert_eq!(clauses(&p, Role::Assumption).len(), 0);
    assert_eq!(clauses(&p, Role::Guarantee).len(), 2);
}

#[test]
fn ltl_mistakes() {
    let found = |text, ins: &[&str], outs: &[&str]| ltl(text, ins, outs).err().unwrap_or_default();
    assert!(found("a U c", &[], &[]).contains("TSL0130"));
    assert!(found("a U c", &["a"], &["b"]).contains("`c` is neither"));
    assert!(found("a U c", &["a", "/c/"], &["c"]).contains("`c` is both"));
    assert!(found("a U c", &["/(/"], &[]).contains("TSL0131"));
    assert!(found("request U c", &["requests"], &["c"]).contains("did you mean `requests`?"));
    // Without lists there is one error for all names, and with lists one for each.
    let none = found("G (r1 -> F g1) & G (r1 -> X g2 | r3 | r4 | r5 | r6)", &[], &[]);
    assert_eq!(none.matches("TSL0130").count(), 1, "{none}");
    assert!(
        none.contains("`r1`, `g1`, `g2`, `r3`, `r4`, `r5` and 1 more are neither inputs nor outputs"),
        "{none}"
    );
    let none = found("G (i0 -> F o0) & G !(o0 & o1)", &[], &[]);
    assert!(none.contains("`--ins i0 --outs o0,o1`"), "{none}");
    assert_eq!(found("x U x U y", &["a"], &["b"]).matches("TSL0130").count(), 2);
    assert!(found("X[1000000000] a", &["a"], &[]).contains("size limit"));
}

#[test]
fn terms_and_formulas_are_resolved_later() {
    let mut p =
        problem("cell c: 0..3 = 0; always guarantee { p x -> [x <- f x]; y > 3 -> [c <- c + 1]; c = 1; }");
    let mut ask = |text: &str| {
        let mut map = SourceMap::new();
        let source = map.add("<effect>", text);
        let found = spec::resolve_formula(&mut p, &map, Span::new(source, 0, text.len()));
        match found {
            Ok(formula) => p.formulas.display(formula, &p.alphabet),
            Err(diagnostics) => lines(&diagnostics),
        }
    };
    assert_eq!(ask("G ![x <- f(x)]"), "G ![x <- f(x)]");
    assert_eq!(ask("F (p(x) && y <= 3)"), "F (p(x) & !y > 3)");
    assert_eq!(ask("X (c >= 2)"), "X c > 1");
    assert!(ask("[x <- g x]").contains("no `g`"));
    assert!(ask("[x <- f (f x)]").contains("no update `[x <- f(f(x))]`"));
    assert!(ask("p (f x)").contains("never asks `p(f(x))`"));
    assert!(ask("x").contains("never asks `x`"));
    let mut map = SourceMap::new();
    let source = map.add("<term>", "f (f x)");
    let term = spec::resolve_term(&mut p.signature, &map, Span::new(source, 0, 7)).expect("a term");
    assert_eq!(p.signature.display(term), "f(f(x))");
    assert_eq!(spec::predicate_atom(&p.signature, term), None);
    let cell = spec::cell_named(&p.signature, "x").expect("a cell");
    let keep = p.signature.terms.intern(spec::Term::Signal(cell));
    let atom = spec::update_atom(&p.signature, cell, keep).expect("an update");
    assert_eq!(p.alphabet.atoms()[atom].name, "[x <- x]");
}
