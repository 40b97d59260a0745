//! Constants that divide counted work among the engines, and that decide when an answer is worth improving. They were
//! chosen by measuring on the public benchmark; other values give correct answers as well, but change which answers are
//! found within a limit, the statistics and the sizes of machines.

// Work of the portfolio.

/// Divisor of the work of a single engine's first round for the first round of the portfolio; two rounds of a single
/// engine correspond to three of the portfolio, each with four times the work of the one before. Larger: easy contracts
/// are decided with less work, smaller: hard contracts get enough work after fewer rounds.
pub(super) const PROBES: u64 = 12;
/// Units of the bounded engine's work per unit of a round. The units of the engines and of the compiler of automata
/// differ in cost: with these factors each takes about the same time in a round. Larger: this engine gets more work and
/// the others start later.
pub(super) const BOUNDED_SHARE: u64 = 4;
/// As [`BOUNDED_SHARE`], over finite words.
pub(super) const FINITE_BOUNDED_SHARE: u64 = 64;
/// Divisor of the work of games of automata over finite words, where a unit takes longer. Larger: the bounded engine
/// gets its next turn earlier.
pub(super) const FINITE_GAMES: u64 = 64;
/// Divisor of the explicit engine's work over finite words; as for [`FINITE_GAMES`].
pub(super) const FINITE_EXPLICIT: u64 = 8;
/// Units of the symbolic engine's work per unit of a round; as for [`BOUNDED_SHARE`].
pub(super) const SYMBOLIC_SHARE: u64 = 12;
/// Units of the explicit engine's work per unit of a round; as for [`BOUNDED_SHARE`].
pub(super) const EXPLICIT_SHARE: u64 = 4;
/// Units of the compiler of automata per unit of a round; as for [`BOUNDED_SHARE`].
pub(super) const COMPONENTS_SHARE: u64 = 240;
/// Additional work for a strategy when the winner is known, as a multiple of that of the game. Larger: strategies that
/// are hard to extract are found in this round, smaller: the other engines get their turn earlier.
pub(super) const STRATEGY_SHARE: u64 = 3;
/// Units of the symbolic engine's work per unit of a certificate's work. Larger: fewer answers about parts of a
/// contract are certified within the work of one search.
pub(super) const CERTIFICATE: u64 = 8;
/// Factor of the work on parts of a contract that is too large for the symbolic engine as a whole. Larger: more parts
/// are decided, smaller: attacks come earlier.
pub(super) const LARGE_SHARE: u64 = 3;
/// Divisor of the work of an explicit game that gives the least work before the game is given up because it keeps
/// growing. Larger: it is given up earlier.
pub(super) const GROWING_SHARE: u64 = 2;
/// Counted work of the symbolic or of the explicit engine when it is the only engine, as a multiple of that of the
/// first round. Larger: more is decided, but the engine gives up later.
pub(super) const ALONE: u64 = 5_000;
/// Factor of the work of the explicit engine when the winner is known and its strategy should be explicit. Larger: fewer
/// strategies are circuits or not found, and more work is lost on those that are.
pub(super) const KNOWN_WINNER: u64 = 4;
/// Bits of outputs and of inputs that facts determine, up to which an explicit strategy of the environment is searched for
/// after its circuit. Larger: fewer counter-strategies are circuits, and more work is lost on those that are.
pub(super) const EXPLICIT_BITS: usize = 16;
/// Units of work of the bounded engine's first slice; each further one has four times as much. Larger: less is
/// repeated, smaller: easy bounds are not held up by hard ones.
pub(super) const FIRST_SLICE: u64 = 20_000;

// Room for decision diagrams.

/// Counted bytes of a diagram node with its shares of the caches. Larger: the memory limit is reached with fewer nodes.
pub(super) const NODE_BYTES: u64 = 160;
/// The largest number of nodes of one store, whatever the memory limit. Larger: hard games may use more memory.
pub(super) const MOST_NODES: usize = 60_000_000;
/// Nodes of the store per unit of the symbolic engine's work. Larger: caches are filled less often, smaller: hopeless
/// games end earlier.
pub(super) const WORK_NODES: u64 = 4;
/// The largest number of diagram nodes of the explicit engine. Larger: more games with large guards are explored.
pub(super) const EXPLICIT_NODES: usize = 4_000_000;
/// The largest number of positions of a strategy of the explicit engine. Larger: answers may be large machines, which
/// take long to certify.
pub(super) const LARGE_STRATEGY: usize = 50_000;

// Sizes of machines.

/// The largest number of edges of an explicit controller that computes the registers of past operators. Larger: more
/// such controllers are explicit.
pub(super) const REGISTER_EDGES: usize = 1 << 18;

/// The largest number of states of a machine that is certified without looking for a smaller one first. Larger:
/// machines are larger and found earlier.
pub(super) const READABLE: usize = 200;
/// The largest number of states of a machine that is preferred to a circuit. Larger: fewer answers are circuits.
pub(super) const EASY: usize = 2_000;
/// The largest number of edges of an explicit product of controllers if a circuit is accepted as well. Larger: fewer
/// answers are circuits, and they are certified later.
pub(super) const SMALL_PRODUCT: usize = 4_000;
/// The largest number of edges of an explicit product of controllers if a circuit is not accepted. Larger: more
/// products are explicit.
pub(super) const LARGE_PRODUCT: usize = 20_000;

// Parts of a contract.

/// The largest number of guarantees for which an explicit counter-strategy is certified without looking for one against
/// fewer guarantees first. Larger: fewer games are solved, but large counter-strategies take longer to certify.
pub(super) const MANY: usize = 32;
/// Units of work of one attack with constant inputs. Larger: more of them succeed, but every realizable contract takes
/// more work.
pub(super) const CONSTANT_WORK: u64 = 200_000;
/// Diagram nodes of one attack with constant inputs; as for [`CONSTANT_WORK`].
pub(super) const CONSTANT_NODES: usize = 1 << 18;
/// Divisor of the work on a part of a contract for the bounded engine, which runs before the symbolic engine. Larger:
/// it gets less, and less is lost if it fails.
pub(super) const BOUNDED_FIRST: u64 = 32;
/// The bound on the number of free inputs while the others are idle. Larger: attacks with more inputs are found, after
/// more games.
pub(super) const FEW_INPUTS: usize = 6;
/// Divisor of a round's work for an attack in which the other inputs are constant. Larger: it gets less.
pub(super) const CONSTANT_SHARE: u64 = 3;
/// As [`CONSTANT_SHARE`], if they are frozen after the second step: they stay in the game, so fewer of these attacks
/// succeed.
pub(super) const FROZEN_SHARE: u64 = 12;

/// Diagram nodes of a game of which only the likely winner is asked. Larger: fewer of these games stay undecided.
pub(super) const LIKELY_NODES: usize = 1 << 21;

// After the verdict.

/// Units of work of one consistency check of the plays of a counter-strategy. Larger: more answers are in the sense of
/// TSL rather than of its abstraction, and hard ones take longer.
pub(super) const PLAYS_WORK: u64 = 400_000;
/// Units of work of the search for the smallest machine. Larger: smaller machines, later.
pub(super) const EXACT_WORK: u64 = 1_500_000;
/// The largest number of states of a machine in which states are merged one by one. Larger: smaller machines, later.
pub(super) const MAX_MERGED_STATES: usize = 80;
/// Units of work of one certification while merging states. Larger: more states are merged, later.
pub(super) const MERGE_WORK: u64 = 100_000;
/// Units of work of all certifications while merging states; as for [`MERGE_WORK`].
pub(super) const ALL_MERGE_WORK: u64 = 4_000_000;
/// Units of work of the certificate of a controller that is a circuit, before an explicit machine is tried. Larger:
/// more answers are circuits, smaller: explicit machines are tried earlier. The guarantees of a controller are checked
/// one by one, which takes more work than [`COUNTER_WORK`].
pub(super) const CIRCUIT_WORK: u64 = 1_500_000;
/// Units of work of the certificate of a counter-strategy that is a circuit; as for [`CIRCUIT_WORK`].
pub(super) const COUNTER_WORK: u64 = 400_000;
/// Units of work of the first attempt at the certificate of a circuit, by tableaux. Larger: fewer attempts are repeated,
/// smaller: monitors come earlier.
pub(super) const FIRST_CERTIFICATE_WORK: u64 = 100_000;
/// Units of work of the first attempt by monitors. Larger: they certify more circuits, and the next attempt by tableaux
/// comes later.
pub(super) const FIRST_MONITORS_WORK: u64 = 40_000;
/// Factor by which the work of these attempts grows. Larger: less is repeated, smaller: the better method is found earlier.
pub(super) const MORE_CERTIFICATE_WORK: u64 = 5;

/// Units of work of deriving a fact about terms independently. Larger: fewer facts are derived by the refinement only.
pub(super) const FACT_WORK: u64 = 1_000_000;

// Controllers with fewer changes.

/// Units of work of the search for a controller that changes cells only where a clause asks. Larger: more controllers
/// are improved, later.
pub(super) const LEAST_CHANGE_WORK: u64 = 2_000_000;
/// How many times more states such a controller may have, counting one more of the first. Larger: more controllers are
/// improved, and machines are larger.
pub(super) const MOST_GROWTH: usize = 8;
/// Units of work of the certificate of such a controller, after which the one that was found first is taken.
pub(super) const LEAST_CHANGE_CHECK: u64 = 1_000_000;

// Verification of given machines.

/// The largest number of states when an explicit machine is made from a circuit. Larger: more circuits are verified
/// explicitly, which gives short plays.
pub(super) const UNFOLD_STATES: usize = 2048;
/// Units of work for making an explicit machine from a circuit; as for [`UNFOLD_STATES`].
pub(super) const UNFOLD_WORK: u64 = 2_000_000;
/// Units of work of the search for a short play. Larger: shorter plays are shown, later.
pub(super) const SHORT_WORK: u64 = 4_000_000;

// Friendly controllers.

/// Units of work of the search for a friendly controller. Larger: fewer searches end without an answer, and verdicts on
/// specifications whose controllers falsify assumptions come later.
pub(super) const FRIENDLY_WORK: u64 = 4_000_000;
/// Rounds of the engines in the search for a friendly controller; as for [`FRIENDLY_WORK`].
pub(super) const FRIENDLY_ROUNDS: u32 = 5;
/// Units of work of one check whether a controller is friendly. Larger: fewer checks end without an answer.
pub(super) const FRIENDLY_CHECK_WORK: u64 = 4_000_000;
/// Divisor of [`FRIENDLY_WORK`] for the smaller game that is solved first. Larger: it gets less.
pub(super) const PART_GAME: u64 = 2;
/// The largest number of states of a friendly controller. Larger: answers may be large machines, which take long to
/// certify.
pub(super) const FRIENDLY_STATES: usize = 20_000;
/// The largest number of states of the monitor of the prefixes of facts and assumptions. Larger: the game with hints
/// includes more assumptions, and is harder.
pub(super) const CLOSURE_STATES: usize = 512;
/// Units of work of constructing that monitor; as for [`CLOSURE_STATES`].
pub(super) const CLOSURE_WORK: u64 = 2_000_000;

/// Rounds of refinement over numbers. Larger: more contracts are decided, smaller: UNKNOWN comes earlier.
pub(super) const NUMBER_ROUNDS: u32 = 16;
