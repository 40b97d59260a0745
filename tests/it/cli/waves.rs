//! `simulate -o x.vcd`: the values in the Value Change Dump are those of the play.

use super::Folder;
use std::collections::BTreeMap;

/// The values of every signal in every step, by name.
fn read(text: &str) -> BTreeMap<String, Vec<String>> {
    let (head, body) = text.split_once("$enddefinitions $end").expect("definitions");
    let mut words = head.split_whitespace();
    let mut names: BTreeMap<String, (String, String)> = BTreeMap::new();
    while let Some(word) = words.next() {
        if word == "$var" {
            let [kind, width, code, name] = [(); 4].map(|()| words.next().expect("a declaration").to_owned());
            assert_eq!(words.next(), Some("$end"), "{name}");
            let first = name.chars().next().expect("a name");
            assert!(first.is_ascii_alphabetic() || first == '_', "{name}");
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
            assert!(code.chars().all(|c| ('!'..='~').contains(&c)), "{code}");
            let known = names.insert(code.clone(), (name, format!("{kind}{width}")));
            assert!(known.is_none(), "two signals have the code {code}");
        } else {
            assert!(word.starts_with('$'), "{word}");
            while words.next().expect("an end") != "$end" {}
        }
    }
    let mut now: BTreeMap<String, String> = BTreeMap::new();
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut last: Option<u64> = None;
    for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(time) = line.strip_prefix('#') {
            let time: u64 = time.parse().expect("a time");
            if let Some(last) = last {
                assert!(time > last);
                for (code, (name, _)) in &names {
                    let all = values.entry(name.clone()).or_default();
                    for _ in last..time {
                        all.push(now[code].clone());
                    }
                }
            }
            last = Some(time);
        } else if !line.starts_with('$') {
            let (value, code) = match line.split_once(' ') {
                Some((value, code)) => (value.to_owned(), code.to_owned()),
                None => (line[..1].to_owned(), line[1..].to_owned()),
            };
            let kind = &names[&code].1;
            let fits = match value.chars().next() {
                Some('0' | '1' | 'x') => kind == "wire1",
                Some('b') => kind.starts_with("integer"),
                Some('r') => kind.starts_with("real"),
                Some('s') => kind.starts_with("string"),
                _ => false,
            };
            assert!(fits, "{line} is no value of {kind}");
            now.insert(code, value);
        }
    }
    values
}

const SPEC: &str = "input up: Bool; cell n: 0..5 = 3; cell lamp: Bool = true; cell note: Text;
always guarantee {
  up -> [n <- 4];
  !up -> [n <- n];
  up -> [lamp <- false];
  !up -> [lamp <- lamp];
  up -> [note <- text(up)];
  !up -> [note <- note];
}
";

#[test]
fn waves_are_the_play() {
    let folder = Folder::new();
    folder.file("s.tsl", SPEC);
    folder.file("word.txt", "!up; up; !up; !up; up\n");
    folder.run(["simulate", "s.tsl", "--script", "word.txt", "-o", "x.vcd"]).exits(0);
    let text = std::fs::read_to_string(folder.path().join("x.vcd")).expect("a dump");
    let waves = read(&text);
    assert_eq!(waves["up"], ["0", "1", "0", "0", "1"], "{text}");
    assert_eq!(waves["lamp_next"], ["1", "0", "0", "0", "0"], "{text}");
    assert_eq!(waves["n_next"], ["b11", "b100", "b100", "b100", "b100"], "{text}");
    assert_eq!(waves["note_next"], ["snote", "stext(up)", "snote", "snote", "stext(up)"], "{text}");
    assert_eq!(waves["state"].len(), 5);
}

/// Random plays of the gallery: the Boolean signals are those of the trace of the same play.
#[test]
fn waves_and_traces_say_the_same() {
    let folder = Folder::new();
    let mut compared = 0;
    for spec in crate::gallery::every(6, 4) {
        let name = spec.display().to_string();
        for file in ["t.json", "t.vcd"] {
            let args = ["simulate", &name, "--random", "40", "--seed", "5", "--loop", "-o", file, "-q"];
            folder.run(args).exits(0);
        }
        let text = std::fs::read_to_string(folder.path().join("t.vcd")).expect("a dump");
        let waves = read(&text);
        let trace: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.path().join("t.json")).expect("a trace"))
                .expect("JSON");
        let part = |key: &str| trace[key].as_array().cloned().unwrap_or_default();
        let letters: Vec<serde_json::Value> = part("prefix").into_iter().chain(part("loop")).collect();
        let first = letters[0].as_object().expect("a letter");
        for (term, _) in first.iter().filter(|(_, value)| value.is_boolean()) {
            let plain = term.trim_start_matches('(').trim_end_matches(')');
            let named = |name: &str| {
                let line = text
                    .lines()
                    .find(|l| l.ends_with(&format!(" is {name} $end")) && l.starts_with("$comment "));
                line.map_or_else(|| name.to_owned(), |l| l.split(' ').nth(1).unwrap_or_default().to_owned())
            };
            let is_plain = term.starts_with('(') && term.ends_with(')');
            let wave = &waves[&named(if is_plain { plain } else { term })];
            for (letter, value) in letters.iter().zip(wave) {
                assert_eq!(letter[term] == true, value == "1", "{name}: {term}");
                compared += 1;
            }
        }
    }
    assert!(compared > 400, "{compared}");
}
