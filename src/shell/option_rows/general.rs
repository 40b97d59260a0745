//! Options of programs of the system, of languages and of databases, written from their manual pages.

use super::OptionStyle::{Bundles, Getopt, Words};
use super::{ProgramRow, client, interpreter, row};

pub(super) const ROWS: &[ProgramRow] = &[
    row(
        "git",
        Getopt,
        true,
        "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --list-cmds --exec-path?",
        "",
    ),
    row(
        "git push",
        Getopt,
        true,
        "-o --push-option --receive-pack --exec --repo --force-with-lease? --recurse-submodules --signed?",
        "--force --no-force --follow-tags --tags --all --verify --no-verify",
    ),
    row(
        "git commit",
        Getopt,
        true,
        "-m --message -F --file -C --reuse-message -c --reedit-message -t --template --author --date --fixup \
         --squash --cleanup --trailer --pathspec-from-file -S? --gpg-sign? -u? --untracked-files?",
        "--no-edit --all --amend --verify --no-verify --no-gpg-sign --no-status",
    ),
    row(
        "git log",
        Getopt,
        true,
        "-n --max-count --skip --since --after --until --before --author --committer --grep --format --pretty? --date -S -G -O -U \
         --unified --src-prefix --dst-prefix -L --encoding --glob --exclude --branches? --tags? --remotes? --decorate? --color? \
         --diff-filter --output --word-diff-regex --inter-hunk-context -M? -C? -B? -l --stat? --submodule? --color-moved?",
        "--all --graph --oneline --patch --follow --name-only --name-status",
    ),
    row(
        "git rev-list",
        Getopt,
        true,
        "-n --max-count --skip --since --after --until --before --author --committer --grep --format --pretty? --date -S -G -O -U \
         --unified --src-prefix --dst-prefix -L --encoding --glob --exclude --branches? --tags? --remotes? --decorate? --color? \
         --diff-filter --output --word-diff-regex --inter-hunk-context -M? -C? -B? -l --stat? --submodule? --color-moved?",
        "--all --count",
    ),
    row(
        "git switch",
        Getopt,
        true,
        "-c --create -C --force-create --orphan --conflict --recurse-submodules? --track?",
        "",
    ),
    row(
        "git blame",
        Getopt,
        true,
        "-L -S -C? -M? --since --date --contents --ignore-rev --ignore-revs-file --abbrev?",
        "",
    ),
    row("git worktree", Getopt, true, "-b -B --reason --expire", ""),
    row(
        "git revert",
        Getopt,
        true,
        "-m --mainline --strategy -X --strategy-option --cleanup -S? --gpg-sign?",
        "",
    ),
    row(
        "git cherry-pick",
        Getopt,
        true,
        "-m --mainline --strategy -X --strategy-option --cleanup -S? --gpg-sign?",
        "",
    ),
    row(
        "git grep",
        Getopt,
        true,
        "-e -f -m --max-count -A --after-context -B --before-context -C --context --threads --max-depth -O? --open-files-in-pager? --color?",
        "",
    ),
    row(
        "git format-patch",
        Getopt,
        true,
        "-o --output-directory -v --reroll-count --start-number --subject-prefix --suffix --to --cc --in-reply-to --base",
        "",
    ),
    row(
        "git archive",
        Getopt,
        true,
        "-o --output --format --prefix --remote --exec --add-file --add-virtual-file --mtime",
        "",
    ),
    row(
        "git am",
        Getopt,
        true,
        "-C -p --directory --exclude --include --whitespace -S? --gpg-sign? --patch-format --quoted-cr",
        "",
    ),
    row("git submodule", Getopt, true, "-b --branch --reference --name --depth -j --jobs", ""),
    row("git describe", Getopt, true, "--match --exclude --candidates --abbrev? --dirty? --broken?", ""),
    row("git diff-tree", Getopt, true, "-S -G -O -U --format --pretty?", ""),
    row(
        "git init",
        Getopt,
        true,
        "-b --initial-branch --template --separate-git-dir --object-format --ref-format --shared?",
        "",
    ),
    row("git notes", Getopt, true, "-m --message -F --file -C --reuse-message -c --reedit-message --ref", ""),
    row(
        "git ls-files",
        Getopt,
        true,
        "-x --exclude -X --exclude-from --exclude-per-directory --with-tree",
        "",
    ),
    row("git clean", Getopt, true, "-e --exclude", ""),
    row("git rm", Getopt, true, "--pathspec-from-file", ""),
    row(
        "git checkout",
        Getopt,
        true,
        "-b -B --orphan --conflict --pathspec-from-file --recurse-submodules?",
        "",
    ),
    row("git restore", Getopt, true, "-s --source --conflict --pathspec-from-file", ""),
    row("git stash", Getopt, true, "-m --message --pathspec-from-file", ""),
    row("git branch", Getopt, true, "-u --set-upstream-to --sort --points-at --format", ""),
    row(
        "git merge",
        Getopt,
        true,
        "-m --message -F --file -s --strategy -X --strategy-option --into-name --cleanup -S? --gpg-sign? --log?",
        "",
    ),
    row(
        "git rebase",
        Getopt,
        true,
        "--onto -s --strategy -X --strategy-option -x --exec --whitespace -C -S?",
        "",
    ),
    row("git reset", Getopt, true, "--pathspec-from-file", ""),
    row("git tag", Getopt, true, "-m --message -F --file -u --local-user --sort --format --cleanup -n?", ""),
    row(
        "git apply",
        Getopt,
        true,
        "-C -p --directory --exclude --include --build-fake-ancestor --whitespace",
        "",
    ),
    row(
        "git fetch",
        Getopt,
        true,
        "-j --jobs --depth --deepen --shallow-since --shallow-exclude --refmap -o --server-option --upload-pack \
         --negotiation-tip",
        "",
    ),
    row(
        "git pull",
        Getopt,
        true,
        "-j --jobs --depth --deepen --shallow-since --shallow-exclude --refmap -o --server-option --upload-pack \
         -s --strategy -X --strategy-option --cleanup -S? --rebase? --log?",
        "",
    ),
    row(
        "git clone",
        Getopt,
        true,
        "-b --branch -o --origin -u --upload-pack --depth --shallow-since --shallow-exclude --reference \
         --reference-if-able --template -c --config -j --jobs --separate-git-dir --filter --server-option --bundle-uri",
        "",
    ),
    row("git remote", Getopt, true, "-t -m", ""),
    row("git config", Getopt, true, "-f --file --blob --type --default --get-color --comment --value", ""),
    row("git show", Getopt, true, "-n --max-count --format --pretty? -S -G -O -U", ""),
    row(
        "git diff",
        Getopt,
        true,
        "-S -G -O -U --src-prefix --dst-prefix --line-prefix --inter-hunk-context",
        "",
    ),
    row(
        "terraform",
        Words,
        true,
        "-target -var -var-file -state -state-out -backup -out -parallelism -lock-timeout -replace -backend-config \
         -plugin-dir -from-module -chdir? -generate-config-out -config -type -filter -test-directory -platform -fs-mirror \
         -net-mirror -provider -junit-xml -module-depth -terragrunt-config -terragrunt-working-dir -terragrunt-source \
         -terragrunt-download-dir -terragrunt-iam-role -terragrunt-include-dir -terragrunt-exclude-dir -terragrunt-log-level \
         -terragrunt-parallelism -working-dir",
        "",
    ),
    row(
        "npm",
        Bundles,
        false,
        "--prefix -C -w --workspace --registry --userconfig --globalconfig --loglevel --cache --tag --access --otp \
         --omit --include --before --scope --script-shell --node-options",
        "-g --global -D --save-dev -S --save -E --save-exact -O --save-optional --save-prod -P --no-save --if-present \
         --silent -s --workspaces --ws --include-workspace-root --dry-run --force -f --legacy-peer-deps --ignore-scripts \
         --no-audit --no-fund --prefer-offline --offline --yes -y --json --version -v --help -h --production --verbose \
         --no-optional --parseable --long --package-lock-only --strict-peer-deps -q --quiet -d -dd -ddd",
    ),
    row(
        "pnpm",
        Bundles,
        false,
        "-C --dir -F --filter --filter-prod --registry --loglevel --reporter --store-dir --workspace-concurrency",
        "-r --recursive -w --workspace-root -D --save-dev -P --save-prod -O -E --save-exact -g --global --silent -s \
         --frozen-lockfile --offline --prefer-offline --if-present --stream --parallel --ignore-scripts --version -v \
         --help -h --no-frozen-lockfile",
    ),
    row(
        "yarn",
        Bundles,
        false,
        "--cwd --registry --modules-folder --cache-folder --network-timeout",
        "-D --dev -s --silent --frozen-lockfile --immutable --offline --version -v --help -h --verbose --json \
         --ignore-scripts -E --exact -W --production --check-files --force",
    ),
    row(
        "bun",
        Bundles,
        false,
        "--cwd --filter --config -c -r --preload -e --eval --port --env-file",
        "-d --dev -g --global --watch --hot --silent --version -v --help -h --bun",
    ),
    row(
        "cargo",
        Bundles,
        false,
        "--config -Z -C --color --manifest-path --target-dir --target -p --package --features -F --bin --example \
         --test --bench -j --jobs --profile --message-format --exclude --lockfile-path",
        "--locked --offline --frozen -v -vv --verbose -q --quiet --list -V --version -h --help --release --all \
         --workspace --all-features --no-default-features --lib --bins --tests --all-targets --doc --no-run \
         --no-fail-fast --examples --benches -r --keep-going",
    ),
    row(
        "cargo nextest",
        Bundles,
        false,
        "--config -p --package -E --filter-expr --filterset --features -F --profile -P --cargo-profile -j --test-threads \
         --build-jobs --retries --target --target-dir --manifest-path --partition --test --bin --status-level \
         --failure-output --success-output",
        "--all-features --workspace --all --no-fail-fast --no-capture --locked --offline --release -r --lib --no-run",
    ),
    row(
        "aws",
        Bundles,
        false,
        "--profile --region --output --query --endpoint-url --ca-bundle --cli-read-timeout --cli-connect-timeout \
         --color --cli-input-json --cli-input-yaml --cli-binary-format",
        "--debug --no-verify-ssl --no-paginate --no-sign-request --no-cli-pager --no-cli-auto-prompt --cli-auto-prompt \
         --version --recursive --force --dryrun --quiet",
    ),
    row(
        "gcloud",
        Bundles,
        false,
        "--project --account --configuration --format --verbosity --billing-project --flags-file --flatten \
         --impersonate-service-account --access-token-file --trace-token --zone --region",
        "-q --quiet --log-http --user-output-enabled -h --help --async",
    ),
    row(
        "az",
        Bundles,
        false,
        "--subscription -o --output --query -n --name -g --resource-group --ids --id --status --auto-complete --org -p --project",
        "--debug --verbose --only-show-errors -h --help -y --yes --no-wait",
    ),
    row(
        "supabase",
        Bundles,
        false,
        "--workdir --profile --dns-resolver --network-id -o --output --db-url -p --password --version --schema -s",
        "--debug --experimental --yes --create-ticket --linked --local --no-seed --help -h --include-all --dry-run",
    ),
    row(
        "pulumi",
        Bundles,
        false,
        "-C --cwd -s --stack --color -m --message --config-file -t --target -p --parallel -v --verbose --tracing --profiling",
        "-y --yes --skip-preview -f --force -r --refresh --non-interactive --emoji -h --help",
    ),
    row(
        "fly",
        Bundles,
        false,
        "-a --app -c --config -t --access-token",
        "-y --yes -h --help --verbose --debug -j --json",
    ),
    row("heroku", Bundles, false, "-a --app -r --remote -c --confirm", "-h --help"),
    row(
        "vercel",
        Bundles,
        false,
        "-t --token -S --scope -T --team -A --local-config -Q --global-config --cwd",
        "-y --yes -d --debug -h --help",
    ),
    row(
        "doctl",
        Bundles,
        false,
        "-t --access-token -c --config --context -o --output -u --api-url",
        "-f --force -v --verbose --trace -h --help",
    ),
    row(
        "cdk",
        Bundles,
        false,
        "-a --app -c --context --profile -o --output -r --role-arn --toolkit-stack-name",
        "--all -f --force -v --verbose --no-color -h --help -e --exclusively",
    ),
    row(
        "make",
        Getopt,
        true,
        "-C --directory -f --file --makefile -I --include-dir -o --old-file --assume-old -W --what-if --new-file \
         --assume-new -E --eval -j? --jobs? -l? --load-average? -O? --output-sync?",
        "",
    ),
    row(
        "just",
        Bundles,
        true,
        "-f --justfile -d --working-directory --set --shell --shell-arg --color --dotenv-filename --dotenv-path --list-heading --list-prefix -c --command --show -s",
        "",
    ),
    row("wrangler", Bundles, false, "-c --config -e --env --command --file --cwd --name", ""),
    row(
        "xcodebuild",
        Words,
        false,
        "-scheme -project -workspace -destination -configuration -sdk -testPlan",
        "",
    ),
    row("task", Bundles, true, "-t --taskfile -d --dir -o --output -C --concurrency -I --interval", ""),
    row("ninja", Getopt, true, "-C -f -j -k -l -d -t -w", ""),
    row("bazel", Bundles, false, "--output_base --bazelrc -c --config --jobs", "--help"),
    row(
        "gradle",
        Bundles,
        true,
        "-p --project-dir -b --build-file -c --settings-file -x --exclude-task -I --init-script -D? -P? -g --gradle-user-home --tests --max-workers --console \
         --args --configuration --dependency --include-build --priority --project-cache-dir --warning-mode \
         --dependency-verification -F -M --write-verification-metadata --update-locks",
        "",
    ),
    row(
        "mvn",
        Bundles,
        true,
        "-f --file -pl --projects -P --activate-profiles -s --settings -D? -T --threads -rf --resume-from \
         -l --log-file -b --builder -emp --encrypt-master-password -ep --encrypt-password -t --toolchains -gs --global-settings \
         -gt --global-toolchains -is --install-settings --color",
        "",
    ),
    row(
        "go",
        Words,
        true,
        "-C -run -bench -count -timeout -tags -o -p -f -mod -modfile -ldflags -gcflags -asmflags -coverprofile -covermode -coverpkg -cpu -parallel -benchtime -skip -exec -list -shuffle -vet -overlay -pkgdir -toolexec \
         -vettool -fuzz -fuzztime -fuzzminimizetime -trace -cpuprofile -memprofile -memprofilerate -mutexprofile \
         -mutexprofilefraction -blockprofile -blockprofilerate -outputdir -buildmode -compiler -gccgoflags -installsuffix -pgo \
         -reuse -buildvcs? -artifacts?",
        "",
    ),
    row(
        "pytest",
        Getopt,
        false,
        "-k -m -c -p -o -n -W --rootdir --maxfail --tb --junitxml --cov-report --durations --ignore --deselect --confcutdir --log-level --timeout --dist --config-file --override-ini --cov?",
        "-q -v -vv -x -s -l --lf --ff --sw --exitfirst --version -V --help -h --collect-only --co --fixtures --markers",
    ),
    row("tox", Getopt, true, "-e -f -c --conf --workdir --root -x -p? --skip-env --runner", ""),
    row(
        "nox",
        Getopt,
        true,
        "-s --session --sessions -e -k --keywords -t --tags -p --pythons -f --noxfile --envdir",
        "",
    ),
    interpreter("python", Getopt, "-c -m -W -X --check-hash-based-pycs"),
    interpreter(
        "node",
        Bundles,
        "-e --eval -p --print -r --require --import --loader --env-file -C --conditions",
    ),
    interpreter("ruby", Getopt, "-e -I -r -C -E -F? -K? -W? -x? -i? -T? -0?"),
    interpreter("perl", Getopt, "-e -E -I -M? -m? -i? -0? -C? -D? -F -x?"),
    interpreter("php", Getopt, "-r -c -d -B -R -F -E -f -z -S -t"),
    interpreter("lua", Getopt, "-e -l"),
    interpreter("deno", Bundles, ""),
    interpreter("ssh", Getopt, "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"),
    row("alembic", Getopt, true, "-c --config -n --name -x", ""),
    row(
        "apt-get",
        Getopt,
        true,
        "-o --option -c --config-file -t --target-release -a --host-architecture -P",
        "",
    ),
    row("apt", Getopt, true, "-o --option -c --config-file -t --target-release", ""),
    row(
        "pip",
        Getopt,
        false,
        "-r --requirement -c --constraint -e --editable -t --target -i --index-url --extra-index-url -f --find-links --root --prefix --python --log --proxy",
        "-U --upgrade --user --dry-run --no-deps --pre -q -v --version -V --help -h --break-system-packages",
    ),
    row("rm", Getopt, true, "--interactive? --preserve-root? --no-preserve-root?", ""),
    row("Remove-Item", Words, true, "-Filter -Include -Exclude -Credential -Stream", ""),
    row(
        "cp",
        Getopt,
        true,
        "-t --target-directory -S --suffix --backup? --preserve? --no-preserve --reflink? --sparse",
        "",
    ),
    row("mv", Getopt, true, "-t --target-directory -S --suffix --backup?", ""),
    row("ln", Getopt, true, "-t --target-directory -S --suffix --backup?", ""),
    row(
        "install",
        Getopt,
        true,
        "-t --target-directory -m --mode -o --owner -g --group -S --suffix --backup? --strip-program",
        "",
    ),
    row("tee", Getopt, true, "--output-error? -p?", ""),
    row("touch", Getopt, true, "-d --date -r --reference -t --time", ""),
    row("truncate", Getopt, true, "-s --size -r --reference", ""),
    row("shred", Getopt, true, "-n --iterations -s --size --random-source --remove?", ""),
    row("mkdir", Getopt, true, "-m --mode --context?", ""),
    row("rmdir", Getopt, true, "", ""),
    row("unlink", Getopt, true, "", ""),
    row("chmod", Getopt, true, "--reference", ""),
    row("chown", Getopt, true, "--reference --from", ""),
    row("cat", Getopt, true, "", ""),
    row("tac", Getopt, true, "-s --separator", ""),
    row("nl", Getopt, true, "-b -d -f -h -i -l -n -s -v -w", ""),
    row("head", Getopt, true, "-n --lines -c --bytes", ""),
    row("tail", Getopt, true, "-n --lines -c --bytes -s --sleep-interval --pid --follow?", ""),
    row("wc", Getopt, true, "--files0-from --total", ""),
    row("cut", Getopt, true, "-b --bytes -c --characters -d --delimiter -f --fields --output-delimiter", ""),
    row(
        "sort",
        Getopt,
        true,
        "-k --key -o --output -S --buffer-size -t --field-separator -T --temporary-directory --parallel --batch-size --files0-from --compress-program",
        "",
    ),
    row(
        "split",
        Getopt,
        true,
        "-a --suffix-length -b --bytes -C --line-bytes -l --lines -n --number -t --separator --additional-suffix --filter \
         --numeric-suffixes? --hex-suffixes?",
        "",
    ),
    row("csplit", Getopt, true, "-b --suffix-format -f --prefix -n --digits", ""),
    row("xxd", Bundles, true, "-c -cols -g -groupsize -l -len -s -seek -o -n -name -R", ""),
    row("uniq", Getopt, true, "-f --skip-fields -s --skip-chars -w --check-chars --group?", ""),
    row("base64", Getopt, true, "-w --wrap", ""),
    row(
        "grep",
        Getopt,
        true,
        "-e --regexp -f --file -m --max-count -A --after-context -B --before-context -C --context -d --directories \
         -D --devices --include --exclude --exclude-dir --exclude-from --label --color? --colour? --binary-files",
        "",
    ),
    row(
        "rg",
        Bundles,
        true,
        "-e --regexp -f --file -m --max-count -A --after-context -B --before-context -C --context -g --glob --iglob \
         -t --type -T --type-not -r --replace -M --max-columns -d --max-depth -E --encoding -j --threads --sort --sortr \
         --color --colors --ignore-file --pre --pre-glob",
        "",
    ),
    row("sed", Getopt, true, "-e --expression -f --file -l --line-length -i? --in-place?", ""),
    row(
        "awk",
        Getopt,
        true,
        "-f --file -F --field-separator -v --assign -i --include -l --load -e --source -E --exec",
        "",
    ),
    row(
        "jq",
        Bundles,
        false,
        "--indent -L -f --from-file",
        "-r -c -s -n -e -S -M -C -a -j --raw-output --compact-output --slurp --null-input --exit-status --tab",
    ),
    row(
        "diff",
        Getopt,
        true,
        "-U --unified? -C --context? -I --ignore-matching-lines -x --exclude -X --exclude-from -S --label -L -W --width -F",
        "",
    ),
    row("dd", Getopt, true, "", ""),
    row(
        "tar",
        Getopt,
        false,
        "-f --file -C --directory --exclude -T --files-from -X --exclude-from -I --use-compress-program --transform --strip-components",
        "-x -c -t -r -u -z -j -J -v -p -k -h -P -a -O --extract --get --create --list --append --gzip --verbose --zstd --xz --bzip2 --to-stdout",
    ),
    row("zip", Getopt, false, "-x -i -b -t -tt -P", "-r -q -9 -j -u -d -m -e -y -v -T"),
    row("unzip", Getopt, true, "-d -x -P", ""),
    row(
        "patch",
        Getopt,
        true,
        "-p --strip -i --input -d --directory -o --output -r --reject-file -D --ifdef -B --prefix -z --suffix -F --fuzz",
        "",
    ),
    row(
        "curl",
        Bundles,
        false,
        "-o --output -d --data --data-raw --data-binary --data-ascii --data-urlencode -F --form --form-string -H --header \
         -X --request -u --user -A --user-agent -e --referer -b --cookie -c --cookie-jar -T --upload-file -K --config -x \
         --proxy -m --max-time --connect-timeout --retry --retry-delay -w --write-out --url -E --cert --key --cacert \
         --resolve -r --range --output-dir -D --dump-header --limit-rate --json --unix-socket -Y -y -z -C --netrc-file \
         --trace --trace-ascii --stderr --interface --oauth2-bearer --variable --create-file-mode --capath --dns-servers",
        "-s --silent -S --show-error -f --fail -L --location -I --head -k --insecure -v --verbose -i --include -O \
         --remote-name -J --remote-header-name -g --globoff -G --get -N --no-buffer -n --netrc -# --progress-bar -4 -6 \
         --compressed --fail-with-body --remote-name-all --create-dirs -q --disable -V --version -h --help --http2 \
         --http1.1 -0 -1 -2 -3 -a --append -Z --parallel -l -p -R --remote-time --ssl-reqd",
    ),
    row(
        "wget",
        Getopt,
        false,
        "-O --output-document -P --directory-prefix -o --output-file -a --append-output -U --user-agent --header -t \
         --tries -T --timeout -w --wait -Q --quota --post-data --post-file --body-data --body-file --method -i --input-file \
         -e --execute --user --password -l --level -A -R -D -I -X --limit-rate --load-cookies --save-cookies",
        "-q --quiet -c --continue -N -r --recursive -p -k -m --mirror -nc -nv -nd -np -v --verbose --spider -b -S -V \
         --version -h --help --no-check-certificate --show-progress -x -E -H -K -L",
    ),
    row(
        "rsync",
        Getopt,
        false,
        "-e --rsh --exclude --include --exclude-from --include-from --files-from -f --filter --bwlimit --port --password-file --rsync-path --chmod --chown --log-file -T --temp-dir --compare-dest --link-dest --backup-dir --suffix --timeout -M --max-size --min-size",
        "-a -v -r -l -p -t -g -o -D -z -n -h -u -P -x -c -i -q -W -H -A -X -S -R -b -d -L --archive --verbose --recursive --dry-run --delete --delete-after --delete-before --delete-during --delete-excluded --progress --partial --stats --compress --update --checksum --force --inplace --human-readable",
    ),
    // Programs that format and repair code.
    row(
        "prettier",
        Bundles,
        true,
        "--config --ignore-path --parser --plugin --print-width --tab-width --end-of-line --log-level --stdin-filepath \
         --trailing-comma --arrow-parens --prose-wrap --quote-props --config-precedence --cache-location --cache-strategy",
        "",
    ),
    row(
        "eslint",
        Bundles,
        true,
        "-c --config --env --ext --global --parser --parser-options --plugin --rule --rulesdir --ignore-path --ignore-pattern \
         -o --output-file -f --format --max-warnings --cache-file --cache-location --cache-strategy --fix-type \
         --stdin-filename --resolve-plugins-relative-to --flag",
        "",
    ),
    row(
        "stylelint",
        Bundles,
        true,
        "-c --config --config-basedir --custom-syntax -f --formatter --custom-formatter --ignore-path --ip -o --output-file \
         --stdin-filename --max-warnings --mw --cache-location --cache-strategy",
        "",
    ),
    row("standard", Bundles, true, "--env --ext --global --parser --plugin --stdin-filename", ""),
    row(
        "ruff",
        Bundles,
        true,
        "--config --select --ignore --extend-select --extend-ignore --fixable --unfixable --exclude --extend-exclude \
         --line-length --target-version --output-format --cache-dir -o --output-file --per-file-ignores --stdin-filename --range",
        "",
    ),
    row("gofmt", Words, true, "-r -cpuprofile", ""),
    row("gofumpt", Words, true, "-r -cpuprofile -lang -modpath", ""),
    row("goimports", Words, true, "-cpuprofile -memprofile -local -srcdir", ""),
    row(
        "golangci-lint",
        Bundles,
        true,
        "-c --config -D --disable -E --enable -p --presets -j --concurrency --timeout --build-tags --new-from-rev \
         --new-from-patch --new-from-merge-base --path-prefix --path-mode -e --exclude --issues-exit-code \
         --modules-download-mode --go --max-issues-per-linter --max-same-issues --out-format --color",
        "",
    ),
    row("clang-tidy", Words, true, "-p", ""),
    row("dart", Bundles, false, "", ""),
    row(
        "dart format",
        Bundles,
        true,
        "-o --output -l --line-length --summary --language-version --stdin-name",
        "",
    ),
    // Packages and stores.
    row(
        "rpm",
        Getopt,
        true,
        "--root --dbpath --define -D --eval -E --excludepath --prefix --relocate --qf --queryformat",
        "",
    ),
    row(
        "consul",
        Words,
        true,
        "-http-addr -token -token-file -ca-file -ca-path -client-cert -client-key -datacenter -namespace -partition \
         -tls-server-name -modify-index -separator -flags -session",
        "",
    ),
    row("R", Words, true, "-e -f -g -d", ""),
    interpreter("Rscript", Words, "-e"),
    interpreter(
        "julia",
        Getopt,
        "-e --eval -E --print -L --load -J --sysimage -t --threads -p --procs -m -H --home -C --cpu-target",
    ),
    // Clients of databases.
    row(
        "pg_dump",
        Getopt,
        true,
        "-d --dbname -f --file -F --format -h --host -j --jobs -n --schema -N --exclude-schema -p --port -S --superuser -t \
         --table -T --exclude-table -U --username -Z --compress -E --encoding --role --section --lock-wait-timeout \
         --exclude-table-data",
        "",
    ),
    row(
        "pg_restore",
        Getopt,
        true,
        "-d --dbname -f --file -F --format -h --host -I --index -j --jobs -L --use-list -n --schema -N --exclude-schema -p \
         --port -P --function -S --superuser -t --table -T --trigger -U --username --role --section",
        "",
    ),
    client(
        "snowsql",
        Getopt,
        "-q --query -f --filename -a --accountname -u --username -d --dbname -s --schemaname -r --rolename -w --warehouse \
         -h --host -p --port -o --option -c --connection -D --variable --config --region --authenticator --token",
    ),
    client(
        "psql",
        Getopt,
        "-c --command -d --dbname -f --file -F --field-separator -h --host -L --log-file -o --output -p --port -P --pset -R \
         --record-separator -T --table-attr -U --username -v --set --variable",
    ),
    client(
        "mysql",
        Getopt,
        "-D --database -e --execute -h --host -P --port -S --socket -u --user -p? --password? --defaults-file \
         --defaults-extra-file --delimiter --init-command --login-path --pager? --protocol --prompt --ssl-ca --ssl-cert --ssl-key \
         --ssl-mode --tee",
    ),
    client(
        "mysqladmin",
        Getopt,
        "-h --host -P --port -S --socket -u --user -p? --password? --defaults-file -i -c -w",
    ),
    client(
        "sqlite3",
        Words,
        "-cmd -init -maxsize -mmap -newline -nullvalue -separator -vfs -zip -escape -lookaside -pagecache",
    ),
    client("duckdb", Words, "-c -s -cmd -f -init -newline -nullvalue -separator -storage-version"),
    client("sqlcmd", Bundles, "-Q -q -S -d -U -P -i -o -v -h -s -w -l -t"),
    client(
        "clickhouse-client",
        Getopt,
        "-q --query -h --host --port -u --user --password -d --database --queries-file",
    ),
    client(
        "mongosh",
        Bundles,
        "--eval --host --port -u --username -p --password --authenticationDatabase --authenticationMechanism -f --file \
         --tlsCAFile --tlsCertificateKeyFile --apiVersion",
    ),
    client(
        "redis-cli",
        Words,
        "-h -p -s -a -u --user --pass -r -i -n -d -D --sni --cacert --cert --key --eval --pattern",
    ),
    // Forges, clusters, builds.
    row(
        "glab",
        Bundles,
        true,
        "-R --repo -a --assignee -b --target-branch -d --description -l --label -m -t --title -s -X -f -F -H",
        "",
    ),
    row("glab mr", Bundles, false, "", ""),
    row("glab mr merge", Bundles, true, "-m --message --sha --squash-message -R --repo", ""),
    row(
        "glab mr create",
        Bundles,
        true,
        "-a --assignee -b --target-branch -d --description -H --head -l --label -m --milestone -i --related-issue --reviewer -s \
         --source-branch -t --title -R --repo",
        "",
    ),
    row(
        "hub",
        Bundles,
        true,
        "-C -X --method -f --raw-field -F --field -H --header --input -b -m -l -a -h",
        "",
    ),
    row(
        "nx",
        Bundles,
        true,
        "-t --target --targets -p --projects -c --configuration --base --head --exclude --parallel?",
        "",
    ),
    row(
        "coverage run",
        Bundles,
        true,
        "--source --omit --include --rcfile --data-file --concurrency --context",
        "",
    ),
    row("coverage", Bundles, true, "--rcfile", ""),
    row(
        "nomad",
        Words,
        true,
        "-address -region -namespace -token -ca-cert -client-cert -client-key -ca-path -tls-server-name -var -var-file \
         -check-index -vault-token -vault-namespace -consul-token -task -group -deadline -output -priority",
        "",
    ),
    row("scp", Getopt, true, "-c -D -F -i -J -l -o -P -S -X", ""),
    row(
        "find",
        Words,
        true,
        "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime -atime \
         -ctime -mmin -amin -cmin -newer -anewer -cnewer -newermt -user -group -uid -gid -perm -maxdepth -mindepth -printf \
         -fprintf -fprint -fprint0 -fls -inum -links -samefile -fstype -used -context -regextype -D",
        "",
    ),
];
