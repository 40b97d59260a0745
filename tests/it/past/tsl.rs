//! Past operators and `every` in TSL: machines have the signals of the specification and no others, whoever made them, and
//! those of the same formulas in LTL keep them.

use super::cases::{REALIZABLE, UNREALIZABLE, spec};
use std::fmt::Write;
use tsl_synth_documents::VerifyVerdict;
use tsl_synth_service::{
    CheckRequest, EmitRequest, Emitted, Input, Lang, Session, SpecLanguage, SpecRequest, VerifyRequest,
};

const DECLARATIONS: &str = "input request, revoke: Bool;\noutput grant, last: Bool;\n";

fn tsl(text: &str) -> SpecRequest {
    SpecRequest::text(SpecLanguage::Tsl, "test.tsl", text)
}

/// A text of LTL over the names of `cases` as TSL.
fn of_ltl(text: &str) -> SpecRequest {
    let formula = |text: &str| {
        let text = text.replace(" & ", " && ").replace(" | ", " || ");
        let text = text.replace("Z 0", "Z false").replace("Y 1", "Y true");
        text.replace(" }", "; }")
    };
    let sections = if text.contains('{') {
        let (before, after) = text.split_once("assume").expect("an assumption");
        let before = before.trim().trim_end_matches(';');
        let own =
            if before.is_empty() { String::new() } else { format!("guarantee {{ {}; }}\n", formula(before)) };
        format!("{own}assume{}", formula(after))
    } else {
        format!("guarantee {{ {}; }}", formula(text))
    };
    tsl(&format!("{DECLARATIONS}{sections}\nguarantee {{ request || revoke || grant || last || true; }}\n"))
}

fn emitted(spec: &SpecRequest, what: Emitted, lang: Lang) -> Option<Input> {
    let mut request = EmitRequest::new(spec.clone(), lang);
    request.what = what;
    let report = Session::new().emit(&request).ok()?;
    let text = report.main().text().expect("text").to_string();
    Some(Input::Text { name: format!("machine.{}", lang.name()), text })
}

fn text(machine: &Input) -> &str {
    let Input::Text { text, .. } = machine else { unreachable!("a text") };
    text
}

fn verified(spec: &SpecRequest, machine: &Input) -> VerifyVerdict {
    let request = VerifyRequest::new(spec.clone(), machine.clone());
    Session::new().verify(&request).unwrap_or_else(|error| panic!("{error:?}: {}", text(machine))).verdict()
}

#[test]
fn the_verdicts_are_those_of_ltl() {
    for (texts, verdict) in [(&REALIZABLE[..], true), (&UNREALIZABLE[..], false)] {
        for text in texts {
            let report = Session::new().check(&CheckRequest::new(of_ltl(text)));
            let report = report.unwrap_or_else(|error| panic!("{text}: {error:?}"));
            assert_eq!((report.is_realizable(), report.is_unrealizable()), (verdict, !verdict), "{text}");
            assert!(report.certificate.is_some(), "{text}");
        }
    }
}

/// Every machine, right or wrong, of the one language is judged alike in the other one.
#[test]
fn machines_are_judged_alike_in_both_languages() {
    for (texts, what) in
        [(&REALIZABLE[..], Emitted::Controller), (&UNREALIZABLE[..], Emitted::CounterStrategy)]
    {
        let specs: Vec<(SpecRequest, SpecRequest)> =
            texts.iter().map(|text| (spec(text), of_ltl(text))).collect();
        let (mut right, mut wrong) = (0, 0);
        for (i, (ltl, own)) in specs.iter().enumerate() {
            let machines = [ltl, own].map(|spec| emitted(spec, what, Lang::Hoa).expect("a machine"));
            for (j, (other_ltl, other_tsl)) in specs.iter().enumerate() {
                for machine in &machines {
                    // A machine of the environment has the answers of the system as its inputs.
                    let verdicts = [other_ltl, other_tsl].map(|spec| verified(spec, machine));
                    assert_eq!(verdicts[0], verdicts[1], "{} of {}\n{}", texts[j], texts[i], text(machine));
                    assert!(i != j || verdicts[0] == VerifyVerdict::Holds, "{}", texts[i]);
                    *(if verdicts[0] == VerifyVerdict::Holds { &mut right } else { &mut wrong }) += 1;
                }
            }
        }
        assert!(right > 0 && wrong > 0, "{right} right, {wrong} wrong machines");
    }
}

#[test]
fn emitted_machines_and_code_have_no_registers() {
    for text_of_ltl in REALIZABLE {
        let spec = of_ltl(text_of_ltl);
        for lang in [Lang::Hoa, Lang::Aiger, Lang::Json, Lang::Python, Lang::Js, Lang::Rust, Lang::Verilog] {
            let machine =
                emitted(&spec, Emitted::Controller, lang).unwrap_or_else(|| panic!("{text_of_ltl}"));
            assert!(!text(&machine).contains("past1"), "{text_of_ltl}: {}", text(&machine));
            if matches!(lang, Lang::Hoa | Lang::Aiger | Lang::Json) {
                assert_eq!(verified(&spec, &machine), VerifyVerdict::Holds, "{text_of_ltl}");
            }
        }
    }
}

/// A machine in HOA with one state over these inputs, the output `g`, and these labels.
fn machine(inputs: &[&str], labels: &[&str]) -> Input {
    let names: Vec<String> = inputs.iter().chain(&["g"]).map(|name| format!("\"{name}\"")).collect();
    let mut text = format!(
        "HOA: v1\nStates: 1\nStart: 0\nAP: {} {}\ncontrollable-AP: {}\nacc-name: all\nAcceptance: 0 t\n--BODY--\nState: 0\n",
        names.len(),
        names.join(" "),
        inputs.len()
    );
    for label in labels {
        let _ = writeln!(text, "[{label}] 0");
    }
    text += "--END--\n";
    Input::Text { name: "m.hoa".into(), text }
}

/// A machine that was made elsewhere, with and without signals that the specification does not have.
#[test]
fn machines_with_more_signals_are_verified() {
    let same = ["0&1", "!0&!1"];
    let more = ["0&1&2", "0&!1&2", "!0&1&!2", "!0&!1&!2"];
    for (clauses, holds) in [
        ("g -> O r; r -> F g;", true),
        ("g -> Y r;", false),
        ("(g <-> r) every 2;", true),
        ("g every 3;", false),
        ("r && H r -> g; !g -> !r;", true),
        ("g <-> O within 2 r;", false),
        ("g || !r S !r;", true),
    ] {
        let body = format!("input r: Bool; output g: Bool; always guarantee {{ {clauses} }}");
        let ltl = clauses.trim_end_matches(';').split("; ").map(|clause| format!("G ({clause})"));
        let ltl = ltl.collect::<Vec<_>>().join(" & ").replace("&&", "&").replace("||", "|");
        let mut specs = vec![tsl(&body)];
        if !clauses.contains("every") && !clauses.contains("within") {
            specs.push(SpecRequest::text(
                SpecLanguage::Ltl,
                "t.ltl",
                format!("// inputs: r\n// outputs: g\n{ltl}\n"),
            ));
        }
        for spec in specs {
            for machine in [machine(&["r"], &same), machine(&["r", "foo"], &more)] {
                let wanted = if holds { VerifyVerdict::Holds } else { VerifyVerdict::Violated };
                assert_eq!(verified(&spec, &machine), wanted, "{clauses}");
            }
        }
    }
}

/// Windows of the past in machines: the signals of the specification, and as few states as in LTL.
#[test]
fn windows_of_the_past_are_emitted() {
    for n in [1, 2, 4, 6, 8] {
        for formula in [format!("p <-> Y O within {n} s"), format!("p -> Y H for {n} !(s || p)")] {
            let own = tsl(&format!("input s: Bool; output p: Bool; always guarantee {{ {formula}; }}"));
            let plain = formula.replace("within ", "[0:").replace("||", "|");
            let plain = plain.replace(&format!("[0:{n}"), &format!("[0:{n}]"));
            let plain = plain.replace(&format!("H for {n}"), &format!("H[0:{}]", n - 1));
            let ltl = SpecRequest::text(
                SpecLanguage::Ltl,
                "t.ltl",
                format!("// inputs: s\n// outputs: p\nG ({plain})\n"),
            );
            let [own_machine, ltl_machine] =
                [&own, &ltl].map(|spec| emitted(spec, Emitted::Controller, Lang::Hoa).expect("a machine"));
            let header = |machine: &Input, key: &str| {
                let line = text(machine).lines().find(|line| line.starts_with(key)).expect("a header");
                line.to_owned()
            };
            assert_eq!(
                header(&own_machine, "AP:"),
                "AP: 3 \"s\" \"[p <- false]\" \"[p <- true]\"",
                "{formula}"
            );
            assert_eq!(header(&own_machine, "States:"), header(&ltl_machine, "States:"), "{formula}");
            assert_eq!(verified(&ltl, &own_machine), VerifyVerdict::Holds, "{formula}");
            assert_eq!(verified(&own, &ltl_machine), VerifyVerdict::Holds, "{formula}");
        }
    }
}
