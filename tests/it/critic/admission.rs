//! Admission of scripted edits of a small policy: each refusal has the expected reason, and its witness is checked.

use super::text::edit;
use crate::policies::{compiled, letter};
use std::borrow::Cow;
use tsl_synth_agents::{NoLog, Oracle, OracleAnswer, OracleError, OracleRequest};
use tsl_synth_core::model::{CallOutcome, EditKind, HostEvent, HostEventKind, JsonText, LawEdit, Speaker};
use tsl_synth_service::{
    CriticGoal, CriticReport, CriticRequest, Input, LoggedSessions, LoggedSessionsBuilder, RefusedBecause,
    RunEvents, Session,
};

/// Two propositions and three actions; `rest` is always possible.
pub(super) const POLICY: &str = r#"policy = 1
timing = "next"
idle = false
end = "finite"
[propositions]
ready = {}
tired = {}
rich = {}
[actions]
groups = [["work", "play", "rest"]]
[[law]]
id = "no-play"
kind = "hard"
ltl = "G(!ready -> X !play)"
[[law]]
id = "no-work"
kind = "soft"
ltl = "G(tired -> X !work)"
why = "Tired agents err."
"#;

/// A step of a run: what holds, what is done, whether it succeeds.
pub(super) type Step<'s> = (&'s [&'s str], &'s str, bool);

/// Runs as events of a host, then the last observation.
pub(super) fn recorded_sessions<'s>(
    runs: &'s [(Vec<Step<'s>>, Vec<&'s str>)],
) -> impl Fn(&tsl_synth_policy::CompiledPolicy) -> Result<LoggedSessions, tsl_synth_service::Failure> + Sync + 's
{
    move |compiled| {
        let events = runs.iter().map(|(steps, last)| events(steps, last));
        let runs = events.map(|events| RunEvents { events, goals: Vec::new() });
        Ok(LoggedSessions::of_runs(compiled, (0..).map(|number| format!("run-{number}")).zip(runs)))
    }
}

/// A run as events: three for each step, and the last observation.
pub(super) fn events(steps: &[Step<'_>], last: &[&str]) -> Vec<HostEventKind<'static>> {
    let observe = |names: &[&str]| HostEventKind::Observe {
        truths: names.iter().map(|name| (Cow::Owned((*name).to_owned()), true)).collect(),
        complete: true,
    };
    let mut events = Vec::new();
    for (i, (truths, action, ok)) in steps.iter().enumerate() {
        let id: Cow<'static, str> = i.to_string().into();
        let outcome = if *ok { CallOutcome::Ok } else { CallOutcome::Failed };
        events.push(observe(truths));
        events.push(HostEventKind::Call {
            id: Some(id.clone()),
            server: None,
            tool: Cow::Owned((*action).to_owned()),
            arguments: JsonText::of(&serde_json::json!({})),
        });
        events.push(HostEventKind::Result { call: Some(id), outcome, result: None });
    }
    events.push(observe(last));
    events
}

/// An oracle that answers with texts, one a round.
struct Scripted(Vec<String>);

impl Oracle for Scripted {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        assert_eq!(request.subject, "edits");
        if self.0.is_empty() {
            return Err(OracleError::Ended("no more".into()));
        }
        Ok(OracleAnswer::Text(self.0.remove(0)))
    }
}

fn json(edits: &[LawEdit]) -> String {
    let one = |edit: &LawEdit| serde_json::json!({ "op": edit.kind.name(), "law_id": edit.id, "law": edit.ltl, "explanation": edit.why });
    serde_json::Value::from(edits.iter().map(one).collect::<Vec<_>>()).to_string()
}

fn scripted(policy: &str, answers: Vec<String>) -> CriticReport {
    let runs = vec![(
        vec![
            (&["ready"][..], "work", true),
            (&["ready", "tired"][..], "rest", true),
            (&["tired"][..], "rest", true),
        ],
        vec![],
    )];
    let sessions = recorded_sessions(&runs);
    let request = CriticRequest::new(Input::Text { name: "p.toml".into(), text: policy.into() });
    Session::new()
        .critic(&request, &sessions, Some(&mut Scripted(answers)), &mut NoLog)
        .expect("the critic answers")
}

fn reasons(report: &CriticReport) -> Vec<Option<RefusedBecause>> {
    report.edits.iter().map(|own| own.refusal.as_ref().map(|refusal| refusal.because)).collect()
}

#[test]
fn each_kind_of_bad_edit_is_refused_for_its_reason() {
    use RefusedBecause::{Duplicate, Impossible, Malformed, NotGrounded, NotSoft, UnknownName};
    let cases = [
        (edit(EditKind::Add, "a", "G(ready -> X !play"), Malformed),
        (edit(EditKind::Add, "a", "G(redy -> X !play)"), UnknownName),
        (edit(EditKind::Replace, "nothing", "G(ready -> X !play)"), UnknownName),
        (edit(EditKind::Delete, "no-play", ""), NotSoft),
        (edit(EditKind::Replace, "no-play", "G(ready -> X !play)"), NotSoft),
        (edit(EditKind::Add, "no-work", "G(ready -> X !play)"), Duplicate),
        (edit(EditKind::Add, "a", "G(tired & ready -> X !work)"), Duplicate),
        (edit(EditKind::Add, "a", "G(tired -> X(!work | work & rest))"), Duplicate),
        (edit(EditKind::Add, "a", "G(ready | !ready)"), Duplicate),
        (edit(EditKind::Add, "a", "G(play & rest)"), Impossible),
        (edit(EditKind::Add, "a", "G(rich -> X !work)"), NotGrounded),
    ];
    for (edit, because) in cases {
        let report = scripted(POLICY, vec![json(std::slice::from_ref(&edit))]);
        assert_eq!(reasons(&report), [Some(because)], "{edit:?}: {:?}", report.edits);
        assert_eq!(report.after, report.before);
        assert!(report.is_settled);
    }
    let report = scripted(POLICY, vec!["I would rather not.".into()]);
    assert_eq!(reasons(&report), [Some(Malformed)]);
}

#[test]
fn a_law_that_leaves_no_action_is_refused_with_a_witness_that_holds() {
    // With `no-play` and `no-work` nothing is left where the agent is tired and not ready.
    let report = scripted(POLICY, vec![json(&[edit(EditKind::Add, "no-rest", "G(tired -> X !rest)")])]);
    assert_eq!(reasons(&report), [Some(RefusedBecause::OverConstrains)]);
    let refusal = report.edits[0].refusal.as_ref().expect("refused");
    let witness = refusal.witness.as_ref().expect("a witness");
    let mut laws = witness.laws.clone();
    laws.sort();
    assert_eq!(laws, ["no-play", "no-rest", "no-work"]);
    // Each step of the witness keeps all laws, and after it every action violates one of the named laws.
    let text = tsl_synth_policy::policy_text::edit_law(
        POLICY,
        false,
        &edit(EditKind::Add, "no-rest", "G(tired -> X !rest)"),
    );
    let compiled = compiled("p.toml", &text.expect("added"));
    let states = |steps: &[Vec<&str>]| -> Vec<(String, u32)> {
        let letters: Vec<_> = steps.iter().map(|names| letter(&compiled, names)).collect();
        let of = |law| letters.iter().fold(0, |state, letter| compiled.step(law, state, letter));
        compiled.policy.laws.enumerate().map(|(law, own)| (own.id.clone(), of(law))).collect()
    };
    let is_violated = |id: &str, state: u32| {
        let law = compiled.policy.laws.enumerate().find(|(_, law)| law.id == id).expect("a law").0;
        !compiled.monitors[law].dfa().is_live(state)
    };
    let mut word: Vec<Vec<&str>> = Vec::new();
    let mut done: Option<&str> = None;
    for step in &witness.steps {
        let names = step.truths.iter().map(String::as_str).chain(done).collect();
        word.push(names);
        done = step.action.as_deref();
        assert!(states(&word).iter().all(|(id, state)| !is_violated(id, *state)), "{word:?}");
    }
    assert_eq!(done, None);
    for action in ["work", "play", "rest"] {
        let mut next = word.clone();
        next.push(vec![action]);
        let found = states(&next);
        let blocking = found.iter().filter(|(id, state)| is_violated(id, *state));
        assert!(blocking.map(|(id, _)| id).any(|id| witness.laws.contains(id)), "{action} is legal");
    }
}

#[test]
fn good_edits_are_made_in_order_and_rounds_end_when_nothing_changes() {
    let first = json(&[
        edit(EditKind::Add, "new", "G(ready & tired -> X !play)"),
        edit(EditKind::Replace, "no-work", "G(tired & !ready -> X !work)"),
    ]);
    let second = json(&[edit(EditKind::Delete, "new", "")]);
    let report = scripted(POLICY, vec![first, second]);
    assert_eq!(reasons(&report), [None, None, None], "{:?}", report.edits);
    assert_eq!((report.rounds, report.is_settled), (3, true));
    let after = compiled("p.toml", &report.after);
    let laws: Vec<(&str, &str)> =
        after.policy.laws.iter().map(|law| (law.id.as_str(), law.ltl.as_str())).collect();
    assert_eq!(laws, [("no-play", "G(!ready -> X !play)"), ("no-work", "G(tired & !ready -> X !work)")]);
}

#[test]
fn mining_takes_over_constrained_states_away() {
    let text = format!("{POLICY}[[law]]\nid = \"no-rest\"\nkind = \"soft\"\nltl = \"G(tired -> X !rest)\"\n");
    let runs = vec![(vec![(&["ready"][..], "work", true)], vec!["tired"])];
    let sessions = recorded_sessions(&runs);
    let request = CriticRequest::new(Input::Text { name: "p.toml".into(), text });
    let report = Session::new().critic(&request, &sessions, None, &mut NoLog).expect("mined");
    assert!(report.stuck[0] > 0 && report.stuck[1] == 0, "{report:?}");
    assert!(report.is_settled && report.undecided.is_none());
    // The hard law and the last soft law stay; mining may change only the first soft law.
    let after = compiled("p.toml", &report.after);
    let laws: Vec<(&str, &str)> =
        after.policy.laws.iter().map(|law| (law.id.as_str(), law.ltl.as_str())).collect();
    assert!(laws.contains(&("no-play", "G(!ready -> X !play)")), "{laws:?}");
    assert!(laws.contains(&("no-rest", "G(tired -> X !rest)")), "{laws:?}");
}

#[test]
fn an_edit_that_takes_over_constrained_states_away_is_admitted_although_others_remain() {
    // Over-constrained are `tired & !ready` and `tired & rich`.
    let more = "[[law]]\nid = \"no-play-rich\"\nkind = \"hard\"\nltl = \"G(rich -> X !play)\"\n\
                [[law]]\nid = \"no-rest\"\nkind = \"soft\"\nltl = \"G(tired -> X !rest)\"\n";
    let text = format!("{POLICY}{more}");
    // The edit leaves `tired & rich` as it is, and what it is about occurs nowhere in the runs.
    let shrinks = edit(EditKind::Replace, "no-rest", "G(tired & ready & rich -> X !rest)");
    let report = scripted(&text, vec![json(&[shrinks])]);
    assert_eq!(reasons(&report), [None], "{:?}", report.edits);
    assert!(report.stuck[0] > 0 && report.stuck[1] > 0, "{report:?}");
    // A stronger law that takes the last action of a further state is refused as before.
    let grows = edit(EditKind::Replace, "no-rest", "G(tired | ready & rich -> X !rest)");
    let more = edit(EditKind::Add, "no-work-ready", "G(ready -> X !work)");
    let report = scripted(&text, vec![json(&[more, grows])]);
    let found = reasons(&report);
    assert_eq!(found.last(), Some(&Some(RefusedBecause::OverConstrains)), "{:?}", report.edits);
}

#[test]
fn a_weaker_law_needs_no_evidence_and_a_stronger_one_does() {
    let weaker = edit(EditKind::Replace, "no-work", "G(tired & rich -> X !work)");
    assert_eq!(reasons(&scripted(POLICY, vec![json(&[weaker])])), [None]);
    let other = edit(EditKind::Replace, "no-work", "G(rich -> X !work)");
    assert_eq!(reasons(&scripted(POLICY, vec![json(&[other])])), [Some(RefusedBecause::NotGrounded)]);
}

/// Keeps the prompt and proposes nothing.
struct Prompted(String);

impl Oracle for Prompted {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        self.0.clone_from(&request.prompt);
        Ok(OracleAnswer::Text("[]".into()))
    }
}

#[test]
fn goals_thoughts_and_texts_of_errors_reach_the_prompt() {
    let sessions = |compiled: &tsl_synth_policy::CompiledPolicy| {
        let mut logger = LoggedSessionsBuilder::new(compiled);
        let mut tell = |kind| {
            let session: Cow<'static, str> = "s".into();
            logger.event(&HostEvent::new(session, 0, kind));
        };
        let observe = |name: &'static str| HostEventKind::Observe {
            truths: [(Cow::Borrowed(name), true)].into(),
            complete: true,
        };
        tell(observe("ready"));
        tell(HostEventKind::Message { speaker: Speaker::Agent, text: "I am\nrested.".into() });
        tell(HostEventKind::Call {
            id: Some("1".into()),
            server: None,
            tool: "work".into(),
            arguments: JsonText::of(&serde_json::json!({})),
        });
        let result = Some(JsonText::of(&serde_json::json!("battery empty")));
        tell(HostEventKind::Result { call: Some("1".into()), outcome: CallOutcome::Failed, result });
        tell(observe("rich"));
        Ok(logger.finish())
    };
    let mut request = CriticRequest::new(Input::Text { name: "p.toml".into(), text: POLICY.into() });
    request.goals = vec![CriticGoal::Condition("rich".into())];
    let mut oracle = Prompted(String::new());
    Session::new().critic(&request, &sessions, Some(&mut oracle), &mut NoLog).expect("the critic answers");
    let prompt = oracle.0;
    assert!(prompt.contains("The goal of the agent: rich.\n"), "{prompt}");
    assert!(prompt.contains("Run 1 (reached: `rich` after 1 steps):\n"), "{prompt}");
    let steps = prompt.split("Run 1").nth(1).expect("a run");
    let at = |text: &str| steps.find(text).unwrap_or_else(|| panic!("`{text}` in {prompt}"));
    assert!(at("said: I am rested.") < at("-> work (failed)"), "{prompt}");
    assert!(at("-> work (failed)") < at("error: battery empty"), "{prompt}");
}

#[test]
fn the_printed_laws_of_ltlcrit_are_left_without_an_over_constrained_state() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/policies");
    for name in ["saycan.json", "innermonologue.json"] {
        let text = std::fs::read_to_string(folder.join(name)).expect("a policy of the gallery");
        let runs = vec![(vec![(&[][..], "action_mine_log", true)], vec!["obs_has_log"])];
        let sessions = recorded_sessions(&runs);
        let mut request = CriticRequest::new(Input::Text { name: name.into(), text });
        // The search need not see all states: the laws are compared without it.
        (request.rounds, request.states) = (60, 3_000);
        let report = Session::new().critic(&request, &sessions, None, &mut NoLog).expect("mined");
        assert!(report.stuck[0] > 0 && report.admitted().count() > 5, "{name}: {:?}", report.stuck);
        assert_eq!((report.stuck[1], &report.undecided), (0, &None), "{name}");
        assert!(report.is_settled, "{name}: {} rounds", report.rounds);
    }
}
