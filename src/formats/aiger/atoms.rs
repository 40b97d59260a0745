//! Converts between AIGER files and circuits over an alphabet. A file has one signal per atom, with the atom's name;
//! every update of a cell is an output, and exactly one of the updates of a cell is true in every step. Our circuits
//! have one signal per bit. Signals are matched by name, in any order.

use super::{Aiger, AigerError};
use rustc_hash::FxHashMap;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, CellId, Player};
use tsl_synth_core::model::{Circuit, CircuitBuilder, Literal};

/// The strategy in a file, over the bits of an alphabet.
#[derive(Clone, Debug)]
pub struct AigerStrategy {
    /// The player whose strategy it is: the outputs are the atoms of this player.
    pub owner: Player,
    /// The strategy, on bits. The last [`Self::open`] inputs are none of the alphabet.
    pub circuit: Circuit,
    /// One output per cell of a controller: it is true iff exactly one update of the cell is chosen.
    pub proper: Circuit,
    /// How many further inputs choose the outputs of the system that the file does not name.
    pub open: usize,
}

/// A strategy of `owner` as a file with one input or output per atom.
pub fn aiger_of_strategy(alphabet: &Alphabet, circuit: &Circuit, owner: Player, comment: &str) -> Aiger {
    let (read, given) = (atoms_of(alphabet, owner.opponent()), atoms_of(alphabet, owner));
    let mut builder = CircuitBuilder::new(read.len());
    let literals: FxHashMap<AtomId, Literal> =
        read.iter().enumerate().map(|(i, &atom)| (atom, builder.input(i))).collect();
    let inputs = bits(alphabet, owner.opponent(), &mut builder, &literals);
    let outputs = builder.import(circuit, &inputs);
    let outputs: FxHashMap<BitId, Literal> = alphabet.bits_of(owner).zip(outputs).collect();
    for &atom in &given {
        let literal = match alphabet.atoms()[atom].kind {
            AtomKind::Input(bit) | AtomKind::Output(bit) => outputs[&bit],
            AtomKind::Update(cell, index) => {
                let cell = &alphabet.cells()[cell];
                let code: Vec<Literal> = cell.bits.iter().map(|bit| outputs[bit]).collect();
                option(&mut builder, &code, index as usize, cell.options.len())
            }
        };
        builder.add_output(literal);
    }
    let names = |atoms: &[AtomId]| atoms.iter().map(|&a| Some(alphabet.atoms()[a].name.clone())).collect();
    Aiger {
        circuit: builder.finish(),
        inputs: names(&read),
        outputs: names(&given),
        comment: comment.to_string(),
    }
}

fn atoms_of(alphabet: &Alphabet, player: Player) -> Vec<AtomId> {
    alphabet.atoms().ids().filter(|&atom| alphabet.player(atom) == player).collect()
}

/// Whether a code stands for the option with this index; codes past the last option stand for the last one.
fn option(builder: &mut CircuitBuilder, code: &[Literal], index: usize, options: usize) -> Literal {
    let equal = |builder: &mut CircuitBuilder, index: usize| {
        builder.and_all(code.iter().enumerate().map(|(i, &bit)| bit.negated_if(index >> i & 1 == 0)))
    };
    if index + 1 < options {
        return equal(builder, index);
    }
    // code ≥ last, from the least significant bit: at each bit the comparison so far decides a tie.
    code.iter().enumerate().fold(Literal::TRUE, |at_least, (i, &bit)| {
        if index >> i & 1 == 1 { builder.and(bit, at_least) } else { builder.or(bit, at_least) }
    })
}

/// The bits of a player from literals of its atoms, assuming that exactly one update of each cell is true.
fn bits(
    alphabet: &Alphabet,
    player: Player,
    builder: &mut CircuitBuilder,
    literals: &FxHashMap<AtomId, Literal>,
) -> Vec<Literal> {
    let mut bits: FxHashMap<BitId, Literal> = FxHashMap::default();
    for atom in atoms_of(alphabet, player) {
        if let AtomKind::Input(bit) | AtomKind::Output(bit) = alphabet.atoms()[atom].kind {
            bits.insert(bit, literals[&atom]);
        }
    }
    for cell in alphabet.cells() {
        if player == Player::System {
            for (i, &bit) in cell.bits.iter().enumerate() {
                let set = cell.options.iter().enumerate().filter(|(index, _)| index >> i & 1 == 1);
                let set: Vec<Literal> = set.map(|(_, atom)| literals[atom]).collect();
                bits.insert(bit, builder.or_all(set));
            }
        }
    }
    alphabet.bits_of(player).map(|bit| bits[&bit]).collect()
}

/// The outputs that a file does not name: further inputs choose them.
struct OpenOutputs {
    /// Boolean outputs; each has one input.
    outputs: Vec<AtomId>,
    /// For each cell the updates that the file does not name; inputs are the binary digits of the chosen one.
    updates: Vec<(CellId, Vec<AtomId>)>,
}

impl OpenOutputs {
    fn new(alphabet: &Alphabet, missing: &[AtomId]) -> Self {
        let mut open = Self { outputs: Vec::new(), updates: Vec::new() };
        for &atom in missing {
            match alphabet.atoms()[atom].kind {
                AtomKind::Update(cell, _) => match open.updates.iter_mut().find(|(own, _)| *own == cell) {
                    Some((_, atoms)) => atoms.push(atom),
                    None => open.updates.push((cell, vec![atom])),
                },
                AtomKind::Input(_) | AtomKind::Output(_) => open.outputs.push(atom),
            }
        }
        open
    }

    /// How many inputs choose.
    fn inputs(&self) -> usize {
        let digits = self.updates.iter().map(|(_, atoms)| code_width(atoms.len()));
        self.outputs.len() + digits.sum::<usize>()
    }

    /// Defines the outputs by the last inputs of the builder, from `first` on; `literals` has those of the file.
    fn define(
        &self,
        alphabet: &Alphabet,
        first: usize,
        builder: &mut CircuitBuilder,
        literals: &mut FxHashMap<AtomId, Literal>,
    ) {
        let mut inputs = first..first + self.inputs();
        for (&atom, input) in self.outputs.iter().zip(&mut inputs) {
            literals.insert(atom, builder.input(input));
        }
        for (cell, missing) in &self.updates {
            let options = alphabet.cells()[*cell].options.iter();
            let named: Vec<Literal> = options.filter_map(|option| literals.get(option).copied()).collect();
            let none = !builder.or_all(named);
            let width = code_width(missing.len());
            let code: Vec<Literal> = inputs.by_ref().take(width).map(|input| builder.input(input)).collect();
            for (index, &atom) in missing.iter().enumerate() {
                let here = option(builder, &code, index, missing.len());
                literals.insert(atom, builder.and(none, here));
            }
        }
    }
}

/// How many bits number this many options.
fn code_width(options: usize) -> usize {
    options.next_power_of_two().ilog2() as usize
}

impl Aiger {
    /// The names of the inputs and then of the outputs, of those that have one.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.inputs.iter().chain(&self.outputs).flatten()
    }

    /// Gives the signals that have names other ones, in the order of [`Self::names`].
    pub fn rename(&mut self, names: Vec<String>) {
        let own = self.inputs.iter_mut().chain(&mut self.outputs).flatten();
        own.zip(names).for_each(|(own, name)| *own = name);
    }

    /// The strategy over an alphabet. Inputs that are not in the alphabet are allowed if nothing depends on them;
    /// inputs that are not in the file are not read. Outputs of the system that are not in the file are open: further
    /// inputs choose them. An update that is not in the file may be chosen only if none of the cell's updates in the
    /// file is.
    ///
    /// # Errors
    /// Signals without a name or with the same name, outputs that are not atoms of one player, missing inputs of a
    /// counter-strategy, and inputs with unknown names that the circuit reads.
    pub fn strategy(&self, alphabet: &Alphabet) -> Result<AigerStrategy, AigerError> {
        let whole = |message: String| AigerError { line: 0, message };
        let known: FxHashMap<&str, AtomId> =
            alphabet.atoms().enumerate().map(|(id, atom)| (atom.name.as_str(), id)).collect();
        let mut outputs: FxHashMap<AtomId, usize> = FxHashMap::default();
        let mut owner = None;
        for (i, name) in self.outputs.iter().enumerate() {
            let Some(name) = name else {
                return Err(whole(format!("output {i} has no name: there is no line `o{i} ...`")));
            };
            let Some(&atom) = known.get(name.as_str()) else {
                return Err(whole(format!("the output {name:?} is not an atom of the specification")));
            };
            let player = alphabet.player(atom);
            if *owner.get_or_insert(player) != player {
                let message =
                    "the outputs are atoms of both players: neither controller nor counter-strategy";
                return Err(whole(message.into()));
            }
            if outputs.insert(atom, i).is_some() {
                return Err(whole(format!("two outputs have the name {name:?}")));
            }
        }
        // A file without outputs is a counter-strategy if the system has atoms and the environment has none.
        let silent = alphabet.inputs().next().is_none() && !atoms_of(alphabet, Player::System).is_empty();
        let owner = owner.unwrap_or(if silent { Player::Environment } else { Player::System });
        let given = atoms_of(alphabet, owner);
        let missing: Vec<AtomId> = given.iter().copied().filter(|atom| !outputs.contains_key(atom)).collect();
        if owner == Player::Environment
            && let Some(&missing) = missing.first()
        {
            let name = &alphabet.atoms()[missing].name;
            return Err(whole(format!("there is no output {name:?}")));
        }
        let open = OpenOutputs::new(alphabet, &missing);
        let build = |proper: bool| -> Result<Circuit, AigerError> {
            let reads: Vec<BitId> = alphabet.bits_of(owner.opponent()).collect();
            let mut builder = CircuitBuilder::new(reads.len() + open.inputs());
            let inputs = self.inputs_over(alphabet, owner.opponent(), &known, &mut builder)?;
            let values = builder.import(&self.circuit, &inputs);
            let mut literals = outputs.iter().map(|(&atom, &i)| (atom, values[i])).collect();
            open.define(alphabet, reads.len(), &mut builder, &mut literals);
            if !proper {
                for bit in bits(alphabet, owner, &mut builder, &literals) {
                    builder.add_output(bit);
                }
            } else if owner == Player::System {
                for cell in alphabet.cells() {
                    let (mut some, mut two) = (Literal::FALSE, Literal::FALSE);
                    for option in &cell.options {
                        let again = builder.and(some, literals[option]);
                        two = builder.or(two, again);
                        some = builder.or(some, literals[option]);
                    }
                    let one = builder.and(some, !two);
                    builder.add_output(one);
                }
            }
            Ok(builder.finish())
        };
        Ok(AigerStrategy { owner, circuit: build(false)?, proper: build(true)?, open: open.inputs() })
    }

    /// The inputs of the file as functions of the bits that a builder reads.
    fn inputs_over(
        &self,
        alphabet: &Alphabet,
        reader: Player,
        known: &FxHashMap<&str, AtomId>,
        builder: &mut CircuitBuilder,
    ) -> Result<Vec<Literal>, AigerError> {
        let whole = |message: String| AigerError { line: 0, message };
        let places: FxHashMap<BitId, usize> =
            alphabet.bits_of(reader).enumerate().map(|(i, bit)| (bit, i)).collect();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut inputs = Vec::new();
        for (i, name) in self.inputs.iter().enumerate() {
            let atom = name.as_deref().and_then(|name| known.get(name).copied());
            let Some(atom) = atom.filter(|&atom| alphabet.player(atom) == reader) else {
                if self.depends_on(i) {
                    return Err(whole(match name {
                        None => format!("input {i} has no name: there is no line `i{i} ...`"),
                        Some(name) => format!("the input {name:?} is not one of the specification"),
                    }));
                }
                inputs.push(Literal::FALSE);
                continue;
            };
            if !seen.insert(atom) {
                return Err(whole(format!("two inputs have the name {:?}", alphabet.atoms()[atom].name)));
            }
            inputs.push(match alphabet.atoms()[atom].kind {
                AtomKind::Input(bit) | AtomKind::Output(bit) => builder.input(places[&bit]),
                AtomKind::Update(cell, index) => {
                    let cell = &alphabet.cells()[cell];
                    let code: Vec<Literal> = cell.bits.iter().map(|bit| builder.input(places[bit])).collect();
                    option(builder, &code, index as usize, cell.options.len())
                }
            });
        }
        Ok(inputs)
    }

    /// Whether a gate, a latch or an output reads an input.
    fn depends_on(&self, input: usize) -> bool {
        let variable = self.circuit.input(input).variable();
        let gates = self.circuit.gates.iter().flat_map(|&(a, b)| [a, b]);
        let latches = self.circuit.latches.iter().map(|latch| latch.next);
        gates.chain(latches).chain(self.circuit.outputs.iter().copied()).any(|l| l.variable() == variable)
    }
}
