//! Games with a formula as games with priorities: the product with a deterministic parity automaton of the formula.
//!
//! The formula becomes a Boolean combination of formulas that have deterministic Büchi automata (the normal form Δ₂); the
//! product of these automata has an Emerson-Lei condition, and its Zielonka tree gives the priorities. The automaton is
//! certified by the checker as a machine whose outputs are the priorities.
//!
//! Sources: Esparza, Rubio and Sickert, "Efficient normalization of linear temporal logic" (JACM 2024); Casares, Colcombet
//! and Fijalkow, "Optimal transformations of games and automata using Muller conditions" (ICALP 2021).

use rustc_hash::FxHashMap;
use tsl_synth_arithmetic::Space;
use tsl_synth_automata::{ParityArrow, accepting_loop, ltl_to_deterministic};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind, coarsest_partition};
use tsl_synth_core::logic::{
    AtomId, BitId, Class, FormulaId, Formulas, Guard, Guards, Letter, Node, Sum, delta2,
};
use tsl_synth_core::model::{
    Contract, DeterministicBuchi, FormulaBlock, LocationId, Marks, Mealy, MealyEdge, MealyState, ProgramAtom,
    ProgramFormula, ProgramGame, ProgramMove, ProgramText, RunStateId, StateId,
};
use tsl_synth_kernel::{CertifyError, StrategyClaim, StrategyRef, certify};

/// The most states of the automaton of a formula and of its parts.
const STATES: usize = 400;
/// The most parts of a formula.
const PARTS: usize = 10;
/// The most blocks with assumptions that are taken apart.
const COMBINATIONS: usize = 6;
/// The most moves of the product.
const MOVES: usize = 60_000;

/// The letters of an edge, the next state, the priority.
type Edge = (Guard, usize, u32);

/// A deterministic parity automaton over the conditions of a formula.
struct Automaton {
    guards: Guards,
    /// The edges of each state.
    states: Vec<Vec<Edge>>,
}

/// The game of a text with the formula as priorities; with the automaton certified.
///
/// # Errors
/// [`CertifyError::Limit`] if the formula is too large or has a shape that is not supported; a failed certificate.
pub(crate) fn product(text: &ProgramText, budget: &Budget) -> Result<ProgramGame, CertifyError> {
    let Some(formula) = &text.formula else { return Ok(text.game.clone()) };
    let has_other = text.game.moves.iter().any(|one| one.priority > 1)
        || text.game.moves.iter().any(|one| one.priority == 1 && one.from != one.to);
    if has_other {
        return Err(too_large("a formula beside a Parity game with too many numbers is not supported").into());
    }
    let mut formula = formula.clone();
    let automaton = automaton(&mut formula, budget)?;
    certify_automaton(&formula, &automaton, budget)?;
    Ok(with_automaton(&text.game, &formula, &automaton)?)
}

fn too_large(what: &str) -> Limit {
    Limit::new(LimitKind::Size, what)
}

/// A Boolean combination of "the automaton with this number accepts".
#[derive(Clone, Debug)]
enum Combination {
    Accepts(usize, bool),
    And(Vec<Self>),
    Or(Vec<Self>),
}

impl Combination {
    /// Its value if exactly these automata accept.
    fn holds(&self, accepting: u32) -> bool {
        match self {
            Self::Accepts(part, positive) => (accepting >> part & 1 == 1) == *positive,
            Self::And(parts) => parts.iter().all(|part| part.holds(accepting)),
            Self::Or(parts) => parts.iter().any(|part| part.holds(accepting)),
        }
    }
}

fn automaton(formula: &mut ProgramFormula, budget: &Budget) -> Result<Automaton, Limit> {
    let whole = formula.formula();
    let root = delta2(&mut formula.formulas, whole, budget)?;
    let mut parts: Vec<DeterministicBuchi> = Vec::new();
    let mut known: FxHashMap<FormulaId, Combination> = FxHashMap::default();
    let condition = combination(formula, root, &mut parts, &mut known, budget)?;
    let tree = ZielonkaTree::new(&condition, parts.len());
    let mut guards = formula.alphabet.guards();
    let mut numbers: FxHashMap<(Vec<RunStateId>, usize), usize> = FxHashMap::default();
    let first: Vec<RunStateId> = parts.iter().map(|part| part.initial).collect();
    let mut todo = vec![(first.clone(), tree.first_leaf(0))];
    numbers.insert((first, tree.first_leaf(0)), 0);
    let mut states: Vec<Vec<Edge>> = Vec::new();
    while states.len() < todo.len() {
        let (run, leaf) = todo[states.len()].clone();
        let mut joint: Vec<(Guard, Vec<RunStateId>, u32)> = vec![(Guard::TRUE, Vec::new(), 0)];
        for (number, (part, &state)) in parts.iter().zip(&run).enumerate() {
            let mut next = Vec::new();
            for (guard, targets, marks) in &joint {
                for edge in &part.states[state] {
                    let own = part.guards.copy_into(edge.guard, &mut guards);
                    let both = guards.and(*guard, own);
                    if both != Guard::FALSE {
                        let mut targets = targets.clone();
                        targets.push(edge.next);
                        next.push((both, targets, marks | u32::from(edge.accepting) << number));
                    }
                }
            }
            joint = next;
            budget.tick(joint.len() as u64, || "the automaton of a formula".into())?;
        }
        let mut edges: Vec<Edge> = Vec::new();
        for (guard, targets, marks) in joint {
            let (priority, next_leaf) = tree.step(leaf, marks);
            let count = numbers.len();
            let target = *numbers.entry((targets.clone(), next_leaf)).or_insert(count);
            if target == todo.len() {
                todo.push((targets, next_leaf));
            }
            add_edge(&mut guards, &mut edges, (guard, target, priority));
        }
        states.push(edges);
        if todo.len() > STATES {
            return Err(too_large("the automaton of a formula has too many states"));
        }
    }
    let mut automaton = Automaton { guards, states };
    automaton.decide();
    automaton.merge();
    Ok(automaton)
}

impl Automaton {
    /// Ends runs at states from which all words are accepted, or none.
    fn decide(&mut self) {
        let graph = |shift: u32| -> Vec<Vec<ParityArrow>> {
            let arrow = |&(_, to, priority): &Edge| ParityArrow {
                to,
                marks: Marks::NONE,
                priority: priority + shift,
            };
            self.states.iter().map(|edges| edges.iter().map(arrow).collect()).collect()
        };
        let (accepting, rejecting) = (graph(0), graph(1));
        for state in 0..self.states.len() {
            if accepting_loop(&accepting, &[state], 0).is_none() {
                self.states[state] = vec![(Guard::TRUE, state, 1)];
            } else if accepting_loop(&rejecting, &[state], 0).is_none() {
                self.states[state] = vec![(Guard::TRUE, state, 0)];
            }
        }
    }

    /// The reachable part of the quotient by bisimilarity.
    fn merge(&mut self) {
        let Self { guards, states } = self;
        let class = coarsest_partition(vec![0; states.len()], |state, class| {
            let mut joint: Vec<Edge> = Vec::new();
            for &(guard, to, priority) in &states[state] {
                add_edge(guards, &mut joint, (guard, class[to], priority));
            }
            joint.sort_unstable_by_key(|&(_, to, priority)| (to, priority));
            joint
        });
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::from_iter([(class[0], 0)]);
        let mut todo = vec![0];
        let mut merged = Vec::new();
        while let Some(&state) = todo.get(merged.len()) {
            let mut edges: Vec<Edge> = Vec::new();
            for &(guard, to, priority) in &states[state] {
                let number = numbers.len();
                let next = *numbers.entry(class[to]).or_insert_with(|| {
                    todo.push(to);
                    number
                });
                add_edge(guards, &mut edges, (guard, next, priority));
            }
            merged.push(edges);
        }
        *states = merged;
    }
}

/// Adds an edge; edges with the same target and priority become one.
fn add_edge(guards: &mut Guards, edges: &mut Vec<Edge>, (guard, to, priority): Edge) {
    match edges.iter_mut().find(|edge| edge.1 == to && edge.2 == priority) {
        Some(edge) => edge.0 = guards.or(edge.0, guard),
        None => edges.push((guard, to, priority)),
    }
}

/// A formula of the normal form as a combination of automata.
fn combination(
    formula: &mut ProgramFormula,
    f: FormulaId,
    parts: &mut Vec<DeterministicBuchi>,
    known: &mut FxHashMap<FormulaId, Combination>,
    budget: &Budget,
) -> Result<Combination, Limit> {
    if let Some(known) = known.get(&f) {
        return Ok(known.clone());
    }
    let class = formula.formulas.class(f);
    let result = if class.is(Class::RECURRENCE) || class.is(Class::PERSISTENCE) {
        let positive = class.is(Class::RECURRENCE);
        let body = if positive { f } else { negation(&mut formula.formulas, f) };
        let part = ltl_to_deterministic(&mut formula.formulas, &formula.alphabet, body, STATES, budget)?;
        parts.push(part);
        if parts.len() > PARTS {
            return Err(too_large("a formula of too many parts"));
        }
        Combination::Accepts(parts.len() - 1, positive)
    } else {
        let node = formula.formulas.node(f).clone();
        let (operands, is_and) = match node {
            Node::And(operands) => (operands, true),
            Node::Or(operands) => (operands, false),
            _ => return Err(too_large("a formula of an unexpected shape")),
        };
        let mut all = Vec::new();
        for &operand in &operands {
            all.push(combination(formula, operand, parts, known, budget)?);
        }
        if is_and { Combination::And(all) } else { Combination::Or(all) }
    };
    known.insert(f, result.clone());
    Ok(result)
}

/// The negation in negation normal form.
fn negation(formulas: &mut Formulas, f: FormulaId) -> FormulaId {
    let mut normalizer = tsl_synth_core::logic::Normalizer::new();
    normalizer.normalize(formulas, f, true)
}

/// A Zielonka tree: a node for each set of colors, whose children are the maximal subsets with the other answer.
struct ZielonkaTree {
    labels: Vec<u32>,
    parents: Vec<usize>,
    children: Vec<Vec<usize>>,
    /// The priority of each node.
    priorities: Vec<u32>,
}

impl ZielonkaTree {
    fn new(condition: &Combination, colors: usize) -> Self {
        let all = (1u32 << colors) - 1;
        let mut tree = Self {
            labels: vec![all],
            parents: vec![0],
            children: vec![Vec::new()],
            priorities: vec![u32::from(!condition.holds(all))],
        };
        let mut at = 0;
        while at < tree.labels.len() {
            let (label, accepts) = (tree.labels[at], condition.holds(tree.labels[at]));
            // Subsets of the label, the larger ones first.
            let mut subsets = vec![];
            let mut subset = label;
            while subset != 0 {
                subset = (subset - 1) & label;
                subsets.push(subset);
            }
            subsets.sort_by_key(|subset| (std::cmp::Reverse(subset.count_ones()), *subset));
            let mut maximal: Vec<u32> = Vec::new();
            for subset in subsets {
                if condition.holds(subset) != accepts
                    && !maximal.iter().any(|larger| subset & larger == subset)
                {
                    maximal.push(subset);
                }
            }
            for child in maximal {
                tree.children[at].push(tree.labels.len());
                tree.labels.push(child);
                tree.parents.push(at);
                tree.children.push(Vec::new());
                let priority = tree.priorities[at] + 1;
                tree.priorities.push(priority);
            }
            at += 1;
        }
        tree
    }

    fn first_leaf(&self, mut node: usize) -> usize {
        while let Some(&child) = self.children[node].first() {
            node = child;
        }
        node
    }

    /// The priority of colors that are seen at a leaf, and the next leaf.
    fn step(&self, leaf: usize, colors: u32) -> (u32, usize) {
        let (mut node, mut below) = (leaf, None);
        while self.labels[node] & colors != colors {
            below = Some(node);
            node = self.parents[node];
        }
        let next = match below {
            None => leaf,
            Some(child) => {
                let at = self.children[node].iter().position(|&other| other == child).unwrap_or(0);
                self.first_leaf(self.children[node][(at + 1) % self.children[node].len()])
            }
        };
        (self.priorities[node], next)
    }
}

/// Certifies that exactly the words that keep the formula have an even least priority.
fn certify_automaton(
    formula: &ProgramFormula,
    automaton: &Automaton,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut formulas = formula.formulas.clone();
    let mut alphabet = formula.alphabet.clone();
    let mut priorities: Vec<u32> = automaton.states.iter().flatten().map(|edge| edge.2).collect();
    priorities.sort_unstable();
    priorities.dedup();
    let outputs: Vec<AtomId> =
        priorities.iter().map(|priority| alphabet.add_output(format!("priority {priority}"))).collect();
    let mut guards = alphabet.guards();
    let mut states: IdVec<StateId, MealyState> = IdVec::new();
    for edges in &automaton.states {
        let mut own = Vec::new();
        for &(guard, next, priority) in edges {
            let mut output = Letter::new();
            let at = priorities.iter().position(|&p| p == priority).unwrap_or(0);
            alphabet.choose(outputs[at], &mut output);
            let guard = automaton.guards.copy_into(guard, &mut guards);
            own.push(MealyEdge { guard, output, next: StateId::from_index(next) });
        }
        states.push(MealyState { edges: own });
    }
    let machine = Mealy { guards, states, initial: StateId::from_index(0) };
    let mut won = Vec::new();
    for at in (0..priorities.len()).filter(|&at| priorities[at].is_multiple_of(2)) {
        let seen = formulas.atom(outputs[at]);
        let seen = formulas.finally(seen);
        let mut all = vec![formulas.globally(seen)];
        for (below, smaller) in priorities.iter().enumerate().take(at) {
            if !smaller.is_multiple_of(2) {
                let never = formulas.atom(outputs[below]);
                let never = formulas.not(never);
                let never = formulas.globally(never);
                all.push(formulas.finally(never));
            }
        }
        won.push(formulas.and(all));
    }
    let won = formulas.or(won);
    let lost = formulas.not(won);
    let holds = |assumptions: Vec<FormulaId>, guarantees: Vec<FormulaId>, formulas: &Formulas| {
        let contract = Contract { assumptions, guarantees, ..Contract::default() };
        let strategy = StrategyRef::Mealy(&machine);
        certify(&StrategyClaim { formulas, alphabet: &alphabet, contract: &contract, strategy }, budget)
            .map(drop)
    };
    for block in &formula.blocks {
        holds([&[won], &block.assumptions[..]].concat(), block.guarantees.clone(), &formulas)?;
    }
    // A word that keeps all blocks is won: of each block it keeps all guarantees or not all assumptions, in all
    // combinations.
    let (plain, open): (Vec<&FormulaBlock>, Vec<&FormulaBlock>) =
        formula.blocks.iter().partition(|block| block.assumptions.is_empty());
    let (open, whole) = open.split_at(open.len().min(COMBINATIONS));
    let mut always: Vec<FormulaId> = plain.iter().flat_map(|block| block.guarantees.clone()).collect();
    for block in whole {
        let assumed = formulas.and(block.assumptions.iter().copied());
        let guaranteed = formulas.and(block.guarantees.iter().copied());
        always.push(formulas.implies(assumed, guaranteed));
    }
    for combination in 0..1u32 << open.len() {
        let mut given = always.clone();
        let mut goal = vec![won];
        for (number, block) in open.iter().enumerate() {
            if combination >> number & 1 == 0 {
                given.extend(&block.guarantees);
            } else if goal == [won] {
                goal.clone_from(&block.assumptions);
                given.push(lost);
            } else {
                let all = formulas.and(block.assumptions.iter().copied());
                given.push(formulas.not(all));
            }
        }
        holds(given, goal, &formulas)?;
    }
    Ok(())
}

/// The product of a game with an automaton.
fn with_automaton(
    game: &ProgramGame,
    formula: &ProgramFormula,
    automaton: &Automaton,
) -> Result<ProgramGame, Limit> {
    let large = || too_large("the product of a game with the automaton of its formula is too large");
    let count = automaton.states.len();
    let location = |at: LocationId, state: usize| LocationId::from_index(at.index() * count + state);
    let mut space = Space::new((0..game.variables.len() as u32).map(|v| game.is_integer(v)).collect());
    let present = (game.cells + game.inputs) as u32;
    let mut guards = automaton.guards.clone();
    let meaning = |bit: BitId| &formula.meanings[AtomId::from_index(bit.index())];
    let given = |bit: BitId, one: &ProgramMove| match *meaning(bit) {
        ProgramAtom::Action(action) if formula.free >> action & 1 == 0 => {
            Some(one.actions >> action & 1 == 1)
        }
        _ => None,
    };
    let mut moves: IdVec<tsl_synth_core::model::MoveId, ProgramMove> = IdVec::new();
    for one in &game.moves {
        let is_lost = one.priority == 1;
        let image = |variable: u32| {
            Some(match variable.checked_sub(present) {
                Some(cell) => one.updates.get(cell as usize)?.clone(),
                None => Sum::variable(variable),
            })
        };
        for (state, edges) in automaton.states.iter().enumerate() {
            if is_lost {
                let (from, to) = (location(one.from, state), location(one.to, state));
                moves.push(ProgramMove { from, to, ..one.clone() });
                continue;
            }
            for &(guard, next, priority) in edges {
                let guard = guards.given(guard, &|bit| given(bit, one));
                for cube in guards.cubes(guard) {
                    let (mut all, mut actions) = (one.guard.clone(), one.actions & !formula.free);
                    for &(bit, value) in &cube {
                        match meaning(bit) {
                            ProgramAtom::Condition(condition) => {
                                let part = condition.substituted(image).ok_or_else(large)?;
                                all.push(if value { part } else { part.negated() });
                            }
                            ProgramAtom::Action(action) => actions |= u64::from(value) << action,
                        }
                    }
                    let Some(polyhedron) = space.polyhedron(&all) else { continue };
                    let small = space.irredundant(polyhedron);
                    moves.push(ProgramMove {
                        from: location(one.from, state),
                        to: location(one.to, next),
                        guard: space.inequalities(&small),
                        updates: one.updates.clone(),
                        priority,
                        actions,
                    });
                    if moves.len() > MOVES {
                        return Err(large());
                    }
                }
            }
        }
    }
    let mut locations = IdVec::new();
    for name in &game.locations {
        for _ in 0..count {
            locations.push(name.clone());
        }
    }
    Ok(reachable(&ProgramGame {
        variables: game.variables.clone(),
        locations,
        initial: location(game.initial, 0),
        start: game.start.clone(),
        moves,
        ..*game
    }))
}

/// The game without locations that no move leads to.
fn reachable(game: &ProgramGame) -> ProgramGame {
    let from = game.moves_from();
    let mut seen = vec![game.initial];
    let mut at = 0;
    while at < seen.len() {
        for &one in &from[seen[at]] {
            let to = game.moves[one].to;
            if !seen.contains(&to) {
                seen.push(to);
            }
        }
        at += 1;
    }
    seen.sort_unstable();
    let number = |location: LocationId| seen.binary_search(&location).ok().map(LocationId::from_index);
    let mut moves = IdVec::new();
    for one in &game.moves {
        if let (Some(from), Some(to)) = (number(one.from), number(one.to)) {
            moves.push(ProgramMove { from, to, ..one.clone() });
        }
    }
    ProgramGame {
        variables: game.variables.clone(),
        locations: seen.iter().map(|&location| game.locations[location].clone()).collect(),
        initial: number(game.initial).unwrap_or(game.initial),
        start: game.start.clone(),
        moves,
        ..*game
    }
}
