//! `campaigns`: lists the campaigns and tables of the tests, or runs one of them with Cargo.

use std::process::{Command, ExitCode};
use tsl_synth_lab::{Campaign, find, list};

const USAGE: &str = "\
usage: campaigns                                        lists the names
       campaigns NAME [--count N] [--seed S] [--print]  runs one, in a release build

  --count N   the number of instances
  --seed S    the first seed; most campaigns say which seed failed
  --print     prints the command instead of running it
";

/// What the arguments say.
struct Request {
    campaign: &'static Campaign,
    count: Option<u64>,
    seed: Option<u64>,
    only_print: bool,
}

/// `None` if the names are to be listed.
fn request(arguments: &[String]) -> Result<Option<Request>, String> {
    let (mut name, mut count, mut seed, mut only_print) = (None, None, None, false);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let (option, attached) = match argument.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (option, Some(value.to_owned())),
            _ => (argument.as_str(), None),
        };
        match option {
            "--count" | "--seed" => {
                let text = attached.or_else(|| rest.next().cloned());
                let text = text.ok_or_else(|| format!("`{option}` needs a number"))?;
                let number =
                    text.parse::<u64>().map_err(|_| format!("`{option}` needs a number, found `{text}`"))?;
                *(if option == "--count" { &mut count } else { &mut seed }) = Some(number);
            }
            "--print" => only_print = true,
            _ if option.starts_with('-') => return Err(format!("there is no option `{option}`")),
            _ if name.is_some() => return Err(format!("one name, found also `{argument}`")),
            _ => name = Some(argument.clone()),
        }
    }
    let Some(name) = name else {
        let is_list = count.is_none() && seed.is_none() && !only_print;
        return if is_list { Ok(None) } else { Err("the name of a campaign is missing".into()) };
    };
    Ok(Some(Request { campaign: find(&name)?, count, seed, only_print }))
}

fn run(arguments: &[String]) -> Result<ExitCode, String> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{USAGE}\n{}", list());
        return Ok(ExitCode::SUCCESS);
    }
    let Some(request) = request(arguments)? else {
        print!("{}", list());
        return Ok(ExitCode::SUCCESS);
    };
    let command = request.campaign.command(request.count, request.seed)?;
    println!("{}", command.text());
    if request.only_print {
        return Ok(ExitCode::SUCCESS);
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(&command.arguments).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let is_set = |name: &str| std::env::var_os(name).is_some();
    for (name, value) in &command.variables {
        // What the caller sets counts more than what the table sets, except for `--count` and `--seed`.
        let is_default = request.campaign.fixed.iter().any(|(own, _)| own == name)
            || (request.count.is_none() && request.campaign.count.is_some_and(|(own, _)| own == name));
        if !(is_default && is_set(name)) {
            cargo.env(name, value);
        }
    }
    let status = cargo.status().map_err(|error| format!("cargo does not run: {error}"))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run(&arguments).unwrap_or_else(|message| {
        eprintln!("error: {message}");
        ExitCode::from(2)
    })
}
