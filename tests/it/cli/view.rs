//! `view`: self-contained pages for controllers, counter-strategies and machines in files. Playing on them is tested in
//! a browser (`.ci/view`).

use super::{BROKEN, Folder, REALIZABLE, UNREALIZABLE};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The maximal size in bytes of a page without its data and drawings.
const SHELL: usize = 100 << 10;

/// The text between two marks.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let start = text.find(from).unwrap_or_else(|| panic!("{from}")) + from.len();
    &text[start..start + text[start..].find(to).unwrap_or_else(|| panic!("{to}"))]
}

fn data_text(html: &str) -> &str {
    between(html, "<script type=\"application/json\" id=\"data\">", "</script>")
}

pub(super) fn data(html: &str) -> Value {
    let text = data_text(html);
    assert!(!text.contains(['<', '\u{2028}', '\u{2029}']), "{text}");
    serde_json::from_str(text).expect("JSON")
}

/// The bytes of a text in base 64.
fn decoded(text: &str) -> Vec<u8> {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut word, mut bits) = (Vec::new(), 0_u32, 0);
    for digit in text.trim_end_matches('=').chars() {
        word = word << 6 | u32::try_from(digits.find(digit).expect("a digit")).expect("small");
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits & 255) as u8);
        }
    }
    bytes
}

/// Asserts that a page loads nothing, and that its content security policy admits only its own script and style.
pub(super) fn assert_self_contained(html: &str) {
    let policy = between(html, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    let script = html.rfind("<script>").expect("a script");
    let parts = [
        ("script-src", between(&html[script..], "<script>", "</script>")),
        ("style-src", between(html, "<style>", "</style>")),
    ];
    for (name, text) in parts {
        let hash = between(policy, &format!("{name} 'sha256-"), "'");
        assert_eq!(decoded(hash), Sha256::digest(text.as_bytes()).to_vec(), "{name}");
    }
    assert_eq!(html.matches("<script").count(), 2);
    for loading in ["<link", "<img", "<iframe", "@import", "url(", "fetch(", "XMLHttp", "eval(", "innerHTML"]
    {
        assert!(!html.contains(loading), "{loading}");
    }
    for handler in [" onclick=", " onload=", " onerror=", " style="] {
        assert!(!html.contains(handler), "{handler}");
    }
    let drawings: usize = html.split("<svg").skip(1).map(|svg| svg.find("</svg>").expect("an end")).sum();
    assert!(html.len() - data_text(html).len() - drawings < SHELL, "{} bytes", html.len());
}

#[test]
fn a_controller_has_a_page() {
    let folder = Folder::new();
    folder.file("spec.tsl", REALIZABLE);
    let html = folder.run(["view", "spec.tsl"]).exits(0).out;
    assert_self_contained(&html);
    assert_eq!(folder.run(["view", "spec.tsl", "--threads", "1"]).exits(0).out, html);
    folder.run(["view", "spec.tsl", "-o", "x.html"]).exits(0);
    assert_eq!(std::fs::read_to_string(folder.path().join("x.html")).expect("a page"), html);
    let data = data(&html);
    let machine = &data["machines"][0];
    let document = folder.run(["emit", "spec.tsl", "--lang", "json"]).exits(0).json();
    assert_eq!(machine["counter"], json!(false));
    assert_eq!(machine["machineId"], document["machineId"]);
    assert_eq!(machine["states"].as_array().map(Vec::len), document["states"].as_array().map(Vec::len));
    assert_eq!(machine["clauses"].as_array().map(Vec::len), Some(2));
    assert_eq!(data["repairs"], json!([]));
    assert_eq!(html.matches("<svg").count(), 1);
}

#[test]
fn a_question_in_json_has_the_same_page() {
    let folder = Folder::new();
    for text in [REALIZABLE, UNREALIZABLE] {
        folder.file("spec.tsl", text);
        let html = folder.run(["view", "spec.tsl"]).exits(0).out;
        let spec = json!({ "texts": [{ "name": "spec.tsl", "text": text }] });
        let answer = tsl_synth_service::answer_json(&json!({ "ask": "view", "spec": spec }).to_string());
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer["html"].as_str().map(str::trim_end), Some(html.trim_end()), "{}", answer["error"]);
        let none = json!({ "ask": "view", "spec": spec, "work": 1 }).to_string();
        let none: Value = serde_json::from_str(&tsl_synth_service::answer_json(&none)).expect("JSON");
        assert!(none["error"].is_string(), "{none}");
    }
}

#[test]
fn an_unrealizable_specification_has_a_page_with_repairs() {
    let folder = Folder::new();
    folder.file("spec.tsl", UNREALIZABLE);
    let html = folder.run(["view", "spec.tsl"]).exits(0).out;
    assert_self_contained(&html);
    let data = data(&html);
    let machines = data["machines"].as_array().expect("machines");
    assert_eq!(machines[0]["counter"], json!(true));
    let offered = data["repairs"].as_array().expect("repairs");
    let checked = folder.run(["check", "spec.tsl", "--format", "json"]).exits(1).json();
    let hints = checked["results"][0]["hints"].as_array().map_or(0, Vec::len);
    assert!(hints > 0 && offered.len() >= hints, "{checked:#}");
    for repair in offered {
        let machine =
            &machines[usize::try_from(repair["machine"].as_u64().expect("a number")).expect("small")];
        assert_eq!(machine["counter"], json!(false), "{repair}");
        let clauses = machine["clauses"].as_array().expect("clauses");
        let dropped = repair["sentence"].as_str().expect("a sentence").starts_with("drop");
        assert_eq!(clauses.iter().filter(|clause| clause["repaired"] == json!(true)).count() == 0, dropped);
    }
    assert_eq!(html.matches("<svg").count(), machines.len());
}

#[test]
fn machines_of_files_have_pages() {
    let folder = Folder::new();
    folder.file("spec.tsl", REALIZABLE);
    folder.run(["emit", "spec.tsl", "--lang", "json", "-o", "machine.json"]).exits(0);
    folder.run(["emit", "spec.tsl", "--lang", "hoa", "-o", "machine.hoa"]).exits(0);
    for file in ["machine.json", "machine.hoa"] {
        let html = folder.run(["view", file]).exits(0).out;
        assert_self_contained(&html);
        let data = data(&html);
        assert_eq!(data["machines"][0]["isMachine"], json!(true), "{file}");
        assert_eq!(data["machines"][0]["clauses"], json!([]), "{file}");
    }
    // A ring of states that is too large for a drawing.
    let count = 400;
    let state = |i: usize| format!("State: {i}\n[0] {}\n[!0] {i}\n", (i + 1) % count);
    let states = (0..count).map(state).collect::<Vec<_>>().concat();
    let ring = format!(
        "HOA: v1\nStates: {count}\nStart: 0\nAP: 2 \"a\" \"o\"\ncontrollable-AP: 1\nacc-name: all\nAcceptance: 0 t\n--BODY--\n{states}--END--\n"
    );
    folder.file("ring.hoa", ring.replace("[0]", "[0&1]").replace("[!0]", "[!0&!1]"));
    let html = folder.run(["view", "ring.hoa"]).exits(0).out;
    assert_self_contained(&html);
    assert_eq!(data(&html)["machines"][0]["drawn"], json!(false));
    assert_eq!(html.matches("<svg").count(), 0);
    assert!(html.contains("too large for a drawing"));
}

#[test]
fn mistakes_are_reported() {
    let folder = Folder::new();
    folder.file("spec.tsl", BROKEN);
    folder.file("good.tsl", REALIZABLE);
    assert!(folder.run(["view", "spec.tsl", "-o", "x.html"]).exits(2).err.contains("error"));
    assert!(!folder.path().join("x.html").exists());
    let mut command = folder.command(["view", "good.tsl", "--open", "-o", "y.html"]);
    let run = super::Run::of(command.env("PATH", "").output().expect("the program runs")).exits(2);
    assert!(run.err.contains("no program opens pages here"), "{}", run.err);
    assert!(folder.path().join("y.html").exists());
}

#[test]
fn the_page_of_a_policy_shows_calls_that_are_tried() {
    let folder = Folder::new();
    folder.file(
        "policy.toml",
        "policy = 1\nunmatched = \"allow\"\nuse = [\"git.push\"]\n[rules]\nnone = \"never git.push\"\n",
    );
    let page = folder.run(["view", "policy.toml", "--try", "git push --tags", "--try", "git log"]).exits(0);
    assert!(page.out.contains("2 calls") && page.out.contains("git push --tags"), "{}", page.out);
    assert!(page.out.contains(r#""verdict":"deny""#) && page.out.contains(r#""verdict":"allow""#));
    let hostile = folder.run(["view", "policy.toml", "--try", "</script><b>git push"]).exits(0);
    assert!(!hostile.out.contains("</script><b>"));
    folder.file("log.jsonl", "{\"event\":\"start\"}\n");
    folder.run(["view", "policy.toml", "log.jsonl", "--try", "ls"]).exits(2);
}
