//! `emit POLICY`: the gate of a policy or the monitor of its laws as code, as automata, or as a query.

use super::target::EmitTarget;
use crate::emit::args::EmitArgs;
use crate::exit::Exit;
use crate::flags::{DialectArg, EmitFormat};
use crate::output;
use crate::policy_file::is_policy;
use std::path::Path;
use tsl_synth_core::diag::Severity;
use tsl_synth_service::{Adapter, Input, PolicyEmitRequest, PolicyTarget};

/// Runs the verb if it is about a policy.
pub(super) fn run(args: &EmitArgs, target: EmitTarget) -> Option<Exit> {
    let specs = &args.input.specs;
    let is_sql = target == EmitTarget::Sql;
    if !specs.iter().any(|path| is_policy(path)) {
        let duckdb = args.input.dialect == Some(DialectArg::Duckdb);
        let asked = is_sql || args.rows || args.law_monitor || args.adapter.is_some() || duckdb;
        let flags = "`--lang sql`, `--dialect`, `--rows`, `--law-monitor` and `--adapter`";
        return asked.then(|| output::wrong(&format!("{flags} are for policies: name one")));
    }
    let [path] = specs.as_slice() else {
        return Some(output::wrong("a policy is emitted by itself"));
    };
    let target = match target {
        EmitTarget::Sql => Some(PolicyTarget::Sql),
        EmitTarget::Machine(lang) => PolicyTarget::from_name(lang.name()),
        EmitTarget::Grammar(_) => None,
    };
    let Some(target) = target else {
        let all = PolicyTarget::ALL.map(PolicyTarget::name).join(", ");
        return Some(output::wrong(&format!("a policy is emitted as one of {all}")));
    };
    if !is_sql && (args.rows || args.input.dialect.is_some()) {
        return Some(output::wrong("`--dialect` and `--rows` are for `--lang sql`"));
    }
    if let Some(wrong) = not_emitted(target, args) {
        return Some(output::wrong(wrong));
    }
    let file = super::target_file(args);
    if let Some(wrong) = args.adapter.and_then(|adapter| not_adapted(adapter, target, file, args)) {
        return Some(output::wrong(&wrong));
    }
    let mut request = PolicyEmitRequest::new(Input::File(path.clone()), target);
    request.adapter = args.adapter;
    request.agent = args.llm;
    request.stem = file.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    if args.format == EmitFormat::Text {
        request.file = file.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    }
    if args.input.dialect.is_some_and(|dialect| dialect != DialectArg::Duckdb) {
        return Some(output::wrong("the dialects of `--lang sql` are: duckdb"));
    }
    request.rows = args.rows;
    request.monitor = args.law_monitor;
    Some(super::emit_files(args, Severity::Warning, move |session| session.emit_policy(&request)))
}

/// The error message if a flag does not apply to policies.
fn not_emitted(target: PolicyTarget, args: &EmitArgs) -> Option<&'static str> {
    if args.template.is_some() || args.counter || args.conjunct_automata || args.asynchronous || args.lazy {
        return Some("of a policy there are no templates and variants of controllers");
    }
    args.scaffold.as_ref()?;
    if !args.llm {
        return Some("of a policy `--scaffold` makes an agent behind the gate: add `--llm`");
    }
    if !target.has_agent() {
        return Some("an agent behind the gate is made with `--lang python` or `--lang js`");
    }
    let other = args.law_monitor || args.adapter.is_some();
    other.then_some("an agent has its own loop and the whole gate: leave out `--law-monitor` and `--adapter`")
}

/// The error message if the adapter cannot be written with these flags.
fn not_adapted(
    adapter: Adapter,
    target: PolicyTarget,
    file: Option<&Path>,
    args: &EmitArgs,
) -> Option<String> {
    let (own, lang) = (adapter.name(), adapter.target().name());
    if target != adapter.target() {
        return Some(format!("`--adapter {own}` is for gates in another language: `--lang {lang}`"));
    }
    if args.law_monitor {
        return Some("`--adapter` is for the whole gate: leave out `--law-monitor`".into());
    }
    if args.format == EmitFormat::Json {
        return None;
    }
    let Some(file) = file else {
        return Some(
            "`--adapter` writes a file beside the gate: name the gate with `-o FILE`, or take both with `--format json`"
                .into(),
        );
    };
    let known = file.extension().and_then(|ending| ending.to_str());
    let endings: &[&str] = if target == PolicyTarget::Js { &["js", "mjs"] } else { &["py"] };
    if !known.is_some_and(|ending| endings.contains(&ending)) || file.to_str().is_none() {
        let ending = endings.join("` or `.");
        return Some(format!(
            "the adapter loads the gate by its name: end that of `-o` with `.{ending}`, in UTF-8"
        ));
    }
    None
}
