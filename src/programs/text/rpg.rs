//! Reactive program games (`.rpg`), the format of rpgsolve: Heim and Dimitrova, "Solving infinite-state games via
//! acceleration" (POPL 2024).

use super::{
    Condition, Draft, Expression, Failure, Kind, Objective, Operator, fails, grammar_failure, place, sort,
};
use pest::Parser;
use pest::iterators::Pair;
use rustc_hash::FxHashMap;
use tsl_synth_arithmetic::Space;
use tsl_synth_core::base::{Id, IdVec, Rational};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::{LocationId, ProgramMove, ProgramSort, ProgramText, ProgramVariable};
use tsl_synth_grammars::rpg::{RpgGrammar, Rule};

/// Reads a text.
pub(super) fn read(text: &str) -> Result<ProgramText, Failure> {
    let file = RpgGrammar::parse(Rule::file, text)
        .map_err(|error| grammar_failure(&error, rule_name))?
        .next()
        .ok_or(Failure { at: (0, 0), message: "an empty file".into() })?;
    let mut reader = Reader::default();
    let mut transitions = Vec::new();
    for statement in file.into_inner() {
        match statement.as_rule() {
            Rule::kind => reader.kind(statement)?,
            Rule::input | Rule::output => reader.declare(statement)?,
            Rule::location => reader.location(statement)?,
            Rule::initial => reader.initial = Some(name(statement)),
            Rule::transition => transitions.push(statement),
            _ => {}
        }
    }
    reader.number_variables();
    for transition in transitions {
        reader.transition(transition)?;
    }
    reader.finish(text.len())
}

fn rule_name(rule: Rule) -> String {
    match rule {
        Rule::file | Rule::EOI => "the end of the file".into(),
        Rule::word_type | Rule::kind => "`type`".into(),
        Rule::word_input | Rule::input => "`input`".into(),
        Rule::word_output | Rule::output => "`output`".into(),
        Rule::word_loc | Rule::location => "`loc`".into(),
        Rule::word_init | Rule::initial => "`init`".into(),
        Rule::word_trans | Rule::transition => "`trans`".into(),
        Rule::word_if | Rule::branch => "`if`".into(),
        Rule::word_then => "`then`".into(),
        Rule::word_else => "`else`".into(),
        Rule::word_sys | Rule::choice => "`sys (`".into(),
        Rule::option => "an option `((x e)) location`".into(),
        Rule::update => "an update `(x e)`".into(),
        Rule::expression | Rule::application => "an expression".into(),
        Rule::operator => "an operator".into(),
        Rule::number => "a number".into(),
        _ => "a name".into(),
    }
}

/// The first name of a statement, with its place.
fn name(statement: Pair<'_, Rule>) -> (String, (usize, usize)) {
    let at = place(&statement);
    let name = statement.into_inner().find(|part| part.as_rule() == Rule::name);
    name.map_or((String::new(), at), |name| (name.as_str().into(), place(&name)))
}

#[derive(Default)]
struct Reader {
    objective: Option<Objective>,
    cells: Vec<ProgramVariable>,
    inputs: Vec<ProgramVariable>,
    variables: FxHashMap<String, (u32, ProgramSort)>,
    locations: IdVec<LocationId, (String, u32)>,
    initial: Option<(String, (usize, usize))>,
    moves: Vec<ProgramMove>,
    /// Over cells and inputs.
    space: Space,
}

impl Reader {
    fn kind(&mut self, statement: Pair<'_, Rule>) -> Result<(), Failure> {
        let (text, at) = name(statement);
        match Objective::named(&text) {
            Some(objective) => self.objective = Some(objective),
            None => return fails(at, "the type is Reach, Safety, Buechi, coBuechi or Parity"),
        }
        Ok(())
    }

    fn declare(&mut self, statement: Pair<'_, Rule>) -> Result<(), Failure> {
        let is_input = statement.as_rule() == Rule::input;
        let (text, at) = name(statement.clone());
        let kind = statement.into_inner().find(|part| part.as_rule() == Rule::sort);
        let kind = kind.map_or("", |kind| kind.as_str());
        let Some(sort) = sort(kind) else {
            return fails(at, format!("`{kind}` is no sort: Bool, Int, Real, BInt or BReal"));
        };
        if self.cells.iter().chain(&self.inputs).any(|known| known.name == text) {
            return fails(at, format!("`{text}` is declared twice"));
        }
        let variable = ProgramVariable { name: text, sort };
        if is_input {
            self.inputs.push(variable);
        } else {
            self.cells.push(variable);
        }
        Ok(())
    }

    fn location(&mut self, statement: Pair<'_, Rule>) -> Result<(), Failure> {
        let (text, at) = name(statement.clone());
        let number = statement.into_inner().find(|part| part.as_rule() == Rule::number);
        let number = number.and_then(|number| number.as_str().parse::<u32>().ok()).filter(|&n| n < 1_000);
        let Some(number) = number else { return fails(at, "a location has a number from 0 to 999") };
        if self.locations.iter().any(|(known, _)| *known == text) {
            return fails(at, format!("location `{text}` is declared twice"));
        }
        self.locations.push((text, number));
        Ok(())
    }

    fn number_variables(&mut self) {
        for (number, variable) in (0..).zip(self.cells.iter().chain(&self.inputs)) {
            self.variables.insert(variable.name.clone(), (number, variable.sort));
            self.space.add_variable(variable.sort != ProgramSort::Real);
        }
    }

    fn location_of(&self, text: &str, at: (usize, usize)) -> Result<LocationId, Failure> {
        match self.locations.iter().position(|(known, _)| known == text) {
            Some(index) => Ok(LocationId::from_index(index)),
            None => fails(at, format!("there is no location `{text}`")),
        }
    }

    fn transition(&mut self, statement: Pair<'_, Rule>) -> Result<(), Failure> {
        let (text, at) = name(statement.clone());
        let from = self.location_of(&text, at)?;
        if self.moves.iter().any(|one| one.from == from) {
            return fails(at, format!("location `{text}` has two transitions"));
        }
        match statement.into_inner().find(|part| part.as_rule() == Rule::tree) {
            Some(tree) => self.tree(from, tree, &mut Vec::new()),
            None => Ok(()),
        }
    }

    fn tree(
        &mut self,
        from: LocationId,
        tree: Pair<'_, Rule>,
        path: &mut Vec<Condition>,
    ) -> Result<(), Failure> {
        let depth = path.len();
        for part in tree.into_inner() {
            let at = place(&part);
            match part.as_rule() {
                Rule::branch => {
                    let (mut test, mut then) = (None, None);
                    for part in part.into_inner() {
                        match part.as_rule() {
                            Rule::expression => test = Some(self.expression(part)?.condition()?),
                            Rule::tree => then = Some(part),
                            _ => {}
                        }
                    }
                    if let (Some(test), Some(then)) = (test, then) {
                        path.push(test.clone());
                        self.tree(from, then, path)?;
                        path.pop();
                        path.push(test.negated());
                    }
                }
                Rule::choice => {
                    for option in part.into_inner().filter(|part| part.as_rule() == Rule::option) {
                        self.option(from, option, path)?;
                    }
                }
                _ => {
                    let to = self.location_of(part.as_str(), at)?;
                    let keep: Vec<Option<Expression>> = self.cells.iter().map(|_| None).collect();
                    self.add(from, to, path, &keep, at)?;
                }
            }
        }
        path.truncate(depth);
        Ok(())
    }

    fn option(
        &mut self,
        from: LocationId,
        option: Pair<'_, Rule>,
        path: &[Condition],
    ) -> Result<(), Failure> {
        let at = place(&option);
        let (mut updates, mut to) = (vec![None; self.cells.len()], None);
        for part in option.into_inner() {
            let own = place(&part);
            if part.as_rule() == Rule::name {
                to = Some(self.location_of(part.as_str(), own)?);
                continue;
            }
            let (text, named) = name(part.clone());
            let Some(cell) = self.cells.iter().position(|cell| cell.name == text) else {
                return fails(named, format!("`{text}` is not an output"));
            };
            if updates[cell].is_some() {
                return fails(named, format!("`{text}` is updated twice"));
            }
            let value = part.into_inner().find(|part| part.as_rule() == Rule::expression);
            let Some(value) = value else { return fails(own, "an update has a value") };
            let value = self.expression(value)?;
            if value.is_truth() != (self.cells[cell].sort == ProgramSort::Boolean) {
                return fails(own, format!("the value is not of the sort of `{text}`"));
            }
            updates[cell] = Some(value);
        }
        match to {
            Some(to) => self.add(from, to, path, &updates, at),
            None => fails(at, "an option leads to a location"),
        }
    }

    /// Adds moves for all cases of the path and of the updates.
    fn add(
        &mut self,
        from: LocationId,
        to: LocationId,
        path: &[Condition],
        updates: &[Option<Expression>],
        at: (usize, usize),
    ) -> Result<(), Failure> {
        let mut cases: Vec<(Condition, Vec<Sum>)> = vec![(Condition::All(path.to_vec()), Vec::new())];
        for (cell, update) in (0..).zip(updates) {
            let own = match update {
                Some(update) => update.sums()?,
                None => vec![(Condition::truth(true), Sum::variable(cell))],
            };
            let mut next = Vec::new();
            for (given, sums) in &cases {
                for (case, sum) in &own {
                    self.check_sort(cell as usize, sum, at)?;
                    let mut sums = sums.clone();
                    sums.push(sum.clone());
                    next.push((Condition::All(vec![given.clone(), case.clone()]), sums));
                }
            }
            cases = next;
        }
        for (condition, updates) in cases {
            let Some(guards) = condition.conjunctions(&mut self.space) else {
                return fails(at, "the conditions on the way to this option have too many cases");
            };
            for guard in guards {
                let updates = updates.clone();
                self.moves.push(ProgramMove { from, to, guard, updates, priority: 0, actions: 0 });
            }
        }
        Ok(())
    }

    fn check_sort(&self, cell: usize, sum: &Sum, at: (usize, usize)) -> Result<(), Failure> {
        let is_integer = |variable: u32| {
            let all = self.cells.iter().chain(&self.inputs);
            all.clone().nth(variable as usize).is_some_and(|v| v.sort != ProgramSort::Real)
        };
        let stays = self.cells[cell].sort == ProgramSort::Real
            || sum.offset().is_integer()
                && sum.terms().all(|(v, factor)| factor.is_integer() && is_integer(v));
        if stays {
            return Ok(());
        }
        fails(at, format!("`{}` is an integer, and this value may not be one", self.cells[cell].name))
    }

    fn expression(&self, pair: Pair<'_, Rule>) -> Result<Expression, Failure> {
        let at = place(&pair);
        let Some(inner) = pair.into_inner().next() else { return fails(at, "an expression is expected") };
        let kind = match inner.as_rule() {
            Rule::number => match Rational::parse(inner.as_str()) {
                Some(value) => Kind::Number(value),
                None => return fails(at, "this number is too large"),
            },
            Rule::application => {
                let mut operator = None;
                let mut parts = Vec::new();
                for part in inner.into_inner() {
                    let own = place(&part);
                    if part.as_rule() == Rule::operator {
                        operator = Some(match Operator::named(part.as_str()) {
                            Some(operator) => operator,
                            None => {
                                return fails(own, format!("`{}` is not an operator here", part.as_str()));
                            }
                        });
                    } else {
                        parts.push(self.expression(part)?);
                    }
                }
                match operator {
                    Some(operator) => Kind::Apply(operator, parts),
                    None => return fails(at, "an operator is expected"),
                }
            }
            _ => match (inner.as_str(), self.variables.get(inner.as_str())) {
                (_, Some(&(variable, sort))) => Kind::Variable(variable, sort),
                ("true", None) => Kind::Truth(true),
                ("false", None) => Kind::Truth(false),
                (text, None) => return fails(at, format!("`{text}` is not declared")),
            },
        };
        Ok(Expression { at, kind })
    }

    fn finish(self, end: usize) -> Result<ProgramText, Failure> {
        let Some(objective) = self.objective else { return fails((0, 1.min(end)), "the `type` is missing") };
        let Some((text, at)) = self.initial.clone() else {
            return fails((end.saturating_sub(1), end), "`init` with the first location is missing");
        };
        let initial = self.location_of(&text, at)?;
        let start: Vec<Vec<Inequality>> = vec![Vec::new()];
        let draft = Draft {
            cells: self.cells,
            inputs: self.inputs,
            chosen: Vec::new(),
            lost: vec![false; self.locations.len()],
            locations: self.locations,
            initial,
            start,
            moves: self.moves,
            objective,
        };
        Ok(draft.finish(None))
    }
}
