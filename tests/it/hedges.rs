//! The remark that arithmetic is not computed stands beside an answer only where it can matter: where the clauses at fault,
//! or the assumptions, speak of values that arithmetic computes.

use crate::cli::Folder;

const REMARKS: [&str; 3] = [
    "arithmetic is not computed",
    "arithmetic or comparisons in this specification are not computed",
    "over numbers there may be a controller",
];

/// A conflict, and a counter without a range beside it.
fn spec(conflict: &str) -> String {
    format!(
        "always guarantee {{\n  coin -> [credit <- credit + 1];\n  credit > limit -> [lamp <- on()];\n{conflict}\n}}\n"
    )
}

fn answers(text: &str) -> [String; 2] {
    let folder = Folder::new();
    folder.file("vend.tsl", text);
    let human = folder.run(["check", "vend.tsl"]).exits(1);
    let json = folder.run(["check", "vend.tsl", "--format", "json"]).exits(1);
    [format!("{}{}", human.out, human.err), json.out]
}

#[test]
fn conflicts_without_numbers_have_no_remark() {
    let conflicts = [
        "  cancel -> [slot <- payBack()];\n  [slot <- payBack()] -> X !cancel;",
        "  cancel -> [slot <- a()];\n  cancel -> [slot <- b()];",
        "  wants(choice) -> [slot <- choice];\n  wants(choice) -> [slot <- payBack()];",
        "  F (cancel && ok(choice)) ;\n  cancel -> [tray <- choice];",
        "  cancel;",
        "  !(wants(choice));",
    ];
    for conflict in conflicts {
        for text in answers(&spec(conflict)) {
            for remark in REMARKS {
                assert!(!text.contains(remark), "{conflict}\n{text}");
            }
        }
    }
}

#[test]
fn conflicts_about_numbers_have_it() {
    let conflicts = [
        "  !(credit > limit);",
        "  !rich(credit);",
        "  credit > limit -> [slot <- a()];\n  credit > limit -> [slot <- b()];",
    ];
    for conflict in conflicts {
        for text in answers(&spec(conflict)) {
            // All of them: the test above cannot fail for a remark with other words.
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(REMARKS.iter().all(|remark| text.contains(remark)), "{conflict}\n{text}");
        }
    }
}
