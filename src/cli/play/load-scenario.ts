/**
 * A scenario from where the command line says: one that comes with adsim by its name, a file of JSON, a module, or
 * standard input. What is in it the player checks; what is wrong with its source is said here.
 */

import { open } from "node:fs/promises";
import { extname } from "node:path";
import { shippedNames, shippedScenario } from "../../adapters/shipped-scenarios.ts";
import { didYouMean } from "../../base/did-you-mean.ts";
import { describeError } from "../../base/file-error.ts";
import { InputError, isPlainObject } from "../../base/input.ts";
import { readScenarioText } from "../../play/scenario/parse-text.ts";
import { CommandFailure, couldNotRun, wrongUsage } from "../output/exit.ts";
import { moduleEndings, scenarioInModule } from "./load-module.ts";

/** As large as a scenario may be, in bytes of JSON. */
const MAX_BYTES = 4 * 1024 * 1024;

const STANDARD_INPUT = "-";

/** An object that may be a scenario. @throws CommandFailure that names the source and what is wrong with it. */
export async function loadScenario(source: string, stdin: AsyncIterable<unknown>): Promise<object> {
  const extension = extname(source).toLowerCase();
  if (source === STANDARD_INPUT) return fromJson("standard input", await readAll(stdin));
  if (extension === ".json") return fromJson(source, await textOf(source));
  if (moduleEndings.includes(extension)) {
    // Read first, so that a missing file isn't reported as a failing module.
    await textOf(source);
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

function fromJson(what: string, text: string): object {
  if (text.trim() === "") throw failure(what, `it is empty. ${EXPECTED}`);
  const value = valueIn(what, text);
  if (isPlainObject(value)) return value;
  throw failure(what, `it is not a JSON object. ${EXPECTED}`);
}

const EXPECTED =
  'It must be a scenario: a JSON object with "name", "about" and "steps". npx adsim scenarios NAME prints one.';

function valueIn(what: string, text: string): unknown {
  try {
    return readScenarioText(text);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw failure(what, error.message.replace(/^scenario /, "it "));
  }
}

async function textOf(file: string): Promise<string> {
  try {
    const handle = await open(file);
    try {
      if ((await handle.stat()).isDirectory()) throw new Error("it is a folder");
      return await readAll(handle.createReadStream({ autoClose: false }), file);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw couldNotRun(
      `${file}: can't be read: ${describeError(error)}. Give the path of a scenario, or the name of one (see: npx adsim scenarios).`,
    );
  }
}

async function readAll(stream: AsyncIterable<unknown>, what = "standard input"): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream) {
    const piece = part as Buffer;
    bytes += piece.length;
    if (bytes > MAX_BYTES)
      throw failure(
        what,
        `it is larger than ${MAX_BYTES} bytes, the most that a scenario may have.`,
      );
    parts.push(piece);
  }
  const whole = Buffer.concat(parts);
  try {
    // Takes a byte order mark away, too.
    return new TextDecoder("utf-8", { fatal: true }).decode(whole);
  } catch {
    throw failure(what, "it is not UTF-8 text.");
  }
}

function failure(what: string, why: string): CommandFailure {
  return wrongUsage(`${what}: ${why}`);
}
