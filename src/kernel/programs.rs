//! Claims that a player wins a game over a program: nodes with regions, ranks and answers, checked step by step.
//!
//! Soundness, for the system (for the environment exchange even and odd): by the proofs, a play that begins in the start
//! is in a node, and for each allowed input the node has an answer that leads to a node. Let p be the least priority that
//! an infinite play sees infinitely often, and suppose that p is odd. From some step on no smaller priority is seen. Then
//! each step keeps the components with levels up to p from rising lexicographically: a step of priority q ≥ p does so for
//! the components with levels below q, or up to q if q is odd, and the components with levels up to p are a prefix of
//! these. On each step of priority p a component of the prefix falls by its least fall, and those before it do not rise.
//! The first component falls by it finitely often, as it is at least 0 and never rises; from then on the second one, and
//! so on: a contradiction.
//!
//! What is implied by what is shown by [`Coverage`] proofs: case distinctions over inequalities of options, and in each
//! case a combination of inequalities that is false. Nothing is searched for here. A value that is remembered and marked
//! as an integer is only ever set to sums of integers with integer coefficients.

use super::linear::refutes;
use super::outcome::CertifyError;
use tsl_synth_core::base::{Budget, Id, IdVec, Rational};
use tsl_synth_core::logic::{Inequality, LinearSystem, Sum};
use tsl_synth_core::model::{
    Coverage, EnvironmentNode, LocationId, MoveId, ProgramCertificate, ProgramGame, ProgramMove,
    ProgramNodes, ProgramRegion, ProgramSort, ProgramStartProof, ProgramStep, SystemNode, SystemProof,
};

/// The deepest nesting of cases in a proof.
const DEPTH: usize = 2_000;

/// Certifies that a player wins a game: the one whose nodes the certificate has. Linear in the size of the certificate,
/// apart from the arithmetic.
///
/// # Errors
/// [`CertifyError::Malformed`] and [`CertifyError::Wrong`] say what is not as claimed; a limit of the budget.
pub fn certify_program(
    game: &ProgramGame,
    certificate: &ProgramCertificate,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if !game.is_well_formed() {
        return Err(malformed("the game is not well formed"));
    }
    let levels = certificate.components.iter().map(|&(level, _)| level);
    let good = match certificate.nodes {
        ProgramNodes::System(_) => 0,
        ProgramNodes::Environment(_) => 1,
    };
    if !levels.is_sorted() || certificate.components.iter().any(|(_, fall)| !fall.is_positive()) {
        return Err(malformed("the components of ranks are not in order or need not fall"));
    }
    let mut integer: Vec<bool> = game.variables.iter().map(|v| v.sort != ProgramSort::Real).collect();
    integer.extend(&certificate.remembered);
    let regions: Vec<&ProgramRegion> = match &certificate.nodes {
        ProgramNodes::System(nodes) => nodes.iter().map(|node| &node.region).collect(),
        ProgramNodes::Environment(nodes) => nodes.iter().map(|node| &node.region).collect(),
    };
    let check = ProgramCheck { game, certificate, regions, integer, moves: game.moves_from(), good, budget };
    for region in &check.regions {
        check.region(region)?;
    }
    match &certificate.nodes {
        ProgramNodes::System(nodes) => nodes.iter().try_for_each(|node| check.system(node))?,
        ProgramNodes::Environment(nodes) => nodes.iter().try_for_each(|node| check.environment(node))?,
    }
    check.start()
}

struct ProgramCheck<'a> {
    game: &'a ProgramGame,
    certificate: &'a ProgramCertificate,
    regions: Vec<&'a ProgramRegion>,
    /// For each variable and each remembered value.
    integer: Vec<bool>,
    moves: IdVec<LocationId, Vec<MoveId>>,
    /// The remainder by 2 of priorities that are good for the player.
    good: u32,
    budget: &'a Budget,
}

impl ProgramCheck<'_> {
    /// A region is over cells and remembered values, and its rank is at least 0.
    fn region(&self, region: &ProgramRegion) -> Result<(), CertifyError> {
        let components = self.certificate.components.len();
        if region.location.index() >= self.game.locations.len()
            || region.rank.len() != components
            || region.bounded.len() != components
        {
            return Err(malformed("a region without such a location or rank"));
        }
        let sums = region.states.iter().map(|part| &part.sum).chain(&region.rank);
        for sum in sums {
            self.is_over(sum, |variable| {
                variable < self.game.cells || variable >= self.game.variables.len()
            })?;
        }
        for (component, proof) in region.rank.iter().zip(&region.bounded) {
            let is_bounded = match (component.value(), proof) {
                (Some(value), _) => !value.is_negative(),
                (None, Some(proof)) => {
                    let mut given = region.states.clone();
                    given.push(Inequality::below_zero(component.clone()));
                    refutes(&self.linear(given), proof)
                }
                (None, None) => false,
            };
            if !is_bounded {
                return Err(wrong("a rank may be below 0"));
            }
        }
        Ok(())
    }

    fn system(&self, node: &SystemNode) -> Result<(), CertifyError> {
        let from = &node.region;
        let mut options = Vec::new();
        for option in &node.options {
            let taken = self.taken(from.location, option.chosen)?;
            let numbers = self.numbers(&option.numbers)?;
            let mut needed = substituted(&taken.guard, &numbers)?;
            needed.extend(self.step(from, taken, &numbers, &option.step)?);
            options.push(needed);
        }
        match &node.proof {
            SystemProof::Always(proof) => self.covered(from.states.clone(), &options, proof),
            SystemProof::WhereEnabled(proofs) => {
                let moves = &self.moves[from.location];
                if proofs.len() != moves.len() {
                    return Err(malformed("not a proof for each move"));
                }
                for (&one, proof) in moves.iter().zip(proofs) {
                    // What the move chooses has other variables than the options, whose numbers are sums.
                    let mut given = from.states.clone();
                    given.extend(self.game.moves[one].guard.iter().cloned());
                    self.covered(given, &options, proof)?;
                }
                Ok(())
            }
        }
    }

    fn environment(&self, node: &EnvironmentNode) -> Result<(), CertifyError> {
        let from = &node.region;
        if node.inputs.len() != self.game.inputs {
            return Err(malformed("not a value for each input"));
        }
        for (index, sum) in node.inputs.iter().enumerate() {
            self.is_over(sum, |variable| {
                variable < self.game.cells || variable >= self.game.variables.len()
            })?;
            self.has_sort(sum, self.game.is_integer((self.game.cells + index) as u32))?;
        }
        let inputs = self.image(|variable| node.inputs.get(variable.checked_sub(self.game.cells)?));
        let mut enabled = Vec::new();
        for (one, numbers) in &node.enabled {
            let taken = self.taken(from.location, *one)?;
            let guard = substituted(&taken.guard, &self.numbers(numbers)?)?;
            enabled.push(substituted(&guard, &inputs)?);
        }
        self.covered(from.states.clone(), &enabled, &node.allowed)?;
        let moves = &self.moves[from.location];
        if node.answers.len() != moves.len() {
            return Err(malformed("not an answer to each move"));
        }
        let same = self.image(|_| None);
        for (&one, (steps, proof)) in moves.iter().zip(&node.answers) {
            let taken = &self.game.moves[one];
            let mut given = from.states.clone();
            given.extend(substituted(&taken.guard, &inputs)?);
            let mut options = Vec::new();
            for step in steps {
                options.push(substituted(&self.step(from, taken, &same, step)?, &inputs)?);
            }
            self.covered(given, &options, proof)?;
        }
        Ok(())
    }

    fn start(&self) -> Result<(), CertifyError> {
        let mut options = Vec::new();
        for start in &self.certificate.start {
            let region = self.regions.get(start.node).ok_or_else(|| malformed("no such node"))?;
            if region.location != self.game.initial
                || start.remembered.len() != self.certificate.remembered.len()
            {
                return Err(malformed("a start at another location"));
            }
            for (sum, &is_integer) in start.remembered.iter().zip(&self.certificate.remembered) {
                self.is_over(sum, |variable| variable < self.game.cells)?;
                self.has_sort(sum, is_integer)?;
            }
            let first = self.game.variables.len();
            let image = self.image(|variable| start.remembered.get(variable.checked_sub(first)?));
            options.push(substituted(&region.states, &image)?);
        }
        match (&self.certificate.covered, &self.certificate.nodes) {
            (ProgramStartProof::All(proofs), ProgramNodes::System(_)) => {
                if proofs.len() != self.game.start.len() {
                    return Err(malformed("not a proof for each part of the start"));
                }
                let mut parts = self.game.start.iter().zip(proofs);
                parts.try_for_each(|(part, proof)| self.covered(part.clone(), &options, proof))
            }
            (ProgramStartProof::One(values, start), ProgramNodes::Environment(_)) => {
                let option = options.get(*start).ok_or_else(|| malformed("no such start"))?;
                let has_sorts = values.len() == self.game.cells
                    && (0..)
                        .zip(values)
                        .all(|(cell, value)| value.is_integer() || !self.game.is_integer(cell));
                let holds = |parts: &Vec<Inequality>| {
                    let image =
                        |variable: u32| values.get(variable as usize).map(|&value| Sum::constant(value));
                    parts
                        .iter()
                        .all(|part| part.substituted(image).and_then(|part| part.known()) == Some(true))
                };
                if has_sorts && self.game.start.iter().any(holds) && holds(option) {
                    Ok(())
                } else {
                    Err(wrong("the first values are not a start"))
                }
            }
            _ => Err(malformed("a start of the other player")),
        }
    }

    /// What has to hold for a step to lead to its node with a rank that is allowed; `numbers` are in place of what the
    /// move chooses.
    fn step(
        &self,
        from: &ProgramRegion,
        taken: &ProgramMove,
        numbers: &[Sum],
        step: &ProgramStep,
    ) -> Result<Vec<Inequality>, CertifyError> {
        let to = self.regions.get(step.node).ok_or_else(|| malformed("no such node"))?;
        if to.location != taken.to || step.remembered.len() != self.certificate.remembered.len() {
            return Err(malformed("a step to another location"));
        }
        for (sum, &is_integer) in step.remembered.iter().zip(&self.certificate.remembered) {
            self.has_sort(sum, is_integer)?;
        }
        let (cells, first) = (self.game.cells, self.game.variables.len());
        let mut updates = Vec::new();
        for (cell, update) in (0..).zip(&taken.updates) {
            let update = substituted_sum(update, numbers)?;
            self.has_sort(&update, self.game.is_integer(cell))?;
            updates.push(update);
        }
        let mut remembered = Vec::new();
        for sum in &step.remembered {
            remembered.push(substituted_sum(sum, numbers)?);
        }
        let next = self.image(|variable| match variable.checked_sub(first) {
            Some(index) => remembered.get(index),
            None => updates.get(variable).filter(|_| variable < cells),
        });
        let mut needed = substituted(&to.states, &next)?;
        let is_bad = taken.priority % 2 != self.good;
        let matters =
            |&&(level, _): &&(u32, Rational)| level < taken.priority || level == taken.priority && is_bad;
        let prefix = self.certificate.components.iter().take_while(matters).count();
        let end = match step.falls {
            Some(component) if component < prefix => component,
            Some(_) => return Err(malformed("what falls does not matter")),
            None if is_bad => return Err(wrong("nothing falls on a step with a bad priority")),
            None => prefix,
        };
        for component in 0..prefix.min(end + 1) {
            // What is after minus what is before is at most 0, or at most minus the least fall.
            let after = substituted_sum(&to.rank[component], &next)?;
            let before = from.rank[component].negated();
            let mut change = after.plus(Rational::ONE, &before).ok_or_else(too_large)?;
            if step.falls == Some(component) {
                let fall = Sum::constant(self.certificate.components[component].1);
                change = change.plus(Rational::ONE, &fall).ok_or_else(too_large)?;
            }
            needed.push(Inequality::at_most_zero(change));
        }
        Ok(needed)
    }

    fn taken(&self, from: LocationId, chosen: MoveId) -> Result<&ProgramMove, CertifyError> {
        let taken = self.game.moves.get(chosen).filter(|one| one.from == from);
        taken.ok_or_else(|| malformed("no such move from the location"))
    }

    /// The sums in place of all variables, with these numbers in place of what a move chooses.
    fn numbers(&self, numbers: &[Sum]) -> Result<Vec<Sum>, CertifyError> {
        let first = self.game.cells + self.game.inputs;
        if numbers.len() != self.game.variables.len() - first {
            return Err(malformed("not all numbers of a move"));
        }
        for (index, sum) in numbers.iter().enumerate() {
            self.is_over(sum, |variable| variable < first || variable >= self.game.variables.len())?;
            self.has_sort(sum, self.game.is_integer((first + index) as u32))?;
        }
        Ok(self.image(|variable| numbers.get(variable.checked_sub(first)?)))
    }

    /// For each variable and remembered value a sum: the given one, or itself.
    fn image<'s>(&self, given: impl Fn(usize) -> Option<&'s Sum>) -> Vec<Sum> {
        (0..self.integer.len())
            .map(|v| given(v).cloned().unwrap_or_else(|| Sum::variable(v as u32)))
            .collect()
    }

    fn is_over(&self, sum: &Sum, allowed: impl Fn(usize) -> bool) -> Result<(), CertifyError> {
        let is_allowed = |(variable, _): (u32, Rational)| {
            (variable as usize) < self.integer.len() && allowed(variable as usize)
        };
        if sum.terms().all(is_allowed) { Ok(()) } else { Err(malformed("a variable that is not known here")) }
    }

    /// A sum for an integer has integer values.
    fn has_sort(&self, sum: &Sum, is_integer: bool) -> Result<(), CertifyError> {
        let of_integers = |(variable, factor): (u32, Rational)| {
            factor.is_integer() && self.integer.get(variable as usize).copied().unwrap_or(false)
        };
        let has = !is_integer || sum.offset().is_integer() && sum.terms().all(of_integers);
        if has { Ok(()) } else { Err(malformed("an integer is set to a number that may not be one")) }
    }

    fn linear(&self, inequalities: Vec<Inequality>) -> LinearSystem {
        LinearSystem { inequalities, different: Vec::new(), integer: self.integer.clone() }
    }

    /// Whether a proof shows that inequalities imply one of the options.
    fn covered(
        &self,
        given: Vec<Inequality>,
        options: &[Vec<Inequality>],
        proof: &Coverage,
    ) -> Result<(), CertifyError> {
        let mut todo = vec![(given, proof, 0)];
        while let Some((given, proof, depth)) = todo.pop() {
            self.budget.tick(1, || "a check of ranks".into())?;
            if depth > DEPTH {
                return Err(malformed("a proof of too many nested cases"));
            }
            match proof {
                Coverage::Closed(proof) => {
                    if !refutes(&self.linear(given), proof) {
                        return Err(wrong("a case is not a contradiction"));
                    }
                }
                Coverage::Option(number, parts) => {
                    let option = options.get(*number).ok_or_else(|| malformed("no such option"))?;
                    if parts.len() != option.len() {
                        return Err(malformed("not a case for each inequality of an option"));
                    }
                    for (index, part) in parts.iter().enumerate() {
                        let mut case = given.clone();
                        case.extend(option[..index].iter().cloned());
                        case.push(option[index].negated());
                        todo.push((case, part, depth + 1));
                    }
                }
                Coverage::Sign(sum, parts) => {
                    self.is_over(sum, |_| true)?;
                    let at_most = Inequality::at_most_zero(sum.clone());
                    for (inequality, part) in [at_most.clone(), at_most.negated()].into_iter().zip(&**parts) {
                        let mut case = given.clone();
                        case.push(inequality);
                        todo.push((case, part, depth + 1));
                    }
                }
            }
        }
        Ok(())
    }
}

fn substituted(parts: &[Inequality], image: &[Sum]) -> Result<Vec<Inequality>, CertifyError> {
    let one = |part: &Inequality| part.substituted(|variable| image.get(variable as usize).cloned());
    parts.iter().map(one).collect::<Option<_>>().ok_or_else(too_large)
}

fn substituted_sum(sum: &Sum, image: &[Sum]) -> Result<Sum, CertifyError> {
    sum.substituted(|variable| image.get(variable as usize).cloned()).ok_or_else(too_large)
}

fn malformed(what: &str) -> CertifyError {
    CertifyError::Malformed(what.into())
}

fn wrong(what: &str) -> CertifyError {
    CertifyError::Wrong(what.into())
}

fn too_large() -> CertifyError {
    malformed("a number is too large")
}
