//! Prompts that an agent schedules for itself: the host sends them later like prompts of the user.

use super::lenient::{LenientObject, LenientText};
use serde::Deserialize;
use tsl_synth_core::model::HostEventKind;

/// The tools of hosts whose `prompt` is sent later: those of Claude Code.
const SCHEDULERS: &[&str] = &["ScheduleWakeup", "CronCreate"];

/// The prompt that a call schedules, without white space around it; `None` if the call schedules none.
pub fn scheduled_prompt(call: &HostEventKind<'_>) -> Option<String> {
    let HostEventKind::Call { server: None, tool, arguments, .. } = call else { return None };
    if !SCHEDULERS.contains(&tool.as_ref()) {
        return None;
    }
    let told: LenientObject<Scheduled<'_>> = serde_json::from_str(arguments.as_str()).ok()?;
    let prompt = told.0?.prompt.0?;
    Some(prompt.trim()).filter(|prompt| !prompt.is_empty()).map(str::to_owned)
}

/// The arguments of such a call.
#[derive(Deserialize)]
struct Scheduled<'a> {
    #[serde(borrow, default)]
    prompt: LenientText<'a>,
}
