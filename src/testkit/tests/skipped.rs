//! The last test target of `cargo test`: which tests were skipped in this run because something that they need is not
//! there, and why. It fails if more tests than `MOST` were skipped because the folder `shared` is not beside the
//! repository: a plain clone tests what it can. `cargo test --test it` alone leaves it out.

use std::collections::BTreeSet;
use std::process::ExitCode;
use tsl_synth_testkit::skips;

/// How many tests may be skipped in a plain clone: those about recorded sessions and logs of others.
const MOST: usize = 10;

fn main() -> ExitCode {
    // Other test runners list the tests of each target; this target has none.
    if std::env::args().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let text = std::fs::read_to_string(skips::list()).unwrap_or_default();
    // This also removes the lists of runs that were interrupted.
    let _ = std::fs::remove_dir_all(skips::folder());
    let skipped: BTreeSet<&str> = text.lines().collect();
    if !skipped.is_empty() {
        println!("\nskipped (passed without testing everything): {}", skipped.len());
        for line in &skipped {
            println!("  {line}");
        }
        println!();
    }
    // A test that is skipped for several folders is counted once.
    let marker = format!("there is no folder ../{}", skips::SHARED);
    let about_shared = skipped.iter().filter(|line| line.contains(&marker));
    let tests: BTreeSet<&str> = about_shared.filter_map(|line| line.split(": ").next()).collect();
    if tests.len() > MOST {
        println!(
            "error: {} tests are skipped without the folder ../{}; at most {MOST} may be",
            tests.len(),
            skips::SHARED
        );
        println!("  (tests/README.md says how a test gets cases of our own)");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
