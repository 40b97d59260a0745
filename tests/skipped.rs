//! The last test target of `cargo test`: which tests were skipped in this run because something that they need is not
//! there, and why. It tests nothing and never fails; `cargo test --test it` alone leaves it out.

#[path = "it/skips.rs"]
mod skips;

use std::collections::BTreeSet;

fn main() {
    // Other test runners list the tests of each target; this target has none.
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let text = std::fs::read_to_string(skips::list()).unwrap_or_default();
    // This also removes the lists of runs that were interrupted.
    let _ = std::fs::remove_dir_all(skips::folder());
    let skipped: BTreeSet<&str> = text.lines().collect();
    if !skipped.is_empty() {
        println!("\nskipped (passed without testing everything): {}", skipped.len());
        for line in skipped {
            println!("  {line}");
        }
        println!();
    }
}
