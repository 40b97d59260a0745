//! SMV: modules have the runs of their machines, and properties are equivalent to their specifications. A small
//! evaluator of the fragment of SMV that is emitted executes the modules.

use super::Folder;
use std::collections::BTreeMap;
use tsl_synth_testkit::Rng;

type Values = BTreeMap<String, i64>;

/// Tokens of an expression: names, numbers, and single characters.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut word = false;
    for c in text.chars() {
        let in_word = c.is_ascii_alphanumeric() || c == '_';
        match tokens.last_mut().filter(|_| in_word && word) {
            Some(last) => last.push(c),
            None if c.is_whitespace() => {}
            None => tokens.push(c.to_string()),
        }
        word = in_word;
    }
    tokens
}

/// Evaluates expressions with `|`, `&`, `=` and `!`, from weakest to strongest.
struct Reader<'a> {
    tokens: &'a [String],
    values: &'a Values,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<&str> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }
    fn is(&mut self, token: &str) -> bool {
        let found = self.tokens.first().is_some_and(|first| first == token);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }
    fn or(&mut self) -> i64 {
        let mut value = self.and();
        while self.is("|") {
            value |= self.and();
        }
        value
    }
    fn and(&mut self) -> i64 {
        let mut value = self.equal();
        while self.is("&") {
            value &= self.equal();
        }
        value
    }
    fn equal(&mut self) -> i64 {
        let value = self.one();
        if self.is("=") { i64::from(value == self.one()) } else { value }
    }
    fn one(&mut self) -> i64 {
        if self.is("!") {
            return 1 - self.one();
        }
        if self.is("(") {
            let value = self.or();
            assert!(self.is(")"), "{:?}", self.tokens);
            return value;
        }
        let values = self.values;
        match self.next().expect("an operand") {
            "TRUE" => 1,
            "FALSE" => 0,
            word => word.parse().unwrap_or_else(|_| values[word]),
        }
    }
}

fn evaluate(text: &str, values: &Values) -> i64 {
    let tokens = tokens(text);
    let mut reader = Reader { tokens: &tokens, values };
    let value = reader.or();
    assert!(reader.tokens.is_empty(), "{text}");
    value
}

struct Module {
    variables: Vec<String>,
    defines: Vec<(String, String)>,
    initial: i64,
    cases: Vec<(String, String)>,
}

fn read(text: &str) -> Module {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("--")).collect();
    let text = lines.join("\n");
    let (head, rest) = text.split_once("DEFINE\n").expect("definitions");
    let (defines, assign) = rest.split_once("ASSIGN\n").expect("assignments");
    let variables = head.lines().filter_map(|line| line.trim().strip_suffix(" : boolean;"));
    let pairs = |text: &str, mark: &str| -> Vec<(String, String)> {
        let parts = text.split(';').filter_map(|part| part.split_once(mark));
        parts.map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned())).collect()
    };
    let (init, cases) = assign.split_once("next(state) := case").expect("a case");
    let cases = cases.split_once("esac").expect("its end").0;
    Module {
        variables: variables.map(str::to_owned).collect(),
        defines: pairs(defines, ":="),
        initial: pairs(init, ":=")[0].1.parse().expect("a number"),
        cases: pairs(cases, " : "),
    }
}

#[test]
fn modules_step_as_the_machines_do() {
    let folder = Folder::new();
    let mut rng = Rng(3);
    let mut steps = 0;
    for spec in crate::gallery::every(12, 1) {
        let name = spec.display().to_string();
        if folder.run(["emit", &name, "--lang", "json", "-o", "m.json"]).code != 0 {
            continue;
        }
        let module = read(&folder.run(["convert", "m.json", "--to", "smv"]).exits(0).out);
        // Random inputs as a word for `simulate`, whose trace has the outputs.
        let mut state = module.initial;
        let mut expected = Vec::new();
        let mut word = Vec::new();
        let comments = folder.run(["convert", "m.json", "--to", "smv", "-q"]).exits(0).out;
        let text_of = |name: &str| {
            let line = comments.lines().find_map(|l| l.strip_prefix(&format!("-- {name} is ")));
            line.unwrap_or(name).to_owned()
        };
        for _ in 0..60 {
            let mut values: Values =
                module.variables.iter().map(|name| (name.clone(), i64::from(rng.flip()))).collect();
            let letter: serde_json::Map<String, serde_json::Value> =
                values.iter().map(|(name, &value)| (text_of(name), (value == 1).into())).collect();
            word.push(letter);
            values.insert("state".into(), state);
            let given: BTreeMap<String, bool> = module
                .defines
                .iter()
                .map(|(name, value)| (text_of(name), evaluate(value, &values) == 1))
                .collect();
            expected.push(given);
            let case = module.cases.iter().find(|(when, _)| evaluate(when, &values) == 1).expect("a case");
            state = evaluate(&case.1, &values);
        }
        let json: Vec<String> = word
            .iter()
            .zip(&expected)
            .map(|(letter, given)| {
                // A Boolean cell and the predicate that reads it have one name.
                let cell =
                    |name: &str| given.keys().any(|update| update.starts_with(&format!("[{name} <- ")));
                let entries = letter.iter().map(|(name, value)| {
                    let key = if cell(name) { format!("({name})") } else { name.clone() };
                    format!("{}: {value}", serde_json::to_string(&key).expect("text"))
                });
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            })
            .collect();
        folder.file("word.json", format!("{{\"prefix\": [{}]}}", json.join(", ")));
        folder.run(["simulate", "m.json", "--script", "word.json", "-o", "t.json", "-q"]).exits(0);
        let trace: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.path().join("t.json")).expect("a trace"))
                .expect("JSON");
        for (letter, given) in trace["prefix"].as_array().expect("letters").iter().zip(&expected) {
            for (name, &value) in given {
                let told = match name.strip_prefix('[').and_then(|n| n.strip_suffix(']')?.split_once(" <- "))
                {
                    Some((cell, term)) => letter[cell] == term,
                    None => letter[name] == true,
                };
                assert_eq!(told, value, "{}: {name}: {letter}", spec.display());
                steps += 1;
            }
        }
    }
    assert!(steps > 1000, "{steps}");
}

/// The property of a specification without cells is LTL that the tool can read.
#[test]
fn properties_say_what_the_specifications_say() {
    let folder = Folder::new();
    let mut compared = 0;
    for spec in crate::gallery::gallery()
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e != "tsl"))
        .step_by(3)
    {
        let name = spec.display().to_string();
        let smv = folder.run(["convert", &name, "--to", "smv", "-q"]).exits(0).out;
        let of = |what: &str| -> String {
            let mark = format!(" : boolean; -- {what}");
            let names: Vec<&str> =
                smv.lines().filter_map(|line| line.trim().strip_suffix(mark.as_str())).collect();
            names.join(", ")
        };
        let formula = smv.split_once("LTLSPEC\n").expect("a property").1.trim();
        folder
            .file("p.ltl", format!("// inputs: {}\n// outputs: {}\n{formula}\n", of("input"), of("output")));
        folder.run(["convert", &name, "-o", "s.ltl", "-q"]).exits(0);
        let run = folder.run(["diff", "p.ltl", "s.ltl", "--time-limit", "60s"]);
        assert!(matches!(run.code, 0 | 3), "{name}: {run:?}\n{smv}");
        compared += usize::from(run.code == 0);
    }
    assert!(compared > 4, "{compared}");
}
