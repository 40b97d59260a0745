//! Cached solved games: decisions are the same with and without them, and games that are damaged or of another policy
//! are not used.

use super::{loaded, store::Kept};
use crate::cli::Folder;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tsl_synth_service::{Cache, GateService};

type Files = BTreeMap<String, Vec<u8>>;

/// A cache in memory that gates share, as processes share a folder.
#[derive(Clone, Default)]
pub(super) struct MemoryCache(Arc<Mutex<Files>>);

impl MemoryCache {
    fn files(&self) -> Files {
        self.0.lock().expect("no panic").clone()
    }
}

impl Cache for MemoryCache {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.files().get(key).cloned()
    }
    fn put(&self, key: &str, value: &[u8]) -> Result<(), String> {
        self.0.lock().expect("no panic").insert(key.to_owned(), value.to_vec());
        Ok(())
    }
}

/// A gate with cached games over shared journals.
pub(super) fn beside(text: &str, hash: &str, journal: &Kept, shelf: &MemoryCache) -> GateService<Kept> {
    let cache = Some(Box::new(shelf.clone()) as Box<dyn Cache + Send>);
    match GateService::with_cache(loaded(text), hash, "policy.toml", journal.clone(), false, cache) {
        Ok(shield) => shield,
        Err((failure, _)) => panic!("{failure:?}"),
    }
}

const POLICY: &str = r#"policy = 1
name = "gate"
[propositions]
asked = {}
[actions]
groups = [["ask", "pay", "audit"]]
[[law]]
id = "ask-first"
rule = "pay requires asked before"
[[law]]
id = "audit"
rule = "after pay end requires audit"
[[law]]
id = "no-audit-unasked"
rule = "audit requires asked before"
"#;

/// The answers of a gate in a session with refusals, with all details.
fn says(shield: &mut GateService<Kept>) -> Vec<String> {
    let lines = [
        r#"{"event":"propose","id":"1","tool":"pay"}"#,
        r#"{"event":"observe","set":{"asked":true}}"#,
        r#"{"event":"propose","id":"2","tool":"pay"}"#,
        r#"{"event":"end"}"#,
    ];
    let mut said = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let request = tsl_synth_seats::gate::read_request(line, number as u64, "s").expect("a request");
        let tsl_synth_seats::gate::GateRequest::Event(event) = request else { panic!("an event") };
        said.push(format!("{:?}", shield.event(&event).expect("an answer").document));
    }
    said.push(format!("{:?}", shield.options("s")));
    said
}

fn fresh(hash: &str, shelf: &MemoryCache) -> Vec<String> {
    says(&mut beside(POLICY, hash, &Kept::default(), shelf))
}

#[test]
fn damaged_and_foreign_games_are_not_used() {
    let shelf = MemoryCache::default();
    let expected = fresh("0", &shelf);
    assert!(expected[0].contains("ask-first") && expected[3].contains("audit"), "{expected:#?}");
    let whole = shelf.files();
    assert!(whole.len() > 1, "the games of all laws and of each law");
    assert_eq!(fresh("0", &shelf), expected);
    assert_eq!(shelf.files(), whole, "nothing is solved again");
    // Each file is damaged in turn; the game is solved and cached again.
    for (key, bytes) in &whole {
        for damage in [Vec::new(), bytes[..bytes.len() / 2].to_vec(), {
            let mut flipped = bytes.clone();
            let last = flipped.len() - 1;
            flipped[last] ^= 1;
            flipped
        }] {
            shelf.put(key, &damage).expect("memory");
            assert_eq!(fresh("0", &shelf), expected);
            assert_eq!(shelf.files().get(key), Some(bytes), "it is whole again");
        }
    }
    // The games of another policy under the keys of this one.
    let free = POLICY.replace("requires asked before", "requires audit.failed before");
    let foreign = MemoryCache::default();
    says(&mut beside(&free, "0", &Kept::default(), &foreign));
    let names: Vec<String> = whole.keys().cloned().collect();
    for (name, bytes) in names.iter().zip(foreign.files().values()) {
        shelf.put(name, bytes).expect("memory");
    }
    assert_eq!(fresh("0", &shelf), expected);
    // An edited policy has games of its own.
    let before = shelf.files().len();
    fresh("1", &shelf);
    assert_eq!(shelf.files().len(), 2 * before);
}

/// The answer of a process to one proposal, with journals in `j`.
fn process(folder: &Folder, flags: &[&str]) -> String {
    let request = "{\"event\":\"propose\",\"tool\":\"pay\",\"time\":1}\n";
    let args = ["shield", "p.toml", "--journal", "j"];
    folder.run_with(args.iter().chain(flags), request).exits(0).out
}

#[test]
fn processes_keep_games_beside_the_journals() {
    let folder = Folder::new();
    folder.file("p.toml", POLICY);
    let expected = process(&folder, &["--session", "a"]).replace("\"a\"", "");
    let games = || -> Vec<std::path::PathBuf> {
        let all = folder.path().join("j/compiled");
        let policies = std::fs::read_dir(all).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut files: Vec<_> = policies
            .flat_map(|policy| std::fs::read_dir(policy).expect("a folder"))
            .map(|entry| entry.expect("an entry").path())
            .collect();
        files.sort();
        files
    };
    let before = games();
    assert!(expected.contains("ask-first") && !before.is_empty(), "{expected} {before:?}");
    #[cfg(unix)]
    for file in &before {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} is private", file.display());
    }
    for (session, damage) in [("b", None), ("c", Some("")), ("d", Some("tslpack1 and more"))] {
        for file in before.iter().filter(|_| damage.is_some()) {
            std::fs::write(file, damage.unwrap_or_default()).expect("a file");
        }
        let answer = process(&folder, &["--session", session]).replace(&format!("\"{session}\""), "");
        let ticketless = |text: &str| text.split("\"ticket\"").next().unwrap_or_default().to_owned();
        assert_eq!(ticketless(&answer), ticketless(&expected));
    }
    assert_eq!(games(), before);
    process(&folder, &["--session", "e", "--no-cache"]);
    folder.file("p.toml", POLICY.replace("audit requires asked before", "audit requires ask before"));
    process(&folder, &["--session", "e"]);
    assert!(games().len() > before.len(), "an edited policy has games of its own");
}
