//! Programs that do not wait for what they start, or succeed although it fails.

use tsl_synth_shell::{
    ArgvPattern, CommandClause, CommandLetter, CommandPattern, LetterAutomaton, letter_automaton,
    script_automaton,
};

fn automaton(script: &str) -> LetterAutomaton {
    let clause = |words: &[&str]| CommandClause::from(ArgvPattern::new(words).expect("a pattern"));
    let patterns = [clause(&["cargo", "test", "**"]), clause(&["git", "push", "**"])];
    letter_automaton(&script_automaton(script), &CommandPattern::each(&patterns))
}

/// Whether a push may follow without tests that have succeeded before, and whether it may follow at all.
fn pushes(script: &str) -> (bool, bool) {
    let automaton = automaton(script);
    let is = |at: usize, number: usize| automaton.letters[at].sure == [number];
    let (mut seen, mut open) = (vec![false; 2 * automaton.states.len()], vec![(0, false)]);
    let mut found = (false, false);
    while let Some((at, tested)) = open.pop() {
        if std::mem::replace(&mut seen[2 * at + usize::from(tested)], true) {
            continue;
        }
        for edge in &automaton.states[at].edges {
            if is(edge.letter, 1) {
                found = (found.0 || !tested, true);
            }
            for ok in [true, false].into_iter().filter(|&ok| edge.outcome.allows(ok)) {
                open.push((edge.to, tested || ok && is(edge.letter, 0)));
            }
        }
    }
    found
}

const UNTOLD: &[&str] = &[
    "docker run -d t @",
    "docker run --rm --detach t @",
    "docker run --detach=true t @",
    "docker run -itd t @",
    "docker run -dp 80:80 t @",
    "docker container run -d t @",
    "docker create t @",
    "docker exec -d t @",
    "docker exec -d t sh -c '@'",
    "docker container exec --detach t @",
    "docker compose exec -d t @",
    "docker compose -f c.yml run -d t @",
    "docker-compose run -d t @",
    "podman run -d t @",
    "podman exec -d t @",
    "nerdctl run -d t @",
    "tmux new -d '@'",
    "tmux new-session -d -s x @",
    "tmux new-window '@'",
    "tmux split-window -d '@'",
    "tmux run-shell '@'",
    "tmux run-shell -b '@'",
    "screen -dmS x @",
    "screen -d -m sh -c '@'",
    "ssh -f host @",
    "ssh -fn host '@'",
    "systemd-run @",
    "systemd-run --user --unit=x @",
    "setsid -f @",
    "setsid --fork @",
    "setsid @",
    "sudo -b @",
    "sudo -n --background -u root @",
    "sudo docker run -d t @",
    "docker run -d t sudo @",
    "nohup @ &",
    "nohup setsid @",
    "kubectl run x --image=y -- @",
    "kubectl run x --image=y --attach=false -- @",
    "kubectl create job x --image=y -- @",
    "heroku run @",
    "heroku run:detached @",
    "nq @",
    "dtach -n /tmp/s @",
    "script -c '@' /dev/null",
    "script -qc '@' /dev/null",
    "script --command '@' /dev/null",
    "flock -n -E 0 /tmp/l @",
    "flock -nE0 /tmp/l @",
    "flock -n -E \"$x\" /tmp/l @",
    "flock -n --conflict-exit-code=0 /tmp/l -c '@'",
    "git bisect run @",
    "gdb --args @",
    "lerna exec --no-bail -- @",
    "pnpm -r --no-bail exec @",
    "pnpm -r exec --no-bail @",
    "cargo watch -- @",
];

const TOLD: &[&str] = &[
    "@",
    "docker run t @",
    "docker run --rm -it t @",
    "docker run --detach=false t @",
    "docker run t sh -c '@'",
    "docker run --name d t @",
    "docker exec t @",
    "docker compose run --rm t @",
    "docker-compose exec -T t @",
    "ssh host @",
    "ssh -o BatchMode=yes host '@'",
    "ssh host -- @",
    "systemd-run --wait @",
    "systemd-run --user --scope @",
    "systemd-run -P @",
    "setsid -w @",
    "setsid --wait --fork @",
    "sudo @",
    "sudo -E -u d @",
    "nohup @",
    "kubectl run x --image=y -i --rm --restart=Never -- @",
    "kubectl run x --attach --image=y -- @",
    "kubectl exec x -- @",
    "heroku run --exit-code @",
    "heroku run -x @",
    "script -e -c '@' /dev/null",
    "script -qec '@' /dev/null",
    "script --return -q -c '@' log",
    "script -q -c '@' -e log",
    "script -q /dev/null @",
    "flock -n /tmp/l @",
    "flock -n -E 75 /tmp/l @",
    "flock /tmp/l -c '@'",
    "lerna exec -- @",
    "pnpm -r exec @",
    "timeout 600 @",
];

#[test]
fn what_is_started_detached_has_not_succeeded() {
    for own in UNTOLD {
        let run = own.replace('@', "cargo test");
        let script =
            if run.ends_with('&') { format!("{run} git push") } else { format!("{run} && git push") };
        assert_eq!(pushes(&script), (true, true), "{script}");
        if !run.ends_with('&') {
            assert_eq!(pushes(&format!("cargo test && {script}")), (false, true), "{script}");
        }
    }
    for own in TOLD {
        let script = format!("{} && git push", own.replace('@', "cargo test"));
        assert_eq!(pushes(&script), (false, true), "{script}");
    }
}

#[test]
fn what_is_started_detached_is_seen() {
    for own in UNTOLD.iter().chain(TOLD) {
        let script = own.replace('@', "git push");
        assert_eq!(pushes(&script), (true, true), "{script}");
        let free = automaton(&own.replace('@', "git pull"));
        assert!(free.letters.iter().all(CommandLetter::is_nothing), "{own}");
    }
    for own in [
        "kubectl --namespace \"$s\" rollout restart x",
        "docker compose up -d",
        "screen -ls",
        "kubectl run x --image=y",
    ] {
        assert!(automaton(own).letters.iter().all(CommandLetter::is_nothing), "{own}");
    }
    // It may run later than what follows it.
    let later = |script: &str| {
        let automaton = automaton(script);
        let is = |at: usize, number: usize| automaton.letters[at].sure == [number];
        automaton.states.iter().any(|state| {
            state.edges.iter().any(|edge| {
                is(edge.letter, 0) && automaton.states[edge.to].edges.iter().any(|next| is(next.letter, 1))
            })
        })
    };
    assert!(later("ssh -f host git push; cargo test"));
    assert!(!later("ssh host git push; cargo test"));
}
