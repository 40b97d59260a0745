//! Plan actors: a whole plan is judged on a copy of the session, and of the world where there is one, before its first
//! action is executed.

use super::ActorEnd;
use super::drive::{ActorStep, Drive, no_answer};
use super::prompts::{self, DONE};
use serde_json::value::RawValue;
use std::sync::Arc;
use tsl_synth_agents::world::{EffectsWorld, Environment, Offer, WITH_CHANCES, WorldMessage, WorldSpec};
use tsl_synth_agents::{AnswerKind, OracleAnswer, OracleRequest, Port};
use tsl_synth_documents::{ActorRefusal, ActorStepDocument};

/// A plan has at most this many actions.
const LONGEST: usize = 1_000;

/// The actions of a text: one in each line, or a list in JSON. The error is the first line that is no action.
fn actions(text: &str, offers: &[Offer]) -> Result<Vec<String>, String> {
    let text = text.trim();
    let lines: Vec<String> = match serde_json::from_str::<Vec<String>>(text) {
        Ok(list) => list,
        Err(_) => text.lines().map(str::to_owned).collect(),
    };
    let mut found = Vec::new();
    for line in &lines {
        let own = line.trim();
        if own.is_empty() || own.starts_with("```") {
            continue;
        }
        // Numbers and bullets before an action, quotes around it.
        let bare = own
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start_matches(['.', ')', ':', '-', '*']);
        let marks = |c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '*' | '.' | ',');
        let is_it =
            |text: &str, offer: &Offer| text.trim_matches(marks).eq_ignore_ascii_case(offer.name.trim());
        let offer = offers.iter().find(|offer| is_it(own, offer) || is_it(bare, offer));
        let Some(offer) = offer else { return Err(format!("`{own}` is none of the actions")) };
        found.push(offer.name.clone());
        if offer.name == DONE {
            break;
        }
    }
    match found.len() {
        0 => Err("the plan has no action".into()),
        n if n > LONGEST => Err(format!("the plan has more than {LONGEST} actions")),
        _ => Ok(found),
    }
}

impl Drive<'_, '_> {
    /// The next action of the plan; a new plan is asked for where there is none, where the last action failed, or where the
    /// next one is refused now.
    pub(super) fn plan(
        &mut self,
        message: &WorldMessage,
        offers: &[Offer],
        step: &mut ActorStepDocument,
    ) -> ActorStep {
        if !step.core.is_empty() && self.is_stuck(offers) {
            return ActorStep::End(ActorEnd::Stuck);
        }
        if self.steps.last().is_some_and(|last| !last.ok) {
            self.planned.clear();
        }
        for _ in 0..=self.options.retries {
            if self.planned.is_empty() {
                let request = prompts::plan(self.options, &self.steps, message, &step.refused, offers);
                let good = |answer: &OracleAnswer| match answer {
                    OracleAnswer::Text(text) => actions(text, offers).map(drop),
                    _ => Err("a text is expected".into()),
                };
                let answer = match self.conversation.ask_until(Port::Generator, &request, &good) {
                    Ok(answer) => answer,
                    Err(stop) => return ActorStep::End(ActorEnd::Stopped(stop)),
                };
                let OracleAnswer::Text(text) = answer else { return ActorStep::End(no_answer(&request)) };
                let Ok(plan) = actions(&text, offers) else { return ActorStep::End(no_answer(&request)) };
                step.plan.clone_from(&plan);
                if let Some(refusal) = self.refusal(&plan, message, offers) {
                    step.refused.push(refusal);
                    if !self.options.shadow {
                        continue;
                    }
                }
                self.planned = plan.into();
            }
            let next = self.planned.pop_front();
            let offer = next.and_then(|name| offers.iter().find(|offer| offer.name == name));
            if let Some(chosen) = offer.and_then(|offer| self.decide(offer.clone(), step)) {
                return chosen;
            }
            self.planned.clear();
        }
        ActorStep::End(ActorEnd::Refused(step.refused.len()))
    }

    /// Why the gate refuses a plan; `None` if it lets all of it through where nothing happens by chance, or where
    /// everything does.
    fn refusal(&mut self, plan: &[String], message: &WorldMessage, offers: &[Offer]) -> Option<ActorRefusal> {
        let (session, calls) = (self.session.clone(), self.calls);
        let mut refusals = Vec::new();
        for chances in [false, true] {
            let told = self.imagined(plan, message, chances);
            refusals.push(self.rolled_out(plan, told.as_deref(), offers));
            (self.session, self.calls) = (session.clone(), calls);
        }
        if refusals.iter().all(Option::is_some) { refusals.swap_remove(0) } else { None }
    }

    /// Why the gate refuses a plan if the world would answer like this; the session changes.
    fn rolled_out(
        &mut self,
        plan: &[String],
        told: Option<&[WorldMessage]>,
        offers: &[Offer],
    ) -> Option<ActorRefusal> {
        let mut offers = offers.to_vec();
        for (number, name) in plan.iter().enumerate() {
            let action = format!("line {}, {name}", number + 1);
            let numbered = |refusal: ActorRefusal| ActorRefusal { action, ..refusal };
            if name == DONE {
                return self.may_end().err().map(numbered);
            }
            // What the world no longer offers, or what fails in it, is no question of the laws.
            let offer = offers.iter().find(|offer| offer.name == *name)?.clone();
            let tried = self.tried(&offer);
            if let Some(refusal) = tried.refused {
                return Some(numbered(refusal));
            }
            self.session = tried.after;
            let Some(told) = told else { continue };
            let next = told.get(number).filter(|next| next.ok)?;
            self.read_results(&tried.calls, true);
            self.read_event(next);
            if !next.actions.is_empty() {
                offers.clone_from(&next.actions);
            }
        }
        None
    }

    /// What the world would say to the actions of a plan: a simulated world is asked itself, of others the declared effects
    /// of the policy tell it; `None` if nobody knows.
    fn imagined(
        &mut self,
        plan: &[String],
        message: &WorldMessage,
        chances: bool,
    ) -> Option<Vec<WorldMessage>> {
        let actions: Vec<&String> = plan.iter().filter(|name| *name != DONE).collect();
        if self.conversation.imagines() {
            let about = if chances { WITH_CHANCES } else { "" };
            let request =
                OracleRequest::new(AnswerKind::Imagine, "plan", "plan").about(about).choices(actions);
            let text = self.conversation.text(Port::World, &request).ok()?;
            let told: Vec<&RawValue> = serde_json::from_str(&text).ok()?;
            return told.iter().map(|one| WorldMessage::read(one.get()).ok()).collect();
        }
        let compiled = self.judge.compiled();
        let truths = message.truths.as_ref()?;
        if compiled.policy.effects.iter().all(Option::is_none) {
            return None;
        }
        let spec = Arc::new(WorldSpec::of_policy(compiled));
        let mut world = EffectsWorld::new(spec, 0, 0).with_truths(truths).imagined(chances);
        let told = actions.into_iter().map(|action| {
            world.act(action);
            world.message()
        });
        Some(told.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_read_line_by_line() {
        let offers: Vec<Offer> = ["walk to kitchen", "grab salmon", DONE].map(Offer::plain).into();
        let whole = Ok(vec!["walk to kitchen".to_owned(), "grab salmon".into(), DONE.into()]);
        for text in [
            "walk to kitchen\ngrab salmon\nDONE",
            "1. Walk to kitchen\n2. grab salmon.\n3. DONE\n",
            "```\n- walk to kitchen\n- `grab salmon`\n- done\n```",
            "[\"walk to kitchen\", \"grab salmon\", \"DONE\"]",
            "walk to kitchen\n\ngrab salmon\nDONE\nI am done with the task.",
        ] {
            assert_eq!(actions(text, &offers), whole, "{text}");
        }
        for (text, why) in [
            ("", "the plan has no action"),
            ("walk to the moon", "`walk to the moon` is none of the actions"),
            ("grab salmon\nfly", "`fly` is none of the actions"),
        ] {
            assert_eq!(actions(text, &offers), Err(why.to_owned()));
        }
    }
}
