//! `fmt`: TSL in the standard layout.

use super::{Failure, Input};
use crate::Session;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_lang::syntax::format_tsl;
use tsl_synth_ltl::operators::Dialect;

/// A TSL text before and after.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Formatted {
    /// The text as it was.
    pub before: String,
    /// The text in the standard layout, with its comments.
    pub after: String,
    /// Warnings and notes about the text.
    pub diagnostics: Diagnostics,
}

impl Session<'_> {
    /// A TSL text in the standard layout.
    ///
    /// # Errors
    /// Errors of the text.
    pub fn format(&mut self, input: &Input, dialect: Dialect) -> Result<Formatted, Failure> {
        self.deep(|session| {
            let source = session.source(input)?;
            let mut diagnostics = Diagnostics::new();
            match format_tsl(&session.sources, source, dialect, &mut diagnostics) {
                Some(after) => {
                    let before = session.sources.get(source).text.clone();
                    Ok(Formatted { before, after, diagnostics })
                }
                None => Err(diagnostics.into()),
            }
        })
    }
}
