//! What a caller asks of the synthesizer, and what it answers.

use crate::base::StopFlag;
use crate::game::Wanted;
use crate::model::Verdict;
use crate::spec::Clause;

/// Which engine decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// All of them.
    #[default]
    Auto,
    /// k-bounded safety games over universal co-Büchi automata, for both players.
    Bounded,
    /// Emerson-Lei games of deterministic components on decision diagrams.
    Symbolic,
    /// The same games explored forward as graphs.
    Explicit,
}

/// What a caller asks for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which engine decides.
    pub engine: Engine,
    /// Only this bound on rejecting visits, for both players; without it 0, 1, 2, 4, …
    pub bound: Option<u32>,
    /// 1 or 2 threads: with 2 the game of each player has its own.
    pub threads: usize,
    /// The same counted work decides whatever the clock says: statistics and choices never vary.
    pub deterministic: bool,
    /// Whether answers are certified. `false` is the only way to an uncertified answer.
    pub certify: bool,
    /// Whether the machine is minimized (for `emit`; `check` needs no small machine).
    pub minimize: bool,
    /// The form of the symbolic engine's strategies; those of the other engines are explicit.
    pub form: Wanted,
    /// The form of counter-strategies where it is to be another.
    pub counter: Option<Wanted>,
    /// Counted work of the first round of the engines for each player. Little work and few rounds make a
    /// question that may go without an answer.
    pub work: u64,
    /// Rounds of the bounded engine, each with eight times the work of the one before; all engines together take three
    /// rounds with four times the work for two of these.
    pub rounds: u32,
    /// Rounds of refinement of the TSL abstraction; 0 turns it off.
    pub refinement_rounds: u32,
    /// Raised by the clock and by Ctrl-C.
    pub stop: StopFlag,
    /// Counted bytes that the engines may use together.
    pub memory: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            engine: Engine::Auto,
            bound: None,
            threads: 2,
            deterministic: false,
            certify: true,
            minimize: true,
            form: Wanted::Either,
            counter: None,
            work: 400_000,
            rounds: 7,
            refinement_rounds: 64,
            stop: StopFlag::new(),
            memory: 4 << 30,
        }
    }
}

/// How an answer was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The method: "model checking: tableau product, clause by clause".
    pub by: String,
    /// States of the products that were searched.
    pub product_states: u64,
}

/// What the engines did. Never part of a reproducible result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The engine that found the answer: "bounded", "explicit", "symbolic", "attack", or "several" for the parts of a
    /// contract.
    pub engine: String,
    /// The bound on rejecting visits with which it was found.
    pub bound: Option<u32>,
    /// Rounds of refinement.
    pub rounds: u32,
    /// What was tried, in order, for `--stats`.
    pub log: Vec<String>,
}

/// The answer of the synthesizer.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer. An answer whose certificate failed is never here: see [`Outcome::failure`].
    pub verdict: Verdict,
    /// How it was checked; `None` for `Unknown` and without certification.
    pub certificate: Option<Certificate>,
    /// Facts that refinement added; the verdict holds for the problem together with them.
    pub constraints: Vec<Clause>,
    /// An answer failed its certificate check: a bug, exit 4. The message names it.
    pub failure: Option<String>,
    /// What the engines did.
    pub statistics: Statistics,
}
