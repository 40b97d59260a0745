//! The constants that divide counted work and diagram nodes among the certifier's methods. They were chosen by
//! measuring on the public benchmark. Other values leave every answer right, but change which answers are found within
//! a limit, the statistics, and the sizes of results.

// Questions and their formulas.

/// Cases of one conjunct at most. Larger: more but easier questions.
pub(super) const MAX_CASES: usize = 256;
/// Clauses of one conjunct as a condition. Larger: fewer conjuncts are left to a tableau, and products have more
/// conditions.
pub(super) const MAX_CLAUSES: usize = 64;
/// Operators above the leaves of a conjunct as a condition; as for [`MAX_CLAUSES`].
pub(super) const MAX_DEPTH: usize = 8;
/// Parts of a residual at most. Larger: residuals may grow further before a size limit is reported.
pub(super) const MAX_PARTS: usize = 256;
/// Units of work for expanding a residual on all letters at once; if they do not suffice, it is expanded on each set of
/// letters separately. Larger: more residuals are expanded only once, and more work is lost where that fails. Small in
/// tests, whose formulas are small.
pub(super) const WHOLE_WORK: u64 = if cfg!(test) { 12 } else { 2_000 };
/// Nodes of guards that count as one unit of work. Larger: products with large guards take longer to reach a limit.
pub(super) const GUARD_NODES_PER_WORK: usize = 8;

/// Units of work granted for each step when the assumptions are followed along a play. Larger: long plays are followed
/// to their end more often, and steps may take longer.
pub(super) const STEP_WORK: u64 = 1_000;

/// Edges of the product of the automata of one conjunct. Larger: more conjuncts have monitors.
pub(super) const MONITOR_EDGES: usize = 4096;
/// Latches of monitors, besides half as many as the circuit has, that no latch of the circuit replaces. Larger: monitors
/// are tried for more circuits, whose reachable states become many.
pub(super) const MONITOR_LATCHES: usize = 8;

// Sampled checks of causes.

/// Sampled sequences per claim. Larger: wrong claims are found more reliably, but more slowly.
pub(super) const SAMPLES: usize = 48;
/// Steps in which events are checked. As for [`SAMPLES`].
pub(super) const EVENT_STEPS: usize = 24;
/// Bound on the number of questions times the length of the trace. As for [`SAMPLES`].
pub(super) const SAMPLED_LETTERS: usize = 50_000;
/// Questions that are asked however long the trace is. As for [`SAMPLES`].
pub(super) const FEWEST_SAMPLES: usize = 4;

// Room for decision diagrams.

/// Diagram nodes of the first attempt. Larger: fewer attempts, smaller: easy circuits need little memory.
pub(super) const FIRST_NODES: usize = 1 << 18;
/// Factor by which the number of nodes grows with each further attempt. As for [`FIRST_NODES`].
pub(super) const NODES_GROWTH: usize = 8;
/// If an attempt failed after at least this much work, all in small steps, the next attempt has more nodes, too.
/// Smaller: it has them earlier, and its steps take longer.
pub(super) const MUCH_WORK: u64 = 16_000;
/// Diagram nodes at most, whatever memory there is. Larger: larger circuits are certified.
pub(super) const MAX_NODES: u64 = 1 << 25;
/// Bytes of the memory limit that one node counts for. Larger: fewer nodes are allowed.
pub(super) const BYTES_PER_NODE: u64 = 64;
/// With fewer nodes nothing is tried. Larger: small memory limits are reported at once.
pub(super) const LEAST_NODES: usize = 1 << 14;
/// Variables of inputs, latches and claims: operations recurse as deep as there are variables. Larger: larger circuits
/// are accepted, with a deeper stack.
pub(super) const MAX_VARIABLES: usize = 8192;
/// Claims for which variables are reserved below each input and each answer. Larger: more claims are near the letters
/// that they are about, and more variables are unused.
pub(super) const CLAIMS_PER_LETTER: usize = 2;
/// Diagram nodes for trying a variable order. Larger: better orders are found for large circuits, but more slowly.
pub(super) const TRIAL_NODES: usize = 1 << 16;
/// Units of work for trying a variable order; as for [`TRIAL_NODES`].
pub(super) const TRIAL_WORK: u64 = 1_000;
/// Transition relations that are kept: with latches, and of answers alone. Larger: fewer are computed again, more
/// memory.
pub(super) const RECENT_RELATIONS: usize = 2;
/// Rounds of the search for a better order. Larger: better orders, found more slowly.
pub(super) const ORDER_ROUNDS: usize = 40;
/// For circuits with fewer gates only one variable order is considered. Larger: more circuits need no trials.
pub(super) const MANY_GATES: usize = 500;
/// A vertex is wide, and comes first in an order, if it occurs in more groups than this. Larger: fewer vertices are
/// wide.
pub(super) const WIDE: usize = 8;
/// A vertex is wide only if it occurs in more than this many times the average number of groups; as for [`WIDE`].
pub(super) const WIDE_TIMES: usize = 4;
/// Nodes of a cluster of a relation. Larger: fewer operations on larger diagrams. Few in tests, whose circuits are small.
pub(super) const CLUSTER_NODES: usize = if cfg!(test) { 8 } else { 2000 };
/// New diagram nodes that count as one unit of work. Larger: diagrams count less.
pub(super) const NODES_PER_WORK: u64 = 32;
/// Units of work of an operation besides its new nodes. Larger: small operations count more.
pub(super) const OPERATION_WORK: u64 = 2;

// Work on one question about a circuit.

/// Units of work of the first attempts at a question. Larger: the method that is tried first answers more questions.
pub(super) const FIRST_WORK: u64 = 2_000;
/// Forward searches get this many times as much work: a unit of it takes less time than in the other searches. Larger:
/// backward searches come later.
pub(super) const FORWARD_SHARE: u64 = 8;
/// Claims up to which a forward search for fair cycles gets [`FORWARD_SHARE`]. Larger: it does so for more questions.
pub(super) const FEW_CLAIMS: usize = 8;
/// Conjuncts that are added from the start because they helped with an earlier question. Larger: fewer useless plays,
/// larger cones.
pub(super) const MAX_HELPED: usize = 4;
/// Claims of a question including the conjuncts of the pool that are added to it. Larger: fewer useless plays, larger
/// tableaus.
pub(super) const MAX_CLAIMS: usize = 32;
/// Claims up to which a forward search is first restricted to the product states that are reachable from the initial
/// ones; with many claims, which are about the future, these sets become large. Larger: this is tried for more
/// questions.
pub(super) const MAX_FORWARD_CLAIMS: usize = 32;
/// Rounds of a search for reachable states. Larger: deep circuits are pruned more, but more slowly.
pub(super) const REACH_ROUNDS: usize = 4096;
/// Diagram nodes of the reached states in a search that only prunes; as for [`REACH_ROUNDS`].
pub(super) const REACH_NODES: usize = 1 << 14;
/// Sets of reachable states that `past` keeps between questions. Larger: fewer are computed again, more memory.
pub(super) const KNOWN_SETS: usize = 3;
/// Steps of a play that is constructed. Larger: longer plays are returned instead of a size limit.
pub(super) const MAX_STEPS: usize = 1 << 14;
