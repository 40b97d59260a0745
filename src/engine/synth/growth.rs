//! In which order the clauses of a contract join a part of it, and how many at once.
//!
//! Two clauses have the same *shape* if they are equal up to their atoms, each of which stands for any atom of the same
//! player: `G (r1 -> F g1)` and `G (r2 -> F g2)`, or the mutual exclusions of all pairs of clients. A small unrealizable
//! part seldom needs many clauses of one shape, so clauses whose shape is rare come first. A part grows by half of its
//! size, so that the number of games is logarithmic in the number of its clauses.

use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::mem::{Discriminant, discriminant};
use tsl_synth_core::logic::{Alphabet, FormulaId, Formulas, Node, Player};

/// The shapes of the guarantees of a contract.
#[derive(Debug)]
pub(super) struct Shapes {
    /// The number of the shape of each guarantee.
    of: Vec<usize>,
    /// All guarantees, those of rare shapes first.
    pub(super) rare_first: Vec<usize>,
}

impl Shapes {
    /// Linear in the formulas.
    pub(super) fn new(formulas: &Formulas, alphabet: &Alphabet, clauses: &[FormulaId]) -> Self {
        let mut known: FxHashMap<(Discriminant<Node>, Vec<usize>), usize> = FxHashMap::default();
        let mut shapes: FxHashMap<FormulaId, usize> = FxHashMap::default();
        for f in formulas.subformulas(clauses) {
            let node = formulas.node(f);
            let mut operands = Vec::new();
            match *node {
                Node::Atom(atom) => operands.push(usize::from(alphabet.player(atom) == Player::System)),
                _ => node.for_each_operand(|g| operands.push(shapes[&g])),
            }
            if matches!(node, Node::And(_) | Node::Or(_) | Node::Iff(..)) {
                operands.sort_unstable();
            }
            let new = known.len();
            shapes.insert(f, *known.entry((discriminant(node), operands)).or_insert(new));
        }
        let of: Vec<usize> = clauses.iter().map(|f| shapes[f]).collect();
        let mut count = vec![0_usize; known.len()];
        for &shape in &of {
            count[shape] += 1;
        }
        let mut rare_first: Vec<usize> = (0..of.len()).collect();
        rare_first.sort_by_key(|&i| count[of[i]]);
        Self { of, rare_first }
    }

    /// The guarantees to add to the chosen ones after a play violated the guarantee `first`: half as many as are chosen, at
    /// least `first` itself. The other guarantees that the play violates, `broken`, come before those of the shape of
    /// `first`, which the strategy often violates on other plays. Among the broken ones, one of each shape comes before a
    /// second one of any shape.
    pub(super) fn to_add(&self, chosen: &[usize], first: usize, broken: &[usize]) -> Vec<usize> {
        let mut seen: FxHashMap<usize, usize> = FxHashMap::default();
        seen.insert(self.of[first], 1);
        let mut others: Vec<(Reverse<bool>, usize, usize)> = Vec::new();
        for &i in &self.rare_first {
            let is_broken = broken.contains(&i);
            let wanted = is_broken || self.of[i] == self.of[first];
            if !wanted || i == first || chosen.contains(&i) {
                continue;
            }
            let before = seen.entry(self.of[i]).or_default();
            others.push((Reverse(is_broken), *before, i));
            *before += usize::from(is_broken);
        }
        others.sort_by_key(|&(is_broken, before, _)| (is_broken, before));
        let more = (chosen.len() / 2).saturating_sub(1);
        [first].into_iter().chain(others.into_iter().map(|(.., i)| i).take(more)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Outcome, SolverOptions, synthesize};
    use std::fmt::Write;
    use tsl_synth_core::model::{Silent, Verdict};
    use tsl_synth_core::source::SourceMap;
    use tsl_synth_lang::spec::load_ltl;

    fn outcome(text: &str, inputs: &[String], outputs: &[String]) -> Outcome {
        let mut map = SourceMap::new();
        let source = map.add("family.ltl", text.to_owned());
        let (mut problem, _) = load_ltl(&[source], inputs, outputs, &map).expect("well-formed");
        let options =
            SolverOptions { threads: 1, minimize: false, friendly: false, ..SolverOptions::default() };
        synthesize(&mut problem, &options, &Silent).expect("a certified answer")
    }

    fn names(prefix: &str, n: usize) -> Vec<String> {
        (0..n).map(|i| format!("{prefix}{i}")).collect()
    }

    /// How many parts of the contract were decided, which must be unrealizable.
    fn parts_of_unrealizable(text: &str, inputs: &[String], outputs: &[String]) -> usize {
        let outcome = outcome(text, inputs, outputs);
        assert!(matches!(outcome.verdict, Verdict::Unrealizable(..)), "{:?}", outcome.statistics.log);
        outcome.statistics.log.iter().filter(|line| line.contains("engine: decided with")).count()
    }

    /// A mutual exclusion for each pair, a response for each client, and one clause that spoils it, at any place.
    #[test]
    fn one_clause_that_spoils_many_is_found_soon() {
        for n in [6, 9, 12] {
            for last in [true, false] {
                let mut text = String::from("guarantee {\n");
                let spoils = format!("G (r{} -> G !g{});\n", n / 2, n - 2);
                if !last {
                    text += &spoils;
                }
                for i in 0..n {
                    writeln!(text, "G (r{i} -> F g{i});").expect("text");
                }
                for i in 0..n {
                    for j in 0..i {
                        writeln!(text, "G !(g{i} & g{j});").expect("text");
                    }
                }
                if last {
                    text += &spoils;
                }
                text.push('}');
                let parts = parts_of_unrealizable(&text, &names("r", n), &names("g", n));
                assert!(parts <= 10, "{parts} parts for {n} clients");
            }
        }
    }

    /// All clauses of a shape are needed, and assumptions that no finite play violates.
    #[test]
    fn clauses_that_are_all_needed_join_in_few_steps() {
        for n in [4, 8, 12] {
            let mut text = String::from("assume {\n");
            for i in 0..n {
                writeln!(text, "G F !busy{i};").expect("text");
            }
            writeln!(text, "}}\nguarantee {{\nG (job -> {});", names("g", n).join(" | ")).expect("text");
            for i in 0..n {
                writeln!(text, "G (busy{i} -> !g{i});").expect("text");
            }
            text.push('}');
            let inputs = [&["job".to_owned()][..], &names("busy", n)].concat();
            let parts = parts_of_unrealizable(&text, &inputs, &names("g", n));
            assert!(parts <= 14, "{parts} parts for {n} servers");
        }
    }
}
