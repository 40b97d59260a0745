//! The findings on a policy, as diagnostics with spans.

use super::check_report::{PolicyCheckReport, legal_steps, trap_steps, unrealizable};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_gate::WITHOUT_LOOK_AHEAD;
use tsl_synth_policy::analysis::{Cycle, LawFinding, Lint};
use tsl_synth_policy::language::words::{LawTree, sentence_against_formula, text_against_formula};
use tsl_synth_policy::language::{Law, LawAtom, LawId, LawKind, OnViolation, names_of};
use tsl_synth_shell::ClauseWords;

/// Adds what was found to the diagnostics of a report.
pub(super) fn add(report: &mut PolicyCheckReport) {
    let mut all: Vec<Diagnostic> = Vec::new();
    over_constrained(report, &mut all);
    look_ahead(report, &mut all);
    laws(report, &mut all);
    lints(report, &mut all);
    spellings(report, &mut all);
    sessions(report, &mut all);
    text_and_formula(report, &mut all);
    for one in all {
        report.diagnostics.push(one);
    }
}

/// The names of laws: "`a`, `b` and `c`".
fn listed(report: &PolicyCheckReport, laws: &[LawId]) -> String {
    let names: Vec<String> = laws.iter().map(|&law| format!("`{}`", report.law(law))).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

fn at_laws(report: &PolicyCheckReport, laws: &[LawId], mut diagnostic: Diagnostic) -> Diagnostic {
    for &law in laws {
        diagnostic = diagnostic.at(report.compiled.policy.laws[law].span, "this law");
    }
    diagnostic
}

fn over_constrained(report: &PolicyCheckReport, all: &mut Vec<Diagnostic>) {
    for stuck in &report.stuck {
        let verb = if stuck.core.len() == 1 { "leaves" } else { "leave" };
        let message =
            format!("after {} {} {verb} no action", legal_steps(stuck), listed(report, &stuck.core));
        all.push(at_laws(report, &stuck.core, Diagnostic::warning(Code::OVER_CONSTRAINED, message)));
    }
    for conflict in &report.conflicts.found {
        let message = format!("{} exclude each other", listed(report, &conflict.laws));
        all.push(at_laws(report, &conflict.laws, Diagnostic::note(Code::LAW_CONFLICT, message)));
    }
    for pair in &report.conflicts.undecided {
        let message = format!("whether {} exclude each other is not decided", listed(report, pair));
        let note = Diagnostic::note(Code::CHECK_CUT, message);
        all.push(at_laws(report, pair, note.hint("the product of their monitors is too large")));
    }
    if report.search.not_searched.is_none() && !report.search.is_complete && report.stuck.is_empty() {
        let message = format!("the search ended after {} states of the world", report.search.states);
        all.push(Diagnostic::note(Code::CHECK_CUT, message));
    }
}

/// The findings of the game of all hard laws.
fn look_ahead(report: &PolicyCheckReport, all: &mut Vec<Diagnostic>) {
    let ahead = &report.ahead;
    if ahead.can_act_and_stop == Some(false) {
        let message = unrealizable(&[listed(report, &ahead.lost)]);
        all.push(at_laws(report, &ahead.lost, Diagnostic::warning(Code::POLICY_UNREALIZABLE, message)));
    }
    for trap in &ahead.traps {
        let action = &report.compiled.policy.atoms.actions[trap.action].name;
        let message = format!(
            "after {}, the last one `{action}`, the world can make it impossible to keep {}",
            trap_steps(trap),
            listed(report, &trap.laws)
        );
        all.push(at_laws(report, &trap.laws, Diagnostic::warning(Code::TRAP, message)));
    }
    if let Some(why) = &report.gate_limit {
        all.push(Diagnostic::warning(Code::GATE_LIMIT, why.clone()).hint(WITHOUT_LOOK_AHEAD));
    }
    let has_actions = !report.compiled.policy.atoms.actions.is_empty();
    let denies = |law: &Law| law.kind == LawKind::Hard && law.on_violation == OnViolation::Deny;
    let has_hard = report.compiled.policy.laws.iter().any(denies);
    if let (Some(why), true) = (&ahead.not_decided, has_actions && has_hard)
        && !report.law_findings.iter().any(|(_, finding)| *finding == LawFinding::Impossible)
    {
        let message = "whether some agent can keep all hard laws is not decided";
        all.push(Diagnostic::note(Code::CHECK_CUT, message).hint(why.clone()));
    }
    if ahead.positions > 0 && !ahead.is_complete && ahead.traps.is_empty() {
        let message = format!("the search for traps ended after {} positions", ahead.positions);
        all.push(Diagnostic::note(Code::CHECK_CUT, message));
    }
}

fn laws(report: &PolicyCheckReport, all: &mut Vec<Diagnostic>) {
    for (law, finding) in &report.law_findings {
        let name = report.law(*law);
        let own = report.compiled.policy.laws[*law].span;
        all.push(match finding {
            LawFinding::Vacuous => {
                Diagnostic::warning(Code::LAW_VACUOUS, format!("the law `{name}` always holds"))
                    .at(own, "it says nothing")
            }
            LawFinding::Impossible => {
                Diagnostic::warning(Code::LAW_IMPOSSIBLE, format!("the law `{name}` can never hold"))
                    .at(own, "nothing keeps it")
            }
            LawFinding::NeverFires => Diagnostic::warning(
                Code::LAW_NEVER_FIRES,
                format!("nothing can violate the law `{name}`: a condition in it never holds"),
            )
            .at(own, "it never fires"),
            LawFinding::NeverTogether(names) => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                let names = names.join(" and ");
                Diagnostic::warning(
                    Code::NEVER_TOGETHER,
                    format!("the law `{name}` speaks of a step that has {names}, and no step has them together"),
                )
                .at(own, "this condition never holds")
                .hint(
                    "a call is one action of a group: a law about each of two actions, in any order, has a rule for each, or \
                     says in LTL `O a & O b`",
                )
            }
            LawFinding::ImpliedBy(by) | LawFinding::EquivalentTo(by) => {
                let same = matches!(finding, LawFinding::EquivalentTo(_));
                let other = report.law(*by);
                let message = if same {
                    format!("the laws `{name}` and `{other}` say the same")
                } else {
                    format!("the law `{name}` is implied by `{other}`")
                };
                Diagnostic::note(Code::LAW_REDUNDANT, message)
                    .at(own, "it adds nothing")
                    .at(report.compiled.policy.laws[*by].span, "to this law")
            }
        });
    }
}

fn lints(report: &PolicyCheckReport, all: &mut Vec<Diagnostic>) {
    let policy = &report.compiled.policy;
    let atoms = &policy.atoms;
    for lint in &report.lints {
        all.push(match lint {
            Lint::UnusedProposition(id) => {
                let proposition = &atoms.propositions[*id];
                let message = format!("no law depends on the proposition `{}`", proposition.name);
                Diagnostic::note(Code::UNUSED_PROPOSITION, message).at(proposition.span, "not used")
            }
            Lint::NeverMatches(span) => Diagnostic::warning(
                Code::NEVER_MATCHES,
                "no event matches this table: its conditions require two values of one field",
            )
            .at(*span, "never matches"),
            Lint::TwoActions(first, a, second, b) => {
                let [a, b] = [a, b].map(|action| &atoms.actions[*action].name);
                let message = format!("some calls are both `{a}` and `{b}`, which are of one group");
                Diagnostic::warning(Code::TWO_ACTIONS, message)
                    .at(*second, format!("`{b}`"))
                    .at(*first, format!("`{a}`"))
                    .hint("a condition in one of them tells the calls apart")
            }
            Lint::Elsewhere(span, pointer, meant) => {
                let message = format!("no call has a value at `{pointer}`, so that a call with this table is refused");
                Diagnostic::warning(Code::POINTER_ELSEWHERE, message)
                    .at(*span, format!("`{pointer}`"))
                    .hint(format!("arguments are below `/arguments`, results below `/result`: `{meant}`"))
            }
            Lint::Redirections(span) => {
                let message =
                    "a command that the tables permit may write any file by a redirection, such as `> ~/.bashrc`";
                Diagnostic::note(Code::REDIRECTIONS, message)
                    .at(*span, "conditions on words only")
                    .hint("a table with `writes = [\"**\", \"!src/**\"]` gives an action to commands that write other files, for a law such as `rule = \"never write\"`")
            }
            Lint::Unbound(law, id) => {
                let (law, name) = (&policy.laws[*law], &policy.atoms.propositions[*id].name);
                let values = law.for_each.join("` and `");
                let message =
                    format!("`{name}` is about every `{values}` in the law `{}`: no table that sets it has a value", law.id);
                let bind = law.for_each.iter().map(|name| format!("{name} = \"/arguments/{name}\""));
                Diagnostic::note(Code::UNBOUND_PROPOSITION, message)
                    .at(law.span, "for each value")
                    .hint(format!("`bind = {{ {} }}` in its table", bind.collect::<Vec<_>>().join(", ")))
            }
            Lint::Cycle(cycle) => of_cycle(report, cycle),
            Lint::Emptied(law, table) => {
                let (law, table) = (&policy.laws[*law], &policy.matches[*table]);
                let names: Vec<String> =
                    policy.table_names(table).iter().map(|name| format!("`{name}`")).collect();
                let names = names.join(" and ");
                let message = format!(
                    "every call is {names}, so that after any call that succeeded the law `{}` forbids nothing",
                    law.id
                );
                Diagnostic::warning(Code::LAW_EMPTIED, message)
                    .at(table.span, "matches every call")
                    .at(law.span, format!("asks for {names}"))
                    .hint("name the tools or commands that are meant: `tool`, `program`, `where`")
            }
        });
    }
}

/// Actions that wait for each other.
fn of_cycle(report: &PolicyCheckReport, cycle: &Cycle) -> Diagnostic {
    let policy = &report.compiled.policy;
    let names: Vec<String> =
        cycle.actions.iter().map(|&action| format!("`{}`", policy.atoms.actions[action].name)).collect();
    let message = match names.as_slice() {
        [one] => format!("{one} can never be called: it needs that it has succeeded before"),
        all => {
            let all = all.join(" and ");
            format!("{all} can never be called: each needs that another of them has succeeded before")
        }
    };
    let laws = cycle.laws.iter().map(|&law| &policy.laws[law]);
    laws.fold(Diagnostic::warning(Code::NEVER_CALLED, message), |all, law| {
        all.at(law.span, format!("the law `{}`", law.id))
    })
    .hint("one of them has to come first, without the other")
}

/// Tables that no command matches, and tables that miss an equivalent spelling of a command that they match.
fn spellings(report: &PolicyCheckReport, all: &mut Vec<Diagnostic>) {
    let policy = &report.compiled.policy;
    for own in &report.spellings {
        let table = &policy.matches[own.table];
        if let Some((why, hint)) = &own.never {
            let message = format!("no command matches this table: {why}");
            let warning = Diagnostic::warning(Code::NEVER_MATCHES, message).at(table.span, "never matches");
            all.push(warning.hint(hint.clone()));
        }
        let passing: Vec<&str> =
            own.same.iter().filter(|one| one.passes).map(|one| one.text.as_str()).collect();
        let (Some(example), Some(first)) = (&own.example, passing.first()) else { continue };
        let names = policy.table_names(table).join(", ");
        let more = match passing.len() {
            1 => String::new(),
            all => format!("; {all} equivalent spellings are missed"),
        };
        let [example, first] = [&example.text(), *first].map(|text| text.replace('\n', "⏎"));
        let message = format!("`{example}` counts as {names}, but no table for it matches `{first}`{more}");
        let is_list =
            table.shell.as_ref().is_some_and(|shell| matches!(shell.clause.words, ClauseWords::Argv(_)));
        let hint = if is_list {
            "`argv` compares words in their order; `program`, `subcommand` and `flags` accept options in any spelling"
        } else {
            "`policy check --spellings` lists which equivalent commands the table matches"
        };
        let warning = Diagnostic::warning(Code::SPELLING_PASSES, message).at(table.span, "this table");
        all.push(warning.hint(hint));
    }
}

fn sessions(report: &PolicyCheckReport, all: &mut Vec<Diagnostic>) {
    names(report, all);
    for (law, own) in report.compiled.policy.laws.ids().zip(&report.grounding) {
        let (name, span) = (report.law(law), report.compiled.policy.laws[law].span);
        if !own.is_grounded {
            let message = format!("what the law `{name}` is about does not occur in the sessions");
            all.push(Diagnostic::note(Code::NOT_GROUNDED, message).at(span, "not grounded"));
        }
        let session = |place: usize| report.sessions.get(place).map_or("", String::as_str);
        for &(place, letter) in &own.violated {
            let message = format!("the session `{}` violates `{name}` in letter {letter}", session(place));
            all.push(Diagnostic::warning(Code::SESSION_VIOLATES, message).at(span, "this law"));
        }
        for &place in &own.owed {
            let message = format!("the session `{}` ends while `{name}` is owed", session(place));
            all.push(Diagnostic::warning(Code::SESSION_VIOLATES, message).at(span, "this law"));
        }
        for &place in &own.undecided {
            let message = format!("the log of `{}` leaves open whether `{name}` is kept", session(place));
            all.push(Diagnostic::note(Code::SESSION_VIOLATES, message).at(span, "this law"));
        }
    }
}

/// Names that the policy has and the sessions do not, and vice versa.
fn names(report: &PolicyCheckReport, all: &mut Vec<Diagnostic>) {
    let atoms = &report.compiled.policy.atoms;
    for &atom in &report.never_seen {
        let (what, name, span) = match atom {
            LawAtom::Call(id) => ("action", &atoms.actions[id].name, atoms.actions[id].span),
            LawAtom::Proposition(id) => {
                ("proposition", &atoms.propositions[id].name, atoms.propositions[id].span)
            }
            _ => continue,
        };
        let message = format!("the {what} `{name}` does not occur in the sessions");
        all.push(Diagnostic::note(Code::NEVER_SEEN, message).at(span, "never seen"));
    }
    let times = |n: u64| if n == 1 { "once".into() } else { format!("{n} times") };
    for (tool, &calls) in &report.unmatched {
        let message = format!("no table matches the tool `{tool}`, which is called {}", times(calls));
        all.push(Diagnostic::note(Code::CALL_UNMATCHED, message));
    }
    for (name, &count) in &report.unknown {
        let message = format!("the policy has no `{name}`, which is observed {}", times(count));
        all.push(Diagnostic::note(Code::CALL_UNMATCHED, message));
    }
}

/// Laws whose explanation disagrees with their formula. With tables the explanations are advice about tools and commands,
/// which the formula names otherwise, so only whole sentences about its names are compared.
fn text_and_formula(report: &PolicyCheckReport, all: &mut Vec<Diagnostic>) {
    let policy = &report.compiled.policy;
    let names = names_of(&policy.atoms);
    for law in policy.laws.iter().filter(|law| !law.why.is_empty()) {
        let Ok(tree) = LawTree::read(&law.ltl, &names) else { continue };
        let flags = if policy.matches.is_empty() {
            text_against_formula(&law.why, &tree, &names)
        } else {
            sentence_against_formula(&law.why, &tree, &names).into_iter().collect()
        };
        for flag in flags {
            let message = format!("the law `{}` and its explanation differ", law.id);
            let finding = Diagnostic::warning(Code::TEXT_AND_FORMULA, message);
            all.push(finding.at(law.span, "this law").hint(flag.reason));
        }
    }
}
