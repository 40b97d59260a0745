//! Decides one contract with the bounded engine: the whole contract first, with little work; then with as
//! few assumptions as suffice (a controller under fewer assumptions is a controller; a counter-strategy
//! under fewer assumptions is one if it keeps the others, and shows which to add if not); then again with
//! more work.

use super::query::{Answer, Query, decide};
use crate::base::{Budget, Limit, LimitKind, Observer};
use crate::certify::{CertifyError, certify_counter};
use crate::game::{components, solve_symbolic};
use crate::logic::{Alphabet, Formulas, Node, Player};
use crate::mealy::{counter_strategy, mealy, quotient_counter, quotient_mealy};
use crate::model::{Contract, CounterStrategy, Mealy, Role};
use crate::synth::{Engine, Options};

/// A machine of the winner.
#[derive(Debug)]
pub(super) enum Winner {
    System(Mealy),
    Environment(CounterStrategy),
}

/// Counted bytes of a diagram node with its shares of the caches.
const NODE_BYTES: u64 = 160;

/// Who wins a contract, and which engine found it.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) winner: Winner,
    pub(super) engine: &'static str,
    /// The bound that sufficed, of the bounded engine.
    pub(super) bound: Option<u32>,
}

/// Who wins.
///
/// # Errors
/// The limit that ended the last question.
pub(super) fn settle(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    options: &Options,
    observer: &dyn Observer,
    log: &mut Vec<String>,
) -> Result<Settled, Limit> {
    let contract = &premises_out(formulas, contract);
    let nodes = usize::try_from(options.memory / NODE_BYTES / 2).unwrap_or(usize::MAX).min(60_000_000);
    let mut last = Limit::new(LimitKind::Work, "the rounds of the bounded engine");
    if options.bound.is_some() {
        let query = query(formulas, alphabet, contract, options, observer, (u64::MAX, nodes));
        return match decide(query) {
            Ok(answer) => Ok(bounded(&answer, alphabet)),
            Err([system, environment]) => Err(more_telling(system, environment)),
        };
    }
    if options.engine == Engine::Symbolic {
        return symbolic(formulas, alphabet, contract, options, observer, nodes);
    }
    let mut chosen: Vec<usize> = Vec::new();
    for round in 0..options.rounds {
        let work = options.work.saturating_mul(1 << (3 * round.min(20)));
        match decide(query(formulas, alphabet, contract, options, observer, (work, nodes))) {
            Ok(answer) => {
                log.push(format!("round {round}: whole contract decided"));
                return Ok(bounded(&answer, alphabet));
            }
            Err([system, environment]) => last = more_telling(system, environment),
        }
        stopped(options)?;
        if round == 0 && options.engine == Engine::Auto {
            match symbolic(formulas, alphabet, contract, options, observer, nodes) {
                Ok(settled) => {
                    log.push("symbolic engine: decided".into());
                    return Ok(settled);
                }
                Err(limit) => log.push(format!("symbolic engine: {}", limit.what)),
            }
            stopped(options)?;
        }
        if contract.assumptions.len() < 2 {
            continue;
        }
        loop {
            let part = Contract {
                assumptions: chosen.iter().map(|&i| contract.assumptions[i]).collect(),
                ..contract.clone()
            };
            let question = query(formulas, alphabet, &part, options, observer, (work, nodes));
            let Ok(answer) = decide(question) else { break };
            log.push(format!(
                "round {round}: {} of {} assumptions decided",
                chosen.len(),
                contract.assumptions.len()
            ));
            let settled = bounded(&answer, alphabet);
            let Winner::Environment(counter) = &settled.winner else { return Ok(settled) };
            let budget = Budget::unlimited().with_flag(options.stop.clone()).with_work(work);
            match certify_counter(formulas, alphabet, contract, counter, &budget) {
                Err(CertifyError::Violated(v)) if v.role == Role::Assumption => match v.clause {
                    Some(i) if !chosen.contains(&i) => chosen.push(i),
                    _ => break,
                },
                Err(_) => break,
                Ok(_) => return Ok(settled),
            }
        }
        stopped(options)?;
    }
    Err(last)
}

/// Counted work of the compilation of components and of the exploration of an explicit strategy.
const SYMBOLIC_WORK: u64 = 50;

fn symbolic(
    formulas: &Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    options: &Options,
    observer: &dyn Observer,
    nodes: usize,
) -> Result<Settled, Limit> {
    let budget = Budget::unlimited()
        .with_flag(options.stop.clone())
        .with_work(options.work.saturating_mul(SYMBOLIC_WORK));
    let components = components(&mut formulas.clone(), alphabet, contract, &budget)?;
    let solution = solve_symbolic(&components, alphabet, nodes, &budget, observer)?;
    let winner = match solution.winner {
        Player::System => Winner::System(quotient_mealy(&mealy(&solution.strategy, alphabet))),
        Player::Environment => {
            Winner::Environment(quotient_counter(&counter_strategy(&solution.strategy, alphabet)))
        }
    };
    Ok(Settled { winner, engine: "symbolic", bound: None })
}

fn query<'a>(
    formulas: &'a Formulas,
    alphabet: &'a Alphabet,
    contract: &'a Contract,
    options: &'a Options,
    observer: &'a dyn Observer,
    (work, max_nodes): (u64, usize),
) -> Query<'a> {
    Query {
        formulas,
        alphabet,
        contract,
        bound: options.bound,
        work,
        threads: options.threads,
        max_nodes,
        stop: &options.stop,
        observer,
    }
}

fn stopped(options: &Options) -> Result<(), Limit> {
    match options.stop.raised() {
        Some(kind) => Err(Limit::new(kind, "the bounded engine")),
        None => Ok(()),
    }
}

fn more_telling(a: Limit, b: Limit) -> Limit {
    if matches!(a.kind, LimitKind::Bound | LimitKind::Superseded) { b } else { a }
}

fn bounded(answer: &Answer, alphabet: &Alphabet) -> Settled {
    let machine = match answer.winner {
        Player::System => Winner::System(quotient_mealy(&mealy(&answer.strategy, alphabet))),
        Player::Environment => {
            Winner::Environment(quotient_counter(&counter_strategy(&answer.strategy, alphabet)))
        }
    };
    Settled { winner: machine, engine: "bounded", bound: Some(answer.bound) }
}

/// A single guarantee `p1 | … | pn | (g1 & …)` without assumptions is the guarantees g under the
/// assumptions ¬p: the same contract with more structure.
pub(super) fn premises_out(formulas: &mut Formulas, contract: &Contract) -> Contract {
    let [guarantee] = contract.guarantees[..] else { return contract.clone() };
    let Node::Or(parts) = formulas.node(guarantee).clone() else { return contract.clone() };
    if !contract.assumptions.is_empty() {
        return contract.clone();
    }
    let mut conclusions: Vec<_> =
        parts.iter().copied().filter(|&f| !matches!(formulas.node(f), Node::Not(_))).collect();
    let conclusion = match conclusions.iter().position(|&f| matches!(formulas.node(f), Node::And(_))) {
        Some(i) => conclusions.swap_remove(i),
        None => match conclusions.pop() {
            Some(f) => f,
            None => parts[0],
        },
    };
    let mut assumptions = Vec::new();
    for &premise in parts.iter().filter(|&&f| f != conclusion) {
        let negated = formulas.not(premise);
        match formulas.node(negated) {
            Node::And(fs) => assumptions.extend_from_slice(fs),
            _ => assumptions.push(negated),
        }
    }
    let guarantees = match formulas.node(conclusion) {
        Node::And(fs) => fs.to_vec(),
        _ => vec![conclusion],
    };
    Contract { assumptions, guarantees, ..contract.clone() }
}
