/** Scenarios in modules: every ending, TypeScript with and without tsx, and the errors about files that can't be loaded. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { loadScenario } from "../../src/cli/play/load-scenario.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { spawnAdsim } from "./run-adsim.ts";

const shown = { name: "shown", about: "One.", steps: [{ impression: {}, as: "first" }] };
const typed = `
import { about } from "./lib/about.js";
enum Name { First = "first" }
class Step { readonly impression = {}; constructor(readonly as: Name) {} }
`;
const module = `export const scenario = { name: "shown", about, steps: [{ ...new Step(Name.First) }] };`;

/** A project with these files, and `lib/about.ts`. @returns its path. */
function projectOf(files: Readonly<Record<string, string>>, manifest: object = {}): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "lib"));
  const about = 'export const about: string = "One.";';
  const all = { "package.json": JSON.stringify(manifest), "lib/about.ts": about, ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Standard input that nothing reads. */
const noInput = Readable.from([]);

/** The error about `mine.ts` in such a project, without the folder. */
async function saidOf(files: Readonly<Record<string, string>>, manifest = {}): Promise<string> {
  const folder = projectOf(files, manifest);
  const loading = loadScenario(join(folder, "mine.ts"), noInput);
  const { message } = await loading.then(
    () => new Error("nothing"),
    (reason: Error) => reason,
  );
  return message.replaceAll(`${folder}/`, "");
}

describe.each([{}, { type: "module" }])("in a project of %j", (manifest) => {
  test.each([
    ["a.ts", typed + module],
    ["a.mts", typed + module],
    ["a.cts", typed + module],
    ["a.js", `export const scenario = ${JSON.stringify(shown)};`],
    ["a.mjs", `export default ${JSON.stringify(shown)};`],
    ["a.cjs", `module.exports = ${JSON.stringify(shown)};`],
  ])("%s is loaded: %s", async (name, text) => {
    const scenario = await loadScenario(join(projectOf({ [name]: text }, manifest), name), noInput);
    expect(JSON.parse(JSON.stringify(scenario))).toEqual(shown);
  });
});

describe("in a module", () => {
  test("a syntax error is reported with its line", async () => {
    const text = "const a: number = 1;\nexport const = a;\n";
    expect(await saidOf({ "mine.ts": text })).toMatch(
      /mine\.ts: can't be loaded: [\s\S]*mine\.ts:2:13: ERROR: Expected identifier/,
    );
  });

  test("a missing file is reported with the file that imports it", async () => {
    expect(await saidOf({ "mine.ts": 'import "./none.ts";' })).toMatch(
      /^mine\.ts: can't be loaded: Cannot find module '[\s\S]*none\.ts'[\s\S]* mine\.ts$/,
    );
  });

  test("a module that exports no scenario is refused", async () => {
    expect(await saidOf({ "mine.ts": "export const x: object = {};" })).toMatch(
      /^mine\.ts: must export a scenario/,
    );
  });

  test("a top-level await that never ends ends with 3", async () => {
    const text = "await new Promise(() => undefined); export default {};";
    const file = join(projectOf({ "a.mjs": text }), "a.mjs");
    const adsim = spawnAdsim(["play", file]);
    expect((await adsim.ended).code).toBe(3);
  });
});

describe("where tsx isn't installed", () => {
  const hooks = `import { registerHooks } from "node:module";
    registerHooks({ resolve(specifier, context, next) {
      if (specifier !== "tsx/esm/api") return next(specifier, context);
      throw Object.assign(new Error("not installed"), { code: "ERR_MODULE_NOT_FOUND" });
    } });`;
  const withoutTsx = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hooks)}` };

  test("Node runs a module that only needs its types removed; an enum is refused, and the error says to install tsx", async () => {
    const text = `const about: string = "One.";\nexport default { ...${JSON.stringify(shown)}, about };`;
    const files = { "simple.ts": text, "mine.ts": typed + module };
    const folder = projectOf(files, { type: "module" });
    const file = join(folder, "mine.ts");
    const adsim = spawnAdsim(["play", join(folder, "simple.ts"), file], withoutTsx);
    expect((await adsim.ended).code).toBe(3);
    expect(adsim.stderr()).toContain(`adsim: ${file}: can't be loaded: TypeScript enum is not`);
    expect(adsim.stderr()).toContain(`. Node ${process.version} runs only simple TypeScript`);
    expect(adsim.stderr()).toContain("npm install --save-dev tsx");
  });
});
