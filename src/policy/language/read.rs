//! From the tree of a policy file to a [`Policy`]: fields, names, laws.

use super::atoms::{Action, ActionId, Atoms, Named, Proposition};
use super::context::LawContext;
use super::counted::{never_counts, settle_counts};
use super::fields::{self, TableFields, name_is_good, taken, text, toml_string, unexpected};
use super::for_each::{bound_names, split_for_each};
use super::formula;
use super::lookup::{UNMATCHED, action, proposition, settable};
use super::tables::{self, TableNames};
use super::types::{
    Amount, DefaultRuling, Effects, Ending, Fallback, Law, LawId, LawKind, LawRegister, OnChange, OnFork,
    OnViolation, Policy, Quantity, Timing, TraceMode, UnknownAmount,
};
use super::words::LawPattern;
use super::{bare, law_lint, probes, repeated, rule, short, sources, vocabulary};
use tsl_synth_core::base::{Decimal, IdVec};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics, Severity};
use tsl_synth_core::logic::{Guard, Guards};
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_ltl::data::{DataKind, DataValue, TomlKey, parse_data};

const ENDINGS: &[(&str, Ending)] = &[("finite", Ending::Finite), ("infinite", Ending::Infinite)];
const TRACES: &[(&str, TraceMode)] = &[
    ("per-event", TraceMode::PerEvent),
    ("per-action", TraceMode::PerAction),
    ("state-change", TraceMode::StateChange),
];
const TIMINGS: &[(&str, Timing)] = &[("same", Timing::Same), ("next", Timing::Next)];
const KINDS: &[(&str, LawKind)] =
    &[("assume", LawKind::Assume), ("hard", LawKind::Hard), ("soft", LawKind::Soft)];
const ON_VIOLATION: &[(&str, OnViolation)] = &[
    ("deny", OnViolation::Deny),
    ("ask", OnViolation::Ask),
    ("warn", OnViolation::Warn),
    ("log", OnViolation::Log),
];

/// Reads a policy: TOML, JSON of the same shape, or a bare list of laws. Findings are added to `diagnostics`; `None` if
/// there are errors.
pub fn load_policy(map: &mut SourceMap, source: SourceId, diagnostics: &mut Diagnostics) -> Option<Policy> {
    let json = std::path::Path::new(&map.get(source).name)
        .extension()
        .and_then(|ending| if ending == "json" { Some(true) } else { (ending == "toml").then_some(false) });
    let data = parse_data(map, source, json, Code::POLICY_SYNTAX, diagnostics)?;
    let stem = std::path::Path::new(&map.get(source).name)
        .file_stem()
        .map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    let context = LawContext { map, source, atoms: Atoms::new(), guards: Guards::new(), strong_next: false };
    let mut found = Diagnostics::new();
    let policy = match &data.kind {
        DataKind::List(laws) => bare::read(context, laws, &stem, &mut found),
        _ => read(context, &data, &stem, &mut found),
    };
    for finding in repeated::together(&found) {
        diagnostics.push(finding);
    }
    policy.filter(|_| !found.has_errors())
}

fn read(
    mut context: LawContext<'_>,
    data: &DataValue,
    stem: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Policy> {
    let mut fields = TableFields::of(data, "a policy", diagnostics)?;
    if fields.number::<u32>("policy", "the version of the format, 1", diagnostics) != Some(1) {
        let error =
            Diagnostic::error(Code::POLICY_FIELD, "a policy says the version of its format: `policy = 1`");
        diagnostics.push(error.at(fields.get("policy").map_or(data.span, |data| data.span), "here"));
    }
    let name = fields.text("name", diagnostics).unwrap_or(stem).to_string();
    let timing = fields.word("timing", TIMINGS, diagnostics).unwrap_or(Timing::Same);
    let default_trace = if timing == Timing::Next { TraceMode::PerAction } else { TraceMode::PerEvent };
    let trace = fields.word("trace", TRACES, diagnostics).unwrap_or(default_trace);
    let end = fields.word("end", ENDINGS, diagnostics).unwrap_or(Ending::Finite);
    context.strong_next = fields
        .word("next", &[("weak", false), ("strong", true)], diagnostics)
        .unwrap_or(end == Ending::Infinite);
    declare_propositions(&mut context.atoms, fields.named("propositions", diagnostics), diagnostics);
    let tables = fields.list("match", diagnostics);
    let declared = fields.get("actions").and_then(|data| actions(&mut context.atoms, data, diagnostics));
    let (groups, effects) = declared.unwrap_or((0, &[]));
    let used = fields.texts("use", diagnostics).unwrap_or_default();
    let vocabularies = vocabulary::read(&mut context, &used, groups + 1, diagnostics);
    let laws_and_rules = read_laws(&mut fields, data.span, diagnostics);
    let law_list = laws_and_rules.as_slice();
    let first_group = groups + 1 + used.len();
    let counts = fields.list("count", diagnostics);
    let asking = law_list.iter().chain(counts);
    let short = short::read(&mut context.atoms, &mut fields, asking, tables, first_group, diagnostics);
    declare_named(&mut context.atoms, tables, groups, diagnostics);
    let quantities = quantities(&context.atoms, fields.named("quantities", diagnostics), diagnostics);
    let effects = read_effects(&context.atoms, &quantities, effects, diagnostics);
    declare_registers(&mut context.atoms, counts, diagnostics);
    let (patterns, requests) = rule::read(&mut context.atoms, law_list, diagnostics);
    // All names are declared now, so the bits of letters are fixed.
    let mut registers: IdVec<_, LawRegister> =
        counts.iter().filter_map(|data| register(&mut context, data, diagnostics)).collect();
    for (span, request) in &requests {
        if let Some(register) = rule::register(&mut context, *span, request, diagnostics) {
            registers.push(register);
        }
    }
    let opaque = fields.word("opaque", UNMATCHED, diagnostics).unwrap_or(DefaultRuling::Deny);
    let sources = sources::read(fields.list("source", diagnostics), diagnostics);
    let probes = probes::read(fields.list("probe", diagnostics), diagnostics);
    let own = TableNames { opaque, sources: &sources, probes: &probes, is_shipped: false };
    let mut matches = tables::read(&context.atoms, tables, own, diagnostics);
    matches.extend(tables::read(&context.atoms, &short, own, diagnostics));
    for data in &vocabularies {
        let own = TableNames { opaque, sources: &[], probes: &[], is_shipped: true };
        matches.extend(tables::read(&context.atoms, data, own, diagnostics));
    }
    // Names that could not be read make other letters of a register.
    if !diagnostics.iter().any(|one| one.severity == Severity::Error) {
        let is_declared = |own: &&LawRegister| counts.iter().any(|data| data.span == own.span);
        for register in registers.iter().filter(|own| is_declared(own) || reads_values(own)) {
            let found = never_counts(&context.atoms, &mut context.guards, &matches, trace, register);
            if let Some(found) = found {
                diagnostics.push(found);
            }
        }
    }
    let laws: IdVec<_, Law> =
        law_list.iter().filter_map(|data| law(&mut context, &patterns, data, diagnostics)).collect();
    report_twice(&laws, diagnostics);
    let mut policy = Policy {
        name,
        unmatched: fields.word("unmatched", UNMATCHED, diagnostics).unwrap_or(DefaultRuling::Deny),
        idle: fields.bool("idle", diagnostics).unwrap_or(true),
        end,
        strong_next: context.strong_next,
        trace,
        timing,
        look_ahead: fields.bool("look_ahead", diagnostics).unwrap_or(true),
        fallback: fields.word("fallback", &[("hard", Fallback::Hard)], diagnostics).unwrap_or_default(),
        end_refusals: fields.number("end_refusals", "a small number", diagnostics).unwrap_or(3),
        max_values: fields.number("max_values", "a number of values", diagnostics).unwrap_or(10_000),
        on_overflow: fields.word("on_overflow", UNMATCHED, diagnostics).unwrap_or(DefaultRuling::Deny),
        on_change: fields
            .word("on_change", &[("replay", OnChange::Replay), ("deny", OnChange::Deny)], diagnostics)
            .unwrap_or_default(),
        on_fork: fields.word("on_fork", ON_FORK, diagnostics).unwrap_or_default(),
        retain: fields.duration("retain", diagnostics),
        read_scripts: fields.bool("read_scripts", diagnostics).unwrap_or(false),
        atoms: context.atoms,
        guards: context.guards,
        effects,
        quantities,
        registers,
        sources,
        probes,
        matches,
        laws,
    };
    let version = |name: &str, _: &DataValue| {
        (name == "version").then(|| "the version of the format is written `policy = 1`".to_owned())
    };
    fields.finish_with(version, diagnostics);
    settle_counts(&mut policy, diagnostics);
    Some(policy)
}

/// Whether a register reads bound values.
fn reads_values(register: &LawRegister) -> bool {
    matches!(register.amount, Amount::Distinct(_)) || !register.for_each.is_empty()
}

/// Reports laws of one name.
fn report_twice(laws: &IdVec<LawId, Law>, diagnostics: &mut Diagnostics) {
    for (i, law) in laws.iter().enumerate() {
        if let Some(first) = laws.iter().take(i).find(|other| other.id == law.id) {
            let error = Diagnostic::error(Code::POLICY_TWICE, format!("two laws are called `{}`", law.id));
            diagnostics.push(error.at(law.span, "again").at(first.span, "first"));
        }
    }
}

/// The values of `on_fork`.
const ON_FORK: &[(&str, OnFork)] =
    &[("deny", OnFork::Deny), ("inherit", OnFork::Inherit), ("blind", OnFork::Blind)];

fn declare_propositions(atoms: &mut Atoms, entries: &[(TomlKey, DataValue)], diagnostics: &mut Diagnostics) {
    for (key, data) in entries {
        let Some(mut fields) = TableFields::of(data, "a proposition", diagnostics) else { continue };
        let is_state = fields.bool("state", diagnostics).unwrap_or(false);
        let initial = fields.bool("initial", diagnostics);
        fields.finish(diagnostics);
        if let (Some(_), false) = (initial, is_state) {
            let error = Diagnostic::error(
                Code::POLICY_FIELD,
                "only a proposition with `state = true` has an initial value; others hold in one letter",
            );
            diagnostics.push(error.at(data.span, "here"));
        }
        let proposition = Proposition {
            name: key.name.clone(),
            span: key.span,
            is_state,
            initial: initial.unwrap_or(false),
            is_computed: false,
        };
        if name_is_good(key, diagnostics) && atoms.add_proposition(proposition).is_none() {
            diagnostics.push(taken(key));
        }
    }
}

/// Declares the actions of the groups; returns the number of groups and the table of effects.
fn actions<'d>(
    atoms: &mut Atoms,
    data: &'d DataValue,
    diagnostics: &mut Diagnostics,
) -> Option<(usize, &'d [(TomlKey, DataValue)])> {
    let mut fields = TableFields::of(data, "`actions`", diagnostics)?;
    let groups = fields.list("groups", diagnostics);
    for (group, data) in groups.iter().enumerate() {
        let DataKind::List(names) = &data.kind else {
            diagnostics.push(unexpected(data, "a group", "a list of names"));
            continue;
        };
        for one in names {
            let Some(name) = text(one, "an action", diagnostics) else { continue };
            let key = TomlKey { span: one.span, name: name.to_string() };
            let action = Action { name: name.to_string(), span: one.span, group, is_declared: true };
            if name_is_good(&key, diagnostics) && atoms.add_action(action).is_none() {
                diagnostics.push(taken(&key));
            }
        }
    }
    let effects = fields.named("effects", diagnostics);
    let table = |name: &str, data: &DataValue| {
        let is_table = matches!(data.kind, DataKind::Table(_) | DataKind::Text(_));
        is_table.then(|| {
            format!(
                "calls become an action by `[[match]]` with `on = \"call\"`, `tool` and `action = {}`",
                toml_string(name)
            )
        })
    };
    fields.finish_with(table, diagnostics);
    Some((groups.len(), effects))
}

/// Declares the actions that only tables name: they form one group.
fn declare_named(atoms: &mut Atoms, tables: &[DataValue], group: usize, diagnostics: &mut Diagnostics) {
    for (name, span) in tables::actions_of(tables) {
        if matches!(atoms.named(name), Some(Named::Action(_))) {
            continue;
        }
        let key = TomlKey { span, name: name.to_owned() };
        let action = Action { name: name.to_owned(), span, group, is_declared: false };
        // A name that is taken by something else is reported where the table is read.
        if name_is_good(&key, diagnostics) {
            atoms.add_action(action);
        }
    }
}

fn quantities(
    atoms: &Atoms,
    entries: &[(TomlKey, DataValue)],
    diagnostics: &mut Diagnostics,
) -> Vec<Quantity> {
    let mut all: Vec<Quantity> = Vec::new();
    for (key, data) in entries {
        let Some(mut fields) = TableFields::of(data, "a quantity", diagnostics) else { continue };
        let initial = fields.number("initial", "a small number", diagnostics).unwrap_or(0);
        let most = fields.number("most", "a small number", diagnostics).unwrap_or(15);
        let mut thresholds = Vec::new();
        for (name, value) in fields.named("at_least", diagnostics) {
            let id = settable(atoms, &name.name, name.span, diagnostics);
            let least = match &value.kind {
                DataKind::Number(text) => text.parse().ok().filter(|&n: &u32| n > 0 && n <= most),
                _ => None,
            };
            match (id, least) {
                (Some(id), Some(least)) => thresholds.push((id, least)),
                (_, None) => diagnostics.push(unexpected(value, &name.name, "a number from 1 to `most`")),
                _ => {}
            }
        }
        fields.finish(diagnostics);
        if most > 255 || initial > most {
            let error = Diagnostic::error(
                Code::POLICY_FIELD,
                "a quantity is at most 255, and begins within its bounds",
            );
            diagnostics.push(error.at(data.span, "here"));
            continue;
        }
        all.push(Quantity { name: key.name.clone(), initial, most, thresholds });
    }
    all
}

fn read_effects(
    atoms: &Atoms,
    quantities: &[Quantity],
    entries: &[(TomlKey, DataValue)],
    diagnostics: &mut Diagnostics,
) -> IdVec<ActionId, Option<Effects>> {
    let mut effects: IdVec<ActionId, Option<Effects>> = atoms.actions.ids().map(|_| None).collect();
    for (key, data) in entries {
        let Some(id) = action(atoms, &key.name, key.span, diagnostics) else { continue };
        let Some(mut fields) = TableFields::of(data, "the effects of an action", diagnostics) else {
            continue;
        };
        let mut listed = |name| {
            let texts = fields.texts(name, diagnostics).unwrap_or_default();
            texts.iter().filter_map(|(text, span)| settable(atoms, text, *span, diagnostics)).collect()
        };
        let mut own = Effects {
            may_set: listed("may_set"),
            may_clear: listed("may_clear"),
            sets: listed("sets"),
            clears: listed("clears"),
            ..Effects::default()
        };
        for (name, value) in fields.named("changes", diagnostics) {
            if let Some((quantity, by)) = amount(quantities, name, value, diagnostics) {
                own.changes.push((quantity, by));
            }
        }
        for (name, value) in fields.named("needs", diagnostics) {
            if let Some((quantity, least)) = amount(quantities, name, value, diagnostics) {
                own.needs.push((quantity, u32::try_from(least).unwrap_or(0)));
            }
        }
        fields.finish(diagnostics);
        effects[id] = Some(own);
    }
    effects
}

fn amount(
    quantities: &[Quantity],
    key: &TomlKey,
    data: &DataValue,
    diagnostics: &mut Diagnostics,
) -> Option<(usize, i32)> {
    let place = quantities.iter().position(|one| one.name == key.name);
    if place.is_none() {
        let error =
            Diagnostic::error(Code::POLICY_UNKNOWN, format!("the policy has no quantity `{}`", key.name));
        diagnostics.push(error.at(key.span, "here"));
    }
    let number = match &data.kind {
        DataKind::Number(text) => text.parse().ok().filter(|n: &i32| n.unsigned_abs() < 256),
        _ => None,
    };
    if number.is_none() {
        diagnostics.push(unexpected(data, &key.name, "a small number"));
    }
    place.zip(number)
}

fn declare_registers(atoms: &mut Atoms, counts: &[DataValue], diagnostics: &mut Diagnostics) {
    for data in counts {
        let Some(mut fields) = TableFields::of(data, "a `[[count]]`", diagnostics) else { continue };
        let Some(name) = fields.get("name") else {
            diagnostics.push(
                Diagnostic::error(Code::POLICY_FIELD, "a `[[count]]` has a `name`").at(data.span, "here"),
            );
            continue;
        };
        let Some(text) = text(name, "name", diagnostics) else { continue };
        let key = TomlKey { span: name.span, name: text.to_string() };
        let proposition = Proposition {
            name: text.to_string(),
            span: name.span,
            is_state: false,
            initial: false,
            is_computed: true,
        };
        if name_is_good(&key, diagnostics) && atoms.add_proposition(proposition).is_none() {
            diagnostics.push(taken(&key));
        }
    }
}

/// The letters that satisfy at least one of the formulas.
fn states(context: &mut LawContext<'_>, texts: &[(&str, Span)], diagnostics: &mut Diagnostics) -> Guard {
    texts.iter().fold(Guard::FALSE, |sum, (text, span)| {
        let own = context.state(text, *span, diagnostics).unwrap_or(Guard::FALSE);
        context.guards.or(sum, own)
    })
}

fn register(
    context: &mut LawContext<'_>,
    data: &DataValue,
    diagnostics: &mut Diagnostics,
) -> Option<LawRegister> {
    let mut fields = TableFields::of(data, "a `[[count]]`", diagnostics)?;
    let name = fields.text("name", diagnostics)?;
    let proposition = proposition(&context.atoms, name, data.span, diagnostics)?;
    let pointer = fields.text("sum", diagnostics);
    let is_count = fields.bool("count", diagnostics) == Some(true);
    let distinct = fields.text("distinct", diagnostics);
    let on = fields.texts("on", diagnostics).unwrap_or_default();
    let on_guard = states(context, &on, diagnostics);
    let limit = fields.get("above").and_then(|data| match &data.kind {
        DataKind::Number(text) => Decimal::parse(text),
        _ => None,
    });
    let reset = fields.texts("reset_on", diagnostics).unwrap_or_default();
    let reset_on = states(context, &reset, diagnostics);
    let for_each = bindings(&mut fields, diagnostics);
    let returned = fields.texts("returned_on", diagnostics).unwrap_or_default();
    let returned_on = states(context, &returned, diagnostics);
    let window = fields.duration("window", diagnostics);
    let is_over_sessions =
        fields.word("over", &[("session", false), ("sessions", true)], diagnostics).unwrap_or(false);
    fields.finish(diagnostics);
    let wrong = |message: &str| Diagnostic::error(Code::POLICY_FIELD, message).at(data.span, "here");
    let amount = match (pointer, is_count, distinct) {
        (Some(pointer), false, None) => Amount::Sum(fields::pointer(pointer, data.span, diagnostics)?),
        (None, true, None) => Amount::One,
        (None, false, Some(name)) => Amount::Distinct(name.to_owned()),
        _ => {
            diagnostics.push(wrong(
                "a `[[count]]` has either `sum = \"/place/of/a/number\"`, `count = true` or `distinct = \"name\"`",
            ));
            return None;
        }
    };
    if window.is_some() && distinct.is_some() {
        diagnostics.push(wrong("distinct values are not counted in a `window`; `reset_on` counts anew"));
    }
    if is_over_sessions && (distinct.is_some() || !reset.is_empty()) {
        diagnostics.push(wrong(
            "what is counted `over = \"sessions\"` are calls or amounts, without `distinct` and `reset_on`",
        ));
    }
    let is_of_arguments = matches!(&amount, Amount::Sum(pointer) if pointer.within("result").is_none());
    if !returned.is_empty() && !is_of_arguments {
        diagnostics
            .push(wrong("`returned_on` takes back amounts of arguments: with `sum = \"/arguments/..\"`"));
    }
    if on.is_empty() || limit.is_none() {
        diagnostics.push(wrong(
            "a `[[count]]` says what it counts, `on`, and from when on its proposition holds, `above`",
        ));
    }
    let limit = limit?;
    let above: f64 = limit.to_string().parse().unwrap_or(f64::INFINITY);
    if !above.is_finite() || limit.is_negative() {
        diagnostics.push(wrong("`above` is not negative"));
        return None;
    }
    let span = data.span;
    Some(LawRegister {
        span,
        proposition,
        amount,
        for_each,
        on: on_guard,
        above,
        limit,
        returned_on,
        reset_on,
        window,
        over_sessions: is_over_sessions.then(|| name.to_owned()),
        unknown: UnknownAmount::default(),
    })
}

fn bindings(fields: &mut TableFields<'_>, diagnostics: &mut Diagnostics) -> Vec<String> {
    let names = fields.texts("for_each", diagnostics).unwrap_or_default();
    bound_names(names.iter().map(|(name, _)| (*name).to_string()).collect())
}

/// How laws are written, as a hint.
const LAW_FORMS: &str =
    "a law is a line `name = \"rule\"` of `[rules]`, or a table `[[law]]` with `id` and `rule` or `ltl`";

/// The laws of a policy, then those of `[rules]`: its keys are their names, its values rules or laws without names.
fn read_laws(fields: &mut TableFields<'_>, policy: Span, diagnostics: &mut Diagnostics) -> Vec<DataValue> {
    let (laws, rules) = (fields.get("law"), fields.get("rules"));
    let mut all = match laws.map(|data| (data, &data.kind)) {
        Some((_, DataKind::List(laws))) => laws.clone(),
        Some((data, _)) => {
            diagnostics.push(unexpected(data, "law", "a list of tables").hint(LAW_FORMS));
            return Vec::new();
        }
        None => Vec::new(),
    };
    let rules = match rules.map(|data| (data, &data.kind)) {
        Some((_, DataKind::Table(rules))) => rules.as_slice(),
        Some((data, _)) => {
            diagnostics.push(unexpected(data, "rules", "a table").hint(LAW_FORMS));
            return all;
        }
        None => &[],
    };
    if all.is_empty() && rules.is_empty() {
        let error = Diagnostic::error(Code::POLICY_FIELD, "a policy has at least one law");
        diagnostics.push(error.at(policy, "here").hint(LAW_FORMS));
    }
    for (key, data) in rules {
        let field = |name: &str| TomlKey { span: key.span, name: name.to_owned() };
        let id = DataValue { span: key.span, kind: DataKind::Text(key.name.clone()) };
        let entries = match &data.kind {
            DataKind::Text(_) => vec![(field("rule"), data.clone())],
            DataKind::Table(entries) => {
                if let Some((own, _)) =
                    entries.iter().find(|(own, _)| ["id", "law_id"].contains(&own.name.as_str()))
                {
                    let message = format!("the name of a law in `[rules]` is its key, `{}`", key.name);
                    diagnostics
                        .push(Diagnostic::error(Code::POLICY_FIELD, message).at(own.span, "another name"));
                    continue;
                }
                entries.clone()
            }
            _ => {
                let name = format!("rules.{}", key.name);
                diagnostics.push(unexpected(data, &name, "a rule, or a table with `rule` or `ltl`"));
                continue;
            }
        };
        let kind = DataKind::Table([(field("id"), id)].into_iter().chain(entries).collect());
        all.push(DataValue { span: key.span.to(data.span), kind });
    }
    all
}

fn law(
    context: &mut LawContext<'_>,
    patterns: &[(Span, LawPattern)],
    data: &DataValue,
    diagnostics: &mut Diagnostics,
) -> Option<Law> {
    let mut fields = TableFields::of(data, "a law", diagnostics)?;
    let id = fields.either(&["id", "law_id"]).and_then(|data| text(data, "id", diagnostics));
    let kind = fields.word("kind", KINDS, diagnostics).unwrap_or(LawKind::Hard);
    let mut for_each = bindings(&mut fields, diagnostics);
    let formula = fields.either(&["ltl", "law"]);
    let own_rule = fields.get("rule");
    if let Some(DataKind::Text(rule)) = own_rule.map(|rule| &rule.kind) {
        for_each.extend(split_for_each(rule).1);
        for_each = bound_names(for_each);
    }
    let why = fields.either(&["why", "explanation"]).and_then(|data| text(data, "why", diagnostics));
    let said = fields.get("on_violation");
    let own_answer = fields.word("on_violation", ON_VIOLATION, diagnostics);
    fields.finish(diagnostics);
    let asks = own_rule.and_then(|rule| rule::pattern_of(patterns, rule)).is_some_and(LawPattern::asks);
    if let (true, Some(data), Some(answer)) = (asks, said, own_answer)
        && answer != OnViolation::Ask
    {
        let error = Diagnostic::error(
            Code::POLICY_FIELD,
            "a rule that begins with `ask` asks, whatever else is said",
        );
        diagnostics.push(error.at(data.span, "not `ask`").hint("`never A` denies"));
    }
    let otherwise = if asks { OnViolation::Ask } else { OnViolation::Deny };
    let on_violation = own_answer.unwrap_or(otherwise);
    let Some(id) = id else {
        diagnostics
            .push(Diagnostic::error(Code::POLICY_FIELD, "a law has a name, `id`").at(data.span, "here"));
        return None;
    };
    let (ltl, place) = match (formula, own_rule) {
        (Some(formula), None) => (text(formula, "ltl", diagnostics)?.to_string(), formula.span),
        (None, Some(rule)) => (rule::pattern_of(patterns, rule)?.ltl_for_each(&for_each), rule.span),
        _ => {
            let message = format!("the law `{id}` has either a `rule`, a named pattern, or `ltl`, a formula");
            diagnostics.push(Diagnostic::error(Code::POLICY_FIELD, message).at(data.span, "here"));
            return None;
        }
    };
    let module = context.ltl(&ltl, place, &format!("law {id}"), diagnostics)?;
    let mut found = Diagnostics::new();
    if own_rule.is_none() {
        law_lint::operator_left_of_implication(&module, &mut found);
    }
    let lowered =
        formula::lower(&module, &context.atoms, &mut context.guards, context.strong_next, &mut found);
    context.reported(&found, &ltl, place, module.source, diagnostics);
    Some(Law {
        id: id.to_string(),
        span: data.span,
        kind,
        for_each,
        formula: lowered?,
        ltl,
        rule: own_rule
            .and_then(|rule| if let DataKind::Text(text) = &rule.kind { Some(text.clone()) } else { None }),
        why: why.unwrap_or_default().to_string(),
        on_violation,
        is_value_limit: false,
    })
}
