//! Controllers as text: code, diagrams, automata, JSON.
//!
//! [`emit`] is the main entry point. Its stages: `Problem` and `Mealy` → decision trees, one per state → a view with
//! names and expressions in the syntax of the target (`wire::view`) → a template, which only does the layout.

#![forbid(unsafe_code)]

mod agent;
mod behavior;
mod care;
mod cause;
mod circuit_view;
mod data;
mod diagram;
mod dialect;
mod dot;
mod expressions;
mod gates;
mod graph;
mod input;
mod labels;
mod lasso;
pub mod layout;
mod machine;
mod names;
mod overview;
mod page;
mod page_machine;
mod page_sessions;
mod parts;
mod policy;
mod program;
mod render;
mod reserved;
mod rows;
mod scope;
mod svg;
mod table_code;
mod templates;
mod text;
mod tree;
mod unfold;
mod view;
mod web;

use tsl_synth_core::logic::{Alphabet, Player};
use tsl_synth_core::model::Circuit;
use tsl_synth_engine::mealy::{circuit_of_counter, circuit_of_mealy};
use tsl_synth_formats::aiger::{Aiger, aiger_of_strategy, write_ascii, write_binary};
use tsl_synth_formats::hoa::{HoaHeader, write_counter_strategy, write_mealy};
use tsl_synth_lang::spec::Problem;

pub use agent::{AgentParts, emit_agent};
pub use behavior::{BehaviorTarget, emit_behavior, followed_behavior, segment_grammars};
pub use cause::{PartDrawing, cause_drawing};
pub use dot::{emerson_lei_dot, parity_dot};
pub use input::{
    AigerForm, AssumptionMonitor, CIRCUIT_TARGETS, CircuitInput, ClauseText, Contents, EmitError, EmitInput,
    EmitOptions, EmittedFile, Lang, Meta, Strategy, UserTemplate,
};
pub use names::identifier;
pub use page::{GivenPlay, PageParts, emit_page};
pub use page_machine::{FollowedClause, PagePart};
pub use page_sessions::{FollowedNode, FollowedPart, SessionsParts, emit_sessions, followed_graph};
pub use policy::{
    AgentLang, LettersTable, PolicyEmitOptions, PolicyMeta, PolicyPages, PolicyTarget, SqlDialect,
    emit_policy, emit_policy_agent,
};
pub use program::{ProgramFile, emit_program};
pub use text::{json_string, plain};
pub use tsl_synth_core::model::OnBroken;

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
    code(&view::CodeRequest::of_machine(input)?, options)
}

/// The files of a controller as code.
fn code(request: &view::CodeRequest<'_>, options: &EmitOptions) -> Result<Vec<EmittedFile>, EmitError> {
    let view = view::view(request, options)?;
    if let Some(template) = &options.template {
        let path = format!("{}.txt", view.stem);
        let contents = Contents::Text(render::user(template, &view)?);
        return Ok(vec![EmittedFile { path, contents, main: true }]);
    }
    if options.web {
        return web::files(request, &view);
    }
    let mut files = Vec::new();
    let folder = if options.scaffold { templates::folder(options.lang) } else { "" };
    for (i, (template, extension)) in templates::controller(options.lang).iter().enumerate() {
        let contents = Contents::Text(render::embedded(template, &view)?);
        let path = format!("{folder}{}.{extension}", view.stem);
        files.push(EmittedFile { path, contents, main: i == 0 });
    }
    if options.scaffold {
        for (template, path, of_environment) in templates::scaffold(options.lang) {
            if view.has_environment || !of_environment {
                let contents = Contents::Text(render::embedded(template, &view)?);
                files.push(EmittedFile { path: (*path).into(), contents, main: false });
            }
        }
    }
    Ok(files)
}

/// Refuses options that only code has.
fn refuse_options_of_code(options: &EmitOptions) -> Result<(), EmitError> {
    if options.template.is_some() || options.scaffold {
        let code = Lang::ALL.into_iter().filter(|lang| lang.is_code());
        let code: Vec<String> = code.map(|lang| format!("`{}`", lang.name())).collect();
        let what = format!("templates and scaffolds are for code: choose one of {}", code.join(", "));
        return Err(EmitError::Unsupported(what));
    }
    if options.asynchronous || options.lazy {
        let (flag, langs) = if options.asynchronous {
            ("--async", "`rust`, `js`, `ts` or `python`")
        } else {
            ("--lazy", "`rust`, `js`, `ts`, `python`, `c`, `lua`, `go` or `csharp`")
        };
        return Err(EmitError::Unsupported(format!("`{flag}` is for code: choose {langs}, or leave it out")));
    }
    Ok(())
}

/// Emits a strategy of either player as a diagram, an automaton or JSON.
fn table(input: &EmitInput<'_>, options: &EmitOptions) -> Result<Vec<EmittedFile>, EmitError> {
    refuse_options_of_code(options)?;
    let alphabet = &input.problem.alphabet;
    let header =
        HoaHeader { name: plain(&input.meta.spec_name), tool_version: plain(&input.meta.tool_version) };
    let (extension, text) = match (options.lang, input.strategy) {
        (Lang::Dot, _) => ("dot", diagram::dot(input)?),
        (Lang::Mermaid, _) => ("mmd", diagram::mermaid(input)?),
        (Lang::Svg, _) => ("svg", svg::svg(input)?),
        (Lang::Text, _) => ("txt", diagram::text(input)?),
        (Lang::Hoa, Strategy::Controller(mealy)) => ("hoa", write_mealy(alphabet, mealy, &header)),
        (Lang::Hoa, Strategy::Counter(counter)) => {
            ("hoa", write_counter_strategy(alphabet, counter, &header))
        }
        (Lang::Aiger, strategy) => {
            let (circuit, owner) = match strategy {
                Strategy::Controller(mealy) => (circuit_of_mealy(alphabet, mealy), Player::System),
                Strategy::Counter(counter) => (circuit_of_counter(alphabet, counter), Player::Environment),
            };
            return Ok(vec![circuit_file(input.problem, &circuit, owner, input.meta, options)]);
        }
        (Lang::Verilog | Lang::Xstate, _) => {
            let stem = view::stem(input.problem, options);
            let view = table_code::table_view(input, options.lang, &stem)?;
            let verilog = options.lang == Lang::Verilog;
            let (template, extension) = if verilog { ("verilog", "v") } else { ("xstate", "mjs") };
            (extension, render::embedded(template, &view)?)
        }
        _ => {
            let document = graph::document(input)?;
            let text = serde_json::to_string_pretty(&document)
                .map_err(|error| EmitError::Internal(format!("machine JSON: {error}")))?;
            ("json", text + "\n")
        }
    };
    let path = format!("{}.{extension}", view::stem(input.problem, options));
    Ok(vec![EmittedFile { path, contents: Contents::Text(text), main: true }])
}

/// Emits a strategy that is a circuit: a controller as code, Verilog or AIGER, a counter-strategy as AIGER.
///
/// # Errors
/// If the target cannot express a circuit or the options, or a template fails.
pub fn emit_circuit(input: &CircuitInput<'_>, options: &EmitOptions) -> Result<Vec<EmittedFile>, EmitError> {
    let CircuitInput { problem, circuit, owner, meta, .. } = *input;
    let takes = options.lang == Lang::Aiger || owner == Player::System && options.lang.takes_circuits();
    if !takes {
        let (whose, targets) = match owner {
            Player::System => ("controller", format!("{CIRCUIT_TARGETS} write")),
            Player::Environment => ("counter-strategy", "`aiger` writes".into()),
        };
        return Err(EmitError::Unsupported(format!(
            "the {whose} has too many states or decisions to be listed and is a circuit, which {targets}"
        )));
    }
    if options.lang.is_code() {
        return code(&view::CodeRequest::of_circuit(input, options)?, options);
    }
    refuse_options_of_code(options)?;
    if options.lang == Lang::Aiger {
        return Ok(vec![circuit_file(problem, circuit, owner, meta, options)]);
    }
    let stem = view::stem(problem, options);
    let text = render::embedded("verilog", &table_code::verilog_circuit(input, &stem))?;
    Ok(vec![EmittedFile { path: format!("{stem}.v"), contents: Contents::Text(text), main: true }])
}

fn circuit_file(
    problem: &Problem,
    circuit: &Circuit,
    owner: Player,
    meta: &Meta,
    options: &EmitOptions,
) -> EmittedFile {
    let aiger = with_comment(&problem.alphabet, circuit, owner, meta);
    let (extension, contents) = match options.aiger {
        AigerForm::Ascii => ("aag", Contents::Text(write_ascii(&aiger))),
        AigerForm::Binary => ("aig", Contents::Binary(write_binary(&aiger))),
    };
    EmittedFile { path: format!("{}.{extension}", view::stem(problem, options)), contents, main: true }
}

/// A circuit in AIGER with a comment about its origin and certificate.
fn with_comment(alphabet: &Alphabet, circuit: &Circuit, owner: Player, meta: &Meta) -> Aiger {
    let comment = format!(
        "{}\nmade by tsl-synth {}: {}\n{}\n",
        meta.spec_name,
        meta.tool_version,
        meta.origin,
        meta.certified_by.as_deref().map_or("not certified".into(), |by| format!("certified by {by}")),
    );
    aiger_of_strategy(alphabet, circuit, owner, &comment)
}
