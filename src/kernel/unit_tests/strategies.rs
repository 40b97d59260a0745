//! Verdicts about whole strategies, against the definition on all short plays.

use super::setting::{Setting, is_play, short_plays, unlimited};
use crate::outcome::{CertifyError, Violation};
use crate::trusted::plays::Plays;
use crate::trusted::symbolic::{circuit_of_counter, circuit_of_mealy};
use crate::{StrategyClaim, StrategyRef, certify, find_violation};
use tsl_synth_core::logic::{FormulaId, Lasso, Player};
use tsl_synth_core::model::{Contract, Role};

/// Whether a play breaks what the strategy of this player promises.
fn refutes(setting: &Setting, contract: &Contract, owner: Player, play: &Lasso) -> bool {
    let all = |clauses: &[FormulaId]| {
        let literals: Vec<_> = clauses.iter().map(|&f| (f, true)).collect();
        setting.satisfies(play, &literals)
    };
    let Contract { facts, restrictions, assumptions, guarantees } = contract;
    let kept = all(restrictions) && (!all(assumptions) || all(guarantees));
    match owner {
        Player::System => all(facts) && !kept,
        Player::Environment => !all(facts) || kept,
    }
}

/// Whether a play breaks the clause that its report names.
fn is_reported(setting: &Setting, contract: &Contract, owner: Player, violation: &Violation) -> bool {
    let Violation { role, clause, play } = violation;
    let holds = |clauses: &[FormulaId]| {
        let literals: Vec<_> = clauses.iter().map(|&f| (f, true)).collect();
        setting.satisfies(play, &literals)
    };
    let Contract { facts, restrictions, assumptions, guarantees } = contract;
    let clauses = match role {
        Role::Fact => facts,
        Role::Restriction => restrictions,
        Role::Assumption => assumptions,
        Role::Guarantee => guarantees,
    };
    let broken = clause.is_none_or(|clause| !holds(&clauses[clause..=clause]));
    broken
        && match (owner, role) {
            (Player::System, Role::Restriction) => holds(facts),
            (Player::System, Role::Guarantee) => holds(facts) && holds(assumptions),
            (Player::Environment, Role::Fact) => true,
            (Player::Environment, Role::Assumption) => holds(restrictions),
            (Player::Environment, Role::Guarantee) => {
                clause.is_none() && holds(restrictions) && holds(guarantees)
            }
            _ => false,
        }
}

#[test]
fn verdicts_agree_with_short_plays() {
    let (mut certified, mut refuted) = ([0; 2], [0; 2]);
    for seed in 0..700 {
        let mut setting = Setting::new(seed);
        let owner = setting.player();
        let clauses = |setting: &mut Setting, least: usize| -> Vec<FormulaId> {
            let count = least + setting.below(2);
            let clause = |literal: (FormulaId, bool), setting: &mut Setting| match literal {
                (f, true) => f,
                (f, false) => setting.formulas.not(f),
            };
            (0..count)
                .map(|_| {
                    let literal = setting.conjunct();
                    clause(literal, setting)
                })
                .collect()
        };
        let contract = Contract {
            facts: clauses(&mut setting, 0),
            restrictions: clauses(&mut setting, 0),
            assumptions: clauses(&mut setting, 0),
            guarantees: clauses(&mut setting, 1),
        };
        let (mealy, counter) = (setting.mealy(), setting.counter());
        let (plays, circuit) = match owner {
            Player::System => (
                Plays::of_mealy(&setting.alphabet, &mealy, &unlimited()),
                circuit_of_mealy(&setting.alphabet, &mealy),
            ),
            Player::Environment => (
                Plays::of_counter(&setting.alphabet, &counter, &unlimited()),
                circuit_of_counter(&setting.alphabet, &counter),
            ),
        };
        let plays = plays.expect("a machine");
        let short = short_plays(&plays, setting.alphabet.bit_count(), 4);
        let wrong = short.iter().any(|play| refutes(&setting, &contract, owner, play));
        let strategies = match owner {
            Player::System => [StrategyRef::Mealy(&mealy), StrategyRef::MealyCircuit(&circuit)],
            Player::Environment => [StrategyRef::Counter(&counter), StrategyRef::CounterCircuit(&circuit)],
        };
        let mut verdicts = Vec::new();
        for strategy in strategies {
            let Setting { formulas, alphabet, .. } = &setting;
            let claim = StrategyClaim { formulas, alphabet, contract: &contract, strategy };
            let shown = find_violation(&claim, &unlimited()).expect("no limit");
            let verdict = match certify(&claim, &unlimited()) {
                Ok(_) => None,
                Err(CertifyError::Violated(violation)) => Some(violation),
                Err(error) => panic!("{seed}: {error:?}"),
            };
            assert_eq!(shown.is_some(), verdict.is_some(), "{seed}");
            for violation in shown.iter().chain(&verdict) {
                assert!(is_play(&plays, &violation.play), "{seed}: {violation:?}");
                assert!(refutes(&setting, &contract, owner, &violation.play), "{seed}: {violation:?}");
                assert!(is_reported(&setting, &contract, owner, violation), "{seed}: {violation:?}");
            }
            verdicts.push(verdict.is_some());
        }
        assert_eq!(verdicts[0], verdicts[1], "{seed}");
        assert!(verdicts[0] || !wrong, "{seed}");
        *(if verdicts[0] { &mut refuted } else { &mut certified })
            .get_mut(usize::from(owner == Player::System))
            .expect("of both players") += 1;
    }
    assert!(certified.iter().chain(&refuted).all(|&n| n > 30), "{certified:?} {refuted:?}");
}
