//! Seeded inputs: random bytes, words of the language in random order, mutated and truncated fixtures, deep nesting,
//! huge numbers.

use std::path::{Path, PathBuf};
use tsl_synth_service::BENCH_HEADER;
use tsl_synth_testkit::Rng;

/// The parts from which the inputs of a reader are built.
pub(super) struct Language {
    /// Words of the language.
    words: Vec<&'static str>,
    /// Fragments that open levels of nesting.
    deep: Vec<&'static str>,
    /// Well-formed inputs, and some that are not.
    fixtures: Vec<Vec<u8>>,
}

/// The maximal size of a fixture in bytes: larger ones make inputs slower without more variety.
const LARGEST: u64 = 3000;

const NUMBERS: [&str; 8] = [
    "0",
    "1",
    "64",
    "65536",
    "2147483648",
    "4294967296",
    "9223372036854775808",
    "340282366920938463463374607431768211456",
];

impl Language {
    /// The language of the reader with this name.
    pub(super) fn of(reader: &str) -> Self {
        let words = |text: &'static str| text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>();
        let formulas =
            "! && || -> <-> X F G U R W ( ) [ ] { } ; , a b x f(x) [x <- f x] true false = != < <= + - *";
        let (own, deep, endings, mut fixtures) = table(reader);
        let all_formulas = if matches!(reader, "tsl" | "tlsf" | "ltl" | "question") { formulas } else { "" };
        for file in files(endings) {
            fixtures.extend(std::fs::read(file));
        }
        assert!(!fixtures.is_empty(), "no fixtures for {reader}");
        let all = words(own).into_iter().chain(words(all_formulas));
        Self { words: all.chain(NUMBERS).collect(), deep: words(deep), fixtures }
    }

    /// The input with this seed.
    pub(super) fn input(&self, seed: u64) -> Vec<u8> {
        let mut rng = Rng(seed);
        match rng.below(40) {
            0..3 => (0..rng.below(300)).map(|_| rng.draw() as u8).collect(),
            3 => self.nested(&mut rng),
            4..14 => self.soup(&mut rng).into_bytes(),
            _ => self.broken(&mut rng),
        }
    }

    fn word(&self, rng: &mut Rng) -> &'static str {
        self.words[rng.below(self.words.len())]
    }

    /// Words in any order.
    fn soup(&self, rng: &mut Rng) -> String {
        let mut text = String::new();
        for _ in 0..=rng.below(60) {
            text += self.word(rng);
            text += [" ", " ", " ", "", "\n", "\t"][rng.below(6)];
        }
        text
    }

    /// A prefix of a fixture, one nesting fragment many times, the rest of the fixture.
    fn nested(&self, rng: &mut Rng) -> Vec<u8> {
        let fixture = &self.fixtures[rng.below(self.fixtures.len())];
        let at = rng.below(fixture.len() + 1);
        let deep = self.deep[rng.below(self.deep.len())];
        let times = [10, 100, 1000, 20_000][rng.below(4)];
        let mut text = if rng.flip() { fixture[..at].to_vec() } else { Vec::new() };
        for _ in 0..times {
            text.extend(deep.as_bytes());
        }
        if rng.flip() {
            text.extend(&fixture[at..]);
        }
        text
    }

    /// A fixture after some changes.
    fn broken(&self, rng: &mut Rng) -> Vec<u8> {
        let mut text = self.fixtures[rng.below(self.fixtures.len())].clone();
        for _ in 0..=rng.below(4) {
            if text.is_empty() {
                return text;
            }
            let at = rng.below(text.len());
            let end = (at + 1 + rng.below(20)).min(text.len());
            match rng.below(8) {
                0 => text.truncate(at),
                1 => drop(text.drain(at..end)),
                2 => text[at] = rng.draw() as u8,
                3 => text[at] = b"(){}[]<>\"!&|;:,-0919azX \n"[rng.below(25)],
                4 => drop(text.splice(at..at, self.word(rng).bytes())),
                5 => {
                    let piece = text[at..end].to_vec();
                    let to = rng.below(text.len());
                    drop(text.splice(to..to, piece));
                }
                6 => {
                    let other = &self.fixtures[rng.below(self.fixtures.len())];
                    text.truncate(at);
                    text.extend(&other[rng.below(other.len() + 1)..]);
                }
                _ => {
                    // Some number becomes another one.
                    let digits: Vec<usize> = (0..text.len()).filter(|&i| text[i].is_ascii_digit()).collect();
                    if let Some(&start) = digits.get(rng.below(digits.len().max(1))) {
                        let number = NUMBERS[rng.below(NUMBERS.len())];
                        drop(text.splice(start..=start, number.bytes()));
                    }
                }
            }
        }
        text
    }
}

/// Words of the language of a reader, its nesting fragments, the endings of fixture files, and more fixtures.
fn table(reader: &str) -> (&'static str, &'static str, &'static [&'static str], Vec<Vec<u8>>) {
    match reader {
        "tsl" => (
            "always initially assume guarantee import \"m\" as input output cell predicate function enum : .. 0..3 \
                 wrapping saturating Int Bool Real Y H O S T && [i IN {0,1}] X[2] F[0:3] # // /* */ IN \\ PRED Theory",
            "( [x<-( ! X f( { /* a->( F[0:1] -( [ &&[i<2] X[9] ",
            &["tsl"][..],
            vec![],
        ),
        "tlsf" => (
            "INFO { TITLE: \"t\" DESCRIPTION: SEMANTICS: Mealy Strict,Moore Finite TARGET: TAGS: GLOBAL PARAMETERS \
                 DEFINITIONS MAIN INPUTS OUTPUTS INITIALLY PRESET REQUIRE ASSERT ASSUME ASSUMPTIONS GUARANTEE n = 2; \
                 b[n]; &&[0 <= i < n] ||[i IN S] SIZEOF MIN MAX SUM PROD enum b : * ~ + X[n] X[!] F[1:n] otherwise OTHERWISE",
            "( { [ ! X[ X( &&[i<2] b[ {{ -( ",
            &["tlsf"][..],
            vec![],
        ),
        "ltl" => (
            "& | ^ xor M => <=> 0 1 .inputs .outputs a b r g \"q\" // # -- ins: outs: W F[1:2] X[3] p x x+1",
            "( ! X G (a-> F[2]( [ (a&(",
            &["ltl"][..],
            vec![],
        ),
        "question" => (
            "& | xor r g p(x) x+1 [x<-x+1] [x<-0] 0 1 M // # \"r\" W F[1:2]",
            "( ! X G (a-> F[2]( [ (a&(",
            &[],
            vec![
                b"a -> F [x <- x + 1] && !(p x)".to_vec(),
                b"G (a || X p(x)) W [x <- 0]".to_vec(),
                b"r -> X F g".to_vec(),
                b"G (r & !g U r)".to_vec(),
            ],
        ),
        "hoa_machine" | "hoa_automaton" => (
            "HOA: v1 States: 2 Start: 0 AP: 2 \"a\" \"o\" controllable-AP: 1 acc-name: parity max even 3 Acceptance: \
                 Inf(0) Fin(1) Inf(!2) & | t f properties: deterministic Alias: @x [0] [!0&1] [t] --BODY-- State: {0 1} \
                 1 --END-- --ABORT-- REALIZABLE name: \"n\" tool: /* */",
            "( ! [ Inf( (t& (f| /* {0 ",
            &["hoa"][..],
            vec![
                include_bytes!("../../../fixtures/causes/latch.hoa").to_vec(),
                b"HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"a\"\nAcceptance: 2 Inf(0) & Fin(1)\n--BODY--\n\
                      State: 0 {0}\n[0] 1\n[!0] 0 {1}\nState: 1\n[t] 0\n--END--\n"
                    .to_vec(),
            ],
        ),
        "aiger" => (
            "aag aig 3 1 1 1 1\n 2\n 4 6 1\n 6\n 6 4 2\n i0 a\n o0 o\n l0 x\n c\n 0 1 \n 8 10 5 7 7 3\n",
            "aag 1\n c\n 2\n",
            &["aag"][..],
            vec![
                b"aag 3 1 1 1 1\n2\n4 6\n6\n6 5 2\ni0 a\no0 o\nl0 x\nc\nmade by nobody\n".to_vec(),
                b"aig 3 1 1 1 1\n6 1\n6\n\x01\x02i0 a\no0 o\n".to_vec(),
                b"aig 5 2 0 2 3\n6\n11\n\x02\x02\x03\x01\x02\x02i0 a\ni1 b\no0 o\no1 p\n".to_vec(),
            ],
        ),
        "machine_json" => (
            "{ } [ ] : , \"states\" \"inputs\" \"cells\" \"outputs\" \"edges\" \"guard\" \"next\" \"updates\" \"i0\" \
                 \"!i0 & i1\" \"kind\" \"mealy\" \"moore\" \"player\" null true -1 1e400 0.5 \"\\u0000\" \"\\ud800\" \
                 \"(((((((((\" \"initial\"",
            "[ { {\"states\": [{\"a\":[ \" \\",
            &[],
            vec![MACHINE.as_bytes().to_vec()],
        ),
        "trace" => (
            "{ } [ ] : , \"prefix\" \"loop\" \"states\" \"vars\" \"#meta\" \"spec\" \"effect\" \"a\" \"o\" true false \
                 null -1 1e400 a !a & ; cycle{ } x<-f(x) [x<-0] a=1 \"gold > 3\" inCave(summary) // \n !( \"\\ud800\"",
            "{\"a\": [ [{ ( !( !a&( cycle{ [x<-(",
            &["txt", "json"][..],
            vec![
                b"a & o; !a & [x <- f(x)]; cycle{inCave(summary); gold <= 3}".to_vec(),
                b"{\"loop\": 1, \"states\": [{\"a\": true}, {\"a\": false, \"x\": \"f(x)\"}]}".to_vec(),
                b"{\"a\": true, \"o\": false}\n{\"a\": false, \"x\": \"0\"}\n".to_vec(),
            ],
        ),
        "bench_table" => (
            "file verdict , , , , \" \"\" \n \r REALIZABLE UNREALIZABLE UNKNOWN TIMEOUT 1.5 -1 1e400 NaN inf 18446744073709551616 \
                 name status reference_size realizable a.tlsf",
            "\" , \n \",",
            &[],
            vec![
                format!("{BENCH_HEADER}a.tlsf,REALIZABLE,,bounded,0.1,0.1,,3,,,1048576,realizable,12,TIMEOUT,,\n").into_bytes(),
                format!("{BENCH_HEADER}\"b,c\",UNKNOWN,,,5.0,,,,,,,,-1,,,\"no \"\"answer\"\"\"\nx,ERROR,,,0,,,,,,,,,,,\n").into_bytes(),
                b"name,status,reference_size\na,realizable,3\n\"b\",,\n".to_vec(),
            ],
        ),
        other => panic!("the language of {other} is not known"),
    }
}

/// Files of specifications and fixtures with one of these endings, in order.
fn files(endings: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("specs"), root.join("fixtures")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("a folder")) {
            let path = entry.path();
            let small = entry.metadata().is_ok_and(|data| data.len() <= LARGEST);
            if path.is_dir() {
                folders.push(path);
            } else if small && endings.iter().any(|ending| path.extension().is_some_and(|e| e == *ending)) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

const MACHINE: &str = include_str!("machine.json");
