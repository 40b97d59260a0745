//! Models as they are served today: reasoning, cut-off answers, refused parameters, streams, tools, three forms of requests,
//! tokens, and answers that are kept.

use super::stub::{Reply, Stub};
use crate::cli::{Folder, Run};
use serde_json::{Value, json};
use std::fmt::Write;
use std::process::Stdio;

/// Runs `oracle` in a folder with these arguments, without what the environment may say about models.
fn ask_in<'a>(folder: &Folder, oracle: &'a str, args: impl IntoIterator<Item = &'a str>) -> Run {
    let mut command = folder.command(["oracle", oracle].into_iter().chain(args));
    for name in ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy", "OPENAI_API_KEY", "TSL_SYNTH_MODEL"] {
        command.env_remove(name);
    }
    let output = command.env("TSL_SYNTH_TEST_TENANT", "tenant-4711").stdin(Stdio::null()).output();
    Run::of(output.expect("the binary runs"))
}

fn ask<'a>(oracle: &'a str, args: impl IntoIterator<Item = &'a str>) -> Run {
    ask_in(&Folder::new(), oracle, ["--model", "m"].into_iter().chain(args))
}

/// A chat completion with this message, reason of its end, and usage.
fn completion(message: &Value, finish: &str, usage: &Value) -> Reply {
    Reply::body(
        &json!({"choices": [{"message": message, "finish_reason": finish}], "usage": usage}).to_string(),
    )
}

fn says(text: &str, finish: &str) -> Reply {
    completion(&json!({"content": text}), finish, &json!({"prompt_tokens": 10, "completion_tokens": 4}))
}

#[test]
fn an_answer_that_is_cut_off_is_asked_for_again_with_more_tokens() {
    let stub = Stub::new(vec![says("", "length"), says("<think>hm", "length"), says("1", "stop")]);
    let run = ask(&stub.oracle(), ["Is it?", "--kind", "predicate", "--usage"]).exits(0);
    assert_eq!(run.out, "true\n");
    assert_eq!(run.err, "requests: 3, tokens: 30 + 12 (reasoning: 9 characters), cut off: 2\n");
    let limits: Vec<Value> = stub.arrived().iter().map(|one| one.body["max_tokens"].clone()).collect();
    assert_eq!(limits, [256, 1024, 4096]);

    // It is no refusal if it is cut off at the last limit, too.
    let stub = Stub::new(vec![says("", "length")]);
    let run = ask(&stub.oracle(), ["Is it?", "--kind", "predicate", "--attempts", "1"]).exits(1);
    assert!(run.err.contains("cut off after 32768 tokens"), "{}", run.err);
    assert!(!run.err.contains("refused"), "{}", run.err);
    assert_eq!(stub.arrived().len(), 5);
}

#[test]
fn a_raised_limit_and_refused_parameters_are_remembered_for_the_run() {
    let unsupported = |name: &str| {
        let message = format!("Unsupported parameter: '{name}' is not supported with this model.");
        Reply::Raw(400, String::new(), json!({"error": {"message": message, "param": name}}).to_string())
    };
    let completion_tokens = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let stub = Stub::new(vec![
        Reply::error(400, "", completion_tokens),
        unsupported("temperature"),
        unsupported("seed"),
        unsupported("top_k"),
        says("", "length"),
        says("1", "stop"),
        says("0", "stop"),
        says("1", "stop"),
    ]);
    let line = |id: u32| {
        format!("{{\"id\":{id},\"kind\":\"predicate\",\"subject\":\"p\",\"prompt\":\"?\",\"attempt\":1}}\n")
    };
    let lines: String = (1..=3).map(line).collect();
    let arguments = ["oracle", &stub.oracle(), "--model", "m", "--usage", "--model-param", "top_k=1"];
    let run = Folder::new().run_with(arguments, &lines).exits(0);
    assert_eq!(
        run.out,
        "{\"id\":1,\"answer\":true}\n{\"id\":2,\"answer\":false}\n{\"id\":3,\"answer\":true}\n"
    );
    assert!(run.err.ends_with("refused by the server: seed, temperature, top_k\n"), "{}", run.err);
    // The second and the third question take one request each.
    let arrived = stub.arrived();
    assert_eq!(arrived.len(), 8);
    for request in &arrived[6..] {
        let names: Vec<&String> = request.body.as_object().expect("an object").keys().collect();
        assert_eq!(names, ["max_completion_tokens", "messages", "model"]);
        assert_eq!(request.body["max_completion_tokens"], json!(1024));
    }
}

#[test]
fn reasoning_is_counted_and_is_no_answer() {
    let usage = json!({"prompt_tokens": 9, "completion_tokens": 60, "completion_tokens_details": {"reasoning_tokens": 55}});
    let thinks = json!({"content": null, "reasoning_content": "The answer is 1."});
    let answers = json!({"content": "0", "reasoning_content": "The answer is 1."});
    let stub = Stub::new(vec![completion(&thinks, "stop", &usage), completion(&answers, "stop", &usage)]);
    let run = ask(&stub.oracle(), ["Is it?", "--kind", "predicate", "--usage"]).exits(0);
    assert_eq!(
        (run.out.as_str(), run.err.as_str()),
        ("false\n", "requests: 2, tokens: 18 + 120 (reasoning: 110)\n")
    );

    let stub = Stub::new(vec![Reply::says("<think>1 or 0? I say 1.</think>\n\n0")]);
    let run = ask(&stub.oracle(), ["Is it?", "--kind", "predicate", "--think"]).exits(0);
    assert_eq!(run.out, "false\n");
    let form = stub.arrived()[0].body["messages"][0]["content"].as_str().expect("a text").to_string();
    assert!(form.starts_with("Think first, between <think> and </think>."), "{form}");
}

#[test]
fn answers_in_sentences_and_in_calls_of_tools() {
    let call = json!({"content": null, "tool_calls": [{"id": "c", "type": "function",
        "function": {"name": "choose", "arguments": "{\"choice\": 2}"}}]});
    for reply in [
        Reply::says("2. I choose this, as the left way is dark."),
        Reply::says("Left is dark, 1 lamp is out.\n\n**Answer: 2**"),
        Reply::says("I would go right."),
        completion(&call, "tool_calls", &Value::Null),
    ] {
        let stub = Stub::new(vec![reply.clone()]);
        let run = ask(&stub.oracle(), ["Where to?", "--choice", "left", "--choice", "right"]).exits(0);
        assert_eq!(run.out, "2\n", "{reply:?}");
    }
    let stub = Stub::new(vec![Reply::says("left, or perhaps right")]);
    ask(&stub.oracle(), ["Where to?", "--choice", "left", "--choice", "right"]).exits(1);
}

/// A stream of chat completions with this text in pieces.
fn stream(text: &str, is_whole: bool) -> Reply {
    let mut body = String::from(": ping\n\n");
    for piece in text.split_inclusive(' ') {
        let _ = write!(body, "data: {}\n\n", json!({"choices": [{"delta": {"content": piece}}]}));
    }
    if is_whole {
        let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
        let usage = json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}});
        let _ = write!(body, "data: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n");
    }
    Reply::Raw(200, String::new(), body)
}

#[test]
fn streams_are_put_together_and_broken_ones_asked_for_again() {
    let stub = Stub::new(vec![stream("You see a", false), stream("You see a cave.", true)]);
    let run = ask(&stub.oracle(), ["Write.", "--stream", "--usage"]).exits(0);
    assert_eq!(run.out, "You see a cave.\n");
    assert_eq!(run.err, "requests: 2, tokens: 3 + 2\n");
    let body = &stub.arrived()[0].body;
    assert_eq!((&body["stream"], &body["stream_options"]["include_usage"]), (&json!(true), &json!(true)));
    let garbage = Stub::new(vec![Reply::Raw(200, String::new(), "data: {no\n\n".into())]);
    let run = ask(&garbage.oracle(), ["Write.", "--stream", "--oracle-timeout", "400ms"]).exits(1);
    assert!(run.err.contains("an event of the stream is not JSON"), "{}", run.err);
}

#[test]
fn completions_and_responses() {
    let text = json!({"choices": [{"text": " You win.", "finish_reason": "stop"}]}).to_string();
    let stub = Stub::new(vec![Reply::body(&text)]);
    let run = ask(
        &stub.oracle(),
        ["The end:", "--api", "completions", "--temperature", "0.5", "--max-tokens", "9"],
    );
    assert_eq!(run.exits(0).out, " You win.\n");
    let [request] = stub.arrived().try_into().expect("one request");
    assert_eq!(request.line, "POST /v1/completions HTTP/1.1");
    assert_eq!(
        request.body,
        json!({"model": "m", "prompt": "The end:", "temperature": 0.5, "seed": 0, "max_tokens": 9})
    );

    let cut =
        json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []});
    let whole = json!({"status": "completed", "usage": {"input_tokens": 5, "output_tokens": 70,
        "output_tokens_details": {"reasoning_tokens": 64}}, "output": [{"type": "reasoning", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": "1"}]}]});
    let stub = Stub::new(vec![Reply::body(&cut.to_string()), Reply::body(&whole.to_string())]);
    let address = format!("{}/responses#small", stub.oracle());
    let run = ask_in(&Folder::new(), &address, ["Is it?", "--kind", "predicate", "--usage"]).exits(0);
    assert_eq!(run.out, "true\n");
    assert_eq!(run.err, "requests: 2, tokens: 5 + 70 (reasoning: 64), cut off: 1\n");
    let arrived = stub.arrived();
    assert_eq!(arrived[1].line, "POST /v1/responses HTTP/1.1");
    assert_eq!(
        (&arrived[1].body["model"], &arrived[1].body["max_output_tokens"]),
        (&json!("small"), &json!(1024))
    );
}

#[test]
fn headers_and_parameters() {
    let stub = Stub::new(vec![Reply::Repeats]);
    let args = [
        "Say it.",
        "--header",
        "x-tenant: env:TSL_SYNTH_TEST_TENANT",
        "--header",
        "x-plain: a b",
        "--model-param",
        "chat_template_kwargs={\"enable_thinking\":false}",
        "--model-param",
        "seed=null",
    ];
    let run = ask(&stub.oracle(), args).exits(0);
    assert!(run.out.contains("x-tenant: ***") && !run.out.contains("tenant-4711"), "{}", run.out);
    let request = &stub.arrived()[0];
    assert_eq!((request.header("x-tenant"), request.header("x-plain")), (Some("tenant-4711"), Some("a b")));
    assert_eq!(request.body["chat_template_kwargs"], json!({"enable_thinking": false}));
    assert_eq!(request.body["seed"], Value::Null);
    for (flag, value, why) in [
        ("--header", "nonsense", "NAME: VALUE"),
        ("--header", "x: env:TSL_SYNTH_NO_SUCH", "TSL_SYNTH_NO_SUCH of --header is not set"),
        ("--header", "host: elsewhere", "is not set by `--header`"),
        ("--model-param", "messages=[]", "is not set by this flag"),
        ("--model-param", "top_p", "NAME=VALUE"),
        ("--temperature", "3", "from 0 to 2"),
        ("--max-tokens", "0", "0 is not in"),
    ] {
        let run = ask(&stub.oracle(), ["Say it.", flag, value]).exits(2);
        assert!(run.err.contains(why), "{flag} {value}: {}", run.err);
    }
}

#[test]
fn answers_are_kept_and_given_again_without_the_model() {
    let folder = Folder::new();
    let stub = Stub::new(vec![says("banana", "stop"), says("1", "stop"), says("You win.", "stop")]);
    let kept = format!("record:kept.jsonl={}#m", stub.oracle());
    let predicate = ["Is it?", "--kind", "predicate", "--usage"];
    let first = ask_in(&folder, &kept, predicate).exits(0);
    let second = ask_in(&folder, &kept, ["Write.", "--usage"]).exits(0);
    assert_eq!(stub.arrived().len(), 3);
    // The same again: from the file, with the address, and without it.
    for oracle in [kept.as_str(), "record:kept.jsonl"] {
        let again = ask_in(&folder, oracle, predicate).exits(0);
        assert_eq!((&again.out, &again.err), (&first.out, &first.err), "{oracle}");
        let again = ask_in(&folder, oracle, ["Write.", "--usage"]).exits(0);
        assert_eq!((&again.out, &again.err), (&second.out, &second.err), "{oracle}");
    }
    assert_eq!(stub.arrived().len(), 3);
    let other = ask_in(&folder, "record:kept.jsonl", ["Write more."]).exits(2);
    assert!(other.err.contains("has no answer to this request"), "{}", other.err);
    let seed = ask_in(&folder, "record:kept.jsonl", ["Write.", "--seed", "1"]).exits(2);
    assert!(seed.err.contains("has no answer to this request"), "{}", seed.err);

    // A last line that was cut off is written again.
    let path = folder.path().join("kept.jsonl");
    let text = std::fs::read_to_string(&path).expect("it is there");
    std::fs::write(&path, &text[..text.len() - 20]).expect("it is written");
    let stub = Stub::new(vec![says("You win.", "stop")]);
    ask_in(&folder, &format!("record:kept.jsonl={}#m", stub.oracle()), ["Write."]).exits(0);
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), text);
    for (oracle, why) in [
        ("record:none.jsonl", "cannot read `none.jsonl`"),
        ("record:", "names no file"),
        ("record:a=record:b=tty", "a record of a record"),
    ] {
        assert!(ask_in(&folder, oracle, ["Write."]).exits(2).err.contains(why), "{oracle}");
    }
    std::fs::write(&path, "{}\n").expect("it is written");
    let wrong = ask_in(&folder, "record:kept.jsonl", ["Write."]).exits(2);
    assert!(wrong.err.contains("`kept.jsonl`, line 1"), "{}", wrong.err);
}

/// The evaluator and the generator are two models of one server.
#[test]
fn a_model_for_each_role() {
    let stub = Stub::new(vec![says("0", "stop")]);
    let [judge, writer] = ["judge", "writer"].map(|model| format!("{}#{model}", stub.oracle()));
    let spec = crate::readme::root().join("specs/adventure/story.tsl");
    let spec = spec.to_str().expect("a path");
    let args = ["agent", spec, "--evaluator", &judge, "--generator", &writer, "--turns", "2"];
    let run = Folder::new().run(args);
    assert!(run.err.contains("tokens: "), "{}", run.err);
    let models: std::collections::BTreeSet<String> =
        stub.arrived().iter().map(|request| request.body["model"].to_string()).collect();
    assert_eq!(models.into_iter().collect::<Vec<_>>(), ["\"judge\"", "\"writer\""]);
}
