//! Controllers as text: code, diagrams, automata, JSON.
//!
//! [`emit`] is the whole interface. The way of a machine: `Problem` and `Mealy` → decision trees, one per
//! state → a view with target-ready names and expressions (`wire::view`) → a template that only lays it out.

mod data;
mod dialect;
mod expressions;
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
        return Err(EmitError::Unsupported(format!("`{}` is not emitted yet", options.lang.name())));
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
