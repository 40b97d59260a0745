//! Launchers of programming languages and of environments for projects.

use super::{Launcher, Outcome, PLAIN, Then};

const UV_FLAGS: &[&str] = &[
    "--active",
    "--all-extras",
    "--all-groups",
    "--all-packages",
    "--dev",
    "--exact",
    "--frozen",
    "--isolated",
    "--locked",
    "--managed-python",
    "--native-tls",
    "--no-build",
    "--no-cache",
    "--no-config",
    "--no-default-groups",
    "--no-dev",
    "--no-editable",
    "--no-env-file",
    "--no-managed-python",
    "--no-progress",
    "--no-project",
    "--no-python-downloads",
    "--no-sync",
    "--offline",
    "--only-dev",
    "--quiet",
    "--refresh",
    "--reinstall",
    "--upgrade",
    "--verbose",
    "--no-index",
];
const UV_VALUED: &[&str] = &[
    "--cache-dir",
    "--color",
    "--config-file",
    "--config-setting",
    "--default-index",
    "--directory",
    "--env-file",
    "--exclude-newer",
    "--extra",
    "--extra-index-url",
    "--find-links",
    "--from",
    "--group",
    "--index",
    "--index-url",
    "--link-mode",
    "--no-extra",
    "--no-group",
    "--only-group",
    "--package",
    "--prerelease",
    "--project",
    "--python",
    "--python-platform",
    "--refresh-package",
    "--reinstall-package",
    "--resolution",
    "--upgrade-package",
    "--with",
    "--with-editable",
    "--with-requirements",
    "--constraints",
    "--overrides",
];
const NPX_FLAGS: &[&str] = &[
    "--yes",
    "--no",
    "--no-install",
    "--quiet",
    "--ignore-existing",
    "--prefer-offline",
    "--offline",
    "--silent",
    "--workspaces",
    "--bun",
];
const NPX_VALUED: &[&str] = &["--package", "--registry", "--workspace", "--prefix", "--cache", "--loglevel"];
const PNPM_FLAGS: &[&str] = &[
    "--recursive",
    "--silent",
    "--parallel",
    "--stream",
    "--no-bail",
    "--workspace-root",
    "--aggregate-output",
    "--if-present",
    "--resume-from",
    "--offline",
    "--no-sort",
    "--color",
    "--no-color",
];
const PNPM_VALUED: &[&str] = &[
    "--filter",
    "--filter-prod",
    "--dir",
    "--package",
    "--loglevel",
    "--workspace-concurrency",
    "--reporter",
];
/// It succeeds although a package has failed.
const UNBAILED: &[(&str, Outcome)] = &[("--no-bail", Outcome::Untold)];

pub(super) const LAUNCHERS: &[Launcher] = &[
    Launcher {
        names: &["gdb"],
        then: Then::After(&["--args", "-args", "--"]),
        outcome: Outcome::Again,
        ..PLAIN
    },
    Launcher { names: &["rr"], path: &["record"], ..PLAIN },
    Launcher { names: &["catchsegv"], ..PLAIN },
    Launcher { names: &["onchange"], then: Then::After(&["--"]), outcome: Outcome::Again, ..PLAIN },
    Launcher { names: &["wait-on"], then: Then::After(&["--"]), ..PLAIN },
    Launcher { names: &["nx"], path: &["exec"], then: Then::After(&["--"]), ..PLAIN },
    // Environments of programming languages.
    Launcher {
        names: &["uv"],
        path: &["run"],
        flags: "qvnU",
        long_flags: UV_FLAGS,
        valued: "piwfPC",
        long_valued: UV_VALUED,
        ..PLAIN
    },
    Launcher {
        names: &["uv"],
        path: &["tool", "run"],
        flags: "qvnU",
        long_flags: UV_FLAGS,
        valued: "piwfPC",
        long_valued: UV_VALUED,
        ..PLAIN
    },
    Launcher {
        names: &["uvx"],
        flags: "qvnU",
        long_flags: UV_FLAGS,
        valued: "piwfPC",
        long_valued: UV_VALUED,
        ..PLAIN
    },
    Launcher {
        names: &["pipx"],
        path: &["run"],
        long_flags: &["--no-cache", "--path", "--verbose"],
        long_valued: &["--spec", "--python", "--index-url", "--pip-args"],
        ..PLAIN
    },
    Launcher {
        names: &["npx"],
        flags: "yq",
        long_flags: NPX_FLAGS,
        valued: "pw",
        long_valued: NPX_VALUED,
        scripts: &["-c", "--call"],
        ..PLAIN
    },
    Launcher {
        names: &["bunx"],
        flags: "y",
        long_flags: NPX_FLAGS,
        valued: "p",
        long_valued: NPX_VALUED,
        ..PLAIN
    },
    Launcher {
        names: &["npm"],
        path: &["exec"],
        flags: "yqs",
        long_flags: NPX_FLAGS,
        valued: "wC",
        long_valued: NPX_VALUED,
        scripts: &["-c", "--call"],
        ..PLAIN
    },
    Launcher {
        names: &["npm"],
        path: &["x"],
        flags: "yqs",
        long_flags: NPX_FLAGS,
        valued: "wC",
        long_valued: NPX_VALUED,
        scripts: &["-c", "--call"],
        ..PLAIN
    },
    Launcher {
        names: &["pnpm"],
        path: &["exec"],
        flags: "rsw",
        long_flags: PNPM_FLAGS,
        valued: "FC",
        long_valued: PNPM_VALUED,
        outcomes: UNBAILED,
        ..PLAIN
    },
    Launcher {
        names: &["pnpm"],
        path: &["dlx"],
        flags: "rsw",
        long_flags: PNPM_FLAGS,
        valued: "FC",
        long_valued: PNPM_VALUED,
        ..PLAIN
    },
    Launcher {
        names: &["pnpx"],
        flags: "sy",
        long_flags: PNPM_FLAGS,
        valued: "FCp",
        long_valued: PNPM_VALUED,
        ..PLAIN
    },
    Launcher { names: &["yarn"], path: &["exec"], flags: "", long_valued: &["--cwd"], ..PLAIN },
    Launcher {
        names: &["yarn"],
        path: &["dlx"],
        flags: "q",
        valued: "p",
        long_flags: &["--quiet"],
        long_valued: &["--package", "--cwd"],
        ..PLAIN
    },
    Launcher {
        names: &["bun"],
        path: &["x"],
        flags: "",
        long_flags: &["--bun"],
        valued: "p",
        long_valued: &["--package", "--cwd"],
        ..PLAIN
    },
    Launcher {
        names: &["poetry", "pipenv", "pdm", "rye", "pixi"],
        path: &["run"],
        flags: "qvn",
        long_flags: &["--quiet", "--verbose", "--no-interaction", "--list"],
        valued: "Cep",
        long_valued: &["--directory", "--project", "--environment"],
        ..PLAIN
    },
    Launcher {
        names: &["hatch"],
        path: &["run"],
        flags: "qv",
        valued: "ef",
        long_valued: &["--env", "--project"],
        ..PLAIN
    },
    Launcher {
        names: &["conda", "mamba", "micromamba"],
        path: &["run"],
        flags: "v",
        long_flags: &["--no-capture-output", "--live-stream", "--dev"],
        valued: "np",
        long_valued: &["--name", "--prefix", "--cwd"],
        ..PLAIN
    },
    Launcher {
        names: &["bundle", "bundler"],
        path: &["exec"],
        long_flags: &["--keep-file-descriptors"],
        long_valued: &["--gemfile"],
        ..PLAIN
    },
    Launcher {
        names: &["asdf", "rbenv", "pyenv", "nodenv", "goenv", "jenv", "opam", "stack", "rtx"],
        path: &["exec"],
        then: Then::Command,
        ..PLAIN
    },
    Launcher { names: &["nvm"], path: &["exec"], operands: 1, long_flags: &["--silent"], ..PLAIN },
    Launcher {
        names: &["volta", "fnm"],
        path: &["run"],
        long_valued: &["--node", "--npm", "--yarn"],
        ..PLAIN
    },
    Launcher { names: &["fnm"], path: &["exec"], long_valued: &["--using"], ..PLAIN },
    Launcher {
        names: &["heroku"],
        path: &["run"],
        flags: "qx",
        long_flags: &["--exit-code", "--no-tty", "--no-notify"],
        valued: "aesr",
        long_valued: &["--app", "--env", "--size", "--remote", "--type"],
        outcome: Outcome::Untold,
        outcomes: &[("-x", Outcome::Same), ("--exit-code", Outcome::Same)],
        then: Then::TextOrCommand,
        ..PLAIN
    },
    Launcher {
        names: &["heroku"],
        path: &["run:detached"],
        flags: "t",
        long_flags: &["--tail"],
        valued: "aesr",
        long_valued: &["--app", "--env", "--size", "--remote", "--type"],
        outcome: Outcome::Later,
        then: Then::TextOrCommand,
        ..PLAIN
    },
    Launcher {
        names: &["foreman", "railway", "devbox"],
        path: &["run"],
        flags: "q",
        valued: "aefspc",
        long_valued: &["--app", "--env", "--service", "--environment", "--config"],
        ..PLAIN
    },
    Launcher {
        names: &["mise"],
        path: &["exec"],
        scripts: &["-c", "--command"],
        then: Then::After(&["--"]),
        ..PLAIN
    },
    Launcher {
        names: &["mise"],
        path: &["x"],
        scripts: &["-c", "--command"],
        then: Then::After(&["--"]),
        ..PLAIN
    },
    Launcher { names: &["direnv"], path: &["exec"], operands: 1, ..PLAIN },
    Launcher {
        names: &["dotenv"],
        path: &["run"],
        flags: "",
        valued: "f",
        long_valued: &["--file"],
        ..PLAIN
    },
    Launcher {
        names: &["dotenv"],
        flags: "io",
        long_flags: &["--ignore", "--override", "--overload", "--quiet"],
        valued: "cefpqtv",
        ..PLAIN
    },
    Launcher {
        names: &["env-cmd"],
        flags: "x",
        long_flags: &["--fallback", "--no-override", "--silent", "--use-shell", "--verbose", "--recursive"],
        valued: "efr",
        long_valued: &["--environments", "--file", "--rc-file"],
        ..PLAIN
    },
    Launcher { names: &["rvm"], then: Then::After(&["do"]), ..PLAIN },
    Launcher { names: &["chruby-exec"], then: Then::After(&["--"]), ..PLAIN },
    Launcher { names: &["n"], path: &["exec"], operands: 1, ..PLAIN },
    Launcher { names: &["tox"], path: &["exec"], then: Then::After(&["--"]), ..PLAIN },
    Launcher { names: &["tox"], path: &["e"], then: Then::After(&["--"]), ..PLAIN },
    Launcher { names: &["guix"], path: &["shell"], then: Then::After(&["--"]), ..PLAIN },
    Launcher { names: &["guix"], path: &["environment"], then: Then::After(&["--"]), ..PLAIN },
    Launcher { names: &["just"], then: Then::After(&["--command", "-c"]), ..PLAIN },
    Launcher {
        names: &["repo"],
        path: &["forall"],
        then: Then::After(&["-c"]),
        outcome: Outcome::Again,
        ..PLAIN
    },
    Launcher { names: &["py-spy"], path: &["record"], then: Then::After(&["--"]), ..PLAIN },
    Launcher {
        names: &["samply"],
        path: &["record"],
        flags: "ns",
        valued: "or",
        long_flags: &["--save-only", "--no-open"],
        long_valued: &["--output", "--rate", "--port"],
        ..PLAIN
    },
    Launcher { names: &["lerna"], path: &["exec"], then: Then::After(&["--"]), outcomes: UNBAILED, ..PLAIN },
    Launcher { names: &["nix"], path: &["shell"], then: Then::After(&["-c", "--command"]), ..PLAIN },
    Launcher { names: &["nix"], path: &["develop"], then: Then::After(&["-c", "--command"]), ..PLAIN },
    Launcher {
        names: &["nix-shell"],
        flags: "",
        long_flags: &["--pure"],
        valued: "pI",
        scripts: &["--run", "--command"],
        ..PLAIN
    },
    Launcher { names: &["nix"], path: &["env", "shell"], then: Then::After(&["-c", "--command"]), ..PLAIN },
    Launcher {
        names: &["cargo"],
        path: &["watch"],
        flags: "cqN",
        long_flags: &["--clear", "--quiet", "--no-vcs-ignores"],
        valued: "xwidCE",
        long_valued: &["--exec", "--watch", "--ignore", "--delay"],
        scripts: &["-s", "--shell"],
        then: Then::After(&["--"]),
        outcome: Outcome::Again,
        ..PLAIN
    },
];
