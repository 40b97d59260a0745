//! Launchers of the operating system.

use super::{Launcher, Outcome, PLAIN, Then, Without};

pub(super) const LAUNCHERS: &[Launcher] = &[
    // Other users and other priorities.
    Launcher {
        names: &["sudo"],
        flags: "AbBEHiknPSs",
        long_flags: &[
            "--preserve-env",
            "--login",
            "--non-interactive",
            "--set-home",
            "--shell",
            "--stdin",
            "--background",
        ],
        valued: "CDghprRtTuU",
        long_valued: &["--user", "--group", "--host", "--prompt", "--chdir", "--chroot", "--role", "--type"],
        assignments: true,
        without: Without::Shell,
        outcomes: &[("-b", Outcome::Later), ("--background", Outcome::Later)],
        ..PLAIN
    },
    Launcher { names: &["doas"], flags: "n", valued: "uC", ..PLAIN },
    Launcher { names: &["gosu", "su-exec"], operands: 1, ..PLAIN },
    Launcher {
        names: &["pkexec"],
        long_flags: &["--disable-internal-agent", "--keep-cwd"],
        long_valued: &["--user"],
        without: Without::Shell,
        ..PLAIN
    },
    Launcher {
        names: &["setpriv"],
        long_flags: &["--no-new-privs", "--clear-groups", "--keep-groups", "--init-groups", "--reset-env"],
        long_valued: &["--reuid", "--regid", "--groups", "--bounding-set", "--inh-caps"],
        ..PLAIN
    },
    Launcher {
        names: &["env", "genv"],
        flags: "i0v",
        long_flags: &["--ignore-environment", "--null", "--debug"],
        valued: "uC",
        long_valued: &["--unset", "--chdir"],
        assignments: true,
        ..PLAIN
    },
    Launcher { names: &["cross-env"], assignments: true, ..PLAIN },
    Launcher {
        names: &["nice", "gnice"],
        flags: "0123456789",
        valued: "n",
        long_valued: &["--adjustment"],
        ..PLAIN
    },
    Launcher {
        names: &["ionice"],
        flags: "t",
        long_flags: &["--ignore"],
        valued: "cn",
        long_valued: &["--class", "--classdata"],
        ..PLAIN
    },
    Launcher { names: &["chrt"], flags: "abfiormvRd", valued: "TPD", operands: 1, ..PLAIN },
    Launcher {
        names: &["taskset"],
        flags: "ac",
        long_flags: &["--all-tasks", "--cpu-list"],
        operands: 1,
        ..PLAIN
    },
    Launcher { names: &["cgexec"], long_flags: &["--sticky"], valued: "g", ..PLAIN },
    Launcher { names: &["prlimit", "numactl"], ..PLAIN },
    Launcher {
        names: &[
            "nohup",
            "noglob",
            "nocorrect",
            "eatmydata",
            "torsocks",
            "tsocks",
            "fakeroot",
            "busybox",
            "toybox",
        ],
        ..PLAIN
    },
    // Without `--wait` it does not wait where it has to fork.
    Launcher {
        names: &["setsid"],
        flags: "cfw",
        long_flags: &["--ctty", "--fork", "--wait"],
        outcome: Outcome::Later,
        outcomes: &[("-w", Outcome::Same), ("--wait", Outcome::Same)],
        ..PLAIN
    },
    Launcher { names: &["daemonize"], flags: "av", valued: "ceopluE", outcome: Outcome::Later, ..PLAIN },
    Launcher { names: &["nq"], flags: "cq", outcome: Outcome::Later, ..PLAIN },
    Launcher { names: &["tsp"], flags: "nfmBEg", valued: "LDWN", outcome: Outcome::Later, ..PLAIN },
    Launcher {
        names: &["dtach"],
        flags: "nAcEz",
        valued: "er",
        operands: 1,
        outcome: Outcome::Later,
        ..PLAIN
    },
    Launcher {
        names: &["abduco"],
        flags: "nAcfrp",
        valued: "e",
        operands: 1,
        outcome: Outcome::Later,
        ..PLAIN
    },
    Launcher {
        names: &["stdbuf", "gstdbuf"],
        valued: "ioe",
        long_valued: &["--input", "--output", "--error"],
        ..PLAIN
    },
    Launcher {
        names: &["timeout", "gtimeout"],
        flags: "vfp",
        long_flags: &["--preserve-status", "--foreground", "--verbose"],
        valued: "sk",
        long_valued: &["--signal", "--kill-after"],
        operands: 1,
        ..PLAIN
    },
    Launcher {
        names: &["time", "gtime"],
        flags: "pvaqV",
        long_flags: &["--portability", "--verbose", "--append", "--quiet"],
        valued: "fo",
        long_valued: &["--format", "--output"],
        ..PLAIN
    },
    Launcher { names: &["faketime"], flags: "fm", operands: 1, ..PLAIN },
    Launcher { names: &["caffeinate"], flags: "dimsu", valued: "tw", ..PLAIN },
    Launcher { names: &["chronic"], flags: "ve", ..PLAIN },
    Launcher { names: &["unbuffer"], flags: "p", ..PLAIN },
    Launcher { names: &["tini"], flags: "sgvw", valued: "pe", ..PLAIN },
    Launcher { names: &["dumb-init"], flags: "cv", valued: "r", ..PLAIN },
    Launcher { names: &["proxychains", "proxychains4"], flags: "q", valued: "f", ..PLAIN },
    Launcher { names: &["rlwrap"], flags: "aAcimnNrRuUwWX", valued: "bCDefFHIlMOPqsStz", ..PLAIN },
    Launcher { names: &["dbus-run-session"], long_valued: &["--config-file", "--dbus-daemon"], ..PLAIN },
    Launcher { names: &["xvfb-run"], flags: "al", valued: "efnps", long_valued: &["--server-args"], ..PLAIN },
    Launcher {
        names: &["systemd-run"],
        flags: "dGqrtPS",
        long_flags: &[
            "--user",
            "--scope",
            "--pty",
            "--pipe",
            "--wait",
            "--collect",
            "--quiet",
            "--no-block",
            "--same-dir",
        ],
        valued: "EpHM",
        long_valued: &[
            "--unit",
            "--property",
            "--setenv",
            "--uid",
            "--gid",
            "--working-directory",
            "--slice",
            "--description",
            "--nice",
        ],
        outcome: Outcome::Later,
        outcomes: &[
            ("--wait", Outcome::Same),
            ("--scope", Outcome::Same),
            ("--pty", Outcome::Same),
            ("-t", Outcome::Same),
            ("--pipe", Outcome::Same),
            ("-P", Outcome::Same),
        ],
        ..PLAIN
    },
    // Other roots and namespaces.
    Launcher {
        names: &["chroot"],
        long_valued: &["--userspec", "--groups"],
        long_flags: &["--skip-chdir"],
        operands: 1,
        without: Without::Shell,
        ..PLAIN
    },
    Launcher {
        names: &["unshare"],
        flags: "imnprucCfUT",
        long_flags: &[
            "--mount",
            "--net",
            "--pid",
            "--fork",
            "--user",
            "--map-root-user",
            "--mount-proc",
            "--ipc",
            "--uts",
        ],
        valued: "RSGw",
        long_valued: &["--root", "--wd"],
        without: Without::Shell,
        ..PLAIN
    },
    Launcher {
        names: &["nsenter"],
        flags: "amuinpUCTZFerw",
        long_flags: &["--all", "--mount", "--uts", "--ipc", "--net", "--pid", "--user", "--no-fork"],
        valued: "tSGW",
        long_valued: &["--target", "--setuid", "--setgid"],
        without: Without::Shell,
        ..PLAIN
    },
    // Tracers, timers and locks.
    Launcher { names: &["strace"], flags: "CcDdFfhikqrTtvVwxyYzZn", valued: "abeEIoOpPsSuUX", ..PLAIN },
    Launcher { names: &["ltrace"], flags: "bcCfhiLrStTV", valued: "aAeDFlnopsuwx", ..PLAIN },
    Launcher { names: &["valgrind"], flags: "qvd", ..PLAIN },
    Launcher { names: &["perf"], path: &["stat"], flags: "adv", valued: "eropI", ..PLAIN },
    Launcher {
        names: &["perf"],
        path: &["record"],
        flags: "agqv",
        valued: "eFoc",
        long_valued: &["--call-graph"],
        ..PLAIN
    },
    Launcher {
        names: &["flock"],
        flags: "sxenuoF",
        valued: "wE",
        scripts: &["-c", "--command"],
        operands: 1,
        late_options: true,
        long_flags: &["--shared", "--exclusive", "--nonblock", "--close", "--no-fork", "--verbose"],
        long_valued: &["--timeout", "--wait", "--conflict-exit-code"],
        outcomes: &[
            ("-E=0", Outcome::Untold),
            ("-E=?", Outcome::Untold),
            ("--conflict-exit-code=0", Outcome::Untold),
            ("--conflict-exit-code=?", Outcome::Untold),
        ],
        ..PLAIN
    },
    Launcher {
        names: &["script"],
        flags: "aefq",
        valued: "tEIoOBTm",
        scripts: &["-c", "--command"],
        operands: 1,
        long_flags: &["--append", "--flush", "--quiet", "--return"],
        // As on Linux; elsewhere the words after the file are the command, whose outcome it has.
        outcomes: &[
            ("-e", Outcome::Same),
            ("--return", Outcome::Same),
            ("-c", Outcome::Untold),
            ("--command", Outcome::Untold),
            ("--", Outcome::Untold),
        ],
        ..PLAIN
    },
    Launcher {
        names: &["su", "runuser"],
        then: Then::Login,
        flags: "lmpfP",
        long_flags: &["--login", "--preserve-environment", "--pty"],
        valued: "gGsw",
        long_valued: &["--group", "--shell"],
        scripts: &["-c", "--command", "--session-command"],
        operands: 1,
        late_options: true,
        without: Without::Shell,
        ..PLAIN
    },
    Launcher { names: &["runuser"], path: &["-u"], flags: "p", operands: 1, late_options: true, ..PLAIN },
    Launcher {
        names: &["watch"],
        flags: "bcdegprtwC",
        valued: "nqs",
        long_flags: &[
            "--color",
            "--differences",
            "--no-title",
            "--beep",
            "--errexit",
            "--chgexit",
            "--precise",
        ],
        long_valued: &["--interval"],
        then: Then::TextAgain,
        ..PLAIN
    },
    Launcher { names: &["entr"], flags: "acdnprxz", then: Then::Again, ..PLAIN },
    Launcher {
        names: &["hyperfine"],
        flags: "iN",
        long_flags: &["--ignore-failure", "--show-output"],
        valued: "wmMrunsPLD",
        long_valued: &[
            "--warmup",
            "--runs",
            "--min-runs",
            "--max-runs",
            "--shell",
            "--export-json",
            "--export-markdown",
            "--export-csv",
            "--style",
            "--command-name",
            "--parameter-list",
            "--time-unit",
        ],
        then: Then::Texts,
        ..PLAIN
    },
    // Builtins.
    Launcher { names: &["command"], flags: "p", ..PLAIN },
    Launcher { names: &["builtin"], ..PLAIN },
    Launcher { names: &["exec"], flags: "cl", valued: "a", ..PLAIN },
    Launcher { names: &["jobs"], path: &["-x"], ..PLAIN },
    // Words from elsewhere.
    Launcher {
        names: &["xargs", "gxargs"],
        flags: "0oprtx",
        long_flags: &[
            "--null",
            "--interactive",
            "--no-run-if-empty",
            "--verbose",
            "--exit",
            "--open-tty",
            "--max-lines",
            "--replace",
        ],
        valued: "adEILnPs",
        long_valued: &["--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars"],
        then: Then::Again,
        ..PLAIN
    },
    Launcher {
        names: &["parallel"],
        flags: "kX0m",
        long_flags: &["--keep-order", "--bar", "--progress", "--null", "--dry-run", "--line-buffer"],
        valued: "jNnSa",
        long_valued: &["--jobs", "--halt", "--joblog", "--delay", "--timeout", "--retries"],
        then: Then::Template,
        without: Without::Shell,
        ..PLAIN
    },
    // Git.
    Launcher {
        names: &["git"],
        path: &["bisect", "run"],
        valued: "Cc",
        long_flags: &["--no-pager"],
        outcome: Outcome::Again,
        ..PLAIN
    },
    Launcher {
        names: &["git"],
        path: &["submodule", "foreach"],
        flags: "q",
        valued: "Cc",
        long_flags: &["--recursive", "--quiet", "--no-pager"],
        then: Then::TextAgain,
        ..PLAIN
    },
    // Jobs, agents and streams.
    Launcher {
        names: &["mpirun", "mpiexec", "orterun"],
        flags: "qv",
        long_flags: &["--oversubscribe", "--allow-run-as-root", "--use-hwthread-cpus"],
        valued: "cnHx",
        long_valued: &["-np", "-host", "--host", "-hostfile", "--hostfile", "--map-by", "--bind-to", "-ppn"],
        outcome: Outcome::Again,
        ..PLAIN
    },
    Launcher { names: &["ssh-agent"], flags: "cDdksT", valued: "aEOPt", ..PLAIN },
    Launcher { names: &["ifne"], flags: "n", ..PLAIN },
    Launcher {
        names: &["pee"],
        long_flags: &["--ignore-sigpipe", "--ignore-write-errors"],
        then: Then::Texts,
        ..PLAIN
    },
    Launcher {
        names: &["sg"],
        scripts: &["-c"],
        operands: 1,
        late_options: true,
        then: Then::Text,
        without: Without::Shell,
        ..PLAIN
    },
    Launcher {
        names: &["heaptrack"],
        flags: "r",
        long_flags: &["--raw", "--record-only"],
        valued: "o",
        long_valued: &["--output"],
        ..PLAIN
    },
    Launcher { names: &["truss", "dtruss"], flags: "acdDefHlLops", valued: "bnpt", ..PLAIN },
    Launcher { names: &["perf"], path: &["trace"], flags: "avsSTF", valued: "epoumCt", ..PLAIN },
    // Terminals.
    Launcher {
        names: &["zellij"],
        path: &["run"],
        then: Then::After(&["--"]),
        outcome: Outcome::Later,
        ..PLAIN
    },
    Launcher {
        names: &["zellij"],
        path: &["action", "new-pane"],
        then: Then::After(&["--"]),
        outcome: Outcome::Later,
        ..PLAIN
    },
    Launcher {
        names: &["tmux"],
        path: &["new-session"],
        flags: "AdDEPX",
        valued: "ceFfnstxyLS",
        then: Then::Text,
        outcome: Outcome::Later,
        ..PLAIN
    },
    Launcher {
        names: &["tmux"],
        path: &["new"],
        flags: "AdDEPX",
        valued: "ceFfnstxyLS",
        then: Then::Text,
        outcome: Outcome::Later,
        ..PLAIN
    },
    Launcher {
        names: &["tmux"],
        path: &["new-window"],
        flags: "abdkPS",
        valued: "ceFntL",
        then: Then::Text,
        outcome: Outcome::Later,
        ..PLAIN
    },
    Launcher {
        names: &["tmux"],
        path: &["neww"],
        flags: "abdkPS",
        valued: "ceFntL",
        then: Then::Text,
        outcome: Outcome::Later,
        ..PLAIN
    },
    Launcher {
        names: &["tmux"],
        path: &["split-window"],
        flags: "bdfhIvPZ",
        valued: "celtFL",
        then: Then::Text,
        outcome: Outcome::Later,
        ..PLAIN
    },
    Launcher {
        names: &["tmux"],
        path: &["splitw"],
        flags: "bdfhIvPZ",
        valued: "celtFL",
        then: Then::Text,
        outcome: Outcome::Later,
        ..PLAIN
    },
    Launcher {
        names: &["tmux"],
        path: &["run-shell"],
        flags: "bC",
        valued: "cdt",
        then: Then::Text,
        outcome: Outcome::Untold,
        outcomes: &[("-b", Outcome::Later)],
        ..PLAIN
    },
    Launcher {
        names: &["screen"],
        flags: "admDRrxiqUvAL",
        valued: "SehTcp",
        long_flags: &["-ls", "-list"],
        outcome: Outcome::Later,
        ..PLAIN
    },
];
