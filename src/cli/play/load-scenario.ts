/**
 * A scenario from where the command line says: one that comes with adsim by its name, a file of JSON, a module, or
 * standard input; and the options that override it. An error names the one that it comes from. TypeScript goes through tsx where
 * tsx is installed: it knows enums and the `paths` of a tsconfig.json, and it works on every Node. Otherwise Node has to run the
 * file, which it can from 22.18 on.
 */

import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { shippedScenarios } from "../../adapters/shipped-scenarios.ts";
import { didYouMean } from "../../base/did-you-mean.ts";
import { describeError } from "../../base/file-error.ts";
import { InputError, isPlainObject } from "../../base/input.ts";
import { parseJson } from "../../base/parse-json.ts";
import { given } from "../../base/plain-data.ts";
import {
  isOverridden,
  MAX_RECORDED_STEPS,
  type Overrides,
  parseScenario,
  withOverrides,
} from "../../play/scenario/parse-scenario.ts";
import type { Scenario } from "../../play/scenario/types.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import { readAssumptionFlags } from "../options/assumption-flags.ts";
import type { CommonFlags } from "../options/common-options.ts";
import { couldNotRun, wrongUsage } from "../output/exit.ts";
import type { HostProcess } from "../processes/host-process.ts";

export interface ResolvedScenario {
  /** The name or file as given. */
  readonly source: string;
  readonly scenario: Scenario;
  readonly overrides: Overrides;
}

/** @throws CommandFailure that names the source, InputError for an option's value. */
export async function resolveScenario(
  source: string,
  flags: CommonFlags & { readonly maxRequests?: number },
  { stdin }: Pick<HostProcess, "stdin">,
): Promise<ResolvedScenario> {
  const { seed, start, publishers, profile, maxRequests } = flags;
  // readAssumptionFlags has checked them.
  const assumptions = (await readAssumptionFlags(flags)).chosen as Choices;
  const overrides: Overrides = given({ seed, start, publishers, profile, assumptions });
  const loaded = await loadScenario(source, stdin);
  try {
    const limits = { maxRequests, maxSteps: MAX_RECORDED_STEPS };
    const scenario = parseScenario(withOverrides(loaded, overrides), limits);
    return { source, scenario, overrides };
  } catch (error) {
    throw errorInSource({ source, overrides }, error);
  }
}

/** Adds the source to an InputError, unless an option caused it. */
export function errorInSource(
  { source, overrides }: Pick<ResolvedScenario, "source" | "overrides">,
  error: unknown,
): unknown {
  if (!(error instanceof InputError) || isOverridden(error.field, overrides)) return error;
  return wrongUsage(`${source}: ${error.message}`);
}

/** What a word stands for: itself, or the scenarios that come with adsim and match a pattern such as `spec-*`. */
export function sourcesOf(word: string): readonly string[] {
  if (!/^[\w*?-]*[*?][\w*?-]*$/.test(word)) return [word];
  const matching = new RegExp(`^${word.replaceAll("*", ".*").replaceAll("?", ".")}$`);
  const found = shippedScenarios.flatMap(({ name }) => (matching.test(name) ? name : []));
  if (found.length > 0) return found;
  throw wrongUsage(`${word} matches no scenario that comes with adsim. See: npx adsim scenarios.`);
}

/** An object that may be a scenario. @throws CommandFailure that names the source and what is wrong with it. */
export async function loadScenario(source: string, stdin: NodeJS.ReadableStream): Promise<object> {
  const extension = extname(source).toLowerCase();
  if (source === "-") return fromJson("standard input", await buffer(stdin));
  if (/^[\w-]+$/.test(source)) {
    return loadShipped(source, ` For a file, give its ending too, such as ${source}.json.`);
  }
  const isModule = moduleEndings.includes(extension);
  if (extension !== ".json" && !isModule) {
    throw wrongUsage(
      `${source} is not a scenario. Give the name of one (see: npx adsim scenarios), a file that ends in .json, ${moduleEndings.join(", ")}, or - for JSON from standard input.`,
    );
  }
  // Also before a module is run, so that a missing file isn't reported as a failing module.
  const content = await readFile(source).catch((error: unknown) => {
    throw couldNotRun(
      `${source}: can't be read: ${describeError(error)}. Give the path of a scenario, or the name of one (see: npx adsim scenarios).`,
    );
  });
  return isModule ? await scenarioInModule(source) : fromJson(source, content);
}

/** One that comes with adsim. @throws CommandFailure that offers the nearest name, and the hint. */
export function loadShipped(name: string, hint = ""): object {
  const scenario = shippedScenarios.find((each) => each.name === name);
  if (scenario !== undefined) return scenario;
  const known = shippedScenarios.map((each) => each.name);
  throw wrongUsage(
    `no scenario is called ${name}.${didYouMean(name, known)} See: npx adsim scenarios.${hint}`,
  );
}

const EXPECTED =
  'It must be a scenario: a JSON object with "name", "about" and "steps". npx adsim scenarios NAME prints one.';

function fromJson(what: string, bytes: Uint8Array): object {
  const wrong = (why: string): Error => wrongUsage(`${what}: it ${why}`);
  const text = new TextDecoder().decode(bytes);
  const value = parseJson(text, wrong);
  if (!isPlainObject(value)) throw wrong(`is not a JSON object. ${EXPECTED}`);
  return value;
}

type Exports = Readonly<Record<string, unknown>>;
type Tsx = typeof import("tsx/esm/api");

/** What such a file ends in. */
const moduleEndings: readonly string[] = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"];

/** @throws CommandFailure that names the file. */
async function scenarioInModule(file: string): Promise<object> {
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
