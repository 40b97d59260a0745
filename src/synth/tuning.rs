//! The constants by which the engines share counted work, and when an answer is worth improving. They were chosen by
//! measuring on the public benchmark; answers stay right with others, but which of them are found within a limit, the
//! statistics and the sizes of machines change.

// Work of the portfolio.

/// Part of the first round of one engine that the first round of the portfolio gets; two rounds of that are three of the
/// portfolio, each with four times the work of the one before. Larger: easy contracts are decided with less work,
/// smaller: fewer rounds before hard ones get enough.
pub(super) const PROBES: u64 = 12;
/// Units of the bounded engine for one of a round. What the engines and the compiler of automata count is of different
/// size: with these shares of a round each takes about as long as the others. Larger: more is left to this engine and
/// the others start later.
pub(super) const BOUNDED_SHARE: u64 = 4;
/// Units of the symbolic engine for one of a round; as for [`BOUNDED_SHARE`].
pub(super) const SYMBOLIC_SHARE: u64 = 12;
/// Units of the explicit engine for one of a round; as for [`BOUNDED_SHARE`].
pub(super) const EXPLICIT_SHARE: u64 = 4;
/// Units of the compiler of automata for one of a round; as for [`BOUNDED_SHARE`].
pub(super) const COMPONENTS_SHARE: u64 = 240;
/// Additional work for a strategy when the winner is known, as a multiple of that of the game. Larger: strategies that are
/// hard to extract are found in this round, smaller: the other engines get their turn earlier.
pub(super) const STRATEGY_SHARE: u64 = 3;
/// Units of the symbolic engine for one of a certificate. Larger: fewer answers about parts of a contract are checked
/// within the work of one question.
pub(super) const CERTIFICATE: u64 = 8;
/// A contract that is too large for the symbolic engine is looked at in parts with so many times the work. Larger: more
/// parts are decided, smaller: attacks come earlier.
pub(super) const LARGE_SHARE: u64 = 3;
/// This part of the work shows whether an explicit game keeps growing. Larger: it is given up earlier.
pub(super) const GROWING_SHARE: u64 = 2;
/// Counted work of the symbolic and of the explicit engine by themselves, as a multiple of that of the first round. Larger:
/// more is decided, later is given up.
pub(super) const ALONE: u64 = 5_000;
/// Units of work of the bounded engine's first slice; each further one has four times as much. Larger: less is repeated,
/// smaller: easy bounds are not held up by hard ones.
pub(super) const FIRST_SLICE: u64 = 20_000;

// Room for decision diagrams.

/// Counted bytes of a diagram node with its shares of the caches. Larger: the memory limit is met with fewer nodes.
pub(super) const NODE_BYTES: u64 = 160;
/// Nodes of one store at most, whatever memory there is. Larger: hard games may use more memory.
pub(super) const MOST_NODES: usize = 60_000_000;
/// Nodes that there is room for with a unit of the symbolic engine's work. Larger: caches are filled less often, smaller:
/// hopeless games end earlier.
pub(super) const WORK_NODES: u64 = 4;
/// Nodes of the explicit engine. Larger: more games with large guards are explored.
pub(super) const EXPLICIT_NODES: usize = 4_000_000;
/// Positions of a strategy of the explicit engine. Larger: large machines, which take long to certify, are answers.
pub(super) const LARGE_STRATEGY: usize = 50_000;

// Sizes of machines.

/// Edges of an explicit controller that keeps the registers of past operators. Larger: more such controllers are explicit.
pub(super) const REGISTER_EDGES: usize = 1 << 18;

/// States of a machine that is certified without looking for a smaller one first. Larger: machines are larger and found
/// earlier.
pub(super) const READABLE: usize = 200;
/// States of a machine that is certified rather than a circuit. Larger: fewer answers are circuits.
pub(super) const EASY: usize = 2_000;
/// Edges of a product of controllers that may be a circuit as well. Larger: fewer answers are circuits, and they are certified
/// later.
pub(super) const SMALL_PRODUCT: usize = 4_000;
/// Edges of a product of controllers that should be explicit. Larger: more of them are.
pub(super) const LARGE_PRODUCT: usize = 200_000;

// Parts of a contract.

/// Guarantees that are looked at together without looking for fewer first. Larger: less is asked, but large
/// counter-strategies take longer to certify.
pub(super) const MANY: usize = 32;
/// Units of work of one attack with constant inputs. Larger: more of them succeed, and every realizable contract pays.
pub(super) const CONSTANT_WORK: u64 = 200_000;
/// Diagram nodes of one attack with constant inputs; as for [`CONSTANT_WORK`].
pub(super) const CONSTANT_NODES: usize = 1 << 18;
/// The bounded engine gets this part of the work of a question about a part, before the symbolic engine. Larger: it gets
/// less, and less is lost where it fails.
pub(super) const BOUNDED_FIRST: u64 = 32;
/// Inputs that are played while the others are idle. Larger: attacks with more inputs are found, after more games.
pub(super) const FEW_INPUTS: usize = 6;
/// Part of a round's work that an attack gets in which the other inputs are constant. Larger: it gets less.
pub(super) const CONSTANT_SHARE: u64 = 3;
/// As [`CONSTANT_SHARE`], where they are frozen after the second step: they stay in the game, so fewer of these succeed.
pub(super) const FROZEN_SHARE: u64 = 12;

// After the verdict.

/// Units of work of one question about the plays of a counter-strategy. Larger: more answers are in the sense of TSL
/// rather than of its abstraction, and hard ones take longer.
pub(super) const PLAYS_WORK: u64 = 400_000;
/// Units of work of the search for the smallest machine. Larger: smaller machines, later.
pub(super) const EXACT_WORK: u64 = 1_500_000;
/// States of a machine that is merged state by state. Larger: smaller machines, later.
pub(super) const MAX_MERGED_STATES: usize = 80;
/// Units of work of one question while merging states. Larger: more states are merged, later.
pub(super) const MERGE_WORK: u64 = 100_000;
/// Units of work of all questions while merging states; as for [`MERGE_WORK`].
pub(super) const ALL_MERGE_WORK: u64 = 4_000_000;
/// Units of work of the certificate of a controller that is a circuit, before an explicit machine is tried. Larger: more
/// answers are circuits, smaller: explicit machines are tried earlier. The guarantees of a controller are asked for one
/// by one, which takes more than [`COUNTER_WORK`].
pub(super) const CIRCUIT_WORK: u64 = 1_500_000;
/// Units of work of the certificate of a counter-strategy that is a circuit; as for [`CIRCUIT_WORK`].
pub(super) const COUNTER_WORK: u64 = 200_000;

/// Units of work of showing a fact about terms again. Larger: fewer facts rest on the refinement alone.
pub(super) const FACT_WORK: u64 = 1_000_000;

// Verification of given machines.

/// States of the attempt to make an explicit machine from a circuit. Larger: more circuits are verified explicitly, which gives
/// short plays.
pub(super) const UNFOLD_STATES: usize = 2048;
/// Units of work of the attempt to make an explicit machine from a circuit; as for [`UNFOLD_STATES`].
pub(super) const UNFOLD_WORK: u64 = 2_000_000;
/// Units of work of the search for a short play. Larger: shorter plays are shown, later.
pub(super) const SHORT_WORK: u64 = 4_000_000;

// Friendly controllers.

/// Units of work of the search for a friendly controller. Larger: fewer searches end without an answer, and verdicts on
/// specifications whose controllers break assumptions come later.
pub(super) const FRIENDLY_WORK: u64 = 4_000_000;
/// Rounds of the engines in the search for a friendly controller; as for [`FRIENDLY_WORK`].
pub(super) const FRIENDLY_ROUNDS: u32 = 5;
/// Units of work of one check whether a controller is friendly. Larger: fewer checks end without an answer.
pub(super) const FRIENDLY_CHECK_WORK: u64 = 4_000_000;
/// Part of that work for the smaller game that is played first. Larger: it gets less.
pub(super) const PART_GAME: u64 = 2;
/// States of a friendly controller at most. Larger: large machines, which take long to certify, are answers.
pub(super) const FRIENDLY_STATES: usize = 20_000;
/// States of the monitor of the prefixes of what is expected. Larger: the game with hints is played with more assumptions,
/// and is harder.
pub(super) const CLOSURE_STATES: usize = 512;
/// Units of work of making that monitor; as for [`CLOSURE_STATES`].
pub(super) const CLOSURE_WORK: u64 = 2_000_000;
