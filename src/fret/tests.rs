//! What arithmetic says is compared with numbers, and the two formulas of a requirement with each other.

use crate::export::{Component, Owner, Requirement, Sort, Variable, is_export, read_export};
use crate::facts::{Keeper, Side, facts};
use crate::logic::{Formula, Logic, Temporal};
use crate::lower::Lowering;
use crate::numbers::{Comparison, Relation, Symbols};
use crate::syntax::{Arrow, Expr, Infix, Prefix, parse};
use crate::{Contracts, contracts};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use tsl_synth_arithmetic::{LinearAnswer, decide};
use tsl_synth_core::base::{Random, Rational};
use tsl_synth_core::logic::{Inequality, LinearSystem, Sum};

fn component(variables: &[(&str, Owner, Sort)], requirements: &[(&str, &str)]) -> Component {
    let variable = |(name, owner, sort): &(&str, Owner, Sort)| {
        ((*name).to_string(), Variable { owner: owner.clone(), sort: Some(*sort) })
    };
    let requirement = |(id, past): &(&str, &str)| Requirement {
        id: (*id).into(),
        sentence: String::new(),
        past: Some((*past).into()),
        future: None,
    };
    Component {
        project: String::new(),
        name: "c".into(),
        requirements: requirements.iter().map(requirement).collect(),
        variables: variables.iter().map(variable).collect(),
    }
}

fn numbers() -> Component {
    let whole = Sort::Integer { unsigned: false };
    component(
        &[
            ("i", Owner::Input, Sort::Real),
            ("j", Owner::Input, Sort::Real),
            ("x", Owner::Output, Sort::Real),
            ("y", Owner::Output, Sort::Real),
            ("n", Owner::Output, whole),
            ("m", Owner::Input, whole),
        ],
        &[],
    )
}

fn rational(value: i128) -> Rational {
    Rational::integer(value).expect("small")
}

/// A random comparison; with `past` also of values of the step before.
fn comparison(random: &mut Random, past: bool) -> String {
    let names = ["i", "j", "x", "y", "x", "y"];
    let term = |random: &mut Random| {
        let name = names[random.below(names.len())];
        let term =
            if past && random.below(3) == 0 { format!("preReal(0.0, {name})") } else { name.to_string() };
        match random.below(4) {
            0 => format!("{} * {term}", 1 + random.below(3)),
            _ => term,
        }
    };
    let mut left = term(random);
    if random.below(2) == 0 {
        left = format!("({left} {} {})", ["+", "-"][random.below(2)], term(random));
    }
    if random.below(6) == 0 {
        left = ["n", "m", "(n - m)"][random.below(3)].to_string();
    }
    let relation = ["<", "<=", ">", ">=", "=", "!="][random.below(6)];
    format!("({left} {relation} {}.0)", random.below(7))
}

/// The numbers of some steps.
type Run = Vec<HashMap<String, Rational>>;

fn term_value(expr: &Expr, run: &Run, step: usize) -> Option<Rational> {
    match expr {
        Expr::Number(number) => Some(*number),
        Expr::Name(name) => run[step].get(name).copied(),
        Expr::Prefix(Prefix::Minus, a) => Some(term_value(a, run, step)?.negated()),
        Expr::Prefix(Prefix::Pre, a) => term_value(a, run, step.checked_sub(1)?),
        Expr::Infix(op, a, b) => {
            let (a, b) = (term_value(a, run, step)?, term_value(b, run, step)?);
            match op {
                Infix::Plus => a.plus(b),
                Infix::Minus => a.minus(b),
                Infix::Times => a.times(b),
                Infix::Over => a.over(b),
                _ => None,
            }
        }
        _ => None,
    }
}

fn compares(one: &Comparison, symbols: &Symbols, run: &Run, step: usize) -> bool {
    let mut value = one.bound.negated();
    for (number, factor) in one.form.sum().terms() {
        let symbol = symbols.get(number);
        let Some(at) = step.checked_sub(symbol.ago as usize) else { return false };
        value = value.plus(factor.times(run[at][&symbol.name]).expect("small")).expect("small");
    }
    match one.relation {
        Relation::Below => value.is_negative(),
        Relation::AtMost => !value.is_positive(),
        Relation::Equal => value.is_zero(),
    }
}

/// A formula about the past in a step of a run, by definition.
fn holds(formula: &Formula, symbols: &Symbols, run: &Run, step: usize) -> bool {
    let at = |formula: &Formula, step: usize| holds(formula, symbols, run, step);
    match &**formula {
        Logic::Constant(value) => *value,
        // A proposition of its own has the name of its comparison.
        Logic::Variable(name) => {
            let Ok(Expr::Infix(op, a, b)) = parse(name, Arrow::Followed) else { panic!("`{name}`") };
            let (Some(a), Some(b)) = (term_value(&a, run, step), term_value(&b, run, step)) else {
                return false;
            };
            let difference = a.minus(b).expect("small");
            difference.is_negative() || op == Infix::AtMost && difference.is_zero()
        }
        Logic::Comparison(one) => compares(one, symbols, run, step),
        Logic::Not(a) => !at(a, step),
        Logic::And(parts) => parts.iter().all(|part| at(part, step)),
        Logic::Or(parts) => parts.iter().any(|part| at(part, step)),
        Logic::Iff(a, b) => at(a, step) == at(b, step),
        Logic::Temporal(Temporal::Yesterday, a) => step > 0 && at(a, step - 1),
        Logic::Temporal(Temporal::WeakYesterday, a) => step == 0 || at(a, step - 1),
        other => panic!("{other:?} is not about a few steps"),
    }
}

fn random_run(random: &mut Random, steps: usize) -> Run {
    let number = |random: &mut Random, whole: bool| {
        let value = rational(random.below(19) as i128 - 6);
        if whole { value } else { value.over(rational(1 + random.below(2) as i128)).expect("small") }
    };
    let step = |random: &mut Random| {
        ["i", "j", "x", "y", "n", "m"]
            .map(|name| (name.to_string(), number(random, ("m"..="n").contains(&name))))
            .into()
    };
    (0..steps).map(|_| step(random)).collect()
}

#[test]
fn what_arithmetic_says_is_true() {
    let component = numbers();
    let mut clauses = 0;
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let mut lowering = Lowering::new(&component);
        let count = 2 + random.below(5);
        let formulas: Vec<Formula> = (0..count)
            .map(|_| {
                let text = comparison(&mut random, seed % 2 == 1);
                let expr = parse(&text, Arrow::Implies).expect("a comparison");
                lowering.formula(&expr).unwrap_or_else(|why| panic!("{text}: {why}"))
            })
            .collect();
        let side = if random.below(2) == 0 { Side::Environment } else { Side::System };
        let facts = facts(&mut lowering.symbols, &formulas, random.below(3), side);
        clauses += facts.clauses.len();
        for _ in 0..20 {
            let run = random_run(&mut random, 3);
            for (clause, _) in &facts.clauses {
                for step in 0..3 {
                    assert!(
                        holds(clause, &lowering.symbols, &run, step),
                        "seed {seed}: {clause:?} in {run:?}"
                    );
                }
            }
        }
    }
    assert!(clauses > 2_000, "{clauses} clauses");
}

/// All comparisons of some formulas.
fn leaves(formulas: &[Formula]) -> Vec<Comparison> {
    let mut all: Vec<Comparison> = Vec::new();
    for formula in formulas {
        formula.visit(&mut |leaf| {
            if let Logic::Comparison(one) = leaf
                && !all.contains(one)
            {
                all.push(one.clone());
            }
        });
    }
    all
}

/// A formula about one step, given the truth values of its comparisons.
fn value(formula: &Formula, truth: &HashMap<Comparison, bool>) -> bool {
    match &**formula {
        Logic::Constant(value) => *value,
        Logic::Comparison(one) => truth[one],
        Logic::Not(a) => !value(a, truth),
        Logic::And(parts) => parts.iter().all(|part| value(part, truth)),
        Logic::Or(parts) => parts.iter().any(|part| value(part, truth)),
        Logic::Iff(a, b) => value(a, truth) == value(b, truth),
        other => panic!("{other:?} is not about one step"),
    }
}

#[test]
fn the_system_can_choose_numbers_for_all_truth_values_that_arithmetic_allows() {
    let component = numbers();
    let (mut possible, mut excluded) = (0, 0);
    for seed in 1_000..1_400 {
        let mut random = Random::new(seed);
        let mut lowering = Lowering::new(&component);
        let count = 2 + random.below(4);
        let formulas: Vec<Formula> = (0..count)
            .map(|_| {
                let expr = parse(&comparison(&mut random, false), Arrow::Implies).expect("a comparison");
                lowering.formula(&expr).expect("is read")
            })
            .collect();
        let facts = facts(&mut lowering.symbols, &formulas, 0, Side::Environment);
        if !facts.is_complete_for_system {
            continue;
        }
        let symbols = lowering.symbols.clone();
        let clauses: Vec<&Formula> = facts
            .clauses
            .iter()
            .filter(|(_, keeper)| *keeper == Keeper::System)
            .map(|(clause, _)| clause)
            .collect();
        let mut all = formulas.clone();
        all.extend(facts.clauses.iter().map(|(clause, _)| Rc::clone(clause)));
        // Equalities that are no propositions are what they are made of.
        let comparisons: Vec<Comparison> = leaves(&all)
            .into_iter()
            .filter(|one| {
                one.relation != Relation::Equal || matches!(&*facts.proposition(one), Logic::Variable(_))
            })
            .collect();
        for _ in 0..30 {
            let run = random_run(&mut random, 1);
            let mut truth: HashMap<Comparison, bool> =
                comparisons.iter().map(|one| (one.clone(), compares(one, &symbols, &run, 0))).collect();
            let chosen: Vec<&Comparison> = comparisons
                .iter()
                .filter(|one| !facts.is_of_environment(&one.form, Side::Environment))
                .collect();
            if chosen.is_empty() {
                continue;
            }
            for _ in 0..=random.below(3) {
                let one = chosen[random.below(chosen.len())];
                let value = truth[one];
                truth.insert(one.clone(), !value);
            }
            let allowed = clauses.iter().all(|clause| value(clause, &truth));
            let mut system = LinearSystem::default();
            for number in 0..symbols.len() {
                let symbol = symbols.get(number as u32);
                system.integer.push(symbol.integer);
                if !symbol.output {
                    let fixed = Sum::constant(run[0][&symbol.name].negated());
                    system.equate(fixed.plus(Rational::ONE, &Sum::variable(number as u32)).expect("small"));
                }
            }
            for one in &chosen {
                let sum =
                    one.form.sum().plus(Rational::ONE.negated(), &Sum::constant(one.bound)).expect("small");
                let inequality = match one.relation {
                    Relation::Below => Inequality::below_zero(sum),
                    Relation::AtMost => Inequality::at_most_zero(sum),
                    Relation::Equal if truth[one] => {
                        system.equate(sum);
                        continue;
                    }
                    Relation::Equal => {
                        system.different.push(sum);
                        continue;
                    }
                };
                system.inequalities.push(if truth[one] { inequality } else { inequality.negated() });
            }
            match decide(&system) {
                LinearAnswer::Possible(_) => {
                    assert!(allowed, "seed {seed}: {truth:?} is possible in {run:?} and excluded");
                    possible += 1;
                }
                LinearAnswer::Impossible(_) => {
                    assert!(!allowed, "seed {seed}: {truth:?} is impossible in {run:?} and allowed");
                    excluded += 1;
                }
                LinearAnswer::Unknown => {}
            }
        }
    }
    assert!(possible > 1_000 && excluded > 1_000, "{possible} possible, {excluded} excluded");
}

#[test]
fn formulas_and_assignments_are_parsed() {
    let implies = |text: &str| parse(text, Arrow::Implies);
    assert_eq!(implies("! a = 1.5 & b"), implies("(!(a = 1.5)) & b"));
    assert_eq!(implies("a -> b -> c"), implies("a => (b => c)"));
    assert_eq!(implies("a - b - 1"), implies("(a - b) - 1"));
    assert_eq!(implies("H[0,5] a"), implies("H[<6] (a)"));
    assert_eq!(implies("1e-3"), implies("0.001"));
    assert_ne!(parse("a -> b", Arrow::Followed), implies("a -> b"));
    for wrong in
        ["", "a &", "(a", "a b", "a ? b", "F[5,2] a", "1e999", "<b>a</b>", "if a", "f(a", "\u{1F600}"]
    {
        assert!(implies(wrong).is_err(), "{wrong}");
    }
    for deep in ["(".repeat(100_000), "!".repeat(100_000), "f(".repeat(100_000), "a -> ".repeat(100_000)] {
        assert!(implies(&deep).is_err());
    }
}

fn owned(name: &str) -> String {
    name.to_string()
}

#[test]
fn what_is_not_read_is_named() {
    let real = |owner| ("x", owner, Sort::Real);
    let reasons = |variables: &[(&str, Owner, Sort)], past: &str| {
        let Contracts { unread, .. } = contracts(&component(variables, &[("R", past)]), 0, |_| true);
        unread.into_iter().map(|(_, why)| why).collect::<Vec<_>>().join("; ")
    };
    let x = [real(Owner::Output)];
    assert!(reasons(&x, "(H (x * x <= 4.0))").contains("not linear"));
    assert!(reasons(&x, "(H (sin(x) <= 4.0))").contains("`sin` is not known"));
    assert!(reasons(&x, "(H (y <= 4.0))").contains("`y` is no variable"));
    assert!(reasons(&x, "(H x)").contains("no truth value"));
    assert!(reasons(&x, "(H (LAST -> x > 0))").contains("end of a finite run"));
    let own = [real(Owner::Defined(owned("1.0 -> pre x")))];
    assert!(reasons(&own, "(H (x <= 4.0))").contains("its own value"));
    let first = [real(Owner::Output), ("z", Owner::Defined(owned("pre x")), Sort::Real)];
    assert!(reasons(&first, "(H (z <= 4.0))").contains("first value"));
    assert_eq!(reasons(&[("i", Owner::Input, Sort::Real), x[0].clone()], "(H (i * i <= x))"), "");
}

#[test]
fn hostile_names_stay_in_comments_and_quotes() {
    let variables = [("b", Owner::Output, Sort::Boolean), ("i", Owner::Input, Sort::Boolean)];
    let mut hostile = component(&variables, &[("R\n} guarantee { 0; //\u{202E}", "(H (i -> b))")]);
    hostile.requirements[0].sentence = "a\nG 0;\n/*".into();
    hostile.name = "c\n// outputs: i".into();
    let made = contracts(&hostile, 0, |_| true);
    let text = made.exact().expect("a contract");
    assert_eq!(text.lines().count(), 7, "{text}");
    assert!(!text.contains('\u{202E}'));
    assert!(text.lines().all(|line| !line.trim_start().starts_with("G 0")), "{text}");
}

#[test]
fn exports_are_recognized() {
    assert!(!is_export("{}"));
    assert!(!is_export("[{\"reqid\": "));
    assert!(is_export("[{\"reqid\": \"A\"}]"));
    let error = read_export("{\"requirements\": [}").expect_err("not JSON");
    assert_eq!(error.place, Some((1, 19)));
    assert!(read_export("{\"requirements\": 1}").is_err());
    let export =
        read_export("[{\"reqid\": \"A\", \"semantics\": {\"component_name\": \"c\"}}]").expect("an export");
    assert_eq!(export.components.len(), 1);
    let variables: BTreeMap<String, Variable> = BTreeMap::new();
    assert_eq!(export.components[0].variables, variables);
}

/// Exports of other versions: formulas with tags, for finite runs only.
#[test]
fn fields_of_older_exports_are_read() {
    let read = |semantics: &str| {
        let text = format!(
            "[{{\"reqid\": \"A\", \"semantics\": {{\"type\": \"nasa\", \"component\": \"<b><i>c</i></b>\", {semantics}}}}}]"
        );
        let mut components = read_export(&text).expect("an export").components;
        let component = components.swap_remove(0);
        assert_eq!(component.name, "c");
        let Requirement { past, future, .. } =
            component.requirements.into_iter().next().expect("a requirement");
        (past, future)
    };
    let some = |text: &str| Some(text.to_string());
    assert_eq!(read("\"pt\": \"(H (<b><i>a < b</i></b> -> c))\""), (some("(H (a < b -> c))"), None));
    assert_eq!(
        read("\"ft\": \"(LAST V (<b><i>a</i></b> -> ((F[0,3] LASTING) | (F[0,2] LAST))))\""),
        (None, some("(FALSE V (a -> ((F[0,3] LASTING) | (F[0,2] FALSE))))"))
    );
    assert_eq!(read("\"ptExpanded\": \"(H a)\", \"ft\": \"(LAST V a)\""), (some("(H a)"), None));
    assert_eq!(read("\"ftInfAUExpanded\": \"(G a)\", \"ft\": \"(LAST V a)\""), (None, some("(G a)")));
}
