//! Files of the gallery that experiments run on.

#![forbid(unsafe_code)]

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!($path))),*]
    };
}

/// The embedded files: paths below this folder, and texts.
pub const FILES: &[(&str, &str)] = files![
    "adventure/prompts.toml",
    "adventure/story.tsl",
    "adventure/story_choices.tsl",
    "adventure/story_choices_forest.tsl",
    "adventure/story_forest.tsl",
    "agents/react.agent",
    "agents/react_ablation.agent",
    "agents/wiki.toml",
    "plans/openagi_task1.cfg",
    "plans/openagi_task2.cfg",
    "plans/openagi_task3.cfg",
    "plans/openagi_taskx.cfg",
    "plans/travel/database.json",
    "policies/household.toml",
    "policies/innermonologue.json",
    "policies/saycan.json",
];

/// The text of a file, by its path below this folder. To be called in constants: a missing file is an error of the
/// compiler.
///
/// # Panics
/// If there is no such file.
pub const fn text(path: &str) -> &'static str {
    let mut i = 0;
    while i < FILES.len() {
        if is_same(FILES[i].0.as_bytes(), path.as_bytes()) {
            return FILES[i].1;
        }
        i += 1;
    }
    panic!("no such file is embedded")
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
