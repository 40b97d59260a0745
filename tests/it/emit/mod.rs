//! Emitted text: compiled, run and compared with the machine.

mod examples;
mod reference;
mod restarts;
mod run;
mod values;

use tsl_synth::emit::{EmitOptions, Lang, OnBroken, emit};

#[test]
fn probe() {
    let dir = std::path::Path::new("/tmp/emit-probe");
    std::fs::create_dir_all(dir).unwrap();
    for example in examples::all() {
        for lang in Lang::ALL.into_iter().filter(|_| true) {
            for asynchronous in [false, true] {
                for lazy in [false, true] {
                    for on_broken in OnBroken::ALL {
                        let mut options = EmitOptions::new(lang);
                        (options.asynchronous, options.lazy, options.on_broken) =
                            (asynchronous, lazy, on_broken);
                        options.stem = Some(format!(
                            "{}_{}{}{}",
                            example.name,
                            if asynchronous { "a" } else { "s" },
                            if lazy { "l" } else { "e" },
                            on_broken.name()
                        ));
                        if asynchronous && lang == Lang::C {
                            continue;
                        }
                        for file in emit(&example.input(), &options).unwrap() {
                            std::fs::write(dir.join(file.path), file.text).unwrap();
                        }
                    }
                }
            }
        }
    }
}
