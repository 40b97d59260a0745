use tsl_synth_core::base::{Budget, StopFlag};
use tsl_synth_core::source::SourceMap;
use tsl_synth_programs::*;
fn main() {
    for path in std::env::args().skip(1) {
        let begin = std::time::Instant::now();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut map = SourceMap::new();
        let id = map.add(path.clone(), text);
        let language = if path.ends_with("rpg") { ProgramLanguage::Rpg } else { ProgramLanguage::Issy };
        let flag = StopFlag::new();
        let other = flag.clone();
        let limit = std::env::var("LIMIT").ok().and_then(|v| v.parse().ok()).unwrap_or(20);
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_secs(limit));
            other.raise(tsl_synth_core::base::LimitKind::Time)
        });
        let budget = Budget::unlimited().with_flag(flag);
        let text = match read_program(&map, id, language) {
            Ok(t) => t,
            Err(e) => {
                println!("{path}: {e:?}");
                continue;
            }
        };
        let solved = solve(&text, &budget);
        let short = match &solved {
            Ok(s) => match &s.answer {
                Some((w, c)) => {
                    if let Some(p) = losing_play(&s.game, c, 12) {
                        println!("{p:?}");
                    }
                    format!("{w:?} {}", size(c))
                }
                None => "unknown".to_string(),
            },
            Err(e) => format!("error {e}"),
        };
        println!("{:60} {short} {:.1}s", path.rsplit('/').next().unwrap(), begin.elapsed().as_secs_f64());
    }
}
fn size(c: &tsl_synth_core::model::ProgramCertificate) -> String {
    match &c.nodes {
        tsl_synth_core::model::ProgramNodes::System(n) => format!("{} nodes", n.len()),
        tsl_synth_core::model::ProgramNodes::Environment(n) => format!("{} nodes", n.len()),
    }
}
