// Makes the npm packages: `tsl-synth`, which starts the program, and one package with the program per platform.
//
//   node .github/npm/pack.mjs PROGRAMS OUT [--complete]
//
// PROGRAMS has a folder per target with the program in it; a platform whose program is not there is left out,
// with --complete that is an error. Version and metadata come from Cargo.toml, the platforms from .ci/targets.json.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
const [programs, out] = process.argv.slice(2, 4).map((path) => resolve(path));
const complete = process.argv.includes("--complete");

const metadata = JSON.parse(
  execFileSync("cargo", ["metadata", "--no-deps", "--locked", "--format-version", "1"], { cwd: root }),
);
const crate = metadata.packages.find((one) => one.name === "tsl-synth");
const targets = JSON.parse(readFileSync(join(root, ".ci/targets.json")));
const repository = crate.repository ?? process.env.REPOSITORY_URL;
const common = {
  version: crate.version,
  license: crate.license,
  ...(repository && { repository: { type: "git", url: repository } }),
};

const nameOf = ({ os, cpu }) => `@tsl-synth/${os}-${cpu}`;
const programOf = ({ os }) => (os === "win32" ? "tsl-synth.exe" : "tsl-synth");

/** Writes one package into a fresh folder and packs it. `files` maps names in the package to sources. */
function pack(manifest, files) {
  const folder = mkdtempSync(join(tmpdir(), "tsl-synth-npm-"));
  const licenses = Object.fromEntries(["LICENSE-APACHE", "LICENSE-MIT"].map((name) => [name, join(root, name)]));
  const all = { ...files, ...licenses };
  for (const [name, source] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    copyFileSync(source, join(folder, name));
    chmodSync(join(folder, name), /(^|\/)tsl-synth(\.exe|\.js)?$/.test(name) ? 0o755 : 0o644);
  }
  const whole = { ...manifest, files: Object.keys(all), ...common };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(whole, null, 2)}\n`);
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--pack-destination", out], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] }),
  );
  rmSync(folder, { recursive: true });
  console.log(filename);
}

mkdirSync(out, { recursive: true });
for (const target of targets) {
  const program = join(programs, target.target, programOf(target));
  if (!existsSync(program)) {
    if (complete) {
      throw new Error(`${program} is missing`);
    }
    continue;
  }
  const manifest = {
    name: nameOf(target),
    description: `The program tsl-synth for ${target.os}-${target.cpu}; install the package tsl-synth.`,
    os: [target.os],
    cpu: [target.cpu],
    preferUnplugged: true,
  };
  pack(manifest, { [programOf(target)]: program });
}
pack(
  {
    name: crate.name,
    description: crate.description,
    keywords: crate.keywords,
    engines: { node: ">=18" },
    bin: { "tsl-synth": "bin/tsl-synth.js" },
    optionalDependencies: Object.fromEntries(targets.map((target) => [nameOf(target), crate.version])),
  },
  { "bin/tsl-synth.js": join(here, "bin/tsl-synth.js"), "README.md": join(here, "README.md") },
);
