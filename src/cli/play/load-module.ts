/**
 * The scenario that a user's module exports. TypeScript goes through tsx where tsx is installed: it knows enums and the
 * `paths` of a tsconfig.json, and it works on every Node. Otherwise Node has to run the file, which it can from 22.18 on.
 */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { couldNotRun, wrongUsage } from "../output/exit.ts";

type Exports = Readonly<Record<string, unknown>>;
type Tsx = typeof import("tsx/esm/api");

/** What such a file ends in. */
export const moduleEndings: readonly string[] = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"];

/** @throws CommandFailure that names the file. */
export async function scenarioInModule(file: string): Promise<object> {
  const scenario = exportedBy(await exportsOf(file));
  if (typeof scenario === "object" && scenario !== null) return scenario;
  throw wrongUsage(
    `${file}: must export a scenario: export const scenario = defineScenario({ … }), or as the default.`,
  );
}

/** Import gives what a CommonJS file exports as the default, so a default export is one level further down. */
function exportedBy({ scenario, default: outer }: Exports): unknown {
  if (scenario !== undefined || typeof outer !== "object" || outer === null) {
    return scenario ?? outer;
  }
  const inner = outer as Exports;
  return inner.scenario ?? inner.default ?? (inner.__esModule === true ? undefined : inner);
}

async function exportsOf(file: string): Promise<Exports> {
  const { href } = pathToFileURL(resolve(file));
  const isTypeScript = /ts$/i.test(file);
  // Not there, or so old that it lacks this entry.
  const tsx: Tsx | undefined = isTypeScript
    ? await import("tsx/esm/api").catch(() => undefined)
    : undefined;
  try {
    // tsx loads the file and its imports as copies of their own: their classes aren't ours, so no instanceof on them.
    return await (tsx === undefined ? import(href) : tsx.tsImport(href, import.meta.url));
  } catch (error) {
    const { message = String(error) } = error as Error;
    // tsx tells its copies apart by a query.
    const why = `${file}: can't be loaded: ${message.replaceAll(/\?namespace=[\w-]+/g, "")}`;
    if (!isTypeScript || tsx !== undefined) throw wrongUsage(why);
    throw couldNotRun(
      `${why}. Node ${process.version} runs only simple TypeScript by itself, if any. Install tsx beside adsim: npm install --save-dev tsx`,
    );
  }
}
