#!/usr/bin/env node
// Finds the program in the package of this platform and hands over: arguments, streams, signals, exit code.
"use strict";

const { spawn } = require("node:child_process");

const packages = require("../package.json").optionalDependencies;
const platform = `@tsl-synth/${process.platform}-${process.arch}`;
// No verdict has this exit code: 0, 1 and 3 are answers, 4 says that something inside is broken.
const BROKEN = 4;

function fail(message) {
  process.stderr.write(`tsl-synth: ${message}\n`);
  process.exit(BROKEN);
}

function program() {
  const file = process.platform === "win32" ? "tsl-synth.exe" : "tsl-synth";
  try {
    return require.resolve(`${platform}/${file}`);
  } catch {
    if (platform in packages) {
      fail(
        `the package ${platform} is not installed. Optional packages were probably left out: ` +
          "remove node_modules and install again with `npm install --include=optional`. " +
          "A node_modules folder made on another kind of machine has the same effect.",
      );
    }
    fail(
      `there is no package for ${process.platform}-${process.arch}, only for ` +
        `${Object.keys(packages).join(", ")}. With a Rust toolchain, \`cargo install tsl-synth\` builds the program.`,
    );
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
const signals = process.platform === "win32" ? ["SIGINT"] : ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => fail(`cannot be started: ${error.message}`));
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  // Ended by a signal: end the same way, so that the caller sees the same.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
