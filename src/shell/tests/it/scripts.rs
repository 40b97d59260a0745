//! Scripts in files that a command runs: what is known of them counts, and what may be another text when they run is
//! opaque.

use std::sync::Arc;
use tsl_synth_core::model::{ReadScript, ReadScripts, ScriptContent};
use tsl_synth_shell::{
    ArgvPattern, ClauseWords, CommandClause, CommandPattern, Unread, WordPiece, argv_with_files,
    letter_automaton, script_automaton, script_with_files,
};

const ACTIVATE: &str = include_str!("../../../../fixtures/shell/scripts/activate");

/// The files of the folder `/w`, where commands run. `log` is a link to `push.sh`, `two` a file with two names.
const FILES: &[(&str, &[u8])] = &[
    ("a.sh", b"#!/bin/sh\necho hello\n"),
    ("ab c.sh", b"echo hello\n"),
    ("push.sh", b"#!/bin/bash\nset -e\necho now\ngit push\n"),
    ("log", b"#!/bin/bash\nset -e\necho now\ngit push\n"),
    ("plain", b"echo hello\n"),
    ("plain-push", b"git push\n"),
    ("tool.py", b"#!/usr/bin/env python3\nprint(1)\n"),
    ("odd", b"#!/usr/bin/git push\n"),
    ("split", b"#!/usr/bin/env -S bash -e\ngit push\n"),
    ("binary", b"\x7fELF\x02\0\0"),
    ("windows.sh", b"#!/bin/sh\r\necho hello\r\n"),
    ("latin.sh", b"#!/bin/sh\n# \xe9\necho hello\n"),
    ("loop-a.sh", b"sh ./loop-b.sh\n"),
    ("loop-b.sh", b"sh ./loop-a.sh\n"),
    ("outer.sh", b"#!/bin/sh\ncd sub\n./inner.sh && bash ../a.sh\n"),
    ("sub/inner.sh", b"#!/bin/sh\nexec git push\n"),
    ("sub/a.sh", b"echo in sub\n"),
    ("self.sh", b"echo 'git push' >> self.sh\n"),
    ("self0.sh", b"echo 'git push' >> \"$0\"\n"),
    ("self-link.sh", b"echo 'git push' >> alias\n"),
    ("build.sh", b"#!/bin/sh\nset -eu\nmake > build.log 2>&1\nnpm run x\n"),
    ("pull.sh", b"git pull\nmake\n"),
    ("get.sh", b"curl -fsSL -d @x \"https://x.org/$1\"\ncurl --fail -X POST \"https://x.org\"\n"),
    ("load.sh", b"curl -fsSLO https://x.org/load.sh\n"),
    ("load2.sh", b"curl $x https://x.org\n"),
    ("load3.sh", b"curl -K x https://x.org\n"),
    ("functions.sh", b"date() { echo .env; }\ngit() { echo no; }\n"),
    ("home.sh", b"HOME=/etc\n"),
    ("exit.sh", b"exit 0\n"),
    ("arith.sh", b"x='a[$(git push)]'\n"),
    ("nested.sh", b"cat <<'EOF'\ngit push\nEOF\n"),
    ("run.sh", b"cat <<EOF | sh\ngit push\nEOF\n"),
    ("eval.sh", b"eval \"$1\"\n"),
    (".venv/bin/activate", ACTIVATE.as_bytes()),
    ("sub/.venv/bin/activate", ACTIVATE.as_bytes()),
];

fn content(path: &str) -> ReadScript {
    let own = path.strip_prefix("/w/").unwrap_or(path);
    let own = own.strip_prefix("./").unwrap_or(own).replace("sub/../", "").replace("/./", "/");
    let found = FILES.iter().find(|(name, _)| *name == own);
    let content = found.map_or(ScriptContent::Missing, |(_, bytes)| ScriptContent::of_bytes(bytes));
    ReadScript { path: path.to_owned(), content, place: place(path) }
}

fn place(path: &str) -> Option<String> {
    let own = path.strip_prefix("/w/").unwrap_or(path);
    let own = own.strip_prefix("./").unwrap_or(own).replace("sub/../", "");
    match own.as_str() {
        "log" => Some("/w/push.sh".into()),
        "alias" => Some("/w/self-link.sh".into()),
        "two" => None,
        own if own.starts_with('/') => Some(own.to_owned()),
        own => Some(format!("/w/{own}").trim_end_matches(['/', '.']).to_owned()),
    }
}

/// Reads the files that a command asks for, as a gate does.
fn read(
    pending: bool,
    of: &dyn Fn(&Arc<ReadScripts>) -> bool,
    wanted: &dyn Fn(&Arc<ReadScripts>) -> [Vec<String>; 2],
) -> bool {
    let mut files = ReadScripts { pending, ..ReadScripts::default() };
    for _ in 0..20 {
        let now = Arc::new(files.clone());
        let [scripts, places] = wanted(&now);
        if scripts.is_empty() && places.is_empty() {
            return of(&now);
        }
        files.files.extend(scripts.iter().map(|path| content(path)));
        files.places.extend(places.iter().map(|path| (path.clone(), place(path))));
    }
    panic!("files are asked for again and again");
}

fn push() -> [CommandClause; 1] {
    let words = ArgvPattern::new(&["git", "push", "**"]).expect("a pattern");
    [CommandClause {
        words: ClauseWords::Argv(words),
        writes: Vec::new(),
        reads: Vec::new(),
        env: Vec::new(),
        input: Vec::new(),
    }]
}

/// Whether a command may push, or cannot be read.
fn may_push_while(script: &str, pending: bool) -> bool {
    let clauses = push();
    let patterns = CommandPattern::each(&clauses);
    let may = |files: &Arc<ReadScripts>| {
        let letters =
            letter_automaton(&script_with_files(script, Some(files), Unread::MayLeave).0, &patterns).letters;
        letters.iter().any(|letter| !letter.is_nothing())
    };
    read(pending, &may, &|files| {
        let wanted = script_with_files(script, Some(files), Unread::MayLeave).1;
        [wanted.scripts, wanted.places]
    })
}

fn may_push(script: &str) -> bool {
    may_push_while(script, false)
}

const FREE: &[&str] = &[
    "sh a.sh",
    "bash ./a.sh",
    "bash -e a.sh x y",
    "./a.sh",
    "sh 'ab c.sh'",
    "./ab\\ c.sh",
    "source ./a.sh",
    ". ./a.sh && ls",
    ". /w/a.sh",
    "exec ./a.sh",
    "nice ./a.sh",
    "env X=1 bash a.sh",
    "sudo -n bash a.sh",
    "./plain",
    "./tool.py",
    "./binary",
    "./not-there",
    "make && ./not-there",
    "cargo build && ./binary",
    "source .venv/bin/activate",
    "source .venv/bin/activate && pytest",
    "cd sub && source .venv/bin/activate && pip install -e '.[dev]'",
    "cd sub && bash a.sh",
    "bash ./build.sh",
    "bash a.sh > out.txt 2>&1",
    "bash a.sh | tee out.txt | tail -5",
    "bash a.sh 2>&1 | tail -5",
    "mkdir -p x && touch x/y && sh a.sh",
    "echo hello > other && sh a.sh",
    "for x in 1 2; do sh a.sh $x; done",
    "sh nested.sh",
    "sh get.sh",
    "source ./exit.sh; ls",
    "bash -c 'sh a.sh'",
    "sh a.sh & ls",
    "if ./a.sh; then ls; fi",
    "sh sub/a.sh",
    "/usr/bin/env bash a.sh",
    "set -e; sh a.sh; make",
];

const REFUSED: &[&str] = &[
    "sh push.sh",
    "bash -x ./push.sh",
    "./push.sh",
    "source ./push.sh",
    ". ./push.sh",
    "./plain-push",
    "./odd",
    "./split",
    "nice ./push.sh",
    "sudo bash push.sh",
    "exec ./push.sh",
    "cat x | ./push.sh",
    "find . -name x -exec sh push.sh \\;",
    "bash outer.sh",
    "cd sub && ./inner.sh",
    "(cd sub; ./inner.sh)",
    // What is not known.
    "sh missing.sh",
    "./missing.sh",
    "source ./missing",
    "sh windows.sh",
    "./latin.sh",
    "sh binary",
    "sh \"$f\"",
    "sh *.sh",
    "source a.sh",
    "source ~/a.sh",
    "cd \"$d\" && sh a.sh",
    "cd sub; sh a.sh",
    "cd .. && sh a.sh",
    "cd sub/.. && sh a.sh",
    "sh loop-a.sh",
    "sh self.sh",
    "sh self0.sh",
    "sh self-link.sh",
    "sh pull.sh",
    "sh load.sh",
    "sh load2.sh",
    "sh load3.sh",
    "sh run.sh",
    "sh eval.sh",
    "sh -s < a.sh",
    "source ./home.sh; ls",
    "HOME=/x; sh a.sh",
    "source ./arith.sh; ((x))",
    // What may change before or while it runs.
    "echo 'git push' > a.sh; sh a.sh",
    "echo 'git push' > ./a.sh && ./a.sh",
    "echo 'git push' > log; sh push.sh",
    "echo 'git push' > two; sh a.sh",
    "echo 'git push' | tee a.sh; sh a.sh",
    "cp evil a.sh && ./a.sh",
    "cp -r evil . && ./a.sh",
    "mv evil a.sh && ./a.sh",
    "ln -sf evil a.sh; sh a.sh",
    "curl -o a.sh https://x && sh a.sh",
    "curl https://x > a.sh && sh a.sh",
    "sed -i 's/echo/git push #/' a.sh; sh a.sh",
    "git checkout other; sh a.sh",
    "make; sh a.sh",
    "python gen.py; ./a.sh",
    "sh a.sh | tee a.sh",
    "sh a.sh > a.sh",
    "(sleep 1; echo 'git push' > a.sh) & sh a.sh",
    "sh a.sh & echo 'git push' > a.sh",
    "for x in 1 2; do sh a.sh; echo 'git push' > a.sh; done",
    "while true; do ./a.sh; make; done",
    "{ echo 'git push'; } > a.sh; sh a.sh",
    "echo 'git push' > \"$x\"; sh a.sh",
    "cd sub && echo 'git push' > ../a.sh && cd .. && sh a.sh",
    "source .venv/bin/activate; echo x > a.sh; sh a.sh",
    "bash a.sh; echo 'git push' >> a.sh; bash a.sh",
    "cat > a.sh <<'EOF'\ngit push\nEOF\nsh a.sh",
    "dd of=a.sh if=x; sh a.sh",
    "exec > a.sh; echo git push; sh a.sh",
    // Files of another place.
    "docker exec app sh a.sh",
    "docker exec app sh -c './a.sh; sh a.sh'",
    "ssh host 'sh a.sh'",
    "env -C sub sh a.sh",
    "xargs -n1 sh a.sh",
];

#[test]
fn scripts_are_judged_by_their_text() {
    let wrong: Vec<&&str> = FREE.iter().filter(|script| may_push(script)).collect();
    assert!(wrong.is_empty(), "refused: {wrong:#?}");
    let wrong: Vec<&&str> = REFUSED.iter().filter(|script| !may_push(script)).collect();
    assert!(wrong.is_empty(), "granted: {wrong:#?}");
}

#[test]
fn a_call_that_has_not_ended_may_change_scripts() {
    for script in ["sh a.sh", "./a.sh", ". ./a.sh", "./plain"] {
        assert!(may_push_while(script, true), "{script}");
    }
    for script in ["ls", "./binary", "bash -c ls"] {
        assert!(!may_push_while(script, true), "{script}");
    }
}

#[test]
fn no_file_is_asked_for_without_permission() {
    for script in FREE.iter().chain(REFUSED) {
        assert!(script_with_files(script, None, Unread::MayLeave).1.is_empty(), "{script}");
    }
    let words = ["bash", "a.sh"].map(str::to_owned);
    let files = Arc::new(ReadScripts::default());
    assert_eq!(argv_with_files(&words, Some(&files), Unread::MayLeave).1.scripts, ["a.sh"]);
    assert!(script_automaton("sh a.sh").letters.iter().any(|letter| letter.opaque.is_some()));
    assert!(script_automaton("./push.sh").letters.iter().all(|letter| letter.opaque.is_none()));
}

#[test]
fn sourced_functions_change_what_words_mean() {
    let files = |script: &str| {
        let reading = |files: &Arc<ReadScripts>| {
            let (automaton, wanted) = script_with_files(script, Some(files), Unread::MayLeave);
            (automaton.letters, [wanted.scripts, wanted.places])
        };
        let is_open = |files: &Arc<ReadScripts>| {
            let letters = reading(files).0;
            let view =
                letters.iter().flat_map(|letter| &letter.views).find(|view| view[0].text() == Some("rm"));
            view.is_none_or(|view| view[1].pieces.contains(&WordPiece::Any))
        };
        read(false, &is_open, &|files| reading(files).1)
    };
    // `date` may print anything once it is a function.
    assert!(files("source ./functions.sh; rm $(date +%F)"));
    assert!(!files("source ./a.sh; rm $(date +%F)"));
}

#[test]
fn many_scripts_take_no_exponential_time() {
    let content = |path: &str| {
        let text = format!("sh ./{path}x\n").repeat(50);
        let content = ScriptContent::of_bytes(text.as_bytes());
        ReadScript { path: path.to_owned(), content, place: Some(format!("/w/{path}")) }
    };
    let mut files = ReadScripts::default();
    for _ in 0..40 {
        let wanted = script_with_files("sh a", Some(&Arc::new(files.clone())), Unread::MayLeave).1;
        if wanted.is_empty() {
            break;
        }
        files.files.extend(wanted.scripts.iter().map(|path| content(path)));
        files.places.extend(wanted.places.iter().map(|path| (path.clone(), place(path))));
    }
    let (automaton, _) = script_with_files("sh a", Some(&Arc::new(files)), Unread::MayLeave);
    assert!(automaton.letters.iter().any(|letter| letter.opaque.is_some()));
}
