//! A small LTL problem with its formulas, and a reader for formulas in LTL syntax.

use std::collections::HashMap;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{
    Alphabet, AtomId, AtomKind, BitId, Cube, FormulaId, Formulas, Guard, Guards, Letter, Node, Player,
};
use tsl_synth_core::model::{Contract, Role};
use tsl_synth_lang::spec::{AtomMeaning, Clause, Language, Problem, Signature, Wordings};

/// Formulas, atoms and a contract that belong together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instance {
    pub(crate) formulas: Formulas,
    pub(crate) alphabet: Alphabet,
    pub(crate) contract: Contract,
    names: HashMap<String, AtomId>,
}

impl Instance {
    /// Boolean inputs and outputs with these names, separated by blanks.
    pub(crate) fn new(inputs: &str, outputs: &str) -> Self {
        let mut this = Self::default();
        for name in inputs.split_whitespace() {
            let atom = this.alphabet.add_input(name);
            this.names.insert(name.into(), atom);
        }
        for name in outputs.split_whitespace() {
            let atom = this.alphabet.add_output(name);
            this.names.insert(name.into(), atom);
        }
        this
    }
    /// Adds a cell; its updates are named after its options.
    pub(crate) fn with_cell(mut self, name: &str, options: &str) -> Self {
        let options: Vec<&str> = options.split_whitespace().collect();
        let cell = self.alphabet.add_cell(name, options.iter().copied());
        for (name, &atom) in options.iter().zip(&self.alphabet.cells()[cell].options) {
            self.names.insert((*name).into(), atom);
        }
        self
    }
    pub(crate) fn with_fact(mut self, text: &str) -> Self {
        let f = self.read(text);
        self.contract.facts.push(f);
        self
    }
    pub(crate) fn with_restriction(mut self, text: &str) -> Self {
        let f = self.read(text);
        self.contract.restrictions.push(f);
        self
    }
    pub(crate) fn with_assumption(mut self, text: &str) -> Self {
        let f = self.read(text);
        self.contract.assumptions.push(f);
        self
    }
    pub(crate) fn with_guarantee(mut self, text: &str) -> Self {
        let f = self.read(text);
        self.contract.guarantees.push(f);
        self
    }
    /// The formulas, alphabet and contract of a problem, with more facts.
    pub(crate) fn of(problem: &Problem, more_facts: &[Clause]) -> Self {
        let mut contract = problem.contract();
        contract.facts.extend(more_facts.iter().map(|clause| clause.formula));
        let atoms = problem.alphabet.atoms();
        Self {
            formulas: problem.formulas.clone(),
            alphabet: problem.alphabet.clone(),
            contract,
            names: atoms.enumerate().map(|(id, atom)| (atom.name.clone(), id)).collect(),
        }
    }
    /// The problem of this instance, which must have no cells, because their updates have no terms.
    pub(crate) fn problem(&self) -> Problem {
        let clause = |role| {
            let of = self.contract.of(role).iter();
            of.map(move |&formula| Clause { role, formula, span: None, constraint: None })
        };
        let roles = [Role::Fact, Role::Restriction, Role::Assumption, Role::Guarantee];
        let signature = Signature {
            atoms: self.alphabet.atoms().ids().map(|_| AtomMeaning::Proposition).collect(),
            ..Signature::default()
        };
        Problem {
            name: "test".into(),
            language: Language::Ltl,
            formulas: self.formulas.clone(),
            alphabet: self.alphabet.clone(),
            clauses: roles.into_iter().flat_map(clause).collect(),
            signature,
            rewritten: false,
            restricted: None,
            invariants: Vec::new(),
            wordings: Wordings::default(),
            answers_first: false,
            finite: false,
            target: tsl_synth_lang::spec::Target::Mealy,
        }
    }
    /// The dual game (players exchanged), for an instance without cells: its controllers are the counter-strategies of
    /// this one. The new system must not see the present step of the new environment, whose letters are therefore
    /// delayed by one step.
    pub(crate) fn dual(&self) -> Self {
        let mut dual = Self { formulas: self.formulas.clone(), ..Self::default() };
        let objective = self.contract.formula(&mut dual.formulas);
        let atoms = self.alphabet.atoms();
        let exchanged: Vec<AtomId> = atoms
            .iter()
            .map(|atom| match atom.kind {
                AtomKind::Input(_) => dual.alphabet.add_output(atom.name.as_str()),
                _ => dual.alphabet.add_input(atom.name.as_str()),
            })
            .collect();
        let mut done: HashMap<FormulaId, FormulaId> = HashMap::new();
        for f in dual.formulas.subformulas(&[objective]) {
            let node = dual.formulas.node(f).clone();
            let translated = if let Node::Atom(atom) = node {
                let new = dual.formulas.atom(exchanged[atom.index()]);
                if self.alphabet.player(atom) == Player::System { dual.formulas.next(new) } else { new }
            } else {
                let mut operands = Vec::new();
                node.for_each_operand(|g| operands.push(done[&g]));
                dual.formulas.rebuild(&node, &operands)
            };
            done.insert(f, translated);
        }
        let guarantee = dual.formulas.not(done[&objective]);
        dual.contract.guarantees.push(guarantee);
        dual
    }
    /// The letter in which exactly these atoms (and codes of updates) are chosen.
    pub(crate) fn letter(&self, names: &str) -> Letter {
        let mut letter = Letter::new();
        for name in names.split_whitespace() {
            self.alphabet.choose(self.names[name], &mut letter);
        }
        letter
    }
    /// The bit of a Boolean atom.
    pub(crate) fn bit(&self, name: &str) -> BitId {
        self.letter(name).iter().next().expect("a Boolean atom")
    }
    /// The guard of a cube, written `a !b`.
    pub(crate) fn cube(&self, guards: &mut Guards, text: &str) -> Guard {
        let literal = |word: &str| match word.strip_prefix('!') {
            Some(name) => (self.bit(name), false),
            None => (self.bit(word), true),
        };
        let cube: Cube = text.split_whitespace().map(literal).collect();
        guards.cube(&cube)
    }
    /// A formula in LTL syntax: `! X F G`, `U R W M` (right), `&`, `|`, `-> <->` (right).
    pub(crate) fn read(&mut self, text: &str) -> FormulaId {
        let spaced = text.replace("<->", " = ").replace("->", " > ");
        let mut tokens = Vec::new();
        let mut word = String::new();
        for c in spaced.chars().chain([' ']) {
            if c.is_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            if !word.is_empty() {
                tokens.push(std::mem::take(&mut word));
            }
            if !c.is_whitespace() {
                tokens.push(c.into());
            }
        }
        let mut reader = Reader { tokens, at: 0, names: &self.names, formulas: &mut self.formulas };
        let f = reader.binary(1);
        assert_eq!(reader.at, reader.tokens.len(), "read {text} to its end");
        f
    }
    /// The whole instance as text, for messages.
    pub(crate) fn show(&self) -> String {
        let names = |atoms: &mut dyn Iterator<Item = AtomId>| {
            atoms.map(|a| self.alphabet.atoms()[a].name.as_str()).collect::<Vec<_>>().join(" ")
        };
        let mut text = format!(
            "inputs: {}; outputs: {}",
            names(&mut self.alphabet.inputs()),
            names(&mut self.alphabet.outputs())
        );
        for cell in self.alphabet.cells() {
            text.extend(["; cell ", &cell.name, ": ", &names(&mut cell.options.iter().copied())]);
        }
        for (role, clauses) in [
            ("fact", &self.contract.facts),
            ("restriction", &self.contract.restrictions),
            ("assumption", &self.contract.assumptions),
            ("guarantee", &self.contract.guarantees),
        ] {
            for &f in clauses {
                text.extend(["\n", role, ": ", &self.formulas.display(f, &self.alphabet)]);
            }
        }
        text
    }
    /// All letters, every cell canonically coded.
    pub(crate) fn letters(&self) -> Vec<Letter> {
        let bits = self.alphabet.bit_count();
        assert!(bits <= 12, "an alphabet for enumeration");
        let all = (0..1usize << bits)
            .map(|code| (0..bits).filter(|i| code >> i & 1 == 1).map(BitId::from_index).collect::<Letter>());
        all.filter(|letter| self.alphabet.canonical(letter) == *letter).collect()
    }
}

struct Reader<'a> {
    tokens: Vec<String>,
    at: usize,
    names: &'a HashMap<String, AtomId>,
    formulas: &'a mut Formulas,
}

impl Reader<'_> {
    fn take(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }
    fn binary(&mut self, least: u8) -> FormulaId {
        let mut left = self.unary();
        while let Some(operator) = self.tokens.get(self.at).cloned() {
            let (level, right_level) = match operator.as_str() {
                ">" | "=" => (1, 1),
                "|" => (2, 3),
                "&" => (3, 4),
                "U" | "R" | "W" | "M" => (4, 4),
                _ => break,
            };
            if level < least {
                break;
            }
            self.at += 1;
            let right = self.binary(right_level);
            let fs = &mut *self.formulas;
            left = match operator.as_str() {
                ">" => fs.implies(left, right),
                "=" => fs.iff(left, right),
                "|" => fs.or([left, right]),
                "&" => fs.and([left, right]),
                "U" => fs.until(left, right),
                "R" => fs.release(left, right),
                "W" => fs.weak_until(left, right),
                _ => fs.strong_release(left, right),
            };
        }
        left
    }
    fn unary(&mut self) -> FormulaId {
        match self.take().as_str() {
            "(" => {
                let f = self.binary(1);
                assert_eq!(self.take(), ")");
                f
            }
            "!" => {
                let f = self.unary();
                self.formulas.not(f)
            }
            "X" => {
                let f = self.unary();
                self.formulas.next(f)
            }
            "F" => {
                let f = self.unary();
                self.formulas.finally(f)
            }
            "G" => {
                let f = self.unary();
                self.formulas.globally(f)
            }
            "1" => self.formulas.top(),
            "0" => self.formulas.bottom(),
            name => {
                let atom = *self.names.get(name).unwrap_or_else(|| panic!("no atom {name}"));
                self.formulas.atom(atom)
            }
        }
    }
}
