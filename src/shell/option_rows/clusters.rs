//! Options of `kubectl`, `helm`, `gh` and `gsutil`. A subcommand takes those of its program, too, unless its own row gives
//! them another meaning: `kubectl -f FILE`, but `kubectl logs -f`.

use super::OptionStyle::Bundles;
use super::{ProgramRow, row};

/// Options of the subcommands of `helm` that render a chart.
const CHART: &str = "-f --values --set --set-string --set-file --set-json --set-literal --version --repo --username --password \
    --ca-file --cert-file --key-file --keyring --history-max --post-renderer --post-renderer-args --labels -l -o --output \
    --name-template -s --show-only -a --api-versions --kube-version --output-dir";
const CHART_FLAGS: &str = "-i --install --atomic --wait-for-jobs --create-namespace --cleanup-on-fail --force --force-conflicts \
    --reuse-values --reset-values --reset-then-reuse-values --skip-crds --skip-schema-validation --dependency-update --devel \
    --disable-openapi-validation --enable-dns --hide-notes --hide-secret --insecure-skip-tls-verify --pass-credentials \
    --plain-http --render-subchart-notes --take-ownership --verify -g --generate-name --replace --rollback-on-failure \
    --include-crds --is-upgrade --validate --skip-tests --no-hooks --recreate-pods";
const PR_TEXTS: &str = "-b --body -F --body-file -t --title -R --repo";

/// A subcommand that takes the options of its program, too.
const fn sub(path: &'static str, valued: &'static str, flags: &'static str) -> ProgramRow {
    row(path, Bundles, false, valued, flags)
}

/// A subcommand all of whose options with a value are listed.
const fn whole(path: &'static str, valued: &'static str) -> ProgramRow {
    row(path, Bundles, true, valued, "")
}

pub(super) const ROWS: &[ProgramRow] = &[
    row(
        "kubectl",
        Bundles,
        false,
        "-n --namespace --context --cluster --kubeconfig --user --token --server -s --as --as-group --as-uid \
         --cache-dir --certificate-authority --client-certificate --client-key --request-timeout --tls-server-name \
         -v --v --vmodule --log-flush-frequency --profile --profile-output --username --password -f --filename -k \
         --kustomize -l --selector -o --output --field-selector --template -c --container --grace-period --timeout \
         --cascade? --dry-run? --raw",
        "--insecure-skip-tls-verify --match-server-version --warnings-as-errors --disable-compression --help -h \
         --all -A --all-namespaces -R --recursive --force --now --wait --ignore-not-found -i --interactive -w --watch",
    ),
    sub(
        "kubectl logs",
        "--since --since-time --tail --limit-bytes --max-log-requests --pod-running-timeout",
        "-f --follow -p --previous --timestamps --prefix --all-containers --all-pods --ignore-errors",
    ),
    sub("kubectl exec", "--pod-running-timeout", "-i --stdin -t --tty -q --quiet"),
    sub("kubectl attach", "--pod-running-timeout", "-i --stdin -t --tty -q --quiet"),
    sub(
        "kubectl run",
        "--annotations --env --image --image-pull-policy --labels --limits --override-type --overrides --port --requests \
         --restart --pod-running-timeout",
        "-i --stdin -t --tty -q --quiet --attach --command --expose --privileged --rm",
    ),
    sub(
        "kubectl debug",
        "--image --target --copy-to --custom --env --image-pull-policy --profile --set-image",
        "-i --stdin -t --tty -q --quiet --attach --replace --same-node --share-processes",
    ),
    sub("kubectl config", "", "--raw --minify --flatten --merge"),
    sub("kubectl cp", "--retries", "--no-preserve"),
    sub(
        "kubectl proxy",
        "-p --port -P --api-prefix -w --www --www-prefix --address -u --unix-socket --accept-hosts --accept-paths",
        "",
    ),
    sub("kubectl patch", "-p --patch --type --patch-file --subresource", ""),
    sub("kubectl rollout", "--to-revision --revision", ""),
    sub(
        "kubectl create",
        "--from-file --from-env-file --from-literal --type --image --schedule --replicas --port --docker-server \
         --docker-username --docker-password --docker-email --cert --key --verb --resource --role --clusterrole \
         --serviceaccount",
        "--save-config --edit --validate --append-hash",
    ),
    sub(
        "kubectl get",
        "--sort-by -L --label-columns --chunk-size --subresource",
        "--show-labels --no-headers --show-kind --show-managed-fields --watch-only --output-watch-events",
    ),
    sub("kubectl apply", "--field-manager", "--server-side --prune --force-conflicts --overwrite"),
    sub(
        "kubectl drain",
        "--pod-selector --skip-wait-for-delete-timeout",
        "--ignore-daemonsets --delete-emptydir-data --delete-local-data --disable-eviction",
    ),
    sub("kubectl scale", "--replicas --current-replicas --resource-version", ""),
    sub("kubectl wait", "--for", ""),
    row(
        "helm",
        Bundles,
        false,
        "-n --namespace --kube-context --kubeconfig --kube-apiserver --kube-token --kube-as-user --kube-ca-file \
         --registry-config --repository-cache --repository-config --timeout --description --cascade --dry-run?",
        "--debug --wait --keep-history --no-hooks --ignore-not-found -h --help",
    ),
    sub("helm upgrade", CHART, CHART_FLAGS),
    sub("helm install", CHART, CHART_FLAGS),
    sub("helm template", CHART, CHART_FLAGS),
    sub(
        "helm rollback",
        "--history-max",
        "--cleanup-on-fail --force --recreate-pods --wait-for-jobs --no-hooks --rollback-on-failure",
    ),
    sub("helm uninstall", "", "--wait-for-jobs"),
    sub(
        "helm list",
        "-f --filter -m --max --offset -l --selector -o --output --time-format",
        "-a --all -A -d -q -r",
    ),
    row(
        "gh",
        Bundles,
        false,
        "-R --repo --hostname -t --title -b --body -F --body-file -B --base -H --head -l --label -a --assignee -r --reviewer -m --milestone -q --jq -X --method -f --raw-field --field",
        "-h --help --version -w --web -d --draft --fill -y --yes",
    ),
    sub("gh pr", "", ""),
    sub("gh release", "", ""),
    sub("gh repo", "", ""),
    sub("gh workflow", "", ""),
    sub("gh secret", "", ""),
    sub("gh variable", "", ""),
    sub("gh gist", "", ""),
    sub("gh label", "", ""),
    sub("gh auth", "", ""),
    whole(
        "gh api",
        "-H --header -X --method -f --raw-field -F --field --input -q --jq -t --template --cache --hostname -p --preview",
    ),
    whole(
        "gh pr merge",
        "-A --author-email -b --body -F --body-file -t --subject --match-head-commit -R --repo",
    ),
    whole(
        "gh pr create",
        "-a --assignee -B --base -b --body -F --body-file -H --head -l --label -m --milestone -p --project --recover -r \
         --reviewer -T --template -t --title -R --repo",
    ),
    whole("gh pr review", PR_TEXTS),
    whole("gh pr close", "-c --comment -R --repo"),
    whole("gh pr checkout", "-b --branch -R --repo"),
    whole(
        "gh pr list",
        "-a --assignee --app -A --author -B --base -H --head -q --jq --json -l --label -L --limit -S --search -s --state -t \
         --template -R --repo",
    ),
    whole("gh pr view", "-q --jq --json -t --template -R --repo"),
    whole(
        "gh release create",
        "-n --notes -F --notes-file -t --title --target --discussion-category --notes-start-tag --latest? -R --repo",
    ),
    whole("gh release delete", "-R --repo"),
    whole("gh release upload", "-R --repo"),
    whole(
        "gh repo create",
        "-d --description -g --gitignore -h --homepage -l --license -r --remote -s --source -t --team -p --template",
    ),
    whole("gh workflow run", "-f --raw-field -F --field -r --ref -R --repo"),
    whole(
        "gh secret set",
        "-a --app -b --body -e --env -f --env-file -o --org -r --repos -v --visibility -R --repo",
    ),
    whole(
        "gh variable set",
        "-b --body -e --env -f --env-file -o --org -r --repos -v --visibility -R --repo",
    ),
    whole("gh gist create", "-d --desc -f --filename"),
    whole("gh label create", "-c --color -d --description -R --repo"),
    whole("gh auth login", "-h --hostname -s --scopes -p --git-protocol"),
    row("gsutil", Bundles, false, "-o -h -i -u", "-m -q -d -D"),
    whole("gsutil rsync", "-x -y -j -i"),
    whole("gsutil du", "-X -e"),
    whole("gsutil rm", ""),
    whole("gsutil cp", "-a -L -s -z -j"),
];
