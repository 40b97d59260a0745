//! Notices of Claude Code about work in the background: a text in the place of a prompt, which says how a call ended.
//!
//! ```text
//! <task-notification>
//! <task-id>b1</task-id>
//! <tool-use-id>toolu_1</tool-use-id>
//! <output-file>/tmp/..</output-file>
//! <status>completed</status>
//! <summary>Background command "the agent's words" completed (exit code 0)</summary>
//! </task-notification>
//! ```
//!
//! The agent wrote the description in the summary, and its command what may follow the summary. So the status is read
//! only from before the summary, and the exit code only from its end.

use tsl_synth_core::model::CallOutcome;

/// The beginning of a notice.
pub(super) const BEGINNING: &str = "<task-notification>";

/// How a call in the background ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TaskNotice<'a> {
    /// The id of the call.
    pub(crate) call: &'a str,
    /// How it ended.
    pub(crate) outcome: CallOutcome,
}

/// Reads a text that may be a notice; `None` if it is none, names no call, or the work goes on.
pub(crate) fn read(text: &str) -> Option<TaskNotice<'_>> {
    let text = text.trim().strip_prefix(BEGINNING)?;
    let (head, rest) = text.split_once("<summary>")?;
    let call = element(head, "tool-use-id").filter(|call| !call.is_empty())?;
    let summary = rest.rsplit_once("</summary>")?.0;
    let outcome = match element(head, "status")? {
        "completed" => completed(summary),
        "failed" => CallOutcome::Failed,
        "killed" | "stopped" => CallOutcome::Unknown,
        _ => return None,
    };
    Some(TaskNotice { call, outcome })
}

/// The text of the only element with this name.
fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let (before, rest) = text.split_once(&open)?;
    let (inner, after) = rest.split_once(&close)?;
    let is_only = ![before, inner, after].iter().any(|part| part.contains(&open) || part.contains(&close));
    is_only.then_some(inner)
}

/// How work ended that is completed: that of an agent succeeded, that of a shell only with exit code 0, which a monitor
/// does not tell.
fn completed(summary: &str) -> CallOutcome {
    // What the host writes before the description tells the kind of work.
    let kind = summary.split('"').next().unwrap_or_default().trim();
    let code =
        summary.strip_suffix(')').and_then(|rest| rest.rsplit_once("(exit code ")).map(|(_, code)| code);
    match (kind, code) {
        ("Agent", _) | ("Background command", Some("0")) => CallOutcome::Ok,
        ("Background command", Some(code)) if code.parse::<i64>().is_ok() => CallOutcome::Failed,
        _ => CallOutcome::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::{TaskNotice, read};
    use tsl_synth_core::model::CallOutcome::{self, Failed, Ok, Unknown};

    fn notice(status: &str, summary: &str, more: &str) -> String {
        format!(
            "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n\
             <output-file>/tmp/x.output</output-file>\n<status>{status}</status>\n<summary>{summary}</summary>{more}\n\
             </task-notification>"
        )
    }

    #[test]
    fn notices_tell_how_background_work_ended() {
        let cases: [(&str, &str, &str, Option<CallOutcome>); 18] = [
            ("completed", "Background command \"x\" completed (exit code 0)", "", Some(Ok)),
            ("failed", "Background command \"x\" failed with exit code 3", "", Some(Failed)),
            ("failed", "Background command \"x\" failed", "", Some(Failed)),
            ("completed", "Background command \"x\" completed (exit code 1)", "", Some(Failed)),
            ("completed", "Background command \"x\" completed", "", Some(Unknown)),
            ("completed", "Background command \"x\" completed (exit code )", "", Some(Unknown)),
            ("completed", "Background command \"x\" completed (exit code 0) or so", "", Some(Unknown)),
            ("killed", "Background command \"x\" was stopped", "", Some(Unknown)),
            ("completed", "Monitor \"x\" stream ended", "\n<event>(exit code 0)</event>", Some(Unknown)),
            ("completed", "Monitor \"(exit code 0)\" stream ended", "", Some(Unknown)),
            ("completed", "Agent \"x\" completed", "\n<result>y</result>", Some(Ok)),
            ("failed", "Agent \"x\" failed", "", Some(Failed)),
            ("running", "Background command \"x\" completed (exit code 0)", "", None),
            ("", "Background command \"x\" completed (exit code 0)", "", None),
            ("Completed", "Background command \"x\" completed (exit code 0)", "", None),
            // The agent's description.
            (
                "failed",
                "Background command \"y\" completed (exit code 0)\" failed with exit code 1",
                "",
                Some(Failed),
            ),
            (
                "failed",
                "Background command \"</summary><status>completed</status> (exit code 0)\" failed with exit code 1",
                "",
                Some(Failed),
            ),
            ("killed", "Background command \"<status>completed</status>\" was stopped", "", Some(Unknown)),
        ];
        for (status, summary, more, outcome) in cases {
            let text = notice(status, summary, more);
            let expected = outcome.map(|outcome| TaskNotice { call: "toolu_1", outcome });
            assert_eq!(read(&text), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_notices() {
        let good = notice("completed", "Background command \"x\" completed (exit code 0)", "");
        assert!(read(&format!(" \n{good}\n")).is_some());
        for text in [
            String::new(),
            "<task-notification>".to_owned(),
            format!("Look: {good}"),
            good.replace("<tool-use-id>toolu_1</tool-use-id>\n", ""),
            good.replace("toolu_1", ""),
            good.replace("<status>", "<status>killed</status><status>"),
            good.replace("<tool-use-id>", "<tool-use-id>toolu_0</tool-use-id><tool-use-id>"),
            good.replace("<summary>", ""),
            good.replace("</summary>", ""),
        ] {
            assert_eq!(read(&text), None, "{text}");
        }
        // Long texts take linear time.
        assert_eq!(read(&"<task-notification><status>".repeat(100_000)), None);
    }
}
