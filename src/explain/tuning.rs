//! The constants that bound the questions and the exploration for an explanation. They were chosen by measuring on the
//! public benchmark; other values do not make answers wrong, but they change which answers are found within a limit,
//! the statistics and the sizes of results. `Larger:` gives the effect of a larger value.

/// Units of work that a question counts in addition to what the engines count.
pub(super) const QUESTION_WORK: u64 = 2_000;

// Unrealizable cores.

/// Questions about the guarantees of one core. Larger: more cores are known to be minimal, more time.
pub(super) const CORE_QUESTIONS: usize = 400;
/// Units of work of checking which guarantees a counter-strategy needs. Larger: more of them are left out without a
/// question to the engines.
pub(super) const NEEDED_WORK: u64 = 400_000;
/// Units of work of the question for an explicit counter-strategy against a core, if there is a circuit. Larger: more plays
/// are against explicit ones, which are shorter, later.
pub(super) const MACHINE_QUESTION_WORK: u64 = 200_000;
/// Guarantees that a counter-strategy which is a circuit seems to need, from which on a likely core is looked for. Larger:
/// fewer such searches, and more questions where they would have helped.
pub(super) const NARROW: usize = 8;
/// Units of work of the question whether a likely core is one. Larger: more of them are, more time is lost on others.
pub(super) const PROPOSED_WORK: u64 = 2_000_000;
/// Uncertified games that are solved in one search for a likely core. Larger: more cores are proposed, more time.
pub(super) const LIKELY_GAMES: usize = 200;
/// Units of work of one such game. Larger: as for [`LIKELY_GAMES`].
pub(super) const LIKELY_WORK: u64 = 200_000;
/// Units of work of one of the first questions about a core. Larger: fewer of them have to be asked again, and more work is
/// lost on those that have.
pub(super) const QUICK_WORK: u64 = 100_000;
/// Undecided queries of the first deletion pass after which small sets are tried instead. Larger: more work is spent
/// on hard queries before that.
pub(super) const QUICK_UNANSWERED: usize = 4;
/// Realizability queries about small sets of guarantees. Larger: more cores are found from below, more time.
pub(super) const HITTING_QUESTIONS: usize = 150;
/// Sets that are looked at for a smallest hitting set. Larger: more small sets are tried.
pub(super) const HITTING_SETS: usize = 200_000;
/// A smaller core is searched if the minimal core has at least this many guarantees and the problem at most that many.
/// Larger: fewer cores are the smallest, and more of them, later.
pub(super) const LEAST_REDUCED: usize = 3;
pub(super) const MOST_REDUCED: usize = 40;
/// Units of work of the search for a smaller core. Larger: more cores are the smallest, later.
pub(super) const SMALLER_WORK: u64 = 600_000;
/// Questions about the assumptions of one core. Larger: fewer assumptions are listed, more time.
pub(super) const ASSUMPTION_QUESTIONS: usize = 120;
/// Unanswered questions about guarantees, the expensive ones, after which no further ones are asked. Larger: more is
/// known, more time.
pub(super) const UNANSWERED: usize = 8;
/// Unanswered questions about assumptions after which no further ones are asked; as for [`UNANSWERED`].
pub(super) const ASSUMPTION_UNANSWERED: usize = 3;
/// Units of work of one check of a known machine. Larger: fewer questions are asked of the engines.
pub(super) const MACHINE_WORK: u64 = 200_000;
/// Questions about sets of guarantees for each requested core. Larger: more of the cores are found, more time.
pub(super) const SEEDS: usize = 40;

// Plays.

/// Positions that are explored for a play. Larger: more plays are found against large counter-strategies.
pub(super) const PLAY_POSITIONS: usize = 3000;
/// Combined answers of the system that are tried; beyond that, only single choices are changed. Larger: plays are the
/// best among more answers.
pub(super) const TRIED_ANSWERS: usize = 512;
/// Units of work of one emptiness question. Larger: more plays are known to be shortest, more time.
pub(super) const EMPTINESS_WORK: u64 = 200_000;
/// Sets of clauses that are enumerated; as for [`EMPTINESS_WORK`].
pub(super) const MAX_SETS: usize = 500;
/// Clauses of a question to the SAT solver. As for [`EMPTINESS_WORK`].
pub(super) const MAX_CLAUSES: u64 = 1_000_000;
/// Decisions of the SAT solver on one question. As for [`EMPTINESS_WORK`].
pub(super) const MAX_DECISIONS: u64 = 100_000;
/// Questions about when guarantees are lost. Larger: more is reported about long plays.
pub(super) const LOSS_QUESTIONS: usize = 80;
/// Inputs and answers of a play from which a subset sufficient for the loss is computed. Larger: more plays are
/// described by name instead of "as shown".
pub(super) const CLAIM_LITERALS: usize = 120;
/// Nodes of the formulas about the first steps, times steps. As for [`CLAIM_LITERALS`].
pub(super) const CLAIM_NODES: usize = 200_000;
/// Inputs of an endless play from which a sufficient subset is computed. As for [`CLAIM_LITERALS`].
pub(super) const ENDLESS_LITERALS: usize = 16;
/// Steps up to which a forced violation is searched for if no finite play is known. Larger: more are found, more time.
pub(super) const FORCED_STEPS: usize = 6;
/// Steps up to which a forced violation is searched for if a longer finite play is known; as for [`FORCED_STEPS`].
pub(super) const LONGEST_FORCED: usize = 12;
/// Size of a formula about the first steps in a question. As for [`FORCED_STEPS`].
pub(super) const FORCED_SIZE: u32 = 4_000;
/// Units of work on one forced play. Larger: more of them are shown.
pub(super) const FORCED_WORK: u64 = 400_000;
/// Size of the remainder of a clause, beyond that of the clause, up to which it is watched on a trace. Larger: more
/// violations are detected, and steps take longer.
pub(super) const WATCHED_SIZE: u32 = 2_000;

// Vacuity.

/// Clauses of a contract that is searched for implied ones. Larger: more is reported, more time.
pub(super) const MOST_IMPLIED: usize = 40;

/// Units of work of one question about what a controller never does. Larger: more is reported.
pub(super) const EXERCISE_WORK: u64 = 100_000;

// The weight of clauses.

/// States of an automaton of a clause that are counted. Larger: more is told about heavy clauses, later.
pub(super) const WEIGHED_STATES: usize = 1_000;
/// Units of work on the automaton of one clause; as for [`WEIGHED_STATES`].
pub(super) const WEIGHT_WORK: u64 = 20_000;
/// Where a single guarantee is a core, so many guarantees from the start of the source are checked for being one as
/// well. Larger: more often the first such guarantee is shown, more time.
pub(super) const FIRST_SINGLES: usize = 8;

// Repairs.

/// Units of work of one question about a candidate and a counter-strategy. Larger: fewer useless questions about
/// candidates.
pub(super) const CANDIDATE_WORK: u64 = 100_000;
/// Units of work of the check whether a repaired controller keeps the assumptions possible. Larger: more repairs are
/// known to be useful.
pub(super) const FRIENDLY_WORK: u64 = 400_000;
/// Units of work of the search for a controller that keeps the assumptions possible, for one repair. As for
/// [`FRIENDLY_WORK`].
pub(super) const SEARCH_WORK: u64 = 200_000;
/// Candidates that are combined in pairs. Larger: more pairs are found, more time.
pub(super) const COMBINED: usize = 60;
/// Guarantees of a core that is searched for guarantees that a repair makes vacuous. Larger: more is reported, more
/// time.
pub(super) const MOST_IDLE: usize = 8;
/// Values of the environment that are combined with each other. Larger: more candidates.
pub(super) const TEMPLATE_VALUES: usize = 10;
/// Choices of the system that are triggers. Larger: more candidates.
pub(super) const TEMPLATE_CHOICES: usize = 12;
/// Triggers of weaker guarantees. Larger: more candidates.
pub(super) const TRIGGERS: usize = 10;
/// States of an automaton for one comparison of candidates. Larger: repairs are sorted by implication more often.
pub(super) const COMPARED_STATES: usize = 200;
/// Units of work of one comparison of candidates; as for [`COMPARED_STATES`].
pub(super) const COMPARED_WORK: u64 = 20_000;

// Causes.

/// Inputs of a cause up to which forms with pairs of literals are tried. Larger: more forms, more time.
pub(super) const TEMPLATE_INPUTS: usize = 3;
/// Inputs of a cause up to which forms are combined; as for [`TEMPLATE_INPUTS`].
pub(super) const COMBINED_INPUTS: usize = 2;
/// Formulas that are compared with a cause; as for [`TEMPLATE_INPUTS`].
pub(super) const COMPARED_FORMULAS: usize = 40;
/// Relevant inputs of one state up to which their values are enumerated. Larger: more causes are found, exponentially
/// later.
pub(super) const MOST_LOCAL: u32 = 16;
/// States of a monitor of an effect. Larger: more effects can be explained.
pub(super) const MONITOR_STATES: usize = 2_000;
/// Accepting edges that are tried as the closing edge of a cycle. Larger: nearer counterfactual traces, more time.
pub(super) const CLOSING_EDGES: usize = 16;
/// Alternatives of the system that are compared with the cause. Larger: more is reported, more time.
pub(super) const MOST_CHOICES: usize = 6;
/// Units of work on an automaton of alternatives; as for [`MOST_CHOICES`].
pub(super) const CHOICE_WORK: u64 = 50_000;
/// Inputs up to which the automaton of a cause is a table and is minimized. Larger: more of them, with exponential
/// memory.
pub(super) const TABLE_INPUTS: u32 = 12;
/// Entries of such a table; as for [`TABLE_INPUTS`].
pub(super) const TABLE_ENTRIES: usize = 1 << 26;
/// Units of work of the search for the smallest automaton of a cause. Larger: more are known to be smallest.
pub(super) const SMALLEST_WORK: u64 = 4_000_000;
/// Size of a formula of a cause; larger ones are less readable than the automaton. Larger: more causes are given as
/// formulas.
pub(super) const FORMULA_SIZE: u32 = 60;
/// Cells of a round of inputs in which recurring events are searched for. Larger: more is reported, more time.
pub(super) const ROUND_CELLS: usize = 64;

// Reasons of updates.

/// Units of work of one check whether a controller still keeps its clauses when it keeps a cell instead of an update.
/// Larger: more updates are known to be asked for or free.
pub(super) const ASKED_WORK: u64 = 200_000;

// Specifications compared.

/// States of the automaton of one question about two specifications. Larger: more are compared, more time.
pub(super) const DIFFERENCE_STATES: usize = 20_000;
/// Units of work for shortening a distinguishing word. Larger: more of them are shortest.
pub(super) const DIFFERENCE_WORK: u64 = 4_000_000;
