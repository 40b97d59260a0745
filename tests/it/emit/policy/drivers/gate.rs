// Each request of each script to the gate of its policy; the answers are written line by line, with the microseconds taken.

#![deny(warnings)]

use std::fmt::Write;

macro_rules! run {
    ($module:ident) => {{
        let stem = stringify!($module);
        let script = std::fs::read_to_string(format!("{stem}.script")).expect("a script");
        let (mut gate, mut out) = ($module::Gate::new(), String::new());
        for line in script.lines() {
            if line == "S" {
                let saved = gate.snapshot();
                assert!(gate.restore(&saved.replacen("machine\":\"", "machine\":\"x", 1)).is_err());
                gate = $module::Gate::default();
                gate.restore(&saved).expect("a snapshot of this gate");
                assert_eq!(gate.snapshot(), saved);
                continue;
            }
            let request = line.split('\t').next().expect("a request");
            let start = std::time::Instant::now();
            let answer = gate.handle(request);
            writeln!(out, "{:.2}\t{answer}", start.elapsed().as_secs_f64() * 1e6).expect("a string");
        }
        std::fs::write(format!("{stem}.answers"), out).expect("a writable folder");
    }};
}

