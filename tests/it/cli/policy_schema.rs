//! `schema policy` and `schema pattern`: the reader accepts exactly what the schema admits.

use super::Folder;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Whether a value is valid under a schema with the keywords that the schema of policies uses; panics on others.
pub(super) fn is_of(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(schema) = schema.as_object() else { return schema != &json!(false) };
    schema.iter().all(|(word, own)| {
        let all = |list: &Value| list.as_array().expect("a list").clone();
        let fits = |one: &Value| is_of(root, one, value);
        let object = value.as_object();
        match word.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" | "format" => true,
            "$ref" => {
                let pointer = own.as_str().and_then(|text| text.strip_prefix('#')).expect("inside");
                fits(root.pointer(pointer).expect("defined"))
            }
            "type" => match own {
                Value::Array(kinds) => kinds.iter().any(|kind| has_type(value, kind)),
                kind => has_type(value, kind),
            },
            "const" => own == value,
            "enum" => all(own).contains(value),
            "anyOf" => all(own).iter().any(fits),
            "allOf" => all(own).iter().all(fits),
            "oneOf" => all(own).iter().filter(|one| fits(one)).count() == 1,
            "required" => object
                .is_none_or(|o| all(own).iter().all(|name| o.contains_key(name.as_str().expect("a name")))),
            "properties" => object.is_none_or(|o| {
                o.iter().all(|(name, inner)| own.get(name).is_none_or(|one| is_of(root, one, inner)))
            }),
            "additionalProperties" => object.is_none_or(|o| {
                let known = |name: &String| schema.get("properties").and_then(|p| p.get(name)).is_some();
                o.iter().all(|(name, inner)| known(name) || is_of(root, own, inner))
            }),
            "items" => value.as_array().is_none_or(|list| list.iter().all(|one| is_of(root, own, one))),
            "minItems" => {
                value.as_array().is_none_or(|list| list.len() as u64 >= own.as_u64().expect("a number"))
            }
            "maxItems" => {
                value.as_array().is_none_or(|list| list.len() as u64 <= own.as_u64().expect("a number"))
            }
            "prefixItems" => value
                .as_array()
                .is_none_or(|list| all(own).iter().zip(list).all(|(schema, one)| is_of(root, schema, one))),
            "minProperties" => object.is_none_or(|o| o.len() as u64 >= own.as_u64().expect("a number")),
            "maxProperties" => object.is_none_or(|o| o.len() as u64 <= own.as_u64().expect("a number")),
            "minimum" => value.as_f64().is_none_or(|n| n >= own.as_f64().expect("a number")),
            "maximum" => value.as_f64().is_none_or(|n| n <= own.as_f64().expect("a number")),
            other => panic!("the schema says `{other}`"),
        }
    })
}

fn has_type(value: &Value, kind: &Value) -> bool {
    match kind.as_str().expect("a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other}"),
    }
}

fn schema() -> Value {
    Folder::new().run(["schema", "policy"]).exits(0).json()
}

fn gallery() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/policies");
    let mut all = Vec::new();
    for path in tsl_synth_testkit::files_below(&folder, &["toml", "json"]) {
        let text = std::fs::read_to_string(&path).expect("a policy");
        let value = if path.extension().is_some_and(|ending| ending == "toml") {
            toml::from_str(&text).expect("TOML")
        } else {
            serde_json::from_str(&text).expect("JSON")
        };
        all.push((path.display().to_string(), value));
    }
    all
}

/// Calls `put` with copies of the value in each of which one object has an unknown field.
pub(super) fn with_a_strange_field(value: &Value, put: &mut dyn FnMut(Value)) {
    fn go(value: &Value, rebuild: &dyn Fn(Value) -> Value, put: &mut dyn FnMut(Value)) {
        match value {
            Value::Object(object) => {
                let mut strange = object.clone();
                strange.insert("strange".into(), json!([[null]]));
                put(rebuild(Value::Object(strange)));
                for (name, inner) in object {
                    let rebuild = |inner: Value| {
                        let mut object: Map<String, Value> = object.clone();
                        object.insert(name.clone(), inner);
                        rebuild(Value::Object(object))
                    };
                    go(inner, &rebuild, put);
                }
            }
            Value::Array(list) => {
                for (i, inner) in list.iter().enumerate() {
                    let rebuild = |inner: Value| {
                        let mut list = list.clone();
                        list[i] = inner;
                        rebuild(Value::Array(list))
                    };
                    go(inner, &rebuild, put);
                }
            }
            _ => {}
        }
    }
    go(value, &|value| value, put);
}

#[test]
fn the_policies_of_the_gallery_are_of_the_schema() {
    let schema = schema();
    let all = gallery();
    assert!(all.len() >= 12);
    for (name, value) in all {
        assert!(is_of(&schema, &schema, &value), "{name}");
        with_a_strange_field(&value, &mut |strange| {
            assert!(!is_of(&schema, &schema, &strange), "{name}: {strange}");
        });
    }
}

#[test]
fn what_the_schema_refuses_is_refused_and_the_other_way_round() {
    let schema = schema();
    let policy = json!({
        "policy": 1, "propositions": { "p": {} }, "actions": { "groups": [["a", "b"]] },
        "law": [{ "id": "one", "rule": "a requires b before" }]
    });
    let table = json!([{ "on": "call", "tool": "x", "action": "a" }]);
    let with = |place: &str, value: Value| {
        let mut changed = policy.clone();
        if place.starts_with("/match/") {
            changed["match"] = table.clone();
        }
        let (parent, name) = place.rsplit_once('/').expect("a place");
        changed.pointer_mut(parent).expect("there")[name] = value;
        changed
    };
    let folder = Folder::new();
    for (place, value, is_good) in [
        ("/idle", json!(false), true),
        ("/idle", json!("no"), false),
        ("/idle", json!(null), false),
        ("/policy", json!(2), false),
        ("/end", json!("infinite"), true),
        ("/end", json!("never"), false),
        ("/law", json!([]), false),
        ("/law/0/ltl", json!("G a"), false),
        ("/rules", json!({ "two": "never b", "three": { "ltl": "G !b", "why": "w" } }), true),
        ("/rules", json!({ "two": { "id": "three", "rule": "never b" } }), false),
        ("/rules", json!({ "two": { "rule": "never b", "ltl": "G !b" } }), false),
        ("/rules", json!({ "two": {} }), false),
        ("/rules", json!({ "two": 1 }), false),
        ("/rules", json!(["never b"]), false),
        ("/law/0/kind", json!("soft"), true),
        ("/law/0/kind", json!("strict"), false),
        ("/law/0/why", json!(null), false),
        ("/match/0/tool", json!(["x", "y"]), true),
        ("/match/0/tool", json!(1), false),
        ("/match/0/on", json!("calls"), false),
        ("/match/0/where", json!([{ "pointer": "/arguments/n", ">=": 1 }]), true),
        ("/match/0/where", json!([{ "pointer": "/arguments/n", "=": null }]), true),
        ("/match/0/where", json!([{ "pointer": "/arguments/n", ">=": 1, "<": 3 }]), false),
        ("/match/0/where", json!([{ "pointer": "/arguments/n", "length": { ">": 3 } }]), true),
        ("/match/0/where", json!([{ "pointer": "/arguments/n", "in": ["a", 2] }]), true),
        ("/match/0/where", json!([{ ">=": 1 }]), false),
        ("/count", json!([{ "name": "many", "count": true, "on": "a", "above": 2.5 }]), true),
        ("/count", json!([{ "name": "many", "on": "a", "above": 2 }]), false),
        ("/actions/effects", json!({ "a": { "may_set": "p" } }), true),
        ("/actions/effects", json!({ "a": { "sometimes": "p" } }), false),
        ("/quantities", json!({ "n": { "initial": 300 } }), false),
    ] {
        let changed = with(place, value);
        assert_eq!(is_of(&schema, &schema, &changed), is_good, "{changed}");
        folder.file("p.json", changed.to_string());
        let run = folder.run(["check", "--verdict-only", "p.json"]);
        assert_eq!(run.code != 2, is_good, "{changed}: {run:?}");
    }
}

#[test]
fn the_table_of_patterns_is_what_rules_mean() {
    let folder = Folder::new();
    let table = folder.run(["schema", "pattern"]).exits(0).json();
    let patterns = table["patterns"].as_array().expect("a list");
    assert!(patterns.len() >= 9);
    for pattern in patterns.iter().filter(|pattern| pattern["register"].is_null()) {
        let asks = pattern["example"].as_str().is_some_and(|example| example.starts_with("ask "));
        let policy = json!({
            "policy": 1, "propositions": { "frozen": { "state": true } },
            "actions": { "groups": [["edit", "tests", "push", "refund"]] },
            "law": [
                { "id": "rule", "rule": pattern["example"] },
                { "id": "formula", "ltl": pattern["ltl"], "on_violation": if asks { "ask" } else { "deny" } },
            ]
        });
        folder.file("p.json", policy.to_string());
        let result = &folder.run(["check", "--format", "json", "p.json"]).json()["results"][0];
        let same = json!({ "law": "formula", "kind": "equivalent", "by": "rule" });
        let law_findings = result["oddities"].as_array().expect("a list");
        assert!(law_findings.contains(&same), "{pattern}: {law_findings:?}");
    }
}
