//! Laws written with a named pattern, and the registers that some patterns need.

use super::atoms::{Atoms, Named, Proposition};
use super::context::LawContext;
use super::fields::text;
use super::for_each::{bound_names, names_in, split_for_each};
use super::types::{Amount, LawRegister, UnknownAmount};
use super::words::{CountRequest, LawPattern, NameKind, PolicyNames, read_pattern};
use tsl_synth_core::base::Decimal;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::data::{DataKind, DataValue};

/// Values with the spans of the rules that they come from.
pub(super) type Placed<T> = Vec<(Span, T)>;

/// The names of a policy, as the parsers of patterns and sentences need them.
pub fn names_of(atoms: &Atoms) -> PolicyNames {
    let mut names = PolicyNames::new();
    for proposition in &atoms.propositions {
        let lasts = proposition.is_state || proposition.is_computed;
        names.add(proposition.name.as_str(), if lasts { NameKind::State } else { NameKind::Momentary });
    }
    for action in &atoms.actions {
        names.add(action.name.as_str(), NameKind::Action);
    }
    names
}

/// The patterns of the laws that have one, and the registers that they need; declares the propositions of these
/// registers.
pub(super) fn read(
    atoms: &mut Atoms,
    laws: &[DataValue],
    diagnostics: &mut Diagnostics,
) -> (Placed<LawPattern>, Placed<CountRequest>) {
    let names = names_of(atoms);
    let (mut patterns, mut registers) = (Vec::new(), Vec::new());
    for data in laws {
        let DataKind::Table(entries) = &data.kind else { continue };
        let Some((_, rule)) = entries.iter().find(|(key, _)| key.name == "rule") else { continue };
        let Some(own) = text(rule, "rule", diagnostics) else { continue };
        let (own, mut for_each) = split_for_each(own);
        // The text begins one byte after its opening quote.
        match read_pattern(own, &names) {
            Ok(pattern) => {
                let field = entries.iter().find(|(key, _)| key.name == "for_each");
                for_each.extend(field.into_iter().flat_map(|(_, value)| names_in(value)));
                if let Some(request) = pattern.register_for_each(&bound_names(for_each))
                    && !registers.iter().any(|(_, other): &(Span, CountRequest)| other.name == request.name)
                {
                    registers.push((rule.span, request));
                }
                patterns.push((rule.span, pattern));
            }
            Err(refused) => {
                diagnostics.push(refused.diagnostic(rule.span.source, rule.span.start as usize + 1));
            }
        }
    }
    for (span, request) in &registers {
        let proposition = Proposition {
            name: request.name.clone(),
            span: *span,
            is_state: false,
            initial: false,
            is_computed: true,
        };
        if atoms.add_proposition(proposition).is_none() {
            let message = format!("the pattern needs the name `{}`, which is taken", request.name);
            diagnostics.push(Diagnostic::error(Code::POLICY_TWICE, message).at(*span, "here"));
        }
    }
    (patterns, registers)
}

/// The register of a pattern.
pub(super) fn register(
    context: &mut LawContext<'_>,
    span: Span,
    request: &CountRequest,
    diagnostics: &mut Diagnostics,
) -> Option<LawRegister> {
    let Named::Proposition(proposition) = context.atoms.named(&request.name)? else { return None };
    let on = context.state(&request.on.to_string(), span, diagnostics)?;
    let reset = request.reset_on.as_ref().map(ToString::to_string);
    let reset_on = match reset {
        Some(text) => context.state(&text, span, diagnostics)?,
        None => tsl_synth_core::logic::Guard::FALSE,
    };
    Some(LawRegister {
        span,
        proposition,
        for_each: request.for_each.clone(),
        amount: request.distinct.clone().map_or(Amount::One, Amount::Distinct),
        on,
        above: f64::from(request.above),
        limit: Decimal::parse(&request.above.to_string())?,
        returned_on: tsl_synth_core::logic::Guard::FALSE,
        reset_on,
        window: request.window.as_ref().and_then(|window| i64::try_from(window.milliseconds).ok()),
        // The same calls count if the limit or the time of the rule is edited.
        over_sessions: request
            .window
            .as_ref()
            .and_then(|window| window.is_over_sessions.then(|| format!("calls: {}", request.on))),
        unknown: UnknownAmount::default(),
    })
}

/// The pattern of a rule that was read.
pub(super) fn pattern_of<'p>(patterns: &'p [(Span, LawPattern)], rule: &DataValue) -> Option<&'p LawPattern> {
    patterns.iter().find(|(span, _)| *span == rule.span).map(|(_, pattern)| pattern)
}
