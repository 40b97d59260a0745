//! Machines for XState, unfolded by the values of cells, against the plays of `simulate`. They run under node on a model of
//! the few parts of XState that they use; `.ci/xstate` has the package itself.

use super::run::run;
use crate::cli::Folder;

const MODEL: &str = "export const assign = (changes) => changes;
export const createMachine = (config) => config;
export const createActor = (config) => {
  let state = config.initial;
  const context = { ...config.context };
  return {
    start() {},
    send(event) {
      const taken = config.states[state].on[event.type].find(({ guard }) => guard === undefined || guard({ event, context }));
      for (const [key, change] of Object.entries(taken.actions)) context[key] = change({ event, context });
      state = taken.target;
    },
    getSnapshot: () => ({ context, value: state }),
  };
};
";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file(
        "node_modules/xstate/package.json",
        r#"{"name":"xstate","type":"module","exports":"./index.js"}"#,
    );
    folder.file("node_modules/xstate/index.js", MODEL);
    folder.file("package.json", r#"{"type":"module"}"#);
    folder.file("play.mjs", include_str!("../../../.ci/xstate.mjs"));
    folder
}

fn path(name: &str) -> String {
    format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn machines_by_values_answer_as_simulate() {
    let folder = folder();
    // A name, and a state that shows a value, if there are such states.
    let cases = [
        ("fixtures/machines/guard.tsl", "chase: {"),
        ("specs/machines/toggle.tsl", "lamp_eq_true: {"),
        ("specs/machines/vending_machine.tsl", "credit_eq_1"),
        ("specs/machines/traffic_light.tsl", ""),
        ("specs/machines/elevator.tsl", "floor_eq_1"),
        ("specs/tutorial/washer.tsl", ""),
        ("specs/tutorial/desk.tsl", ""),
    ];
    for (name, state) in cases {
        let spec = path(name);
        let text = folder.run(["emit", &spec, "--lang", "xstate"]).exits(0).out;
        assert!(text.contains(state), "{name}: {text}");
        folder.file("machine.mjs", &text);
        for seed in ["1", "2", "3"] {
            folder.run(["simulate", &spec, "--random", "400", "--seed", seed, "-o", "trace.json", "-q"]);
            if run(folder.path(), "node", &["play.mjs", "machine.mjs", "trace.json", name], true).is_none() {
                return;
            }
        }
    }
}

#[test]
fn what_the_state_tells_is_no_input() {
    let folder = folder();
    let text = folder.run(["emit", &path("fixtures/machines/guard.tsl"), "--lang", "xstate"]).exits(0).out;
    assert!(text.contains("seesPlayer: \"seesPlayer\"") && !text.contains("\"mode = patrol\""), "{text}");
    // A predicate of the environment stays an input, whatever it is about.
    folder.file(
        "own.tsl",
        "input go: Bool; cell on: Bool = false;
         always guarantee { go -> [on <- true]; !go -> [on <- false]; p(on) -> (go || !go); }\n",
    );
    let text = folder.run(["emit", "own.tsl", "--lang", "xstate"]).exits(0).out;
    assert!(text.contains("\"p(on)\""), "{text}");
}
