//! Issy (`.issy`): formulas and games over the same variables, all of which have to be won together. Heim and Dimitrova,
//! "Issy: a comprehensive tool for specification and synthesis of infinite-state reactive systems" (CAV 2025).
//!
//! Precedence is that of Issy. In formulas, from the loosest: `R` (to the left), `U`, `W`, then `->` and `<->` on one level
//! (all three to the right), `||`, `&&`. In definitions, domains and transitions `<->` is looser than `->`. An input after
//! which no transition is enabled is not allowed to the environment; what no transition fixes, the system chooses.

use super::temporal::{Temporal, ltl};
use super::{
    Condition, Draft, Expression, Failure, Kind, Objective, Operator, fails, grammar_failure, place, sort,
};
use pest::Parser;
use pest::iterators::{Pair, Pairs};
use pest::pratt_parser::{Assoc, Op, PrattParser};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::sync::LazyLock;
use tsl_synth_arithmetic::Space;
use tsl_synth_core::base::{Id, IdVec, Rational};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::{LocationId, ProgramMove, ProgramSort, ProgramText, ProgramVariable};
use tsl_synth_grammars::issy::{IssyGrammar, Rule};

/// The most moves of a game.
const MOVES: usize = 20_000;

/// The most operators in a row without brackets.
const OPERATORS: usize = 4_000;

/// The most operators that definitions stand for, in a whole text.
const EXPANDED: usize = 200_000;

/// The operators of formulas.
static TEMPORAL: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    operators()
        .op(Op::infix(Rule::implies, Assoc::Right) | Op::infix(Rule::iff, Assoc::Right))
        .op(Op::infix(Rule::or, Assoc::Right))
        .op(Op::infix(Rule::and, Assoc::Right))
        .op(Op::prefix(Rule::prefix))
});

/// The operators of definitions, domains and transitions.
static STATE: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    operators()
        .op(Op::infix(Rule::iff, Assoc::Right))
        .op(Op::infix(Rule::implies, Assoc::Right))
        .op(Op::infix(Rule::or, Assoc::Right))
        .op(Op::infix(Rule::and, Assoc::Right))
        .op(Op::prefix(Rule::prefix))
});

/// The levels of the temporal infix operators, which are looser than all others.
fn operators() -> PrattParser<Rule> {
    PrattParser::new()
        .op(Op::infix(Rule::release, Assoc::Left))
        .op(Op::infix(Rule::until, Assoc::Right))
        .op(Op::infix(Rule::weak, Assoc::Right))
}

/// Reads a text.
pub(super) fn read(text: &str) -> Result<ProgramText, Failure> {
    let file = IssyGrammar::parse(Rule::file, text)
        .map_err(|error| grammar_failure(&error, rule_name))?
        .next()
        .ok_or(Failure { at: (0, 0), message: "an empty file".into() })?;
    let mut reader = Reader::default();
    let statements: Vec<Pair<'_, Rule>> = file.into_inner().collect();
    for statement in &statements {
        if matches!(statement.as_rule(), Rule::input | Rule::state) {
            reader.declare(statement.clone())?;
        }
    }
    reader.number_variables();
    reader.definitions(&statements)?;
    for statement in statements {
        match statement.as_rule() {
            Rule::formulas => reader.formulas(statement)?,
            Rule::game => reader.game(statement)?,
            _ => {}
        }
    }
    reader.finish(text.len())
}

fn rule_name(rule: Rule) -> String {
    match rule {
        Rule::EOI => "the end of the file",
        Rule::file | Rule::word_input | Rule::input => "`input`",
        Rule::word_state | Rule::state => "`state`",
        Rule::word_def | Rule::definition => "`def`",
        Rule::word_formula | Rule::formulas => "`formula {`",
        Rule::word_game | Rule::game => "`game`",
        Rule::word_assume | Rule::assume => "`assume`",
        Rule::word_assert | Rule::assert => "`assert`",
        Rule::word_loc | Rule::location => "`loc NAME`",
        Rule::word_from | Rule::transition => "`from`",
        Rule::word_to => "`to`",
        Rule::word_with => "`with`",
        Rule::word_keep | Rule::keep => "`keep(...)`",
        Rule::word_havoc | Rule::havoc => "`havoc(...)`",
        Rule::infix
        | Rule::and
        | Rule::or
        | Rule::iff
        | Rule::implies
        | Rule::until
        | Rule::weak
        | Rule::release => "an operator",
        Rule::prefix | Rule::not => "`!`, `F`, `G` or `X`",
        Rule::predicate => "a comparison in brackets `[x <= 1]`",
        Rule::relation => "`=`, `!=`, `<`, `<=`, `>` or `>=`",
        Rule::number => "a number",
        Rule::formula => "a formula",
        Rule::sum | Rule::product | Rule::factor | Rule::absolute | Rule::comparison => "a term",
        Rule::plus | Rule::minus | Rule::times => "an operator of arithmetic",
        _ => "a name",
    }
    .into()
}

/// A game of the text: its locations with their numbers and domains, and its transitions.
#[derive(Debug)]
struct Part {
    objective: Objective,
    locations: IdVec<LocationId, (String, u32, Condition)>,
    initial: LocationId,
    transitions: Vec<(LocationId, LocationId, Condition)>,
}

/// The product of all games; for each of its locations, whether the system has lost there; the bytes of the last game
/// in the text, for messages.
type Product = (Part, Vec<bool>, (usize, usize));

/// What a definition stands for.
struct Definition {
    /// What it stands for outside of brackets; `None` if its body is a term, such as `[x + 1]`.
    formula: Option<Temporal>,
    /// What it stands for inside of brackets, if its body is one pair of brackets.
    term: Option<Expression>,
    /// The number of its operators and operands after the definitions in it are expanded.
    size: usize,
}

#[derive(Default)]
struct Reader {
    cells: Vec<ProgramVariable>,
    inputs: Vec<ProgramVariable>,
    variables: FxHashMap<String, (u32, ProgramSort)>,
    definitions: FxHashMap<String, Definition>,
    /// The number of operators that definitions stood for so far.
    expanded: Cell<usize>,
    /// For each block, its assumptions and assertions.
    blocks: Vec<(Vec<Temporal>, Vec<Temporal>)>,
    games: Vec<(Part, (usize, usize))>,
}

impl Reader {
    fn declare(&mut self, statement: Pair<'_, Rule>) -> Result<(), Failure> {
        let is_input = statement.as_rule() == Rule::input;
        let (mut kind, mut name) = (None, None);
        for part in statement.into_inner() {
            match part.as_rule() {
                Rule::sort => kind = Some(part),
                Rule::name => name = Some(part),
                _ => {}
            }
        }
        let (Some(kind), Some(name)) = (kind, name) else { return fails((0, 0), "a declaration is cut") };
        let Some(sort) = sort(kind.as_str()) else {
            return fails(place(&kind), format!("`{}` is no sort: bool, int or real", kind.as_str()));
        };
        let text = name.as_str().to_string();
        if self.cells.iter().chain(&self.inputs).any(|known| known.name == text) {
            return fails(place(&name), format!("`{text}` is declared twice"));
        }
        let variable = ProgramVariable { name: text, sort };
        if is_input {
            self.inputs.push(variable);
        } else {
            self.cells.push(variable);
        }
        Ok(())
    }

    fn number_variables(&mut self) {
        for (number, variable) in (0..).zip(self.cells.iter().chain(&self.inputs)) {
            self.variables.insert(variable.name.clone(), (number, variable.sort));
        }
    }

    /// The variable of the next value of a cell.
    fn primed(&self, cell: u32) -> u32 {
        (self.cells.len() + self.inputs.len()) as u32 + cell
    }

    /// Reads all definitions. Each may use any other, whichever comes first in the text.
    fn definitions(&mut self, statements: &[Pair<'_, Rule>]) -> Result<(), Failure> {
        let mut waiting: Vec<(&str, Pair<'_, Rule>)> = Vec::new();
        for statement in statements.iter().filter(|statement| statement.as_rule() == Rule::definition) {
            let at = place(statement);
            let mut inner = statement.clone().into_inner();
            let name = inner.find(|part| part.as_rule() == Rule::name);
            let body = inner.find(|part| part.as_rule() == Rule::formula);
            let (Some(name), Some(body)) = (name, body) else {
                return fails(at, "a definition has a formula");
            };
            let name = name.as_str();
            if self.variables.contains_key(name) || waiting.iter().any(|(other, _)| *other == name) {
                return fails(at, format!("`{name}` is declared twice"));
            }
            waiting.push((name, body));
        }
        let numbers: FxHashMap<&str, usize> = (0..).zip(&waiting).map(|(i, (name, _))| (*name, i)).collect();
        let uses: Vec<Vec<usize>> = waiting
            .iter()
            .map(|(_, body)| {
                let names = body.clone().into_inner().flatten();
                let names = names.filter(|part| part.as_rule() == Rule::variable);
                names.filter_map(|part| numbers.get(part.as_str()).copied()).collect()
            })
            .collect();
        // Depth first, with an explicit stack: a definition is read after those that it uses.
        let (mut begun, mut done) = (vec![false; waiting.len()], vec![false; waiting.len()]);
        for first in 0..waiting.len() {
            let mut path = vec![first];
            while let Some(&now) = path.last() {
                if done[now] {
                    path.pop();
                    continue;
                }
                begun[now] = true;
                let Some(&next) = uses[now].iter().find(|&&other| !done[other]) else {
                    let (name, body) = &waiting[now];
                    self.definition(name, body)?;
                    done[now] = true;
                    continue;
                };
                if begun[next] {
                    let (name, body) = &waiting[next];
                    return fails(place(body), format!("the definition of `{name}` uses itself"));
                }
                path.push(next);
            }
        }
        Ok(())
    }

    fn definition(&mut self, name: &str, body: &Pair<'_, Rule>) -> Result<(), Failure> {
        let before = self.expanded.get();
        let mut inner = body.clone().into_inner();
        let (formula, term) = match (inner.next(), inner.next()) {
            (Some(only), None) if only.as_rule() == Rule::predicate => {
                let Some(condition) = only.into_inner().next() else {
                    return fails(place(body), "a comparison or a term is expected");
                };
                let term = self.condition(condition)?;
                (term.condition().ok().map(Temporal::Holds), Some(term))
            }
            _ => (Some(self.formula(body.clone(), &STATE)?), None),
        };
        let own = body.clone().into_inner().flatten().count();
        let size = own.saturating_add(self.expanded.get() - before);
        self.definitions.insert(name.into(), Definition { formula, term, size });
        Ok(())
    }

    /// The definition of this name, which is used at `at`.
    fn defined(&self, name: &str, at: (usize, usize)) -> Result<Option<&Definition>, Failure> {
        let Some(definition) = self.definitions.get(name) else { return Ok(None) };
        self.expanded.set(self.expanded.get().saturating_add(definition.size));
        if self.expanded.get() > EXPANDED {
            return fails(at, format!("the definitions stand for more than {EXPANDED} operators"));
        }
        Ok(Some(definition))
    }

    fn formulas(&mut self, statement: Pair<'_, Rule>) -> Result<(), Failure> {
        let (mut assumptions, mut assertions) = (Vec::new(), Vec::new());
        for part in statement.into_inner() {
            let rule = part.as_rule();
            let Some(formula) = part.into_inner().find(|part| part.as_rule() == Rule::formula) else {
                continue;
            };
            let formula = self.formula(formula, &TEMPORAL)?;
            if rule == Rule::assume { assumptions.push(formula) } else { assertions.push(formula) }
        }
        self.blocks.push((assumptions, assertions));
        Ok(())
    }

    fn formula(&self, pair: Pair<'_, Rule>, operators: &PrattParser<Rule>) -> Result<Temporal, Failure> {
        check_row(&pair)?;
        operators
            .map_primary(|operand| self.operand(operand, operators))
            .map_prefix(|operator, body| {
                let body = body?;
                Ok(match operator.as_str().trim() {
                    "F" => Temporal::Finally(Box::new(body)),
                    "G" => Temporal::Globally(Box::new(body)),
                    "X" => Temporal::Next(Box::new(body)),
                    _ => Temporal::Not(Box::new(body)),
                })
            })
            .map_infix(|left, operator, right| {
                let both = Box::new([left?, right?]);
                Ok(match operator.as_str().trim() {
                    "&&" => Temporal::And(both),
                    "||" => Temporal::Or(both),
                    "->" => Temporal::Implies(both),
                    "<->" => Temporal::Iff(both),
                    "U" => Temporal::Until(both),
                    "W" => Temporal::WeakUntil(both),
                    _ => Temporal::Release(both),
                })
            })
            .parse(pair.into_inner())
    }

    fn operand(&self, pair: Pair<'_, Rule>, operators: &PrattParser<Rule>) -> Result<Temporal, Failure> {
        let at = place(&pair);
        match pair.as_rule() {
            Rule::formula => self.formula(pair, operators),
            Rule::predicate => {
                let mut inner = pair.into_inner();
                match inner.next() {
                    Some(condition) => Ok(Temporal::Holds(self.condition(condition)?.condition()?)),
                    None => fails(at, "a comparison is expected"),
                }
            }
            Rule::keep | Rule::havoc => {
                let keeps = pair.as_rule() == Rule::keep;
                let mut named = vec![false; self.cells.len()];
                for name in pair.into_inner().filter(|part| part.as_rule() == Rule::name) {
                    let cell = self.cells.iter().position(|cell| cell.name == name.as_str());
                    let Some(cell) = cell else {
                        return fails(place(&name), format!("`{}` is not a state variable", name.as_str()));
                    };
                    named[cell] = true;
                }
                let kept = (0..).zip(&named).filter(|&(_, &is_named)| is_named == keeps);
                let same = kept.map(|(cell, _)| equal(self.primed(cell), &Sum::variable(cell)));
                Ok(Temporal::Holds(Condition::All(same.collect::<Option<_>>().unwrap_or_default())))
            }
            _ => {
                let text = pair.as_str();
                if let Some(definition) = self.defined(text, at)? {
                    return match &definition.formula {
                        Some(formula) => Ok(formula.clone()),
                        None => fails(
                            at,
                            format!("`{text}` is defined as a term, which stands inside of brackets"),
                        ),
                    };
                }
                if text == "true" || text == "false" {
                    return Ok(Temporal::Holds(Condition::truth(text == "true")));
                }
                let expression = self.variable(&pair)?;
                Ok(Temporal::Holds(expression.condition()?))
            }
        }
    }

    fn variable(&self, pair: &Pair<'_, Rule>) -> Result<Expression, Failure> {
        let (text, at) = (pair.as_str(), place(pair));
        let name = text.strip_suffix('\'');
        let Some(&(variable, sort)) = self.variables.get(name.unwrap_or(text)) else {
            return match (text, self.defined(text, at)?) {
                ("true" | "false", _) => Ok(Expression { at, kind: Kind::Truth(text == "true") }),
                (_, Some(Definition { term: Some(term), .. })) => Ok(term.clone()),
                (_, Some(_)) => fails(
                    at,
                    format!("inside of brackets, `{text}` has to be defined as one pair of brackets"),
                ),
                _ => fails(at, format!("`{text}` is not declared")),
            };
        };
        let variable = match name {
            Some(_) if (variable as usize) < self.cells.len() => self.primed(variable),
            Some(_) => return fails(at, "an input has no next value"),
            None => variable,
        };
        Ok(Expression { at, kind: Kind::Variable(variable, sort) })
    }

    /// A condition or term inside of brackets.
    fn condition(&self, pair: Pair<'_, Rule>) -> Result<Expression, Failure> {
        let at = place(&pair);
        let rule = pair.as_rule();
        let apply = |operator: Operator, parts: Vec<Expression>| Expression {
            at,
            kind: Kind::Apply(operator, parts),
        };
        match rule {
            Rule::condition | Rule::alternative => {
                let mut parts = Vec::new();
                for part in pair.into_inner() {
                    parts.push(self.condition(part)?);
                }
                if parts.len() == 1 {
                    return Ok(parts.swap_remove(0));
                }
                Ok(apply(if rule == Rule::condition { Operator::Or } else { Operator::And }, parts))
            }
            Rule::literal => {
                let (mut count, mut inner) = (0usize, None);
                for part in pair.into_inner() {
                    if part.as_rule() == Rule::not { count += 1 } else { inner = Some(part) }
                }
                let Some(inner) = inner else { return fails(at, "a comparison is expected") };
                let inner = self.condition(inner)?;
                Ok(if count.is_multiple_of(2) { inner } else { apply(Operator::Not, vec![inner]) })
            }
            Rule::comparison => {
                let mut parts = pair.into_inner();
                let Some(left) = parts.next() else { return fails(at, "a term is expected") };
                let left = self.condition(left)?;
                let (Some(relation), Some(right)) = (parts.next(), parts.next()) else { return Ok(left) };
                let operator = match relation.as_str() {
                    "!=" => Operator::Different,
                    text => Operator::named(text).unwrap_or(Operator::Equal),
                };
                Ok(apply(operator, vec![left, self.condition(right)?]))
            }
            Rule::sum | Rule::product => {
                check_row(&pair)?;
                let mut parts = pair.into_inner();
                let Some(first) = parts.next() else { return fails(at, "a term is expected") };
                let mut result = self.condition(first)?;
                while let (Some(sign), Some(next)) = (parts.next(), parts.next()) {
                    let Some(operator) = Operator::named(sign.as_str()) else {
                        return fails(
                            place(&sign),
                            format!("`{}` is not read: it is not linear", sign.as_str()),
                        );
                    };
                    result = apply(operator, vec![result, self.condition(next)?]);
                }
                Ok(result)
            }
            Rule::factor => self.factor(pair),
            _ => self.variable(&pair),
        }
    }

    fn factor(&self, pair: Pair<'_, Rule>) -> Result<Expression, Failure> {
        let at = place(&pair);
        let (mut minus, mut absolute, mut value) = (false, false, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::minus => minus = !minus,
                Rule::word_abs => absolute = true,
                Rule::absolute => value = Some(self.factor(part)?),
                Rule::number => {
                    let Some(number) = Rational::parse(part.as_str()) else {
                        return fails(at, "this number is too large");
                    };
                    value = Some(Expression { at, kind: Kind::Number(number) });
                }
                Rule::application => value = Some(self.application(part.into_inner(), at)?),
                _ => value = Some(self.condition(part)?),
            }
        }
        let Some(value) = value else { return fails(at, "a term is expected") };
        // The absolute value of a negated term is that of the term.
        let operator = match (absolute, minus) {
            (true, _) => Operator::Absolute,
            (false, true) => Operator::Minus,
            (false, false) => return Ok(value),
        };
        Ok(Expression { at, kind: Kind::Apply(operator, vec![value]) })
    }

    fn application(&self, parts: Pairs<'_, Rule>, at: (usize, usize)) -> Result<Expression, Failure> {
        let (mut operator, mut operands) = (None, Vec::new());
        for part in parts {
            match part.as_rule() {
                Rule::function => operator = Operator::named(part.as_str()),
                _ => operands.push(self.condition(part)?),
            }
        }
        match operator {
            Some(operator) => Ok(Expression { at, kind: Kind::Apply(operator, operands) }),
            None => fails(at, "a function is expected"),
        }
    }

    fn game(&mut self, statement: Pair<'_, Rule>) -> Result<(), Failure> {
        let at = place(&statement);
        let (mut names, mut transitions) = (Vec::new(), Vec::new());
        let mut locations: IdVec<LocationId, _> = IdVec::new();
        for part in statement.into_inner() {
            match part.as_rule() {
                Rule::name => names.push(part),
                Rule::location => {
                    locations.push(self.location(part)?);
                }
                Rule::transition => transitions.push(part),
                _ => {}
            }
        }
        let [kind, initial] = names.as_slice() else {
            return fails(at, "a game has a type and a first location");
        };
        let Some(objective) = Objective::named(kind.as_str()) else {
            let text = "the type is Safety, Reachability, Buechi, CoBuechi or ParityMaxOdd";
            return fails(place(kind), text);
        };
        let mut game =
            Part { objective, locations, initial: LocationId::from_index(0), transitions: Vec::new() };
        game.initial = game.find(initial)?;
        for transition in transitions {
            let (mut ends, mut condition) = (Vec::new(), None);
            let own = place(&transition);
            for part in transition.into_inner() {
                match part.as_rule() {
                    Rule::name => ends.push(game.find(&part)?),
                    Rule::formula => {
                        condition = Some(self.formula(part.clone(), &STATE)?.condition(place(&part))?);
                    }
                    _ => {}
                }
            }
            let ([from, to], Some(condition)) = (ends.as_slice(), condition) else {
                return fails(own, "a transition has two locations and a condition");
            };
            game.transitions.push((*from, *to, condition));
        }
        let is_goal = |number: u32| objective == Objective::Reach && number > 0;
        for (goal, _) in game.locations.enumerate().filter(|(_, (_, number, _))| is_goal(*number)) {
            // A location in which the game is won and that has no transitions does not restrict other games and formulas.
            if !game.transitions.iter().any(|(from, _, _)| *from == goal) {
                game.transitions.push((goal, goal, Condition::truth(true)));
            }
        }
        self.games.push((game, at));
        Ok(())
    }

    fn location(&self, statement: Pair<'_, Rule>) -> Result<(String, u32, Condition), Failure> {
        let at = place(&statement);
        let (mut name, mut number, mut domain) = (String::new(), Some(0), Condition::truth(true));
        for part in statement.into_inner() {
            match part.as_rule() {
                Rule::name => name = part.as_str().into(),
                Rule::number => number = part.as_str().parse::<u32>().ok().filter(|&n| n < 1_000),
                Rule::formula => domain = self.formula(part.clone(), &STATE)?.condition(place(&part))?,
                _ => {}
            }
        }
        match number {
            Some(number) => Ok((name, number, domain)),
            None => fails(at, "a location has a number from 0 to 999"),
        }
    }

    /// A condition about the present with the next values of cells in place of the present ones.
    fn shifted(&self, condition: &Condition, at: (usize, usize)) -> Result<Condition, Failure> {
        let all = |parts: &[Condition]| {
            parts.iter().map(|part| self.shifted(part, at)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match condition {
            Condition::All(parts) => Condition::All(all(parts)?),
            Condition::Any(parts) => Condition::Any(all(parts)?),
            Condition::Holds(inequality) => {
                let cells = self.cells.len() as u32;
                let next = |variable: u32| (variable < cells).then(|| Sum::variable(self.primed(variable)));
                match inequality.sum.substituted(next) {
                    Some(sum) => Condition::Holds(Inequality { sum, strict: inequality.strict }),
                    None => return fails(at, "the domain of a location is about state variables only"),
                }
            }
        })
    }

    /// The product of all games.
    fn product(&self) -> Result<Product, Failure> {
        let mut games = self.games.iter();
        let Some((first, at)) = games.next() else {
            let all = Condition::truth(true);
            let locations = IdVec::from(vec![("all".to_string(), 1, all.clone())]);
            let only = LocationId::from_index(0);
            let game = Part {
                objective: Objective::Safety,
                locations,
                initial: only,
                transitions: vec![(only, only, all)],
            };
            return Ok((game, vec![false], (0, 0)));
        };
        let is_lost = |game: &Part| -> Vec<bool> {
            let lost = |number: u32| game.objective == Objective::Safety && number == 0;
            game.locations.iter().map(|(_, number, _)| lost(*number)).collect()
        };
        let (mut lost, mut at) = (is_lost(first), *at);
        let mut result = Part {
            objective: first.objective,
            locations: first.locations.clone(),
            initial: first.initial,
            transitions: first.transitions.clone(),
        };
        for (next, own) in games {
            at = *own;
            let (objective, numbered) = match (result.objective, next.objective) {
                (Objective::Safety, other) => (other, next),
                (other, Objective::Safety) => (other, &result),
                _ => return fails(*own, "at most one game may have another type than Safety"),
            };
            let from_next = std::ptr::eq(numbered, next);
            let width = next.locations.len();
            let pair = |a: LocationId, b: LocationId| LocationId::from_index(a.index() * width + b.index());
            let next_lost = is_lost(next);
            let (mut locations, mut both_lost) = (IdVec::new(), Vec::new());
            for (left, (name, number, domain)) in result.locations.enumerate() {
                for (right, (other, other_number, other_domain)) in next.locations.enumerate() {
                    let all = Condition::All(vec![domain.clone(), other_domain.clone()]);
                    let number = if from_next { *other_number } else { *number };
                    locations.push((format!("{name}, {other}"), number, all));
                    both_lost.push(lost[left.index()] || next_lost[right.index()]);
                }
            }
            let mut transitions = Vec::new();
            for (from, to, condition) in &result.transitions {
                for (other_from, other_to, other) in &next.transitions {
                    let all = Condition::All(vec![condition.clone(), other.clone()]);
                    transitions.push((pair(*from, *other_from), pair(*to, *other_to), all));
                }
                if transitions.len() > MOVES {
                    return fails(*own, "the games together have too many transitions");
                }
            }
            let initial = pair(result.initial, next.initial);
            (result, lost) = (Part { objective, locations, initial, transitions }, both_lost);
        }
        Ok((result, lost, at))
    }

    /// The values that a conjunction fixes for the next step, and what else has to hold; cells that it does not fix get
    /// the numbers that are chosen with the move.
    fn updates(&self, conjunction: &[Inequality]) -> Option<(Vec<Inequality>, Vec<Sum>)> {
        let cells = self.cells.len() as u32;
        let first = self.primed(0);
        let is_integer = |variable: u32| {
            let all = self.cells.iter().chain(&self.inputs).chain(&self.cells);
            all.clone().nth(variable as usize).is_some_and(|v| v.sort != ProgramSort::Real)
        };
        let mut left = conjunction.to_vec();
        let mut fixed: Vec<Option<Sum>> = vec![None; self.cells.len()];
        for cell in 0..cells {
            let primed = self.primed(cell);
            let found = left.iter().find_map(|part| {
                let factor = part.sum.coefficient(primed);
                if factor.is_zero() || part.strict {
                    return None;
                }
                let is_boolean = self.cells[cell as usize].sort == ProgramSort::Boolean;
                if is_boolean && part.sum.terms().count() == 1 {
                    // b' ≥ 1 or b' ≤ 0
                    let truth = if factor.is_negative() { Rational::ONE } else { Rational::ZERO };
                    return Some(Sum::constant(truth));
                }
                let opposite = Inequality::at_most_zero(part.sum.negated());
                if !left.contains(&opposite) {
                    return None;
                }
                let rest = part.sum.plus(factor.negated(), &Sum::variable(primed))?;
                let value = rest.times(Rational::ONE.negated().over(factor)?)?;
                let is_exact = self.cells[cell as usize].sort == ProgramSort::Real
                    || value.offset().is_integer()
                        && value.terms().all(|(v, c)| c.is_integer() && is_integer(v));
                is_exact.then_some(value)
            });
            let Some(value) = found else { continue };
            let image = |v: u32| Some(if v == primed { value.clone() } else { Sum::variable(v) });
            for part in &mut left {
                part.sum = part.sum.substituted(image)?;
            }
            for other in fixed.iter_mut().flatten() {
                *other = other.substituted(image)?;
            }
            fixed[cell as usize] = Some(value);
        }
        left.retain(|part| part.known() != Some(true));
        if left.iter().any(|part| part.known() == Some(false)) {
            return Some((left, Vec::new()));
        }
        let updates = (0..)
            .zip(fixed)
            .map(|(cell, value): (u32, _)| value.unwrap_or_else(|| Sum::variable(first + cell)));
        Some((left, updates.collect()))
    }

    fn finish(mut self, end: usize) -> Result<ProgramText, Failure> {
        let (game, lost, at) = self.product()?;
        let variables = self.cells.iter().chain(&self.inputs).chain(&self.cells);
        let mut space = Space::new(variables.map(|variable| variable.sort != ProgramSort::Real).collect());
        let mut moves = Vec::new();
        for (from, to, condition) in &game.transitions {
            let domain = self.shifted(&game.locations[*to].2, at)?;
            let all = Condition::All(vec![condition.clone(), domain]);
            let Some(conjunctions) = all.conjunctions(&mut space) else {
                return fails(at, "the conditions of a transition have too many cases");
            };
            for conjunction in conjunctions {
                let Some((guard, updates)) = self.updates(&conjunction) else {
                    return fails(at, "a number is too large");
                };
                if !updates.is_empty() || self.cells.is_empty() {
                    moves.push(ProgramMove { from: *from, to: *to, guard, updates, priority: 0, actions: 0 });
                }
            }
            if moves.len() > MOVES {
                return fails(at, "the games together have too many transitions");
            }
        }
        let start = game.locations[game.initial].2.conjunctions(&mut space);
        let Some(start) = start else { return fails((0, end), "the first location has too many cases") };
        let chosen =
            self.cells.iter().map(|cell| ProgramVariable { name: format!("{}'", cell.name), ..cell.clone() });
        let chosen = chosen.collect();
        let blocks = std::mem::take(&mut self.blocks);
        let draft = Draft {
            cells: self.cells,
            inputs: self.inputs,
            chosen,
            locations: game.locations.iter().map(|(name, number, _)| (name.clone(), *number)).collect(),
            lost,
            initial: game.initial,
            start,
            moves,
            objective: game.objective,
        };
        let mut formula = ltl(&blocks);
        if draft.objective == Objective::Reach && self.games.len() > 1 {
            // The other games go on after this one is won. Beside a formula, `finish` does not end the play there.
            formula.get_or_insert_default();
        }
        Ok(draft.finish(formula))
    }
}

impl Part {
    fn find(&self, name: &Pair<'_, Rule>) -> Result<LocationId, Failure> {
        let at = self.locations.iter().position(|(known, _, _)| known == name.as_str());
        match at {
            Some(at) => Ok(LocationId::from_index(at)),
            None => fails(place(name), format!("there is no location `{}`", name.as_str())),
        }
    }
}

/// Refuses rows of operators that are too long: trees are as deep as rows are long.
fn check_row(pair: &Pair<'_, Rule>) -> Result<(), Failure> {
    match pair.clone().into_inner().nth(2 * OPERATORS) {
        Some(part) => {
            let message = format!("nested deeper than {OPERATORS} operators: brackets divide a row");
            fails(place(&part), message)
        }
        None => Ok(()),
    }
}

/// That a variable has the value of a sum.
fn equal(variable: u32, sum: &Sum) -> Option<Condition> {
    let change = Sum::variable(variable).plus(Rational::ONE.negated(), sum)?;
    let both = [change.negated(), change];
    Some(Condition::All(both.map(|sum| Condition::Holds(Inequality::at_most_zero(sum))).to_vec()))
}
