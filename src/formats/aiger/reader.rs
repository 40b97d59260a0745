//! Reads AIGER into circuits. The counts in a header cause no allocation beyond the documented limits; in the ASCII
//! form gates may be in any order, as long as no gate depends on itself.

use super::{Aiger, AigerError};
use rustc_hash::FxHashMap;
use tsl_synth_core::model::{Circuit, Latch, Literal};

/// More variables than this are refused.
const VARIABLE_LIMIT: u32 = 1 << 26;
/// More inputs, outputs or latches than this are refused.
const PORT_LIMIT: u32 = 1 << 16;

/// Whether a text begins like an AIGER file, after a verdict line if there is one.
pub fn is_aiger(bytes: &[u8]) -> bool {
    let rest = &bytes[verdict_line(bytes).0..];
    rest.starts_with(b"aag ") || rest.starts_with(b"aig ")
}

/// The bytes and lines before the circuit: `ltlsynt --aiger` and Strix print the verdict (`REALIZABLE` or
/// `UNREALIZABLE`) on a line of its own before it. Without such a line only a byte order mark is passed over.
fn verdict_line(bytes: &[u8]) -> (usize, usize) {
    let mark = if bytes.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    let (mut at, mut lines) = (mark, 0);
    while let Some(length) = bytes[at..].iter().position(|&byte| byte == b'\n') {
        let line = bytes[at..at + length].trim_ascii();
        at += length + 1;
        lines += 1;
        match line {
            b"" => {}
            b"REALIZABLE" | b"UNREALIZABLE" => return (at, lines),
            _ => break,
        }
    }
    (mark, 0)
}

/// Reads a file in either form; names are UTF-8.
///
/// # Errors
/// The first error, with its line.
pub fn read_aiger(bytes: &[u8]) -> Result<Aiger, AigerError> {
    let (at, before) = verdict_line(bytes);
    AigerReader { bytes, at, line: before + 1 }.read()
}

struct AigerReader<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

/// The counts of the header.
struct AigerHeader {
    variables: u32,
    inputs: u32,
    latches: u32,
    outputs: u32,
    gates: u32,
}

/// A gate as written: its variable and its operands.
type RawGate = (u32, [u32; 2]);

/// The parts of a file, with the variable numbers of the file.
#[derive(Default)]
struct Raw {
    /// The variables of the inputs.
    inputs: Vec<u32>,
    /// Variable, next literal, initial value.
    latches: Vec<(u32, u32, bool)>,
    outputs: Vec<u32>,
    gates: Vec<RawGate>,
}

impl<'a> AigerReader<'a> {
    fn error(&self, message: impl Into<String>) -> AigerError {
        AigerError { line: self.line, message: message.into() }
    }
    /// The next line without its end; `None` at the end of the file.
    fn next_line(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = rest.iter().position(|&b| b == b'\n');
        self.at += end.map_or(rest.len(), |end| end + 1);
        let line = &rest[..end.unwrap_or(rest.len())];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
    /// The numbers of the next line, `least` to `most` of them.
    fn numbers(&mut self, what: &str, least: usize, most: usize) -> Result<Vec<u32>, AigerError> {
        let line = self.next_line().ok_or_else(|| self.error(format!("the file ends before {what}")))?;
        let words = line.split(|&b| b == b' ').take(most + 1);
        let number = |word: &[u8]| -> Option<u32> {
            let digits = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
            std::str::from_utf8(word).ok().filter(|_| digits)?.parse().ok()
        };
        let numbers: Option<Vec<u32>> = words.map(number).collect();
        let numbers = numbers.filter(|numbers| (least..=most).contains(&numbers.len()));
        let numbers = numbers.ok_or_else(|| self.error(format!("expected {what}")))?;
        self.line += 1;
        Ok(numbers)
    }

    fn read(mut self) -> Result<Aiger, AigerError> {
        let binary = match self.bytes.get(self.at..self.at + 4) {
            Some(b"aag ") => false,
            Some(b"aig ") => true,
            _ => return Err(self.error("an AIGER file begins with `aag` or `aig`")),
        };
        self.at += 4;
        let header = self.header()?;
        let raw = if binary { self.binary(&header)? } else { self.ascii(&header)? };
        let circuit = numbered(&raw)?;
        let mut aiger = Aiger {
            inputs: vec![None; circuit.inputs],
            outputs: vec![None; circuit.outputs.len()],
            comment: String::new(),
            circuit,
        };
        self.symbols(&mut aiger)?;
        Ok(aiger)
    }

    fn header(&mut self) -> Result<AigerHeader, AigerError> {
        let first = self.line;
        let numbers = self.numbers("the counts M I L O A after the form", 5, 9)?;
        self.line = first;
        let [variables, inputs, latches, outputs, gates] = numbers[..5] else {
            return Err(self.error("expected five counts"));
        };
        for (count, what) in
            numbers[5..].iter().zip(["bad states", "constraints", "justice properties", "fairness"])
        {
            if *count > 0 {
                return Err(self.error(format!("{what} are not part of a controller")));
            }
        }
        if variables > VARIABLE_LIMIT {
            return Err(self.error(format!("more than {VARIABLE_LIMIT} variables")));
        }
        if [inputs, latches, outputs].iter().any(|&count| count > PORT_LIMIT) {
            return Err(self.error(format!("more than {PORT_LIMIT} inputs, latches or outputs")));
        }
        if u64::from(inputs) + u64::from(latches) + u64::from(gates) > u64::from(variables) {
            return Err(self.error("more inputs, latches and gates than variables"));
        }
        self.line = first + 1;
        Ok(AigerHeader { variables, inputs, latches, outputs, gates })
    }

    fn check_literal(&self, header: &AigerHeader, literal: u32) -> Result<u32, AigerError> {
        if literal >> 1 > header.variables {
            return Err(self.error(format!("literal {literal} is past the last variable")));
        }
        Ok(literal)
    }
    /// The variable that a line defines.
    fn defined(&self, header: &AigerHeader, literal: u32) -> Result<u32, AigerError> {
        if literal < 2 || literal % 2 == 1 {
            return Err(self.error(format!("{literal} is no variable: those are even and not 0")));
        }
        self.check_literal(header, literal).map(|literal| literal >> 1)
    }
    fn reset(&self, variable: u32, reset: Option<&u32>) -> Result<bool, AigerError> {
        match reset {
            None | Some(0) => Ok(false),
            Some(1) => Ok(true),
            Some(&own) if own == variable << 1 => {
                Err(self.error("a latch without a first value: the circuit is not deterministic"))
            }
            Some(_) => Err(self.error("the first value of a latch is 0 or 1")),
        }
    }

    fn ascii(&mut self, header: &AigerHeader) -> Result<Raw, AigerError> {
        let mut raw = Raw::default();
        for _ in 0..header.inputs {
            let literal = self.numbers("an input", 1, 1)?[0];
            raw.inputs.push(self.defined(header, literal)?);
        }
        for _ in 0..header.latches {
            let line = self.numbers("a latch: its literal, its next value, its first value", 2, 3)?;
            let variable = self.defined(header, line[0])?;
            let next = self.check_literal(header, line[1])?;
            raw.latches.push((variable, next, self.reset(variable, line.get(2))?));
        }
        for _ in 0..header.outputs {
            let literal = self.numbers("an output", 1, 1)?[0];
            raw.outputs.push(self.check_literal(header, literal)?);
        }
        for _ in 0..header.gates {
            let line = self.numbers("a gate: its literal and two operands", 3, 3)?;
            let operands = [self.check_literal(header, line[1])?, self.check_literal(header, line[2])?];
            raw.gates.push((self.defined(header, line[0])?, operands));
        }
        Ok(raw)
    }

    fn binary(&mut self, header: &AigerHeader) -> Result<Raw, AigerError> {
        if header.variables != header.inputs + header.latches + header.gates {
            return Err(self.error("in the binary form M is I + L + A"));
        }
        let mut raw = Raw { inputs: (1..=header.inputs).collect(), ..Raw::default() };
        for i in 0..header.latches {
            let line = self.numbers("a latch: its next value, its first value", 1, 2)?;
            let variable = header.inputs + 1 + i;
            let next = self.check_literal(header, line[0])?;
            raw.latches.push((variable, next, self.reset(variable, line.get(1))?));
        }
        for _ in 0..header.outputs {
            let literal = self.numbers("an output", 1, 1)?[0];
            raw.outputs.push(self.check_literal(header, literal)?);
        }
        for i in 0..header.gates {
            let variable = header.inputs + header.latches + 1 + i;
            let wrong = || AigerError { line: 0, message: format!("gate {i} is not encoded as it should") };
            let first = self.delta().filter(|&d| d > 0).and_then(|d| (variable << 1).checked_sub(d));
            let first = first.ok_or_else(wrong)?;
            let second = self.delta().and_then(|d| first.checked_sub(d)).ok_or_else(wrong)?;
            raw.gates.push((variable, [first, second]));
        }
        Ok(raw)
    }

    /// A number in seven bits per byte, the least significant first.
    fn delta(&mut self) -> Option<u32> {
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(value).ok();
            }
        }
        None
    }

    fn symbols(&mut self, aiger: &mut Aiger) -> Result<(), AigerError> {
        while let Some(line) = self.next_line() {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
            if line == b"c" {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                aiger.comment = String::from_utf8_lossy(rest).into_owned();
                return Ok(());
            }
            let wrong = "expected a symbol such as `o0 grant`, or `c` before a comment";
            let split = line.iter().position(|&b| b == b' ').unwrap_or(line.len());
            let (head, name) = line.split_at(split);
            let (Some((&kind, digits)), Some(name)) =
                (head.split_first(), text(name.get(1..).unwrap_or_default()))
            else {
                return Err(self.error(wrong));
            };
            let index = text(digits).filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
            let index: usize = index.and_then(|d| d.parse().ok()).ok_or_else(|| self.error(wrong))?;
            let names = match kind {
                b'i' => &mut aiger.inputs,
                b'o' => &mut aiger.outputs,
                b'l' if index < aiger.circuit.latches.len() => {
                    self.line += 1;
                    continue;
                }
                _ => return Err(self.error(wrong)),
            };
            match names.get_mut(index) {
                None => return Err(self.error(format!("there is no {}{index}", kind as char))),
                Some(Some(_)) => {
                    return Err(self.error(format!("{}{index} has two names", kind as char)));
                }
                Some(slot) => *slot = Some(name),
            }
            self.line += 1;
        }
        Ok(())
    }
}

/// Numbers the variables without gaps and sorts the gates topologically.
fn numbered(raw: &Raw) -> Result<Circuit, AigerError> {
    let whole = |message: String| AigerError { line: 0, message };
    let mut places: FxHashMap<u32, usize> = FxHashMap::default();
    places.insert(0, 0);
    let mut gates: FxHashMap<u32, [u32; 2]> = FxHashMap::default();
    let leaves = raw.inputs.iter().copied().chain(raw.latches.iter().map(|latch| latch.0));
    for variable in leaves {
        let place = places.len();
        if places.insert(variable, place).is_some() {
            return Err(whole(format!("variable {variable} is defined twice")));
        }
    }
    for &(variable, operands) in &raw.gates {
        if places.contains_key(&variable) || gates.insert(variable, operands).is_some() {
            return Err(whole(format!("variable {variable} is defined twice")));
        }
    }
    let mut circuit = Circuit { inputs: raw.inputs.len(), ..Circuit::default() };
    let literal = |places: &FxHashMap<u32, usize>, code: u32| {
        let place = places.get(&(code >> 1));
        place
            .map(|&place| Literal::new(place, code & 1 == 1))
            .ok_or_else(|| whole(format!("literal {code} is used and not defined")))
    };
    let mut open: rustc_hash::FxHashSet<u32> = rustc_hash::FxHashSet::default();
    for &(root, _) in &raw.gates {
        let mut stack = vec![root];
        while let Some(&variable) = stack.last() {
            if places.contains_key(&variable) {
                stack.pop();
                continue;
            }
            let Some(&[a, b]) = gates.get(&variable) else {
                return Err(whole(format!("literal {} is used and not defined", variable << 1)));
            };
            let waiting = [a, b].map(|l| l >> 1).into_iter().filter(|v| !places.contains_key(v));
            let waiting: Vec<u32> = waiting.collect();
            if waiting.is_empty() {
                stack.pop();
                let gate = (literal(&places, a)?, literal(&places, b)?);
                circuit.gates.push((gate.0.max(gate.1), gate.0.min(gate.1)));
                let place = places.len();
                places.insert(variable, place);
            } else if open.insert(variable) {
                stack.extend(waiting);
            } else {
                return Err(whole(format!("gate {} depends on itself", variable << 1)));
            }
        }
    }
    for &(_, next, reset) in &raw.latches {
        circuit.latches.push(Latch { next: literal(&places, next)?, reset });
    }
    let outputs: Result<Vec<Literal>, AigerError> =
        raw.outputs.iter().map(|&code| literal(&places, code)).collect();
    circuit.outputs = outputs?;
    Ok(circuit)
}
