//! The manual: every topic prints, and the verbs, options, links and paths in the README and the topics exist.

use super::Folder;
use crate::readme::{Block, blocks, commands, read, readmes, root, topics, words};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The README and the pages that it leads to, the cookbook and the topics.
fn pages() -> Vec<PathBuf> {
    let cookbook = root().join("specs/cookbook/README.md");
    readmes().into_iter().chain([cookbook]).chain(topics()).collect()
}

/// The names of the topics.
fn names() -> Vec<String> {
    let stem = |path: PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    topics().into_iter().map(stem).collect()
}

/// The verbs, and the options of each.
fn options() -> BTreeMap<String, BTreeSet<String>> {
    let folder = Folder::new();
    let help = folder.run(["--help"]).exits(0).out;
    let verbs = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let verbs = verbs.take_while(|line| !line.is_empty()).filter_map(|line| {
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        (!name.is_empty()).then(|| name.to_string())
    });
    verbs
        .map(|verb| {
            let help = help_of(&folder, &[&verb]);
            let mut options = BTreeSet::new();
            for line in help.lines().map(str::trim_start).filter(|line| line.starts_with('-')) {
                let shown = line.split("  ").next().unwrap_or_default();
                options.extend(shown.split(", ").map(|option| name_of(option).to_string()));
            }
            (verb, options)
        })
        .collect()
}

/// The help of a verb and of its subcommands; some verbs take a positional argument before the subcommand.
fn help_of(folder: &Folder, call: &[&str]) -> String {
    let mut help = folder.run(call.iter().chain(&["--help"])).exits(0).out;
    let about = help.lines().any(|line| line.starts_with("Usage:") && line.contains("> <COMMAND>"));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<String> = commands
        .take_while(|line| !line.is_empty())
        .filter_map(|line| Some(line.strip_prefix("  ")?.split(' ').next()?.to_string()))
        .filter(|name| !name.is_empty() && name != "help")
        .collect();
    for command in &commands {
        let call: Vec<&str> =
            call.iter().copied().chain(about.then_some("x")).chain([command.as_str()]).collect();
        help.push_str(&help_of(folder, &call));
    }
    help
}

/// The name in `--option[=<VALUE>]`, `--option=value` and `--option <VALUE>`.
fn name_of(option: &str) -> &str {
    option.split(['[', '=', ' ', '<']).next().unwrap_or(option)
}

/// The text outside fenced blocks.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose
}

/// The texts between backticks.
fn spans(text: &str) -> Vec<String> {
    prose(text).split('`').skip(1).step_by(2).map(|span| span.replace('\n', " ")).collect()
}

/// The commands that a page shows, and those that it mentions.
fn calls(text: &str) -> Vec<String> {
    let shown = blocks(text).into_iter().flat_map(|block: Block| match block.lang.as_str() {
        "console" => commands(&block),
        _ => block.lines,
    });
    let indented = prose(text);
    let indented = indented.lines().filter_map(|line| line.strip_prefix("    ")).map(str::to_string);
    shown.chain(indented).chain(spans(text)).filter(|call| call.starts_with("tsl-synth ")).collect()
}

#[test]
fn every_topic_prints() {
    let folder = Folder::new();
    let help = folder.run(["help"]).exits(0).out;
    let (verbs, list) = help.split_once("Topics of the manual").expect("a list of topics");
    assert!(verbs.contains("Usage: tsl-synth <COMMAND>"), "{verbs}");
    for name in names() {
        let line = list.lines().find(|line| line.trim_start().starts_with(&format!("{name} ")));
        let about = line.unwrap_or_else(|| panic!("{name} is not in the list:\n{list}")).trim_start();
        assert!(about.len() > name.len() + 12 && about.len() < 96, "{about}");
        let page = folder.run(["help", &name]).exits(0);
        let source = read(&root().join(format!("src/cli/topics/{name}.md")));
        let title = source.lines().next().and_then(|line| line.strip_prefix("# ")).expect("a title");
        let rule = "=".repeat(title.chars().count());
        assert!(
            page.out.contains(&format!("{title}\n{rule}\n")) && !page.out.contains("```"),
            "{}",
            page.out
        );
        assert!(source.lines().count() >= 12, "{name} says nothing");
    }
}

#[test]
fn the_help_of_a_verb_is_its_own_and_names_the_manual() {
    let folder = Folder::new();
    for verb in options().keys() {
        let own = folder.run([verb.as_str(), "--help"]).exits(0).out;
        let run = folder.run(["help", verb]).exits(0);
        assert!(run.out.starts_with(&own), "{verb}:\n{}", run.out);
    }
    let run = folder.run(["help", "check"]).exits(0);
    assert!(
        run.out.contains("In the manual (tsl-synth help TOPIC): tsl, ltl, tlsf, verdicts"),
        "{}",
        run.out
    );
    // A topic with the name of a verb comes after the verb's options.
    let run = folder.run(["help", "emit"]).exits(0);
    let place = |text: &str| run.out.find(text).unwrap_or_else(|| panic!("{text}:\n{}", run.out));
    assert!(place("Usage: tsl-synth emit") < place("Emitted code\n===="));
}

#[test]
fn an_unknown_topic_is_named_with_what_is_near() {
    let folder = Folder::new();
    let run = folder.run(["help", "verdict"]).exits(2);
    assert!(run.err.contains("'verdict'") && run.err.contains("'verdicts'"), "{}", run.err);
    let run = folder.run(["help", "nothing-like-it"]).exits(2);
    for name in names() {
        assert!(run.err.contains(&name), "{name}: {}", run.err);
    }
    let run = folder.run(["completions", "bash"]).exits(0);
    assert!(run.out.contains("verdicts"), "completions do not know the topics");
}

#[test]
fn options_and_verbs_that_pages_name_are_there() {
    let options = options();
    let all: BTreeSet<&String> = options.values().flatten().collect();
    // Options of ltlsynt and of tsl-check.
    let foreign = ["--verify", "--trust-contract"];
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for path in pages() {
        let (text, page) = (read(&path), path.display());
        for call in calls(&text) {
            // What follows `--` is the command line of another program.
            let words: Vec<String> = words(&call).into_iter().take_while(|word| word != "--").collect();
            let verb = words.get(1).map_or("", String::as_str);
            // `VERB` is a placeholder, and `tsl-synth = ..` is a line of a Cargo manifest.
            if verb == "=" || verb.chars().all(char::is_uppercase) {
                continue;
            }
            let Some(known) = options.get(verb) else {
                wrong.push(format!("{page}: no verb `{verb}`: {call}"));
                continue;
            };
            for option in words.iter().skip(2).filter(|word| word.starts_with('-') && word.len() > 1) {
                checked += 1;
                if !known.contains(name_of(option)) {
                    wrong.push(format!("{page}: `{verb}` has no option `{option}`: {call}"));
                }
            }
            let topic = words.get(2).filter(|_| verb == "help" && words.len() == 3);
            let topic = topic.filter(|topic| topic.chars().all(char::is_lowercase));
            if topic.is_some_and(|topic| !names().contains(topic) && !options.contains_key(topic)) {
                wrong.push(format!("{page}: no topic: {call}"));
            }
        }
        for span in spans(&text).iter().filter(|span| span.starts_with("--")) {
            checked += 1;
            let name = name_of(span).to_string();
            if !all.contains(&name) && !foreign.contains(&name.as_str()) {
                wrong.push(format!("{page}: no option `{span}`"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked >= 60, "{checked} options are named");
}

#[test]
fn every_verb_is_in_the_manual() {
    let pages: Vec<String> = pages().iter().map(|path| read(path)).collect();
    for verb in options().keys() {
        let call = format!("tsl-synth {verb}");
        assert!(pages.iter().any(|page| page.contains(&call)), "`{call}` is nowhere in the manual");
    }
}

#[test]
fn links_and_paths_of_pages_lead_somewhere() {
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for path in pages() {
        let (text, page) = (read(&path), path.display());
        let headings: BTreeSet<String> = text
            .lines()
            .filter(|line| line.starts_with("## ") || line.starts_with("### "))
            .map(|line| {
                let kept = line.trim_start_matches(['#', ' ']).to_lowercase();
                let kept = kept.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
                kept.collect::<String>().replace(' ', "-")
            })
            .collect();
        let prose = prose(&text);
        // Links of a README are relative to its folder, those of a topic to the root of the repository.
        let folder = path.parent().filter(|_| path.ends_with("README.md")).unwrap_or(root());
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            checked += 1;
            let there = match link.strip_prefix('#') {
                Some(anchor) => headings.contains(anchor),
                None => link.starts_with("https://") || folder.join(link).exists(),
            };
            if !there {
                wrong.push(format!("{page}: {link}"));
            }
        }
        // Paths in the text and in commands.
        let folders = ["specs/", "fixtures/", "tests/", "src/", ".ci/", ".github/"];
        for word in text.split(|c: char| c.is_whitespace() || "`'()[],;:".contains(c)) {
            let of_ours = folders.iter().any(|folder| word.starts_with(folder));
            if of_ours && !word.contains('*') {
                checked += 1;
                if !root().join(word.trim_end_matches('.')).exists() {
                    wrong.push(format!("{page}: {word}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked >= 40, "{checked} links and paths");
}

/// Prose and commands have at most 100 columns; output of the tool and tables of the README may be wider.
#[test]
fn lines_of_pages_are_short() {
    for path in pages() {
        let (text, page) = (read(&path), path.display());
        let shown = blocks(&text);
        let commands = shown.iter().flat_map(|block| match block.lang.as_str() {
            "console" => block.lines.iter().filter(|line| line.starts_with("$ ")).cloned().collect(),
            _ => block.lines.clone(),
        });
        let is_readme = path.ends_with("README.md");
        let prose = prose(&text);
        let prose = prose.lines().filter(|line| !(is_readme && line.starts_with('|'))).map(str::to_string);
        for line in prose.chain(commands) {
            assert!(line.chars().count() <= 100, "{page}: {line}");
        }
    }
}

/// The program accepts the specifications, the run and the project file that the topics show.
#[test]
fn what_pages_show_as_input_is_read() {
    let folder = Folder::new();
    let page = |name: &str| blocks(&read(&root().join(format!("src/cli/topics/{name}.md"))));
    let of = |name: &str, lang: &str| -> Vec<String> {
        let found = page(name).into_iter().filter(|block| block.lang == lang);
        found.map(|block| block.lines.join("\n")).collect()
    };
    let specs = of("tsl", "tsl");
    assert!(specs.len() >= 2);
    for spec in specs {
        folder.file("shown.tsl", &spec);
        folder.run(["check", "shown.tsl"]).exits(0);
    }
    folder.file("latch.ltl", &of("ltl", "text")[0]);
    folder.run(["check", "latch.ltl"]).exits(0);
    folder.file("toggle.tsl", read(&root().join("specs/machines/toggle.tsl")));
    folder.file("run.json", &of("formats", "json")[0]);
    folder.run(["simulate", "toggle.tsl", "--script", "run.json", "-q"]).exits(0);
    folder.run(["explain", "run.json", "--effect", "[lamp <- true]"]).exits(0);
    folder.file("cave.tsl", read(&root().join("specs/adventure/cave.tsl")));
    folder.file("tsl-synth.toml", &of("project", "toml")[0]);
    folder.run(["check", "--verdict-only"]).exits(1);
}
