//! The certifier on hand-made machines.

use crate::oracle::instance::Instance;
use tsl_synth_core::base::{Budget, Id, IdVec, LimitKind};
use tsl_synth_core::logic::{BitId, Guard, Guards, LassoSemantics, Letter};
use tsl_synth_core::model::{
    CounterEdge, CounterState, CounterStrategy, Mealy, MealyEdge, MealyState, Role, StateId,
};
use tsl_synth_kernel::{Certified, CertifyError, StrategyClaim, StrategyRef, certify, find_violation};

/// A machine from lines `state: cube / outputs -> next`.
fn mealy(instance: &Instance, text: &str) -> Mealy {
    let mut guards = Guards::new();
    let mut states: Vec<MealyState> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (state, rest) = line.split_once(':').unwrap();
        let (cube, rest) = rest.split_once('/').unwrap();
        let (output, next) = rest.split_once("->").unwrap();
        let state: usize = state.trim().parse().unwrap();
        states.resize_with(states.len().max(state + 1), MealyState::default);
        let edge = MealyEdge {
            guard: instance.cube(&mut guards, cube),
            output: instance.letter(output),
            next: StateId::from_index(next.trim().parse().unwrap()),
        };
        states[state].edges.push(edge);
    }
    Mealy { guards, states: states.into(), initial: StateId::from_index(0) }
}

/// A counter-strategy from lines `state / inputs: cube -> next`.
fn counter(instance: &Instance, text: &str) -> CounterStrategy {
    let mut guards = Guards::new();
    let mut states: Vec<CounterState> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (head, rest) = line.split_once(':').unwrap();
        let (state, input) = head.split_once('/').unwrap();
        let (cube, next) = rest.split_once("->").unwrap();
        let state: usize = state.trim().parse().unwrap();
        states.resize_with(states.len().max(state + 1), CounterState::default);
        states[state].input = instance.letter(input);
        let edge = CounterEdge {
            guard: instance.cube(&mut guards, cube),
            next: StateId::from_index(next.trim().parse().unwrap()),
        };
        states[state].edges.push(edge);
    }
    CounterStrategy { guards, states: states.into(), initial: StateId::from_index(0) }
}

fn check_mealy(instance: &Instance, machine: &Mealy) -> Result<Certified, CertifyError> {
    let budget = Budget::unlimited();
    let result = certify(
        &StrategyClaim {
            formulas: &instance.formulas,
            alphabet: &instance.alphabet,
            contract: &instance.contract,
            strategy: StrategyRef::Mealy(machine),
        },
        &budget,
    );
    let found = find_violation(
        &StrategyClaim {
            formulas: &instance.formulas,
            alphabet: &instance.alphabet,
            contract: &instance.contract,
            strategy: StrategyRef::Mealy(machine),
        },
        &budget,
    );
    assert_eq!(matches!(result, Err(CertifyError::Violated(_))), matches!(found, Ok(Some(_))));
    result
}

fn check_counter(instance: &Instance, machine: &CounterStrategy) -> Result<Certified, CertifyError> {
    let budget = Budget::unlimited();
    let result = certify(
        &StrategyClaim {
            formulas: &instance.formulas,
            alphabet: &instance.alphabet,
            contract: &instance.contract,
            strategy: StrategyRef::Counter(machine),
        },
        &budget,
    );
    let found = find_violation(
        &StrategyClaim {
            formulas: &instance.formulas,
            alphabet: &instance.alphabet,
            contract: &instance.contract,
            strategy: StrategyRef::Counter(machine),
        },
        &budget,
    );
    assert_eq!(matches!(result, Err(CertifyError::Violated(_))), matches!(found, Ok(Some(_))));
    result
}

/// A contract on which another tool is known to be unsound: the system may violate an assumption that mentions outputs.
fn soundness_example() -> Instance {
    Instance::new("i1 i2", "o1 o2").with_guarantee(
        "(G((o1 & !i1) | (!o1 & i1)) & G(o2 -> (i2 | X i2))) -> (G(o1 -> X o1) & G(o2 <-> X i2))",
    )
}

#[test]
fn the_soundness_example_is_won_by_breaking_the_assumption() {
    let instance = soundness_example();
    let machine = mealy(&instance, "0: i1 / o1 -> 0\n0: !i1 / -> 0");
    let certified = check_mealy(&instance, &machine).unwrap();
    assert!(certified.product_states > 0);
    // One violation is enough; later outputs do not matter.
    let once = "0: i1 / o1 -> 1\n0: !i1 / -> 1\n1: / o1 o2 -> 1";
    check_mealy(&instance, &mealy(&instance, once)).unwrap();
}

#[test]
fn mutants_of_the_soundness_example_are_rejected() {
    let instance = soundness_example();
    for text in [
        "0: i1 / -> 0\n0: !i1 / o1 -> 0",
        "0: i1 / o1 -> 0\n0: !i1 / o1 -> 0",
        "0: i1 / o2 -> 0\n0: !i1 / -> 0",
    ] {
        let error = check_mealy(&instance, &mealy(&instance, text)).unwrap_err();
        let CertifyError::Violated(violation) = error else { panic!("{error}") };
        let mut meaning = LassoSemantics::new(&instance.formulas, &instance.alphabet, &violation.play);
        assert!(!meaning.holds(instance.contract.guarantees[0]));
    }
}

#[test]
fn violations_name_the_clause_and_are_short() {
    let instance = Instance::new("r", "g h")
        .with_fact("G(r -> X !r)")
        .with_restriction("G !(g & h)")
        .with_assumption("G F r")
        .with_guarantee("G(r -> X g)")
        .with_guarantee("G F h");
    let good = mealy(&instance, "0: r / h -> 1\n0: !r / h -> 0\n1: / g -> 0");
    check_mealy(&instance, &good).unwrap();
    let budget = Budget::unlimited();
    for (text, role, clause, length) in [
        ("0: r / g h -> 0\n0: !r / h -> 0", Role::Restriction, 0, 2),
        ("0: r / g -> 0\n0: !r / h -> 0", Role::Guarantee, 0, 2),
        ("0: r / -> 1\n0: !r / -> 0\n1: / g -> 0", Role::Guarantee, 1, 2),
    ] {
        let machine = mealy(&instance, text);
        let found = find_violation(
            &StrategyClaim {
                formulas: &instance.formulas,
                alphabet: &instance.alphabet,
                contract: &instance.contract,
                strategy: StrategyRef::Mealy(&machine),
            },
            &budget,
        );
        let violation = found.unwrap().unwrap();
        assert_eq!((violation.role, violation.clause), (role, Some(clause)), "{text}");
        assert!(violation.play.len() <= length, "{:?}", violation.play);
    }
}

#[test]
fn a_counter_strategy_must_keep_facts_and_assumptions_and_break_a_guarantee() {
    let instance = Instance::new("r", "g h")
        .with_fact("!r")
        .with_assumption("G F r")
        .with_restriction("G !(g & h)")
        .with_guarantee("G(r -> g)")
        .with_guarantee("G(r -> h)");
    let good = counter(&instance, "0/: -> 1\n1/r: -> 1");
    check_counter(&instance, &good).unwrap();
    for (text, role, clause) in [
        ("0/r: -> 0", Role::Fact, Some(0)),
        ("0/: -> 0", Role::Assumption, Some(0)),
        ("0/: g -> 0\n0/: !g -> 1\n1/r: -> 1", Role::Assumption, Some(0)),
    ] {
        let error = check_counter(&instance, &counter(&instance, text)).unwrap_err();
        let CertifyError::Violated(violation) = error else { panic!("{error}") };
        assert_eq!((violation.role, violation.clause), (role, clause), "{text}");
    }
    let kept = Instance::new("r", "g").with_guarantee("G(r -> g)").with_guarantee("G F g");
    let error = check_counter(&kept, &counter(&kept, "0/r: -> 0")).unwrap_err();
    let CertifyError::Violated(violation) = error else { panic!("{error}") };
    assert_eq!((violation.role, violation.clause), (Role::Guarantee, None));
}

#[test]
fn cells_have_one_update_in_every_step() {
    let instance = Instance::new("r", "").with_cell("x", "a b c").with_guarantee("G(a | b | c) & G(r <-> c)");
    check_mealy(&instance, &mealy(&instance, "0: r / c -> 0\n0: !r / a -> 0")).unwrap();
    // The fourth code of the two bits is no letter, so no play satisfies this guarantee.
    let unreal = Instance::new("r", "").with_cell("x", "a b c").with_guarantee("F !(a | b | c)");
    check_counter(&unreal, &counter(&unreal, "0/: -> 0")).unwrap();
    let mut machine = mealy(&instance, "0: r / c -> 0\n0: !r / a -> 0");
    for bit in instance.alphabet.cells().iter().flat_map(|cell| &cell.bits) {
        machine.states.iter_mut().for_each(|state| {
            state.edges[0].output.insert(*bit);
        });
    }
    assert!(matches!(check_mealy(&instance, &machine), Err(CertifyError::Malformed(_))));
}

#[test]
fn malformed_machines_are_rejected() {
    let instance = Instance::new("r s", "g").with_guarantee("1");
    for text in [
        "0: r / -> 0\n0: s / -> 0\n0: !r !s / -> 0",
        "0: r / -> 0\n0: !r s / -> 0",
        "0: / r -> 0",
        "0: g / -> 0\n0: !g / -> 0",
        "0: / -> 1",
        "1: / -> 0",
    ] {
        let result = check_mealy(&instance, &mealy(&instance, text));
        assert!(matches!(result, Err(CertifyError::Malformed(_))), "{text}");
    }
    let mut disordered = mealy(&instance, "0: / -> 0");
    let (r, s) = (instance.bit("r"), instance.bit("s"));
    let below = disordered.guards.bit(r);
    let twisted = disordered.guards.make(s, below, Guard::TRUE);
    let rest = disordered.guards.make(s, Guard::FALSE, Guard::FALSE);
    let edge = disordered.states.iter().next().unwrap().edges[0].clone();
    disordered.states.iter_mut().for_each(|state| {
        state.edges =
            vec![MealyEdge { guard: twisted, ..edge.clone() }, MealyEdge { guard: rest, ..edge.clone() }];
    });
    let error = check_mealy(&instance, &disordered).unwrap_err();
    assert!(error.to_string().contains("order"), "{error}");
    // Bits that the alphabet does not have.
    let unknown = BitId::from_index(instance.alphabet.bit_count());
    let mut given = mealy(&instance, "0: / -> 0");
    given.states.iter_mut().for_each(|state| state.edges[0].output = [unknown].into_iter().collect());
    assert!(matches!(check_mealy(&instance, &given), Err(CertifyError::Malformed(_))));
    let mut read = mealy(&instance, "0: / -> 0");
    let [yes, no] = [true, false].map(|value| read.guards.literal(unknown, value));
    let edge = read.states[read.initial].edges[0].clone();
    read.states[read.initial].edges =
        vec![MealyEdge { guard: yes, ..edge.clone() }, MealyEdge { guard: no, ..edge }];
    assert!(matches!(check_mealy(&instance, &read), Err(CertifyError::Malformed(_))));
    let mut empty = mealy(&instance, "0: / -> 0");
    empty.states = IdVec::new();
    assert!(matches!(check_mealy(&instance, &empty), Err(CertifyError::Malformed(_))));
    for text in ["0/: g -> 0", "0/: g -> 0\n0/: -> 0", "0/: r -> 0\n0/: !r -> 0", "0/g: -> 0", "0/: -> 7"] {
        let result = check_counter(&instance, &counter(&instance, text));
        assert!(matches!(result, Err(CertifyError::Malformed(_))), "{text}");
    }
}

#[test]
fn a_limit_is_neither_yes_nor_no() {
    let instance = soundness_example();
    let machine = mealy(&instance, "0: / -> 0");
    for budget in [Budget::unlimited().with_work(3), Budget::unlimited().with_memory(100)] {
        let result = certify(
            &StrategyClaim {
                formulas: &instance.formulas,
                alphabet: &instance.alphabet,
                contract: &instance.contract,
                strategy: StrategyRef::Mealy(&machine),
            },
            &budget,
        );
        let Err(CertifyError::Limit(limit)) = result else { panic!("{result:?}") };
        assert!(matches!(limit.kind, LimitKind::Work | LimitKind::Memory));
    }
}

#[test]
fn many_bits_and_assumptions_cost_little() {
    let names: Vec<String> = (0..24).map(|i| format!("r{i}")).collect();
    let outputs: Vec<String> = (0..24).map(|i| format!("g{i}")).collect();
    let mut instance = Instance::new(&names.join(" "), &outputs.join(" "));
    for i in 0..24 {
        instance =
            instance.with_assumption(&format!("G F r{i}")).with_guarantee(&format!("G(r{i} -> F g{i})"));
        for j in 0..i {
            instance = instance.with_guarantee(&format!("G !(g{i} & g{j})"));
        }
    }
    // Round robin.
    let lines: Vec<String> = (0..24).map(|i| format!("{i}: / g{i} -> {}", (i + 1) % 24)).collect();
    let machine = mealy(&instance, &lines.join("\n"));
    assert_eq!(machine.states.iter().next().unwrap().edges[0].guard, Guard::TRUE);
    let certified = check_mealy(&instance, &machine).unwrap();
    assert!(certified.product_states < 24 * 24 * 30, "{certified:?}");
}

#[test]
fn guards_in_another_order_of_bits_are_no_guards() {
    let instance = Instance::new("z a b", "x").with_guarantee("1");
    let (z, a, b) = (instance.bit("z"), instance.bit("a"), instance.bit("b"));
    // Guards for `a & b` and its negation, with `b` above `a` in the diagrams, in the order of the store, in both or in
    // none.
    for (swapped_guard, swapped_store) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut guards = Guards::new();
        if swapped_store {
            guards.put_behind(b, z);
        }
        let (top, below) = if swapped_guard { (b, a) } else { (a, b) };
        let yes = guards.make(below, Guard::FALSE, Guard::TRUE);
        let no = guards.make(below, Guard::TRUE, Guard::FALSE);
        let both = guards.make(top, Guard::FALSE, yes);
        let others = guards.make(top, Guard::TRUE, no);
        let edge = |guard| MealyEdge { guard, output: Letter::new(), next: StateId::from_index(0) };
        let state = MealyState { edges: vec![edge(both), edge(others)] };
        let machine =
            Mealy { guards, states: [state].into_iter().collect(), initial: StateId::from_index(0) };
        let Instance { formulas, alphabet, contract, .. } = &instance;
        let claim = StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Mealy(&machine) };
        let checked = certify(&claim, &Budget::unlimited());
        if swapped_guard || swapped_store {
            assert!(matches!(checked, Err(CertifyError::Malformed(_))), "{checked:?}");
        } else {
            assert!(checked.is_ok(), "{checked:?}");
        }
    }
}
