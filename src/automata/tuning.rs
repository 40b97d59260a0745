//! The constants that bound constructions and reductions of automata. They were chosen by measuring on the public
//! benchmark; other values do not make answers wrong, but they change which answers are found within a limit, the
//! statistics and the sizes of results. `Larger:` gives the effect of a larger value.

/// States of an automaton that is reduced by simulation; larger ones are trimmed and quotiented by equality of edges.
/// Larger: smaller automata, more time.
pub(super) const MAX_SIMULATION: usize = 160;
/// Pairs of states times letters up to which languages of states are compared. Larger: smaller tables, more time.
pub(super) const COMPARED_PAIRS: usize = 1 << 21;
/// States of a table that are merged one by one. Larger: smaller tables, more time.
pub(super) const MERGED_STATES: usize = 24;
/// Clauses of a question to the SAT solver about the smallest table. Larger: more tables are known to be smallest,
/// more time.
pub(super) const MAX_CLAUSES: u64 = 1_500_000;
/// Decisions of the SAT solver on one number of states; as for [`MAX_CLAUSES`].
pub(super) const MAX_DECISIONS: u64 = 200_000;
/// States of an automaton whose edges are redirected; larger ones stay as they are. Larger: smaller automata, more
/// time.
pub(super) const REDIRECTED_STATES: usize = 24;
/// Propositions whose letters are enumerated. Larger: more automata are complemented, exponentially more time.
pub(super) const ENUMERATED_BITS: usize = 12;
/// Nodes of the diagrams over letters and obligations. Larger: more formulas become deterministic automata, more time.
pub(super) const MAX_NODES: usize = 1 << 20;
/// Alternatives of a state of an alternating automaton; more are a size limit. Larger: more formulas are translated,
/// more time.
pub(super) const MAX_MOVES: usize = 20_000;
/// Comparisons of sets in a unit of work. Larger: a comparison counts less.
pub(super) const COMPARISONS_PER_WORK: usize = 16;
