//! Answers to emptiness questions, by every method.

use super::setting::{Setting, short_plays, unlimited};
use crate::outcome::Certified;
use crate::search::couvreur::SearchExtent;
use crate::search::explicit::{Explicit, ProductKind};
use crate::search::symbolic::{Growing, Symbolic};
use crate::trusted::Emptiness;
use crate::trusted::checker::PlaySearch as _;
use crate::trusted::normal::SignedFormula;
use crate::trusted::plays::Plays;
use crate::trusted::symbolic::answer::FairSearch;
use crate::trusted::symbolic::fair::FairRegion;
use crate::trusted::symbolic::moves::ModelMoves;
use crate::trusted::symbolic::question::PlayQuestion;
use tsl_synth_core::base::LimitKind;
use tsl_synth_core::logic::{FormulaId, Lasso, Player};
use tsl_synth_core::model::Circuit;

fn explicit(
    setting: &Setting,
    plays: &Plays,
    kind: ProductKind,
    extent: SearchExtent,
    (conjuncts, pool): (&[SignedFormula], &[SignedFormula]),
) -> Emptiness {
    let plays = Plays { guards: plays.guards.clone(), edges: plays.edges.clone(), initial: plays.initial };
    let mut explicit = Explicit::new(&setting.formulas, &setting.alphabet, plays, extent, &unlimited());
    explicit.obey(&unlimited(), kind);
    explicit.consider(pool);
    explicit.find(conjuncts, &mut Certified::default()).expect("there is no limit")
}

/// Whether some play satisfies all of this: by a tableau, which short plays confirm.
fn has_play(setting: &Setting, plays: &Plays, short: &[Lasso], asked: &[SignedFormula]) -> bool {
    let answer = explicit(setting, plays, ProductKind::Tableau, SearchExtent::First, (asked, &[]));
    setting.check(&answer, short, plays, asked);
    matches!(answer, Emptiness::Play(_))
}

#[test]
fn conditions_and_tableaus_agree() {
    let mut setting = Setting::new(1);
    let (mut with, mut without, mut by_pool) = (0, 0, 0);
    for round in 0..900 {
        if round % 20 == 0 {
            setting = Setting::new(round);
        }
        let machine = setting.mealy();
        let plays = Plays::of_mealy(&setting.alphabet, &machine, &unlimited()).expect("a machine");
        let short = short_plays(&plays, setting.alphabet.bit_count(), 4);
        let [own, further] = [1 + setting.below(3), setting.below(3)];
        let (own, pool) = (setting.conjuncts(own), setting.conjuncts(further));
        let has = has_play(&setting, &plays, &short, &own);
        for extent in [SearchExtent::First, SearchExtent::Shortest] {
            let shortest = explicit(&setting, &plays, ProductKind::Tableau, extent, (&own, &[]));
            assert_eq!(matches!(shortest, Emptiness::Play(_)), has, "{round}");
            setting.check(&shortest, &short, &plays, &own);
        }
        let determined =
            explicit(&setting, &plays, ProductKind::Conditions, SearchExtent::First, (&own, &[]));
        setting.check(&determined, &short, &plays, &own);
        assert_eq!(matches!(determined, Emptiness::Play(_)), has, "{round}");
        *(if has { &mut with } else { &mut without }) += 1;
        let helped = explicit(&setting, &plays, ProductKind::Conditions, SearchExtent::First, (&own, &pool));
        setting.check(&helped, &short, &plays, &own);
        if let Emptiness::NoPlay(shown) = &helped {
            assert!(!has_play(&setting, &plays, &short, shown.conjuncts()), "{round}");
            by_pool += usize::from(has);
        }
    }
    assert!(with > 300 && without > 200 && by_pool > 10, "{with} with a play, {without} without, {by_pool}");
}

/// A circuit with questions about it.
struct Round {
    setting: Setting,
    owner: Player,
    circuit: Circuit,
    plays: Plays,
    short: Vec<Lasso>,
    pool: Vec<SignedFormula>,
    questions: Vec<Vec<SignedFormula>>,
    clauses: Vec<FormulaId>,
}

impl Round {
    fn new(seed: u64, conjuncts: fn(&mut Setting, usize) -> Vec<SignedFormula>) -> Self {
        let mut setting = Setting::new(seed);
        let owner = setting.player();
        let blind = setting.random.flip();
        let circuit = setting.circuit(owner, blind);
        let plays = setting.plays(&circuit, owner);
        let short = short_plays(&plays, setting.alphabet.bit_count(), 3);
        let further = setting.below(4);
        let pool = conjuncts(&mut setting, further);
        let questions = (0..3).map(|_| {
            let own = 1 + setting.below(3);
            conjuncts(&mut setting, own)
        });
        let questions: Vec<Vec<SignedFormula>> = questions.collect();
        let told = setting.random.flip();
        let clauses = questions.iter().flatten().chain(&pool).map(|&(f, _)| f).filter(|_| told).collect();
        Self { setting, owner, circuit, plays, short, pool, questions, clauses }
    }

    fn question<'q>(
        &'q self,
        conjuncts: &'q [SignedFormula],
        pool: &'q [SignedFormula],
        likely: &'q [SignedFormula],
    ) -> PlayQuestion<'q> {
        let Self { setting: Setting { formulas, alphabet, .. }, owner, clauses, .. } = self;
        PlayQuestion { formulas, alphabet, owner: *owner, conjuncts, pool, clauses, likely }
    }

    fn search(&self) -> Symbolic<'_> {
        let Self { setting: Setting { formulas, alphabet, .. }, owner, circuit, .. } = self;
        // The search keeps its own copy of the budget.
        Symbolic::new(formulas, alphabet, circuit, *owner, &unlimited())
    }

    fn has_play(&self, asked: &[SignedFormula]) -> bool {
        has_play(&self.setting, &self.plays, &self.short, asked)
    }

    fn check(&self, answer: &Emptiness, asked: &[SignedFormula]) {
        self.setting.check(answer, &self.short, &self.plays, asked);
    }
}

/// Searches for fair states, with all conjuncts required at once and with a pool to choose from.
#[test]
fn symbolic_searches_agree_with_tableaus() {
    let (mut with, mut without, mut by_pool) = (0, 0, 0);
    for seed in 0..200 {
        let round = Round::new(seed, Setting::conjuncts);
        let mut search = round.search();
        for conjuncts in &round.questions {
            let all = [&conjuncts[..], &round.pool].concat();
            for asked in [conjuncts, &all] {
                let has = round.has_play(asked);
                for way in [FairSearch::Forward, FairSearch::Relation, FairSearch::Composition] {
                    let question = round.question(asked, &[], &[]);
                    let answer =
                        search.attempt(&question, way, u64::MAX).expect("no limit").expect("an answer");
                    round.check(&answer.0, asked);
                    assert_eq!(matches!(answer.0, Emptiness::Play(_)), has, "{seed} {way:?}");
                }
                *(if has { &mut with } else { &mut without }) += 1;
            }
            for (way, likely) in
                [(FairSearch::Forward, 0), (FairSearch::Forward, 1), (FairSearch::Relation, 1)]
            {
                let likely = &round.pool[..likely.min(round.pool.len())];
                let question = round.question(conjuncts, &round.pool, likely);
                let answer = search.attempt(&question, way, u64::MAX).expect("no limit").expect("an answer");
                round.check(&answer.0, conjuncts);
                if let Emptiness::NoPlay(shown) = &answer.0 {
                    assert!(shown.conjuncts().iter().all(|f| all.contains(f)));
                    assert!(!round.has_play(shown.conjuncts()), "{seed} {way:?}");
                    by_pool += usize::from(round.has_play(conjuncts));
                }
            }
        }
    }
    assert!(with > 400 && without > 400 && by_pool > 50, "{with} with a play, {without} without, {by_pool}");
}

/// How often [`FairSearch::Past`] answered questions.
#[derive(Debug, Default)]
struct Outcomes {
    shown: usize,
    /// Not shown, although there is no play.
    missed: usize,
    with_play: usize,
    /// Attempts that met their limit.
    ended: usize,
}

/// Asks three questions about each of some circuits in turns. Attempts have little work, and continue where the last
/// one about the same plays met its limit.
fn ask_the_past(
    seeds: std::ops::Range<u64>,
    conjuncts: fn(&mut Setting, usize) -> Vec<SignedFormula>,
) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for seed in seeds {
        let mut round = Round::new(seed, conjuncts);
        let mut work: Vec<u64> = (0..60).map(|_| 1 + round.setting.below(9) as u64).collect();
        work.extend([u64::MAX; 3]);
        let mut store = Growing::new(&round.circuit, true, &unlimited());
        let mut open: Vec<&Vec<SignedFormula>> = round.questions.iter().collect();
        for work in work {
            if open.is_empty() {
                break;
            }
            let conjuncts = open.remove(0);
            let question = round.question(conjuncts, &round.pool, &[]);
            store.budget = unlimited().with_work(work);
            let no_walk = |_: &ModelMoves<'_, '_>, _: &FairRegion| panic!("the past finds no plays");
            let answer = store.run(|store| question.answer(store, FairSearch::Past, &no_walk));
            let has = || round.has_play(&[&conjuncts[..], &round.pool].concat());
            match answer {
                Ok(answer) => {
                    round.check(&answer, &[]);
                    assert!(!has(), "{seed}: {conjuncts:?} with {:?}", round.pool);
                    outcomes.shown += 1;
                }
                Err(limit) if limit.kind == LimitKind::Work => {
                    outcomes.ended += 1;
                    open.push(conjuncts);
                }
                Err(limit) => {
                    assert_eq!(limit.kind, LimitKind::Size);
                    *(if has() { &mut outcomes.with_play } else { &mut outcomes.missed }) += 1;
                }
            }
        }
        assert!(open.is_empty(), "without a limit every question ends");
    }
    outcomes
}

/// The answers of [`FairSearch::Past`] are right, and it answers most questions that have no play.
#[test]
fn what_has_happened_shows_that_there_are_no_plays() {
    let outcomes = ask_the_past(10_000..10_500, Setting::early_conjuncts);
    // Fewer answers than today would be a loss.
    assert!(outcomes.shown >= 605 && outcomes.with_play > 300 && outcomes.ended > 500, "{outcomes:?}");
    let outcomes = ask_the_past(20_000..20_300, Setting::recurring_conjuncts);
    assert!(outcomes.shown >= 390 && outcomes.with_play > 200 && outcomes.ended > 300, "{outcomes:?}");
}
