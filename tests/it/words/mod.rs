//! Laws as English text: patterns, sentences, and explanations compared with formulas.

pub(crate) mod meaning;
mod patterns;
mod sentences;
mod texts;
mod translated;
mod typed;
