/**
 * The scenario that a user's module exports. TypeScript goes through tsx where tsx is installed: it knows enums and the
 * `paths` of a tsconfig.json, and it works on every Node. Otherwise Node has to run the file, which it can from 22.18 on.
 */

import { once } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { couldNotRun, wrongUsage } from "../output/exit.ts";

type Exports = Readonly<Record<string, unknown>>;
type Tsx = typeof import("tsx/esm/api");

/** What such a file ends in. */
export const moduleEndings: readonly string[] = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"];

/** @throws CommandFailure that names the file, and the line where there is one. */
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
  let tsx: Tsx | undefined;
  try {
    if (isTypeScript) tsx = await installedTsx();
    // tsx loads the file and its imports as copies of their own: their classes aren't ours, so no instanceof on them.
    const loading = tsx === undefined ? import(href) : tsx.tsImport(href, import.meta.url);
    return await beforeNodeEnds(loading);
  } catch (error) {
    const message = `${file}: can't be loaded: ${whyNotLoaded(error)}`;
    if (!isTypeScript || tsx !== undefined || !needsTsx(error)) throw wrongUsage(message);
    throw couldNotRun(
      `${message}. Node ${process.version} needs tsx for that. Install it beside adsim: npm install --save-dev tsx`,
    );
  }
}

async function installedTsx(): Promise<Tsx | undefined> {
  try {
    return await import("tsx/esm/api");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Not there, or so old that it lacks this entry.
    if (code === "ERR_MODULE_NOT_FOUND" || code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return;
    throw error;
  }
}

/** Whether Node refused the kind of file or syntax, and not a mistake in it. */
function needsTsx(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "ERR_UNKNOWN_FILE_EXTENSION") return /"\.[cm]?tsx?"/.test(message);
  return /^ERR_UNSUPPORTED_(?:TYPESCRIPT_SYNTAX|NODE_MODULES_TYPE_STRIPPING)$/.test(code);
}

/** Fails when nothing is left that could go on: Node would end then, as if all were well. */
function beforeNodeEnds<Module>(loading: Promise<Module>): Promise<Module> {
  const listening = new AbortController();
  const neverLoaded = once(process, "beforeExit", listening).then(() =>
    // A text: an error's stack would name this line.
    Promise.reject("its top-level await never ends"),
  );
  return Promise.race([loading, neverLoaded]).finally(() => listening.abort());
}

function whyNotLoaded(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // tsx tells its copies apart by a query.
  const message = error.message.replaceAll(/\?namespace=[\w-]+/g, "");
  const place = placeIn(error.stack ?? "");
  return place === undefined || message.includes(place) ? message : `${message} (${place})`;
}

/** `FILE:LINE:COLUMN`: the first line of the user's code in a stack. Below Node's loader is our own. */
function placeIn(stack: string): string | undefined {
  const [users = ""] = stack.split(/^.*node:internal\/modules/m);
  const [, file, position] =
    /^(?!.*node_modules)(?:.*[ (])?((?:file:\/\/|\/|[A-Z]:)[^\n?]*?)(?:\?[^\n:]*)?(:\d+(?::\d+)?)\)?$/im.exec(
      users,
    ) ?? [];
  if (file === undefined) return;
  return `${file.startsWith("file:") ? fileURLToPath(file) : file}${position}`;
}
