//! The constants by which the engines bound their games and the diagrams of these, and how work is counted. They were
//! chosen by measuring on the public benchmark; answers stay right with others, but which are found within a limit, the
//! statistics and the sizes of results change with them.

// The bounded engine.

/// States of the monitor of a safety hypothesis that is a gate. Larger: more hypotheses are gates rather than multiply
/// automata.
pub(super) const MAX_GATE_STATES: usize = 200;
/// States of an automaton of the objective. Larger: more contracts are played rather than a size limit.
pub(super) const MAX_AUTOMATON_STATES: usize = 3_000;
/// Alternatives and options of a leaf of a diagram. Larger: games with many choices are played rather than given up.
pub(super) const MAX_BRANCHING: usize = 50_000;
/// Leaves that are compared to keep the minimal or maximal ones. Larger: fewer choices are left, after more
/// comparisons.
pub(super) const MAX_COMPARED: usize = 300;
/// New nodes between two looks at the budget. Larger: limits are obeyed later.
pub(super) const POLL_NODES: usize = 4096;

// CompiledContract.

/// States of one automaton. Larger: more contracts are compiled, to larger games.
pub(super) const MAX_COMPONENT_STATES: usize = 4_096;
/// States of an automaton for which memory of its own is not worth its bits. Larger: fewer automata share memory.
pub const FEW_STATES: usize = 64;
/// Other conjuncts with which one is tried together. Larger: more of them share an automaton, later.
pub(super) const FEW_PARTNERS: usize = 4;
/// Parts into which a conjunct falls, and states of a nondeterministic automaton with a bit for each. Larger: more
/// conjuncts become automata, with more bits.
pub(super) const MANY_PARTS: usize = 256;
/// Nodes of next values in a unit of work. Larger: they count less.
pub(super) const VALUE_NODES_PER_WORK: u64 = 4;

// Conditions.

/// Clauses of a condition whose Zielonka tree is made. Larger: more conditions are solved, by larger trees.
pub(super) const MAX_CLAUSES: usize = 2_000;
/// Leaves of a Zielonka tree; as for [`MAX_CLAUSES`].
pub(super) const MAX_LEAVES: usize = 3_000;
/// Comparisons of sets of colors in a unit of work. Larger: they count less.
pub(super) const COMPARISONS_PER_WORK: u64 = 50;

// The explicit engine.

/// Vertices of the graph when it is solved for the first time. Larger: small games are explored further than needed.
pub(super) const FIRST_VERTICES: usize = 500;
/// How much larger the graph is each further time that it is solved. Larger: it is solved less often, and explored
/// further than needed.
pub(super) const VERTICES_GROWTH: usize = 3;
/// Nodes of guards in a unit of work. Larger: they count less.
pub(super) const GUARD_NODES_PER_WORK: usize = 32;
/// Steps of operations on decisions in a unit of work. Larger: they count less.
pub(super) const STEPS_PER_WORK: u64 = 16;
/// Edges that are looked at in a unit of work. Larger: solving counts less, exploring more.
pub(super) const EDGES_PER_WORK: usize = 64;

// The symbolic engine.

/// Diagram nodes of the first attempt; each further one has 32 times as many. Larger: fewer attempts, smaller: easy
/// games need little memory.
pub(super) const FIRST_NODES: usize = 1 << 16;
/// Positions and units of work of an explicit strategy that may be a circuit as well. Larger: fewer strategies are
/// circuits.
pub(super) const SMALL_STRATEGY: (usize, u64) = (1_000, 50_000);
/// Positions of a strategy that should be explicit. Larger: fewer strategies are circuits, and more work is lost on
/// those that are.
pub(super) const LARGE_STRATEGY: usize = 20_000;
/// Rounds of the search for an order of variables. Larger: better orders, later.
pub(super) const ORDER_ROUNDS: usize = 40;
/// Nodes of diagrams for which another order is looked for. Larger: small games keep their first order.
pub(super) const WORTH_SIFTING: usize = 500;
/// Nodes of exchanged levels in the search for another order. Larger: better orders, later.
pub(super) const SIFTING_WORK: u64 = 8_000_000;
/// Nodes of the copies of diagrams that are sifted, and results of operations that are kept. Larger: larger games are given
/// another order.
pub(super) const SIFTING_NODES: usize = 1 << 22;
pub(super) const SIFTING_RESULTS: usize = 1 << 16;
/// A block goes no further in a direction when the diagrams have more than so many hundredths of the nodes of the best ones.
/// Larger: better orders, later.
pub(super) const SIFTING_GROWTH: usize = 120;
/// Rounds of sifting, unless one gains little before. Larger: better orders, later.
pub(super) const SIFTING_ROUNDS: usize = 4;
/// Nodes of a cluster of a relation. Larger: fewer operations on larger diagrams.
pub(super) const CLUSTER_NODES: usize = 1_000;
/// Nodes of the states of one round of the search for reachable states. Larger: more games are pruned, later.
pub(super) const REACH_NODES: usize = 1 << 13;
/// Rounds of the search for reachable states; as for [`REACH_NODES`].
pub(super) const REACH_ROUNDS: usize = 1_000;
/// Units of work that the search for reachable states may take however quickly the game was solved; as for
/// [`REACH_NODES`].
pub(super) const REACH_WORK: u64 = 20_000;
/// Combinations of guards in a unit of work. Larger: they count less.
pub(super) const COMBINATIONS_PER_WORK: usize = 16;
/// Choices of functions that only tell which states are reached. Larger: smaller circuits, later.
pub(super) const REACH_CHOICES: usize = 2;
/// Functions that a bit has in other turns that are tried. Larger: smaller circuits, later.
pub(super) const CANDIDATES: usize = 6;
/// Nodes of a function that need not be smaller. Larger: less is tried, for larger circuits.
pub(super) const SMALL_FUNCTION: usize = 3;
/// New diagram nodes in a unit of work; each operation is one, too. Larger: diagrams count less.
pub(super) const NODES_PER_WORK: u64 = 8;
/// Diagram nodes that are looked at for garbage in a unit of work. Larger: garbage counts less.
pub(super) const SWEPT_PER_WORK: u64 = 64;
