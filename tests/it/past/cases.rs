//! Handwritten specifications with past operators: the verdicts of all engines, and emitted machines and code.

use tsl_synth_core::diag::Code;
use tsl_synth_documents::VerifyVerdict;
use tsl_synth_service::{
    CheckRequest, EmitRequest, Emitted, Lang, Session, SpecLanguage, SpecRequest, VerifyRequest,
};
use tsl_synth_service::{Engine, Input, SimulateRequest};

pub(super) fn spec(text: &str) -> SpecRequest {
    SpecRequest::text(
        SpecLanguage::Ltl,
        "test.ltl",
        format!("// inputs: request, revoke\n// outputs: grant, last\n{text}\n"),
    )
}

pub(super) const REALIZABLE: [&str; 9] = [
    "G (grant -> O request) & G F grant | G !request",
    "G (grant -> O request); assume { G F request } guarantee { G F grant }",
    "G (grant <-> Y request)",
    "G (grant <-> Z request)",
    "G (grant <-> (!revoke S request)) & G (last <-> H !revoke)",
    "G (grant <-> (revoke T request))",
    "G (last <-> Z 0)",
    "G (request -> F (grant & Y !grant))",
    "assume { G (request -> Y !request) } guarantee { G (request -> X grant); G (Y grant -> !grant) }",
];

pub(super) const UNREALIZABLE: [&str; 7] = [
    "G (grant -> O request) & G F grant",
    "G (request -> Y grant)",
    "G Y grant",
    "G (Y request -> X grant) & G (O request -> !grant)",
    "G (grant <-> X request) & G Y 1",
    "G (revoke -> (grant S request))",
    "F (request & Y grant)",
];

#[test]
fn verdicts_of_all_engines() {
    for (texts, verdict) in [(&REALIZABLE[..], true), (&UNREALIZABLE[..], false)] {
        for text in texts {
            for engine in [Engine::Auto, Engine::Bounded, Engine::Explicit, Engine::Symbolic] {
                let mut request = CheckRequest::new(spec(text));
                request.solver.engine = engine;
                let report = Session::new().check(&request).unwrap_or_else(|e| panic!("{text}: {e:?}"));
                let found = (report.is_realizable(), report.is_unrealizable());
                assert_eq!(found, (verdict, !verdict), "{engine}: {text}");
                assert!(report.certificate.is_some(), "{engine}: {text}");
            }
        }
    }
}

/// Emitted machines have the inputs and outputs of the specification, and `verify` reads them.
#[test]
fn machines_have_no_registers() {
    for (texts, what) in
        [(&REALIZABLE[..], Emitted::Controller), (&UNREALIZABLE[..], Emitted::CounterStrategy)]
    {
        for text in texts {
            for lang in [Lang::Hoa, Lang::Aiger, Lang::Json] {
                let mut request = EmitRequest::new(spec(text), lang);
                request.what = what;
                let report = Session::new().emit(&request).unwrap_or_else(|e| panic!("{text}: {e:?}"));
                let machine = report.main().text().expect("text").to_string();
                match lang {
                    Lang::Hoa => assert!(
                        machine.contains("AP: 4 \"request\" \"revoke\" \"grant\" \"last\"\n"),
                        "{text}\n{machine}"
                    ),
                    Lang::Aiger => {
                        let first: Vec<&str> = machine.lines().next().expect("a header").split(' ').collect();
                        assert_eq!((first[2], first[4]), ("2", "2"), "{text}\n{machine}");
                    }
                    _ => {
                        let json: serde_json::Value = serde_json::from_str(&machine).expect("JSON");
                        let names = |key: &str| -> Vec<String> {
                            let list = json[key].as_array().expect("a list").iter();
                            list.map(|entry| entry["term"].as_str().expect("a term").to_string()).collect()
                        };
                        assert_eq!(names("inputs"), ["request", "revoke"], "{text}");
                        assert_eq!(names("outputs"), ["grant", "last"], "{text}");
                    }
                }
                let input = Input::Text { name: format!("machine.{}", lang.name()), text: machine };
                let verified =
                    Session::new().verify(&VerifyRequest::new(spec(text), input)).expect("a report");
                assert_eq!(verified.verdict(), VerifyVerdict::Holds, "{text}");
            }
        }
    }
}

/// Code is emitted in every language, and mentions no register.
#[test]
fn code_has_no_registers() {
    for lang in [Lang::Python, Lang::Js, Lang::Ts, Lang::Rust, Lang::C, Lang::Lua, Lang::Go, Lang::CSharp] {
        let request = EmitRequest::new(spec(REALIZABLE[4]), lang);
        let report = Session::new().emit(&request).expect("files");
        for file in &report.files {
            let text = file.text().unwrap_or_default();
            let told = |line: &&str| line.contains("Y (") || line.contains("past");
            assert!(text.lines().find(told).is_none(), "{:?}", text.lines().find(told));
        }
    }
}

/// Emitted code monitors assumptions with past operators.
#[test]
fn code_watches_assumptions_about_the_past() {
    let text = "assume { G (revoke -> Y request) } guarantee { G (revoke -> Y grant) }";
    let request = EmitRequest::new(spec(text), Lang::Python);
    let report = Session::new().emit(&request).expect("files");
    let code = report.main().text().expect("text").to_string();
    assert!(code.contains("_Monitor") || code.contains("assumption"), "{code}");
    assert!(code.contains("G (revoke -> Y request)"), "{code}");
}

#[test]
fn plays_do_not_show_registers() {
    let mut session = Session::new();
    let machine = session.simulate(&SimulateRequest::new(spec(REALIZABLE[4]))).expect("a machine");
    let mut playing = tsl_synth_service::Playing::new(&machine, 7, true);
    assert!(playing.random(12, true, &mut |_| {}));
    let json = serde_json::to_value(playing.document(None)).expect("JSON");
    let letters = json["prefix"].as_array().expect("letters");
    assert!(letters.len() >= 4);
    let mut since = false;
    for letter in letters {
        assert_eq!(letter.as_object().expect("a letter").len(), 4, "{letter}");
        let of = |name: &str| letter[name].as_bool().expect("a truth value");
        since = of("request") || !of("revoke") && since;
        assert_eq!(of("grant"), since, "{letters:?}");
    }
}

#[test]
fn past_over_future_is_named() {
    for text in ["G (Y F request)", "G (grant S X request)", "H[0:2] (a U grant)", "O !G grant"] {
        let failure = Session::new().check(&CheckRequest::new(spec(text))).expect_err("an error");
        let codes: Vec<Code> = failure.diagnostics.iter().map(|d| d.code).collect();
        assert!(codes.contains(&Code::PAST_OVER_FUTURE), "{text}: {codes:?}");
    }
}

/// A declared proposition may have the name of an operator; the name, quoted or not, is then the proposition.
#[test]
fn names_of_operators_may_be_declared() {
    let text = "// inputs: S, Y\n// outputs: O, T\nG (O <-> Y S S);\nG (T <-> O)\n";
    let report =
        Session::new().check(&CheckRequest::new(SpecRequest::text(SpecLanguage::Ltl, "names.ltl", text)));
    assert!(report.is_err(), "`Y S S` is `Y`, `S` and `S` without an operator");
    let text = "// inputs: S, Y\n// outputs: O, T\nG (O <-> \"Y\" & S);\nG (T <-> O)\n";
    let report = Session::new()
        .check(&CheckRequest::new(SpecRequest::text(SpecLanguage::Ltl, "names.ltl", text)))
        .expect("a report");
    assert!(report.is_realizable());
}
