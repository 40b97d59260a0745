//! Bare lists of laws, `[{law_id, law, explanation}]`, as the authors of LTLCrit write them (Gokhale, Srivastava and Bullo 2025, appendix A.3):
//! one action per step, chosen before the rest of its letter is known, and the agent may not idle.

use super::atoms::{Action, Proposition};
use super::context::LawContext;
use super::fields::{TableFields, text};
use super::formula;
use super::types::{
    DefaultRuling, Ending, Fallback, Law, LawId, LawKind, OnChange, OnFork, OnViolation, Policy, Timing,
    TraceMode,
};
use std::collections::BTreeMap;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::data::DataValue;
use tsl_synth_ltl::ltl::{LtlKind, LtlModule};
use tsl_synth_ltl::operators::UnaryOp;

/// Whether a name occurs below `X` in the laws, and whether it occurs elsewhere.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    below_next: bool,
    elsewhere: bool,
}

/// Records where each name occurs. Actions are the names that begin with `action_`; if there are none, those that occur
/// only below `X`.
fn uses(module: &LtlModule, all: &mut BTreeMap<String, (Span, Uses)>) {
    let mut below = vec![false; module.exprs.ids().count()];
    for id in module.exprs.ids().rev() {
        let mine = below[id.index()];
        let mut mark = |child: tsl_synth_ltl::ltl::LtlId, next: bool| below[child.index()] |= mine || next;
        match module.exprs.kind(id) {
            LtlKind::Unary(op, a) => mark(*a, *op == UnaryOp::Next),
            LtlKind::Bounded { op, body, .. } => mark(*body, *op == UnaryOp::Next),
            LtlKind::Binary(_, a, b) => {
                mark(*a, false);
                mark(*b, false);
            }
            LtlKind::Constant(_) | LtlKind::Proposition(_) => {}
        }
        if let LtlKind::Proposition(name) = module.exprs.kind(id) {
            let (_, uses) =
                all.entry(name.to_string()).or_insert_with(|| (module.exprs.span(id), Uses::default()));
            uses.below_next |= mine;
            uses.elsewhere |= !mine;
        }
    }
}

const KINDS: &[(&str, LawKind)] =
    &[("assume", LawKind::Assume), ("hard", LawKind::Hard), ("soft", LawKind::Soft)];
/// Existing lists have these additional fields, which are ignored.
const REMARKS: &[&str] = &["note", "normalised", "normalized", "comment", "source"];

/// Reads the laws of a list.
pub(super) fn read(
    mut context: LawContext<'_>,
    laws: &[DataValue],
    stem: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Policy> {
    context.strong_next = false;
    let mut read: Vec<(String, LawKind, String, String, Span, LtlModule)> = Vec::new();
    let mut names: BTreeMap<String, (Span, Uses)> = BTreeMap::new();
    for (i, data) in laws.iter().enumerate() {
        let Some(mut fields) = TableFields::of(data, "a law", diagnostics) else { continue };
        let id = fields.either(&["law_id", "id"]).and_then(|data| text(data, "law_id", diagnostics));
        let id = id.map_or_else(|| format!("law-{}", i + 1), str::to_string);
        let formula = fields.either(&["law", "ltl"]);
        let why =
            fields.either(&["explanation", "why"]).and_then(|data| text(data, "explanation", diagnostics));
        let kind = fields.word("kind", KINDS, diagnostics).unwrap_or(LawKind::Hard);
        for remark in REMARKS {
            fields.get(remark);
        }
        fields.finish(diagnostics);
        let Some(formula) = formula else {
            diagnostics.push(
                Diagnostic::error(Code::POLICY_FIELD, format!("the law `{id}` has no formula, `law`"))
                    .at(data.span, "here"),
            );
            continue;
        };
        let Some(ltl) = text(formula, "law", diagnostics) else { continue };
        let Some(module) = context.ltl(ltl, formula.span, &format!("law {id}"), diagnostics) else {
            continue;
        };
        uses(&module, &mut names);
        read.push((id, kind, ltl.to_string(), why.unwrap_or_default().to_string(), formula.span, module));
    }
    if laws.is_empty() {
        let error = Diagnostic::error(Code::POLICY_FIELD, "the list has no law");
        diagnostics.push(error.at(Span::new(context.source, 0, 0), "here"));
        return None;
    }
    let prefixed = names.keys().any(|name| name.starts_with("action_"));
    let next_only = names.values().any(|(_, uses)| uses.below_next && !uses.elsewhere);
    for (name, (span, uses)) in &names {
        let is_next = uses.below_next && !uses.elsewhere;
        let is_action = if prefixed { name.starts_with("action_") } else { is_next };
        if is_action {
            context.atoms.add_action(Action { name: name.clone(), span: *span, group: 0, is_declared: true });
        } else {
            context.atoms.add_proposition(Proposition {
                name: name.clone(),
                span: *span,
                is_state: false,
                initial: false,
                is_computed: false,
            });
        }
    }
    let has_actions = prefixed || next_only;
    let mut own: IdVec<_, Law> = IdVec::new();
    for (id, kind, ltl, why, span, module) in read {
        let mut found = Diagnostics::new();
        let lowered = formula::lower(&module, &context.atoms, &mut context.guards, false, &mut found);
        context.reported(&found, &ltl, span, module.source, diagnostics);
        if let Some(first) = own.iter().find(|law: &&Law| law.id == id) {
            let error = Diagnostic::error(Code::POLICY_TWICE, format!("two laws are called `{id}`"));
            diagnostics.push(error.at(span, "again").at(first.span, "first"));
        }
        let Some(formula) = lowered else { continue };
        own.push(Law {
            id,
            span,
            kind,
            for_each: Vec::new(),
            formula,
            ltl,
            rule: None,
            why,
            on_violation: OnViolation::Deny,
            is_value_limit: false,
        });
    }
    Some(policy(context, stem, has_actions, own))
}

/// A policy of laws alone.
fn policy(context: LawContext<'_>, name: &str, has_actions: bool, laws: IdVec<LawId, Law>) -> Policy {
    let effects = context.atoms.actions.ids().map(|_| None).collect();
    Policy {
        name: name.to_owned(),
        unmatched: DefaultRuling::Deny,
        idle: !has_actions,
        end: Ending::Finite,
        strong_next: false,
        trace: TraceMode::PerAction,
        timing: if has_actions { Timing::Next } else { Timing::Same },
        look_ahead: true,
        fallback: Fallback::None,
        end_refusals: 3,
        max_values: 10_000,
        on_overflow: DefaultRuling::Deny,
        on_change: OnChange::default(),
        on_fork: OnFork::default(),
        retain: None,
        read_scripts: false,
        effects,
        atoms: context.atoms,
        guards: context.guards,
        quantities: Vec::new(),
        registers: IdVec::new(),
        sources: Vec::new(),
        probes: Vec::new(),
        matches: Vec::new(),
        laws,
    }
}
