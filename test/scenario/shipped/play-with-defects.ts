/**
 * Plays scenarios on the simulator with defects planted into it, and writes what came of each as a line of JSON. Nothing
 * is copied or changed on disk: every defect gets modules of its own, one of which is changed on its way into memory.
 * The invariants aren't looked at: a scenario has to notice by itself.
 */

import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { stdin, stdout } from "node:process";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { PlayResult, Scenario } from "../../../src/scenario.ts";
import { shortened } from "./shortened.ts";

/** What is to be played on one copy of the modules. Without a change it is the simulator as it is. */
export interface Copy {
  readonly change:
    | { readonly file: string; readonly find: string; readonly replace: string }
    | undefined;
  readonly scenarios: readonly string[];
}

/** A line of the output. */
export interface Played {
  /** Place of the copy in the input. */
  readonly copy: number;
  readonly scenario: string;
  /** `failed`: it couldn't be played to the end. */
  readonly verdict: PlayResult["verdict"] | "failed";
  readonly why: string;
  /** Paths of the steps and expectations that are broken. */
  readonly broken: readonly string[];
}

const root = pathToFileURL(join(import.meta.dirname, "../../..")).href;
/** What tells the modules of the copies apart. */
const mark = /\?copy=(\d+)$/;
const sources = new Map<string, string>();
const player = "src/scenario/player/play.ts";
/** Where the player looks at the invariants of its own accord. */
const looksAtInvariants = /(?<=const invariants = )yield\* judgeInvariants\(.*\);/;
const changed = new Map<string, string>();

registerHooks({
  resolve(specifier, context, next) {
    const [copy] = mark.exec(context.parentURL ?? "") ?? [];
    if (copy === undefined || !specifier.startsWith(".")) return next(specifier, context);
    const { href } = new URL(specifier, context.parentURL);
    return { url: href + copy, format: "module", shortCircuit: true };
  },
  load(url, context, next) {
    if (!mark.test(url)) return next(url, context);
    return { source: changed.get(url) ?? javaScriptOf(url), format: "module", shortCircuit: true };
  },
});

/** Every copy has the same, but for one module. */
function javaScriptOf(url: string): string {
  const path = fileURLToPath(url.replace(mark, ""));
  const known = sources.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, "utf8");
  const isPlayer = path.endsWith(player);
  if (isPlayer && !looksAtInvariants.test(text)) {
    throw new Error(`${player} looks at the invariants in another way than this expects.`);
  }
  const made = stripTypeScriptTypes(isPlayer ? text.replace(looksAtInvariants, "[];") : text);
  sources.set(path, made);
  return made;
}

function plant({ file, find, replace }: NonNullable<Copy["change"]>, copy: number): void {
  const url = `${root}/src/${file}`;
  const parts = readFileSync(fileURLToPath(url), "utf8").split(find);
  if (parts.length !== 2) {
    throw new Error(`src/${file} has ${parts.length - 1} times, not once: ${find}`);
  }
  changed.set(`${url}?copy=${copy}`, stripTypeScriptTypes(parts.join(replace)));
}

async function play(name: string, copy: number): Promise<Omit<Played, "copy" | "scenario">> {
  const { playScenarioSync } = (await import(`${root}/src/scenario.ts?copy=${copy}`)) as {
    playScenarioSync: (scenario: unknown) => PlayResult;
  };
  const { scenario } = (await import(`${root}/scenarios/${name}.ts?copy=${copy}`)) as {
    scenario: Scenario;
  };
  const { verdict, why, steps } = playScenarioSync(shortened(scenario));
  const broken = steps.filter((step) => step.verdict === "broken").map(({ path }) => path);
  return { verdict, why, broken };
}

const copies = JSON.parse(await textOf(stdin)) as readonly Copy[];
for (const [copy, { change, scenarios }] of copies.entries()) {
  for (const scenario of scenarios) {
    let played: Omit<Played, "copy" | "scenario">;
    try {
      if (change !== undefined) plant(change, copy);
      played = await play(scenario, copy);
    } catch (error) {
      played = { verdict: "failed", why: String(error), broken: [] };
    }
    stdout.write(`${JSON.stringify({ copy, scenario, ...played })}\n`);
  }
}
