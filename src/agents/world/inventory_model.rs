//! A simulated model that acts in the inventory world, with errors at given rates: it reads the observations of its
//! prompt.

use super::refusal::allowed_choice;
use crate::{AnswerKind, Oracle, OracleAnswer, OracleError, OracleRequest};
use std::collections::BTreeSet;
use tsl_synth_core::base::Random;

/// The error rates of a simulated model: one set for all rows of the experiment, fixed before its first run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelRates {
    /// It proposes an action whose requirements are not met: 23 % of the actions of InnerMonologue fail, and 4.5 %
    /// still fail under laws, which are errors of the environment (Table 2 of the paper).
    pub invalid: f64,
    /// It repeats a basic action, mining wood or its last action, instead of making progress (section 5.2 of the paper,
    /// which gives no number).
    pub repeat: f64,
    /// After a refusal it chooses an action that the refusal lists as allowed (our number).
    pub heed: f64,
    /// The score of a step toward the goal (our number).
    pub useful: f64,
    /// The score of an action whose name resembles the goal, in steps in which such names distract (our number).
    pub alike: f64,
    /// Names that resemble the goal distract it in a step: SayCan "is very easily distracted", "actions describing
    /// exploration are strongly preferred" (sections 4.3 and 5.2 of the paper, which give no number). It was 1 in the
    /// first set of rates: then the printed soft law 14, whose formula is weaker than its explanation, lets a model
    /// that owns an iron pickaxe explore forever instead of equipping it.
    pub distracted: f64,
    /// The largest random part of a score (our number).
    pub noise: f64,
}

impl Default for ModelRates {
    fn default() -> Self {
        Self { invalid: 0.185, repeat: 0.1, heed: 0.7, useful: 0.6, alike: 0.8, distracted: 0.9, noise: 0.15 }
    }
}

/// The model.
#[derive(Clone, Debug)]
pub struct InventoryModel {
    rates: ModelRates,
    random: Random,
    /// Its last choice.
    last: Option<String>,
}

impl InventoryModel {
    /// A model with these rates.
    pub fn new(rates: ModelRates, seed: u64) -> Self {
        Self { rates, random: Random::new(seed), last: None }
    }

    fn pick(&mut self, among: &[usize]) -> Option<usize> {
        (!among.is_empty()).then(|| among[self.random.below(among.len())])
    }

    fn choose(&mut self, request: &OracleRequest) -> usize {
        let seen = inventory_observations(&request.about);
        let place = |name: &str| request.choices.iter().position(|choice| choice == name);
        let next = place(next_step(&seen));
        // These numbers are drawn even if they are not used, so that rows of the experiment differ only by the effect
        // of the laws.
        let [invalid, repeat, heed] =
            [self.rates.invalid, self.rates.repeat, self.rates.heed].map(|rate| self.random.chance(rate));
        let basic = self.random.flip();
        let any = self.random.below(request.choices.len().max(1));
        if heed && let Some(chosen) = allowed_choice(request, next, &mut self.random) {
            return chosen;
        }
        if invalid {
            let not_met: Vec<usize> =
                (0..request.choices.len()).filter(|&i| !is_possible(&request.choices[i], &seen)).collect();
            if let Some(chosen) = self.pick(&not_met) {
                return chosen;
            }
        }
        if repeat {
            let last = self.last.as_deref().filter(|_| !basic).and_then(place);
            if let Some(chosen) = last.or_else(|| place("action_mine_log")) {
                return chosen;
            }
        }
        next.unwrap_or(any)
    }

    fn scores(&mut self, request: &OracleRequest) -> Vec<f64> {
        let seen = inventory_observations(&request.about);
        let next = next_step(&seen);
        let alike = if self.random.chance(self.rates.distracted) { self.rates.alike } else { 0.0 };
        let score = |choice: &String| {
            let mut score = self.rates.noise * self.random.below(1000) as f64 / 1000.0;
            if choice == next {
                score += self.rates.useful;
            }
            score + alike * likeness(choice)
        };
        request.choices.iter().map(score).collect()
    }
}

impl Oracle for InventoryModel {
    fn ask(&mut self, request: &OracleRequest) -> Result<OracleAnswer, OracleError> {
        match request.kind {
            AnswerKind::Choose => {
                let chosen = self.choose(request);
                self.last = request.choices.get(chosen).cloned();
                Ok(OracleAnswer::Choice(chosen))
            }
            AnswerKind::Score => Ok(OracleAnswer::Scores(self.scores(request))),
            kind => {
                Err(OracleError::Unusable(format!("this simulated model only acts, and answers no `{kind}`")))
            }
        }
    }
}

/// The true observations, read from the text of a message of the world.
fn inventory_observations(text: &str) -> BTreeSet<&str> {
    let line = text.lines().rev().find_map(|line| line.strip_prefix("Observations: "));
    line.unwrap_or_default().trim_end_matches('.').split(", ").collect()
}

/// How much the name of an action resembles the goal, a diamond: 1 if it names the diamond, 1/2 for exploring.
fn likeness(action: &str) -> f64 {
    match action {
        "action_explore_diamond_down" | "action_mine_diamond" => 1.0,
        "action_explore_general" => 0.5,
        _ => 0.0,
    }
}

/// The next step toward a diamond, from the observations alone.
fn next_step(seen: &BTreeSet<&str>) -> &'static str {
    let has = |name: &str| seen.contains(format!("obs_{name}").as_str());
    let wood = if has("has_log") { "action_craft_planks" } else { "action_mine_log" };
    let stick = if has("has_2x_plank") { "action_craft_stick" } else { wood };
    // The next step toward a nearby crafting table; `None` if one is near.
    let table = || {
        if has("near_crafting_table") {
            None
        } else if has("has_crafting_table") {
            Some("action_place_crafting_table")
        } else if has("has_4x_plank") {
            Some("action_craft_crafting_table")
        } else {
            Some(wood)
        }
    };
    if has("iron_pickaxe_equipped") {
        return if has("diamond_in_chunk") { "action_mine_diamond" } else { "action_explore_diamond_down" };
    }
    if has("has_iron_pickaxe") {
        return "action_equip_iron_pickaxe";
    }
    if !has("has_wood_pickaxe") && !has("has_stone_pickaxe") {
        if !has("has_2x_stick") {
            return stick;
        }
        if let Some(step) = table() {
            return step;
        }
        return if has("has_3x_plank") { "action_craft_wooden_pickaxe" } else { wood };
    }
    if !has("has_stone_pickaxe") {
        if !has("has_3x_cobble") {
            return if has("wood_pickaxe_equipped") {
                "action_mine_stone"
            } else {
                "action_equip_wood_pickaxe"
            };
        }
        return if has("has_2x_stick") { table().unwrap_or("action_craft_stone_pickaxe") } else { stick };
    }
    if has("has_3x_iron_ingot") {
        return if has("has_2x_stick") { table().unwrap_or("action_craft_iron_pickaxe") } else { stick };
    }
    let is_smelting = has("has_3x_iron_ore") || has("has_iron_ingot") && has("has_1x_iron_ore");
    if !is_smelting {
        if !has("stone_pickaxe_equipped") {
            return "action_equip_stone_pickaxe";
        }
        // Stone for the furnace comes first: a furnace that is carried is placed where the ore is.
        if !has("has_8x_cobble") && !has("has_furnace") && !has("near_furnace") {
            return "action_mine_stone";
        }
        return if has("iron_in_chunk") { "action_mine_iron_ore" } else { "action_explore_general" };
    }
    if !has("has_fuel") {
        return "action_mine_log";
    }
    if has("near_furnace") {
        return "action_smelt_iron";
    }
    if has("has_furnace") {
        return "action_place_furnace";
    }
    if has("has_8x_cobble") { table().unwrap_or("action_craft_furnace") } else { "action_mine_stone" }
}

/// Whether the requirements of an action are met, as far as the observations show.
fn is_possible(action: &str, seen: &BTreeSet<&str>) -> bool {
    let has = |name: &str| seen.contains(format!("obs_{name}").as_str());
    let iron = has("iron_pickaxe_equipped");
    let stone = iron || has("stone_pickaxe_equipped");
    let any = stone || has("wood_pickaxe_equipped");
    let crafts = has("near_crafting_table") && has("has_2x_stick");
    match action {
        "action_mine_stone" => any,
        "action_mine_iron_ore" => stone && has("iron_in_chunk"),
        "action_mine_coal" => any && has("coal_in_chunk"),
        "action_mine_diamond" => iron && has("diamond_in_chunk"),
        "action_craft_planks" => has("has_log"),
        "action_craft_stick" => has("has_2x_plank"),
        "action_craft_wooden_pickaxe" => crafts && has("has_3x_plank"),
        "action_craft_stone_pickaxe" => crafts && has("has_3x_cobble"),
        "action_craft_iron_pickaxe" => crafts && has("has_3x_iron_ingot"),
        "action_craft_crafting_table" => has("has_4x_plank"),
        "action_craft_furnace" => has("near_crafting_table") && has("has_8x_cobble"),
        "action_smelt_iron" => has("near_furnace") && has("has_1x_iron_ore") && has("has_fuel"),
        "action_equip_wood_pickaxe" => has("has_wood_pickaxe"),
        "action_equip_stone_pickaxe" => has("has_stone_pickaxe"),
        "action_equip_iron_pickaxe" => has("has_iron_pickaxe"),
        "action_place_crafting_table" => has("has_crafting_table"),
        "action_place_furnace" => has("has_furnace"),
        _ => true,
    }
}
