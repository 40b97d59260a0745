//! Controllers of games over programs, from certificates of the system.

use crate::arena::{all_substituted, in_place_from};
use tsl_synth_arithmetic::{Literal, Polyhedron, Space};
use tsl_synth_core::logic::{Inequality, Sum};
use tsl_synth_core::model::{LocationId, ProgramCertificate, ProgramGame, ProgramNodes};

/// A controller: in each step the first option of its node whose conditions hold is taken.
#[derive(Clone, Debug)]
pub struct ProgramController {
    /// Where it begins: the first of these whose conditions on the cells hold.
    pub start: Vec<ControllerOption>,
    /// The nodes.
    pub nodes: Vec<ControllerNode>,
    /// How many values it remembers, besides the node.
    pub remembered: usize,
}

/// A node of a controller.
#[derive(Clone, Debug)]
pub struct ControllerNode {
    /// Where it is.
    pub location: LocationId,
    /// What it can do; for each allowed input one of them is possible.
    pub options: Vec<ControllerOption>,
}

/// An option: sums and conditions are over the cells, the inputs, and, beyond the variables of the game, the remembered
/// values.
#[derive(Clone, Debug)]
pub struct ControllerOption {
    /// All of these hold.
    pub conditions: Vec<Inequality>,
    /// The next values of the cells.
    pub cells: Vec<Sum>,
    /// The next remembered values.
    pub remembered: Vec<Sum>,
    /// The next node.
    pub node: usize,
    /// The actions of the move.
    pub actions: u64,
}

/// The controller of a certificate; `None` if the certificate is not one of the system or a number is too large.
/// Conditions that follow from the region of a node are left out. Falls of ranks are conditions, too, as a step that
/// keeps the region of its node need not make progress.
pub fn controller(game: &ProgramGame, certificate: &ProgramCertificate) -> Option<ProgramController> {
    let ProgramNodes::System(nodes) = &certificate.nodes else { return None };
    let first = game.variables.len();
    let numbers = game.cells + game.inputs;
    let mut integer: Vec<bool> = (0..first as u32).map(|v| game.is_integer(v)).collect();
    integer.extend(&certificate.remembered);
    let mut space = Space::new(integer);
    let mut result = Vec::new();
    for node in nodes {
        let region = space.polyhedron(&node.region.states);
        let mut options = Vec::new();
        for option in &node.options {
            let one = &game.moves[option.chosen];
            let chosen = |v: u32| {
                let own = (v as usize).checked_sub(numbers).and_then(|index| option.numbers.get(index));
                Some(own.filter(|_| (v as usize) < first).cloned().unwrap_or_else(|| Sum::variable(v)))
            };
            let cells: Vec<Sum> =
                one.updates.iter().map(|sum| sum.substituted(chosen)).collect::<Option<_>>()?;
            let remembered: Vec<Sum> =
                option.step.remembered.iter().map(|sum| sum.substituted(chosen)).collect::<Option<_>>()?;
            let next = |v: u32| {
                let index = v as usize;
                let own = index.checked_sub(first).map_or(cells.get(index), |index| remembered.get(index));
                Some(own.cloned().unwrap_or_else(|| Sum::variable(v)))
            };
            let target = &nodes.get(option.step.node)?.region;
            let mut conditions = Vec::new();
            conditions.extend(all_substituted(&one.guard, chosen)?);
            conditions.extend(all_substituted(&target.states, next)?);
            if let Some(component) = option.step.falls {
                let fall = Sum::constant(certificate.components.get(component)?.1);
                let after = target.rank.get(component)?.substituted(next)?;
                let before = node.region.rank.get(component)?.negated();
                let one = tsl_synth_core::base::Rational::ONE;
                conditions.push(Inequality::at_most_zero(after.plus(one, &before)?.plus(one, &fall)?));
            }
            let conditions = open(&mut space, region.as_ref(), conditions)?;
            let (node, actions) = (option.step.node, one.actions);
            options.push(ControllerOption { conditions, cells, remembered, node, actions });
        }
        result.push(ControllerNode { location: node.region.location, options });
    }
    let mut start = Vec::new();
    for one in &certificate.start {
        let image = in_place_from(first, &one.remembered);
        let conditions = all_substituted(&nodes.get(one.node)?.region.states, image)?;
        let cells = (0..game.cells as u32).map(Sum::variable).collect();
        let conditions = open(&mut space, None, conditions)?;
        start.push(ControllerOption {
            conditions,
            cells,
            remembered: one.remembered.clone(),
            node: one.node,
            actions: 0,
        });
    }
    Some(ProgramController { start, nodes: result, remembered: certificate.remembered.len() })
}

/// The conditions without redundant ones: those that follow from the region, or from the other conditions.
fn open(
    space: &mut Space,
    region: Option<&Polyhedron>,
    conditions: Vec<Inequality>,
) -> Option<Vec<Inequality>> {
    let mut left = Polyhedron::new();
    for condition in &conditions {
        match space.literal(condition)? {
            Literal::Known(true) => {}
            Literal::Known(false) => return Some(conditions),
            Literal::Atom(atom) => {
                if !region.is_some_and(|region| space.implies(region, atom)) && !left.contains(&atom) {
                    left.push(atom);
                }
            }
        }
    }
    let small = space.irredundant(left);
    Some(space.inequalities(&small))
}
