//! Sets of values of signals with finitely many values, in the place of conditions on the bits that encode them:
//! `target = 3`, `a in {1, 3..7}`, `mode != idle`.

use super::problem::{Language, Problem};
use super::signature::{EnumeratedSignal, Sort};
use tsl_synth_core::logic::AtomId;
use tsl_synth_core::logic::Cube;
use tsl_synth_core::logic::atoms::atom_of;

/// A signal with finitely many values.
#[derive(Clone, Debug)]
struct ValuedSignal {
    signal: EnumeratedSignal,
    /// Whether the values are numbers in order.
    is_range: bool,
}

/// Values of one signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSet {
    signal: usize,
    /// For each value, whether it is in the set.
    holds: Vec<bool>,
}

impl ValueSet {
    /// Whether some value is in the set.
    pub fn is_possible(&self) -> bool {
        self.holds.contains(&true)
    }
}

/// Literals as sets of values, with the literals that say nothing about such a signal.
type Told = (Vec<ValueSet>, Vec<(AtomId, bool)>);

/// The signals of a problem with finitely many values.
#[derive(Clone, Debug, Default)]
pub struct ValueSets {
    signals: Vec<ValuedSignal>,
    /// How a value is compared.
    equal: &'static str,
}

/// Longer disjunctions are left as they are.
const MOST_JOINED: usize = 64;
/// Sets with more pieces are not listed.
const MOST_PIECES: usize = 8;

impl ValueSets {
    /// The signals of finite sorts whose values atoms encode, and those of the enumerations of TLSF.
    pub fn new(problem: &Problem) -> Self {
        let signature = &problem.signature;
        let encoded = signature.encoded.iter().zip(problem.alphabet.encoded()).map(|(&symbol, signal)| {
            let code = |index: usize| signal.literals(index).map(|(_, value)| Some(value)).collect();
            let values = signal.values.iter().enumerate();
            ValuedSignal {
                signal: EnumeratedSignal {
                    name: signal.name.clone(),
                    atoms: signal.atoms.clone(),
                    values: values.map(|(index, value)| (value.clone(), vec![code(index)])).collect(),
                },
                is_range: matches!(signature.symbols[symbol].sort, Sort::Range(..)),
            }
        });
        let enumerated = signature.enumerated.iter();
        let enumerated = enumerated.map(|signal| ValuedSignal { signal: signal.clone(), is_range: false });
        let equal = if problem.language == Language::Tlsf { "==" } else { "=" };
        Self { signals: encoded.chain(enumerated).collect(), equal }
    }

    /// Whether there is no such signal.
    pub fn is_empty(&self) -> bool {
        self.signals.is_empty()
    }

    /// The sets of values for which these literals hold. A literal that splits the codes of a value is left.
    pub fn told(&self, literals: &[(AtomId, bool)]) -> Told {
        let mut sets = Vec::new();
        let mut rest = literals.to_vec();
        for (index, ValuedSignal { signal, .. }) in self.signals.iter().enumerate() {
            let place = |atom: AtomId| signal.atoms.iter().position(|own| *own == atom);
            let own: Vec<(usize, bool)> =
                rest.iter().filter_map(|&(atom, value)| Some((place(atom)?, value))).collect();
            if own.is_empty() {
                continue;
            }
            let may = |code: &Vec<Option<bool>>| own.iter().all(|&(i, value)| code[i] != Some(!value));
            let must = |code: &Vec<Option<bool>>| own.iter().all(|&(i, value)| code[i] == Some(value));
            let holds: Vec<bool> = signal.values.iter().map(|(_, codes)| codes.iter().any(may)).collect();
            let is_exact =
                signal.values.iter().zip(&holds).all(|((_, codes), holds)| !holds || codes.iter().all(must));
            let set = ValueSet { signal: index, holds };
            if is_exact && self.text(&set).is_some() {
                rest.retain(|&(atom, _)| place(atom).is_none());
                sets.push(set);
            }
        }
        (sets, rest)
    }

    /// A set as a condition; `None` if it would be too long.
    pub fn text(&self, set: &ValueSet) -> Option<String> {
        let ValuedSignal { signal, is_range } = &self.signals[set.signal];
        let (name, values, holds) = (&signal.name, &signal.values, &set.holds);
        let count = holds.iter().filter(|&&holds| holds).count();
        let at = |wanted: bool| holds.iter().position(|&holds| holds == wanted);
        let value = |index: usize| values[index].0.as_str();
        if count == 1 {
            return Some(format!("{name} {} {}", self.equal, value(at(true)?)));
        }
        if count == values.len() {
            return Some("true".into());
        }
        let Some(first) = at(true) else { return Some("false".into()) };
        let out = at(false)?;
        let is_interval = holds.windows(2).filter(|pair| pair[0] != pair[1]).count() == 1;
        if *is_range && is_interval {
            return Some(match first {
                0 if out + 1 == values.len() => format!("{name} < {}", value(out)),
                0 => format!("{name} <= {}", value(out - 1)),
                1 => format!("{name} > {}", value(0)),
                first => format!("{name} >= {}", value(first)),
            });
        }
        if count + 1 == values.len() {
            return Some(format!("{name} != {}", value(out)));
        }
        let mut pieces: Vec<String> = Vec::new();
        let mut index = 0;
        while index < values.len() {
            if !holds[index] {
                index += 1;
                continue;
            }
            let end = (index..values.len()).find(|&i| !holds[i]).unwrap_or(values.len());
            if *is_range && end - index > 2 {
                pieces.push(format!("{}..{}", value(index), value(end - 1)));
            } else {
                pieces.extend((index..end).map(|i| value(i).to_owned()));
            }
            index = end;
        }
        (pieces.len() <= MOST_PIECES).then(|| format!("{name} in {{{}}}", pieces.join(", ")))
    }

    /// Texts for literals: first those about the values of signals, then the others, each written by `literal`.
    pub fn texts(
        &self,
        literals: &[(AtomId, bool)],
        literal: &dyn Fn(AtomId, bool) -> String,
    ) -> Vec<String> {
        let (sets, rest) = self.told(literals);
        let sets = sets.iter().filter_map(|set| self.text(set)).filter(|text| text != "true");
        sets.chain(rest.into_iter().map(|(atom, value)| literal(atom, value))).collect()
    }

    /// A disjunction of cubes as text, `a = 1 & b | !b`: cubes that differ in one set of values are joined. `0` and `1` are
    /// the constants, as of [`formula`](tsl_synth_core::logic::cover::formula).
    pub fn condition(&self, cubes: &[Cube], literal: &dyn Fn(AtomId, bool) -> String) -> String {
        let mut products: Vec<Told> = Vec::new();
        for cube in cubes {
            let literals: Vec<(AtomId, bool)> =
                cube.iter().map(|&(bit, value)| (atom_of(bit), value)).collect();
            let told = self.told(&literals);
            if told.0.iter().all(ValueSet::is_possible) {
                products.push(told);
            }
        }
        while products.len() <= MOST_JOINED
            && let Some((i, j, joined)) = self.joinable(&products)
        {
            products.remove(j);
            products[i] = joined;
        }
        if products.is_empty() {
            return "0".into();
        }
        let product = |(sets, rest): &Told| {
            let sets = sets.iter().filter_map(|set| self.text(set)).filter(|text| text != "true");
            let texts: Vec<String> =
                sets.chain(rest.iter().map(|&(atom, value)| literal(atom, value))).collect();
            if texts.is_empty() { "1".to_owned() } else { texts.join(" & ") }
        };
        let texts: Vec<String> = products.iter().map(product).collect();
        if texts.iter().any(|text| text == "1") { "1".into() } else { texts.join(" | ") }
    }

    /// Two products that are one, because they differ in the values of one signal only.
    fn joinable(&self, products: &[Told]) -> Option<(usize, usize, Told)> {
        if self.signals.is_empty() {
            return None;
        }
        for (j, second) in products.iter().enumerate() {
            for (i, first) in products[..j].iter().enumerate() {
                if first.1 != second.1 || first.0.len() != second.0.len() {
                    continue;
                }
                let different: Vec<usize> =
                    (0..first.0.len()).filter(|&k| first.0[k] != second.0[k]).collect();
                let mut joined = first.clone();
                match different[..] {
                    [] => {}
                    [k] if first.0[k].signal == second.0[k].signal => {
                        for (own, other) in joined.0[k].holds.iter_mut().zip(&second.0[k].holds) {
                            *own |= other;
                        }
                        if self.text(&joined.0[k]).is_none() {
                            continue;
                        }
                    }
                    _ => continue,
                }
                return Some((i, j, joined));
            }
        }
        None
    }
}
