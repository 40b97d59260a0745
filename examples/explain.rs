//! Says why a specification has no controller, and what would help: `cargo run --example explain FILE.tsl`.

use std::error::Error;
use tsl_synth::service::{CheckRequest, Session, SpecLanguage, SpecRequest};

const DOOR: &str = "always guarantee {
  start -> [locked <- true];
  open -> [locked <- false];
}";

fn main() -> Result<(), Box<dyn Error>> {
    let (name, text) = match std::env::args().nth(1) {
        Some(path) => (path.clone(), std::fs::read_to_string(path)?),
        None => ("door.tsl".to_owned(), DOOR.to_owned()),
    };
    let mut session = Session::new();
    let report = session.check(&CheckRequest::new(SpecRequest::text(SpecLanguage::Tsl, name, text)))?;
    if !report.is_unrealizable() {
        println!("there is nothing to explain");
        return Ok(());
    }
    println!("{}", report.reason().unwrap_or_default());
    // Each repair was checked: it makes the specification realizable.
    for repair in report.hints(&session.sources) {
        println!("- {}", repair.sentence());
    }
    Ok(())
}
