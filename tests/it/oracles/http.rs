//! Models at an HTTP address, simulated by a server in this process.

use super::stub::{Reply, Stub};
use crate::cli::{Folder, Run};
use serde_json::json;
use std::process::Stdio;

/// The API key, which must not occur in any output.
const KEY: &str = "sk-test-0123456789abcdef";
const KEY_VARIABLE: &str = "TSL_SYNTH_TEST_KEY";

/// Runs the verb `oracle`, with the key in the environment and without the variables of proxies, of the usual key and
/// of the model.
fn ask<'a>(oracle: &'a str, args: impl IntoIterator<Item = &'a str>) -> Run {
    let folder = Folder::new();
    let given = ["oracle", oracle, "--model", "m"].into_iter().chain(args);
    let mut command = folder.command(given);
    for proxy in ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy", "OPENAI_API_KEY", "TSL_SYNTH_MODEL"] {
        command.env_remove(proxy);
    }
    let output = command.env(KEY_VARIABLE, KEY).stdin(Stdio::null()).output().expect("the binary runs");
    let run = Run::of(output);
    assert!(!run.out.contains(KEY) && !run.err.contains(KEY), "the key is shown: {run:#?}");
    run
}

fn predicate(stub: &Stub) -> Run {
    ask(
        &stub.oracle(),
        ["Is the main character in a cave?", "--kind", "predicate", "--key-env", KEY_VARIABLE],
    )
}

#[test]
fn good_answers_in_many_forms() {
    for (text, expected) in [
        ("1", "true"),
        (" 0.\n", "false"),
        ("```json\n{\"answer\": true}\n```", "true"),
        ("```\n0\n```", "false"),
        ("Yes.", "true"),
        ("<think>0?</think>\n1", "true"),
    ] {
        let run = predicate(&Stub::new(vec![Reply::says(text)])).exits(0);
        assert_eq!(run.out.trim(), expected, "{text}");
        assert_eq!(run.err, "");
    }
}

#[test]
fn the_body_of_a_request() {
    let stub = Stub::new(vec![Reply::says("1"), Reply::says("2. right"), Reply::says("You see a cave.")]);
    predicate(&stub).exits(0);
    let chosen = ask(&stub.oracle(), ["Where to?", "--choice", "left", "--choice", "right", "--seed", "7"]);
    assert_eq!(chosen.exits(0).out, "2\n");
    assert_eq!(ask(&stub.oracle(), ["Write a passage."]).exits(0).out, "You see a cave.\n");
    let arrived = stub.arrived();
    let [predicate, choice, text] = arrived.as_slice() else { panic!("{arrived:#?}") };
    assert_eq!(predicate.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(predicate.header("content-type"), Some("application/json"));
    assert_eq!(predicate.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(
        predicate.body,
        json!({
            "model": "m",
            "messages": [
                {"role": "system", "content": "Respond with 0 if it is false, or 1 if it is true, and with nothing else."},
                {"role": "user", "content": "Is the main character in a cave?"},
            ],
            "temperature": 0, "seed": 0, "max_tokens": 256,
        })
    );
    // No variable was named, and the usual one is not set.
    assert_eq!(choice.header("authorization"), None);
    assert_eq!(
        choice.body,
        json!({
            "model": "m",
            "messages": [
                {"role": "system", "content": "Respond with the number of one choice, from 1 to 2, and with nothing else."},
                {"role": "user", "content": "Where to?\n\n1. left\n2. right"},
            ],
            "temperature": 0, "seed": 7, "max_tokens": 256,
        })
    );
    let messages = json!([{"role": "user", "content": "Write a passage."}]);
    assert_eq!(
        text.body,
        json!({"model": "m", "messages": messages, "temperature": 0, "seed": 0, "max_tokens": 2048})
    );
}

#[test]
fn requests_in_lines_of_json() {
    let stub =
        Stub::new(vec![Reply::says("I go on.\nSTOP and on"), Reply::says("2, 1"), Reply::says("[1, 0.5]")]);
    let lines = "\
        {\"id\":5,\"kind\":\"generate\",\"subject\":\"a\",\"prompt\":\"Go on.\",\"stop\":[\"STOP\"],\"attempt\":1}\n\n\
        {\"id\":6,\"kind\":\"choose_many\",\"subject\":\"a\",\"prompt\":\"Which?\",\"choices\":[\"x\",\"y\"],\"attempt\":1}\n\
        {\"id\":7,\"kind\":\"score\",\"subject\":\"a\",\"prompt\":\"How good?\",\"choices\":[\"x\",\"y\"],\"attempt\":1}\n";
    let run = Folder::new().run_with(["oracle", &stub.oracle(), "--model", "m"], lines).exits(0);
    assert_eq!(
        run.out,
        "{\"id\":5,\"answer\":\"I go on.\"}\n{\"id\":6,\"answer\":[2,1]}\n{\"id\":7,\"answer\":[1.0,0.5]}\n"
    );
    assert_eq!(stub.arrived()[0].body["stop"], json!(["STOP"]));
}

#[test]
fn an_answer_that_cannot_be_used_is_asked_for_again() {
    let stub = Stub::new(vec![Reply::says("banana"), Reply::says(""), Reply::says("1")]);
    predicate(&stub).exits(0);
    let arrived = stub.arrived();
    assert_eq!(arrived.len(), 3);
    assert_eq!(arrived[1].body["temperature"], json!(0.1));
    assert_eq!(arrived[2].body["seed"], json!(2));
    let system = arrived[1].body["messages"][0]["content"].as_str().expect("a text").to_string();
    assert!(system.starts_with("Your last response did not have this form."), "{system}");

    let stub = Stub::new(vec![Reply::says("banana")]);
    let run = predicate(&stub).exits(1);
    assert_eq!(run.err, "error: 0 or 1 is expected: `banana`\n");
    assert_eq!(stub.arrived().len(), 3);
}

#[test]
fn bodies_of_wrong_types() {
    for (body, why) in [
        ("<html>no</html>", "is not JSON"),
        ("{\"choices\": 3}", "no `choices[0]`"),
        ("{\"choices\": [{\"message\": {\"content\": 7}}]}", "is no text"),
        ("{\"choices\": [{\"message\": \"1\"}]}", "the message is empty"),
        ("", "is not JSON"),
        (
            "{\"choices\":[{\"message\":{\"content\":null,\"refusal\":\"I would rather not\"}}]}",
            "I would rather not",
        ),
    ] {
        let stub = Stub::new(vec![Reply::body(body)]);
        let run = predicate(&stub).exits(1);
        assert!(run.err.contains(why), "{body}: {}", run.err);
        assert_eq!(stub.arrived().len(), 3, "{body}");
    }
}

#[test]
fn failures_that_pass_are_tried_again() {
    let stub = Stub::new(vec![
        Reply::error(429, "retry-after: 0\r\n", "slow down"),
        Reply::error(500, "retry-after-ms: 1\r\n", "oops"),
        Reply::Truncated,
        Reply::says("1"),
    ]);
    assert_eq!(predicate(&stub).exits(0).out, "true\n");
    assert_eq!(stub.arrived().len(), 4);

    let stub = Stub::new(vec![Reply::error(429, "retry-after: 0\r\n", "slow down")]);
    let run = predicate(&stub).exits(1);
    assert!(run.err.contains("answered with status 429: slow down (5 tries)"), "{}", run.err);
    assert_eq!(stub.arrived().len(), 5);

    let stub = Stub::new(vec![Reply::error(429, "retry-after: 7200\r\n", "slow down")]);
    let run = predicate(&stub).exits(1);
    assert!(run.err.contains("1 try within 60 s; it asks to wait 7200 s"), "{}", run.err);
}

#[test]
fn a_failure_that_lasts_ends_within_the_time() {
    for (reply, why) in [
        (Reply::Hangs, "gave no answer within 400 ms"),
        (Reply::Truncated, "cannot be reached"),
        (Reply::error(503, "", ""), "status 503"),
    ] {
        let stub = Stub::new(vec![reply]);
        let args = ["Is it?", "--kind", "predicate", "--oracle-timeout", "400ms"];
        let run = ask(&stub.oracle(), args).exits(1);
        assert!(run.err.contains(why), "{}", run.err);
        // The adapter retries by itself; the request is not repeated on top of that.
        assert!((1..=3).contains(&stub.arrived().len()), "{:?}", stub.arrived().len());
    }
    // The listener is dropped, so the port is closed.
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
    let run = ask(&format!("http://127.0.0.1:{port}"), ["Is it?", "--oracle-timeout", "400ms"]).exits(1);
    assert!(run.err.contains("cannot be reached"), "{}", run.err);
}

#[test]
fn failures_that_stay_come_with_a_hint() {
    for (reply, keyed, why) in [
        (
            Reply::error(401, "", &format!("Incorrect API key provided: {KEY}")),
            true,
            "provided: ***; another",
        ),
        (
            Reply::error(403, "", "no"),
            false,
            "set OPENAI_API_KEY, or name another environment variable with --key-env",
        ),
        (Reply::error(404, "", "model not found"), true, "no model `m` (404): model not found"),
        (Reply::error(400, "", "\u{1b}[31mbad"), true, "status 400: \\u{1b}[31mbad"),
        (
            Reply::Raw(302, "location: http://127.0.0.1:1/x?k=v\r\n".into(), String::new()),
            true,
            "redirects (302) to `http://127.0.0.1:1/x`",
        ),
        (
            Reply::Raw(307, "location: /elsewhere\r\n".into(), String::new()),
            true,
            "redirects (307) to `/elsewhere`",
        ),
    ] {
        let stub = Stub::new(vec![reply]);
        let run = if keyed { predicate(&stub) } else { ask(&stub.oracle(), ["Is it?"]) }.exits(2);
        assert!(run.err.contains(why), "{}", run.err);
        assert_eq!(stub.arrived().len(), 1);
    }
}

#[test]
fn a_long_body_is_not_read() {
    let stub = Stub::new(vec![Reply::Long(100_000_000)]);
    let run = predicate(&stub).exits(1);
    assert!(run.err.contains("more than 8388608 bytes"), "{}", run.err);
}

#[test]
fn parameters_that_a_model_does_not_know_are_left_out() {
    let unsupported = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let stub = Stub::new(vec![Reply::error(400, "", unsupported), Reply::says("1")]);
    predicate(&stub).exits(0);
    let body = &stub.arrived()[1].body;
    assert_eq!((&body["max_tokens"], &body["max_completion_tokens"]), (&json!(null), &json!(256)));
}

#[test]
fn keys_are_seen_nowhere() {
    // The answer of the server repeats the header with the key, which is masked in the output.
    let stub = Stub::new(vec![Reply::Repeats]);
    let run = ask(&stub.oracle(), ["Say it.", "--key-env", KEY_VARIABLE]).exits(0);
    assert!(run.out.contains("Bearer ***"), "{}", run.out);
    let run = ask(&stub.oracle(), ["Say it.", "--kind", "predicate", "--key-env", KEY_VARIABLE]).exits(1);
    assert!(run.err.contains("0 or 1 is expected"), "{}", run.err);

    let wrong = ask(&stub.oracle(), ["Say it.", "--key-env", "TSL_SYNTH_NO_SUCH_KEY"]).exits(2);
    assert!(wrong.err.contains("TSL_SYNTH_NO_SUCH_KEY of --key-env is not set"), "{}", wrong.err);
    let password = ask(&format!("http://me:{KEY}@127.0.0.1:{}/v1", stub.port), ["Say it."]).exits(2);
    assert!(password.err.contains("--key-env"), "{}", password.err);
    let query = Stub::new(vec![Reply::error(500, "", "no")]);
    let address = format!("{}?key={KEY}", query.oracle());
    ask(&address, ["Say it.", "--oracle-timeout", "100ms"]).exits(1);
}

/// The arguments and the thread names of a process are read from `/proc` while it waits for an answer.
#[cfg(target_os = "linux")]
#[test]
fn keys_are_in_no_list_of_processes() {
    let stub = Stub::new(vec![Reply::Hangs]);
    let folder = Folder::new();
    let args = [
        "oracle",
        &stub.oracle(),
        "--model",
        "m",
        "--key-env",
        KEY_VARIABLE,
        "--oracle-timeout",
        "20s",
        "Is it?",
    ];
    let mut command = folder.command(args);
    command.env(KEY_VARIABLE, KEY).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the binary starts");
    // The request arrives, so the key is in use.
    for _ in 0..2000 {
        if !stub.arrived().is_empty() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let arguments = std::fs::read(format!("/proc/{}/cmdline", child.id())).expect("it runs");
    let threads = std::fs::read_dir(format!("/proc/{}/task", child.id())).expect("it runs");
    let names: Vec<String> = threads
        .flatten()
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok())
        .collect();
    child.kill().and_then(|()| child.wait()).expect("it ends");
    assert_eq!(stub.arrived()[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let arguments = String::from_utf8_lossy(&arguments);
    assert!(arguments.contains(KEY_VARIABLE) && !arguments.contains(KEY), "{arguments}");
    assert!(names.iter().all(|name| !name.contains("sk-test")), "{names:?}");
}

#[test]
fn what_is_no_address_or_names_no_model() {
    let folder = Folder::new();
    let mut command = folder.command(["oracle", "http://127.0.0.1:1", "Is it?"]);
    let run = Run::of(command.env_remove("TSL_SYNTH_MODEL").output().expect("it runs")).exits(2);
    assert!(run.err.contains("--model"), "{}", run.err);
    for text in ["http:nonsense", "http:", "http://", "https:///v1", "ftp://x", "nobody", "tty:x", ""] {
        let run = folder.run(["oracle", text, "Is it?", "--model", "m"]).exits(2);
        assert!(run.err.starts_with("error: "), "{text}: {}", run.err);
    }
}
