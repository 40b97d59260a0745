//! `emit POLICY`: the monitor of a policy as code, as automata, or as a query.

use crate::args::{DialectArg, EmitArgs, Target};
use crate::exit::Exit;
use crate::output;
use crate::policy_file::is_policy;
use std::path::Path;
use tsl_synth::diag::Severity;
use tsl_synth::service::{Input, PolicyEmitRequest, PolicyTarget};

/// Runs the verb if it is about a policy.
pub(super) fn run(args: &EmitArgs) -> Option<Exit> {
    let specs = &args.input.specs;
    let is_sql = args.lang == Target::Sql;
    if !specs.iter().any(|path| is_policy(path)) {
        return (is_sql || args.rows || args.monitor || args.input.dialect == Some(DialectArg::Duckdb)).then(
            || {
                output::wrong(
                    "`--lang sql`, `--dialect`, `--rows` and `--monitor` are for policies: name one",
                )
            },
        );
    }
    let [path] = specs.as_slice() else {
        return Some(output::wrong("a policy is emitted by itself"));
    };
    let target = match args.lang {
        Target::Sql => Some(PolicyTarget::Sql),
        Target::Machine(lang) => PolicyTarget::from_name(lang.name()),
        Target::Grammar(_) => None,
    };
    let Some(target) = target else {
        let all = PolicyTarget::ALL.map(PolicyTarget::name).join(", ");
        return Some(output::wrong(&format!("a policy is emitted as one of {all}")));
    };
    if !is_sql && (args.rows || args.input.dialect.is_some()) {
        return Some(output::wrong("`--dialect` and `--rows` are for `--lang sql`"));
    }
    if !super::is_plain(args) {
        let message = "of a policy there are no templates, scaffolds and variants of controllers";
        return Some(output::wrong(message));
    }
    let mut request = PolicyEmitRequest::new(Input::File(path.clone()), target);
    request.stem =
        super::target_file(args).and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    if args.input.dialect.is_some_and(|dialect| dialect != DialectArg::Duckdb) {
        return Some(output::wrong("the dialects of `--lang sql` are: duckdb"));
    }
    request.rows = args.rows;
    request.monitor = args.monitor;
    Some(super::emit_files(args, Severity::Warning, move |session| session.emit_policy(&request)))
}
