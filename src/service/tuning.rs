//! The constants that bound how much a use case explores. They were chosen by measurements on the public benchmark;
//! other values keep the answers correct, but change what is reported in addition to them, and how soon. "Larger"
//! introduces the effect of a larger value; "later" means that the result takes longer.

// `check`: counted work, and not the clock, so that what is reported does not depend on the machine.

/// Units of work of everything that is reported in addition to a verdict. Larger: more is reported, and `check` ends
/// later.
pub(super) const BRIEF_WORK: u64 = 8_000_000;
/// Units of work of the search for the clauses at fault. Larger: more cores are minimal, later.
pub(super) const CORE_WORK: u64 = 5_000_000;
/// Units of work of that search per unit that the engines were allowed without finding the verdict: the explanation of a hard
/// verdict may take two or three times as long as the verdict. Larger: as for [`CORE_WORK`].
pub(super) const CORE_SHARE: u64 = 48;
/// Units of work of the engines for propositions, before a specification with numbers is tried as a game. Larger: more
/// controllers are machines, and those that are not come later.
pub(super) const NUMBER_FIRST_WORK: u64 = 8_000_000;
/// Units of work of the search for a finite-state controller of a specification that was decided as a game over numbers, for
/// targets in which such games are not emitted. Larger: more specifications have code in these targets, later.
pub(super) const NUMBER_MACHINE_WORK: u64 = 256_000_000;
/// Units of work of a contract of a component of FRET that is right about one of the two answers only. Larger: more
/// components are decided, later.
pub(super) const FRET_WORK: u64 = 8_000_000;
/// Units of work of the search for repairs by games over numbers. Larger: more repairs are found, later.
pub(super) const NUMBER_REPAIR_WORK: u64 = 20_000_000;
/// The most repairs that games over numbers look for.
pub(super) const NUMBER_REPAIRS: usize = 4;
/// Units of work of the search for the clauses at fault by games over numbers. Larger: more cores are minimal, later.
pub(super) const NUMBER_CORE_WORK: u64 = 20_000_000;
/// Units of work of the search for repairs. Larger: more is suggested, later.
pub(super) const HINT_WORK: u64 = 3_000_000;
/// Units of work of the search for findings about a contract, such as vacuous clauses. Larger: more warnings, later.
pub(super) const HEALTH_WORK: u64 = 2_000_000;
/// Units of work of finding the controller that would be emitted, if the one of the verdict reads some input never. Larger:
/// more notes, later.
pub(super) const NEVER_READ_WORK: u64 = 4_000_000;
/// Counted bytes of one question after the verdict: operations on larger diagrams take long and count little.
pub(super) const QUESTION_MEMORY: u64 = 128 << 20;
/// Rounds of the engines for a question after the verdict. The work of one round decides most of them; with less work,
/// more of them end in a long search without an answer.
pub(super) const QUESTION_ROUNDS: u32 = 1;
/// Repairs that are shown. Larger: fewer are left to `explain`.
pub(super) const HINTS: usize = 3;
/// Size of a contract, in operators and atoms of all clauses, up to which it is examined for vacuity. Larger: more
/// warnings, later.
pub(super) const HEALTH_SIZE: u32 = 4000;
/// Units of work of the search for a play against the unrealizable core. Larger: more plays are shown.
pub(super) const PLAY_WORK: u64 = 4_000_000;

// UNKNOWN.

/// Units of work of weighing the clauses, after the time limit may have passed: it must end well within the grace period of
/// the program. Larger: more is told about heavy clauses, later.
pub(super) const ADVICE_WORK: u64 = 200_000;
/// Updates of a cell from which on their number is mentioned. Larger: it is mentioned less often.
pub(super) const MANY_VALUES: usize = 8;

// `emit`.

/// Edges of one state of a machine that code lists; with more, the code computes a circuit. Larger: more machines are
/// written state by state, and the code of a state gets longer.
pub(super) const MOST_EDGES_OF_STATE: usize = 128;
/// Edges of a machine that code lists, as for [`MOST_EDGES_OF_STATE`].
pub(super) const MOST_EDGES: usize = 8000;
/// Units of work of certifying the text of a machine after it was written. Larger: more texts are certified, later.
pub(super) const READ_BACK_WORK: u64 = 8_000_000;

/// Units of work of the checks which updates are asked for by which clauses. Larger: more of them are known, later.
pub(super) const REASON_WORK: u64 = 4_000_000;

/// Units of work of the checks for the chain of reasons of a step. Larger: more reasons are known, later.
pub(super) const CHAIN_WORK: u64 = 4_000_000;

// `explain SPEC`: as for `check`, with more work.

/// Units of work of the search for the clauses at fault; as for [`CORE_WORK`].
pub(super) const LONG_CORE_WORK: u64 = 40_000_000;
/// As [`CORE_SHARE`].
pub(super) const LONG_CORE_SHARE: u64 = 96;
/// Units of work of the search for repairs. Larger: more are found, later.
pub(super) const LONG_HINT_WORK: u64 = 24_000_000;
/// Units of work of the search for a controller that does not falsify the assumptions, for requests that may take long.
/// Larger: it is decided more often whether there is one, later.
pub(super) const LONG_FRIENDLY_WORK: u64 = 24_000_000;
/// Units of work of each of the questions about the play: the shortest violation, when guarantees are lost, and what is
/// enough for the loss. Larger: more is reported, later.
pub(super) const LONG_PLAY_WORK: u64 = 4_000_000;
/// As [`LONG_PLAY_WORK`] and [`LONG_HINT_WORK`], if the counter-strategy against the core is a circuit.
pub(super) const LARGE_PLAY_WORK: u64 = 200_000;
pub(super) const LARGE_HINT_WORK: u64 = 500_000;
/// Rounds of the engines for a question.
pub(super) const LONG_QUESTION_ROUNDS: u32 = 2;
/// Counted bytes of one question.
pub(super) const LONG_QUESTION_MEMORY: u64 = 512 << 20;
/// Repairs that are shown.
pub(super) const REPAIRS: usize = 8;

// `explain TRACE`.

/// Size of a fact up to which it is shown as a formula. Larger: less is said in words.
pub(super) const READABLE_FACT: u32 = 40;

/// States of the automaton of an effect. Larger: more effects are explained.
pub(super) const EFFECT_STATES: usize = 20_000;
/// States of the cause that are constructed for a hypothesis. Larger: more hypotheses are compared.
pub(super) const HYPOTHESIS_STATES: usize = 200_000;
/// States of the automaton of the exact cause. Larger: more of them are written.
pub(super) const AUTOMATON_STATES: usize = 500_000;
/// States of an automaton that is read from HOA. Larger: more of them are read.
pub(super) const MOST_STATES: usize = 100_000;
/// Steps within which the continuation of a finite trace must reach a state for the second time. Larger: more traces
/// are continued.
pub(super) const CONTINUED: usize = 100_000;

// Machines and what is emitted.

/// States of the machine of a circuit that is read, and units of work to unfold it. Larger: more circuits are played.
pub(super) const UNFOLD_STATES: usize = 10_000;
pub(super) const UNFOLD_WORK: u64 = 20_000_000;
/// States of the monitor of an assumption in a controller, and units of work on it. Larger: controllers notice more broken
/// assumptions, and their code is longer.
pub(super) const MONITOR_STATES: usize = 256;
pub(super) const MONITOR_WORK: u64 = 1_000_000;
/// States of the automaton of a conjunct that is printed, and units of work on it. Larger: fewer are missing.
pub(super) const CONJUNCT_STATES: usize = 4_096;
pub(super) const CONJUNCT_WORK: u64 = 1 << 26;

/// Operators and atoms of a formula that is written as evidence. Larger: fewer formulas exist only as circuits.
pub(super) const EVIDENCE_FORMULA: u32 = 1 << 20;

// `view`.

/// Repairs whose controllers are on the page. Larger: the page is larger, and made later.
pub(super) const PLAYED_REPAIRS: usize = 4;

// `simulate`.

/// Units of work of finding when the assumptions become impossible on a play, for `explain TRACE`, too. Larger:
/// it is reported with more assumptions, and the first step comes later.
pub(super) const BLAME_WORK: u64 = 2_000_000;
/// Units of work of finding the first assumption that is impossible. Larger: more of them are named.
pub(super) const BLAME_CLAUSE_WORK: u64 = 1_000_000;

/// Random outputs that are tried for one that the system may choose. Larger: fewer plays break restrictions.
pub(super) const TRIES: usize = 200;
/// Rounds of a cycle, or random steps, before a run is taken not to close. Larger: more runs close.
pub(super) const ROUNDS: usize = 10_000;
/// Edges of a counter-strategy that is verified, with the registers of past operators. Larger: more of them are verified.
pub(super) const REGISTER_EDGES: usize = 1 << 18;

// `check --certificate`.

/// Pairs of a state and formulas that one claim of a certificate may have. Larger: more certificates are written, later,
/// and they are larger.
pub(super) const CERTIFICATE_PAIRS: usize = 200_000;
/// Steps of the expansions of all claims. Larger: as for [`CERTIFICATE_PAIRS`].
pub(super) const CERTIFICATE_STEPS: u64 = 8_000_000;
/// States of a circuit that is unfolded for a certificate. Larger: as for [`CERTIFICATE_PAIRS`].
pub(super) const CERTIFICATE_STATES: usize = 1000;
/// Bits of an alphabet up to which a circuit is unfolded. Larger: as for [`CERTIFICATE_PAIRS`].
pub(super) const CERTIFICATE_BITS: usize = 40;
/// Units of work of that unfolding. Larger: as for [`CERTIFICATE_PAIRS`].
pub(super) const CERTIFICATE_WORK: u64 = 200_000;
