/** Uses the installed package as CommonJS: in Jest with its default configuration, in plain Node, and in TypeScript. */

import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { snippetsIn } from "../page-blocks.ts";

const run = promisify(execFile);

/** All that a project of {@link writeCommonJs} needs. */
export const commonJsPackages: readonly string[] = [
  "jest@30.5.2",
  "@babel/plugin-transform-modules-commonjs@7.29.14",
  "@arethetypeswrong/cli@0.18.5",
  "fast-check@4.0.0",
  "msw@2.15.0",
  "@types/node@24",
];

const setUp = `
const record = (sim) => {
  const { id, apiKey, surfaces: [surface] } = sim.publishers.at(0);
  const headers = { authorization: "Bearer " + apiKey, "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify({ publisher_id: id, surface: surface.id, ad_id: "a" }) };
};
`;

/** A test file as Jest runs it without any configuration. */
const required = `
const { createSimulator, InputError } = require("adsim");
const { matchers } = require("adsim/assert");
const { parseScenario, playScenario } = require("adsim/scenario");
const { startServer } = require("adsim/server");
const { clientContract } = require("adsim/contract");
const { arbitraryAssumptions } = require("adsim/testing");
const fc = require("fast-check");
${setUp}
expect.extend(matchers);

test("in process", async () => {
  const sim = createSimulator();
  expect((await sim.fetch("http://ads.test/v1/impression", record(sim))).status).toBe(200);
  expect(sim).toHaveRecordedImpression({ ad: "a", times: 1 });
  expect(() => expect(sim).toHaveRecordedImpression({ ad: "b" })).toThrow("b");
  expect(sim.fork().audit().balanced).toBe(true);
  expect(await sim.trace()).toContain("<script");
});

test("one InputError for all exports", () => {
  expect(() => createSimulator({ seed: 1n })).toThrow(InputError);
  expect(() => parseScenario({})).toThrow(InputError);
});

test("a server, its inspector, its metrics, and a scenario", async () => {
  const server = await startServer({ port: 0 });
  try {
    const text = async (path, init) => {
      const answer = await fetch(server.url + "/_sim/" + path, init);
      expect(answer.status).toBe(200);
      return await answer.text();
    };
    expect((await text("inspector.js")).length).toBeGreaterThan(10_000);
    expect(await text("metrics")).toContain("# HELP");
    const { name } = createSimulator().publishers.at(0);
    expect(JSON.parse(await text("publishers?limit=1")).publishers[0].name).toBe(name);
    expect(await text("scenarios")).toContain("brownout");
    const scenario = { name: "one", about: "An impression.", steps: [{ impression: {}, expect: { status: 200 } }] };
    const { result, digest } = await playScenario(scenario);
    expect(result).toBe("passed");
    expect(await playScenario(scenario, { target: server.url })).toMatchObject({ result, digest });
  } finally {
    await server.close();
  }
});

test("fast-check", () => {
  fc.assert(fc.property(arbitraryAssumptions(), (assumptions) => {
    expect(createSimulator({ assumptions }).assumptions).toEqual(assumptions);
  }));
});

const driver = ({ baseUrl, apiKey, publisherId }) => ({
  async impression({ surface, ad }) {
    const body = JSON.stringify({ publisher_id: publisherId, surface, ad_id: ad });
    const headers = { authorization: "Bearer " + apiKey, "content-type": "application/json" };
    const answer = await fetch(baseUrl + "/v1/impression", { method: "POST", headers, body });
    if (answer.status !== 200) throw new Error("not recorded");
    return await answer.json();
  },
});
clientContract({ describe, it, driver, globals: "replaced", only: ["key"], runs: 100 });
`;

/** The same with `import`, which Babel turns into `require`. */
const imported = `
import { createSimulator } from "adsim";
import { createClient } from "adsim/client";

test("imported", () => {
  expect(createSimulator().publishers.at(0).name).not.toBe("");
  expect(createClient).toBeInstanceOf(Function);
});
`;

const withMsw = `
const { createSimulator } = require("adsim");
const { createHandlers } = require("adsim/msw");
const { setupServer } = require("msw/node");
${setUp}
test("through msw", async () => {
  const sim = createSimulator();
  const server = setupServer(...createHandlers(sim, { baseUrl: "https://ads.test" }));
  server.listen({ onUnhandledRequest: "error" });
  expect((await fetch("https://ads.test/v1/impression", record(sim))).status).toBe(200);
  sim.faults.add({ verdict: { kind: "lose-response" } });
  await expect(fetch("https://ads.test/v1/impression", record(sim))).rejects.toThrow(TypeError);
  server.close();
});
`;

/** What docs/javascript-tests.md recommends: msw depends on ES modules, which Jest has to be told to transform. */
async function mswConfiguration(): Promise<string> {
  const page = await readFile(join(import.meta.dirname, "../../docs/javascript-tests.md"), "utf8");
  const [recommended = ""] = snippetsIn(page, "json");
  const testMatch = ["**/msw.js", "**/fake-timers.cjs"];
  return JSON.stringify({ ...JSON.parse(recommended), testMatch });
}

const sameInstance = `
const assert = require("node:assert/strict");
const { createSimulator, InputError } = require("adsim");
const { parseScenario } = require("adsim/scenario");
import("adsim").then((module) => {
  assert.equal(module.createSimulator, createSimulator);
  assert.throws(() => parseScenario({}), module.InputError);
});
`;

const types = `
import { type Assumptions, createSimulator, InputError, type Simulator } from "adsim";
import { assertRecordedImpression } from "adsim/assert";
import { createClient } from "adsim/client";
import { createHandlers } from "adsim/msw";
import { defineScenario, type Scenario } from "adsim/scenario";
import { type ServerOptions, startServer } from "adsim/server";
import { clientContract, ContractError, type Rule } from "adsim/contract";
import { arbitraryAssumptions } from "adsim/testing";
import fc, { type Arbitrary } from "fast-check";
import { setupServer } from "msw/node";

const assumptions: Partial<Assumptions> = { "dedup.repeat": "conflict" };
export const sim: Simulator = createSimulator({ assumptions });
assertRecordedImpression(sim, { ad: "a" });
export const both = [createClient, setupServer(...createHandlers(sim))];
const options: ServerOptions = { port: 0 };
export const url: Promise<string> = startServer(options).then((server) => server.url);
export function replayOf(error: unknown): string {
  if (error instanceof ContractError) return error.replay;
  return error instanceof InputError ? error.message : "";
}
export const name: string = clientContract.name;
export const choices: Arbitrary<Assumptions> = arbitraryAssumptions({ keys: ["dedup.repeat"] });
export const rule: Pick<Rule, "commands"> = { commands: fc.constant([]) };
// @ts-expect-error A choice that doesn't exist.
createSimulator({ assumptions: { "dedup.repeat": "x" } });
export const scenario: Scenario = defineScenario({
  name: "typed", about: "An impression.", steps: [{ impression: {}, expect: { status: 200 } }],
});
// @ts-expect-error A step that doesn't exist.
defineScenario({ name: "typed", about: "Steps are checked.", steps: [{ shown: {} }] });
`;

const files: Readonly<Record<string, string>> = {
  "package.json": "{}",
  "babel.config.js":
    'module.exports = { plugins: ["@babel/plugin-transform-modules-commonjs"] };\n',
  "required.test.js": required,
  "imported.test.js": imported,
  "msw.js": withMsw,
  "types.cts": types,
};

/** Puts a package of CommonJS into a project. @returns its folder. */
export async function writeCommonJs(project: string): Promise<string> {
  const folder = join(project, "commonjs");
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await writeFile(join(folder, "msw.config.json"), await mswConfiguration());
  const timers = join(import.meta.dirname, "fake-timers-in-jest.cjs");
  await copyFile(timers, join(folder, "fake-timers.cjs"));
  const client = join(import.meta.dirname, "../adapters/waiting-client.ts");
  const untyped = stripTypeScriptTypes(await readFile(client, "utf8"));
  await writeFile(join(folder, "waiting-client.js"), untyped);
  return folder;
}

/** @param options Without any, Jest runs in its default configuration. */
export async function runJest(
  folder: string,
  binary: string,
  options: string[] = [],
): Promise<void> {
  const jest = join(folder, "../node_modules/jest/bin/jest.js");
  // Without NODE_OPTIONS, which could let Jest load ES modules.
  const { NODE_OPTIONS: _, ...env } = process.env;
  // The machine is busy with other checks, too.
  const patience = ["--runInBand", "--testTimeout", "60000"];
  await run(binary, [jest, "--ci", ...patience, ...options], { cwd: folder, env });
}

export async function runJestWithMsw(folder: string, binary: string): Promise<void> {
  await runJest(folder, binary, ["--config", "msw.config.json"]);
}

/** `require` and `import` in one process load the package once. */
export async function requireAndImport(folder: string, binary: string): Promise<void> {
  await run(binary, ["-e", sameInstance], { cwd: folder });
}

/**
 * How TypeScript finds the types: `nodenext` takes those of the ES modules, `node16` those beside the CommonJS build, and
 * `node10`, the default of ts-jest, knows no exports. In the last two msw's own declarations have errors.
 */
const resolutions = {
  nodenext: ["--module", "nodenext"],
  node16: ["--module", "node16", "--skipLibCheck"],
  node10: ["--module", "commonjs", "--moduleResolution", "node10", "--skipLibCheck"],
} as const;

export async function checkTypes(
  folder: string,
  compiler: string,
  resolution: keyof typeof resolutions,
): Promise<void> {
  const lib = ["--lib", "es2023,dom,dom.iterable", "--types", "node", "--target", "es2022"];
  const options = [...resolutions[resolution], "--strict", "--noEmit"];
  const bin = join(folder, "../node_modules", compiler, "bin/tsc");
  await run(process.execPath, [bin, ...lib, ...options, "types.cts"], { cwd: folder });
}

/** Exports without a CommonJS form: vitest has none itself, and Playwright's loader can `require` ES modules. */
const modulesOnly = ["vitest", "vitest/coverage", "playwright"];

/** It isn't tried with `node10`, which it calls wrong for every package with exports. */
export async function checkResolution(folder: string, tarball: string): Promise<void> {
  const attw = join(folder, "../node_modules/@arethetypeswrong/cli/dist/index.js");
  const options = ["--profile", "node16", "--exclude-entrypoints", ...modulesOnly];
  await run(process.execPath, [attw, tarball, "--format", "ascii", ...options], { cwd: folder });
}
