//! `schema world` and `schema tools`: the files of the gallery are of the schemas, and what a schema refuses is refused.

use super::Folder;
use super::policy_schema::{is_of, with_a_strange_field};
use serde_json::{Value, json};
use std::path::Path;

fn schema(name: &str) -> Value {
    Folder::new().run(["schema", name]).exits(0).json()
}

fn files(folder: &str, ending: &str) -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs").join(folder);
    let paths = tsl_synth_testkit::files_below(&folder, &["toml"]);
    let own = paths.into_iter().filter(|path| path.to_string_lossy().ends_with(ending));
    own.map(|path| {
        let text = std::fs::read_to_string(&path).expect("a file");
        (path.display().to_string(), toml::from_str(&text).expect("TOML"))
    })
    .collect()
}

#[test]
fn the_files_of_the_gallery_are_of_the_schemas() {
    for (name, folder, ending, least) in
        [("world", "worlds", ".world.toml", 4), ("tools", "agents", "tools.toml", 1)]
    {
        let schema = schema(name);
        let all = files(folder, ending);
        assert!(all.len() >= least, "{folder}");
        for (file, value) in all {
            assert!(is_of(&schema, &schema, &value), "{file}");
            with_a_strange_field(&without_arguments(value), &mut |strange| {
                assert!(!is_of(&schema, &schema, &strange), "{file}: {strange}");
            });
        }
    }
}

/// Without the arguments of calls, which are any values.
fn without_arguments(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let kept = object.into_iter().filter(|(name, _)| name != "arguments");
            Value::Object(kept.map(|(name, inner)| (name, without_arguments(inner))).collect())
        }
        Value::Array(list) => list.into_iter().map(without_arguments).collect(),
        other => other,
    }
}

#[test]
fn what_the_schema_of_worlds_refuses_is_refused_by_the_reader() {
    let schema = schema("world");
    let folder = Folder::new();
    folder.file("p.toml", "policy = 1\n[propositions]\np = {}\n[actions]\ngroups = [[\"a\"]]\n[[law]]\nid = \"l\"\nltl = \"G !p\"\n");
    let with = |field: &str, value: Value| {
        let mut world = json!({ "world": 1, "effects": "own", "action": [{ "name": "a" }] });
        world[field] = value;
        world
    };
    for (world, is_read) in [
        (with("text", json!("x")), true),
        (with("map", json!({ "places": ["p"], "doors": [] })), true),
        (with("map", json!({ "places": ["p", "q"], "doors": [["p", "q", 4]] })), true),
        (with("hands", json!({})), true),
        (with("action", json!([{ "name": "a", "requires": [{ "when": "true", "missing": "x" }] }])), true),
        (with("world", json!("1")), false),
        (with("effects", json!("mine")), false),
        (with("tells", json!("yes")), false),
        (with("map", json!({ "doors": [] })), false),
        (with("map", json!({ "places": ["p", "q"], "doors": [["p"]] })), false),
        (with("action", json!([{ "name": "a", "requires": 1 }])), false),
        (with("action", json!([{ "name": "a", "changes": { "n": 0.5 } }])), false),
        (with("action", json!([{ "name": "a", "succeeds": "often" }])), false),
        (with("task", json!([{ "sentence": "x" }])), false),
        (with("color", json!(1)), false),
    ] {
        assert_eq!(is_of(&schema, &schema, &world), is_read, "{world}");
        folder.file("w.json", world.to_string());
        let call = ["agent", "p.toml", "--env", "effects:w.json", "--oracle", "sim", "--turns", "1"];
        let run = folder.run(call);
        assert_eq!(run.code != 2, is_read, "{world}: {run:?}");
    }
}
