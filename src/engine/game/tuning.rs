//! The constants that bound the games of the engines and their diagrams, and that define units of work. They were
//! chosen by measuring on the public benchmark; other values do not make answers wrong, but they change which answers
//! are found within a limit, the statistics and the sizes of results. `Larger:` gives the effect of a larger value.

// The bounded engine.

/// States of the monitor of a safety hypothesis that is a gate. Larger: more hypotheses are gates instead of
/// multiplying automata.
pub(super) const MAX_GATE_STATES: usize = 200;
/// States of an automaton of the objective. Larger: more contracts are solved instead of ending with a size limit.
pub(super) const MAX_AUTOMATON_STATES: usize = 3_000;
/// Alternatives and options of a leaf of a diagram. Larger: games with many choices are solved instead of given up.
pub(super) const MAX_BRANCHING: usize = 50_000;
/// Leaves that are compared to keep the minimal or maximal ones. Larger: fewer choices are left, after more
/// comparisons.
pub(super) const MAX_COMPARED: usize = 300;
/// New nodes between two checks of the budget. Larger: limits take effect later.
pub(super) const POLL_NODES: usize = 4096;

// Compilation of contracts to automata.

/// States of one automaton. Larger: more contracts are compiled, to larger games.
pub(super) const MAX_CONJUNCT_STATES: usize = 4_096;
/// States of an automaton up to which it is kept explicit and not compiled over shared memory. Larger: fewer automata
/// share memory.
pub const FEW_STATES: usize = 64;
/// Nodes of the relations that facts define between consecutive letters. Larger: more inputs are known to be functions of
/// the letter before.
pub(super) const DETERMINED_NODES: usize = 100_000;
/// Other conjuncts with which a conjunct is tentatively joined. Larger: more conjuncts share an automaton, more time.
pub(super) const FEW_PARTNERS: usize = 4;
/// Parts into which a conjunct is split, and states of a nondeterministic automaton with a bit for each. Larger: more
/// conjuncts become automata, with more bits.
pub(super) const MANY_PARTS: usize = 256;
/// Nodes of next values in a unit of work. Larger: a node counts less.
pub(super) const VALUE_NODES_PER_WORK: u64 = 4;

// Conditions.

/// Clauses of a condition whose Zielonka tree is made. Larger: more conditions are solved, with larger trees.
pub(super) const MAX_CLAUSES: usize = 2_000;
/// Leaves of a Zielonka tree; as for [`MAX_CLAUSES`].
pub(super) const MAX_LEAVES: usize = 3_000;
/// Comparisons of sets of colors in a unit of work. Larger: a comparison counts less.
pub(super) const COMPARISONS_PER_WORK: u64 = 50;

// The explicit engine.

/// Vertices of the graph when it is solved for the first time. Larger: small games are explored further than needed.
pub(super) const FIRST_VERTICES: usize = 500;
/// The factor by which the graph grows before it is solved again. Larger: it is solved less often, and explored further
/// than needed.
pub(super) const VERTICES_GROWTH: usize = 3;
/// Nodes of guards in a unit of work. Larger: a node counts less.
pub(super) const GUARD_NODES_PER_WORK: usize = 32;
/// Steps of operations on decision diagrams in a unit of work. Larger: a step counts less.
pub(super) const STEPS_PER_WORK: u64 = 16;
/// Edges that are visited in a unit of work. Larger: solving counts less compared with exploring.
pub(super) const EDGES_PER_WORK: usize = 64;

// The symbolic engine.

/// Diagram nodes of the first attempt; each further attempt has 32 times as many. Larger: fewer attempts, but easy
/// games need more memory.
pub(super) const FIRST_NODES: usize = 1 << 16;
/// Positions and units of work up to which a strategy of either form is made explicit. Larger: fewer strategies are
/// circuits.
pub(super) const SMALL_STRATEGY: (usize, u64) = (1_000, 50_000);
/// Positions and units of work of a strategy for which the explicit form is preferred. Larger: fewer strategies are
/// circuits, and more work is lost on those that are.
pub(super) const LARGE_STRATEGY: (usize, u64) = (20_000, 1_000_000);
/// Rounds of the search for an order of variables. Larger: better orders, more time.
pub(super) const ORDER_ROUNDS: usize = 40;
/// Nodes of diagrams from which on sifting is tried. Larger: more small games keep their first order.
pub(super) const WORTH_SIFTING: usize = 500;
/// Nodes of exchanged levels in sifting. Larger: better orders, more time.
pub(super) const SIFTING_WORK: u64 = 8_000_000;
/// Nodes of the copies of diagrams that are sifted, and results of operations that are cached. Larger: larger games are
/// sifted.
pub(super) const SIFTING_NODES: usize = 1 << 22;
pub(super) const SIFTING_RESULTS: usize = 1 << 16;
/// A block is moved no further in a direction when the diagrams have more than this percentage of the nodes of the best
/// order. Larger: better orders, more time.
pub(super) const SIFTING_GROWTH: usize = 120;
/// Rounds of sifting, unless an earlier one gains little. Larger: better orders, more time.
pub(super) const SIFTING_ROUNDS: usize = 4;
/// Nodes of a cluster of a relation. Larger: fewer operations on larger diagrams.
pub(super) const CLUSTER_NODES: usize = 1_000;
/// Nodes of the states of one round of the search for reachable states. Larger: more games are pruned, more time.
pub(super) const REACH_NODES: usize = 1 << 13;
/// Rounds of the search for reachable states; as for [`REACH_NODES`].
pub(super) const REACH_ROUNDS: usize = 1_000;
/// Units of work that the search for reachable states may always take, even if less work was done before; as for
/// [`REACH_NODES`].
pub(super) const REACH_WORK: u64 = 20_000;
/// Combinations of guards in a unit of work. Larger: a combination counts less.
pub(super) const COMBINATIONS_PER_WORK: usize = 16;
/// Rounds in which functions are chosen only to determine the reachable states. Larger: smaller circuits, more time.
pub(super) const REACH_CHOICES: usize = 2;
/// Functions of a bit from other turns that are tried. Larger: smaller circuits, more time.
pub(super) const CANDIDATES: usize = 6;
/// Nodes up to which no smaller function is searched for. Larger: larger circuits, less time.
pub(super) const SMALL_FUNCTION: usize = 3;
/// New diagram nodes in a unit of work; each operation also counts as a unit. Larger: diagrams count less.
pub(super) const NODES_PER_WORK: u64 = 8;
/// Diagram nodes that garbage collection visits in a unit of work. Larger: garbage collection counts less.
pub(super) const SWEPT_PER_WORK: u64 = 64;
