/** `action.yml` packs adsim from its own files and runs `npx adsim exec`, whatever its inputs hold. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { runAdsimOver } from "./cli/run-adsim.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = join(import.meta.dirname, "..");
const textOf = (name: string): string => readFileSync(join(root, name), "utf8");
const { inputs, runs } = parse(textOf("action.yml"));
const [step] = runs.steps;

/** In the place of npm and npx: prints its arguments, and does the part of `npm pack` that the action needs. */
const npm = `#!${process.execPath}
const args = process.argv.slice(2);
console.error(JSON.stringify(args));
if (args[0] === "pack") require("node:fs").writeFileSync(args.at(-1) + "/adsim-0.0.0.tgz", "");
`;

const variableOf = (input: string): string => `INPUT_${input.toUpperCase().replaceAll("-", "_")}`;

/** Runs the step as a runner does. @returns its exit code, and the arguments of npm and npx. */
function runStep(given: Readonly<Record<string, string>>, folder = temporaryFolder()) {
  for (const name of ["npm", "npx"]) writeFileSync(join(folder, name), npm, { mode: 0o755 });
  const env = Object.keys(inputs).map((name) => [
    variableOf(name),
    given[name] ?? inputs[name].default,
  ]);
  const words = ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run];
  const { status, stdout, stderr } = spawnSync("bash", words, {
    ...{ cwd: folder, encoding: "utf8" },
    env: {
      ...{ ...process.env, ...Object.fromEntries(env), PATH: `${folder}:${process.env.PATH}` },
      ...{ GITHUB_ACTION_PATH: root, RUNNER_TEMP: folder },
    },
  });
  const calls: string[][] = JSON.parse(`[${stderr.trim().replaceAll("\n", ",")}]`);
  return { folder, status, stdout, calls };
}

test("every input is documented and reaches the script as a variable, never as a part of it", () => {
  const { "working-directory": folder, ...others } = inputs;
  const expected = Object.keys(others).map((name) => [variableOf(name), `\${{ inputs.${name} }}`]);
  expect(step.env).toEqual(Object.fromEntries(expected));
  expect(step.run).not.toContain("${{");
  const page = textOf("docs/any-language.md").split("### A GitHub Action")[1] ?? "";
  for (const name of Object.keys(inputs)) expect(page).toMatch(new RegExp(`\\b${name}[:\`]`));
});

test("the action packs its own files once, unless another package is named", () => {
  const script = ["--", "adsim", "exec", "--", "bash", "-eo", "pipefail", "-c", "npm test"];
  const { folder, calls } = runStep({ run: "npm test" });
  const exec = ["--yes", expect.stringMatching(/^--package=.*\/adsim-0.0.0.tgz$/), ...script];
  expect(calls.map(([name]) => name)).toEqual(["ci", "pack", "--yes"]);
  expect(calls[2]).toEqual(exec);
  expect(runStep({ run: "npm test" }, folder).calls).toEqual([exec]);
  const installed = runStep({ run: "npm test", package: "installed" });
  expect(installed.calls).toEqual([["--no", ...script]]);
});

test("adsim takes what the action passes on, and nothing in an input is run by the action", async () => {
  const hostile = `$(touch x) \`touch x\` '"; touch x #\n touch x & *`;
  const trace = join(temporaryFolder(), "trace.html");
  const { folder, calls } = runStep({
    ...{ run: hostile, package: hostile, seed: hostile, start: "2026-03-01T00:00:00Z" },
    ...{ clock: "frozen", publishers: "5", profile: "tiny", "fail-on-findings": "true" },
    ...{ trace, assumptions: "  dedup.repeat=conflict \r\n\nlimit.exceeded=503" },
  });
  const [[, from, , , ...words] = []] = calls;
  expect([from, words.at(-1)]).toEqual([`--package=${hostile}`, hostile]);
  expect(existsSync(join(folder, "x"))).toBe(false);
  const options = words.slice(0, words.indexOf("--"));
  expect(options).toContain(`--seed=${hostile}`);
  const assumed: unknown[] = [];
  const { code } = await runAdsimOver(({ env }) => {
    assumed.push(JSON.parse(env.ADSIM_ASSUMPTIONS ?? ""));
  }, options);
  expect(assumed).toMatchObject([{ "dedup.repeat": "conflict", "limit.exceeded": "503" }]);
  expect([code, existsSync(trace)]).toEqual([0, true]);
});

test("the action refuses a switch that is neither true nor false", () => {
  const { status, stdout, calls } = runStep({ run: "true", "fail-on-findings": "yes" });
  expect(stdout).toContain("::error::fail-on-findings must be true or false");
  expect([status, calls]).toEqual([2, []]);
});
