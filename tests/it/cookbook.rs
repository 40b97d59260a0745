//! The cookbook `specs/cookbook`: its commands run in a clean folder that has the files it shows and nothing else, and
//! have the output and the pictures that it shows.

use crate::readme::{Session, blocks, commands, compare, pictures, read, root};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn folder() -> PathBuf {
    root().join("specs/cookbook")
}

/// The files that the page shows, each after a line that ends with its name: "`name`:".
fn shown(page: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = page.lines().collect();
    let mut shown = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let name = line.strip_suffix("`:").and_then(|line| Some(line.rsplit_once('`')?.1));
        let opened = lines.get(i + 2).is_some_and(|line| line.starts_with("```"));
        if let (Some(name), true) = (name, opened) {
            let body = lines[i + 3..].iter().take_while(|line| **line != "```");
            shown.push((name.to_string(), body.flat_map(|line| [*line, "\n"]).collect()));
        }
    }
    shown
}

#[test]
fn every_command_prints_in_a_clean_folder_what_is_shown() {
    let page = folder().join("README.md");
    let inputs: Vec<PathBuf> = shown(&read(&page)).iter().map(|(name, _)| folder().join(name)).collect();
    let commands = compare(&page, Session::with_files(inputs.iter().map(PathBuf::as_path)));
    assert!(commands >= 10, "{commands} commands are shown");
}

#[test]
fn every_file_is_shown_whole_and_none_is_left_over() {
    let page = read(&folder().join("README.md"));
    let shown = shown(&page);
    for (name, text) in &shown {
        assert!(read(&folder().join(name)) == *text, "{name} is not what the page shows");
    }
    let known: BTreeSet<&str> =
        shown.iter().map(|(name, _)| name.as_str()).chain(pictures(&page)).chain(["README.md"]).collect();
    for entry in std::fs::read_dir(folder()).expect("the cookbook") {
        let name = entry.expect("a file").file_name().into_string().expect("UTF-8");
        assert!(known.contains(name.as_str()), "{name} is not on the page");
    }
}

/// Ten tasks, and the first command of each is named in the table at the top.
#[test]
fn there_are_ten_tasks_with_a_command_each() {
    let page = read(&folder().join("README.md"));
    let tasks: Vec<&str> = page.split("\n## ").skip(1).collect();
    assert_eq!(tasks.len(), 10);
    let contents = page.split("\n## ").next().expect("a beginning");
    for task in tasks {
        let title = task.lines().next().expect("a title");
        let first = blocks(task)
            .iter()
            .filter(|block| block.lang == "console")
            .find_map(|b| commands(b).first().cloned());
        let first = first.unwrap_or_else(|| panic!("{title}: no command"));
        let verb: Vec<&str> = first.split(' ').take(2).collect();
        let row = contents.lines().find(|line| line.contains(title.split_once(". ").map_or(title, |t| t.1)));
        let row = row.unwrap_or_else(|| panic!("{title} is not in the contents"));
        assert!(row.contains(&format!("`{}", verb.join(" "))), "{row}: {first}");
    }
}
