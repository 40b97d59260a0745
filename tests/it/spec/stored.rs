//! Cells with a range that take integers: verdicts are those of the same numbers with ranges, which are followed exactly,
//! and what is not computed is an error.

use tsl_synth_core::diag::{Code, Severity};
use tsl_synth_service::{CheckReport, CheckRequest, Failure, Session, SpecLanguage, SpecRequest};

fn check(text: &str) -> Result<CheckReport, Failure> {
    Session::new().check(&CheckRequest::new(SpecRequest::text(SpecLanguage::Tsl, "s.tsl", text)))
}

/// Contracts of an input `k` from 0 to 9 and a cell `n` from 0 to T, with the update of `n` to a term.
const CONTRACTS: &[&str] = &[
    "k > 5 -> [n <- k]",
    "k > 5 -> [n <- k]; n <= 3",
    "k <= T -> [n <- k]",
    "k <= T && k > 0 -> [n <- k] && X (n = k0)",
    "k = 1 -> [n <- k] && X (n = 1)",
    "k = 1 -> [n <- k] && X (n = 0)",
    "k = T -> [n <- k]; k != T -> [n <- n]; n = T -> X (n = T)",
    "k < T -> [n <- k + 1]; k >= T -> [n <- 0]",
    "k < T -> [n <- k + 2]",
    "[n <- k] || [n <- 0]",
    "[n <- n] || [n <- k]; F (n = T)",
];

/// The contract with `k0`, the value of `k` in the step before, left out.
fn clauses(contract: &str, top: i64) -> String {
    contract.replace(" && X (n = k0)", " && X (n > 0)").replace('T', &top.to_string())
}

#[test]
fn integers_in_ranges_have_the_verdicts_of_ranges() {
    let mut seen = [0, 0];
    for top in [1, 2, 3, 5] {
        for contract in CONTRACTS {
            let clauses = clauses(contract, top);
            let with = |input: &str, cell: &str| {
                format!("input k: {input};\ncell n: {cell} = 0;\nalways guarantee {{ {clauses}; }}\n")
            };
            let range = format!("0..{top}");
            let exact = check(&with("0..9", &range)).unwrap_or_else(|error| panic!("{clauses}: {error:?}"));
            assert!(exact.is_realizable() || exact.is_unrealizable(), "{clauses}");
            seen[usize::from(exact.is_realizable())] += 1;
            for cell in [range.clone(), format!("Int in {range}")] {
                let found =
                    check(&with("Int in 0..9", &cell)).unwrap_or_else(|error| panic!("{clauses}: {error:?}"));
                let verdicts = (found.is_realizable(), found.is_unrealizable());
                let wanted = (exact.is_realizable(), exact.is_unrealizable());
                assert_eq!(verdicts, wanted, "{clauses} with a cell {cell}");
                let notes = found.diagnostics.iter().filter(|one| one.code == Code::FREE_VALUE);
                let severities: Vec<Severity> = notes.map(|one| one.severity).collect();
                let is_read_so = cell == range && clauses.contains("<- k");
                assert_eq!(severities, vec![Severity::Note; usize::from(is_read_so)], "{clauses}");
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 4), "{seen:?}");
}

#[test]
fn unbounded_integers_and_integers_of_cells_are_not_lost() {
    for (declarations, clauses, realizable) in [
        ("input k: Int; cell n: 0..3 = 0;", "k > 5 -> [n <- k]", false),
        ("input k: Int; cell n: 0..3 = 0;", "k = 2 -> [n <- k] && X (n = 2)", true),
        ("input k: Int; cell n: 0..40 = 0;", "k > 0 && k <= 40 -> [n <- k] && X (n > 0)", true),
        ("input k: Int; cell n: 0..40 = 0;", "k > 0 && k <= 41 -> [n <- k]", false),
        ("cell m: Int = 0; cell n: 0..3 = 0;", "[m <- m + 1]; [n <- m]", false),
        ("cell m: Int = 3; cell n: 0..3 = 0;", "[m <- m]; [n <- m]; X (n = 3)", true),
        ("input k: Int; cell m: 0..3 = 0; cell n: 0..7 = 0;", "k = 4 -> [m <- k]; [n <- m]", false),
        ("input k: Int; cell n: 0..3 = 0; output o: 0..3;", "[n <- n] || [n <- k]; [o <- n]", true),
    ] {
        let text = format!("{declarations}\nalways guarantee {{ {clauses}; }}\n")
            .replace("; X (n = 3); }", "; }\nguarantee { X (n = 3); }");
        let found = check(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let verdicts = (found.is_realizable(), found.is_unrealizable());
        assert_eq!(verdicts, (realizable, !realizable), "{text}");
    }
}

#[test]
fn cells_that_saturate_or_wrap_around_take_ranges_only() {
    for modifier in ["saturating", "wrapping"] {
        for clauses in [
            "k > 5 -> [n <- k]; k > 5 -> X (n = 3)",
            "[n <- k]; k = 9 -> X (n = 1)",
            "[n <- k]; k = 2 -> X (n = 2)",
        ] {
            let with = |input: &str| {
                check(&format!(
                    "input k: {input};\n{modifier} cell n: 0..3 = 0;\nalways guarantee {{ {clauses}; }}\n"
                ))
            };
            let [exact, bounded] = ["0..9", "Int in 0..9"]
                .map(|sort| with(sort).unwrap_or_else(|error| panic!("{clauses}: {error:?}")));
            let wanted = (exact.is_realizable(), exact.is_unrealizable());
            assert_eq!((bounded.is_realizable(), bounded.is_unrealizable()), wanted, "{modifier}: {clauses}");
            let failure = with("Int").err().unwrap_or_else(|| panic!("{modifier}: {clauses}: no error"));
            let error = failure.diagnostics.iter().find(|one| one.severity == Severity::Error);
            let error = error.unwrap_or_else(|| panic!("{failure:?}"));
            assert_eq!(error.code, Code::FREE_VALUE, "{error:?}");
            assert!(format!("{error:?}").contains("Int in 0..3"), "{error:?}");
        }
    }
}
