//! The text of the agents, parsed by the prompts of the ReACT states.
//!
//! This reader shares no code with the run time of behaviors, which it judges.

/// The states of a ReACT agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReactState {
    Thought,
    Action,
    Input,
    Observation,
    FinalThought,
    Answer,
}

impl ReactState {
    pub(super) const ALL: [Self; 6] =
        [Self::Thought, Self::Action, Self::Input, Self::Observation, Self::FinalThought, Self::Answer];

    pub(super) fn prompt(self) -> &'static str {
        match self {
            Self::Thought => "Thought:",
            Self::Action => "Action:",
            Self::Input => "Action Input:",
            Self::Observation => "Observation:",
            Self::FinalThought => "Final Thought:",
            Self::Answer => "Answer:",
        }
    }
}

/// The prefix of a question in a prompt.
pub(super) const QUESTION: &str = "Question:";

/// The states of a text, each with its content up to the next prompt. Of several prompts at the same position the
/// longest counts.
pub(super) fn states(text: &str) -> Vec<(ReactState, &str)> {
    let mut hits: Vec<(usize, usize, ReactState)> = Vec::new();
    let mut from = 0;
    loop {
        let hit = ReactState::ALL
            .iter()
            .filter_map(|state| text[from..].find(state.prompt()).map(|at| (from + at, *state)))
            .min_by_key(|(at, state)| (*at, usize::MAX - state.prompt().len()));
        let Some((at, state)) = hit else { break };
        from = at + state.prompt().len();
        hits.push((at, from, state));
    }
    let ends = hits.iter().skip(1).map(|hit| hit.0).chain([text.len()]);
    hits.iter().zip(ends).map(|(&(_, start, state), end)| (state, &text[start..end])).collect()
}

/// The text before the last question, the question, and the text after it.
pub(super) fn question(text: &str) -> Option<(&str, &str, &str)> {
    let (before, after) = text.rsplit_once(QUESTION)?;
    let (question, run) = after.split_once('\n').unwrap_or((after, ""));
    Some((before, question.trim(), run))
}

/// The last `Action` and `Action Input` of the text, if they come after the question and the last observation.
pub(super) fn call_of(text: &str) -> (Option<&str>, Option<&str>) {
    let run = question(text).map_or(text, |(_, _, run)| run);
    let (mut tool, mut input) = (None, None);
    for (state, content) in states(run) {
        let line = content.trim().lines().next().unwrap_or_default().trim();
        match state {
            ReactState::Action => (tool, input) = (Some(line), None),
            ReactState::Input => input = Some(line),
            ReactState::Observation => (tool, input) = (None, None),
            _ => {}
        }
    }
    (tool, input)
}

/// A call that was made, or that the model claims to have made.
#[derive(Clone, Debug)]
pub(super) struct ReactCall<'t> {
    pub(super) tool: &'t str,
    pub(super) input: &'t str,
    pub(super) returned: &'t str,
}

/// The calls of a run that have an observation.
pub(super) fn calls(run: &str) -> Vec<ReactCall<'_>> {
    let (mut tool, mut input, mut calls) = ("", "", Vec::new());
    for (state, content) in states(run) {
        match state {
            ReactState::Action => (tool, input) = (content.trim(), ""),
            ReactState::Input => input = content.trim(),
            ReactState::Observation => {
                calls.push(ReactCall { tool, input, returned: content.trim() });
                (tool, input) = ("", "");
            }
            _ => {}
        }
    }
    calls
}

/// The answer: the first line after the last `Answer:`, without the full stop at its end.
pub(super) fn answer(run: &str) -> Option<String> {
    let found = states(run).into_iter().rev().find(|(state, _)| *state == ReactState::Answer)?.1;
    let line = found.trim().lines().next().unwrap_or_default().trim().trim_end_matches('.');
    (!line.is_empty()).then(|| line.to_string())
}
