//! The sentences of specification patterns, with their scopes, in the structured English of Konrad and Cheng. The formulas
//! are those of the library of patterns: `tsl-synth help patterns`.

use super::Formula;
use super::names::{Names, Side};
use super::text::{cut, negated, strip, strip_end};
use super::timing::{Timing, first, is_unit, number_and_unit};

/// Where a pattern is to hold.
enum Scope {
    Globally,
    Before(String),
    After(String),
    Between(String, String),
    AfterUntil(String, String),
}

/// What is to hold in the scope; `p`, `s`, `t` as in the paper.
enum Property {
    Absence(String),
    Universality(String),
    Existence(String),
    Initially(String),
    AtMostTwice(String),
    Precedence {
        first: String,
        then: String,
    },
    Response {
        to: String,
        with: String,
    },
    ResponseWithin {
        to: String,
        with: String,
        steps: u32,
    },
    ResponseChain {
        to: String,
        with: String,
        then: String,
    },
    ResponseChainWithout {
        to: String,
        with: String,
        then: String,
        without: String,
    },
    PrecedenceChain {
        first: String,
        second: String,
        then: String,
    },
    InfinitelyOften(String),
    Recurrence(String, u32),
    /// From a step in which it begins to hold, for so many steps; also from the first step if that is said.
    MinimalDuration {
        what: String,
        steps: u32,
        is_first: bool,
    },
    MaximalDuration(String, u32),
}

fn cut_end<'t>(text: &'t str, suffix: &str) -> Option<&'t str> {
    strip_end(text, suffix).map(str::trim)
}

/// Reads a pattern; `None` if the sentence does not begin as one.
pub(super) fn read(sentence: &str, names: &mut Names) -> Option<Result<Formula, String>> {
    let (scope, rest) = scope(sentence);
    if let Some(denied) = strip(rest, "it is not the case that ") {
        let formula = match scope {
            Ok(Scope::Globally) => property(denied, names)?
                .and_then(|property| formula(&Scope::Globally, property, names))
                .map(|formula| (negated(&format!("({formula})")), None)),
            _ => Err("expected `Globally` as the scope of what is not the case".into()),
        };
        return Some(formula);
    }
    let property = property(rest, names)?;
    Some(property.and_then(|property| Ok((formula(&scope?, property, names)?, None))))
}

/// The scope of a sentence, whose formula is read later, and the rest of it.
fn scope(sentence: &str) -> (Result<Scope, String>, &str) {
    let comma = |text: &'static str| format!("expected a comma after the scope `{text}`");
    if let Some(rest) = strip(sentence, "globally") {
        return (Ok(Scope::Globally), rest.trim_start_matches([',', ' ']));
    }
    for word in ["before ", "after ", "between "] {
        let Some(rest) = strip(sentence, word) else { continue };
        let Some((inner, after)) = rest.split_once(',') else {
            return (
                Err(comma(match word {
                    "before " => "Before R",
                    "after " => "After Q",
                    _ => "Between Q and R",
                })),
                rest,
            );
        };
        let (inner, after) = (inner.trim().to_string(), after.trim());
        let scope = match word {
            "before " => Ok(Scope::Before(inner)),
            "after " => match cut(&inner, " until ") {
                Some((from, to)) => Ok(Scope::AfterUntil(from.into(), to.into())),
                None => Ok(Scope::After(inner)),
            },
            _ => match cut(&inner, " and ") {
                Some((from, to)) => Ok(Scope::Between(from.into(), to.into())),
                None => Err("expected `Between Q and R,`".into()),
            },
        };
        return (scope, after);
    }
    (Ok(Scope::Globally), sentence)
}

/// The number of steps at the beginning of a text.
fn steps(text: &str) -> Result<u32, String> {
    match number_and_unit(text) {
        Some((number, unit)) if is_unit(unit) => Ok(number),
        _ => Err(format!("expected a number of steps, such as `5 steps`, in place of `{}`", text.trim())),
    }
}

fn property(text: &str, names: &mut Names) -> Option<Result<Property, String>> {
    let condition = |names: &mut Names, text: &str, side| names.condition(text, side);
    if let Some(rest) = strip(text, "it is never the case that ") {
        let rest = cut_end(rest, " holds").unwrap_or(rest);
        return Some(condition(names, rest, Side::Output).map(Property::Absence));
    }
    if let Some(rest) = strip(text, "it is always the case that ").or_else(|| strip(text, "always, ")) {
        return Some(of_always(rest, names));
    }
    if let Some(read) = duration_of(text, names) {
        return Some(read);
    }
    if let (what, Timing::Initially) = first(text) {
        let what = cut_end(what, " holds").unwrap_or(what);
        return Some(condition(names, what, Side::Output).map(Property::Initially));
    }
    for (suffix, make) in [
        (" holds infinitely often", Property::InfinitelyOften as fn(String) -> Property),
        (" occurs infinitely often", Property::InfinitelyOften),
        (" holds initially", Property::Initially),
        (" initially holds", Property::Initially),
        (" holds at most twice", Property::AtMostTwice),
        (" occurs at most twice", Property::AtMostTwice),
        (" eventually holds", Property::Existence),
        (" holds eventually", Property::Existence),
        (" occurs eventually", Property::Existence),
        (" eventually occurs", Property::Existence),
        (" never holds", Property::Absence),
        (" never occurs", Property::Absence),
        (" always holds", Property::Universality),
    ] {
        if let Some(what) = cut_end(text, suffix) {
            return Some(condition(names, what, Side::Output).map(make));
        }
    }
    if let Some(read) = recurrence_of(text, names) {
        return Some(read);
    }
    for word in [" responds to ", " precedes "] {
        let Some((with, to)) = cut(text, word) else { continue };
        return Some(if word == " precedes " {
            condition(names, with, Side::Input).and_then(|first| {
                let then = condition(names, to, Side::Output)?;
                Ok(Property::Precedence { first, then })
            })
        } else {
            condition(names, to, Side::Input).and_then(|to| {
                let with = condition(names, with, Side::Output)?;
                Ok(Property::Response { to, with })
            })
        });
    }
    None
}

/// What comes after `it is always the case that`.
fn of_always(text: &str, names: &mut Names) -> Result<Property, String> {
    if let Some(read) = duration_of(text, names).or_else(|| recurrence_of(text, names)) {
        return read;
    }
    let Some(rest) = strip(text, "if ").or_else(|| strip(text, "whenever ")) else {
        let what = cut_end(text, " holds").unwrap_or(text);
        if let Some(what) =
            cut_end(what, " infinitely often").map(|what| cut_end(what, " holds").unwrap_or(what))
        {
            return Ok(Property::InfinitelyOften(names.condition(what, Side::Output)?));
        }
        return Ok(Property::Universality(names.condition(what, Side::Output)?));
    };
    let Some((cause, effect)) = cut(rest, ", then ").or_else(|| cut(rest, " then ")) else {
        return Err("expected `if P then S eventually holds`".into());
    };
    let cause = cut_end(cause, " holds").unwrap_or(cause);
    if let Some((second, first)) = cut(effect, " previously held and was preceded by ") {
        let then = names.condition(cause, Side::Output)?;
        let (first, second) = (names.condition(first, Side::Input)?, names.condition(second, Side::Input)?);
        return Ok(Property::PrecedenceChain { first, second, then });
    }
    if let Some(first) = cut_end(effect, " previously held") {
        let then = names.condition(cause, Side::Output)?;
        return Ok(Property::Precedence { first: names.condition(first, Side::Input)?, then });
    }
    let to = names.condition(cause, Side::Input)?;
    if let Some((with, then)) = cut(effect, " eventually holds and is succeeded by ") {
        let with_text = with;
        let with = names.condition(with, Side::Output)?;
        let Some((then_text, without)) = cut(then, ", where ") else {
            return Ok(Property::ResponseChain { to, with, then: names.condition(then, Side::Output)? });
        };
        let ends = format!(" does not hold between {with_text} and {then_text}");
        let Some(without) = strip_end(without, &ends) else {
            return Err(format!("expected `where .. does not hold between {with_text} and {then_text}`"));
        };
        let then = names.condition(then_text, Side::Output)?;
        let without = names.condition(without, Side::Output)?;
        return Ok(Property::ResponseChainWithout { to, with, then, without });
    }
    if let Some((with, within)) =
        cut(effect, " holds within ").or_else(|| cut(effect, " holds after at most "))
    {
        let with = names.condition(with, Side::Output)?;
        return Ok(Property::ResponseWithin { to, with, steps: steps(within)? });
    }
    if let Some(with) = cut_end(effect, " eventually holds").or_else(|| cut_end(effect, " holds eventually"))
    {
        return Ok(Property::Response { to, with: names.condition(with, Side::Output)? });
    }
    let now = cut_end(effect, " holds as well").or_else(|| cut_end(effect, " holds"));
    match now {
        Some(with) => {
            let with = names.condition(with, Side::Output)?;
            Ok(Property::Universality(format!("({to} -> {with})")))
        }
        None => Err("expected `.. eventually holds`, `.. previously held`, `.. holds within N steps` or `.. holds` after \
                     `then`"
            .into()),
    }
}

/// `P holds at least every 7 steps`
fn recurrence_of(text: &str, names: &mut Names) -> Option<Result<Property, String>> {
    let (what, often) = cut(text, " holds at least every ").or_else(|| cut(text, " holds every "))?;
    let read = names.condition(what, Side::Output);
    Some(read.and_then(|what| Ok(Property::Recurrence(what, steps(often)?))))
}

/// `once P becomes satisfied, it holds for at least 4 steps`
fn duration_of(text: &str, names: &mut Names) -> Option<Result<Property, String>> {
    let rest = strip(text, "once ")?;
    let begun = cut(rest, " becomes satisfied, it holds for ")
        .or_else(|| cut(rest, " becomes satisfied it holds for "));
    let is_first = begun.is_none();
    let (what, duration) = begun.or_else(|| cut(rest, " holds, it holds for "))?;
    let least = strip(duration, "at least ").map(steps);
    let most = strip(duration, "at most ").map(steps).or_else(|| {
        // Of 1 step and more, one less.
        let fewer = steps(strip(duration, "less than ").or_else(|| strip(duration, "fewer than "))?);
        Some(fewer.and_then(|n| n.checked_sub(1).ok_or_else(|| "expected at least 1 step".to_string())))
    });
    let what = names.condition(what, Side::Output);
    Some(what.and_then(|what| match (least, most) {
        (Some(least), _) => match least? {
            0 => Err("expected at least 1 step".into()),
            steps => Ok(Property::MinimalDuration { what, steps, is_first }),
        },
        (None, Some(most)) => Ok(Property::MaximalDuration(what, most?)),
        _ => Err("expected `at least N steps` or `at most N steps`".into()),
    }))
}

/// The formula of a pattern in a scope.
fn formula(scope: &Scope, property: Property, names: &mut Names) -> Result<String, String> {
    use Property as P;
    let mut condition = |text: &String| names.condition(text, Side::Input);
    // The ends of the scope are `q` and `r` in the paper.
    let (q, r) = match scope {
        Scope::Globally => (String::new(), String::new()),
        Scope::Before(r) => (String::new(), condition(r)?),
        Scope::After(q) => (condition(q)?, String::new()),
        Scope::Between(q, r) | Scope::AfterUntil(q, r) => (condition(q)?, condition(r)?),
    };
    let closed = format!("({q} && !{r} && F {r})");
    let open = format!("({q} && !{r})");
    let unknown = |what: &str| Err(format!("expected `Globally` as the scope of {what}"));
    Ok(match (property, scope) {
        (P::Absence(p), Scope::Globally) => format!("G !{p}"),
        (P::Absence(p), Scope::Before(_)) => format!("F {r} -> (!{p} U {r})"),
        (P::Absence(p), Scope::After(_)) => format!("G ({q} -> G !{p})"),
        (P::Absence(p), Scope::Between(..)) => format!("G ({closed} -> (!{p} U {r}))"),
        (P::Absence(p), Scope::AfterUntil(..)) => format!("G ({open} -> (!{p} W {r}))"),
        (P::Universality(p), Scope::Globally) => format!("G {p}"),
        (P::Universality(p), Scope::Before(_)) => format!("F {r} -> ({p} U {r})"),
        (P::Universality(p), Scope::After(_)) => format!("G ({q} -> G {p})"),
        (P::Universality(p), Scope::Between(..)) => format!("G ({closed} -> ({p} U {r}))"),
        (P::Universality(p), Scope::AfterUntil(..)) => format!("G ({open} -> ({p} W {r}))"),
        (P::Existence(p), Scope::Globally) => format!("F {p}"),
        (P::Existence(p), Scope::Before(_)) => format!("!{r} W ({p} && !{r})"),
        (P::Existence(p), Scope::After(_)) => format!("G !{q} || F ({q} && F {p})"),
        (P::Existence(p), Scope::Between(..)) => format!("G ({open} -> (!{r} W ({p} && !{r})))"),
        (P::Existence(p), Scope::AfterUntil(..)) => format!("G ({open} -> (!{r} U ({p} && !{r})))"),
        (P::Initially(p), Scope::Globally) => p,
        (P::AtMostTwice(p), Scope::Globally) => format!("!{p} W ({p} W (!{p} W ({p} W G !{p})))"),
        (P::AtMostTwice(p), Scope::After(_)) => {
            format!("F {q} -> (!{q} U ({q} && (!{p} W ({p} W (!{p} W ({p} W G !{p}))))))")
        }
        (P::AtMostTwice(_), _) => {
            return Err("expected `Globally` or `After Q` as the scope of `at most twice`".into());
        }
        (P::Precedence { first, then }, Scope::Globally) => format!("!{then} W {first}"),
        (P::Precedence { first, then }, Scope::Before(_)) => format!("F {r} -> (!{then} U ({first} || {r}))"),
        (P::Precedence { first, then }, Scope::After(_)) => {
            format!("G !{q} || F ({q} && (!{then} W {first}))")
        }
        (P::Precedence { first, then }, Scope::Between(..)) => {
            format!("G ({closed} -> (!{then} U ({first} || {r})))")
        }
        (P::Precedence { first, then }, Scope::AfterUntil(..)) => {
            format!("G ({open} -> (!{then} W ({first} || {r})))")
        }
        (P::Response { to, with }, Scope::Globally) => format!("G ({to} -> F {with})"),
        (P::Response { to, with }, Scope::Before(_)) => {
            format!("F {r} -> (({to} -> (!{r} U ({with} && !{r}))) U {r})")
        }
        (P::Response { to, with }, Scope::After(_)) => format!("G ({q} -> G ({to} -> F {with}))"),
        (P::Response { to, with }, Scope::Between(..)) => {
            format!("G ({closed} -> (({to} -> (!{r} U ({with} && !{r}))) U {r}))")
        }
        (P::Response { to, with }, Scope::AfterUntil(..)) => {
            format!("G ({open} -> (({to} -> (!{r} U ({with} && !{r}))) W {r}))")
        }
        (P::ResponseWithin { to, with, steps }, Scope::Globally) => {
            format!("G ({to} -> F[0:{steps}] {with})")
        }
        (P::ResponseWithin { to, with, steps }, Scope::After(_)) => {
            format!("G ({q} -> G ({to} -> F[0:{steps}] {with}))")
        }
        (P::ResponseWithin { .. }, _) => {
            return Err("expected `Globally` or `After Q` as the scope of a bounded response".into());
        }
        (P::ResponseChain { to, with, then }, Scope::Globally) => {
            format!("G ({to} -> F ({with} && X F {then}))")
        }
        (P::ResponseChainWithout { to, with, then, without }, Scope::Globally) => {
            format!("G ({to} -> F ({with} && !{without} && X (!{without} U {then})))")
        }
        (P::PrecedenceChain { first, second, then }, Scope::Globally) => {
            format!("F {then} -> (!{then} U ({first} && !{then} && X (!{then} U {second})))")
        }
        (P::InfinitelyOften(p), Scope::Globally) => format!("G F {p}"),
        (P::Recurrence(p, n), Scope::Globally) => format!("G F[0:{n}] {p}"),
        (P::MinimalDuration { what: p, steps, is_first: false }, Scope::Globally) => {
            format!("G ((!{p} && X {p}) -> X G[0:{}] {p})", steps - 1)
        }
        (P::MinimalDuration { what: p, steps, is_first: true }, Scope::Globally) => {
            format!("G (({p} && !Y {p}) -> G[0:{}] {p})", steps - 1)
        }
        (P::MaximalDuration(p, n), Scope::Globally) => format!("G ({p} -> F[0:{n}] !{p})"),
        (P::ResponseChain { .. } | P::ResponseChainWithout { .. } | P::PrecedenceChain { .. }, _) => {
            return unknown("a chain");
        }
        (P::Initially(_), _) => return unknown("what holds in the first step"),
        (P::InfinitelyOften(_) | P::Recurrence(..), _) => return unknown("what happens again and again"),
        (P::MinimalDuration { .. } | P::MaximalDuration(..), _) => return unknown("a duration"),
    })
}
