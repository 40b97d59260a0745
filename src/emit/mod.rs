//! Controllers as text: code, diagrams, automata, JSON.
//!
//! [`emit`] is the whole interface. The way of a machine: `Problem` and `Mealy` → decision trees, one per
//! state → a view with target-ready names and expressions (`wire::view`) → a template that only lays it out.

mod data;
mod diagram;
mod dialect;
mod expressions;
mod graph;
mod identity;
mod input;
mod labels;
mod machine;
mod names;
mod render;
mod rows;
mod scope;
mod text;
mod tree;
mod view;

use crate::format::hoa::{HoaHeader, write_counter_strategy, write_mealy};

pub use identity::sha256;
pub use input::{
    AssumptionMonitor, ClauseText, EmitError, EmitInput, EmitOptions, EmittedFile, Lang, Meta, OnBroken,
    Strategy, UserTemplate,
};
pub use text::{json_string, plain};

/// Emits a machine for one target.
///
/// The result depends on nothing but the arguments. Files come in a fixed order, the main one first.
///
/// # Errors
/// If the target cannot express the machine or the options, or a template fails.
pub fn emit(input: &EmitInput<'_>, options: &EmitOptions) -> Result<Vec<EmittedFile>, EmitError> {
    if !options.lang.is_code() {
        return table(input, options);
    }
    let view = view::view(input, options)?;
    if let Some(template) = &options.template {
        let path = format!("{}.txt", view.stem);
        return Ok(vec![EmittedFile { path, text: render::user(template, &view)?, main: true }]);
    }
    let mut files = Vec::new();
    for (i, (template, extension)) in templates(options.lang).iter().enumerate() {
        let text = render::embedded(template, &view)?;
        files.push(EmittedFile { path: format!("{}.{extension}", view.stem), text, main: i == 0 });
    }
    Ok(files)
}

/// Emits a strategy of either player as a diagram, an automaton or JSON.
fn table(input: &EmitInput<'_>, options: &EmitOptions) -> Result<Vec<EmittedFile>, EmitError> {
    if options.template.is_some() || options.scaffold {
        let what = "templates and scaffolds are for code: choose `rust`, `js`, `ts`, `python` or `c`";
        return Err(EmitError::Unsupported(what.into()));
    }
    let alphabet = &input.problem.alphabet;
    let header =
        HoaHeader { name: plain(&input.meta.spec_name), tool_version: plain(&input.meta.tool_version) };
    let (extension, text) = match (options.lang, input.strategy) {
        (Lang::Dot, _) => ("dot", diagram::dot(input)?),
        (Lang::Mermaid, _) => ("mmd", diagram::mermaid(input)?),
        (Lang::Hoa, Strategy::Controller(mealy)) => ("hoa", write_mealy(alphabet, mealy, &header)),
        (Lang::Hoa, Strategy::Counter(counter)) => {
            ("hoa", write_counter_strategy(alphabet, counter, &header))
        }
        _ => {
            let document = graph::document(input)?;
            let text = serde_json::to_string_pretty(&document)
                .map_err(|error| EmitError::Internal(format!("machine JSON: {error}")))?;
            ("json", text + "\n")
        }
    };
    Ok(vec![EmittedFile { path: format!("{}.{extension}", view::stem(input, options)), text, main: true }])
}

/// The embedded templates of a target with the extensions of their files, the main one first.
fn templates(lang: Lang) -> &'static [(&'static str, &'static str)] {
    match lang {
        Lang::Rust => &[("rust", "rs")],
        Lang::Js => &[("js", "js"), ("d.ts", "d.ts")],
        Lang::Ts => &[("js", "ts")],
        Lang::Python => &[("python", "py")],
        Lang::C => &[("c", "c"), ("h", "h")],
        Lang::Dot | Lang::Mermaid | Lang::Hoa | Lang::Json => &[],
    }
}
