/**
 * A scenario from where the command line says: one that comes with adsim by its name, a file of JSON, a module, or
 * standard input. What is in it the player checks; what is wrong with its source is said here.
 */

import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { buffer } from "node:stream/consumers";
import { shippedNames, shippedScenario } from "../../adapters/shipped-scenarios.ts";
import { didYouMean } from "../../base/did-you-mean.ts";
import { describeError } from "../../base/file-error.ts";
import { isPlainObject } from "../../base/input.ts";
import { parseJson } from "../../base/parse-json.ts";
import { couldNotRun, wrongUsage } from "../output/exit.ts";
import { moduleEndings, scenarioInModule } from "./load-module.ts";

/** What a word stands for: itself, or the scenarios that come with adsim and match a pattern such as `spec-*`. */
export function sourcesOf(word: string): readonly string[] {
  if (!/^[\w*?-]*[*?][\w*?-]*$/.test(word)) return [word];
  const matching = new RegExp(`^${word.replaceAll("*", ".*").replaceAll("?", ".")}$`);
  const found = shippedNames().flatMap(({ name }) => (matching.test(name) ? name : []));
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
  const scenario = shippedScenario(name);
  if (scenario !== undefined) return scenario;
  const known = shippedNames().map((each) => each.name);
  throw wrongUsage(
    `no scenario is called ${name}.${didYouMean(name, known)} See: npx adsim scenarios.${hint}`,
  );
}

const EXPECTED =
  'It must be a scenario: a JSON object with "name", "about" and "steps". npx adsim scenarios NAME prints one.';

function fromJson(what: string, bytes: Uint8Array): object {
  const wrong = (why: string): Error => wrongUsage(`${what}: it ${why}`);
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "") throw wrong(`is empty. ${EXPECTED}`);
  const value = parseJson(text, wrong);
  if (!isPlainObject(value)) throw wrong(`is not a JSON object. ${EXPECTED}`);
  return value;
}
