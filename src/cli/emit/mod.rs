//! `emit`: the controller of a specification as code, diagram or automaton.

pub(crate) mod args;
mod agent;
mod policy;
mod program;
pub(crate) mod target;

use crate::adapters::{Adapters, WithSources};
use crate::exit::Exit;
use crate::flags::EmitFormat;
use crate::output;
use crate::{pipe, project, terminal};
use anyhow::{Context, Result, bail};
use args::EmitArgs;
use std::path::{Path, PathBuf};
use target::EmitTarget;
use tsl_synth_core::diag::Severity;
use tsl_synth_core::source::SourceMap;
use tsl_synth_service::{
    AigerForm, EmitReport, EmitRequest, Emitted, EmittedFile, Failure, FailureKind, FilesReport, Lang,
    OnBroken, Session, UserTemplate, is_stdin, shown,
};

/// Runs the verb.
pub(crate) fn run(mut args: EmitArgs) -> Exit {
    let reported = target_file(&args).filter(|_| args.format == EmitFormat::Text).and_then(target::of_ending);
    let page = args.web.then_some(EmitTarget::Machine(Lang::Js));
    let Some(target) = args.lang.or(reported).or(page) else {
        let ending =
            args.output.output.as_deref().and_then(Path::extension).and_then(|ending| ending.to_str());
        if let Some(ending @ ("html" | "htm" | "png" | "pdf" | "jpg")) = ending {
            let (call, what) = match ending {
                "html" | "htm" => ("`tsl-synth view SPEC -o FILE.html`", "makes the page of a machine"),
                _ => (
                    "`tsl-synth emit SPEC -o FILE.svg`",
                    "draws a machine, and browsers print and convert it",
                ),
            };
            return output::wrong(&format!("`emit` writes no `.{ending}`: {call} {what}"));
        }
        let all = format!("{}; of behaviors {}; of policies sql", target::langs(), target::grammars());
        return output::wrong(&format!(
            "the target is not known: say `--lang LANG`, or `-o FILE` with an ending that tells it: {all}"
        ));
    };
    if let Err(error) = pipe::complete(&mut args.input.specs, &args.input.formula, project::of_folder) {
        return output::error(&error);
    }
    if let Some(exit) = agent::run(&args, target).or_else(|| program::run(&args, target)) {
        return exit;
    }
    if let Some(exit) = policy::run(&args, target) {
        return exit;
    }
    let request = project::complete(&mut args.input, &mut args.engine).and_then(|()| request(&args, target));
    let mut request = match request {
        Ok(request) => request,
        Err(error) => return output::error(&error),
    };
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    request.solver = adapters.settings.solver();
    let name = request.spec.name();
    let WithSources { answer, sources } = match adapters.ask(move |session| session.emit(&request)).or_exit()
    {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    let report = match answer {
        Ok(report) => report,
        Err(failure) => return failed(&args, &adapters, &failure, &name, &sources),
    };
    adapters.show(&report.diagnostics, Severity::Warning, &sources);
    if let Err(error) = deliver(&report, &args) {
        return output::error(&error);
    }
    for missing in &report.missing {
        terminal::eprint(&format!("{}\n", terminal::escape_lines(missing)));
    }
    if report.missing.is_empty() { Exit::Yes } else { Exit::Unknown }
}

/// Says why nothing was made, as text or in a document.
fn failed(args: &EmitArgs, adapters: &Adapters, failure: &Failure, name: &str, sources: &SourceMap) -> Exit {
    let is_json = args.format == EmitFormat::Json;
    // The document has the errors of the input.
    let exit = if is_json && failure.is_of_input() { Exit::Wrong } else { adapters.failed(failure, sources) };
    if let (FailureKind::NoStrategy { .. }, false) = (&failure.kind, args.counter) {
        terminal::eprint("`tsl-synth check` says why; `--counter` emits the counter-strategy\n");
    }
    if !is_json {
        return exit;
    }
    let lang = match args.lang {
        Some(EmitTarget::Machine(lang)) => lang.name(),
        Some(EmitTarget::Grammar(target)) => target.name(),
        Some(EmitTarget::Sql) => "sql",
        // With JSON, the target of `--web` alone can be left out.
        None => Lang::Js.name(),
    };
    let text = output::json(&failure.emit_document(name, lang, sources));
    output::deliver(target_file(args), &text)
        .map_or_else(|error| output::error(&error).worst(exit), |()| exit)
}

fn request(args: &EmitArgs, target: EmitTarget) -> Result<EmitRequest> {
    let lang = match target {
        EmitTarget::Machine(lang) => lang,
        EmitTarget::Grammar(target) => {
            bail!("`--lang {}` is for behaviors: name an `.agent` file", target.name());
        }
        EmitTarget::Sql => bail!("`--lang sql` is for policies"),
    };
    if args.conjunct_automata && !matches!(lang, Lang::Hoa | Lang::Dot) {
        bail!("`--conjunct-automata` are automata: `--lang hoa` or `--lang dot`");
    }
    let mut request = EmitRequest::new(args.input.spec(), lang);
    if let Some(path) = &args.template {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the template `{}`", path.display()))?;
        request.template = Some(UserTemplate { name: shown(path), text });
    }
    request.what = match (args.conjunct_automata, args.counter) {
        (true, _) => Emitted::Monitors,
        (false, true) => Emitted::CounterStrategy,
        (false, false) if args.llm => Emitted::Agent,
        (false, false) => Emitted::Controller,
    };
    request.asynchronous = args.asynchronous;
    request.lazy = args.lazy;
    let usual = if args.llm { OnBroken::Resync } else { OnBroken::Error };
    request.on_broken_assumption = args.on_broken_assumption.unwrap_or(usual);
    request.scaffold = args.scaffold.is_some();
    request.web = args.web;
    let target = args.output.output.as_deref().filter(|path| !is_stdin(path));
    // The ending `.aig` selects the binary form, except in JSON, which holds text.
    if args.format == EmitFormat::Text
        && target.and_then(Path::extension).is_some_and(|ending| ending == "aig")
    {
        request.aiger = AigerForm::Binary;
    }
    // The companions of `-o name.js` share its stem.
    let stem = target.and_then(Path::file_stem);
    request.stem = stem.map(|stem| stem.to_string_lossy().into_owned());
    Ok(request)
}

/// Writes the files to a project folder, to the output file or to standard output.
fn deliver(report: &EmitReport, args: &EmitArgs) -> Result<()> {
    if let Some(folder) = &args.scaffold {
        return scaffold(&report.files, folder, args);
    }
    let target = args.output.output.as_deref().filter(|path| !is_stdin(path));
    if args.format == EmitFormat::Json {
        return output::deliver(target, &output::json(&report.document()));
    }
    put(&report.files, target)
}

/// Whether no flag is given that applies to controllers only.
fn is_plain(args: &EmitArgs) -> bool {
    args.template.is_none()
        && args.scaffold.is_none()
        && !(args.counter || args.conjunct_automata || args.asynchronous || args.lazy || args.web)
}

/// The file that the result goes to, if not to standard output.
fn target_file(args: &EmitArgs) -> Option<&Path> {
    args.output.output.as_deref().filter(|path| !is_stdin(path))
}

/// Emits the files of a behavior or a policy. Findings of at least the severity `least` are shown.
fn emit_files(
    args: &EmitArgs,
    least: Severity,
    request: impl FnOnce(&mut Session<'_>) -> Result<FilesReport, Failure> + Send + 'static,
) -> Exit {
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let WithSources { answer, sources } = match adapters.ask(request).or_exit() {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    let report = match answer {
        Ok(report) => report,
        Err(failure) => {
            let name = args.input.specs.first().map_or(String::new(), |path| shown(path));
            return failed(args, &adapters, &failure, &name, &sources);
        }
    };
    adapters.show(&report.diagnostics, least, &sources);
    let file = target_file(args);
    let delivered = if let Some(folder) = &args.scaffold {
        scaffold(&report.files, folder, args)
    } else if args.format == EmitFormat::Json {
        output::deliver(file, &output::json(&report.document()))
    } else {
        put(&report.files, file)
    };
    delivered.map_or_else(|error| output::error(&error), |()| Exit::Yes)
}

/// Prints the main file, or writes it with its companions beside it.
fn put(files: &[EmittedFile], target: Option<&Path>) -> Result<()> {
    let (main, companions): (Vec<&EmittedFile>, Vec<&EmittedFile>) = files.iter().partition(|file| file.main);
    let Some(target) = target else {
        let text = main.iter().filter_map(|file| file.text()).collect::<String>();
        return output::deliver(None, &text);
    };
    // The main file is written last, so that it never exists without its companions.
    for file in companions {
        output::write_file(&target.with_file_name(companion(target, &file.path)), file.bytes())?;
    }
    main.iter().try_for_each(|file| output::write_file(target, file.bytes()))
}

/// The name of a companion of the main file: compilers look for the types of `my x.mjs` in `my x.d.mts`. Other companions
/// are named in the main file, and keep their names.
fn companion(target: &Path, name: &str) -> PathBuf {
    match target.file_stem() {
        Some(stem) if name.ends_with(".d.ts") => {
            let is_module = target.extension().is_some_and(|ending| ending == "mjs");
            let mut name = stem.to_os_string();
            name.push(if is_module { ".d.mts" } else { ".d.ts" });
            name.into()
        }
        _ => name.into(),
    }
}

fn scaffold(files: &[EmittedFile], folder: &Path, args: &EmitArgs) -> Result<()> {
    let there = files.iter().map(|file| folder.join(&file.path)).find(|path| path.exists());
    if let (Some(first), false) = (there, args.force) {
        bail!("`{}` is there already; `--force` replaces it", first.display());
    }
    for file in files {
        let path = folder.join(&file.path);
        if let Some(parent) = path.parent() {
            crate::files::make_folder(parent)?;
        }
        output::write_file(&path, file.bytes())?;
        if !args.output.quiet {
            terminal::eprint(&format!("wrote {}\n", terminal::escape(&shown(&path))));
        }
    }
    Ok(())
}
