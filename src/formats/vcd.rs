//! Value Change Dump (IEEE 1364-2005, section 18): signals over time, as waveform viewers read them. A step is one unit
//! of time. Texts are written for GTKWave with `$var string`, which is not in the standard.

use std::fmt::Write;

/// The type of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveKind {
    /// One bit.
    Bit,
    /// A number of 64 bits.
    Integer,
    /// A floating-point number.
    Real,
    /// A text.
    Text,
}

/// The value of a signal in a step.
#[derive(Clone, Debug, PartialEq)]
pub enum WaveValue {
    /// The value of a bit.
    Bit(bool),
    /// The value of an integer.
    Integer(i64),
    /// The value of a real.
    Real(f64),
    /// The value of a text.
    Text(String),
    /// Not known.
    Unknown,
}

/// A signal.
#[derive(Clone, Debug, PartialEq)]
pub struct Wave {
    /// Its name: letters, digits and `_`, not beginning with a digit; no two signals have the same one.
    pub name: String,
    /// A description; if it differs from the name, it is written as a comment.
    pub text: String,
    /// The type of its values.
    pub kind: WaveKind,
    /// Its value in each step.
    pub values: Vec<WaveValue>,
}

/// The identifier code of a signal: printable characters.
fn code(mut number: usize) -> String {
    let mut code = String::new();
    loop {
        code.push(char::from(b'!' + (number % 94) as u8));
        number /= 94;
        if number == 0 {
            return code;
        }
        number -= 1;
    }
}

/// The text of a comment: `$` and control characters, which could end it, become blanks.
fn comment(text: &str) -> String {
    text.chars().map(|c| if c == '$' || c.is_control() { ' ' } else { c }).collect()
}

/// A text as the value of a string: no blanks, printable characters only.
fn string(text: &str) -> String {
    let mut out = String::new();
    for c in text.replace(", ", ",").chars() {
        match c {
            '!'..='~' if c != '\\' => out.push(c),
            ' ' => out.push('_'),
            c => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(out, "\\x{byte:02x}");
                }
            }
        }
    }
    out
}

fn change(kind: WaveKind, value: &WaveValue, code: &str) -> String {
    match value {
        WaveValue::Bit(bit) => format!("{}{code}", u8::from(*bit)),
        WaveValue::Integer(number) => format!("b{number:b} {code}"),
        WaveValue::Real(number) => format!("r{number} {code}"),
        WaveValue::Text(text) => format!("s{} {code}", string(text)),
        WaveValue::Unknown => match kind {
            WaveKind::Bit => format!("x{code}"),
            WaveKind::Integer => format!("bx {code}"),
            WaveKind::Real => format!("r0 {code}"),
            WaveKind::Text => format!("s? {code}"),
        },
    }
}

/// The dump of `steps` steps. With `back`, a comment states that the steps from `back` on repeat.
pub fn write_vcd(title: &str, version: &str, waves: &[Wave], steps: usize, back: Option<usize>) -> String {
    let mut out = format!("$version tsl-synth {} $end\n$comment {} $end\n", comment(version), comment(title));
    if let Some(back) = back {
        let _ = writeln!(out, "$comment steps {back} to {} repeat $end", steps.saturating_sub(1));
    }
    for wave in waves.iter().filter(|wave| wave.text != wave.name) {
        let _ = writeln!(out, "$comment {} is {} $end", wave.name, comment(&wave.text));
    }
    out.push_str("$timescale 1 us $end\n$scope module play $end\n");
    for (number, wave) in waves.iter().enumerate() {
        let kind = match wave.kind {
            WaveKind::Bit => "wire 1",
            WaveKind::Integer => "integer 64",
            WaveKind::Real => "real 64",
            WaveKind::Text => "string 1",
        };
        let _ = writeln!(out, "$var {kind} {} {} $end", code(number), wave.name);
    }
    out.push_str("$upscope $end\n$enddefinitions $end\n");
    for step in 0..steps {
        let _ = writeln!(out, "#{step}");
        if step == 0 {
            out.push_str("$dumpvars\n");
        }
        for (number, wave) in waves.iter().enumerate() {
            let value = &wave.values[step];
            if step == 0 || wave.values[step - 1] != *value {
                let _ = writeln!(out, "{}", change(wave.kind, value, &code(number)));
            }
        }
        if step == 0 {
            out.push_str("$end\n");
        }
    }
    let _ = writeln!(out, "#{steps}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_different_and_nothing_of_a_text_is_a_keyword() {
        let codes: std::collections::BTreeSet<String> = (0..20_000).map(code).collect();
        assert_eq!(codes.len(), 20_000);
        let wave = Wave {
            name: "x".into(),
            text: "$end\n$var".into(),
            kind: WaveKind::Text,
            values: vec![WaveValue::Text("a b\n$end é".into()), WaveValue::Unknown],
        };
        let text = write_vcd("$end", "1", &[wave], 2, Some(1));
        assert!(text.contains("sa_b\\x0a$end_\\xc3\\xa9 !\n"), "{text}");
        assert!(
            text.lines().filter(|l| l.starts_with("$comment")).all(|l| l.matches('$').count() == 2),
            "{text}"
        );
    }
}
