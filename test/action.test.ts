/** `action.yml` packs adsim from its own files and runs `npx adsim exec`, whatever its inputs hold. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { entry } from "./cli/run-adsim.ts";
import { hasCurl } from "./programs.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface Action {
  readonly inputs: Readonly<
    Record<string, { readonly required?: boolean; readonly default?: string }>
  >;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly shell: string;
      readonly env: Readonly<Record<string, string>>;
      readonly run: string;
      readonly "working-directory": string;
    }[];
  };
}

const root = join(import.meta.dirname, "..");
const action: Action = parse(readFileSync(join(root, "action.yml"), "utf8"));
const [step] = action.runs.steps;
if (step === undefined) throw new Error("The action has a step.");

/** Writes its arguments to a file as JSON, and exits with 7. */
const recording = `#!${process.execPath}
require("node:fs").writeFileSync("arguments.json", JSON.stringify(process.argv.slice(2)));
process.exit(7);
`;
/** Runs the command line from source, as npx runs the package. */
const real = `#!/bin/sh
case "$2" in --package=*/adsim-0.0.0.tgz) ;; *) exit 99 ;; esac
[ "$1 $3 $4" = "--yes -- adsim" ] && [ -e "\${2#*=}" ] || exit 99
shift 4
exec ${JSON.stringify(process.execPath)} ${JSON.stringify(entry)} "$@"
`;

/** Records its arguments and where it was called, and writes a file as `npm pack` does. */
const npm = `#!/bin/sh
echo "$PWD: $*" >> "$RUNNER_TEMP/npm.log"
if [ "$1" = pack ]; then echo packed > "$4/adsim-0.0.0.tgz"; fi
echo noise
`;

/** Runs the step as a runner does: inputs in the places of their expressions, the script in a file for bash. */
function runStep(
  npx: string,
  inputs: Readonly<Record<string, string>>,
  folder = temporaryFolder(),
) {
  writeFileSync(join(folder, "npx"), npx, { mode: 0o755 });
  writeFileSync(join(folder, "npm"), npm, { mode: 0o755 });
  const given = (name: string): string => inputs[name] ?? action.inputs[name]?.default ?? "";
  const env = Object.entries(step?.env ?? {}).map(([name, expression]) => [
    name,
    expression.replace(/^\$\{\{ inputs\.([a-z-]+) \}\}$/, (_, input: string) => given(input)),
  ]);
  const script = join(folder, "step.sh");
  writeFileSync(script, step?.run ?? "");
  const words = ["--noprofile", "--norc", "-eo", "pipefail", script];
  const { status, stdout, stderr } = spawnSync("bash", words, {
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
  return { folder, code: status, stdout, stderr, args };
}

test("the action is one bash step that gets every input as a variable, and none in its script", () => {
  expect(action.runs.using).toBe("composite");
  expect(action.runs.steps.length).toBe(1);
  expect(step.shell).toBe("bash");
  expect(step.run).not.toContain("${{");
  const taken = [...Object.values(step.env), step["working-directory"]];
  const inputs = Object.keys(action.inputs).map((name) => `\${{ inputs.${name} }}`);
  expect(taken.sort()).toEqual(inputs.sort());
  const required = Object.entries(action.inputs).filter(([, input]) => input.required);
  expect(required.map(([name]) => name)).toEqual(["run"]);
});

test("the action passes on no option for an input that isn't given, and exits as the command does", () => {
  const { code, args } = runStep(recording, { run: "npm test" });
  const before = ["--yes", expect.any(String), "--", "adsim", "exec", "--"];
  expect(args).toEqual([...before, "bash", "-eo", "pipefail", "-c", "npm test"]);
  expect(code).toBe(7);
  const installed = runStep(recording, { run: "npm test", package: "installed" });
  expect(installed.args).toEqual([
    "--no",
    "--",
    "adsim",
    "exec",
    "--",
    ...(args as string[]).slice(-5),
  ]);
});

test("without the input package the action packs its own files, only once", () => {
  const { folder, stdout, args } = runStep(recording, { run: "npm test" });
  const [, tarball = ""] = /^--package=(.*)$/.exec((args as string[])[1] ?? "") ?? [];
  expect(readFileSync(tarball, "utf8")).toBe("packed\n");
  expect(tarball.startsWith(`${folder}/adsim-`)).toBe(true);
  const calls = (): string[] => readFileSync(join(folder, "npm.log"), "utf8").trim().split("\n");
  expect(calls()).toEqual([
    `${root}: ci --no-audit --no-fund`,
    expect.stringMatching(`^${root}: pack --silent --pack-destination `),
  ]);
  // npm's output doesn't mix with the script's.
  expect(stdout).toBe("");
  runStep(recording, { run: "npm test" }, folder);
  expect(calls()).toHaveLength(2);
});

test("the action passes every input on as data, and runs nothing in it", () => {
  const hostile = `$(touch x) \`touch x\` '"; touch x #\n touch x & *`;
  const { folder, args } = runStep(recording, {
    run: hostile,
    package: hostile,
    seed: hostile,
    start: "--port",
    clock: "; touch x",
    publishers: "$(touch x)",
    profile: "a b",
    assumptions: "  dedup.repeat=conflict \r\n\n$(touch x)=`touch x`\n*",
    "fail-on-findings": "true",
  });
  expect(args).toEqual([
    ...[
      "--yes",
      `--package=${hostile}`,
      "--",
      "adsim",
      "exec",
      `--seed=${hostile}`,
      "--start=--port",
    ],
    ...["--clock=; touch x", "--publishers=$(touch x)", "--profile=a b"],
    ...["--assume=dedup.repeat=conflict", "--assume=$(touch x)=`touch x`", "--assume=*"],
    ...["--fail-on-findings", "--", "bash", "-eo", "pipefail", "-c", hostile],
  ]);
  expect(existsSync(join(folder, "x"))).toBe(false);
});

test("the action refuses a switch that is neither true nor false", () => {
  const { code, stdout, args } = runStep(recording, { run: "true", "fail-on-findings": "yes" });
  expect(stdout).toContain("::error::fail-on-findings must be true or false");
  expect([code, args]).toEqual([2, undefined]);
});

test.skipIf(!hasCurl)(
  "the action runs a script of several lines against the simulator, and exits with its code",
  () => {
    const run = [
      'echo "$ADSIM_ASSUMPTIONS" | grep -q \'"dedup.repeat":"conflict"\'',
      'curl --silent --fail "$ADSIM_URL/_sim/health"',
      "exit 5",
    ].join("\n");
    const assumptions = "dedup.repeat=conflict\n";
    const { code, stdout } = runStep(real, { run, seed: "it's 42", assumptions });
    expect(JSON.parse(stdout)).toMatchObject({ status: "ok", seed: "it's 42" });
    expect(code).toBe(5);
  },
);
