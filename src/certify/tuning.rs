//! The constants by which the certifier shares counted work and room for diagrams. They were chosen by measuring on the
//! public benchmark; answers stay right with others, but which are found within a limit, the statistics and the sizes
//! of results change with them.

// Questions and their formulas.

/// Cases of one conjunct at most. Larger: more but easier questions.
pub(super) const MAX_CASES: usize = 256;
/// Clauses of one conjunct as a condition. Larger: fewer conjuncts are left to a tableau, and products have more
/// conditions.
pub(super) const MAX_CLAUSES: usize = 64;
/// Operators above the leaves of a conjunct as a condition; as for [`MAX_CLAUSES`].
pub(super) const MAX_DEPTH: usize = 8;
/// Parts of a residual at most. Larger: formulas that grow are followed further before they are a size limit.
pub(super) const MAX_PARTS: usize = 256;
/// Units of work for all letters at once; after that sets of letters are looked at one by one. Larger: more is done at
/// once, and more is lost where that is hopeless. Little in tests, whose formulas are small.
pub(super) const WHOLE_WORK: u64 = if cfg!(test) { 12 } else { 2_000 };
/// Nodes of guards in a unit of work. Larger: guards count less, and products with large ones take longer before a
/// limit.
pub(super) const GUARD_NODES_PER_WORK: usize = 8;

/// Units of work that following the assumptions along a play is granted for each step. Larger: long plays are followed to
/// their end more often, and steps may take longer.
pub(super) const STEP_WORK: u64 = 1_000;

// Sampled checks of causes.

/// Sampled sequences per claim. Larger: wrong claims are found more surely, later.
pub(super) const SAMPLES: usize = 48;
/// Steps in which events are checked. As for [`SAMPLES`].
pub(super) const EVENT_STEPS: usize = 24;
/// Letters that are asked about at most. As for [`SAMPLES`].
pub(super) const SAMPLED_LETTERS: usize = 50_000;
/// Questions that are asked however many letters these have. As for [`SAMPLES`].
pub(super) const FEWEST_SAMPLES: usize = 4;

// Room for decision diagrams.

/// Diagram nodes of the first attempt. Larger: fewer attempts, smaller: easy circuits need little memory.
pub(super) const FIRST_NODES: usize = 1 << 18;
/// How many times as many nodes each further attempt has. As for [`FIRST_NODES`].
pub(super) const NODES_GROWTH: usize = 8;
/// Where so many units of work in small steps were not enough, the next attempt has more nodes, too. Smaller: it has
/// them earlier, and its steps take longer.
pub(super) const MUCH_WORK: u64 = 16_000;
/// Diagram nodes at most, whatever memory there is. Larger: larger circuits are certified.
pub(super) const MAX_NODES: u64 = 1 << 25;
/// Bytes of the memory limit per node. Larger: less of the limit is used.
pub(super) const BYTES_PER_NODE: u64 = 64;
/// With fewer nodes nothing is tried. Larger: small memory limits are met at once.
pub(super) const LEAST_NODES: usize = 1 << 14;
/// Variables of inputs, latches and claims: the library recurses as deep as there are variables. Larger: larger
/// circuits, and a deeper stack.
pub(super) const MAX_VARIABLES: usize = 8192;
/// Claims for which there is room below each letter that is read or answered. Larger: more claims stand near what they
/// are about, and more variables are made in vain.
pub(super) const CLAIMS_PER_LETTER: usize = 2;
/// Nodes of a trial of an order of variables. Larger: better orders are found for large circuits, later.
pub(super) const TRIAL_NODES: usize = 1 << 16;
/// Units of work of a trial of an order; as for [`TRIAL_NODES`].
pub(super) const TRIAL_WORK: u64 = 1_000;
/// Relations of steps that are remembered: with latches, and of answers alone. Larger: fewer are made again, more
/// memory.
pub(super) const RECENT_RELATIONS: usize = 2;
/// Rounds of the search for a better order. Larger: better orders, later.
pub(super) const ORDER_ROUNDS: usize = 40;
/// Circuits with fewer gates have one order. Larger: more circuits need no trials.
pub(super) const MANY_GATES: usize = 500;
/// A vertex is wide, and comes first in an order, if it occurs in more groups than this. Larger: fewer are.
pub(super) const WIDE: usize = 8;
/// A vertex is wide only if it occurs in so many times the average of groups; as for [`WIDE`].
pub(super) const WIDE_TIMES: usize = 4;
/// Nodes of a cluster of a relation. Larger: fewer operations on larger diagrams. Few in tests, whose circuits are small.
pub(super) const CLUSTER_NODES: usize = if cfg!(test) { 8 } else { 2000 };
/// New nodes in a unit of work. Larger: diagrams count less.
pub(super) const NODES_PER_WORK: u64 = 32;
/// Units of work of an operation besides its new nodes. Larger: small operations count more.
pub(super) const OPERATION_WORK: u64 = 2;

// Work on one question about a circuit.

/// Units of work of the first attempts at a question. Larger: the way that is tried first answers more.
pub(super) const FIRST_WORK: u64 = 2_000;
/// So many times as much work have the searches forward: their steps cost less time than they count, those of the
/// others more. Larger: backward searches come later.
pub(super) const FORWARD_SHARE: u64 = 8;
/// Claims up to which [`FORWARD_SHARE`] is granted. Larger: it is for more questions.
pub(super) const FEW_CLAIMS: usize = 8;
/// Conjuncts that are asked for at once because they helped before. Larger: fewer plays of no use, larger cones.
pub(super) const MAX_HELPED: usize = 4;
/// Claims of a question with all that may be asked for. Larger: fewer plays of no use, larger tableaux.
pub(super) const MAX_CLAIMS: usize = 32;
/// Claims up to which the states of a tableau are searched from the first one: what may be claimed is about the future,
/// and images are of the past. Larger: this is tried for more of them.
pub(super) const MAX_FORWARD_CLAIMS: usize = 32;
/// Rounds of a search for reachable states. Larger: deep circuits are pruned more, later.
pub(super) const REACH_ROUNDS: usize = 4096;
/// Nodes of the states of one round of a search that only prunes; as for [`REACH_ROUNDS`].
pub(super) const REACH_NODES: usize = 1 << 14;
/// Sets of states by what has happened that are remembered. Larger: fewer are found again, more memory.
pub(super) const KNOWN_SETS: usize = 3;
/// Steps of a play that is written down. Larger: longer plays are shown rather than a size limit.
pub(super) const MAX_STEPS: usize = 1 << 14;
