/** What `npm run bench:peers` compares: how each server starts, and what an impression is to it. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../measure.ts";
import {
  type Answers,
  adsimArgs,
  advanceClock,
  bareArgs,
  type Given,
  hurriedClock,
} from "../servers.ts";

/** `folder`: for what a server reads, and for logs. */
export interface Place extends Given {
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
  /** Arguments for Node that go before the others under load. */
  readonly underLoad?: readonly string[];
  /** What each run begins with, so that it isn't slower than the one before. */
  readonly renew?: (port: number) => Promise<void>;
}

const here = import.meta.dirname;

const fixed = "fixed bytes";
const parses = "parses the body, makes an id";

export const bare: Peer = {
  name: "bare node:http",
  does: "parses the body, fixed bytes",
  argsFor: bareArgs,
};

export const adsim: Peer = {
  name: "adsim",
  does: "checks key, limit, body and duplicates, records it, journals it",
  argsFor: adsimArgs,
  underLoad: hurriedClock,
  renew: advanceClock,
};

export const peers: readonly Peer[] = [
  {
    ...served("fastify"),
    does: "checks the body by a schema, makes an id",
  },
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
    does: fixed,
    async argsFor(port, place) {
      const config = write(place, `mountebank-${port}.json`, imposterWith(place.answers, port));
      const own = ["--port", String(await freePort()), "--pidfile", `${config}.pid`];
      const quiet = ["--nologfile", "--loglevel", "error"];
      return [binary("mb"), "start", "--configfile", config, "--noParse", ...own, ...quiet];
    },
  },
  { ...served("mockttp"), does: fixed },
  {
    name: "Mockoon",
    package: "@mockoon/cli",
    does: fixed,
    argsFor(port, place) {
      const data = write(place, `mockoon-${port}.json`, environmentWith(place.answers, port));
      const quiet = ["--disable-log-to-file", "--disable-admin-api"];
      return [binary("mockoon-cli"), "start", "--data", data, "--repair", ...quiet];
    },
  },
  { ...served("json-server"), does: "keeps the body as a record", renew: forget },
  { ...served("msw"), does: parses },
  { ...served("emulate"), does: `${parses}, counts it` },
];

/** A package that a script of this folder serves. */
function served(name: string): Omit<Peer, "does"> {
  const argsFor: Peer["argsFor"] = (port, { file }) => {
    return [join(here, `${name}.mjs`), String(port), file];
  };
  return { name, package: name, argsFor };
}

/** What a tool reads. */
function write({ folder }: Place, name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

function binary(name: string): string {
  return join(here, "node_modules/.bin", name);
}

/** Each record makes the next one of json-server slower. */
async function forget(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/impressions`, { method: "DELETE" });
  if (!response.ok) throw new Error(`The records were deleted with ${response.status}.`);
  await response.arrayBuffer();
}

/** What `adsim openapi` prints, with these stats for an example. */
function documentWith({ get }: Answers): unknown {
  const main = join(here, "../../dist/cli/main.js");
  const text = execFileSync(process.execPath, [main, "openapi"], { encoding: "utf8" });
  const document = JSON.parse(text) as {
    paths: Record<string, { get: { responses: { 200: { content: Record<string, object> } } } }>;
  };
  const stats =
    document.paths["/v1/publisher/stats"]?.get.responses[200].content["application/json"];
  if (stats === undefined) throw new Error("The OpenAPI document has no stats.");
  Object.assign(stats, { example: JSON.parse(get.body) });
  return document;
}

/** Without the header it would close each connection. */
function imposterWith({ post, get }: Answers, port: number): unknown {
  const stub = (method: string, path: string, { headers, body }: Answers["get"]): unknown => ({
    predicates: [{ equals: { method, path } }],
    responses: [
      { is: { statusCode: 200, headers: { ...headers, connection: "keep-alive" }, body } },
    ],
  });
  const stubs = [stub("POST", "/v1/impression", post), stub("GET", "/v1/publisher/stats", get)];
  return { imposters: [{ protocol: "http", host: "127.0.0.1", port, stubs }] };
}

function environmentWith({ post, get }: Answers, port: number): unknown {
  const route = (method: string, endpoint: string, { headers, body }: Answers["get"]): unknown => ({
    ...{ uuid: endpoint, type: "http", method, endpoint },
    responses: [
      {
        ...{ uuid: `${endpoint}-200`, default: true, statusCode: 200 },
        ...{ bodyType: "INLINE", body, disableTemplating: true },
        headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
      },
    ],
  });
  const routes = [route("post", "v1/impression", post), route("get", "v1/publisher/stats", get)];
  return { uuid: "ads", name: "ads", hostname: "127.0.0.1", port, routes };
}

/** `fastify 5.12.8`. */
export function titleOf({ name, package: from }: Peer): string {
  const { dependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  return from === undefined ? name : `${name} ${dependencies[from]}`;
}
