//! `view`: a page that draws and plays a machine.

mod agent;
pub(crate) mod args;
mod page;
mod policy;

use crate::exit::Exit;
use crate::flags::InputArgs;
use crate::output;
use crate::settings::Settings;
use crate::{pipe, project};
use args::ViewArgs;
use tsl_synth_service::{Input, SpecRequest, ViewRequest};

/// Runs the verb.
pub(crate) fn run(mut args: ViewArgs) -> Exit {
    if args.spec.is_some() || args.machine.is_some() {
        return of_trace(&args);
    }
    if let Err(error) = pipe::complete(&mut args.input.specs, &args.input.formula, project::of_folder) {
        return output::error(&error);
    }
    if policy::is_meant(&args) {
        return policy::run(&args);
    }
    if let Some(exit) = agent::run(&args) {
        return exit;
    }
    if args.from.is_some() {
        return output::wrong("`--from` is about logs: `view POLICY LOG --from FORMAT`");
    }
    if let Err(error) = project::complete(&mut args.input, &mut args.engine) {
        return output::error(&error);
    }
    show(&args, args.input.spec(), None)
}

/// Makes the page of a trace of the machine or specification that an option names.
fn of_trace(args: &ViewArgs) -> Exit {
    let [trace] = args.input.specs.as_slice() else {
        return output::wrong("`--spec` and `--machine` are about one trace: `view TRACE --spec s.tsl`");
    };
    if args.from.is_some() {
        return output::wrong("`--from` is about logs: `view POLICY LOG --from FORMAT`");
    }
    let trace = Input::File(trace.clone());
    let specs = args.spec.iter().chain(&args.machine).cloned().collect();
    show(args, InputArgs { specs, ..args.input.clone() }.spec(), Some(trace))
}

/// Makes the page of a machine, and of a trace of it, if any.
fn show(args: &ViewArgs, spec: SpecRequest, trace: Option<Input>) -> Exit {
    let mut request = ViewRequest::new(spec);
    request.trace = trace;
    request.solver = Settings::new(args.engine.clone()).solver();
    request.effect.clone_from(&args.effect);
    request.hypothesis.clone_from(&args.hypothesis);
    agent::show(args, move |session| session.view(&request))
}
