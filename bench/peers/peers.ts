/** What `npm run bench:peers` compares: how each server starts, and what an impression is to it. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/ports.ts";
import { root } from "../measure.ts";
import { type Answer, type Answers, POPULATION, SEED } from "../requests.ts";

/** What a server is to answer, the file that says it, and a folder for files of its own. */
export interface Place {
  readonly answers: Answers;
  readonly file: string;
  readonly folder: string;
}

export interface Peer {
  readonly name: string;
  /** Which package of `package.json` it is, if it is another's. */
  readonly package?: string;
  /** What it does with an impression before it answers. */
  readonly does: string;
  /** Arguments for Node that start it. */
  readonly argsFor: (port: number, place: Place) => string[] | Promise<string[]>;
}

const here = import.meta.dirname;
const main = join(root, "dist/cli/main.js");

export const bare: Peer = {
  name: "bare node:http",
  does: "parses the body, fixed bytes",
  argsFor: (port, { file }) => [join(root, "bench/bare-server.mjs"), String(port), file],
};

export function adsimArgs(port: number): string[] {
  const population = ["--seed", SEED, "--publishers", String(POPULATION)];
  return [main, "serve", "--port", String(port), ...population];
}

export const adsim: Peer = {
  name: "adsim",
  does: "checks key, limit, body and duplicates, records it, journals it",
  argsFor: adsimArgs,
};

export const peers: readonly Peer[] = [
  {
    name: "Prism",
    package: "@stoplight/prism-cli",
    does: "checks key and body by our OpenAPI document, answers its example",
    argsFor(port, place) {
      const document = write(place, "openapi.json", documentWith(place.answers));
      const options = ["--port", String(port), "--verboseLevel", "silent"];
      return [binary("prism"), "mock", document, ...options];
    },
  },
  {
    name: "mountebank",
    package: "mountebank",
    does: "fixed bytes",
    async argsFor(port, place) {
      const config = write(place, "mountebank.json", imposterWith(place.answers, port));
      const own = ["--port", String(await freePort()), "--pidfile", `${config}.pid`];
      const quiet = ["--nologfile", "--loglevel", "error"];
      return [binary("mb"), "start", "--configfile", config, "--noParse", ...own, ...quiet];
    },
  },
  {
    name: "mockttp",
    package: "mockttp",
    does: "fixed bytes",
    argsFor: (port, { file }) => [join(here, "mockttp.mjs"), String(port), file],
  },
];

/** What a tool reads. */
function write({ folder }: Place, name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

function binary(name: string): string {
  return join(here, "node_modules/.bin", name);
}

/** What `adsim openapi` prints, with these stats for an example. */
function documentWith({ stats: { body } }: Answers): unknown {
  const text = execFileSync(process.execPath, [main, "openapi"], { encoding: "utf8" });
  const document = JSON.parse(text) as {
    paths: Record<string, { get: { responses: { 200: { content: Record<string, object> } } } }>;
  };
  const stats =
    document.paths["/v1/publisher/stats"]?.get.responses[200].content["application/json"];
  if (stats === undefined) throw new Error("The OpenAPI document has no stats.");
  Object.assign(stats, { example: JSON.parse(body) });
  return document;
}

/** Without the header it would close each connection. */
function imposterWith({ impression, stats }: Answers, port: number): unknown {
  const stub = (method: string, path: string, { headers, body }: Answer): unknown => ({
    predicates: [{ equals: { method, path } }],
    responses: [
      { is: { statusCode: 200, headers: { ...headers, connection: "keep-alive" }, body } },
    ],
  });
  const stubs = [
    stub("POST", "/v1/impression", impression),
    stub("GET", "/v1/publisher/stats", stats),
  ];
  return { imposters: [{ protocol: "http", host: "127.0.0.1", port, stubs }] };
}

/** `mockttp 4.6.3`. */
export function titleOf({ name, package: from }: Peer): string {
  const { dependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  return from === undefined ? name : `${name} ${dependencies[from]}`;
}
