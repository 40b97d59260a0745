//! The inventory world of LTLCrit (Gokhale, Srivastava and Bullo 2025): 30 observations and 20 actions (appendix A.2)
//! on the way to a diamond in nine sub-goals (appendix A.1).
//!
//! Recipes are those of the game: a log gives 4 planks, 2 planks give 4 sticks, a crafting table takes 4 planks, a
//! pickaxe 3 of its material and 2 sticks, a furnace 8 cobblestone. A table or a furnace has to be nearby if a recipe
//! needs it. An action whose ingredients are missing fails with an error of the environment. Mining and exploring may
//! lead away from placed blocks.

use super::{Environment, Offer, WorldMessage};
use std::collections::BTreeSet;
use tsl_synth_core::base::Random;

/// The observations, in the order of Table 3 of the paper.
pub const OBSERVATIONS: [&str; 30] = [
    "obs_has_log",
    "obs_has_plank",
    "obs_has_2x_plank",
    "obs_has_3x_plank",
    "obs_has_4x_plank",
    "obs_has_11x_plank",
    "obs_has_2x_stick",
    "obs_has_3x_cobble",
    "obs_has_8x_cobble",
    "obs_has_11x_cobble",
    "obs_has_wood_pickaxe",
    "obs_has_stone_pickaxe",
    "obs_has_iron_pickaxe",
    "obs_has_diamond",
    "obs_has_iron_ingot",
    "obs_has_3x_iron_ingot",
    "obs_has_1x_iron_ore",
    "obs_has_2x_iron_ore",
    "obs_has_3x_iron_ore",
    "obs_has_crafting_table",
    "obs_has_furnace",
    "obs_has_fuel",
    "obs_near_crafting_table",
    "obs_near_furnace",
    "obs_diamond_in_chunk",
    "obs_iron_in_chunk",
    "obs_coal_in_chunk",
    "obs_iron_pickaxe_equipped",
    "obs_stone_pickaxe_equipped",
    "obs_wood_pickaxe_equipped",
];

/// The actions, in the order of Table 4 of the paper.
pub const ACTIONS: [&str; 20] = [
    "action_mine_log",
    "action_mine_stone",
    "action_mine_iron_ore",
    "action_mine_coal",
    "action_mine_diamond",
    "action_craft_planks",
    "action_craft_stick",
    "action_craft_wooden_pickaxe",
    "action_craft_stone_pickaxe",
    "action_craft_iron_pickaxe",
    "action_craft_crafting_table",
    "action_craft_furnace",
    "action_smelt_iron",
    "action_equip_wood_pickaxe",
    "action_equip_stone_pickaxe",
    "action_equip_iron_pickaxe",
    "action_explore_general",
    "action_explore_diamond_down",
    "action_place_crafting_table",
    "action_place_furnace",
];

/// The sub-goals, in the order of appendix A.1.
pub const SUB_GOALS: [&str; 9] = [
    "logs",
    "planks and sticks",
    "wooden pickaxe",
    "stone",
    "stone pickaxe and furnace",
    "raw iron",
    "iron ingots",
    "iron pickaxe",
    "diamond",
];

/// The probabilities of random effects in the world. The paper names each of these effects without a number, so the
/// numbers are ours; they were fixed before the first run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InventoryRates {
    /// Mining leads out of the reach of placed blocks (notes of `deadlock_traces.json`).
    pub away: f64,
    /// Exploring leads back to a placed crafting table.
    pub back: f64,
    /// Exploring finds iron; the same for coal.
    pub find: f64,
    /// Digging stone uncovers iron; the same for coal.
    pub uncover: f64,
    /// Exploring downward finds a diamond.
    pub diamond: f64,
    /// Smelting is tried with a fuel chosen at random, owned or not (section 5.1 of the paper).
    pub wrong_fuel: f64,
    /// The path planner gives up in mining, exploring or placing (section 4.3 of the paper).
    pub lost_way: f64,
}

impl Default for InventoryRates {
    fn default() -> Self {
        Self {
            away: 0.2,
            back: 0.3,
            find: 0.4,
            uncover: 0.05,
            diamond: 0.3,
            wrong_fuel: 0.25,
            lost_way: 0.03,
        }
    }
}

/// The pickaxes, from the weakest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pickaxe {
    Wood,
    Stone,
    Iron,
}

/// The world.
#[derive(Clone, Debug)]
pub struct Inventory {
    rates: InventoryRates,
    random: Random,
    logs: u32,
    planks: u32,
    sticks: u32,
    cobble: u32,
    ore: u32,
    ingots: u32,
    coal: u32,
    diamonds: u32,
    tables: u32,
    furnaces: u32,
    /// Pickaxes by kind.
    pickaxes: [u32; 3],
    held: Option<Pickaxe>,
    placed_tables: u32,
    near_table: bool,
    near_furnace: bool,
    /// Blocks of iron, coal and diamond that are in sight.
    iron: u32,
    coals: u32,
    diamond: u32,
    /// Which sub-goals were reached, and whether planks, sticks, the stone pickaxe and the furnace were ever made.
    goals: [bool; 9],
    made: [bool; 4],
    last: Result<String, String>,
}

/// The maximal number of blocks of one find.
const VEIN: usize = 4;

impl Inventory {
    /// The world of a seed: empty hands, trees in sight.
    pub fn new(rates: InventoryRates, seed: u64) -> Self {
        Self {
            rates,
            random: Random::new(seed),
            logs: 0,
            planks: 0,
            sticks: 0,
            cobble: 0,
            ore: 0,
            ingots: 0,
            coal: 0,
            diamonds: 0,
            tables: 0,
            furnaces: 0,
            pickaxes: [0; 3],
            held: None,
            placed_tables: 0,
            near_table: false,
            near_furnace: false,
            iron: 0,
            coals: 0,
            diamond: 0,
            goals: [false; 9],
            made: [false; 4],
            last: Ok(String::new()),
        }
    }

    /// The same world with a new seed for all further random effects.
    pub fn reseeded(&self, seed: u64) -> Self {
        Self { random: Random::new(seed), ..self.clone() }
    }

    /// The observations that are true.
    pub fn truths(&self) -> BTreeSet<&'static str> {
        let held = |pickaxe| self.held == Some(pickaxe);
        let owns = |pickaxe: Pickaxe| self.pickaxes[pickaxe as usize] > 0;
        let values: [bool; 30] = [
            self.logs >= 1,
            self.planks >= 1,
            self.planks >= 2,
            self.planks >= 3,
            self.planks >= 4,
            self.planks >= 11,
            self.sticks >= 2,
            self.cobble >= 3,
            self.cobble >= 8,
            self.cobble >= 11,
            owns(Pickaxe::Wood),
            owns(Pickaxe::Stone),
            owns(Pickaxe::Iron),
            self.diamonds >= 1,
            self.ingots >= 1,
            self.ingots >= 3,
            self.ore >= 1,
            self.ore >= 2,
            self.ore >= 3,
            self.tables >= 1,
            self.furnaces >= 1,
            self.coal + self.logs + self.planks >= 1,
            self.near_table,
            self.near_furnace,
            self.diamond >= 1,
            self.iron >= 1,
            self.coals >= 1,
            held(Pickaxe::Iron),
            held(Pickaxe::Stone),
            held(Pickaxe::Wood),
        ];
        OBSERVATIONS.into_iter().zip(values).filter(|(_, holds)| *holds).map(|(name, _)| name).collect()
    }

    /// The last action, if it succeeded (empty at the beginning); an error if it failed.
    ///
    /// # Errors
    /// The error of the environment.
    pub fn last(&self) -> Result<&str, &str> {
        self.last.as_deref().map_err(String::as_str)
    }

    /// The sub-goals that were reached so far, in their order.
    pub fn goals(&self) -> impl Iterator<Item = &'static str> {
        SUB_GOALS.into_iter().zip(self.goals).filter(|(_, reached)| *reached).map(|(name, _)| name)
    }

    /// Fails at random, like the path planner.
    fn walk(&mut self) -> Result<(), String> {
        if self.random.chance(self.rates.lost_way) {
            return Err("no path was found in time".into());
        }
        Ok(())
    }

    /// Leads away from placed blocks with this probability.
    fn stray(&mut self, chance: f64) {
        if self.random.chance(chance) {
            self.near_table = false;
            self.near_furnace = false;
        }
    }

    /// The number of blocks that come in sight: 1 to [`VEIN`] with this probability, otherwise 0.
    fn found(&mut self, chance: f64) -> u32 {
        let size = self.random.below(VEIN) as u32 + 1;
        if self.random.chance(chance) { size } else { 0 }
    }

    fn mine(&mut self, block: &str) -> Result<(), String> {
        let needs = match block {
            "stone" | "coal" => Some(Pickaxe::Wood),
            "iron_ore" => Some(Pickaxe::Stone),
            "diamond" => Some(Pickaxe::Iron),
            _ => None,
        };
        let seen = match block {
            "iron_ore" => self.iron,
            "coal" => self.coals,
            "diamond" => self.diamond,
            _ => 1,
        };
        if seen == 0 {
            return Err(format!("no {} within 32 blocks", block.replace('_', " ")));
        }
        if needs.is_some_and(|needs| self.held.is_none_or(|held| held < needs)) {
            return Err(format!("the tool in hand does not break {}", block.replace('_', " ")));
        }
        self.walk()?;
        match block {
            "log" => self.logs += 1,
            "stone" => {
                self.cobble += 1;
                let uncover = self.rates.uncover;
                self.iron += self.found(uncover);
                self.coals += self.found(uncover);
            }
            "iron_ore" => (self.ore, self.iron) = (self.ore + 1, self.iron - 1),
            "coal" => (self.coal, self.coals) = (self.coal + 1, self.coals - 1),
            _ => (self.diamonds, self.diamond) = (self.diamonds + 1, self.diamond - 1),
        }
        self.stray(self.rates.away);
        Ok(())
    }

    fn needs(missing: &[(bool, &str)]) -> Result<(), String> {
        let missing: Vec<&str> = missing.iter().filter(|(there, _)| !there).map(|(_, what)| *what).collect();
        if missing.is_empty() { Ok(()) } else { Err(format!("missing: {}", missing.join(", "))) }
    }

    fn craft(&mut self, item: &str) -> Result<(), String> {
        let table = (self.near_table, "a crafting table nearby");
        let sticks = (self.sticks >= 2, "2 sticks");
        match item {
            "planks" => {
                Self::needs(&[(self.logs >= 1, "a log")])?;
                (self.logs, self.planks) = (self.logs - 1, self.planks + 4);
            }
            "stick" => {
                Self::needs(&[(self.planks >= 2, "2 planks")])?;
                (self.planks, self.sticks) = (self.planks - 2, self.sticks + 4);
            }
            "crafting_table" => {
                Self::needs(&[(self.planks >= 4, "4 planks")])?;
                (self.planks, self.tables) = (self.planks - 4, self.tables + 1);
            }
            "furnace" => {
                Self::needs(&[table, (self.cobble >= 8, "8 cobblestone")])?;
                (self.cobble, self.furnaces) = (self.cobble - 8, self.furnaces + 1);
            }
            "wooden_pickaxe" => {
                Self::needs(&[table, sticks, (self.planks >= 3, "3 planks")])?;
                (self.planks, self.sticks) = (self.planks - 3, self.sticks - 2);
                self.pickaxes[Pickaxe::Wood as usize] += 1;
            }
            "stone_pickaxe" => {
                Self::needs(&[table, sticks, (self.cobble >= 3, "3 cobblestone")])?;
                (self.cobble, self.sticks) = (self.cobble - 3, self.sticks - 2);
                self.pickaxes[Pickaxe::Stone as usize] += 1;
            }
            _ => {
                Self::needs(&[table, sticks, (self.ingots >= 3, "3 iron ingots")])?;
                (self.ingots, self.sticks) = (self.ingots - 3, self.sticks - 2);
                self.pickaxes[Pickaxe::Iron as usize] += 1;
            }
        }
        Ok(())
    }

    fn smelt(&mut self) -> Result<(), String> {
        let fuels = [(self.coal, "coal"), (self.logs, "logs"), (self.planks, "planks")];
        Self::needs(&[
            (self.near_furnace, "a furnace nearby"),
            (self.ore >= 1, "iron ore"),
            (fuels.iter().any(|(count, _)| *count > 0), "fuel"),
        ])?;
        let at_random = self.random.chance(self.rates.wrong_fuel);
        let any = self.random.below(fuels.len());
        let owned = fuels.iter().position(|(count, _)| *count > 0).unwrap_or(0);
        let used = if at_random { any } else { owned };
        if fuels[used].0 == 0 {
            return Err(format!("the furnace was to burn {}, and there are none", fuels[used].1));
        }
        match used {
            0 => self.coal -= 1,
            1 => self.logs -= 1,
            _ => self.planks -= 1,
        }
        (self.ore, self.ingots) = (self.ore - 1, self.ingots + 1);
        Ok(())
    }

    fn equip(&mut self, pickaxe: Pickaxe) -> Result<(), String> {
        Self::needs(&[(self.pickaxes[pickaxe as usize] > 0, "the pickaxe")])?;
        self.held = Some(pickaxe);
        Ok(())
    }

    fn explore(&mut self, down: bool) -> Result<(), String> {
        self.walk()?;
        self.stray(1.0);
        if down {
            self.diamond += self.found(self.rates.diamond);
            return Ok(());
        }
        let find = self.rates.find;
        self.iron += self.found(find);
        self.coals += self.found(find);
        self.near_table = self.random.chance(self.rates.back) && self.placed_tables > 0;
        Ok(())
    }

    fn place(&mut self, item: &str) -> Result<(), String> {
        let is_table = item == "crafting_table";
        let owned = if is_table { self.tables } else { self.furnaces };
        Self::needs(&[(owned > 0, "the block to place")])?;
        self.walk()?;
        if is_table {
            (self.tables, self.placed_tables, self.near_table) =
                (self.tables - 1, self.placed_tables + 1, true);
        } else {
            (self.furnaces, self.near_furnace) = (self.furnaces - 1, true);
        }
        Ok(())
    }

    fn done(&mut self, action: &str) -> Result<(), String> {
        if !ACTIONS.contains(&action) {
            return Err("there is no such action".into());
        }
        let (verb, what) = action.trim_start_matches("action_").split_once('_').unwrap_or_default();
        match (verb, what) {
            ("mine", block) => self.mine(block),
            ("craft", item) => self.craft(item),
            ("smelt", _) => self.smelt(),
            ("equip", "wood_pickaxe") => self.equip(Pickaxe::Wood),
            ("equip", "stone_pickaxe") => self.equip(Pickaxe::Stone),
            ("equip", _) => self.equip(Pickaxe::Iron),
            ("explore", way) => self.explore(way == "diamond_down"),
            (_, item) => self.place(item),
        }
    }

    fn note_goals(&mut self) {
        let owns = |pickaxe: Pickaxe| self.pickaxes[pickaxe as usize] > 0;
        let now = [self.planks > 0, self.sticks > 0, owns(Pickaxe::Stone), self.furnaces > 0];
        for (made, now) in self.made.iter_mut().zip(now) {
            *made |= now;
        }
        let now = [
            self.logs > 0,
            self.made[0] && self.made[1],
            owns(Pickaxe::Wood),
            self.cobble > 0,
            self.made[2] && self.made[3],
            self.ore > 0,
            self.ingots > 0,
            owns(Pickaxe::Iron),
            self.diamonds > 0,
        ];
        for (goal, now) in self.goals.iter_mut().zip(now) {
            *goal |= now;
        }
    }

    fn words(&self) -> String {
        let mut text = match &self.last {
            Ok(done) if done.is_empty() => String::new(),
            Ok(done) => format!("{done}: done.\n"),
            Err(why) => format!("Error: {why}.\n"),
        };
        let items = [
            (self.logs, "logs"),
            (self.planks, "planks"),
            (self.sticks, "sticks"),
            (self.cobble, "cobblestone"),
            (self.coal, "coal"),
            (self.ore, "iron ore"),
            (self.ingots, "iron ingots"),
            (self.tables, "crafting tables"),
            (self.furnaces, "furnaces"),
            (self.pickaxes[0], "wooden pickaxes"),
            (self.pickaxes[1], "stone pickaxes"),
            (self.pickaxes[2], "iron pickaxes"),
            (self.diamonds, "diamonds"),
        ];
        let owned: Vec<String> = items
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
        let list =
            |names: Vec<String>| if names.is_empty() { "nothing".to_string() } else { names.join(", ") };
        text.extend(["You have: ", &list(owned), ".\n"]);
        let truths: Vec<&str> = self.truths().into_iter().collect();
        text.extend(["Observations: ", &list(truths.iter().map(ToString::to_string).collect()), "."]);
        text
    }
}

/// The true observations, read from the text of a message of the inventory world.
pub fn inventory_observations(text: &str) -> BTreeSet<&str> {
    let line = text.lines().rev().find_map(|line| line.strip_prefix("Observations: "));
    let names = line.unwrap_or_default().trim_end_matches('.').split(", ");
    names.filter(|name| OBSERVATIONS.contains(name)).collect()
}

impl Environment for Inventory {
    fn message(&self) -> WorldMessage {
        WorldMessage {
            text: self.words(),
            ok: self.last.is_ok(),
            truths: Some(self.truths().into_iter().map(str::to_string).collect()),
            happened: Vec::new(),
            actions: ACTIONS.into_iter().map(Offer::plain).collect(),
            goals: self.goals().map(str::to_string).collect(),
            reached: self.diamonds > 0,
            ends: false,
        }
    }

    fn imagined(&self, chances: bool) -> Self {
        let found = if chances { 1.0 } else { 0.0 };
        let rates = InventoryRates {
            away: found,
            back: found,
            find: found,
            uncover: found,
            diamond: found,
            wrong_fuel: 0.0,
            lost_way: 0.0,
        };
        Self { rates, ..self.reseeded(0) }
    }

    fn act(&mut self, action: &str) {
        self.last = self.done(action).map(|()| action.to_string());
        self.note_goals();
    }
}
