/**
 * A scenario from where the command line says: one that comes with adsim by its name, a file of JSON, a module, or
 * standard input. What is in it the player checks; what is wrong with its source is said here.
 */

import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { shippedNames, shippedScenario } from "../../adapters/shipped-scenarios.ts";
import { didYouMean } from "../../base/did-you-mean.ts";
import { describeError } from "../../base/file-error.ts";
import { InputError, isPlainObject } from "../../base/input.ts";
import { readScenarioText } from "../../play/scenario/parse-scenario.ts";
import { couldNotRun, wrongUsage } from "../output/exit.ts";
import { moduleEndings, scenarioInModule } from "./load-module.ts";

const STANDARD_INPUT = "-";

/** What a word stands for: itself, or the scenarios that come with adsim and match a pattern such as `spec-*`. */
export function sourcesOf(word: string): readonly string[] {
  if (!/^[\w*?-]*[*?][\w*?-]*$/.test(word)) return [word];
  const matching = new RegExp(`^${word.replaceAll("*", ".*").replaceAll("?", ".")}$`);
  const found = shippedNames().flatMap(({ name }) => (matching.test(name) ? name : []));
  if (found.length > 0) return found;
  throw wrongUsage(`${word} matches no scenario that comes with adsim. See: npx adsim scenarios.`);
}

/** An object that may be a scenario. @throws CommandFailure that names the source and what is wrong with it. */
export async function loadScenario(source: string, stdin: AsyncIterable<unknown>): Promise<object> {
  const extension = extname(source).toLowerCase();
  if (source === STANDARD_INPUT) return fromJson("standard input", await bytesOf(stdin));
  if (extension === ".json") return fromJson(source, await contentOf(source));
  if (moduleEndings.includes(extension)) {
    // Read first, so that a missing file isn't reported as a failing module.
    await contentOf(source);
    return scenarioInModule(source);
  }
  if (/^[\w-]+$/.test(source)) {
    return loadShipped(source, ` For a file, give its ending too, such as ${source}.json.`);
  }
  throw wrongUsage(
    `${source} is not a scenario. Give the name of one (see: npx adsim scenarios), a file that ends in .json, ${moduleEndings.join(", ")}, or - for JSON from standard input.`,
  );
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
  const wrong = (why: string): Error => wrongUsage(`${what}: ${why}`);
  let text: string;
  try {
    // Takes a byte order mark away, too.
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw wrong("it is not UTF-8 text.");
  }
  if (text.trim() === "") throw wrong(`it is empty. ${EXPECTED}`);
  let value: unknown;
  try {
    value = readScenarioText(text);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw wrong(error.message.replace(/^scenario /, "it "));
  }
  if (!isPlainObject(value)) throw wrong(`it is not a JSON object. ${EXPECTED}`);
  return value;
}

async function contentOf(file: string): Promise<Uint8Array> {
  return readFile(file).catch((error: unknown) => {
    throw couldNotRun(
      `${file}: can't be read: ${describeError(error)}. Give the path of a scenario, or the name of one (see: npx adsim scenarios).`,
    );
  });
}

async function bytesOf(stream: AsyncIterable<unknown>): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
