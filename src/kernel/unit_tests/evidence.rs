//! The kernel rejects false evidence.

use super::setting::{Setting, unlimited};
use crate::search::components::{Fairness, fair_play};
use crate::search::couvreur::{ProductEmptiness, SearchExtent, search};
use crate::trusted::conditions::FairnessClause;
use crate::trusted::elimination::{
    Decomposition, Elimination, EliminationReason, FairnessCondition, ProductGraph, VertexEdge, VertexId,
};
use crate::trusted::normal::{GoalId, NormalForms};
use crate::trusted::plays::Plays;
use crate::trusted::product::{PairId, TableauProduct};
use tsl_synth_core::base::{Id as _, IdSet, IdVec, Random};
use tsl_synth_core::logic::{BitId, Guard, Guards};

/// Random numbers of the states of a product are accepted only if there is no play; too few numbers, and numbers of a
/// product that was entered only in part, never.
#[test]
fn false_numbers_of_a_product_are_rejected() {
    let (mut rejected, mut accepted, mut with) = (0, 0, 0);
    for seed in 0..500 {
        let mut setting = Setting::new(seed);
        let machine = setting.mealy();
        let count = 1 + setting.below(2);
        let asked = setting.conjuncts(count);
        let budget = unlimited();
        let mut plays = Plays::of_mealy(&setting.alphabet, &machine, &budget).expect("a machine");
        let mut forms = NormalForms::default();
        let context = (&setting.formulas, &setting.alphabet);
        let mut product =
            TableauProduct::of_literals(&mut plays, &mut forms, context, &asked, &budget).expect("no limit");
        // Nothing was entered yet.
        assert!(!product.is_empty_by(&IdVec::filled(0, product.len())), "{seed}");
        let found = search(&mut product, SearchExtent::Shortest).expect("no limit");
        let has_play = matches!(found, ProductEmptiness::Play(_));
        with += usize::from(has_play);
        for _ in 0..30 {
            let number: IdVec<PairId, usize> =
                (0..product.len()).map(|_| setting.random.below(product.len())).collect();
            let believed = product.is_empty_by(&number);
            assert!(!believed || !has_play, "{seed}");
            *(if believed { &mut accepted } else { &mut rejected }) += 1;
        }
        // Too few numbers, and the same one for all.
        assert!(!product.is_empty_by(&IdVec::filled(0, product.len() - 1)));
        assert!(!has_play || !product.is_empty_by(&IdVec::filled(0, product.len())));
        if !has_play {
            continue;
        }
        // Numbers of a product that was entered only in part prove nothing.
        let mut forms = NormalForms::default();
        let mut plays = Plays::of_mealy(&setting.alphabet, &machine, &budget).expect("a machine");
        let mut product =
            TableauProduct::of_literals(&mut plays, &mut forms, context, &asked, &budget).expect("no limit");
        product.enter(product.initial()).expect("no limit");
        for i in 0..product.len() {
            let number: IdVec<PairId, usize> = (0..product.len()).map(|j| usize::from(i == j)).collect();
            assert!(!product.is_empty_by(&number), "{seed}");
        }
    }
    assert!(rejected > 5000 && accepted > 100 && with > 150, "{rejected}, {accepted}, {with}");
}

/// A random graph over one bit with two strong fixpoints and two safety formulas, and a condition.
fn graph(random: &mut Random, guards: &mut Guards) -> (ProductGraph, FairnessCondition) {
    let bits = [0, 1].map(BitId::from_index);
    let size = 1 + random.below(4);
    let letters = |random: &mut Random, guards: &mut Guards| {
        let one = guards.literal(bits[random.below(2)], random.flip());
        if random.below(3) == 0 { Guard::TRUE } else { one }
    };
    let mut edges = IdVec::new();
    for state in 0..size {
        // Every state is reached.
        let onward = (state + 1 < size).then(|| VertexEdge {
            letters: letters(random, guards),
            postponed: IdSet::new(),
            next: VertexId::from_index(state + 1),
        });
        let row = (0..random.below(4)).map(|_| VertexEdge {
            letters: letters(random, guards),
            postponed: (0..2).filter(|_| random.below(3) == 0).map(GoalId::from_index).collect(),
            next: VertexId::from_index(random.below(size)),
        });
        edges.push(row.chain(onward).collect());
    }
    // As in a product, the states of one component agree on it.
    let kept = IdVec::filled([random.flip(), random.flip()].to_vec(), size);
    let clauses = (0..random.below(3)).map(|_| FairnessClause {
        often: if random.flip() { letters(random, guards) } else { Guard::FALSE },
        seldom: (0..random.below(3)).map(|_| letters(random, guards)).collect(),
        kept: (0..2).filter(|_| random.below(4) == 0).collect(),
        broken: (0..2).filter(|_| random.below(4) == 0).collect(),
    });
    let condition = FairnessCondition { clauses: clauses.collect(), goals: 2, kept };
    (ProductGraph { edges, initial: VertexId::from_index(0) }, condition)
}

/// Changes an elimination at random, so that it may miss a path.
fn change(shown: &mut Elimination, random: &mut Random, states: usize) {
    let region = random.below(shown.regions.len());
    let components: &mut Decomposition = &mut shown.regions[region];
    if components.is_empty() {
        return;
    }
    let (i, j) = (random.below(components.len()), random.below(components.len()));
    let state = VertexId::from_index(random.below(states));
    match random.below(8) {
        0 => components.swap(i, j),
        1 => drop(components.remove(i)),
        2 => components[i].0.push(state),
        3 => drop(components[i].0.pop()),
        4 => components[i].1 = EliminationReason::NoEdge,
        5 => components[i].1 = EliminationReason::Postponed(GoalId::from_index(random.below(2))),
        6 => {
            let (members, reason) = components.remove(i);
            let rest = if members.len() > 1 { members[1..].to_vec() } else { Vec::new() };
            components.insert(i, (members[..1.min(members.len())].to_vec(), reason.clone()));
            components.insert(i + random.below(2), (rest, reason));
        }
        _ => {
            if let EliminationReason::Clause(clause, without) = &mut components[i].1 {
                match random.below(4) {
                    0 => *clause = random.below(3),
                    1 => drop(without.pop()),
                    2 => without.push(region + random.below(2)),
                    _ if without.is_empty() => {}
                    _ => {
                        let at = random.below(without.len());
                        without[at] = random.below(region + 2);
                    }
                }
            } else {
                components[i].1 = EliminationReason::Clause(random.below(2), Vec::new());
            }
        }
    }
}

/// Eliminations of one graph, given to a graph with one more edge or a weaker condition, and eliminations with changes,
/// are accepted only if no path is fair; those of a search always are.
#[test]
fn false_eliminations_are_rejected() {
    let (mut random, budget) = (Random::new(1), unlimited());
    let (mut empty, mut transferred, mut rejected, mut accepted) = (0, 0, 0, 0);
    for round in 0..20_000 {
        let mut guards = Guards::new();
        let (mut graph, mut condition) = graph(&mut random, &mut guards);
        let Fairness::Nothing(shown) = fair_play(&graph, &mut guards, &condition, &budget).expect("no limit")
        else {
            continue;
        };
        assert!(shown.holds(&graph, &condition, &mut guards, &budget).expect("no limit"), "{round}");
        empty += 1;
        let mut wrong = Vec::new();
        for _ in 0..3 {
            let mut changed = Elimination { regions: shown.regions.clone() };
            for _ in 0..=random.below(2) {
                change(&mut changed, &mut random, graph.edges.len());
            }
            wrong.push(changed);
        }
        wrong.push(Elimination { regions: shown.regions.clone() });
        wrong.push(Elimination::default());
        // More paths, or a weaker condition on them.
        let states = graph.edges.len();
        match random.below(6) {
            0 | 1 => {
                let from = VertexId::from_index(random.below(states));
                let next = VertexId::from_index(random.below(states));
                graph.edges[from].push(VertexEdge { letters: Guard::TRUE, postponed: IdSet::new(), next });
            }
            2 => graph.edges.iter_mut().flatten().for_each(|edge| edge.postponed = IdSet::new()),
            3 => graph.edges.iter_mut().flatten().for_each(|edge| edge.letters = Guard::TRUE),
            4 => {
                condition.kept =
                    condition.kept.iter().map(|kept| kept.iter().map(|k| !k).collect()).collect();
            }
            _ => {
                for clause in &mut condition.clauses {
                    match random.below(3) {
                        0 => clause.often = Guard::TRUE,
                        1 => clause.seldom.iter_mut().for_each(|rare| *rare = Guard::FALSE),
                        _ => clause.kept = vec![0, 1],
                    }
                }
            }
        }
        let found = fair_play(&graph, &mut guards, &condition, &budget).expect("no limit");
        let is_fair = matches!(found, Fairness::Play(_));
        transferred += usize::from(is_fair);
        for shown in wrong {
            let believed = shown.holds(&graph, &condition, &mut guards, &budget).expect("no limit");
            assert!(!believed || !is_fair, "{round}");
            *(if believed { &mut accepted } else { &mut rejected }) += 1;
        }
    }
    assert!(empty > 2000 && transferred > 500, "{empty} {transferred}");
    assert!(rejected > 4000 && accepted > 1000, "{rejected} {accepted}");
}

/// Ways to break the form of an elimination, one by one, each of which alone makes it invalid.
#[test]
fn malformed_eliminations_are_rejected() {
    let (mut guards, budget) = (Guards::new(), unlimited());
    let yes = guards.literal(BitId::from_index(0), true);
    let [a, b] = [0, 1].map(VertexId::from_index);
    let edge = |next| VertexEdge { letters: Guard::TRUE, postponed: IdSet::new(), next };
    // From a to b, and round b: the letters `yes` of the loop are to be rare, and no letters are frequent.
    let graph = ProductGraph { edges: IdVec::from(vec![vec![edge(b)], vec![edge(b)]]), initial: a };
    let clause = |often, seldom| FairnessClause { often, seldom, kept: Vec::new(), broken: Vec::new() };
    let condition = |clause| FairnessCondition {
        clauses: vec![clause],
        goals: 1,
        kept: IdVec::from(vec![Vec::new(), Vec::new()]),
    };
    let rare = condition(clause(Guard::FALSE, vec![Guard::TRUE, yes]));
    let nothing = condition(clause(Guard::FALSE, Vec::new()));
    let fails = |clause: usize, without: &[usize]| EliminationReason::Clause(clause, without.to_vec());
    let mut holds = |condition: &FairnessCondition, regions: Vec<Decomposition>| {
        Elimination { regions }.holds(&graph, condition, &mut guards, &budget).expect("no limit")
    };
    let whole = |reason: EliminationReason| vec![(vec![b], reason), (vec![a], EliminationReason::NoEdge)];
    assert!(holds(&nothing, vec![whole(fails(0, &[]))]));
    assert!(!holds(&nothing, vec![whole(EliminationReason::NoEdge)]), "there is an edge");
    assert!(
        !holds(&nothing, vec![whole(EliminationReason::Postponed(GoalId::from_index(0)))]),
        "nor postponed"
    );
    assert!(!holds(&nothing, vec![whole(fails(1, &[]))]), "there is no such clause");
    assert!(!holds(&nothing, vec![whole(fails(0, &[1]))]), "a region for no set of letters");
    assert!(!holds(&nothing, Vec::new()), "no region at all");
    let mut backwards = whole(fails(0, &[]));
    backwards.reverse();
    assert!(!holds(&nothing, vec![backwards]), "an edge leads to a later component");
    assert!(!holds(&nothing, vec![vec![(vec![b], fails(0, &[]))]]), "a state in no component");
    let mut twice = whole(fails(0, &[]));
    twice[0].0.push(b);
    assert!(!holds(&nothing, vec![twice]), "a state twice in a component");
    assert!(
        !holds(&nothing, vec![vec![(vec![b, b], fails(0, &[]))]]),
        "as many members as states, but one of them twice"
    );
    let mut other = whole(fails(0, &[]));
    other[1].0.push(VertexId::from_index(2));
    assert!(!holds(&nothing, vec![other]), "a state that is none");
    assert!(!holds(&nothing, vec![whole(fails(0, &[])), Vec::new()]), "a region for no reason");
    // Without the first set of rare letters the loop has no letters, without the second it keeps some.
    let (none, rest) =
        (vec![(vec![b], EliminationReason::NoEdge)], vec![(vec![b], EliminationReason::NoEdge)]);
    assert!(!holds(&rare, vec![whole(fails(0, &[1, 2])), none.clone(), rest.clone()]), "a letter is left");
    assert!(!holds(&rare, vec![whole(fails(0, &[1, 1])), none.clone()]), "a region for two reasons");
    assert!(!holds(&rare, vec![whole(fails(0, &[1, 0])), none.clone()]), "a region that refers to itself");
    assert!(!holds(&rare, vec![whole(fails(0, &[1, 7])), none.clone()]), "a region that is none");
    assert!(
        !holds(&rare, vec![whole(fails(0, &[1])), none.clone()]),
        "not one region for each set of letters"
    );
    let only = condition(clause(Guard::FALSE, vec![Guard::TRUE]));
    assert!(holds(&only, vec![whole(fails(0, &[1])), none.clone()]));
    assert!(!holds(&only, vec![whole(fails(0, &[0])), none.clone()]), "a region before it");
    assert!(
        !holds(&only, vec![whole(fails(0, &[1])), vec![(vec![a], EliminationReason::NoEdge)]]),
        "of other states"
    );
    let often = condition(clause(Guard::TRUE, Vec::new()));
    assert!(!holds(&often, vec![whole(fails(0, &[]))]), "the clause does not fail");
    for (kept, broken, fair) in [(vec![0], vec![], false), (vec![], vec![0], true)] {
        let mut safety = condition(FairnessClause { often: Guard::FALSE, seldom: Vec::new(), kept, broken });
        safety.kept = IdVec::from(vec![vec![true], vec![false]]);
        assert_eq!(holds(&safety, vec![whole(fails(0, &[]))]), !fair);
        let together = vec![(vec![a, b], fails(0, &[]))];
        assert!(!holds(&safety, vec![together]), "in one of the states the clause holds");
    }
}
