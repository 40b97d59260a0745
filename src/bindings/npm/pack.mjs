// Makes the npm packages: `tsl-synth`, and one package per platform with the program and the addon.
//
//   node src/bindings/npm/pack.mjs BUILT PLATFORMS OUT [--complete]
//
// BUILT has `dist`, `gate.wasm` and `engine.wasm`: see `.ci/npm`. PLATFORMS has a folder per target of `.ci/targets.json`,
// with the program and `tsl-synth.node`; a platform without a folder is left out, with --complete that and each missing file
// is an error. Version and metadata come from Cargo.toml. Prints the names of the packages, the main one last.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../../..");
const [built, platforms, out] = process.argv.slice(2, 5).map((path) => resolve(path));
const complete = process.argv.includes("--complete");

const metadata = JSON.parse(
  execFileSync("cargo", ["metadata", "--no-deps", "--locked", "--format-version", "1"], { cwd: root, maxBuffer: 1 << 26 }),
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
    chmodSync(join(folder, name), /(^|\/)tsl-synth(\.exe|\.cjs)?$/.test(name) ? 0o755 : 0o644);
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
  const folder = join(platforms, target.target);
  const wanted = [programOf(target), "tsl-synth.node"];
  const names = wanted.filter((name) => existsSync(join(folder, name)));
  if (complete && names.length < wanted.length) throw new Error(`${folder} has ${names.join(", ") || "no files"}`);
  if (names.length === 0) continue;
  const manifest = {
    name: nameOf(target),
    description: `The program and the addon of tsl-synth for ${target.os}-${target.cpu}; install the package tsl-synth.`,
    os: [target.os],
    cpu: [target.cpu],
    preferUnplugged: true,
  };
  pack(manifest, Object.fromEntries(names.map((name) => [name, join(folder, name)])));
}
const { devDependencies, private: _, version, ...manifest } = JSON.parse(readFileSync(join(here, "package.json")));
pack(
  { ...manifest, optionalDependencies: Object.fromEntries(targets.map((target) => [nameOf(target), crate.version])) },
  {
    "README.md": join(here, "README.md"),
    "bin/tsl-synth.cjs": join(here, "bin/tsl-synth.cjs"),
    ...Object.fromEntries(["gate.wasm", "engine.wasm"].map((name) => [name, join(built, name)])),
    ...Object.fromEntries(readdirSync(join(built, "dist")).map((name) => [`dist/${name}`, join(built, "dist", name)])),
  },
);
