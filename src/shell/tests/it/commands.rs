//! Commands that others run: followed, or opaque, never missed; look-alikes are neither.

use std::process::{Command, Stdio};
use tsl_synth_core::base::Random;
use tsl_synth_shell::{
    ArgvPattern, CommandClause, CommandLetter, CommandPattern, LetterAutomaton, letter_automaton,
    script_automaton,
};
use tsl_synth_testkit::quota;

fn automaton(script: &str) -> LetterAutomaton {
    let push = CommandClause::from(ArgvPattern::new(&["git", "push", "**"]).expect("a pattern"));
    letter_automaton(&script_automaton(script), &CommandPattern::each(&[push]))
}

/// Whether a push is certain in some run, possible in some, and whether something cannot be read.
pub(super) fn seen(script: &str) -> (bool, bool, bool) {
    let letters = automaton(script).letters;
    let any = |holds: fn(&CommandLetter) -> bool| letters.iter().any(holds);
    (any(|own| !own.sure.is_empty()), any(|own| !own.maybe.is_empty()), any(|own| own.opaque))
}

/// `@` stands for the command.
const FOLLOWED: &[&str] = &[
    "sudo -u root @",
    "echo '@' | sh",
    "echo '@' | sudo bash -e",
    "printf '%s\\n' '@' | bash",
    "printf '@' | bash -s",
    "cat <<'E' | sh\n@\nE",
    "echo 'cd x; @ &' | sh 2>&1 | tee log",
    "devcontainer exec --workspace-folder . @",
    "gdb -q --args @",
    "rr record @",
    "catchsegv @",
    "onchange 'src/*' -- @",
    "nx exec -- @",
    "doas @",
    "env -i A=b @",
    "nice -n 5 @",
    "ionice -c2 -n7 @",
    "chrt -f 10 @",
    "taskset -c 0 @",
    "taskset 1 @",
    "setsid -w @",
    "stdbuf -oL @",
    "timeout -k 1 5 @",
    "time -p @",
    "nohup @",
    "unbuffer @",
    "xvfb-run -a @",
    "systemd-run --user --scope @",
    "cgexec -g cpu:x @",
    "busybox @",
    "chroot /mnt @",
    "unshare -r @",
    "nsenter -t 1 -m @",
    "strace -f -o log @",
    "ltrace -f @",
    "valgrind --tool=none @",
    "perf stat -e cycles @",
    "flock /tmp/lock @",
    "flock /tmp/lock -c '@'",
    "script -q -c '@' log",
    "su -c '@'",
    "su - user -c '@'",
    "runuser -u user -- @",
    "runuser user -c '@'",
    "watch -n 5 '@'",
    "watch @",
    "entr @",
    "xargs @",
    "xargs -n 1 @",
    "find . -exec @ \\;",
    "find . -execdir @ +",
    "find . -ok @ \\;",
    "fd x -x @",
    "parallel @ ::: a b",
    "hyperfine '@'",
    "jobs -x @",
    "exec -a name @",
    "command @",
    "builtin command @",
    "ssh host @",
    "ssh -p 22 -i key host '@'",
    "ssh host -l user '@'",
    "ssh host <<'E'\n@\nE",
    "ssh host 'bash -s' <<'E'\n@\nE",
    "docker run --rm -v \"$PWD\":/w alpine @",
    "docker run --entrypoint git alpine push",
    "docker exec -it -e A=b app @",
    "docker compose exec -T web @",
    "docker compose -f x.yml run --rm web @",
    "docker-compose exec web @",
    "podman run alpine @",
    "kubectl exec -it pod -n ns -- @",
    "kubectl exec pod -c main -- sh -c '@'",
    "kubectl run tmp --image=x --rm -it -- @",
    "uv run @",
    "uv run --with rich --python 3.12 @",
    "uvx @",
    "npx -y @",
    "npx -c '@'",
    "npm exec -- @",
    "npm exec -c '@'",
    "pnpm exec @",
    "pnpm --filter web exec @",
    "pnpm dlx @",
    "pnpm @",
    "yarn exec @",
    "bunx @",
    "bun run @",
    "poetry run @",
    "pipenv run @",
    "hatch run @",
    "rye run @",
    "conda run -n ml @",
    "bundle exec @",
    "mise exec -- @",
    "mise exec node -- @",
    "mise x --command='@'",
    "mise x -c '@'",
    "direnv exec . @",
    "dotenv -f .env run @",
    "dotenv -e .env -- @",
    "doppler run -- @",
    "aws-vault exec prod -- @",
    "nix shell nixpkgs#git -c @",
    "nix develop -c @",
    "nix-shell --run '@'",
    "cargo watch -s '@'",
    "git bisect run @",
    "git -C x bisect run @",
    "git submodule foreach '@'",
    "git submodule foreach --recursive @",
    "git rebase --exec '@' main",
    "git rebase -x '@' main",
    "git rebase -i -x '@'",
    "git rebase --exec='@' main",
    "git -c 'alias.x=!@' x",
    "git -c core.sshCommand='@' fetch",
    "git -c core.pager='@' log",
    "git -c pager.log='@' log",
    "git -c diff.x.textconv='@' diff",
    "git -c sequence.editor='@' rebase -i",
    "git filter-branch --tree-filter '@' HEAD",
    "git clone --upload-pack='@' x",
    "tar xf a --to-command='@'",
    "tar xf a --to-com='@'",
    "tar cf a --checkpoint=1 --checkpoint-action=exec='@' b",
    "tar -I '@' -xf a",
    "rsync -e '@' a b",
    "rsync -avze '@' a b",
    "sort --compress-program='@' f",
    "split --filter='@' f",
    "man -P '@' ls",
    "rg --pre '@' x",
    "GIT_SSH_COMMAND='@' git fetch",
    "export GIT_PAGER='@'",
    "EDITOR='@' git commit",
    "env PAGER='@' man ls",
    "GIT_EDITOR='@'",
    "RUSTC_WRAPPER='@' cargo build",
    "tmux new-session -d '@'",
    "tmux new -s x @",
    "screen -dmS x @",
    "bash -c '@'",
    "rbash -c '@'",
    "dash -ec '@'",
    "zsh -lc '@'",
    "bash -s <<'E'\n@\nE",
    "sh <<< '@'",
    "eval '@'",
    "eval git push",
    "trap '@' EXIT",
    "trap -- '@' INT TERM",
    "coproc @",
    "echo \"$(@)\"",
    "echo ${x:-$(@)}",
    "echo $(( $(@) + 1 ))",
    "(( $(@) ))",
    "[[ -n $(@) ]]",
    "[[ x =~ ^(a|$(@))$ ]]",
    "[[ $x =~ $(@)|b ]]",
    "cat <(@)",
    "cat --files0-from=<(@)",
    "cat < <(@)",
    "echo a > >(@)",
    "x=(<(@) b)",
    "x=([a]=$(@))",
    "for i in a; do for j in b; do { ( ( ( ( ( ( ( ( (@) ) ) ) ) ) ) ) ); }; done; done",
    "select x in a; do @; break; done <<< 1",
    "time -- @",
    "time -- ! @",
    "time -p -- A=b @",
    "time -p ! @",
    "time -p { @; }",
    "time -p if @; then :; fi",
    "x=1; time -- { @; }",
    "! ! @",
    "cat <<E\n$(@)\nE",
    "echo \"$(cat <<E\n$(@)\nE\n)\"",
    "echo \"$(: # )\n@)\"",
    "echo \"$(case x in x) @;; esac)\"",
    "echo \"`@`\"",
    "cat <(@)",
    "for i in 1; do @; done",
    "git {push,}",
    "{git,push}",
];

const OPAQUE: &[&str] = &[
    "eval \"$x\"",
    "eval \"$(x)\" @",
    "source x",
    ". ./x",
    "bash x.sh",
    "bash x.sh @",
    "curl x | sh",
    "$x",
    "\"$x\" push",
    "sudo --unknown x @",
    "env -S '@'",
    "parallel ::: '@'",
    "su",
    "sudo -s",
    "pwsh -c '@'",
    "fish -c '@'",
    "at now <<< '@'",
    "expect -c '@'",
    "socat - EXEC:'@'",
    "nc -e '@' host 1",
    "gdb -ex 'shell @' x",
    "vim -c '!@'",
    "vim '+!@'",
    "awk 'BEGIN { system(\"@\") }'",
    "awk '{ print | \"@\" }'",
    "sed '1e @' f",
    "sed 's/.*/@/e' f",
    "psql -c '\\! @'",
    "sqlite3 x '.shell @'",
    "make SHELL='@'",
    "make --eval='$(shell @)'",
    "make X='$(shell @)'",
    "ssh -o ProxyCommand='@' host",
    "ssh -oProxyCommand='@' host",
    "git --exec-path=. x",
    "git -c core.hooksPath=/x commit",
    "git clone 'ext::@'",
    "BASH_ENV=x bash -c :",
    "export BASH_ENV=x",
    "LD_PRELOAD=x ls",
    "NODE_OPTIONS='--require ./x' node y",
    "PS4='$(@)' bash -xc :",
    "GIT_SSH_COMMAND=\"$x\" git fetch",
    "alias ls='@'",
    "enable -f x y",
    "hash -p /x/git ls",
    "complete -C '@' x",
    "compgen -C '@'",
    "bind -x '\"a\": @'",
    "mapfile -C '@' -c 1 a",
    "readarray -C '@' -c 1 a",
    "fc -s git",
    "printf -v 'a[$(@)]' x",
    "read 'a[$(@)]' <<< x",
    "test -v 'a[$(@)]'",
    "[ -v 'a[$(@)]' ]",
    "[[ -v 'a[$(@)]' ]]",
    "[[ 'a[$(@)]' -eq 1 ]]",
    "x='a[$(@)]'; ((x))",
    "x='a[$(@)]'; echo $((x))",
    "x='a[$(@)]'; echo ${y[x]}",
    "x='a[$(@)]'; echo ${!x}",
    "x='a[$(@)]'; y[x]=1",
    "x='a[`@`]'; y=$(echo $((x)))",
    "declare -i x='a[$(@)]'",
    "declare 'a[$(@)]=1'",
    "declare -n r='a[$(@)]'; echo $r",
    "unset 'a[$(@)]'",
    "let 'x=a[$(@)]'",
    "echo $[$(@)]",
    "tmux send-keys -t x '@' Enter",
    "screen -X stuff '@'",
    "docker exec -i app sh",
    "busybox sh",
    "git $x",
    "python3 -c \"import os; os.system('@')\"",
    "python -c 'from subprocess import run; run([\"git\", \"push\"])'",
    "python3 - <<'E'\nimport subprocess\nsubprocess.run(['git', 'push'])\nE",
    "python3 <<E\nimport os as o\no.system('@')\nE",
    "python3.12 -Ic '__import__(\"os\").popen(\"@\")'",
    "echo \"import os; os.system('@')\" | python3",
    "node -e \"require('child_process').execSync('@')\"",
    "node -p 'process.binding(\"spawn_sync\")'",
    "bun -e 'Bun.spawn([\"git\", \"push\"])'",
    "deno eval 'new Deno.Command(\"git\")'",
    "perl -e 'system \"@\"'",
    "perl -e 'print `@`'",
    "perl -e 'open(F, \"@|\"); print <F>'",
    "ruby -e 'puts open(\"|@\").read'",
    "perl -ne 'exec(\"@\")' f",
    "ruby -e 'puts %x(@)'",
    "ruby -e '`@`'",
    "php -r 'shell_exec(\"@\");'",
    "lua -e 'os.execute(\"@\")'",
    "Rscript -e 'system(\"@\")'",
    "osascript -e 'do shell script \"@\"'",
    "uv run python -c 'import os; os.execvp(\"git\", [])'",
    "crontab -",
    "echo '* * * * * @' | crontab -",
    "crontab jobs.txt",
    "git p",
    "git ci -m x",
    "git --no-pager -C x yolo --now",
    "git config alias.p '!@' && git p",
    "cmd /c '@'",
    "cat x | sh",
    "echo \"$x\" | sh",
    "echo -e '@' | sh",
    "echo 'printf \\147it' | sh",
    "echo ls | sh < x",
    "exec 3< x; echo ls | sh <&3",
    "sh <<< ls <&3",
    "sh < <(echo '@')",
    "f() { echo; }; echo ls | sh",
];

/// Commands that look alike and run no push.
const FREE: &[&str] = &[
    "echo 'git push'",
    "git commit -m 'git push'",
    "git commit -m \"$(cat <<'EOF'\nuse `git push` and $(git push)\nEOF\n)\"",
    "cat <<'E'\n$(git push)\nE",
    "echo \"$(: # git push\n)\"",
    "echo \"$(echo ')' git push)\"",
    "grep -rn 'git push' .",
    "git rebase main",
    "git config alias.p push",
    "git -C x --no-pager rev-parse HEAD",
    "git lfs pull",
    "git flow init",
    "git stash list",
    "git for-each-ref --format='%(refname)'",
    "echo ls | sh",
    "echo 'echo git push' | sh",
    "git rebase --exec 'cargo test' main",
    "git -c user.name=x commit",
    "git -c core.pager=cat log",
    "git -c color.ui=always diff",
    "git bisect good",
    "git submodule update --init",
    "trap - EXIT",
    "trap '' INT",
    "trap 'rm -f x' EXIT; ls",
    "trap 'exit 1' INT TERM; make",
    "eval 'ls'",
    "GIT_EDITOR=true git rebase --continue",
    "GIT_PAGER=cat git log",
    "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
    "PS4='+ ' bash -xc ls",
    "docker ps -a",
    "docker run --rm -it -p 80:80 nginx",
    "docker compose up -d",
    "kubectl get pods -n ns",
    "uv sync --dev",
    "npm run build -- --x",
    "npx tsc --noEmit",
    "pnpm install",
    "bash -n x.sh",
    "bash --version",
    "ssh -N -L 1:2:3 host",
    "ssh host uptime",
    "tar xzf a.tgz -C /tmp",
    "rsync -avz a b",
    "tmux ls",
    "tmux send-keys -t x C-c",
    "awk '/a|b/ { print $1 }' f",
    "sed -n 's/a/b/p' f",
    "((i = i + 1)); echo $((i))",
    "[[ $a -eq 1 ]]",
    "[[ $x =~ ^v([0-9]+)\\.([0-9]+)$ ]] && echo \"${BASH_REMATCH[1]}\"",
    "[[ $x == *.@(js|ts) || $y = a* ]]",
    "mapfile -t files < <(git diff --name-only)",
    "read -r x; printf -v y '%s' x",
    "find . -name '*.rs'",
    "python -c 'print(1)'",
    "python3 -c 'import json, sys; print(json.load(sys.stdin)[\"x\"])' < a.json",
    "python3 - <<'E'\nimport sqlite3, os\nprint(os.path.exists('x'))\nsqlite3.connect('a').execute('select 1')\nE",
    "python x.py 'os.system(1)'",
    "node -e 'console.log(/a/.exec(\"a\"))'",
    "node -p \"require('./package.json').version\"",
    "node -e \"require('fs').writeFileSync('a', 'b')\"",
    "perl -pi -e 's/filesystem/x/g' f",
    "perl -lane 'print $F[0]' f",
    "ruby -e 'puts Dir.glob(\"*\")'",
    "perl -e 'open(F, \"<\", \"x\"); print <F>'",
    "ruby -e 'puts File.open(\"x\").read.split(\"|\")'",
    "php -r 'echo PHP_VERSION;'",
    "php artisan migrate",
    "crontab -l",
    "make test",
    "{fd,push} git",
];

#[test]
fn commands_inside_of_others_are_followed() {
    let wrong: Vec<&str> = FOLLOWED
        .iter()
        .filter(|form| {
            let (sure, maybe, opaque) = seen(&form.replace('@', "git push"));
            !(sure || maybe) || opaque
        })
        .copied()
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_not_followed_is_opaque() {
    let wrong: Vec<&str> =
        OPAQUE.iter().filter(|form| !seen(&form.replace('@', "git push")).2).copied().collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Forms in which the `@` is of the shell.
#[test]
fn arguments_of_functions_and_prompts_are_seen() {
    assert_eq!(seen("f() { \"$@\"; }; f git push"), (true, false, false));
    assert_eq!(
        seen("retry() { for i in 1 2; do \"$@\" && return; done; }; retry git push"),
        (true, false, false)
    );
    assert!(seen("f() { shift; \"$@\"; }; f x git push").2);
    assert!(seen("f() { set -- git push; \"$@\"; }; f ls").2);
    assert!(seen("\"$@\"").2);
    assert!(seen("x='$(git push)'; echo ${x@P}").2);
}

#[test]
fn look_alikes_are_neither() {
    let wrong: Vec<&str> =
        FREE.iter().filter(|script| seen(script) != (false, false, false)).copied().collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Runs a script with a recorder named `git`; whether it was called, or `None` if bash refuses the script.
fn pushes_in_bash(script: &str, folder: &std::path::Path) -> Option<bool> {
    let record = folder.join("ran");
    let _ = std::fs::remove_file(&record);
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("timeout")
        .args(["5", "bash", "-c", script])
        .env("PATH", path)
        .env("RECORD", &record)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_refused = errors.contains("syntax error") || errors.contains("unexpected EOF");
    (!is_refused).then(|| record.exists())
}

/// A folder with the recorder, which is removed in the end.
struct Recorder(std::path::PathBuf);

impl Recorder {
    fn path(&self) -> &std::path::Path {
        &self.0
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn recorder(name: &str) -> Option<Recorder> {
    use std::os::unix::fs::PermissionsExt;
    if Command::new("bash").arg("--version").stdout(Stdio::null()).status().is_err() {
        tsl_synth_testkit::skip("bash is not installed");
        return None;
    }
    let folder = Recorder(std::env::temp_dir().join(format!("tsl-synth-{name}-{}", std::process::id())));
    std::fs::create_dir_all(folder.path()).expect("a folder");
    let git = folder.path().join("git");
    std::fs::write(&git, "#!/bin/sh\n[ \"$1\" = push ] && : > \"$RECORD\"\nexit 0\n").expect("it is written");
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).expect("it is made executable");
    Some(folder)
}

/// The tables above against the real shell: a form of bash in which the command runs is followed or opaque, and in a
/// look-alike it does not run.
#[test]
fn bash_agrees_with_the_tables() {
    let Some(folder) = recorder("tables") else { return };
    // Forms that need nothing but bash.
    let of_bash = |form: &&&str| {
        let builtins = [
            "eval", "trap", "coproc", "echo", "((", "[[", "cat", "for", "f()", "{", "x=", "printf", "read",
            "test", "[", "declare", "unset", "let", "bash", "jobs", "exec", "command", "env", "mapfile",
            "compgen", "git {", "PS4",
        ];
        builtins.iter().any(|start| form.starts_with(start)) && !form.contains("x.sh")
    };
    let mut ran = 0;
    for form in FOLLOWED.iter().chain(OPAQUE).filter(of_bash) {
        let script = form.replace('@', "git push");
        ran += usize::from(pushes_in_bash(&script, folder.path()) == Some(true));
    }
    assert!(ran >= 40, "only {ran} of the forms run the command in bash");
    for script in FREE.iter().filter(of_bash) {
        assert_ne!(pushes_in_bash(script, folder.path()), Some(true), "{script}");
    }
}

/// Random scripts with substitutions in which brackets stand in quotes, comments, here-documents and `case`.
struct Nested {
    random: Random,
}

impl Nested {
    fn script(&mut self, depth: usize) -> String {
        let parts: Vec<String> = (0..=self.random.below(2)).map(|_| self.command(depth)).collect();
        parts.join(["; ", "\n", " && "][self.random.below(3)])
    }
    fn command(&mut self, depth: usize) -> String {
        if depth == 0 {
            return [":", "git push", "echo ')'", "echo \"a)b\"", "echo \\)", "echo case in", "echo '# )'"]
                [self.random.below(7)]
            .to_owned();
        }
        let inner = self.script(depth - 1);
        match self.random.below(20) {
            0 => format!("echo \"$({inner})\""),
            1 => format!("echo $({inner}\n)"),
            2 => format!(": # ) $( git push\n{inner}"),
            3 => format!("cat <<'E'\n) $(git push) `git push`\nE\n{inner}"),
            4 => format!("cat <<E\n$({inner}\n) ' \"\nE\n:"),
            5 => format!("cat <<-E\n\t)\n\tE\n{inner}"),
            6 => format!("case x in x) {inner}\n;; (y) :;; esac"),
            7 => format!("case x in (x) {inner}\nesac"),
            8 => format!("({inner}\n)"),
            9 => format!("a=(x ')' \"$({inner}\n)\")"),
            10 => format!("[[ a == a ]] && {{ {inner}\n}}"),
            11 => format!("for case in a; do {inner}\ndone"),
            12 => format!("f() {{ {inner}\n}}; f"),
            13 => format!("echo $(( 1 << 2 )) \"${{x:-)}}\"; {inner}"),
            14 => format!("cat <({inner}\n) > /dev/null"),
            15 => format!("echo \"${{x:-$({inner}\n)}}\""),
            16 => format!("if true; then case a in a) ;; esac; {inner}\nfi"),
            17 => format!("echo x#y '$(' \\$\\( {{a,b}}; {inner}"),
            18 => format!("x=$({inner}\n)"),
            _ => format!("echo \"a\\\"$({inner}\n)'\""),
        }
    }
}

#[test]
fn nested_scripts_run_what_is_seen() {
    let Some(folder) = recorder("nested") else { return };
    let mut scripts = Nested { random: Random::new(42) };
    let (mut read, mut pushed, mut free) = (0, 0, 0);
    for _ in 0..quota(60) {
        let script = scripts.script(3);
        let Some(pushes) = pushes_in_bash(&script, folder.path()) else { continue };
        let (sure, maybe, opaque) = seen(&script);
        assert!(!pushes || sure || maybe || opaque, "bash pushes:\n{script}");
        read += usize::from(!opaque);
        pushed += usize::from(pushes && !opaque);
        free += usize::from(!sure && !maybe && !opaque);
    }
    println!("{read} were read, {pushed} of them push, {free} are known not to");
    assert!(read > quota(30) && pushed > quota(8) && free > quota(4), "{read} {pushed} {free}");
}

type Words = &'static [&'static str];

/// Words and globs: what is certain, possible and impossible.
#[test]
fn words_match_globs_as_far_as_they_are_known() {
    let table: &[(&str, Words, Words, Words)] = &[
        // Glob, words that match, that may match, that do not.
        (
            "{.env,*/.env}",
            &[
                ".env",
                "./.env",
                ".//.env",
                "a/.env",
                "a/../.env",
                "/p/.env",
                "\"$d/.env\"",
                "~/.env",
                "{.env,}",
            ],
            &["\"$f\"", "$f", "../.env", "a/$f", "\"a/$f\"", ".en[v]", ".e*", "$(x)", "src/**", "a/.e?v"],
            &[
                "src/*.rs",
                "~/notes.md",
                "\"src/$x.rs\"",
                "*.md",
                "*",
                "a.env",
                ".env.example",
                "build/{a,b}.txt",
                "*.env",
                "\"$x.rs\"",
            ],
        ),
        (
            "src/**",
            &["src/a", "./src/a", "src//a/b", "src/x/../a", "src/*.rs"],
            &["\"src/$x\"", "/p/src/a", "../src/a", "\"$x/src/a\"", "src/../../etc/passwd"],
            &["a.rs", "lib/a", "srcs/a", "src"],
        ),
        (
            "/etc/*",
            &["/etc/passwd", "/etc//passwd", "/usr/../etc/passwd", "/etc/./x", "/etc/*.conf"],
            &[
                "../../etc/passwd",
                "src/../../etc/passwd",
                "\"$x/passwd\"",
                "\"src/$x/passwd\"",
                "\"/$x/passwd\"",
            ],
            &["etc/passwd", "/etcetera/x", "src/passwd"],
        ),
        (
            "~/.ssh/*",
            &["~/.ssh/id", "$HOME/.ssh/id", "\"${HOME}/.ssh/id\"", "~/.ssh//id", "~/x/../.ssh/id"],
            &["/home/me/.ssh/id", "/root/.ssh/id", "/Users/me/.ssh/id", "\"$x/.ssh/id\"", "../.ssh/id"],
            &["/tmp/.ssh/id", "~/.sshd/id", "~/ssh/id", ".ssh/id"],
        ),
        (
            "{/,~}",
            &["/", "~", "~/", "$HOME", "//", "/x/..", "/."],
            &["/root", "\"$x\"", "/home/me/"],
            &["/tmp", "~/x", "*.o", "./x"],
        ),
        (
            "push",
            &["push", "\"pu\"sh"],
            &["\"$x\"", "pu?h", "\"pus$x\"", "p[u]sh"],
            &["pull", "\"pull$x\"", "*x"],
        ),
    ];
    for (glob, yes, maybe, no) in table {
        let clauses = [CommandClause::from(ArgvPattern::new(&["cat", glob]).expect("a pattern"))];
        let patterns = CommandPattern::each(&clauses);
        let level = |word: &str| {
            let letters = letter_automaton(&script_automaton(&format!("cat {word}")), &patterns).letters;
            letters
                .iter()
                .map(|own| if own.sure.is_empty() { usize::from(!own.maybe.is_empty()) } else { 2 })
                .max()
        };
        for word in *yes {
            // Several words, or none, are not certainly one.
            assert!(
                level(word) == Some(2) || word.contains(['*']) && level(word) == Some(1),
                "{glob}: {word} {:?}",
                level(word)
            );
        }
        for word in *maybe {
            assert_eq!(level(word), Some(1), "{glob}: {word}");
        }
        for word in *no {
            assert_eq!(level(word), Some(0), "{glob}: {word}");
        }
    }
}
