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
    "agents/wiki/port_alder.txt",
    "agents/wiki/river_teal.txt",
    "agents/wiki/mount_corra.txt",
    "agents/wiki/ilsa_brandt.txt",
    "agents/wiki/lowen.txt",
    "agents/wiki/cape_sorrow.txt",
    "agents/wiki/marigold.txt",
    "agents/wiki/varn_railway.txt",
    "agents/wiki/tarrow.txt",
    "agents/wiki/university_of_tarrow.txt",
    "agents/wiki/varn_crown.txt",
    "agents/wiki/salt_mines_of_ebb.txt",
    "agents/wiki/gray_heron_inn.txt",
    "agents/wiki/varn_parliament.txt",
    "agents/wiki/lake_mirren.txt",
    "agents/wiki/orchid_moth.txt",
    "agents/wiki/anton_kess.txt",
    "agents/wiki/silver_fern_prize.txt",
    "agents/wiki/dora_lind.txt",
    "agents/wiki/lantern_night.txt",
    "agents/wiki/stone_bridge_of_ebb.txt",
    "agents/wiki/teal_ferry.txt",
    "plans/openagi_task1.cfg",
    "plans/openagi_task2.cfg",
    "plans/openagi_task3.cfg",
    "plans/openagi_taskx.cfg",
    "plans/travel/database.json",
    "policies/household.toml",
    "policies/innermonologue.json",
    "policies/saycan.json",
    "worlds/household.laws.toml",
    "worlds/household.world.toml",
    "worlds/inventory.world.toml",
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

/// The files of a folder, by its path below this one: names and texts, in the order of the list.
pub fn folder(path: &str) -> impl Iterator<Item = (&'static str, &'static str)> + use<'_> {
    let inside = move |(name, text): &(&'static str, &'static str)| {
        let name = name.strip_prefix(path)?.strip_prefix('/')?;
        (!name.contains('/')).then_some((name, *text))
    };
    FILES.iter().filter_map(inside)
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
