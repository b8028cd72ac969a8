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
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
const signals = ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"];
// A terminal sends Ctrl-C and Ctrl-\ to the program, too; everybody else to this process alone.
const atTerminal = [0, 1, 2].some((stream) => require("node:tty").isatty(stream));
for (const signal of signals) {
  const sent = atTerminal && (signal === "SIGINT" || signal === "SIGQUIT");
  process.on(signal, () => {
    if (!sent) child.kill(signal);
  });
}
child.on("error", (error) => {
  console.error(`aris: error: ${program} cannot be started: ${error.message}`);
  process.exit(5);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  for (const name of signals) process.removeAllListeners(name);
  process.kill(process.pid, signal);
});
