//! Launchers that give a command secrets in its environment.

use super::{Launcher, PLAIN, Then};

pub(super) const LAUNCHERS: &[Launcher] = &[
    Launcher {
        names: &["dotenvx", "op", "infisical", "teller", "sops", "bws", "phase"],
        path: &["run"],
        scripts: &["--command"],
        then: Then::After(&["--"]),
        ..PLAIN
    },
    Launcher {
        names: &["doppler"],
        path: &["run"],
        long_flags: &[
            "--watch",
            "--no-exit-on-write-failure",
            "--fallback-only",
            "--no-cache",
            "--no-fallback",
            "--preserve-env",
        ],
        valued: "cpt",
        long_valued: &[
            "--attempts",
            "--config",
            "--configuration",
            "--fallback",
            "--format",
            "--mount",
            "--mount-format",
            "--mount-max-reads",
            "--mount-template",
            "--name-transformer",
            "--only-secrets",
            "--passphrase",
            "--project",
            "--scope",
            "--timeout",
            "--token",
        ],
        scripts: &["--command"],
        ..PLAIN
    },
    Launcher {
        names: &["sops"],
        path: &["exec-env"],
        long_flags: SOPS_FLAGS,
        long_valued: SOPS_VALUED,
        operands: 1,
        then: Then::Text,
        ..PLAIN
    },
    Launcher {
        names: &["sops"],
        path: &["exec-file"],
        long_flags: SOPS_FLAGS,
        long_valued: SOPS_VALUED,
        operands: 1,
        then: Then::Text,
        ..PLAIN
    },
    Launcher { names: &["envchain"], long_flags: &["--list"], flags: "l", operands: 1, ..PLAIN },
    Launcher { names: &["envdir"], operands: 1, ..PLAIN },
    Launcher {
        names: &["aws-vault"],
        path: &["exec"],
        flags: "djns",
        long_flags: &[
            "--debug",
            "--no-session",
            "--server",
            "--ecs-server",
            "--ec2-server",
            "--json",
            "--lazy",
            "--stdout",
        ],
        valued: "t",
        long_valued: &["--backend", "--duration", "--mfa-token", "--prompt", "--region", "--keychain"],
        operands: 1,
        late_options: true,
        ..PLAIN
    },
    Launcher {
        names: &["chamber", "aws-okta", "saml2aws", "berglas"],
        path: &["exec"],
        then: Then::After(&["--"]),
        ..PLAIN
    },
    Launcher {
        names: &["summon"],
        long_flags: &["--ignore-all", "--up", "--debug"],
        valued: "pfeDi",
        long_valued: &["--provider", "--environment", "--yaml", "--ignore"],
        ..PLAIN
    },
];

const SOPS_FLAGS: &[&str] = &["--verbose", "--background", "--pristine", "--same-process", "--no-fifo"];
const SOPS_VALUED: &[&str] =
    &["--user", "--filename", "--input-type", "--output-type", "--config", "--keyservice"];
