//! The context in which the laws and registers of a policy are parsed.

use super::atoms::Atoms;
use super::formula;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::{FiniteNode, Guard, Guards};
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_ltl::ltl::{LtlModule, parse_ltl};

/// The source file, names and guards needed to parse laws.
pub(super) struct LawContext<'a> {
    pub(super) map: &'a mut SourceMap,
    pub(super) source: SourceId,
    pub(super) atoms: Atoms,
    pub(super) guards: Guards,
    pub(super) strong_next: bool,
}

impl LawContext<'_> {
    /// Parses LTL from a value of the file. Diagnostics point into the file.
    pub(super) fn ltl(
        &mut self,
        text: &str,
        span: Span,
        what: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<LtlModule> {
        let name = format!("{}: {what}", self.map.get(self.source).name);
        let own = self.map.add(name, text);
        let mut found = Diagnostics::new();
        let module = parse_ltl(self.map, own, &|name| self.atoms.named(name).is_some(), &mut found);
        self.reported(&found, text, span, own, diagnostics);
        module
    }
    /// Moves the labels of diagnostics about an extracted text to its position in the file.
    pub(super) fn reported(
        &self,
        found: &Diagnostics,
        text: &str,
        span: Span,
        own: SourceId,
        diagnostics: &mut Diagnostics,
    ) {
        let inside = self.map.text(span).find(text).map(|at| span.start as usize + at);
        for finding in found {
            let mut finding = finding.clone();
            for label in finding.labels.iter_mut().filter(|label| label.span.source == own) {
                label.span = inside.map_or(span, |base| {
                    let range = label.span.range();
                    Span::new(span.source, base + range.start, base + range.end)
                });
            }
            diagnostics.push(finding);
        }
    }
    /// The letters that satisfy a Boolean formula over names.
    pub(super) fn state(&mut self, text: &str, span: Span, diagnostics: &mut Diagnostics) -> Option<Guard> {
        let module = self.ltl(text, span, text, diagnostics)?;
        let mut found = Diagnostics::new();
        let formula = formula::lower(&module, &self.atoms, &mut self.guards, false, &mut found);
        self.reported(&found, text, span, module.source, diagnostics);
        let formula = formula?;
        let value = match (formula.formulas.node(formula.root), formula.guards.as_slice()) {
            (FiniteNode::Constant(value), _) => Some(if *value { Guard::TRUE } else { Guard::FALSE }),
            (FiniteNode::Letter { negated: false, .. }, &[guard]) => Some(guard),
            (FiniteNode::Letter { negated: true, .. }, &[guard]) => Some(self.guards.not(guard)),
            _ => None,
        };
        if value.is_none() {
            let error =
                Diagnostic::error(Code::POLICY_FIELD, "this is about one letter, without temporal operators");
            diagnostics.push(error.at(span, "here"));
        }
        value
    }
}
