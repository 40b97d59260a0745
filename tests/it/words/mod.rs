//! Policies in words: patterns, sentences, and explanations against formulas.

pub(crate) mod meaning;
mod patterns;
mod sentences;
mod texts;
mod translated;
mod typed;
