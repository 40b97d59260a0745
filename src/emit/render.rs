//! The template engine: undefined names are errors, no file is read, and templates of the user run under
//! limits of steps and recursion.

use super::input::{EmitError, UserTemplate};
use super::templates::TEMPLATES;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value};
use std::sync::LazyLock;
use tsl_synth_documents::view::View;

/// Steps that a template of the user may take.
const USER_FUEL: u64 = 20_000_000;
/// How deep templates may nest calls.
const RECURSION: usize = 200;
/// The longest line of emitted Rust, the default of rustfmt.
const RUST_WIDTH: usize = 100;

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()
        .expect("the delimiters are the usual ones");
    environment.set_syntax(syntax);
    environment.set_recursion_limit(RECURSION);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.add_filter("pad", pad);
    environment.add_filter("tabs", tabs);
    environment.add_filter("assign", assign);
    environment.add_filter("cond", cond);
    environment
}

/// `4 | pad` is four blanks.
fn pad(width: usize) -> String {
    " ".repeat(width.min(4000))
}

/// `4 | tabs` is four tabulators.
fn tabs(width: usize) -> String {
    "\t".repeat(width.min(4000))
}

/// `place | assign(value, indent)` is an assignment as rustfmt lays it out.
fn assign(place: &str, value: &str, indent: usize) -> String {
    let width = indent + place.len() + value.len() + 4;
    let broken = indent + 4 + value.len() < RUST_WIDTH;
    let separator = if width > RUST_WIDTH && broken { format!("\n{}", pad(indent + 4)) } else { " ".into() };
    format!("{}{place} ={separator}{value};", pad(indent))
}

/// `condition | cond(indent, prefix)` is a condition with its `{`, broken before its operators if it is too long
/// for a line after `prefix` characters, as rustfmt does.
fn cond(condition: &str, indent: usize, prefix: usize) -> String {
    let width = indent + prefix + condition.len();
    if width + 2 <= RUST_WIDTH {
        return format!("{condition} {{");
    }
    if width <= RUST_WIDTH {
        return format!("{condition}\n{}{{", pad(indent));
    }
    let broken = format!("\n{}", pad(indent + 4));
    let lines = condition.replace(" || ", &format!("{broken}|| ")).replace(" && ", &format!("{broken}&& "));
    if lines.contains('\n') { format!("{lines}\n{}{{", pad(indent)) } else { format!("{lines} {{") }
}

/// The embedded templates, parsed once.
static EMBEDDED: LazyLock<Result<Environment<'static>, minijinja::Error>> = LazyLock::new(|| {
    let mut environment = environment();
    TEMPLATES.iter().try_for_each(|(name, source)| environment.add_template(name, source))?;
    Ok(environment)
});

/// Renders a view with an embedded template.
pub(super) fn embedded(name: &str, view: &impl serde::Serialize) -> Result<String, EmitError> {
    let parsed = EMBEDDED.as_ref().map_err(|error| EmitError::Internal(format!("templates: {error:#}")))?;
    let rendered = parsed.get_template(name).and_then(|template| template.render(Value::from(Serde(view))));
    rendered.map_err(|error| EmitError::Internal(format!("template `{name}`: {error:#}")))
}

/// Renders a view with a template of the user.
pub(super) fn user(template: &UserTemplate, view: &View) -> Result<String, EmitError> {
    let mut environment = environment();
    environment.set_fuel(Some(USER_FUEL));
    environment.render_named_str(&template.name, &template.text, Value::from(Serde(view))).map_err(|error| {
        let text = format!("{error:#}");
        if error.kind() == ErrorKind::OutOfFuel {
            EmitError::Limit(format!("the template did not finish within {USER_FUEL} steps: {text}"))
        } else {
            EmitError::Template(text)
        }
    })
}
