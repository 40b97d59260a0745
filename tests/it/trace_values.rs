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
