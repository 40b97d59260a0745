//! The registry of diagnostic codes. A code keeps its meaning for ever; `tsl-synth explain TSL0123` prints
//! its explanation.

/// A stable diagnostic code, shown as `TSLnnnn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u16);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TSL{:04}", self.0)
    }
}

/// Declares the codes once: constant, number, explanation.
macro_rules! codes {
    ($($name:ident = $number:literal: $text:literal;)+) => {
        impl Code {
            $(#[doc = $text] pub const $name: Self = Self($number);)+
        }
        const ALL: &[(Code, &str)] = &[$((Code::$name, $text)),+];
    };
}

codes! {
    SYNTAX = 1: "The text does not follow the grammar at this place.";
    TOO_DEEP = 2: "The input is nested deeper than the documented limit.";
    NOT_TEXT = 3: "The input is not UTF-8 text.";
    CANNOT_READ = 4: "The file cannot be read.";
}

/// All codes with their explanations, in order.
pub fn all_codes() -> impl Iterator<Item = (Code, &'static str)> {
    ALL.iter().copied()
}

/// The explanation of a code, if it exists.
pub fn explanation(code: Code) -> Option<&'static str> {
    ALL.iter().find(|(c, _)| *c == code).map(|(_, text)| *text)
}
