/**
 * Hunts defects that are planted into the simulator, and writes what came of each as a line of JSON. Nothing is copied or
 * changed on disk: every defect gets modules of its own, one of which is changed on its way into memory, and the oracle,
 * the laws and the commands that look for it are loaded anew beside them.
 */

import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { stdin, stdout } from "node:process";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Found } from "./hunt.ts";
import type { TopicName } from "./topics.ts";

export interface Change {
  /** Below `src/`. */
  readonly file: string;
  /** Occurs there once. */
  readonly find: string;
  readonly replace: string;
}

/** Without a change it is the simulator as it is. */
export interface Trial {
  readonly number: number;
  readonly change: Change | undefined;
  readonly topics: readonly TopicName[];
}

/** A line of the output. `failed`: why it couldn't be tried. */
export interface Tried {
  readonly number: number;
  readonly found: readonly Found[];
  readonly failed: string | undefined;
  readonly cpuMs: number;
}

const root = pathToFileURL(join(import.meta.dirname, "../../..")).href;
/** What tells the modules of the trials apart. */
const mark = /\?copy=(\d+)$/;
const sources = new Map<string, string>();
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
  const made = sources.get(path) ?? stripTypeScriptTypes(readFileSync(path, "utf8"));
  sources.set(path, made);
  return made;
}

function plant({ file, find, replace }: Change, copy: number): void {
  const url = `${root}/src/${file}`;
  const parts = readFileSync(fileURLToPath(url), "utf8").split(find);
  if (parts.length !== 2) {
    throw new Error(`src/${file} has ${parts.length - 1} times, not once: ${find}`);
  }
  changed.set(`${url}?copy=${copy}`, stripTypeScriptTypes(parts.join(replace)));
}

async function trial({ number, change, topics }: Trial): Promise<readonly Found[]> {
  if (change !== undefined) plant(change, number);
  const { hunt } = (await import(`${root}/test/testing/defects/hunt.ts?copy=${number}`)) as {
    hunt: (topic: TopicName) => Found;
  };
  return topics.map(hunt);
}

for (const one of JSON.parse(await textOf(stdin)) as readonly Trial[]) {
  const before = process.cpuUsage();
  let found: readonly Found[] = [];
  let failed: string | undefined;
  try {
    found = await trial(one);
  } catch (error) {
    failed = String(error);
  }
  const { user, system } = process.cpuUsage(before);
  const cpuMs = Math.round((user + system) / 1000);
  stdout.write(`${JSON.stringify({ number: one.number, found, failed, cpuMs } satisfies Tried)}\n`);
}
