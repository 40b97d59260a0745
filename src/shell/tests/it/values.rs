//! Values of variables and names of files that a script determines by its text: what is known frees commands, and nothing
//! that may be another file is taken for known.

use tsl_synth_shell::{
    ClauseWords, CommandClause, CommandPattern, FileGlob, letter_automaton, script_automaton,
};

/// Whether some command of a script may read one of these files, or cannot be read.
fn may_read(script: &str, globs: &[&str]) -> bool {
    let glob = |text: &&str| FileGlob::new(text).expect("a glob");
    let reads = CommandClause {
        words: ClauseWords::Any,
        writes: Vec::new(),
        reads: globs.iter().map(glob).collect(),
        env: Vec::new(),
        input: Vec::new(),
    };
    let clauses = [reads];
    let automaton = letter_automaton(&script_automaton(script), &CommandPattern::each(&clauses));
    automaton.letters.iter().any(|letter| !letter.is_nothing())
}

/// Scripts that read no secret, whatever the files of the folder are named.
const FREE: &[&str] = &[
    // Loops over known words.
    "for n in 10 100 1000; do ./bench --size $n; done",
    "for n in 10 100 1000; do ./bench \"--size=$n\"; done",
    "for f in a.txt b.md; do cat \"$f\"; done",
    "for f in a.txt b.md; do cat $f; done",
    "for f in {1..5}; do cat \"log.$f\"; done",
    "for f in a b; do for g in c d; do cat \"$f/$g\"; done; done",
    "for f in \"a b\" c; do cat \"$f\"; done",
    "for f in 1 2 3 4 5 6 7 8 9 10 11 12; do cat \"log.$f.txt\"; done",
    "for f in *.c *.h; do cat \"$f\"; done",
    // Values that are assigned.
    "f=notes.md; cat \"$f\"",
    "f=notes.md; cat $f",
    "f=notes.md && cat \"$f\"",
    "d=src\nfor f in a b; do cat \"$d/$f\"; done",
    "v=1.2; cat \"dist/app-$v.txt\"",
    "out=\"$1.log\"; cat \"$out\"",
    "if make; then f=a; cat \"$f\"; fi",
    "f=a; (cat \"$f\")",
    "f=a; echo \"$(cat \"$f\")\"",
    "f=a; g() { cat \"$f\"; }; g",
    // Ends that are removed.
    "for f in *.in; do diff \"$f\" \"${f%.in}.out\"; done",
    "for f in tests/*.in; do e=\"${f%.in}.out\"; diff -q <(./solve < \"$f\") \"$e\" > /dev/null; done",
    "for f in src/*.ts; do cat \"lib/${f##*/}\"; done",
    "for f in *.jpeg; do cat \"$f\" \"${f%.jpeg}.jpg\"; done",
    "f=src/a.tar.gz; cat \"${f%%.*}.txt\" \"${f##*/}\" \"${f%/*}/b\"",
    // Names that are found.
    "find docs -name '*.md' -exec grep -l TODO {} \\;",
    "find . -type f -name '*.ts' -exec cat {} +",
    "find src -name '*.ts' -print0 | xargs -0 grep -l any",
    "find src -name '*.ts' -print0 | xargs -0 -n1 cat",
    "find src -name '*.ts' -print0 | xargs -0 -I{} cat {}",
    "find src -name '*.ts' -print0 | xargs -0 -I F cp F /tmp",
    "find . -name '*.sh' -print0 | while IFS= read -r -d '' f; do shellcheck \"$f\"; done",
    "for d in crates/*; do find \"$d\" -name '*.rs' -exec cat {} +; done",
    "printf '%s\\0' *.log | xargs -0 gzip",
    "printf '%s\\0' a.txt b.txt | xargs -0 cat",
    "echo a b c | xargs -n1 -P3 ./process.sh",
    "echo a b c | xargs cat",
    "echo a.txt | xargs -I{} cat {}",
    // Numbers and dates.
    "cat logs/$(date +%F).log",
    "cat \"logs/$(date -u '+%Y-%m-%d_%H').log\"",
    "cat log.$$.txt out.$#.txt err.$?.txt",
    "t=$(date +%s); cat \"log-$t.txt\"",
    "cat core.$(nproc).txt",
    "strange <(ls)",
    // A pager gets no arguments.
    "GIT_PAGER=cat git log -5",
    "PAGER=less git log",
];

/// Scripts that may read one, written as close to those above as may be.
const REFUSED: &[&str] = &[
    "for f in a .env; do cat \"$f\"; done",
    "for f in a .e; do cat \"${f}nv\"; done",
    "for f in 1 2 3 4 5 6 7 8 9 10 11 .env; do cat \"$f\"; done",
    "for f in \"x .env\" c; do cat $f; done",
    "for f in a b; do f=.env; cat \"$f\"; done",
    "for f in a b; do read f; cat \"$f\"; done",
    "for f in a b; do read \"$1\" < x; cat \"$f\"; done",
    "for f in a b; do read \"$(printf '\\146')\" < x; cat \"$f\"; done",
    "for f in a b; do re''ad $y < x; cat \"$f\"; done",
    "for f in a b; do printf -v \"$y\" %s .env; cat \"$f\"; done",
    "for f in a b; do export \"$y=.env\"; cat \"$f\"; done",
    "for f in a b; do declare \"$y\"; cat \"$f\"; done",
    "g() { local -n r=\"$1\"; r=.env; }; f=a; g \"$(printf '\\146')\"; cat \"$f\"",
    "declare -n r=\"$y\"; f=a; r=.env; cat \"$f\"",
    "for f in a b; do mapfile -t \"$y\"; cat \"$f\"; done",
    "for f in a b; do eval \"$y\"; cat \"$f\"; done",
    "for f in a b; do . ./x; cat \"$f\"; done",
    "for f in a b; do source x; cat \"$f\"; done",
    "for f in a b; do command eval \"$y\"; cat \"$f\"; done",
    "for foo in a b; do fo\\\no=.env; cat \"$foo\"; done",
    "IFS=x; for f in ax.env; do cat $f; done",
    "f=.env; cat \"$f\"",
    "f=.e; cat \"${f}nv\"",
    "f='a .env'; cat $f",
    "f=*; cat $f",
    "f=a; f=.env; cat \"$f\"",
    "f=a; f+=.env; cat \"$f\"",
    "f+=.env; cat \"$f\"",
    "cat \"$f\"; f=a",
    "test -f x && f=a; cat \"$f\"",
    "if make; then f=a; fi; cat \"$f\"",
    "(f=a); cat \"$f\"",
    "f=a | true; cat \"$f\"",
    "f=a & cat \"$f\"",
    "while make; do cat \"$f\"; f=a; done",
    "g() { f=a; }; cat \"$f\"",
    "f=a; unset \"$y\"; cat \"$f/.env\"",
    "f=a; for f in .env; do cat \"$f\"; done",
    "f=a; bash -c 'cat \"$f\"'",
    "f=a; trap 'f=.env' USR1; sleep 1; cat \"$f\"",
    "OLDPWD=a; cat \"$OLDPWD\"",
    "REPLY=a; read; cat \"$REPLY\"",
    "IFS=v; f=ave.env; cat $f",
    // Ends.
    "for f in x*; do cat \"${f#x}\"; done",
    "for f in *.in; do cat \"${f%.in}\"v; cat \".e${f%.in}\"; done",
    "for f in *; do cat \"${f%.in}\"; cat \"${f#a}\"; done",
    "for f in *.env; do cat \"${f#\"$x\"}\"; done",
    "f=x.env; cat \"${f#x}\"",
    "f=.env.bak; cat \"${f%.bak}\"",
    "f=a/.env; cat \"${f##*/}\"",
    "for f in *.in; do cat \"${f/in/pem}\"; done",
    "for f in *.in; do cat \"${f%in}pem\"; done",
    // Names.
    "find . -name '*' -exec cat {} \\;",
    "find . -name '.*' -exec cat {} \\;",
    "find . -name '*.ts' -o -name '.env' -exec cat {} \\;",
    "find . \\( -name '*.ts' -o -name '.env' \\) -print0 | xargs -0 cat",
    "find . ! -name '*.ts' -exec cat {} \\;",
    "find . -not -name '*.ts' -print0 | xargs -0 cat",
    "find . -exec cat {} \\; -name '*.ts'",
    "find . -print0 -name '*.ts' | xargs -0 cat",
    "find . -print0 , -name '*.ts' -print0 | xargs -0 cat",
    "find . -name '*.ts' -fprintf x y -printf .env -print0 | xargs -0 cat",
    "find \"$d\" -name '*.ts' -print0 | xargs -0 cat",
    "find . -name \"$n\" -exec cat {} \\;",
    "find conf/secret -name '*.ts' -exec cat {} \\;",
    "find . -name '*.ts' -exec cat {} \\;",
    "find ./ -name '*.ts' -exec cat {} \\;",
    "find -name '*.ts' -exec cat {} \\;",
    "find .. -name '*.ts' -exec cat {} \\;",
    "find ../ -exec cat {} \\;",
    "find . -exec cat {} +",
    "find conf -name 'a*' -exec cat {} +",
    "find conf/../conf -name 'a*' -exec cat {} +",
    "find conf -maxdepth 1 -exec cat {} +",
    "cd conf; find . -name '*.pem' -exec cat {} +",
    "find -L conf/secret -exec cat {} \\;",
    "find -O3 conf/secret -exec cat {} \\;",
    "find -x conf/secret -name '*.ts' -exec cat {} \\;",
    "find -O2 conf/secret -name '*.ts' -print0 | xargs -0 cat",
    "find conf/secret -maxdepth 1 -name 'a*' -exec cat {} \\;",
    "find . -name '*.ts' | xargs cat",
    "find . -name '*.ts' | xargs -0 cat",
    "find . -name '*.ts' -print0 | xargs cat",
    "find . -name '*.ts' -print0 | xargs -0 cat .env",
    "find . -name '*.ts' -print0 | xargs -0 -I{} cat {}/../../.env",
    "find . -name '*.ts' -print0 | xargs -0 -a list cat",
    "find . -name '*.ts' -print0 | sort -z | xargs -0 cat",
    "find . -name '*.ts' -print0 | while read -r f; do cat \"$f\"; done",
    "find . -name '*.ts' -print0 | while IFS= read -d '' f; do cat \"$f\"; done",
    "find . -name '*.ts' | while IFS= read -r -d '' f; do cat \"$f\"; done",
    "find . -name '*.ts' -print0 | while IFS= read -r -d '' f; do f=.env; cat \"$f\"; done",
    "find . -name '*.ts' -print0 | while IFS= read -r -d '' f < x; do cat \"$f\"; done",
    "find() { echo .env; }; find . -name '*.ts' -print0 | xargs -0 cat",
    "find . -name '*.ts' -print0 > x | xargs -0 cat",
    "printf '%s\\0' * .env | xargs -0 cat",
    "printf '%s\\n' *.log | xargs -0 cat",
    "printf '%s\\0' *.log | xargs cat",
    "shopt -s dotglob; for f in *; do cat \"$f\"; done",
    "shopt -s dot''glob; for f in *; do cat \"$f\"; done",
    "shopt -s \"$x\"; for f in *; do cat \"$f\"; done",
    "shopt -s dotglob; cat *",
    "GLOBIGNORE=x; cat *",
    "shopt -s dotglob; eval 'cat *'",
    "echo a .env | xargs cat",
    "echo a .env | xargs -n1 cat",
    "echo .e | xargs -I{} cat {}nv",
    "echo \"$x\" | xargs cat",
    "echo -e '\\056env' | xargs cat",
    "echo {a,.env} | xargs cat",
    // Outputs.
    "date() { echo .env; }; cat $(date +%F)",
    "date ( ) { echo ../.env; }; cat logs/$(date +%F)",
    "alias date='echo .env'; cat \"$(date +%F)\"",
    "cat \"$(date +.env)\"",
    "cat \"$(date -d \"$x\" +%c)\"",
    "cat \"$(uname -r).pem\"",
    "strange <(cat .env)",
    "cat <(ls) .env",
    "GIT_PAGER='cat .env' git log",
    "GIT_PAGER=sh git log",
];

#[test]
fn what_is_known_frees_commands() {
    let wrong: Vec<_> = FREE.iter().filter(|script| may_read(script, &["**/.env", "**/*.pem"])).collect();
    assert!(wrong.is_empty(), "refused: {wrong:#?}");
}

#[test]
fn what_may_be_another_file_is_refused() {
    let globs = ["**/.env", "**/*.pem", "conf/secret/**"];
    let wrong: Vec<_> = REFUSED.iter().filter(|script| !may_read(script, &globs)).collect();
    assert!(wrong.is_empty(), "free: {wrong:#?}");
}

/// Whether a push is certain or possible in a script, or some command cannot be read.
fn may_push(script: &str) -> bool {
    let argv = tsl_synth_shell::ArgvPattern::new(&["git", "push", "**"]).expect("a pattern");
    let clauses = [argv.into()];
    let automaton = letter_automaton(&script_automaton(script), &CommandPattern::each(&clauses));
    automaton.letters.iter().any(|letter| !letter.is_nothing())
}

/// Words that `xargs` and its kind put into a command are part of it.
#[test]
fn inserted_words_may_be_any_part_of_a_command() {
    let refused = [
        "echo push | xargs -I P git P",
        "echo push | xargs -I{} git {}",
        "echo push | xargs -IX git X",
        "echo sh | xargs -I@ git pu@",
        "echo git | xargs -I{} {} push",
        "cat x | xargs -I{} {} push",
        "cat x | xargs -I P git P",
        "cat x | xargs --replace git {}",
        "cat x | xargs --replace=P git P",
        "cat x | xargs --max-lines git push",
        "cat x | xargs git",
        "echo push | xargs git",
        "echo push | xargs -n1 git",
        "printf '%s\\0' push | xargs -0 git",
        "parallel git {} ::: push",
        "parallel git {1} ::: push",
        "parallel {} push ::: git",
        "c=git; $c push",
        "a=push; git $a",
        "a=push; git \"$a\"",
        "for a in pull push; do git $a; done",
        "for a in pull push; do git \"$a\"; done",
        "for c in git; do $c push; done",
        "a='git push'; bash -c \"$a\"",
        "a='git push'; eval \"$a\"",
        "a=pu; git \"${a}sh\"",
        "a=pushx; git \"${a%x}\"",
    ];
    let wrong: Vec<_> = refused.iter().filter(|script| !may_push(script)).collect();
    assert!(wrong.is_empty(), "free: {wrong:#?}");
    let free = [
        "echo pull | xargs -I P git P",
        "cat x | xargs -I{} git log {}",
        "cat x | xargs -I{} echo git push {}",
        "cat x | xargs git log",
        "echo status | xargs git",
        "c=git; $c pull",
        "a=pull; git $a",
        "for a in pull fetch status; do git $a; done",
        "for a in pull fetch; do git \"$a\" origin; done",
        "a='git pull'; bash -c \"$a\"",
        "a=refx; git \"show-${a%x}\"",
    ];
    let wrong: Vec<_> = free.iter().filter(|script| may_push(script)).collect();
    assert!(wrong.is_empty(), "refused: {wrong:#?}");
}

/// Whether a command of a script may be one that removes a folder below the root, in the words of an `argv` table.
fn may_wipe(script: &str) -> bool {
    let argv = tsl_synth_shell::ArgvPattern::new(&["rm", "**", "{/etc,/etc/*,db/migrations/*}", "**"]);
    let clauses = [argv.expect("a pattern").into()];
    let automaton = letter_automaton(&script_automaton(script), &CommandPattern::each(&clauses));
    automaton.letters.iter().any(|letter| !letter.is_nothing())
}

/// Words are paths below the folder that `cd` has entered, also those that other commands pass on.
#[test]
fn words_are_used_where_a_command_runs() {
    let refused = [
        "cd /etc && rm x",
        "cd / && rm -r etc",
        "cd /etc; rm x",
        "cd /etc && sudo rm x",
        "cd /etc && echo x | xargs rm",
        "cd /etc && find . -name '*.conf' -exec rm {} +",
        "cd / && find etc -print0 | xargs -0 rm",
        "cd /etc && for f in a b; do rm $f; done",
        "cd /etc && bash -c 'rm x'",
        "cd db && rm migrations/1.sql",
        "cd db/migrations && rm 1.sql",
        "cd db/migrations && rm *.sql",
        "cd src/../db && cd migrations && rm 1.sql",
        "cd /home/me/p && rm db/migrations/1.sql",
        "(cd /etc && rm x)",
        "d=/etc; cd $d && rm x",
        "pushd /etc; rm x",
        "cd \"$d\" && rm x",
    ];
    let wrong: Vec<_> = refused.iter().filter(|script| !may_wipe(script)).collect();
    assert!(wrong.is_empty(), "free: {wrong:#?}");
    let free = [
        "cd /tmp && rm x",
        "cd src && rm main.rs",
        "cd db && rm x",
        "(cd /etc); rm x",
        "cd /etc && ls && cd /tmp && rm x",
        "d=/tmp; cd $d && rm x",
        "cd db/migrations && ls",
        "cd db/migrations && echo x > /tmp/y",
        "cd /etc && cat hosts",
        "bash -c 'cd /etc'; rm x",
    ];
    let wrong: Vec<_> = free.iter().filter(|script| may_wipe(script)).collect();
    assert!(wrong.is_empty(), "refused: {wrong:#?}");
}
