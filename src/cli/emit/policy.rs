//! `emit POLICY`: the monitor of its laws as code, as automata, or as a query, and agents behind its gate.

use super::target::EmitTarget;
use crate::emit::args::EmitArgs;
use crate::exit::Exit;
use crate::flags::DialectArg;
use crate::output;
use crate::policy_file::is_policy;
use std::path::Path;
use tsl_synth_core::diag::Severity;
use tsl_synth_service::{AgentLang, Input, Lang, PolicyAgentRequest, PolicyEmitRequest, PolicyTarget};

/// Runs the verb if it is about a policy.
pub(super) fn run(args: &EmitArgs, target: EmitTarget) -> Option<Exit> {
    let specs = &args.input.specs;
    let is_sql = target == EmitTarget::Sql;
    if !specs.iter().any(|path| is_policy(path)) {
        let duckdb = args.input.dialect == Some(DialectArg::Duckdb);
        let asked = is_sql || args.rows || args.law_monitor || args.adapter.is_some() || duckdb;
        let flags = "`--lang sql`, `--dialect`, `--rows` and `--law-monitor`";
        return asked.then(|| output::wrong(&format!("{flags} are for policies: name one")));
    }
    let [path] = specs.as_slice() else {
        return Some(output::wrong("a policy is emitted by itself"));
    };
    if let Some(sdk) = &args.adapter {
        return Some(output::wrong(&adapter(sdk)));
    }
    if !is_sql && (args.rows || args.input.dialect.is_some()) {
        return Some(output::wrong("`--dialect` and `--rows` are for `--lang sql`"));
    }
    if args.template.is_some() || args.counter || args.conjunct_automata || args.asynchronous || args.lazy {
        return Some(output::wrong("of a policy there are no templates and variants of controllers"));
    }
    if args.scaffold.is_some() {
        return Some(agent(args, target, path));
    }
    if args.input.dialect.is_some_and(|dialect| dialect != DialectArg::Duckdb) {
        return Some(output::wrong("the dialects of `--lang sql` are: duckdb"));
    }
    let target = match monitor(target, args.law_monitor) {
        Ok(target) => target,
        Err(wrong) => return Some(output::wrong(&wrong)),
    };
    let mut request = PolicyEmitRequest::new(Input::File(path.clone()), target);
    let file = super::target_file(args);
    request.stem = file.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    request.rows = args.rows;
    Some(super::emit_files(args, Severity::Warning, move |session| session.emit_policy(&request)))
}

/// The target of a monitor.
///
/// # Errors
/// What to do instead, if there is none.
fn monitor(target: EmitTarget, is_monitor: bool) -> Result<PolicyTarget, String> {
    let lang = match target {
        EmitTarget::Sql => return Ok(PolicyTarget::Sql),
        EmitTarget::Machine(lang) => Some(lang),
        EmitTarget::Grammar(_) => None,
    };
    let found = lang.and_then(|lang| PolicyTarget::from_name(lang.name()));
    let all = PolicyTarget::ALL.map(PolicyTarget::name).join(", ");
    match (found, lang.and_then(package)) {
        (Some(target), Some(_)) if is_monitor => Ok(target),
        (Some(target), None) => Ok(target),
        (found, Some(package)) => {
            let monitor = if found.is_some() {
                "`--law-monitor` emits the monitor of its laws alone".to_owned()
            } else {
                format!("the monitor of its laws alone is emitted as one of {all}")
            };
            Err(format!(
                "the gate of a policy is not emitted, it is in a package: {package}; {UNPUBLISHED}; {monitor}"
            ))
        }
        (None, None) => Err(format!("the monitor of a policy is emitted as one of {all}")),
    }
}

/// How to get a package of this project.
const UNPUBLISHED: &str = "until it is published, build it from a clone (`tsl-synth help policy`)";

/// The package in which the gate is for programs in a language.
fn package(lang: Lang) -> Option<&'static str> {
    match lang {
        Lang::Python => Some("`pip install tsl-synth`, then `from tsl_synth import Gate, Policy`"),
        Lang::Js | Lang::Ts => {
            Some("`npm install tsl-synth`, then `import { Gate, Policy } from \"tsl-synth\"`")
        }
        Lang::Rust => {
            Some("`cargo add tsl-synth-gate tsl-synth-stores`, then `use tsl_synth_gate::{Gate, Policy}`")
        }
        _ => None,
    }
}

/// The modules that put a gate into SDKs for agents.
const ADAPTERS: [(&str, &str); 6] = [
    ("openai-agents", "`pip install tsl-synth`, module `tsl_synth.openai_agents`"),
    ("langchain", "`pip install tsl-synth`, module `tsl_synth.langchain`"),
    ("pydantic-ai", "`pip install tsl-synth`, module `tsl_synth.pydantic_ai`"),
    ("claude-agent-sdk", "`pip install tsl-synth`, module `tsl_synth.claude_agent_sdk`"),
    ("agent-framework", "`pip install tsl-synth`, module `tsl_synth.agent_framework`"),
    ("ai-sdk", "`npm install tsl-synth`, module `tsl-synth/ai-sdk`"),
];

/// Where the adapter for an SDK is.
fn adapter(sdk: &str) -> String {
    let known = ADAPTERS.iter().find(|(name, _)| *name == sdk).map(|(_, place)| (*place).to_owned());
    let all = || ADAPTERS.map(|(name, place)| format!("{name}: {place}")).join("; ");
    let place = known.unwrap_or_else(all);
    format!("adapters are not emitted, they are in packages: {place}; {UNPUBLISHED}")
}

/// Makes an agent behind the gate.
fn agent(args: &EmitArgs, target: EmitTarget, path: &Path) -> Exit {
    if !args.llm {
        return output::wrong("of a policy `--scaffold` makes an agent behind the gate: add `--llm`");
    }
    if args.law_monitor {
        return output::wrong("an agent has the whole gate: leave out `--law-monitor`");
    }
    let lang = match target {
        EmitTarget::Machine(lang) => AgentLang::from_name(lang.name()),
        _ => None,
    };
    let Some(lang) = lang else {
        return output::wrong("an agent behind the gate is made with `--lang python` or `--lang js`");
    };
    let request = PolicyAgentRequest::new(Input::File(path.to_owned()), lang);
    super::emit_files(args, Severity::Warning, move |session| session.emit_policy_agent(&request))
}
