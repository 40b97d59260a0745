//! Options of `docker`, `podman` and `docker compose`, whose subcommands give letters a meaning of their own: `docker -v` is
//! the version, `docker run -v` a folder.

use super::OptionStyle::Bundles;
use super::{ProgramRow, row};

/// Options of `run` and `create` with a value.
const RUN: &str = "--add-host --annotation -a --attach --blkio-weight --blkio-weight-device --cap-add --cap-drop \
    --cgroup-conf --cgroup-parent --cgroupns --cgroups --chrootdirs --cidfile --conmon-pidfile --cpu-count --cpu-percent \
    --cpu-period --cpu-quota --cpu-rt-period --cpu-rt-runtime -c --cpu-shares --cpus --cpuset-cpus --cpuset-mems \
    --decryption-key --detach-keys --device --device-cgroup-rule --device-read-bps --device-read-iops --device-write-bps \
    --device-write-iops --dns --dns-opt --dns-option --dns-search --domainname --entrypoint -e --env --env-file \
    --env-merge --expose --gidmap --gpus --group-add --group-entry --health-cmd --health-interval --health-log-destination \
    --health-on-failure --health-retries --health-start-interval --health-start-period --health-timeout --hooks-dir -h \
    --hostname --hostuser --image-volume --init-path --io-maxbandwidth --io-maxiops --ip --ip6 --ipc --isolation \
    --kernel-memory -l --label --label-file --link --link-local-ip --log-driver --log-opt --mac-address -m --memory \
    --memory-reservation --memory-swap --memory-swappiness --mount --name --net --net-alias --network --network-alias \
    --oom-score-adj --arch --authfile --creds --os --variant --passwd-entry --personality --pid --pidfile --pids-limit \
    --platform --pod --pod-id-file --preserve-fd --preserve-fds -p --publish --pull --requires --restart --retry \
    --retry-delay --runtime --sdnotify --seccomp-policy --secret --security-opt --shm-size --shm-size-systemd --stop-signal \
    --stop-timeout --storage-opt --subgidname --subuidname --sysctl --systemd --timeout --tmpfs --tz --uidmap --ulimit \
    --umask --unsetenv -u --user --userns --uts -v --volume --volume-driver --volumes-from -w --workdir";
const EXEC: &str =
    "--detach-keys -e --env --env-file -u --user -w --workdir --index --preserve-fd --preserve-fds --cidfile";
const BUILD: &str = "--add-host --allow --annotation --arch --attest --authfile --build-arg --build-arg-file --build-context \
    --builder --cache-from --cache-to --cache-ttl --call --cap-add --cap-drop --cgroup-parent --cgroupns --cpp-flag -c \
    --cpu-shares --cpu-period --cpu-quota --cpuset-cpus --cpuset-mems --creds --decryption-key --device --dns --dns-option \
    --dns-search --env -f --file --format --from --group-add --hooks-dir --ignorefile --iidfile --ipc --isolation --jobs \
    --label --logfile --manifest -m --memory --memory-swap --metadata-file --network --no-cache-filter --os --os-feature \
    --os-version -o --output --pid --platform --progress --provenance --pull? --retry --retry-delay --runtime \
    --runtime-flag --sbom --secret --security-opt --shm-size --sign-by --ssh -t --tag --target --timestamp --ulimit \
    --unsetenv --unsetlabel --userns --userns-gid-map --userns-uid-map --uts --variant -v --volume";
const LISTING: &str = "-f --filter --format -n --last --sort";
const LOGS: &str = "--since --until -n --tail --index";
const STOP: &str = "-s --signal -t --time --timeout --cidfile --filter";
const COMPOSE_RUN: &str = "--build-arg --cap-add --cap-drop --entrypoint -e --env --env-from-file -l --label --name -p --publish \
    --pull -u --user -v --volume -w --workdir";

/// A subcommand all of whose options with a value are listed, and which takes none of `docker` itself.
const fn sub(path: &'static str, valued: &'static str) -> ProgramRow {
    row(path, Bundles, true, valued, "")
}

/// The same, where what follows the first operand is a command for the container.
const fn starts(path: &'static str, valued: &'static str) -> ProgramRow {
    ProgramRow { stops: true, ..sub(path, valued) }
}

pub(super) const ROWS: &[ProgramRow] = &[
    row(
        "docker",
        Bundles,
        false,
        "--config -c --context -H --host -l --log-level --tlscacert --tlscert --tlskey",
        "-D --debug --tls --tlsverify -v --version --help",
    ),
    starts("docker run", RUN),
    starts("docker create", RUN),
    starts("docker container run", RUN),
    starts("docker container create", RUN),
    starts("docker exec", EXEC),
    starts("docker container exec", EXEC),
    sub("docker container", "--filter --format"),
    sub("docker container ls", LISTING),
    sub("docker container list", LISTING),
    sub("docker container ps", LISTING),
    sub("docker container logs", LOGS),
    sub("docker container stop", STOP),
    sub("docker container restart", STOP),
    sub("docker container kill", STOP),
    sub("docker container rm", "--cidfile --filter -t --time"),
    sub("docker container commit", "-a --author -c --change -m --message"),
    sub("docker ps", LISTING),
    sub("docker logs", LOGS),
    sub("docker stop", STOP),
    sub("docker restart", STOP),
    sub("docker kill", STOP),
    sub("docker rm", "--cidfile --filter -t --time"),
    sub("docker commit", "-a --author -c --change -m --message"),
    sub("docker cp", ""),
    sub("docker inspect", "-f --format --type"),
    sub("docker build", BUILD),
    sub("docker image", "--filter --format --platform"),
    sub("docker image build", BUILD),
    sub("docker image ls", LISTING),
    sub("docker image list", LISTING),
    sub("docker builder", "--filter"),
    sub("docker builder build", BUILD),
    row("docker buildx", Bundles, false, "--builder", ""),
    sub("docker buildx build", BUILD),
    sub(
        "docker buildx bake",
        "--allow --builder --call -f --file --list --metadata-file --progress --provenance --sbom --set",
    ),
    sub("docker images", LISTING),
    sub("docker rmi", "--platform"),
    sub("docker login", "-u --username -p --password --authfile --cert-dir"),
    sub("docker save", "-o --output --format --platform"),
    sub("docker load", "-i --input --platform"),
    sub("docker export", "-o --output"),
    sub("docker import", "-c --change -m --message --platform"),
    sub("docker system", "--filter --format"),
    sub("docker system df", "--format"),
    sub("docker volume", "--filter -f? --format -d --driver --label -o --opt"),
    sub("docker volume ls", LISTING),
    sub("docker volume rm", ""),
    sub("docker volume prune", "--filter"),
    row("docker network", Bundles, false, "", ""),
    sub("docker network ls", LISTING),
    sub("docker network prune", "--filter"),
    sub("docker network rm", ""),
    row("docker stack", Bundles, false, "", ""),
    sub("docker stack deploy", "-c --compose-file --resolve-image"),
    row(
        "docker compose",
        Bundles,
        false,
        "-f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress -t --timeout \
         --scale --rmi",
        "--dry-run --compatibility --all-resources -v --volumes --remove-orphans -d --detach --build --wait",
    ),
    starts("docker compose run", COMPOSE_RUN),
    starts("docker compose exec", EXEC),
    sub("docker compose logs", LOGS),
    sub(
        "docker compose up",
        "--attach --exit-code-from --no-attach --pull --scale -t --timeout --wait-timeout",
    ),
    sub("docker compose down", "--rmi -t --timeout"),
    sub("docker compose create", "--pull --scale"),
    sub("docker compose build", "--build-arg --builder -m --memory --progress --provenance --sbom --ssh"),
    sub("docker compose rm", ""),
    sub("docker compose ps", "--filter --format --orderby --status"),
    sub("docker compose stop", "-t --timeout"),
    sub("docker compose restart", "-t --timeout"),
    sub("docker compose kill", "-s --signal"),
    sub("docker compose pull", "--policy"),
    sub("docker compose config", "--format --hash -o --output"),
];
