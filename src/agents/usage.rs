//! What the answers of an oracle cost.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::{AddAssign, Sub};

/// Requests to a model, and the token counts that its server reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OracleUsage {
    /// Requests that were sent, repetitions included.
    pub requests: u64,
    /// Tokens of the prompts.
    pub prompt_tokens: u64,
    /// Tokens of the answers, those of reasoning included.
    pub completion_tokens: u64,
    /// Tokens of reasoning.
    pub reasoning_tokens: u64,
    /// Characters of reasoning that came with the answers: some servers show it and do not count it.
    pub reasoning_characters: u64,
    /// Answers that were cut off at the limit of tokens.
    pub cut_off: u64,
    /// Requests that carried a grammar, and were answered.
    pub constrained: u64,
    /// The parameters that the server refused, which were left out from then on.
    pub refused: BTreeSet<String>,
}

impl OracleUsage {
    /// Whether there is anything to report.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
    /// The tokens of prompts and answers together.
    pub fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }
    /// In a sentence, such as `requests: 2, tokens: 90 + 12 (reasoning: 8)`.
    pub fn sentence(&self) -> String {
        let mut text = format!(
            "requests: {}, tokens: {} + {}",
            self.requests, self.prompt_tokens, self.completion_tokens
        );
        if self.reasoning_tokens > 0 {
            let _ = write!(text, " (reasoning: {})", self.reasoning_tokens);
        } else if self.reasoning_characters > 0 {
            let _ = write!(text, " (reasoning: {} characters)", self.reasoning_characters);
        }
        for (number, what) in [(self.cut_off, "cut off"), (self.constrained, "with a grammar")] {
            if number > 0 {
                let _ = write!(text, ", {what}: {number}");
            }
        }
        if !self.refused.is_empty() {
            let names: Vec<&str> = self.refused.iter().map(String::as_str).collect();
            let _ = write!(text, ", refused by the server: {}", names.join(", "));
        }
        text
    }
}

impl AddAssign<&Self> for OracleUsage {
    fn add_assign(&mut self, other: &Self) {
        for (own, more) in [
            (&mut self.requests, other.requests),
            (&mut self.prompt_tokens, other.prompt_tokens),
            (&mut self.completion_tokens, other.completion_tokens),
            (&mut self.reasoning_tokens, other.reasoning_tokens),
            (&mut self.reasoning_characters, other.reasoning_characters),
            (&mut self.cut_off, other.cut_off),
            (&mut self.constrained, other.constrained),
        ] {
            *own = own.saturating_add(more);
        }
        self.refused.extend(other.refused.iter().cloned());
    }
}

/// What was used since an earlier state of the same oracle.
impl Sub<&Self> for OracleUsage {
    type Output = Self;

    fn sub(self, earlier: &Self) -> Self {
        Self {
            requests: self.requests.saturating_sub(earlier.requests),
            prompt_tokens: self.prompt_tokens.saturating_sub(earlier.prompt_tokens),
            completion_tokens: self.completion_tokens.saturating_sub(earlier.completion_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_sub(earlier.reasoning_tokens),
            reasoning_characters: self.reasoning_characters.saturating_sub(earlier.reasoning_characters),
            cut_off: self.cut_off.saturating_sub(earlier.cut_off),
            constrained: self.constrained.saturating_sub(earlier.constrained),
            refused: self.refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_added_and_told() {
        let one =
            OracleUsage { requests: 1, prompt_tokens: 10, completion_tokens: 5, ..OracleUsage::default() };
        let mut sum = one.clone();
        sum += &OracleUsage { reasoning_tokens: 3, refused: ["seed".to_string()].into(), ..one.clone() };
        assert_eq!(sum.tokens(), 30);
        assert_eq!(
            sum.sentence(),
            "requests: 2, tokens: 20 + 10 (reasoning: 3), refused by the server: seed"
        );
        assert_eq!((sum - &one).requests, 1);
        assert!(OracleUsage::default().is_empty() && !one.is_empty());
    }
}
