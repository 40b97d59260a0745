//! `emit POLICY`: the monitor of a policy as code, as automata, or as a query.

use crate::args::{DialectArg, EmitArgs, EmitFormat, Target};
use crate::exit::Exit;
use crate::output;
use crate::policy_file::is_policy;
use crate::seat::{Asked, Seat};
use std::path::Path;
use tsl_synth::diag::Severity;
use tsl_synth::service::{Input, PolicyEmitRequest, PolicyTarget, is_stdin};

/// Runs the verb if it is about a policy.
pub(super) fn run(args: &EmitArgs) -> Option<Exit> {
    let specs = &args.input.specs;
    let is_sql = args.lang == Target::Sql;
    if !specs.iter().any(|path| is_policy(path)) {
        return (is_sql || args.rows || args.input.dialect == Some(DialectArg::Duckdb))
            .then(|| output::wrong("`--lang sql`, `--dialect` and `--rows` are for policies: name one"));
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
    let is_plain = args.template.is_none()
        && args.scaffold.is_none()
        && !(args.counter || args.monitors || args.asynchronous || args.lazy);
    if !is_plain {
        let message = "of a policy there are no templates, scaffolds and variants of controllers";
        return Some(output::wrong(message));
    }
    let seat = Seat::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let file = args.output.output.as_deref().filter(|path| !is_stdin(path));
    let mut request = PolicyEmitRequest::new(Input::File(path.clone()), target);
    request.stem = file.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    if args.input.dialect.is_some_and(|dialect| dialect != DialectArg::Duckdb) {
        return Some(output::wrong("the dialects of `--lang sql` are: duckdb"));
    }
    request.rows = args.rows;
    let asked = seat.ask(move |session| session.emit_policy(&request)).or_exit();
    let Asked { answer, sources } = match asked {
        Ok(asked) => asked,
        Err(exit) => return Some(exit),
    };
    let report = match answer {
        Ok(report) => report,
        Err(failure) => return Some(seat.failed(&failure, &sources)),
    };
    seat.show(&report.diagnostics, Severity::Warning, &sources);
    let delivered = if args.format == EmitFormat::Json {
        output::deliver(file, &output::json(&report.document()))
    } else {
        super::put(&report.files, file)
    };
    Some(delivered.map_or_else(|error| output::error(&error), |()| Exit::Yes))
}
