#!/usr/bin/env node
// Starts the program that the package of this platform holds, and ends as it ends.
"use strict";
const { spawn } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
const name = process.platform === "win32" ? "aris.exe" : "aris";
let program;
try {
  program = require.resolve(`@SCOPE@/${platform}/bin/${name}`);
} catch {
  console.error(`aris: error: there is no program for ${platform}`);
  console.error("hint: install with optional dependencies; where there is no package for the platform, build with Rust");
  process.exit(5);
}
// Ctrl-C at a terminal reaches the program a second time in this way, which changes nothing for it.
const signals = ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"];
for (const signal of signals) process.on(signal, () => child.kill(signal));
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`aris: error: ${program} cannot be started: ${error.message}`);
  process.exit(5);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  for (const name of signals) process.removeAllListeners(name);
  process.kill(process.pid, signal);
});
