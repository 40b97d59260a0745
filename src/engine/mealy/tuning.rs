//! The constants that bound constructions and reductions of machines and circuits. They were chosen by measuring on the
//! public benchmark; other values do not make answers wrong, but they change which answers are found within a limit,
//! the statistics and the sizes of results. `Larger:` gives the effect of a larger value.

/// Steps within which a run of a machine has to become periodic. Larger: longer runs are reported instead of a limit.
pub(super) const CLOSING_STEPS: usize = 1 << 22;
/// Products of a sum of products that is tried for a function of a circuit. Larger: smaller circuits, more time.
pub(super) const MAX_PRODUCTS: usize = 256;
/// Gates of a circuit whose functions are chosen among several forms. Larger: smaller circuits, more time.
pub(super) const CHOICE_GATES: usize = 1 << 12;
/// States of a machine that is encoded one-hot, too. Larger: smaller circuits, more time.
pub(super) const ONE_HOT_STATES: usize = 512;
/// Edges of one state of a machine that is made from a circuit. Larger: more circuits become machines.
pub(super) const UNFOLDED_EDGES: usize = 1 << 12;
/// States of an automaton for the search for the smallest machine. Larger: more machines are known to be smallest,
/// more time.
pub(super) const MAX_UNIVERSAL: usize = 400;
/// States of an automaton with a hypothesis about the machine; larger ones leave it out. Larger: as for
/// [`MAX_UNIVERSAL`].
pub(super) const MAX_HYPOTHESIS: usize = 150;
/// Classes of letters in the search for the smallest machine; as for [`MAX_UNIVERSAL`].
pub(super) const MAX_CLASSES: usize = 128;
/// Sets of runs for the lower bound on the number of states. Larger: more of the search for the smallest machine is left
/// out, at a quadratic price.
pub(super) const MAX_CERTAIN_SETS: usize = 1 << 11;
/// Units of work of that lower bound; as for [`MAX_CERTAIN_SETS`].
pub(super) const FEWEST_WORK: u64 = 1 << 24;
/// Clauses of a question to the SAT solver; as for [`MAX_UNIVERSAL`].
pub(super) const MAX_CLAUSES: u64 = 400_000;
/// Decisions of the SAT solver on one number of states; as for [`MAX_UNIVERSAL`].
pub(super) const MAX_DECISIONS: u64 = 400_000;
/// Literals of the clauses that the SAT solver learns on one number of states; as for [`MAX_UNIVERSAL`].
pub(super) const MAX_LEARNED: u64 = 250_000;
/// Units of work of operations on guards while that automaton is built; as for [`MAX_UNIVERSAL`].
pub(super) const MAX_GUARD_WORK: u64 = 150_000;
/// How often runs may be rejecting in the first question for each number of states. Larger: more machines are found by
/// it, and it takes longer.
pub(super) const FEW_REJECTIONS: u32 = 1;
/// The same for the second question; as for [`FEW_REJECTIONS`].
pub(super) const MANY_REJECTIONS: u32 = 6;
