//! Proofs that regions are covered, found with the help of points: an option that holds at a point of what is left is
//! taken next.

use tsl_synth_arithmetic::{Literal, Polyhedron, Space, refute};
use tsl_synth_core::logic::Inequality;
use tsl_synth_core::model::Coverage;
use tsl_synth_kernel::refutes;

/// The deepest nesting of cases.
const DEPTH: usize = 200;

/// A proof that some inequalities imply one of the options; `None` if they do not or no proof is found.
pub(crate) fn coverage(
    space: &mut Space,
    given: &[Inequality],
    options: &[Vec<Inequality>],
) -> Option<Coverage> {
    let mut literals = Vec::new();
    for option in options {
        let own: Option<Vec<Literal>> = option.iter().map(|part| space.literal(part)).collect();
        literals.push(own?);
    }
    let mut search = Search { space, options, literals };
    let mut given = given.to_vec();
    let region = search.space.polyhedron(&given);
    search.cover(&mut given, region, DEPTH)
}

struct Search<'a> {
    space: &'a mut Space,
    options: &'a [Vec<Inequality>],
    literals: Vec<Vec<Literal>>,
}

impl Search<'_> {
    fn cover(
        &mut self,
        given: &mut Vec<Inequality>,
        region: Option<Polyhedron>,
        depth: usize,
    ) -> Option<Coverage> {
        let Some(region) = region else {
            let system = self.space.system(given.clone());
            // Proofs whose numbers are too large for the checker are none.
            return refute(&system).filter(|proof| refutes(&system, proof)).map(Coverage::Closed);
        };
        if depth == 0 {
            return None;
        }
        let point = self.space.point(&region)?;
        let holds = |literal: &Literal| match *literal {
            Literal::Known(value) => value,
            Literal::Atom(atom) => self.space.holds(atom, &point),
        };
        let at: Vec<usize> =
            (0..self.options.len()).filter(|&at| self.literals[at].iter().all(holds)).collect();
        let open = |search: &mut Self, at: usize| {
            let literals = search.literals[at].clone();
            let is_open = |literal: &Literal| match *literal {
                Literal::Known(_) => false,
                Literal::Atom(atom) => !search.space.implies(&region, atom),
            };
            literals.iter().map(is_open).filter(|&open| open).count()
        };
        let mut best: Option<(usize, usize)> = None;
        for at in at {
            let cost = open(self, at);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, at));
            }
        }
        let (_, at) = best?;
        let (mut parts, mut inside) = (Vec::new(), Some(region));
        let before = given.len();
        for index in 0..self.options[at].len() {
            let part = &self.options[at][index];
            given.push(part.negated());
            let (outside, next) = match (self.literals[at][index], inside) {
                (_, None) => (None, None),
                (Literal::Known(true), Some(inside)) => (None, Some(inside)),
                (Literal::Known(false), Some(inside)) => (Some(inside), None),
                (Literal::Atom(atom), Some(inside)) => {
                    (self.space.meet(&inside, &[atom ^ 1]), self.space.meet(&inside, &[atom]))
                }
            };
            let proof = self.cover(given, outside, depth - 1);
            given.pop();
            parts.push(proof?);
            given.push(part.clone());
            inside = next;
        }
        given.truncate(before);
        Some(Coverage::Option(at, parts))
    }
}
