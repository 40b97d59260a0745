//! The parametric families of `specs/tlsf`: up to which parameters they are decided, in what time and memory.

use std::path::Path;
use std::process::Command;

/// File, and the values of its parameter `n` that are tried in this order up to the first that is not decided.
const FAMILIES: [(&str, &[u32]); 13] = [
    ("full_arbiter", &[4, 8, 16, 25, 35, 50, 60, 70, 80, 90, 100]),
    ("simple_arbiter", &[8, 16, 32, 64, 100]),
    ("prioritized_arbiter", &[4, 8, 16, 25, 50]),
    ("round_robin_arbiter", &[4, 8, 12, 15]),
    ("load_balancer", &[4, 6, 8, 10, 11, 12]),
    ("amba_decomposed_arbiter", &[5, 8, 10, 12, 14, 16, 20, 24, 28, 32, 36]),
    ("collector_v1", &[5, 8, 11, 15, 27]),
    ("collector_v2", &[4, 8, 11, 15]),
    ("collector_v3", &[4, 8, 11, 15]),
    ("detector", &[4, 8, 16, 32, 64, 100]),
    ("buchi_theta", &[4, 10, 20, 50, 100]),
    ("buchi_until", &[3, 5, 7, 8, 9, 10]),
    ("buchi_obligations", &[4, 6, 8, 10, 18]),
];
/// Families that are unrealizable for every `n`, by the pairs of their parameters.
const UNREALIZABLE: [(&str, &[(u32, u32)]); 2] = [
    ("full_arbiter_unreal", &[(2, 10), (2, 26), (3, 15), (4, 16)]),
    ("round_robin_arbiter_unreal", &[(2, 10), (2, 26), (3, 15), (4, 16)]),
];

/// Prints one row; whether it was decided.
fn row(program: &str, family: &str, parameters: &[(&str, u32)], limit: &str) -> bool {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("specs/tlsf/{family}.tlsf"));
    let mut args: Vec<String> =
        ["check", "--verdict-only", "--format", "json", "--time-limit", limit].map(str::to_string).to_vec();
    let shown: Vec<String> = parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    args.extend(shown.iter().map(|parameter| format!("--param={parameter}")));
    args.push(file.display().to_string());
    let output = Command::new(program).args(&args).output().expect("the program runs");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let result = &document["results"][0];
    let verdict = result["verdict"].as_str().unwrap_or_default();
    let number = |key: &str| result[key].as_f64().unwrap_or_default();
    let (all, certificate) = (number("seconds"), number("certificateSeconds"));
    let memory = number("peakMemory") / f64::from(1 << 20);
    let size = match (result["states"].as_u64(), result["latches"].as_u64()) {
        (Some(states), _) => format!("{states} states"),
        (None, Some(latches)) => format!("{latches} latches, {} gates", result["gates"]),
        (None, None) => String::new(),
    };
    let decided = verdict != "UNKNOWN";
    assert!(!decided || result["certificate"]["checked"] == true, "{family} {shown:?}: not certified");
    let shown = shown.join(", ");
    if decided {
        let solving = (all - certificate).max(0.0);
        println!(
            "| `{family}` | {shown} | {verdict} | {solving:.2} | {certificate:.2} | {memory:.0} | {size} |"
        );
    } else {
        println!("| `{family}` | {shown} | UNKNOWN | {all:.2} | | {memory:.0} | |");
    }
    decided
}

#[test]
#[ignore = "prints the table of the parametric families: see tests/README.md"]
fn families_table() {
    let limit = format!("{}s", std::env::var("TSL_SYNTH_SECONDS").unwrap_or_else(|_| "60".into()));
    // Another build of the tool, if one is named.
    let program =
        std::env::var("TSL_SYNTH_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_tsl-synth").into());
    println!("| family | parameters | verdict | solving, s | certificate, s | memory, MiB | strategy |");
    println!("|---|---|---|---|---|---|---|");
    for (family, sizes) in FAMILIES {
        let _ = sizes.iter().all(|&n| row(&program, family, &[("n", n)], &limit));
    }
    for (family, sizes) in UNREALIZABLE {
        let _ = sizes.iter().all(|&(n, u)| row(&program, family, &[("n", n), ("u", u)], &limit));
    }
}
