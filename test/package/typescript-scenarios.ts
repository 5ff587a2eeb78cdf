/** Plays scenarios in TypeScript from the installed package, with tsx and without it. */

import { equal, match } from "node:assert/strict";
import type { Project } from "./project.ts";

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
  name: "in-typescript", about: "An impression.", steps: [{ impression: {}, expect: { status: 200 } }],
});
`;

export const typescriptScenarios: Readonly<Record<string, string>> = {
  "demanding.mts": demanding,
  "demanding.cts": demanding,
  "plain.mts": plain,
  "lib/about.ts": 'export const about: string = "A click.";',
  "lib/status.ts": "export const status: number = 200;",
  "tsconfig.json": '{ "compilerOptions": { "paths": { "@own/*": ["./lib/*"] } } }',
};

/** Plays a scenario, a shipped one or one in a file. */
export async function play(project: Project, name: string): Promise<void> {
  await project.node("node_modules/adsim/dist/cli/main.js", "play", name);
}

/** Node says that tsx has to be installed. */
async function expectAdvice(project: Project, file: string, why: string): Promise<void> {
  const { code, stderr } = await play(project, file).then(
    () => ({ code: 0, stderr: "it was played" }),
    (reason: { code: number; stderr: string }) => reason,
  );
  equal(code, 3, stderr);
  match(stderr, new RegExp(`adsim: ${file}: can't be loaded: ${why}`));
  match(stderr, /npm install --save-dev tsx/);
}

export async function playWithoutTsx(project: Project, version: string): Promise<void> {
  if (version.startsWith("20.")) {
    await expectAdvice(project, "plain.mts", 'Unknown file extension ".mts"');
  } else {
    await play(project, "plain.mts");
    await expectAdvice(project, "demanding.mts", "TypeScript enum is not supported");
  }
}
