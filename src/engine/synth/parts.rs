//! Decomposes a contract into a conjunction of contracts over disjoint outputs, which are decided separately.
//!
//! F → (R ∧ (A → G)) is the conjunction of F → r for all restrictions r and of F ∧ A → g for all guarantees g. All read
//! the same inputs, so those that share no output are decided independently: the parallel composition of their
//! controllers is a controller for the whole, and a counter-strategy against one of them is a counter-strategy against
//! the whole (Finkbeiner, Geier and Passing, "Specification decomposition for reactive synthesis", NFM 2021, section
//! 4).
//!
//! If premises mention outputs, all conjuncts share these. A part may then have only the premises over its own outputs
//! and those without outputs: this is a stronger contract, so controllers are still correct, but a counter-strategy is
//! valid only if it satisfies the other premises, too (it may not, as the system may win because of premises about its
//! outputs).
//!
//! A clause without outputs, such as `F inside` or `F count = 3`, is a duty of the outputs that premises relate to its
//! inputs: it belongs to the part with these premises. A clause with outputs that only reads such an input leaves it to
//! the other part; if its part is then lost, [`related`] says which outputs it may need.

use std::collections::BTreeMap;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, FormulaId, Formulas, Node, Player};
use tsl_synth_core::model::Contract;

/// One contract of a decomposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ContractPart {
    pub(super) contract: Contract,
    /// For each of its guarantees, the guarantee of the whole contract that it comes from.
    pub(super) origins: Vec<usize>,
    /// The output bits that its controller determines.
    pub(super) outputs: Vec<BitId>,
}

/// A contract decomposed into parts.
#[derive(Clone, Debug)]
pub(super) struct Decomposed {
    pub(super) parts: Vec<ContractPart>,
    /// Whether a counter-strategy against one part is always one against the whole.
    pub(super) exact: bool,
}

/// Further outputs that a conjunct of a restriction or guarantee belongs to.
pub(super) type MoreOutputs = BTreeMap<FormulaId, Vec<BitId>>;

/// Decomposes a contract into as many parts as possible, in the order of their first outputs; one if it cannot be
/// decomposed. Nearly linear in the sizes of the clauses.
pub(super) fn parts(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    contract: &Contract,
    more: &MoreOutputs,
) -> Decomposed {
    let mut splitter = Splitter::new(alphabet);
    let duty = |f: FormulaId, formulas: &mut Formulas| {
        let fine = conjuncts(formulas, f);
        let outputs = |f: FormulaId| {
            let mut bits = splitter.outputs(formulas, f);
            bits.extend(more.get(&f).into_iter().flatten());
            bits
        };
        fine.into_iter().map(|f| (f, outputs(f))).collect::<Vec<_>>()
    };
    let mut restrictions: Vec<_> = contract.restrictions.iter().flat_map(|&f| duty(f, formulas)).collect();
    let mut guarantees: Vec<_> = (contract.guarantees.iter().enumerate())
        .flat_map(|(origin, &f)| duty(f, formulas).into_iter().map(move |(f, bits)| (f, bits, origin)))
        .collect();
    let of_premises = |premises: &[FormulaId]| -> Vec<Vec<BitId>> {
        premises.iter().map(|&f| splitter.outputs(formulas, f)).collect()
    };
    let (facts, assumptions) = (of_premises(&contract.facts), of_premises(&contract.assumptions));
    let all = restrictions.iter().map(|(_, bits)| bits).chain(guarantees.iter().map(|(_, bits, _)| bits));
    all.for_each(|bits| splitter.join(bits));
    let loose = splitter.clone();

    let fact_bits = facts.concat();
    let premise_bits = [fact_bits.clone(), assumptions.concat()].concat();
    for (_, bits) in &restrictions {
        splitter.join(&[&bits[..], &fact_bits].concat());
    }
    for (_, bits, _) in &guarantees {
        splitter.join(&[&bits[..], &premise_bits].concat());
    }
    let all = restrictions.iter().map(|(_, bits)| bits).chain(guarantees.iter().map(|(_, bits, _)| bits));
    let exact = premise_bits.is_empty() || splitter.groups(all.filter(|bits| !bits.is_empty())) > 1;
    if !exact {
        splitter = loose;
        facts.iter().chain(&assumptions).for_each(|bits| splitter.join(bits));
        let related = Related::new(&splitter, formulas, contract);
        let of_restrictions = restrictions.iter_mut().map(|(f, bits)| (*f, bits));
        for (f, bits) in of_restrictions.chain(guarantees.iter_mut().map(|(f, bits, _)| (*f, bits))) {
            if bits.is_empty() {
                *bits = related.outputs(formulas, f);
                splitter.join(bits);
            }
        }
    }

    let mut parts: BTreeMap<Option<BitId>, ContractPart> = BTreeMap::new();
    let empty = |group: Option<BitId>| {
        let outputs = alphabet.bits_of(Player::System);
        let own = |bits: &Vec<BitId>| exact || bits.is_empty() || splitter.group(bits) == group;
        let kept = |premises: &[FormulaId], outputs: &[Vec<BitId>]| {
            premises.iter().zip(outputs).filter(|(_, bits)| own(bits)).map(|(&f, _)| f).collect()
        };
        ContractPart {
            contract: Contract {
                facts: kept(&contract.facts, &facts),
                assumptions: kept(&contract.assumptions, &assumptions),
                ..Contract::default()
            },
            origins: Vec::new(),
            outputs: outputs.filter(|&bit| Some(splitter.find(bit)) == group).collect(),
        }
    };
    // If premises mention outputs, a clause without outputs belongs to the part with the outputs of the premises.
    let group = |bits: &[BitId], premises: &[BitId]| {
        splitter.group(bits).or_else(|| if exact { splitter.group(premises) } else { None })
    };
    for (f, bits) in &restrictions {
        let group = group(bits, &fact_bits);
        parts.entry(group).or_insert_with(|| empty(group)).contract.restrictions.push(*f);
    }
    for (f, bits, origin) in &guarantees {
        let group = group(bits, &premise_bits);
        let part = parts.entry(group).or_insert_with(|| empty(group));
        part.contract.guarantees.push(*f);
        part.origins.push(*origin);
    }
    Decomposed { parts: parts.into_values().collect(), exact }
}

/// The outputs of a part, and those that premises which the part lacks relate to inputs of the part; `None` if it lacks
/// no such premise.
pub(super) fn related(
    formulas: &Formulas,
    alphabet: &Alphabet,
    whole: &Contract,
    part: &ContractPart,
) -> Option<Vec<BitId>> {
    let splitter = Splitter::new(alphabet);
    let Contract { facts, restrictions, assumptions, guarantees } = &part.contract;
    let lacking = |all: &[FormulaId], own: &[FormulaId]| {
        all.iter().copied().filter(|f| !own.contains(f)).collect::<Vec<FormulaId>>()
    };
    let lacking = Contract {
        facts: lacking(&whole.facts, facts),
        assumptions: lacking(&whole.assumptions, assumptions),
        ..Contract::default()
    };
    let related = Related::new(&splitter, formulas, &lacking);
    let clauses = [facts, restrictions, assumptions, guarantees].into_iter().flatten();
    let mut outputs: Vec<BitId> = clauses.flat_map(|&f| related.outputs(formulas, f)).collect();
    outputs.sort_unstable();
    outputs.dedup();
    if outputs.is_empty() {
        return None;
    }
    outputs.extend(&part.outputs);
    Some(outputs)
}

/// For each input atom, outputs that premises relate to it.
struct Related(BTreeMap<AtomId, Vec<BitId>>);

impl Related {
    fn new(splitter: &Splitter<'_>, formulas: &Formulas, contract: &Contract) -> Self {
        let mut related: BTreeMap<AtomId, Vec<BitId>> = BTreeMap::new();
        for &premise in contract.facts.iter().chain(&contract.assumptions) {
            // The outputs of one premise are in one group.
            let Some(&output) = splitter.outputs(formulas, premise).first() else { continue };
            for atom in splitter.inputs(formulas, premise) {
                related.entry(atom).or_default().push(output);
            }
        }
        for outputs in related.values_mut() {
            outputs.sort_unstable();
            outputs.dedup();
        }
        Self(related)
    }

    /// The outputs that are related to the inputs of a clause.
    fn outputs(&self, formulas: &Formulas, f: FormulaId) -> Vec<BitId> {
        let mut outputs: Vec<BitId> =
            formulas.support(&[f]).iter().filter_map(|atom| self.0.get(&atom)).flatten().copied().collect();
        outputs.sort_unstable();
        outputs.dedup();
        outputs
    }
}

/// The conjuncts of a clause, including those below G.
fn conjuncts(formulas: &mut Formulas, f: FormulaId) -> Vec<FormulaId> {
    let mut found = Vec::new();
    let mut open = vec![f];
    while let Some(f) = open.pop() {
        match *formulas.node(f) {
            Node::And(ref fs) => open.extend(fs),
            Node::Globally(g) => match formulas.node(g) {
                Node::And(gs) => {
                    for g in gs.clone() {
                        let g = formulas.globally(g);
                        open.push(g);
                    }
                }
                _ => found.push(f),
            },
            _ => found.push(f),
        }
    }
    found.reverse();
    found
}

/// A partition of the outputs (union-find); each group is represented by its first bit.
#[derive(Clone)]
struct Splitter<'a> {
    alphabet: &'a Alphabet,
    leader: IdVec<BitId, BitId>,
}

impl<'a> Splitter<'a> {
    /// Each cell and each Boolean output by itself.
    fn new(alphabet: &'a Alphabet) -> Self {
        let mut splitter =
            Self { alphabet, leader: (0..alphabet.bit_count()).map(BitId::from_index).collect() };
        for cell in alphabet.cells() {
            splitter.join(&cell.bits);
        }
        splitter
    }
    fn inputs(&self, formulas: &Formulas, f: FormulaId) -> Vec<AtomId> {
        let is_input = |atom: &AtomId| matches!(self.alphabet.atoms()[*atom].kind, AtomKind::Input(_));
        formulas.support(&[f]).iter().filter(is_input).collect()
    }
    fn outputs(&self, formulas: &Formulas, f: FormulaId) -> Vec<BitId> {
        let bits = |kind: AtomKind| match kind {
            AtomKind::Input(_) => Vec::new(),
            AtomKind::Output(bit) => vec![bit],
            AtomKind::Update(cell, _) => self.alphabet.cells()[cell].bits.clone(),
        };
        let mut all: Vec<BitId> =
            formulas.support(&[f]).iter().flat_map(|atom| bits(self.alphabet.atoms()[atom].kind)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
    fn find(&self, mut bit: BitId) -> BitId {
        while self.leader[bit] != bit {
            bit = self.leader[bit];
        }
        bit
    }
    fn join(&mut self, bits: &[BitId]) {
        let Some((&first, rest)) = bits.split_first() else { return };
        for &bit in rest {
            let (a, b) = (self.find(first), self.find(bit));
            self.leader[a.max(b)] = a.min(b);
            self.leader[bit] = a.min(b);
        }
    }
    /// The group of a set of joined bits.
    fn group(&self, bits: &[BitId]) -> Option<BitId> {
        bits.first().map(|&bit| self.find(bit))
    }
    fn groups<'b>(&self, sets: impl Iterator<Item = &'b Vec<BitId>>) -> usize {
        let mut groups: Vec<Option<BitId>> = sets.map(|bits| self.group(bits)).collect();
        groups.sort_unstable();
        groups.dedup();
        groups.len()
    }
}
