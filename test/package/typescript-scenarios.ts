/** Plays scenarios in TypeScript from the installed package: as ES modules and as CommonJS, with tsx and without it. */

import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What only tsx runs: an enum, a parameter property, `.js` that is `.ts`, and a path of tsconfig.json. */
const demanding = `
import { defineScenario } from "adsim/scenario";
import { about } from "@own/about";
import { status } from "./lib/status.js";
enum Name { Shown = "shown" }
class Expected { constructor(readonly status: number) {} }
export default defineScenario({
  name: "in-typescript",
  about,
  steps: [
    { impression: {}, as: Name.Shown, expect: { ...new Expected(status) } },
    { click: { impression_id: { ref: "shown.impression_id" } }, expect: { status } },
  ],
});
`;

/** What Node runs by itself, from 22.18 on. */
const plain = `
import { defineScenario, type Scenario } from "adsim/scenario";
export const scenario: Scenario = defineScenario({
  name: "in-typescript",
  about: "A click.",
  steps: [
    { impression: {}, as: "shown", expect: { status: 200 } },
    { click: { impression_id: { ref: "shown.impression_id" } }, expect: { status: 200 } },
  ],
});
`;

const files: Readonly<Record<string, string>> = {
  "demanding.ts": demanding,
  "demanding.mts": demanding,
  "demanding.cts": demanding,
  "plain.ts": plain,
  "lib/about.ts": 'export const about: string = "A click.";',
  "lib/status.ts": "export const status: number = 200;",
  "tsconfig.json": '{ "compilerOptions": { "paths": { "@own/*": ["./lib/*"] } } }',
};

export const kinds = ["module", "commonjs"] as const;
type Kind = (typeof kinds)[number];

/** Puts the scenarios into a folder for each kind of package, in a project that has adsim installed. */
export async function writeScenarios(project: string): Promise<void> {
  for (const kind of kinds) {
    const manifest = kind === "module" ? '{ "type": "module" }' : "{}";
    for (const [name, text] of Object.entries({ ...files, "package.json": manifest })) {
      const path = join(project, kind, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
  }
}

interface Project {
  readonly path: string;
  readonly kind: Kind;
  readonly binary: string;
}

/** @returns the digest of the play, the same on every Node. @throws Error when it isn't held. */
async function digestOf({ path, kind, binary }: Project, file: string): Promise<string> {
  const entry = join(path, "node_modules/adsim/dist/cli/main.js");
  const { stdout } = await run(binary, [entry, "play", file, "--json"], { cwd: join(path, kind) });
  return JSON.parse(stdout).digest;
}

/** @throws Error when the play doesn't end with 3 and say that tsx has to be installed. */
async function expectAdvice(project: Project, file: string, why: string): Promise<void> {
  const { code, stderr } = await digestOf(project, file).then(
    () => ({ code: 0, stderr: "it was played" }),
    (reason: { code: number; stderr: string }) => reason,
  );
  const wanted = [`adsim: ${file}: can't be loaded: ${why}`, "npm install --save-dev tsx"];
  if (code === 3 && wanted.every((text) => stderr.includes(text))) return;
  throw new Error(`Expected exit code 3 and ${wanted.join(" … ")}, not ${code}: ${stderr}`);
}

/** With tsx every Node plays all of it. tsx compiles the whole package for it: that takes seconds. */
export async function playWithTsx(project: Project): Promise<string> {
  const names =
    project.kind === "module" ? ["demanding.ts", "demanding.cts"] : ["plain.ts", "demanding.mts"];
  const digests = await Promise.all(names.map((name) => digestOf(project, name)));
  if (new Set(digests).size > 1) throw new Error(`differing: ${digests.join(", ")}`);
  return digests[0] ?? "";
}

/** Without it a Node that knows no types plays none of it, and a newer one what it can. */
export async function playWithoutTsx(project: Project, version: string): Promise<void> {
  if (version.startsWith("20.")) {
    await expectAdvice(project, "plain.ts", 'Unknown file extension ".ts"');
  } else {
    await digestOf(project, "plain.ts");
    await expectAdvice(project, "demanding.ts", "TypeScript enum is not supported");
  }
}
