//! From a world file to a world: names are resolved, and places and things are expanded into rules.

use super::condition::{meant, unknown};
use super::entries::{ActionEntry, Source, TaskEntry, WorldFile};
use super::families;
use super::resolver::{MOST, Resolver, calls};
use super::rule::{Rule, Test};
use super::spec::{WorldSpec, WorldTask};
use super::state::{Atom, State, Vocabulary};
use super::things::Things;
use std::collections::BTreeMap;
use tsl_synth_policy::language::Policy;

/// A world has at most this many actions.
const MOST_RULES: usize = 20_000;

impl Resolver<'_> {
    /// The actions, in the order in which they are offered: those of the policy, walks, those of the file, and those of
    /// things.
    fn rules(&self) -> Result<Vec<Rule>, String> {
        let file = self.file;
        let mut rules: Vec<Rule> = Vec::new();
        let of_policy = self.policy.map(|policy| &policy.atoms.actions);
        for (id, action) in of_policy.into_iter().flat_map(tsl_synth_core::base::IdVec::enumerate) {
            let usual = ActionEntry::default();
            let entry = file.actions.get(&action.name).unwrap_or(&usual);
            let mut rule = Rule::new(&action.name, calls(&entry.calls, &action.name));
            let read = self.of_policy(id, entry, &mut rule).and_then(|()| self.add(entry, &mut rule));
            read.map_err(|why| format!("actions.{}: {why}", action.name))?;
            rules.push(rule);
        }
        let walk = file.map.as_ref().map_or("", |map| map.walk.as_str());
        for (at, place) in self.map.iter().flat_map(|map| map.places.iter().enumerate()) {
            let name = walk.replace("{place}", &place.shown);
            if let Some(rule) = rules.iter_mut().find(|rule| rule.name == name) {
                rule.walk = Some(at);
                continue;
            }
            let mut rule = Rule { walk: Some(at), ..Rule::new(&name, calls(&file.calls, &name)) };
            if let Some(entry) = file.actions.get(&name) {
                self.add(entry, &mut rule).map_err(|why| format!("actions.\"{name}\": {why}"))?;
            }
            rules.push(rule);
        }
        for entry in &file.own {
            let name = entry.name.as_deref().filter(|name| !name.is_empty());
            let name = name.ok_or("an `[[action]]` has no `name`")?;
            let own = if entry.calls.is_empty() { &file.calls } else { &entry.calls };
            let mut rule = Rule::new(name, calls(own, name));
            if !entry.chances.is_empty() {
                return Err(format!(
                    "action `{name}`: `chances` are about effects that a policy declares; \
                                    here a step of `then` has a `chance`"
                ));
            }
            self.add(entry, &mut rule).map_err(|why| format!("action `{name}`: {why}"))?;
            rules.push(rule);
        }
        rules.extend(families::rules(self, |name| calls(&file.calls, name)));
        if rules.len() > MOST_RULES {
            return Err(format!("there are {} actions, and at most {MOST_RULES} are read", rules.len()));
        }
        let mut names: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
        names.sort_unstable();
        if let Some([name, _]) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("there are two actions `{name}`"));
        }
        match file.actions.iter().find(|(name, _)| names.binary_search(&name.as_str()).is_err()) {
            Some((name, _)) => {
                let (near, whose) =
                    (meant(name, names), if self.policy.is_some() { "policy" } else { "world" });
                Err(format!("the {whose} has no action `{name}`{near}"))
            }
            None => Ok(rules),
        }
    }

    fn task(&self, entry: &TaskEntry, usual: &State) -> Result<WorldTask, String> {
        let mut begin = usual.clone();
        if let Some(names) = &entry.begin {
            self.truths(names, &mut begin)?;
        }
        self.amounts(&entry.amounts, &mut begin)?;
        if let (Some(place), Some(map)) = (&entry.at, &self.map) {
            begin[map.slot] = u32::try_from(self.place(place)?).unwrap_or(u32::MAX);
        } else if let Some(place) = &entry.at {
            self.place(place)?;
        }
        let mut sub_goals = Vec::new();
        for own in &entry.sub_goals {
            sub_goals.push((own.name.clone(), Test::Formula(self.condition(&own.when)?)));
        }
        let mut goal = Vec::new();
        if let Some(text) = &entry.goal {
            goal.push(Test::Formula(self.condition(text)?));
        }
        for name in &entry.done {
            let done = Atom::at_least(self.done(name)?, 1);
            goal.push(Test::Number(done));
            sub_goals.push((name.clone(), Test::Number(done)));
        }
        Ok(WorldTask {
            name: entry.name.clone(),
            sentence: entry.sentence.clone(),
            ends: entry.ends || goal.is_empty(),
            begin,
            goal,
            sub_goals,
        })
    }

    fn tasks(&self) -> Result<Vec<WorldTask>, String> {
        let file = self.file;
        let mut begin = self.words.initial();
        if !file.begin.is_empty() {
            self.truths(&file.begin, &mut begin).map_err(|why| format!("begin: {why}"))?;
        }
        self.amounts(&file.amounts, &mut begin).map_err(|why| format!("amounts: {why}"))?;
        let mut tasks: Vec<WorldTask> = Vec::new();
        for entry in &file.tasks {
            let in_task = |why: String| format!("task `{}`: {why}", entry.name);
            if entry.name.is_empty() || tasks.iter().any(|own| own.name == entry.name) {
                return Err(in_task("each task has a name of its own".into()));
            }
            tasks.push(self.task(entry, &begin).map_err(in_task)?);
        }
        if tasks.is_empty() {
            let (name, sentence) = (String::new(), String::new());
            tasks.push(WorldTask {
                name,
                sentence,
                begin,
                goal: Vec::new(),
                sub_goals: Vec::new(),
                ends: true,
            });
        }
        Ok(tasks)
    }
}

/// The world that a file describes.
///
/// # Errors
/// The first thing that is wrong with it, as a sentence that begins with its place.
pub(super) fn resolve(policy: Option<&Policy>, file: &WorldFile) -> Result<WorldSpec, String> {
    let is_long = |task: &TaskEntry| task.sub_goals.len() > MOST;
    let places = file.map.as_ref().map_or(0, |map| map.places.len());
    let lengths = [file.tasks.len(), file.own.len(), file.counters.len(), file.facts.len(), places];
    let things = [file.containers.len(), file.objects.len()];
    if lengths.iter().chain(&things).any(|length| *length > MOST) || file.tasks.iter().any(is_long) {
        return Err(format!("there are more than {MOST} tasks, sub-goals, actions, names, places or things"));
    }
    let policy = match file.effects {
        Source::Own => None,
        Source::Policy => Some(policy.ok_or(
            "the effects of a policy are played, and no policy is named: `policy = \"FILE\"`, or `effects = \
             \"own\"` for rules of the world's own",
        )?),
    };
    let (words, done) = (Vocabulary::default(), BTreeMap::new());
    let mut resolver = Resolver { file, policy, words, map: None, things: Things::default(), done };
    if let Some(policy) = policy {
        resolver.declared(policy)?;
    }
    resolver.own_names()?;
    if let Some(map) = &file.map {
        resolver.places(map).map_err(|why| format!("map: {why}"))?;
    }
    resolver.history();
    families::names(&mut resolver)?;
    let is_known = |name: &&String| {
        resolver.words.slot(name).is_none() && !resolver.words.meanings.contains_key(name.as_str())
    };
    if let Some(name) = file.hidden.iter().find(is_known) {
        return Err(format!("hidden: {}", unknown(name, &resolver.words)));
    }
    let (rules, tasks) = (resolver.rules()?, resolver.tasks()?);
    let Resolver { words, map, things, .. } = resolver;
    let objects = things.objects;
    let tells = file.tells.unwrap_or(true);
    Ok(WorldSpec { words, rules, map, objects, text: file.text.clone(), tells, tasks })
}
