//! The named patterns of policies, and the LTL formula of each.
//!
//! A call is decided before it is executed. So an action that is *needed* or *owed* denotes its success `a.ok`, and an
//! action that is *forbidden*, *counted*, a *trigger*, or that ends an interval denotes its call. A call comes last in
//! its letter: everything else in the letter happened before it. So an obligation that a call triggers must be met in a
//! later letter, and a fact that a call makes stale is stale from the next letter on.

use super::names::{ACT, OUTCOMES};
use super::tree::{LawTree, Link, Temporal};
use std::sync::Arc;

/// Up to this number `at most N` is written out in LTL; above it, a register counts.
pub const EXPANDED_COUNTS: u32 = 8;

/// A name in a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternSubject {
    /// An action: its call or its success, depending on its role in the pattern.
    Action(Arc<str>),
    /// A result of an action: `ok`, `failed` or `unknown`.
    Outcome(Arc<str>, &'static str),
    /// A proposition that is true in single letters.
    Momentary(Arc<str>),
    /// A proposition that keeps its value.
    State(Arc<str>),
}

impl PatternSubject {
    /// Whether it keeps its value.
    pub fn is_state(&self) -> bool {
        matches!(self, Self::State(_))
    }
    /// Whether it is an action or an outcome of one.
    pub(super) fn is_of_action(&self) -> bool {
        matches!(self, Self::Action(_) | Self::Outcome(..))
    }
    /// As it is written.
    pub fn name(&self) -> String {
        match self {
            Self::Action(name) | Self::Momentary(name) | Self::State(name) => name.to_string(),
            Self::Outcome(name, outcome) => format!("{name}.{outcome}"),
        }
    }
    pub(super) fn call(&self) -> LawTree {
        match self {
            Self::Action(name) | Self::Momentary(name) | Self::State(name) => LawTree::Atom(name.clone()),
            Self::Outcome(name, outcome) => LawTree::atom(format!("{name}.{outcome}")),
        }
    }
    pub(super) fn done(&self) -> LawTree {
        match self {
            Self::Action(name) => LawTree::atom(format!("{name}.ok")),
            other => other.call(),
        }
    }
}

/// A Boolean combination of names in a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameCondition {
    /// A name.
    Is(PatternSubject),
    /// Negation.
    Not(Box<NameCondition>),
    /// Conjunction of two or more.
    All(Vec<NameCondition>),
    /// Disjunction of two or more.
    Any(Vec<NameCondition>),
}

impl NameCondition {
    fn map(&self, of: &dyn Fn(&PatternSubject) -> LawTree) -> LawTree {
        match self {
            Self::Is(subject) => of(subject),
            Self::Not(inner) => LawTree::negate(inner.map(of)),
            Self::All(all) => LawTree::all(all.iter().map(|c| c.map(of)).collect::<Vec<_>>()),
            Self::Any(all) => LawTree::any(all.iter().map(|c| c.map(of)).collect::<Vec<_>>()),
        }
    }
    /// The condition on one letter in which an action denotes its call.
    pub fn call(&self) -> LawTree {
        self.map(&PatternSubject::call)
    }
    /// The condition on one letter in which an action denotes its success.
    pub fn done(&self) -> LawTree {
        self.map(&PatternSubject::done)
    }
    /// Folds the negation normal form: `literal` gets each name with its sign, `join` the parts of a conjunction
    /// (`true`) or disjunction.
    pub(super) fn each<T>(
        &self,
        positive: bool,
        literal: &dyn Fn(&PatternSubject, bool) -> T,
        join: &dyn Fn(bool, Vec<T>) -> T,
    ) -> T {
        match self {
            Self::Is(subject) => literal(subject, positive),
            Self::Not(inner) => inner.each(!positive, literal, join),
            Self::All(all) | Self::Any(all) => {
                let conjunction = matches!(self, Self::All(_)) == positive;
                join(conjunction, all.iter().map(|c| c.each(positive, literal, join)).collect())
            }
        }
    }
    /// The law of the negation normal form, with the law of each name with its sign.
    pub(super) fn each_law(&self, literal: &dyn Fn(&PatternSubject, bool) -> LawTree) -> LawTree {
        self.each(true, literal, &|conjunction, parts| {
            if conjunction { LawTree::all(parts) } else { LawTree::any(parts) }
        })
    }
    /// All names in it.
    pub fn subjects(&self) -> Vec<&PatternSubject> {
        match self {
            Self::Is(subject) => vec![subject],
            Self::Not(inner) => inner.subjects(),
            Self::All(all) | Self::Any(all) => all.iter().flat_map(Self::subjects).collect(),
        }
    }
    /// Whether it mentions an action itself, not only its outcomes.
    pub fn mentions_call(&self) -> bool {
        self.subjects().iter().any(|subject| matches!(subject, PatternSubject::Action(_)))
    }
    /// Whether all its names are propositions that keep their values.
    pub fn is_state(&self) -> bool {
        self.subjects().iter().all(|subject| subject.is_state())
    }
}

/// A length of time: `60s`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// In milliseconds.
    pub milliseconds: u64,
    /// As it is printed.
    pub text: String,
    /// Whether the letters of all sessions of a store count.
    pub is_over_sessions: bool,
}

impl Window {
    /// Its words after `per`.
    pub fn words(&self) -> String {
        if self.is_over_sessions { format!("{} over sessions", self.text) } else { self.text.clone() }
    }
}

/// When a count is reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reset {
    /// Never.
    Never,
    /// In each letter that satisfies this; a call in the same letter is the first that counts.
    Since(NameCondition),
    /// Only letters within this time count.
    Per(Window),
}

/// A named pattern with its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LawPattern {
    /// `A requires B before`
    RequiresBefore {
        /// A
        what: NameCondition,
        /// B
        needed: NameCondition,
    },
    /// `A requires B since C`
    RequiresSince {
        /// A
        what: NameCondition,
        /// B
        needed: NameCondition,
        /// C
        since: NameCondition,
    },
    /// `B forbids A after`
    ForbidsAfter {
        /// B
        trigger: NameCondition,
        /// A
        forbidden: NameCondition,
    },
    /// `A then B eventually`
    ThenEventually {
        /// A
        trigger: NameCondition,
        /// B
        owed: NameCondition,
    },
    /// `A then B immediately`
    ThenImmediately {
        /// A
        trigger: NameCondition,
        /// B
        owed: NameCondition,
    },
    /// `at most N A`, `at most N A since B`, `at most N A per WINDOW`
    AtMost {
        /// N
        most: u32,
        /// A; if all its names keep their values, each maximal interval of steps in which it holds counts once.
        what: NameCondition,
        /// When the count is reset.
        reset: Reset,
    },
    /// `at most N distinct V in A`, `at most N distinct V in A since B`
    AtMostDistinct {
        /// N
        most: u32,
        /// V, a name that tables bind to values.
        value: Arc<str>,
        /// A
        what: NameCondition,
        /// B
        since: Option<NameCondition>,
    },
    /// `never A while P`
    NeverWhile {
        /// A
        what: NameCondition,
        /// P
        state: NameCondition,
    },
    /// `A only between B and C`
    OnlyBetween {
        /// A
        what: NameCondition,
        /// B
        open: NameCondition,
        /// C
        close: NameCondition,
    },
    /// `A within N of B`
    Within {
        /// A
        what: NameCondition,
        /// N
        most: u32,
        /// B
        of: NameCondition,
    },
    /// `ask before each A`, `ask before first A`: a person is asked, as `on_violation = "ask"` says.
    Ask {
        /// A
        what: NameCondition,
        /// Whether only the first is asked about.
        first: bool,
        /// B of `ask before each A unless B`.
        unless: Option<NameCondition>,
    },
    /// `end requires B`
    EndRequires {
        /// B
        needed: NameCondition,
    },
    /// `after A end requires B`
    AfterEndRequires {
        /// A
        trigger: NameCondition,
        /// B
        needed: NameCondition,
    },
}

/// A register that a pattern needs, because its count is too large for LTL or has a time window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountRequest {
    /// The name of the proposition that holds while the count is above `above`. Equal requests have equal names.
    pub name: String,
    /// The condition on letters that are counted, with `Y` if only the first letter of an interval counts.
    pub on: LawTree,
    /// The greatest count that is allowed.
    pub above: u32,
    /// The condition on letters that reset the count; a call in the same letter counts.
    pub reset_on: Option<LawTree>,
    /// Only letters within this time count; `None` counts all.
    pub window: Option<Window>,
    /// The name whose distinct values are counted; `None` counts all letters.
    pub distinct: Option<String>,
    /// The names of bound values; each combination of values has a number of its own. Empty for one number.
    pub for_each: Vec<String>,
}

impl CountRequest {
    /// The law that the count never is above the limit; with `in_counted`, in the letters that it counts.
    fn limit(self, in_counted: bool) -> LawTree {
        let below = LawTree::negate(LawTree::atom(self.name));
        LawTree::globally(if in_counted { LawTree::implies(self.on, below) } else { below })
    }
}

/// A pattern as `schema pattern` lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternForm {
    /// A short name.
    pub name: &'static str,
    /// Its syntax.
    pub form: &'static str,
    /// An example over the actions `edit`, `tests`, `push`, `refund` and the state `frozen`; its LTL and its sentence
    /// come from [`LawPattern`].
    pub example: &'static str,
}

/// All patterns.
pub const PATTERNS: &[PatternForm] = &[
    PatternForm { name: "precedence", form: "A requires B before", example: "push requires tests before" },
    PatternForm {
        name: "freshness",
        form: "A requires B since C",
        example: "push requires tests since edit",
    },
    PatternForm { name: "prohibition", form: "B forbids A after", example: "push forbids edit after" },
    PatternForm { name: "response", form: "A then B eventually", example: "edit then tests eventually" },
    PatternForm {
        name: "immediate response",
        form: "A then B immediately",
        example: "edit then tests immediately",
    },
    PatternForm { name: "count", form: "at most N A", example: "at most 2 refund" },
    PatternForm { name: "count since", form: "at most N A since B", example: "at most 2 refund since tests" },
    PatternForm { name: "rate", form: "at most N A per WINDOW", example: "at most 5 refund per 60s" },
    PatternForm {
        name: "rate over sessions",
        form: "at most N A per WINDOW over sessions",
        example: "at most 5 refund per 1d over sessions",
    },
    PatternForm {
        name: "distinct count",
        form: "at most N distinct V in A",
        example: "at most 3 distinct file in edit",
    },
    PatternForm {
        name: "distinct count since",
        form: "at most N distinct V in A since B",
        example: "at most 3 distinct file in edit since tests",
    },
    PatternForm { name: "absence", form: "never A", example: "never push" },
    PatternForm { name: "exclusion", form: "never A while P", example: "never refund while frozen" },
    PatternForm { name: "exception", form: "never A unless B", example: "never push unless frozen" },
    PatternForm { name: "question", form: "ask before each A", example: "ask before each push" },
    PatternForm { name: "consent", form: "ask before first A", example: "ask before first push" },
    PatternForm { name: "nearness", form: "A within N of B", example: "push within 3 of tests" },
    PatternForm {
        name: "bracket",
        form: "A only between B and C",
        example: "edit only between tests and push",
    },
    PatternForm { name: "final", form: "end requires B", example: "end requires tests" },
    PatternForm {
        name: "final after",
        form: "after A end requires B",
        example: "after edit end requires tests",
    },
];

fn strong_next(f: LawTree) -> LawTree {
    LawTree::unary(Temporal::StrongNext, f)
}

/// `x` holds now, or held in an earlier letter with no `stale` from that letter up to the previous letter; `stale` in
/// the current letter does not count, since a call comes last in its letter.
pub(super) fn fresh(x: LawTree, stale: &LawTree) -> LawTree {
    let not_stale = LawTree::negate(stale.clone());
    let before = LawTree::binary(Link::Since, not_stale.clone(), LawTree::all([x.clone(), not_stale]));
    LawTree::any([x, LawTree::yesterday(before)])
}

/// The arguments `x` and `stale` of [`fresh`], if the law has that form.
pub(super) fn fresh_parts(law: &LawTree) -> Option<(&LawTree, &LawTree)> {
    let LawTree::Or(parts) = law else { return None };
    let [x, LawTree::Unary(Temporal::Yesterday, before)] = parts.as_slice() else { return None };
    match &**before {
        LawTree::Binary(Link::Since, not_stale, _) => match &**not_stale {
            LawTree::Not(stale) => Some((x, stale)),
            _ => None,
        },
        _ => None,
    }
}

/// `x` holds in some letter from now on, or after this one if `strictly`.
fn later(x: LawTree, strictly: bool) -> LawTree {
    if strictly { strong_next(LawTree::finally(x)) } else { LawTree::finally(x) }
}

/// A name with its sign, evaluated at the end of the word: an event has occurred (after this letter if `strictly`), a
/// state holds.
fn at_end(subject: &PatternSubject, positive: bool, strictly: bool) -> LawTree {
    let x = subject.done();
    match (subject.is_state(), positive) {
        (false, true) => later(x, strictly),
        (false, false) if strictly => LawTree::unary(Temporal::Next, LawTree::globally(LawTree::negate(x))),
        (false, false) => LawTree::globally(LawTree::negate(x)),
        // On the empty word no state holds.
        (true, true) => LawTree::finally(LawTree::globally(x)),
        (true, false) => LawTree::globally(LawTree::finally(LawTree::negate(x))),
    }
}

impl LawPattern {
    /// Its formula on finite words. If it needs a register, the formula mentions the proposition of
    /// [`LawPattern::register`].
    pub fn law(&self) -> LawTree {
        match self {
            Self::RequiresBefore { what, needed } => {
                let has = needed.each_law(&|subject, positive| match (subject.is_state(), positive) {
                    (true, false) => LawTree::once(LawTree::negate(subject.done())),
                    (_, true) => LawTree::once(subject.done()),
                    (false, false) => LawTree::negate(LawTree::once(subject.done())),
                });
                LawTree::globally(LawTree::implies(what.call(), has))
            }
            Self::RequiresSince { what, needed, since } => {
                let stale = since.call();
                let has = needed.each_law(&|subject, positive| match (subject.is_state(), positive) {
                    (true, false) => fresh(LawTree::negate(subject.done()), &stale),
                    (_, true) => fresh(subject.done(), &stale),
                    (false, false) => LawTree::negate(fresh(subject.done(), &stale)),
                });
                LawTree::globally(LawTree::implies(what.call(), has))
            }
            Self::OnlyBetween { what, open, close } => {
                LawTree::globally(LawTree::implies(what.call(), fresh(open.done(), &close.call())))
            }
            Self::ForbidsAfter { trigger, forbidden } => {
                let never = LawTree::globally(LawTree::negate(forbidden.call()));
                let never =
                    if trigger.mentions_call() { LawTree::unary(Temporal::Next, never) } else { never };
                LawTree::globally(LawTree::implies(trigger.call(), never))
            }
            Self::ThenEventually { trigger, owed } => {
                let strictly = trigger.mentions_call();
                let comes = owed.each_law(&|subject, positive| {
                    let x = subject.done();
                    later(if positive { x } else { LawTree::negate(x) }, strictly)
                });
                LawTree::globally(LawTree::implies(trigger.call(), comes))
            }
            Self::ThenImmediately { trigger, owed } => {
                let busy = LawTree::atom(ACT);
                let waiting = if owed.mentions_an_action() {
                    LawTree::implies(busy, owed.asked())
                } else {
                    LawTree::negate(busy)
                };
                let until = LawTree::binary(Link::Until, waiting, owed.done());
                LawTree::globally(LawTree::implies(trigger.call(), strong_next(until)))
            }
            Self::AtMost { .. } | Self::AtMostDistinct { .. } => match self.register() {
                Some(register) => {
                    // What other sessions count says nothing about the other letters of this one.
                    let is_over_sessions = register.window.as_ref().is_some_and(|own| own.is_over_sessions);
                    register.limit(is_over_sessions)
                }
                None => self.counted_out(),
            },
            Self::NeverWhile { what, state } => {
                LawTree::globally(LawTree::negate(LawTree::all([what.call(), state.call()])))
            }
            Self::Within { what, most, of } => {
                let done = of.done();
                let step = |later: LawTree| LawTree::any([done.clone(), LawTree::yesterday(later)]);
                let near = (0..*most).fold(done.clone(), |near, _| step(near));
                LawTree::globally(LawTree::implies(what.call(), near))
            }
            Self::Ask { what, first: true, .. } => {
                LawTree::globally(LawTree::implies(what.call(), LawTree::once(what.ended())))
            }
            Self::Ask { what, unless, .. } => {
                let excused = unless.iter().map(|unless| LawTree::negate(unless.call()));
                let asked: Vec<LawTree> = std::iter::once(what.call()).chain(excused).collect();
                LawTree::globally(LawTree::negate(LawTree::all(asked)))
            }
            Self::EndRequires { needed } => {
                needed.each_law(&|subject, positive| at_end(subject, positive, false))
            }
            Self::AfterEndRequires { trigger, needed } => {
                let strictly = trigger.mentions_call();
                let needed = needed.each_law(&|subject, positive| at_end(subject, positive, strictly));
                LawTree::globally(LawTree::implies(trigger.call(), needed))
            }
        }
    }

    /// [`LawPattern::law`] as text.
    pub fn ltl(&self) -> String {
        self.law().to_string()
    }

    /// Whether a person is asked about what violates it.
    pub fn asks(&self) -> bool {
        matches!(self, Self::Ask { .. })
    }

    /// The register that it needs, if LTL alone is not enough.
    pub fn register(&self) -> Option<CountRequest> {
        if let Self::AtMostDistinct { most, value, what, since } = self {
            let reset_on = since.as_ref().map(NameCondition::done);
            let mut name = format!("over_{most}_{value}_in_{}", slug(&what.call()));
            if let Some(reset) = &reset_on {
                name = format!("{name}_since_{}", slug(reset));
            }
            let (on, distinct) = (what.call(), Some(value.to_string()));
            return Some(CountRequest {
                name,
                on,
                above: *most,
                reset_on,
                window: None,
                distinct,
                for_each: Vec::new(),
            });
        }
        let Self::AtMost { most, what, reset } = self else { return None };
        let window = match reset {
            Reset::Per(window) => Some(window.clone()),
            _ if *most > EXPANDED_COUNTS => None,
            _ => return None,
        };
        let reset_on = match reset {
            Reset::Since(condition) => Some(condition.done()),
            _ => None,
        };
        let mut name = format!("over_{most}_{}", slug(&what.call()));
        if let Some(reset) = &reset_on {
            name = format!("{name}_since_{}", slug(reset));
        }
        if let Some(window) = &window {
            name = format!("{name}_per_{}", window.words().replace(' ', "_"));
        }
        let (on, above, for_each) = (counted(what), *most, Vec::new());
        Some(CountRequest { name, on, above, reset_on, window, distinct: None, for_each })
    }
    /// The register that it needs in a law with these names in `for_each`, which has one number for each combination of their
    /// values.
    pub fn register_for_each(&self, names: &[String]) -> Option<CountRequest> {
        let mut register = self.register()?;
        if !names.is_empty() {
            register.name = format!("{}_for_each_{}", register.name, words(&names.join(" and ")));
            register.for_each = names.to_vec();
        }
        Some(register)
    }
    /// Its formula in a law with these names in `for_each`.
    pub fn ltl_for_each(&self, names: &[String]) -> String {
        match self.register_for_each(names) {
            Some(register) if !names.is_empty() => register.limit(true).to_string(),
            _ => self.ltl(),
        }
    }

    /// `at most N` with nested past operators: no letter is the counted letter with number N + 1.
    fn counted_out(&self) -> LawTree {
        let Self::AtMost { most, what, reset } = self else { return LawTree::Constant(true) };
        if (*most, reset) == (0, &Reset::Never) {
            return LawTree::globally(LawTree::negate(what.call()));
        }
        let on = counted(what);
        let mut numbered = on.clone();
        for _ in 0..*most {
            numbered = match reset {
                Reset::Since(condition) => {
                    let kept = LawTree::negate(condition.done());
                    let before = LawTree::binary(Link::Since, kept.clone(), numbered);
                    LawTree::all([on.clone(), kept, LawTree::yesterday(before)])
                }
                _ => LawTree::all([on.clone(), LawTree::yesterday(LawTree::once(numbered))]),
            };
        }
        LawTree::globally(LawTree::negate(numbered))
    }
}

impl NameCondition {
    /// Whether an action or an outcome of one is in it.
    pub(super) fn mentions_an_action(&self) -> bool {
        self.subjects().iter().any(|subject| subject.is_of_action())
    }
    /// The condition that a call has ended, whatever its outcome.
    fn ended(&self) -> LawTree {
        self.map(&|subject| match subject {
            PatternSubject::Action(name) => {
                LawTree::any(OUTCOMES.map(|outcome| LawTree::atom(format!("{name}.{outcome}"))))
            }
            other => other.call(),
        })
    }
    /// The condition on the letter of a call that may lead to it: outcomes are replaced by their calls.
    pub(super) fn asked(&self) -> LawTree {
        self.map(&|subject| match subject {
            PatternSubject::Outcome(name, _) => LawTree::Atom(name.clone()),
            other => other.call(),
        })
    }
}

/// The letters that count: all that satisfy it, or the first of each interval of steps in which a state holds.
fn counted(what: &NameCondition) -> LawTree {
    let on = what.call();
    if what.is_state() { LawTree::all([on.clone(), LawTree::negate(LawTree::yesterday(on))]) } else { on }
}

/// A condition as part of a name.
fn slug(law: &LawTree) -> String {
    words(&law.to_string().replace('&', " and ").replace('|', " or ").replace('!', " not "))
}

/// The words of a text as part of a name.
fn words(text: &str) -> String {
    let parts: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|part| !part.is_empty()).collect();
    parts.join("_")
}
