// Runs scripts on emitted monitors: letters with the expected verdicts, and snapshots.

fn text(code: &str) -> String {
    let digits = code.as_bytes()[1..].chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    String::from_utf8(digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()).unwrap()
}

fn pairs(field: &str) -> Vec<(String, String)> {
    let pair = |word: &str| word.split_once('=').map(|(name, rest)| (text(name), rest.to_string())).unwrap();
    field.split_whitespace().map(pair).collect()
}

macro_rules! run {
    ($own:ident, $other:ident, $script:literal) => {{
        use monitors::$own as own;
        let shown = |state: &own::State| {
            let laws: String =
                (0..own::LAWS.len()).map(|law| (state.verdict(law) as u8).to_string()).collect();
            format!("{laws} {} {}", state.joint() as u8, u8::from(state.overflowed()))
        };
        let mut monitor = own::Monitor::new();
        let mut total = 0;
        for line in std::fs::read_to_string($script).unwrap().lines() {
            if line == "R" {
                monitor.reset();
                continue;
            }
            if line == "S" {
                let saved = monitor.snapshot();
                monitor = own::Monitor::default();
                let foreign = monitors::$other::Monitor::new().snapshot();
                let deep = "[".repeat(100_000);
                for bad in [foreign.as_str(), "", "[]", "{}", "null", "{\"machine\": 1}", "{\"", &deep] {
                    assert_eq!(monitor.restore(bad), Err(own::ForeignSnapshot));
                    assert_eq!(monitor.state(), &own::start());
                }
                let broken = saved.replacen("\"state\": ", "\"state\": 99999999", 1);
                assert_eq!(monitor.restore(&broken), Err(own::ForeignSnapshot));
                monitor.restore(&saved).unwrap();
                assert_eq!(monitor.snapshot(), saved);
                continue;
            }
            let fields: Vec<&str> = line.split('\t').collect();
            let number = |word: &str| {
                let name = text(word);
                own::ATOMS.iter().position(|(own, _)| *own == name).unwrap()
            };
            let atoms: Vec<usize> = fields[0].split_whitespace().map(number).collect();
            let bindings: Vec<(String, String)> =
                pairs(fields[2]).into_iter().map(|(name, value)| (name, text(&value))).collect();
            let bindings: Vec<(&str, &str)> =
                bindings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let amounts: Vec<(usize, i128)> = pairs(fields[3])
                .into_iter()
                .map(|(name, amount)| {
                    let register = own::REGISTER_NAMES.iter().position(|own| *own == name).unwrap();
                    (register, own::units(&amount).unwrap())
                })
                .collect();
            let letter =
                own::Letter { atoms: &atoms, bindings: &bindings, amounts: &amounts, time: fields[1].parse().ok() };
            let pure = own::step(monitor.state(), &letter).unwrap();
            let before = monitor.state().clone();
            let bad = own::Letter { atoms: &[0, 1 << 20], ..letter };
            assert_eq!(monitor.step(&bad), Err(own::BadLetter::Atom(1 << 20)));
            assert_eq!(monitor.state(), &before);
            let joint = monitor.step(&letter).unwrap();
            assert_eq!(shown(monitor.state()), fields[4], "{line}");
            assert_eq!((joint, &pure), (monitor.state().joint(), monitor.state()));
            total += 1;
        }
        let unit = 10_i128.pow(own::SCALE);
        assert_eq!(["0.1", "1e3", "1.50"].map(own::units), [Some(unit / 10), Some(1000 * unit), Some(3 * unit / 2)]);
        for bad in ["-1", "nan", "1.", ".5", "", "1e-30", "1e99999", "٣", "+1", "1e900"] {
            assert_eq!(own::units(bad), None, "{bad}");
        }
        total
    }};
}
