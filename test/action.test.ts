/** `action.yml` packs adsim from its own files and runs `npx adsim exec`, whatever its inputs hold. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "./temporary-folder.ts";

const root = join(import.meta.dirname, "..");
const action = parse(readFileSync(join(root, "action.yml"), "utf8"));
const [step] = action.runs.steps;

/** Writes its arguments to a file as JSON, and exits with 7. */
const npx = `#!${process.execPath}
require("node:fs").writeFileSync("arguments.json", JSON.stringify(process.argv.slice(2)));
process.exit(7);
`;
/** Records its arguments and where it was called, and writes a file as `npm pack` does. */
const npm = `#!/bin/sh
echo "$PWD: $*" >> "$RUNNER_TEMP/npm.log"
if [ "$1" = pack ]; then echo packed > "$4/adsim-0.0.0.tgz"; fi
echo noise
`;

/** Runs the step as a runner does: inputs in the places of their expressions, the script in a file for bash. */
function runStep(inputs: Readonly<Record<string, string>>, folder = temporaryFolder()) {
  writeFileSync(join(folder, "npx"), npx, { mode: 0o755 });
  writeFileSync(join(folder, "npm"), npm, { mode: 0o755 });
  const given = (name: string): string => inputs[name] ?? action.inputs[name]?.default ?? "";
  const env = Object.entries<string>(step.env).map(([name, expression]) => [
    name,
    expression.replace(/^\$\{\{ inputs\.([a-z-]+) \}\}$/, (_, input: string) => given(input)),
  ]);
  const script = join(folder, "step.sh");
  writeFileSync(script, step.run);
  const words = ["--noprofile", "--norc", "-eo", "pipefail", script];
  const { status, stdout } = spawnSync("bash", words, {
    cwd: folder,
    encoding: "utf8",
    timeout: 60_000,
    env: {
      ...process.env,
      ...Object.fromEntries(env),
      GITHUB_ACTION_PATH: root,
      RUNNER_TEMP: folder,
      PATH: `${folder}${delimiter}${process.env.PATH}`,
    },
  });
  const file = join(folder, "arguments.json");
  const args: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  return { folder, code: status, stdout, args };
}

test("the action is one bash step that gets every input as a variable, and none in its script", () => {
  expect(action.runs).toMatchObject({ using: "composite", steps: [{ shell: "bash" }] });
  expect(step.run).not.toContain("${{");
  const taken = [...Object.values<string>(step.env), step["working-directory"]];
  const inputs = Object.keys(action.inputs).map((name) => `\${{ inputs.${name} }}`);
  expect(taken.sort()).toEqual(inputs.sort());
});

test("without other inputs the action packs its own files, once, and runs the script in `adsim exec`", () => {
  const { folder, args, code, stdout } = runStep({ run: "npm test" });
  const package_ = expect.stringMatching(`^--package=${folder}/adsim-.*/adsim-0.0.0.tgz$`);
  const script = ["bash", "-eo", "pipefail", "-c", "npm test"];
  expect(args).toEqual(["--yes", package_, "--", "adsim", "exec", "--", ...script]);
  expect(code).toBe(7);
  runStep({ run: "npm test" }, folder);
  const calls = readFileSync(join(folder, "npm.log"), "utf8").trim().split("\n");
  const pack = expect.stringMatching(`^${root}: pack --silent --pack-destination `);
  expect(calls).toEqual([`${root}: ci --no-audit --no-fund`, pack]);
  // npm's output doesn't mix with the script's.
  expect(stdout).toBe("");
  const installed = runStep({ run: "npm test", package: "installed" });
  expect(installed.args).toEqual(["--no", "--", "adsim", "exec", "--", ...script]);
});

test("the action passes every input on as data, and runs nothing in it", () => {
  const hostile = `$(touch x) \`touch x\` '"; touch x #\n touch x & *`;
  const { folder, args } = runStep({
    ...{ run: hostile, package: hostile, seed: hostile, start: "--port", clock: "; touch x" },
    ...{ publishers: "$(touch x)", profile: "a b", "fail-on-findings": "true" },
    assumptions: "  dedup.repeat=conflict \r\n\n$(touch x)=`touch x`\n*",
  });
  expect(args).toEqual([
    ...["--yes", `--package=${hostile}`, "--", "adsim", "exec", `--seed=${hostile}`],
    ...["--start=--port", "--clock=; touch x", "--publishers=$(touch x)", "--profile=a b"],
    ...["--assume=dedup.repeat=conflict", "--assume=$(touch x)=`touch x`", "--assume=*"],
    ...["--fail-on-findings", "--", "bash", "-eo", "pipefail", "-c", hostile],
  ]);
  expect(existsSync(join(folder, "x"))).toBe(false);
});

test("the action refuses a switch that is neither true nor false", () => {
  const { code, stdout, args } = runStep({ run: "true", "fail-on-findings": "yes" });
  expect(stdout).toContain("::error::fail-on-findings must be true or false");
  expect([code, args]).toEqual([2, undefined]);
});
