//! A table of what well-known programs do with the files that their arguments name.

/// Some of the operands that are files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    None,
    All,
    Last,
    ButLast,
}

/// What a program does with its arguments.
pub(super) struct FileSpec {
    pub(super) programs: &'static str,
    pub(super) reads: Which,
    pub(super) writes: Which,
    /// Options whose values are read.
    pub(super) read_values: &'static str,
    /// Options whose values are written.
    pub(super) write_values: &'static str,
    /// If this is not empty, the first operand is a script or a pattern, unless one of these options is there.
    pub(super) script: &'static str,
    /// If this is not empty, operands are written only with one of these options.
    pub(super) in_place: &'static str,
    /// With one of these options nothing is written.
    pub(super) dry: &'static str,
}

impl FileSpec {
    /// Whether the value of an option is a file.
    pub(super) fn gives_file(&self, option: &str) -> bool {
        [self.read_values, self.write_values].iter().any(|names| is_one_of(names, option))
    }
    /// Whether an option is named here.
    pub(super) fn lists(&self, option: &str) -> bool {
        self.gives_file(option)
            || [self.script, self.in_place, self.dry].iter().any(|names| is_one_of(names, option))
    }
}

/// Whether a name is one of a list with blanks between.
pub(super) fn is_one_of(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|own| own == name)
}

const fn spec(programs: &'static str, reads: Which, writes: Which) -> FileSpec {
    FileSpec { programs, reads, writes, read_values: "", write_values: "", script: "", in_place: "", dry: "" }
}

/// The option of `cp`, `mv`, `ln` and `install` that names the folder.
pub(super) const TARGET: &str = "-t --target-directory";

/// The subcommands of git that show or send what is in a file.
pub(super) const GIT_OPENS: &[&str] = &[
    "show",
    "cat-file",
    "diff",
    "blame",
    "annotate",
    "hash-object",
    "grep",
    "archive",
    "apply",
    "am",
    "bundle",
];

/// The subcommands of git that show what is in a file only with one of [`GIT_PATCHES`].
pub(super) const GIT_LOGS: &[&str] = &["log", "whatchanged", "stash", "reflog", "format-patch"];
/// The options with which they do, and `format-patch`, which needs none.
pub(super) const GIT_PATCHES: &[&str] =
    &["-p", "-u", "--patch", "--patch-with-stat", "-c", "--cc", "-G", "-S", "--full-diff", "format-patch"];

/// Programs whose arguments are addresses, names and statements: they open a file whose name is known, but what is given
/// to them from a variable is none.
pub(super) const CLIENTS: &str = "psql pgcli mysql mariadb mycli redis-cli valkey-cli mongosh mongo cockroach clickhouse-client sqlcmd \
    cqlsh docker podman nerdctl docker-compose podman-compose aws az gcloud ssh gh glab kubectl oc k helm";

/// Programs that open no file that their arguments name, or only its entry in a folder.
pub(super) const OPENS_NOTHING: &str = "echo printf ls dir vdir test [ [[ stat which type command man find fd cd pushd popd du df \
    realpath readlink dirname basename export unset alias true false : kill ps sleep date export declare typeset local \
    readonly set hash help info whereis file terraform tofu npm pnpm yarn bun cargo go pip make \
    exit return seq expr tr wait shift umask ulimit jobs fg bg disown let getopts times break continue id groups whoami \
    uname arch nproc uptime free tty clear tput stty mktemp mkfifo pgrep pkill killall netstat ss lsof ping dig host \
    nslookup sync dotnet mvn gradle brew apt apt-get dnf yum systemctl service journalctl";

pub(super) const SPECS: &[FileSpec] = &[
    spec(
        "rm unlink shred rmdir touch truncate mkdir chmod chown chgrp trash trash-put",
        Which::None,
        Which::All,
    ),
    spec("tee sponge", Which::None, Which::All),
    FileSpec { write_values: TARGET, ..spec("cp install scp", Which::ButLast, Which::Last) },
    FileSpec { dry: "-n --dry-run --list-only", ..spec("rsync", Which::ButLast, Which::Last) },
    FileSpec { write_values: TARGET, ..spec("mv", Which::ButLast, Which::All) },
    FileSpec { write_values: TARGET, ..spec("ln", Which::ButLast, Which::Last) },
    spec("dd", Which::None, Which::None),
    FileSpec {
        script: "-e -f --expression --file",
        in_place: "-i --in-place",
        ..spec("sed gsed", Which::All, Which::All)
    },
    FileSpec {
        script: "-e -E -f",
        in_place: "-i",
        read_values: "-f",
        ..spec("perl ruby", Which::All, Which::All)
    },
    FileSpec {
        script: "-e -f --regexp --file --files",
        read_values: "-f --file",
        ..spec("grep egrep fgrep rg ag ack zgrep", Which::All, Which::None)
    },
    FileSpec {
        script: "-f --file",
        read_values: "-f --file",
        ..spec("awk gawk mawk nawk", Which::All, Which::None)
    },
    FileSpec { script: "-f --from-file", ..spec("jq", Which::All, Which::None) },
    FileSpec {
        script: "-f --from-file",
        in_place: "-i --inplace --in-place",
        ..spec("yq", Which::All, Which::All)
    },
    FileSpec { write_values: "-o --output", ..spec("sort", Which::All, Which::None) },
    FileSpec {
        read_values: "-T --upload-file -d --data --data-binary --data-ascii --data-urlencode -F --form -K --config --json \
            --netrc-file --cert -E --key --cacert -b --cookie",
        write_values: "-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii \
            --output-dir",
        ..spec("curl", Which::None, Which::None)
    },
    FileSpec {
        read_values: "--post-file --body-file -i --input-file --load-cookies",
        write_values: "-O --output-document -o --output-file -a --append-output --save-cookies -P --directory-prefix",
        ..spec("wget", Which::None, Which::None)
    },
    FileSpec {
        read_values: "-in -inkey -CAfile",
        write_values: "-out",
        ..spec("openssl", Which::All, Which::None)
    },
    FileSpec { write_values: "-d", dry: "-l -t -v -Z -p -c", ..spec("unzip", Which::All, Which::None) },
    FileSpec {
        dry: "-l --list -c --stdout --to-stdout -t --test",
        ..spec("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd", Which::All, Which::All)
    },
    FileSpec { dry: "-sf --show-files -T --test", ..spec("zip", Which::All, Which::All) },
    // Formatters and linters that rewrite files only if they are told to.
    FileSpec {
        in_place: "-w --write --write-changes",
        ..spec("prettier gofmt gofumpt goimports shfmt 2to3 js-beautify biome buf", Which::All, Which::All)
    },
    FileSpec {
        in_place: "-i --in-place --inplace",
        dry: "-n --dry-run --diff -d",
        ..spec(
            "clang-format autopep8 autoflake docformatter yapf ocamlformat gersemi cmake-format",
            Which::All,
            Which::All,
        )
    },
    FileSpec {
        in_place: "--fix",
        dry: "--diff --fix-dry-run",
        ..spec("eslint stylelint standard xo tslint oxlint markdownlint", Which::All, Which::All)
    },
    FileSpec {
        in_place: "-a -A -x --autocorrect --autocorrect-all --auto-correct --auto-correct-all --fix",
        ..spec("rubocop standardrb", Which::All, Which::All)
    },
    // And those that rewrite them unless they are told to check only.
    FileSpec {
        dry: "--check --check-only --diff -c --code --lint --verify -d --version -V -h --help --dryrun --dry-run",
        ..spec(
            "black isort blue rustfmt swiftformat stylua nixfmt buildifier rufo nbstripout",
            Which::All,
            Which::All,
        )
    },
    FileSpec { script: "-F", dry: "--preview -p", ..spec("sd", Which::All, Which::All) },
    spec("dos2unix unix2dos mac2unix", Which::All, Which::All),
    FileSpec {
        dry: "--dry-run",
        write_values: "-o --output -r --reject-file",
        ..spec("patch", Which::All, Which::All)
    },
    FileSpec { script: "-h", ..spec("7z 7za 7zr 7zz", Which::All, Which::None) },
    spec(
        "cat tac nl head tail less more bat cut paste uniq split csplit wc xxd od hexdump strings base64 base32 diff cmp comm",
        Which::All,
        Which::None,
    ),
];
