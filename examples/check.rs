//! Checks a specification and prints its controller as JavaScript: `cargo run --example check FILE.tsl`.

use std::error::Error;
use tsl_synth::service::{CheckRequest, EmitRequest, Lang, Session, SpecLanguage, SpecRequest};

const LAMP: &str = "cell lamp: Bool = false;
always guarantee { press && !lamp -> [lamp <- true]; press && lamp -> [lamp <- false]; !press -> [lamp <- lamp]; }";

fn main() -> Result<(), Box<dyn Error>> {
    let (name, text) = match std::env::args().nth(1) {
        Some(path) => (path.clone(), std::fs::read_to_string(path)?),
        None => ("lamp.tsl".to_owned(), LAMP.to_owned()),
    };
    let spec = SpecRequest::text(SpecLanguage::Tsl, name, text);
    let mut session = Session::new();
    let report = session.check(&CheckRequest::new(spec.clone()))?;
    for diagnostic in &report.diagnostics {
        eprintln!("{diagnostic}");
    }
    if !report.is_realizable() {
        return Err(report.reason().unwrap_or_else(|| "no verdict".into()).into());
    }
    // A verdict is certified unless certificates are turned off in the options of the request.
    if let Some(certificate) = &report.certificate {
        eprintln!("realizable, certified by {}", certificate.by);
    }
    let code = session.emit(&EmitRequest::new(spec, Lang::Js))?;
    print!("{}", code.main().text().unwrap_or_default());
    Ok(())
}
