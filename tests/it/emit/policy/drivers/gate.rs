// Sends each request of each script to the gate of its policy, in as many rounds as the first argument says; writes the
// answers of the last round line by line, with the time of each in microseconds.

#![deny(warnings)]

use std::fmt::Write;

macro_rules! run {
    ($module:ident) => {{
        let stem = stringify!($module);
        let script = std::fs::read_to_string(format!("{stem}.script")).expect("a script");
        let rounds = std::env::args().nth(1).map_or(1, |rounds| rounds.parse().expect("a number"));
        let (mut gate, mut out) = ($module::Gate::new(), String::new());
        for (number, line) in std::iter::repeat(&script).take(rounds).flat_map(|script| script.lines().enumerate()) {
            if number == 0 {
                (gate, out) = ($module::Gate::new(), String::new());
            }
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


/// Lines that are not valid requests are denied, and nothing panics.
macro_rules! refuse {
    ($module:ident) => {{
        std::panic::set_hook(Box::new(|panic| println!("panic: {panic}")));
        let mut gate = $module::Gate::with_session("\u{e4}\"");
        for line in std::fs::read_to_string("bad.txt").expect("lines").lines() {
            let answer = gate.handle(line);
            if !answer.contains("\"verdict\":\"deny\"") || answer.contains("the gate failed") {
                println!("{}\n    {answer}", line.chars().take(200).collect::<String>());
            }
        }
        for text in ["", "{}", "[", "{\"machine\":1}"] {
            assert_eq!(gate.restore(text), Err($module::ForeignSnapshot));
        }
    }};
}
