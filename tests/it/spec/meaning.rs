//! The meaning of clauses, following the language manual.

use super::support::{load_all, problem, show};
use crate::spec::support::Table;
use tsl_synth_core::model::Role;
use tsl_synth_lang::spec::{LoadOptions, Problem};

fn clauses(problem: &Problem, role: Role) -> Vec<String> {
    let of = problem.clauses.iter().filter(|c| c.role == role);
    of.map(|c| problem.formulas.display(c.formula, &problem.alphabet)).collect()
}

fn guarantee(text: &str) -> String {
    let problem = problem(&format!("guarantee {{ {text} }}"));
    clauses(&problem, Role::Guarantee).join("; ")
}

fn atoms(problem: &Problem) -> Vec<&str> {
    problem.alphabet.atoms().iter().map(|a| a.name.as_str()).collect()
}

#[test]
fn sections_place_their_formulas() {
    let p = problem(
        "assume { a; } initially assume { b; } always assume { c; }\n\
         guarantee after 2 { d; } always guarantee after 1 { e; [x <- f y] }",
    );
    assert_eq!(clauses(&p, Role::Assumption), ["a", "b", "G c"]);
    assert_eq!(clauses(&p, Role::Guarantee), ["X X d", "X G e", "X G [x <- f(y)]"]);
    assert_eq!(atoms(&p), ["a", "b", "c", "d", "e", "[x <- x]", "[x <- f(y)]"]);
}

#[test]
fn terms_are_applications_however_written() {
    let p = problem("guarantee { eq (inc a) b; eq(inc a, b); eq(inc(a))(b); c() -> [x <- k()]; }");
    assert_eq!(atoms(&p), ["eq(inc(a), b)", "c()", "[x <- x]", "[x <- k()]"]);
}

#[test]
fn comparisons_are_two_predicates_and_negation() {
    assert_eq!(guarantee("a != b"), "!a = b");
    assert_eq!(guarantee("a <= b || a > b"), "a > b | !a > b");
    assert_eq!(guarantee("a < b <-> b > a"), "1");
    assert_eq!(guarantee("a >= b <-> !(b > a)"), "1");
    assert_eq!(guarantee("3 = a <-> a = 3"), "1");
}

#[test]
fn definitions_are_macros_over_everything() {
    let text = "upd f x = [x <- f x];  both a b = a && b;  n = 2;  s = {1, 3..7};\n\
        guarantee { both (upd inc y) (X[n] go); &&[i IN s (-) {5}] p i; [z <- n + 1]; }";
    let p = problem(text);
    let found = clauses(&p, Role::Guarantee);
    assert_eq!(found, ["[y <- inc(y)] & X X go", "p(1) & p(3) & p(7)", "[z <- 3]"]);
    let text = "g n = n == 0 : a  otherwise : X[n] b;  guarantee { g 0; g 2; }";
    assert_eq!(clauses(&problem(text), Role::Guarantee), ["a", "X X b"]);
}

#[test]
fn one_conjunction_of_several_files() {
    let texts = ["assume { a; } guarantee { [x <- b]; }", "assume { c; } guarantee { [x <- d]; }"];
    let (_, result) = load_all(&texts, &LoadOptions::default(), &Table::default());
    let (p, _) = result.unwrap_or_else(|failure| panic!("{}", show(&failure)));
    assert_eq!(clauses(&p, Role::Assumption), ["a", "c"]);
    assert_eq!(clauses(&p, Role::Guarantee), ["[x <- b]", "[x <- d]"]);
    assert_eq!(atoms(&p), ["a", "c", "[x <- x]", "[x <- b]", "[x <- d]"]);
}

#[test]
fn a_followed_counter() {
    let p = problem("cell c: 0..2 = 0; always guarantee { go -> [c <- c + 1]; c = 2 -> stop; }");
    assert_eq!(atoms(&p), ["go", "stop", "c = 0", "c = 1", "[c <- c]", "[c <- c + 1]"]);
    let facts = [
        "G !(c = 0 & c = 1)",
        "c = 0 & !c = 1",
        "G ((c = 0 <-> X c = 0) & (c = 1 <-> X c = 1) | ![c <- c])",
        "G (!X c = 0 & (c = 0 <-> X c = 1) | ![c <- c + 1])",
    ];
    assert_eq!(clauses(&p, Role::Fact), facts);
    // c is 2 when it is neither 0 nor 1.
    assert_eq!(clauses(&p, Role::Restriction), ["G !([c <- c + 1] & !(c = 0 | c = 1))"]);
    assert!(!p.signature.uninterpreted_arithmetic);
}

#[test]
fn a_boolean_cell_remembers_its_update() {
    let p = problem("always guarantee { x -> [y <- a]; [x <- true] || [x <- p b]; }");
    assert_eq!(atoms(&p), ["x", "p(b)", "[x <- x]", "[x <- true]", "[x <- p(b)]", "[y <- y]", "[y <- a]"]);
    let facts =
        ["G ((x <-> X x) | ![x <- x])", "G (X x | ![x <- true])", "G ((X x <-> p(b)) | ![x <- p(b)])"];
    assert_eq!(clauses(&p, Role::Fact), facts);
}

#[test]
fn number_comparisons_agree() {
    let p = problem("always guarantee { x = 3 -> a; x = 4 -> b; x > 5 -> c; x > 3 -> d; 3 > x; }");
    let facts = [
        "G (!x = 3 | !x > 3)",
        "G (!x = 3 | !3 > x)",
        "G (!x = 4 | !x > 5)",
        "G (!x = 4 | x > 3)",
        "G (!x > 5 | x > 3)",
        "G (!x > 3 | !3 > x)",
        "G (x = 3 | x > 3 | 3 > x)",
    ];
    assert_eq!(clauses(&p, Role::Fact), facts);
    assert!(p.signature.uninterpreted_arithmetic);
}
