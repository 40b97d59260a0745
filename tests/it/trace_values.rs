//! Values of signals in traces: `simulate` and `explain` refuse the values that emitted code refuses, by name and range.

use crate::cli::Folder;

/// Ranges with few values, which have an atom each, and with many, which are binary numbers.
const RANGES: [(&str, &str, &str, &[&str]); 5] = [
    ("0..0", "0", "in 0..0", &["1", "-1", "0.5"]),
    ("0..9", "8", "in 0..9", &["10", "12", "15", "16", "-1", "\"x\"", "true", "1.5"]),
    ("3..7", "7", "in 3..7", &["0", "2", "8", "-3"]),
    ("-5..-2", "-5", "in -5..-2", &["-6", "-1", "0"]),
    ("enum {red, green}", "\"green\"", "one of red, green", &["\"blue\"", "0", "true"]),
];

#[test]
fn simulate_and_explain_refuse_values_outside_of_the_sort() {
    for (sort, good, domain, bad) in RANGES {
        let folder = Folder::new();
        let other = if sort.starts_with("enum") { "green".into() } else { good.to_owned() };
        let text = format!(
            "input n: {sort};\ninput b: Bool;\nalways guarantee {{ b && n = {other} -> [out <- yes()]; !b -> [out <- no()]; }}\n"
        );
        folder.file("spec.tsl", &text);
        let letter = |value: &str| format!("{{\"n\": {value}, \"b\": true}}\n");
        folder.file("good.jsonl", letter(good));
        folder.run(["simulate", "spec.tsl", "--script", "good.jsonl"]).exits(0);
        for value in bad {
            let shown = value.trim_matches('"');
            let expected = format!("the input `n` is {shown}, which is not {domain}");
            folder.file("bad.jsonl", letter(value));
            let run = folder.run(["simulate", "spec.tsl", "--script", "bad.jsonl"]).exits(2);
            assert!(run.err.contains(&expected), "{sort} {value}: {}", run.err);
            let trace = format!("{{\"spec\": \"spec.tsl\", \"prefix\": [{}]}}", letter(value).trim());
            folder.file("bad.json", &trace);
            let run = folder.run(["explain", "bad.json"]).exits(2);
            assert!(run.err.contains(&expected), "{sort} {value}: {}", run.err);
        }
    }
}

/// The digits of a number that the range does not have.
#[test]
fn digits_outside_of_the_range_are_refused() {
    let folder = Folder::new();
    folder.file("spec.tsl", "input n: 0..9;\ncell c: 0..9 = 0;\nalways guarantee { n > 5 -> [c <- n]; }\n");
    for n in 0..16_u32 {
        let digit = |i: u32| n >> i & 1 == 1;
        let text = format!(
            "{{\"(n % 2) = 1\": {}, \"((n / 2) % 2) = 1\": {}, \"((n / 4) % 2) = 1\": {}, \"n > 7\": {}}}\n",
            digit(0),
            digit(1),
            digit(2),
            digit(3)
        );
        folder.file("letters.jsonl", &text);
        let run = folder.run(["simulate", "spec.tsl", "--script", "letters.jsonl"]);
        if n <= 9 {
            run.exits(0);
        } else {
            let run = run.exits(2);
            let expected = format!("the input `n` is {n}, which is not in 0..9");
            assert!(run.err.contains(&expected), "{n}: {}", run.err);
        }
    }
}

/// The value of `n` in a letter: the one that is said to hold, or else the one that is not named.
fn value_of_n(letter: &serde_json::Value, most: i64) -> i64 {
    let letter = letter.as_object().expect("a letter");
    let holds = |n: &i64| letter.get(&format!("n = {n}")).map(|value| value == true);
    let said = (0..=most).find(|n| holds(n) == Some(true));
    said.or_else(|| (0..=most).find(|n| holds(n).is_none())).expect("a value")
}

/// Random plays of cells of all kinds and sizes, whose values follow from their updates, and the sentence about a trace in
/// which one does not.
#[test]
fn plays_have_the_values_that_updates_make() {
    type Update = (&'static str, fn(i64) -> i64);
    let updates: [Update; 5] = [
        ("n + 1", |n| n + 1),
        ("n - 2", |n| n - 2),
        ("n / 3", |n| n / 3),
        ("(n + 3) % 5", |n| (n + 3) % 5),
        ("n * 2", |n| n * 2),
    ];
    let mut refused = 0;
    for (kind, most) in ["wrapping", "saturating"]
        .into_iter()
        .flat_map(|kind| [2, 4, 5, 6, 9, 16, 20, 100].map(|most| (kind, most)))
    {
        for (update, next) in updates {
            let folder = Folder::new();
            let text = format!(
                "input go: Bool;\n{kind} cell n: 0..{most} = 1;\noutput bell: Bool;\n\
                 always guarantee {{ [n <- {update}]; go -> (bell <-> n = 2); }}\n"
            );
            folder.file("spec.tsl", text);
            let run = ["simulate", "spec.tsl", "--random", "7", "--seed", "3", "--format", "json"];
            let mut trace = folder.run(run).exits(0).json();
            let letters = trace["prefix"].as_array_mut().expect("letters");
            let values: Vec<i64> = letters.iter().map(|letter| value_of_n(letter, most)).collect();
            let fit = |n: i64| if kind == "wrapping" { n.rem_euclid(most + 1) } else { n.clamp(0, most) };
            let right: Vec<i64> = std::iter::successors(Some(1), |&n| Some(fit(next(n)))).take(7).collect();
            assert_eq!(values, right, "{kind} 0..{most}, {update}");
            // Another value in the last step.
            let last = letters[6].as_object_mut().expect("a letter");
            let wrong = (0..=most).find(|n| *n != right[6] && last.contains_key(&format!("n = {n}")));
            let wrong = wrong.unwrap_or_else(|| (right[6] + 1) % (most + 1));
            last.iter_mut()
                .filter(|(name, _)| name.starts_with("n = "))
                .for_each(|(_, value)| *value = false.into());
            last.remove(&format!("n = {}", right[6]));
            last.insert(format!("n = {wrong}"), true.into());
            folder.file("bad.json", trace.to_string());
            let run = folder.run(["explain", "bad.json", "--at", "3"]);
            let said = format!("{}{}", run.out, run.err);
            assert!(said.len() < 1_000 && said.contains("no trace"), "{kind} 0..{most}, {update}: {said}");
            refused += usize::from(said.contains("has a value of `n` that no update makes"));
        }
    }
    assert!(refused > 20, "{refused}");
}
