//! Calls that concern the gate itself: edits of its files, and prompts that the agent sends to itself later.

use serde_json::Value;
use std::collections::BTreeSet;
use tsl_synth_core::base::sha256;

/// Tools that write the file that one of [`PATHS`] names, of all hosts.
const EDITORS: &[&str] = &[
    "Edit",
    "MultiEdit",
    "Write",
    "NotebookEdit",
    "edit",
    "write",
    "multiedit",
    "patch",
    "write_file",
    "replace",
    "write_to_file",
    "replace_in_file",
    "create_file",
    "delete_file",
    "edit_file",
    "search_replace",
    "apply_patch",
    "str_replace_editor",
    "create",
    "insert",
    "str_replace",
];
const PATHS: &[&str] =
    &["file_path", "filePath", "notebook_path", "path", "target_file", "absolute_path", "filename"];
/// Tools with which an agent schedules a prompt for itself.
const SCHEDULERS: &[&str] = &["ScheduleWakeup", "CronCreate"];

/// The files that a call edits, as far as its tool and arguments tell.
pub fn edited_files(tool: &str, arguments: &str) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    if !EDITORS.contains(&tool) {
        return files;
    }
    let value: Value = serde_json::from_str(arguments).unwrap_or_default();
    files.extend(PATHS.iter().filter_map(|key| value[*key].as_str()).map(str::to_owned));
    // The format of `apply_patch`.
    for text in ["input", "patch", "patchText", "content"].iter().filter_map(|key| value[*key].as_str()) {
        for line in text.lines() {
            let heads = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
            files.extend(
                heads.iter().filter_map(|head| line.strip_prefix(head)).map(|path| path.trim().to_owned()),
            );
        }
    }
    files
}

/// The hash of the prompt that a call schedules, if it schedules one.
pub fn scheduled_prompt(tool: &str, arguments: &str) -> Option<String> {
    if !SCHEDULERS.contains(&tool) {
        return None;
    }
    let value: Value = serde_json::from_str(arguments).ok()?;
    value["prompt"].as_str().map(prompt_hash)
}

/// The hash of a prompt, without the blanks around it.
pub fn prompt_hash(prompt: &str) -> String {
    sha256(prompt.trim().as_bytes())
}
