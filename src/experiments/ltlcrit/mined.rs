//! Laws mined from recorded games; like the critic of the paper, from trajectories of the actor alone.

use super::laws::{Law, laws};
use serde_json::Value;
use tsl_synth_service::{
    ActorOutcome, CriticGoal, CriticRequest, Failure, Input, LoggedSessions, Session, run_events,
};

/// The maximal number of states of the world that are searched for one without an allowed action.
const STATES: usize = 20_000;

/// The soft laws that the critic mines from games that were played under the hard laws of a policy and these soft ones.
/// `goals` are in the order in which games reach them.
pub(super) fn mined(
    base: &Value,
    goals: &[CriticGoal],
    games: &[ActorOutcome],
    soft: &[Law],
) -> Result<Vec<Law>, Failure> {
    let mut policy = base.clone();
    policy["law"] = [laws(base, "assume"), laws(base, "hard"), soft.to_vec()].concat().into();
    let input = Input::Text { name: "laws.json".into(), text: policy.to_string() };
    let mut request = CriticRequest::new(input);
    request.goals = goals.to_vec();
    request.states = STATES;
    let sessions = |compiled: &_| {
        let runs = games.iter().enumerate();
        let runs = runs.map(|(number, game)| (format!("game-{number}"), run_events(game)));
        Ok(LoggedSessions::of_runs(compiled, runs))
    };
    let report = Session::new().critic(&request, &sessions, None, &mut tsl_synth_agents::NoLog)?;
    let after: Value = serde_json::from_str(&report.after)
        .map_err(|error| Failure::internal(format!("an edited policy: {error}")))?;
    let laws = after["law"].as_array().cloned().unwrap_or_default();
    Ok(laws.into_iter().filter(|law| law["kind"] == "soft").collect())
}
