//! Emits a runnable agent: the controller, prompts for each of its predicates and functions, a scripted model that
//! gives the answers of a play, a client for chat models, and the clauses as formulas that are monitored at run time.

use super::data::{DataView, EnvironmentSignal};
use super::input::{Contents, EmitError, EmitInput, EmitOptions, EmittedFile, Lang};
use super::{render, templates, view};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tsl_synth_agents::prompts::{FunctionPrompt, PredicatePrompt, Prompts, Text};
use tsl_synth_core::base::is_deceptive;
use tsl_synth_core::logic::{AtomId, FormulaId, Node};
use tsl_synth_core::model::Role;
use tsl_synth_documents::TraceDocument;
use tsl_synth_documents::view::{FieldView, MethodView, View};
use tsl_synth_lang::spec::{AtomMeaning, Problem, Sort, SymbolId, Term};

/// The parts of an agent other than its controller.
#[derive(Clone, Copy, Debug)]
pub struct AgentParts<'a> {
    /// The prompts of the models; names without an entry get a default.
    pub prompts: &'a Prompts,
    /// A play of the controller that keeps the assumptions: the answers of the scripted model.
    pub play: &'a TraceDocument,
}

/// Emits a project that runs without further code. See [`emit`](super::emit).
///
/// # Errors
/// If the target is not JavaScript or Python, or a template fails.
pub fn emit_agent(
    input: &EmitInput<'_>,
    options: &EmitOptions,
    parts: &AgentParts<'_>,
) -> Result<Vec<EmittedFile>, EmitError> {
    let lang = options.lang;
    if !matches!(lang, Lang::Js | Lang::Python) {
        return Err(EmitError::Unsupported("agents are emitted in `js` and `python`".into()));
    }
    let name = options.stem.as_deref().unwrap_or(&input.problem.name);
    let options = EmitOptions {
        // No module of the standard library has such a name.
        stem: Some(format!("{}_controller", name.chars().take(40).collect::<String>())),
        asynchronous: lang == Lang::Js,
        lazy: false,
        scaffold: true,
        template: None,
        ..options.clone()
    };
    let data = DataView::collect(input.problem);
    let view = view::view(&view::CodeRequest::of_machine(input)?, &options)?;
    if let Some(name) = beyond_models(input.problem, &view, &data) {
        return Err(EmitError::Unsupported(format!(
            "`{name}` is neither a text nor true or false, and models of an agent give nothing else"
        )));
    }
    let mut files = Vec::new();
    for (i, (template, extension)) in templates::controller(lang).iter().enumerate() {
        let path = format!("{}.{extension}", view.stem);
        files.push(EmittedFile { path, contents: text(render::embedded(template, &view)?), main: i == 0 });
    }
    for (template, path) in templates::agent(lang) {
        let contents = text(render::embedded(template, &view)?);
        files.push(EmittedFile { path: (*path).into(), contents, main: false });
    }
    let documents = [
        ("game.json", game(input, &view, &data, parts)?),
        ("prompts.json", prompts(input.problem, &view, &data, parts.prompts)),
    ];
    for (path, document) in documents {
        files.push(EmittedFile { path: path.into(), contents: text(pretty(&document)?), main: false });
    }
    Ok(files)
}

/// The name of an input or method whose values a language model cannot give, since they are neither texts nor Booleans.
fn beyond_models(problem: &Problem, view: &View, data: &DataView) -> Option<String> {
    let is_text = |ty: &str| view.sorts.iter().any(|sort| sort.ident == ty);
    let symbols = &problem.signature.symbols;
    let input = |(input, field): (&EnvironmentSignal, &FieldView)| match *input {
        EnvironmentSignal::Symbol(id) if !is_text(&field.ty) && symbols[id].sort != Sort::Bool => Some(id),
        _ => None,
    };
    let method = |(&id, method): (&SymbolId, &MethodView)| {
        (method.kind != "predicate" && !is_text(&method.ty)).then_some(id)
    };
    let found = data.inputs.iter().zip(&view.inputs).find_map(input);
    let found = found.or_else(|| data.methods.iter().zip(&view.methods).find_map(method));
    found.map(|id| symbols[id].name.clone())
}

fn text(text: String) -> Contents {
    Contents::Text(text)
}

/// Prints JSON with the characters of [`is_deceptive`] escaped, since they could deceive a reader or an editor.
fn pretty(document: &Value) -> Result<String, EmitError> {
    let json = serde_json::to_string_pretty(document)
        .map_err(|error| EmitError::Internal(format!("JSON of an agent: {error}")))?;
    let mut safe = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        if c != '\n' && is_deceptive(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(safe, "\\u{unit:04x}").expect("strings take everything");
            }
        } else {
            safe.push(c);
        }
    }
    safe.push('\n');
    Ok(safe)
}

/// The name of an atom in the letters of traces.
fn key(problem: &Problem, atom: AtomId) -> String {
    let name = &problem.alphabet.atoms()[atom].name;
    let is_cell = problem.alphabet.cells().iter().any(|cell| cell.name == *name);
    if is_cell { format!("({name})") } else { name.clone() }
}

/// The symbol of a predicate: the predicate that is applied, or a Boolean input; `None` for literals and operations.
fn head(problem: &Problem, atom: AtomId) -> Option<SymbolId> {
    let Some(AtomMeaning::Predicate(term)) = problem.signature.atoms.get(atom) else { return None };
    match problem.signature.terms.get(*term) {
        Term::Apply(symbol, _) | Term::Signal(symbol) => Some(*symbol),
        Term::Literal(_) | Term::Operation(..) => None,
    }
}

/// The predicate terms of each symbol, in the order in which a step evaluates them.
fn terms(problem: &Problem, view: &View, data: &DataView) -> BTreeMap<SymbolId, Vec<String>> {
    let mut terms: BTreeMap<SymbolId, Vec<String>> = BTreeMap::new();
    for late in [false, true] {
        for (predicate, shown) in data.predicates.iter().zip(&view.predicates) {
            if let Some(symbol) = head(problem, predicate.atom).filter(|_| shown.optional == late) {
                terms.entry(symbol).or_default().push(key(problem, predicate.atom));
            }
        }
    }
    terms
}

fn game(
    input: &EmitInput<'_>,
    view: &View,
    data: &DataView,
    parts: &AgentParts<'_>,
) -> Result<Value, EmitError> {
    let problem = input.problem;
    let symbols = &problem.signature.symbols;
    let mut terms = terms(problem, view, data);
    let methods: Map<String, Value> = data
        .methods
        .iter()
        .zip(&view.methods)
        .map(|(id, method)| {
            let terms = terms.remove(id).unwrap_or_default();
            (method.ident.clone(), json!({"name": symbols[*id].name, "kind": method.kind, "terms": terms}))
        })
        .collect();
    let inputs: Map<String, Value> = data
        .inputs
        .iter()
        .zip(&view.inputs)
        .map(|(input, field)| {
            let described = match *input {
                EnvironmentSignal::Atom(atom) => json!({"term": key(problem, atom)}),
                EnvironmentSignal::Symbol(id) => {
                    let name = &symbols[id].name;
                    let text = parts.prompts.inputs.get(name).copied().unwrap_or_default();
                    // A Boolean input that no clause mentions has no atom, so its own name serves as the term.
                    let term = terms.remove(&id).and_then(|terms| terms.into_iter().next());
                    json!({"term": term.as_ref().unwrap_or(name), "text": word(text)})
                }
            };
            (field.ident.clone(), described)
        })
        .collect();
    let play = serde_json::to_value(&parts.play.prefix)
        .map_err(|error| EmitError::Internal(format!("the play of an agent: {error}")))?;
    Ok(json!({
        "spec": input.meta.spec_name,
        "methods": methods,
        "inputs": inputs,
        "rules": rules(input),
        "play": play,
    }))
}

/// The clauses as formulas, in a list of nodes with operands first. The list is empty for a rewritten problem, since
/// its formulas may be over other letters than those of the machine.
fn rules(input: &EmitInput<'_>) -> Value {
    let problem = input.problem;
    let written = problem.clauses.iter().filter(|clause| clause.span.is_some()).zip(&input.meta.clauses);
    let written = written.filter(|_| !problem.rewritten);
    let clauses: Vec<_> =
        written.filter(|(clause, _)| matches!(clause.role, Role::Assumption | Role::Guarantee)).collect();
    let mut needed: BTreeSet<FormulaId> = BTreeSet::new();
    let mut stack: Vec<FormulaId> = clauses.iter().map(|(clause, _)| clause.formula).collect();
    while let Some(formula) = stack.pop() {
        if needed.insert(formula) {
            problem.formulas.node(formula).for_each_operand(|operand| stack.push(operand));
        }
    }
    // Operands have smaller ids than the formulas made of them.
    let places: BTreeMap<FormulaId, usize> = needed.iter().copied().zip(0..).collect();
    let nodes: Vec<Value> = needed.iter().map(|&formula| node(problem, formula, &places)).collect();
    let clauses: Vec<Value> = clauses
        .iter()
        .map(|(clause, shown)| {
            let role = if clause.role == Role::Assumption { "assumption" } else { "guarantee" };
            let text = format!("{} {{ {} }}", shown.section, shown.text);
            json!({"role": role, "text": text, "formula": places[&clause.formula]})
        })
        .collect();
    json!({"nodes": nodes, "clauses": clauses})
}

fn node(problem: &Problem, formula: FormulaId, places: &BTreeMap<FormulaId, usize>) -> Value {
    let node = problem.formulas.node(formula);
    let op = match node {
        Node::True => "true",
        Node::False => "false",
        Node::Atom(atom) => return atom_node(problem, *atom),
        Node::Not(_) => "not",
        Node::And(_) => "and",
        Node::Or(_) => "or",
        Node::Iff(..) => "iff",
        Node::Next(_) => "next",
        Node::Finally(_) => "finally",
        Node::Globally(_) => "globally",
        Node::Until(..) => "until",
        Node::Release(..) => "release",
        Node::WeakUntil(..) => "weak-until",
        Node::StrongRelease(..) => "strong-release",
    };
    let mut parts = vec![json!(op)];
    node.for_each_operand(|operand| parts.push(json!(places[&operand])));
    Value::Array(parts)
}

fn atom_node(problem: &Problem, atom: AtomId) -> Value {
    let alphabet = &problem.alphabet;
    let cell = alphabet.cells().iter().find(|cell| cell.options.contains(&atom));
    match (cell, alphabet.update_term(atom)) {
        (Some(cell), Some(term)) => json!(["updates", cell.name, term]),
        _ => json!(["holds", key(problem, atom)]),
    }
}

fn word(text: Text) -> &'static str {
    match text {
        Text::Passage => "passage",
        Text::Message => "message",
        Text::Summary => "summary",
    }
}

/// A name as words: `toCave` is `to cave`.
fn words(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c == '_' || c.is_uppercase() || c.is_whitespace() {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
            if c != '_' && !c.is_whitespace() {
                out.extend(c.to_lowercase());
            }
        } else {
            out.push(c);
        }
    }
    out.trim_end().to_string()
}

/// The texts that the scripted model returns for a function.
fn samples(name: &str) -> Vec<String> {
    let words = words(name);
    match words.strip_prefix("to ") {
        Some(place) => vec![
            format!("You follow the path and come to the {place}."),
            format!("A stranger leads you to the {place}. \"Look around,\" she says."),
            format!("It is late when you reach the {place}, and you are glad to be there."),
        ],
        None => {
            vec![format!("Now: {words}."), format!("And then: {words}."), format!("After that: {words}.")]
        }
    }
}

/// The prompts of the models, with an entry for each name.
fn prompts(problem: &Problem, view: &View, data: &DataView, given: &Prompts) -> Value {
    let signature = &problem.signature;
    let mut predicates = Map::new();
    for predicate in &data.predicates {
        let term = &problem.alphabet.atoms()[predicate.atom].name;
        let symbol = head(problem, predicate.atom).map(|id| &signature.symbols[id].name);
        let name = symbol.unwrap_or(term);
        // The controller computes comparisons itself, so they have no prompt.
        if predicate.root.is_some() && symbol.is_none() {
            continue;
        }
        predicates.insert(
            key(problem, predicate.atom),
            question(problem, view, data, name, given.predicate(term, name)),
        );
    }
    for (input, field) in data.inputs.iter().zip(&view.inputs) {
        if let EnvironmentSignal::Symbol(id) = input {
            let name = &signature.symbols[*id].name;
            if !predicates.contains_key(name) && matches!(field.ty.as_str(), "boolean" | "bool") {
                predicates
                    .insert(name.clone(), question(problem, view, data, name, given.predicate(name, name)));
            }
        }
    }
    let mut functions = Map::new();
    let mut all_samples = Map::new();
    all_samples.insert("summary".into(), json!(["The story went on."]));
    for (&id, _) in data.methods.iter().zip(&view.methods).filter(|(_, method)| method.kind != "predicate") {
        let name = &signature.symbols[id].name;
        let of_terms = || {
            let applied = signature.atoms.iter().filter_map(|meaning| match meaning {
                AtomMeaning::Update(_, term) => Some(*term),
                _ => None,
            });
            applied
                .filter(|&term| matches!(signature.terms.get(term), Term::Apply(symbol, _) if *symbol == id))
                .find_map(|term| given.functions.get(&signature.display(term)))
        };
        let found = given.functions.get(name).or_else(of_terms).map(FunctionPrompt::prompt);
        let usual = || format!("Write what comes next: {}.", words(name));
        functions.insert(name.clone(), found.map_or_else(usual, str::to_string).into());
        all_samples.insert(name.clone(), samples(name).into());
    }
    let or =
        |text: &str, usual: &str| if text.is_empty() { usual.to_string() } else { text.trim().to_string() };
    let summary = given.generator.summary.as_deref().unwrap_or_default();
    json!({
        "generator": {
            "prompt": or(&given.generator.prompt, "Write the next passage of a story: one paragraph of at most 100 words."),
            "summary": or(summary, "Summarize the story so far in a few sentences."),
        },
        "evaluator": {"prompt": or(&given.evaluator.prompt, "Read this passage.")},
        "predicates": predicates,
        "functions": functions,
        "messages": ["I look around.", "I go on.", "I ask the way.", "I take the safe path."],
        "samples": all_samples,
    })
}

/// How a predicate is evaluated: the prompt of a model, or a counter cell with its threshold.
fn question(
    problem: &Problem,
    view: &View,
    data: &DataView,
    name: &str,
    given: Option<&PredicatePrompt>,
) -> Value {
    match given {
        Some(PredicatePrompt::Prompt(prompt)) => json!({"prompt": prompt}),
        Some(PredicatePrompt::About(asked)) => match asked.about {
            Some(about) => json!({"prompt": asked.prompt, "about": word(about)}),
            None => json!({"prompt": asked.prompt}),
        },
        Some(PredicatePrompt::Counted(counted)) => {
            let cells = data.cells.iter().zip(&view.cells);
            let cell = cells
                .into_iter()
                .find(|(cell, _)| problem.signature.symbols[cell.symbol].name == counted.cell);
            match cell {
                Some((_, cell)) => json!({"cell": cell.ident, "atLeast": counted.at_least}),
                None => json!({"prompt": usual_question(name)}),
            }
        }
        None => json!({"prompt": usual_question(name)}),
    }
}

fn usual_question(name: &str) -> String {
    format!("Is this true at its end: {}?", words(name))
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn names_are_words() {
        assert_eq!(words("toCave"), "to cave");
        assert_eq!(words("in_the_cave"), "in the cave");
        assert_eq!(words("HTTP"), "h t t p");
        assert_eq!(words("_"), "");
    }
}
