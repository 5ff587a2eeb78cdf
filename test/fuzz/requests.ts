/**
 * Raw requests, most of them almost right: every route of `/v1` and `/_sim` with wrong methods, queries, headers and
 * bodies, and some broken in their bytes. All from a seed: request `n` of a seed is always the same.
 */

import { deriveKey, drawBetween, type Key, subKey } from "../../src/base/random.ts";
import { controlRoutes } from "../../src/control/routes.ts";
import type { Publisher } from "../../src/index.ts";
import { buildRequest } from "../../src/spec/build-request.ts";
import { type Operation, operations } from "../../src/spec/operations.ts";

/** A request as bytes. `isFramed`: a server can tell where it ends. */
export interface RawRequest {
  readonly bytes: Buffer;
  readonly method: string;
  readonly target: string;
  readonly isFramed: boolean;
}

export type Draw = (lowest: number, highest: number) => number;

/** A world without quotas left. */
export const BUSY = "busy";
const worlds = [
  `/@${BUSY}`,
  "/@fuzz",
  "/@fuzz2",
  "/@",
  "/@a%20b",
  `/@${"n".repeat(80)}`,
  "/@fuzz/",
];
const methods = [
  "GET",
  "GET",
  "POST",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "HEAD",
  "OPTIONS",
  "QUERY",
];
const garbage = [
  "",
  "0",
  "-1",
  "1e400",
  "NaN",
  "null",
  "[]",
  "{}",
  "%",
  "%zz",
  "%00",
  "%ff%fe",
  "..",
  "%2e%2e",
  "__proto__",
  "constructor",
  "2026-02-29",
  "2026-01-01",
  "9999-12-31T23:59:59Z",
  "rule-1",
  "default",
  "fuzz",
  "reset",
  "\u00e9",
  "a".repeat(300),
];
const names = [
  ...new Set(Object.values(operations).flatMap(({ parameters }) => Object.keys(parameters))),
  ...new Set(controlRoutes.flatMap(({ query = {} }) => Object.keys(query))),
  "__proto__",
  "x",
];
const headers = [
  "Content-Type: application/json",
  "Content-Type: application/json",
  "Content-Type: application/x-www-form-urlencoded",
  "Content-Type: text/plain",
  "Content-Type: multipart/form-data; boundary=x",
  "Content-Encoding: gzip",
  "Origin: http://evil.example",
  "Sec-Fetch-Site: cross-site",
  "Host: evil.example",
  "Expect: 100-continue",
  "Expect: nothing",
  "Accept: */*",
  "Range: bytes=0-1",
  "X-Long: ".padEnd(2000, "x"),
  "Cookie: a=b",
  "Cookie: c=d",
  "Upgrade: websocket",
  "Connection: keep-alive",
  "Authorization: Basic a2V5Og==",
  "Authorization: Bearer",
];
/** Bodies that each route accepts, by its path. No fault rule leaves a client waiting. */
const controlBodies: Readonly<Record<string, readonly unknown[]>> = {
  publishers: [{ name: "a", surfaces: ["b"] }, {}],
  "publishers/:publisher/surfaces/:surface": [{ status: "paused" }, { cpmRange: [1, 2] }],
  clock: [{ mode: "frozen" }, { now: "2026-01-15T00:00:01Z" }],
  "clock/advance": [{ by: "1s" }, { by: 5 }],
  assumptions: [{ "errors.body": "html" }, { "dedup.repeat": "conflict" }, { "no.such": "x" }],
  faults: [
    { verdict: { kind: "respond", status: 503, body: { a: 1 } }, match: { share: 0.1 } },
    { verdict: { kind: "duplicate" }, match: { every: 3 } },
    { verdict: { kind: "truncate", share: 0.5 }, match: { nth: [2, 3] }, ttl: "1s" },
    { verdict: { kind: "garbage" }, match: { share: 0.01 } },
    { id: "same", verdict: { kind: "lose-response" }, match: { times: 1 } },
    { verdict: { kind: "none" } },
  ],
  "history/:sequence/what-if": [
    {},
    { advance: "1m" },
    { request: { body: "{}" } },
    { fault: { verdict: { kind: "drop" } } },
  ],
  worlds: [{ name: "fuzz" }, { name: "fuzz2", from: "fuzz" }, { name: "a b", after: 1 }],
  snapshot: [{ format: "adsim-snapshot", version: 2 }],
  reset: [{}, { seed: "another" }],
  "scenarios/play": [
    { name: "fresh-publisher" },
    {
      scenario: { name: "a", about: "b", steps: [{ stats: {} }, { impression: { ad_id: null } }] },
    },
    { scenario: { name: "a", about: "b", steps: [{ "": 1 }] }, seed: "another" },
  ],
};

/** Events never end, so a request for them would seem to hang. */
const endingRoutes = controlRoutes.filter(({ path }) => path !== "events");

/** The draws of request `number`. */
export function drawsOf(seed: string): (number: number) => Draw {
  const family = deriveKey(seed, "fuzz");
  return (number) => {
    const key: Key = subKey(family, number);
    let ordinal = 0;
    return (lowest, highest) => {
      ordinal += 1;
      return drawBetween(key, ordinal, lowest, highest);
    };
  };
}

/** A request that is being put together, valid at first. */
interface Draft {
  method: string;
  world: string;
  path: string;
  query: string[];
  headers: string[];
  body: Buffer;
}

export function rawRequest(draw: Draw, publisher: Publisher): RawRequest {
  const draft = draw(0, 1) === 0 ? recording(draw, publisher) : control(draw, publisher);
  for (let mutations = draw(0, 3); mutations > 0; mutations -= 1) mutate(draft, draw, publisher);
  const { method, world, path, query, headers: extra, body } = draft;
  const target = world + path + (query.length === 0 ? "" : `?${query.join("&")}`);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "Host: 127.0.0.1",
    ...extra,
    `Content-Length: ${body.length}`,
  ];
  const bytes = Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "utf8"), body]);
  if (draw(0, 4) > 0) return { bytes, method, target, isFramed: true };
  return { bytes: broken(draw, bytes), method, target, isFramed: false };
}

function recording(draw: Draw, publisher: Publisher): Draft {
  const { id, parameters } = pick<Operation>(draw, Object.values(operations));
  const values: Readonly<Record<string, string>> = {
    publisher_id: publisher.id,
    surface: publisher.surfaces[0]?.id ?? "",
    ad_id: "ad",
    session_id: `session-${draw(0, 9)}`,
    impression_id: "imp_0000000000000",
    limit: "5",
  };
  const sent = Object.fromEntries(
    Object.entries(values).filter(([name]) => Object.hasOwn(parameters, name)),
  );
  const request = buildRequest(id, sent, { key: publisher.apiKey });
  const { method, path, query, headers = {}, body = "" } = request;
  return {
    method,
    world: "",
    path,
    query: query === undefined ? [] : [String(query)],
    headers: Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    body: Buffer.from(String(body)),
  };
}

function control(draw: Draw, publisher: Publisher): Draft {
  const { method, path } = pick(draw, endingRoutes);
  const filled = path
    .replace(":publisher", publisher.id)
    .replace(":surface", publisher.surfaces[0]?.id ?? "")
    .replace(":sequence", String(draw(0, 9)))
    .replace(":id", pick(draw, ["rule-1", "same"]))
    .replace(":name", pick(draw, ["fuzz", "fuzz2"]))
    .replace(":scenario", pick(draw, ["lost-ack", "none"]));
  const takes = method === "GET" || method === "DELETE" ? undefined : controlBodies[path];
  const body = takes === undefined ? "" : JSON.stringify(pick(draw, takes));
  return {
    method,
    // Playing a scenario replaces the world, and with it the quotas that were used up.
    world: path === "scenarios/play" ? "/@fuzz" : "",
    path: `/_sim/${filled}`,
    query: [],
    headers: body === "" ? [] : ["Content-Type: application/json"],
    body: Buffer.from(body),
  };
}

/** Changes one part of the request. */
function mutate(draft: Draft, draw: Draw, publisher: Publisher): void {
  const { path } = draft;
  switch (draw(0, 6)) {
    case 0:
      draft.method = pick(draw, methods);
      break;
    case 1:
      draft.world = pick(draw, worlds);
      break;
    case 2:
      draft.path = pick(draw, [`${path}/`, `/${path}`, path.toUpperCase(), `${path}%00`, "/"]);
      break;
    case 3: {
      const value = pick(draw, [publisher.id, ...garbage]);
      draft.query.push(`${pick(draw, names)}=${encodeURI(value).replaceAll("%25", "%")}`);
      break;
    }
    case 4:
      draft.headers.push(pick(draw, headers));
      break;
    case 5:
      draft.body = broken(draw, draft.body);
      break;
    default:
      draft.body = Buffer.from(JSON.stringify({ [pick(draw, names)]: pick(draw, garbage) }));
  }
}

function pick<Item>(draw: Draw, items: readonly Item[]): Item {
  const item = items[draw(0, items.length - 1)];
  if (item === undefined) throw new Error("There is nothing to choose from.");
  return item;
}

/** Some bytes changed, left out, doubled or cut off. */
function broken(draw: Draw, bytes: Buffer): Buffer {
  let result = bytes;
  for (let round = draw(1, 4); round > 0; round -= 1) {
    const at = draw(0, Math.max(0, result.length - 1));
    const [before, after] = [result.subarray(0, at), result.subarray(at)];
    switch (draw(0, 4)) {
      case 0:
        result = Buffer.concat([before, Buffer.from([draw(0, 255)]), after.subarray(1)]);
        break;
      case 1:
        result = Buffer.concat([before, after.subarray(draw(1, 8))]);
        break;
      case 2:
        result = Buffer.concat([before, Buffer.from([draw(0, 255), draw(0, 255)]), after]);
        break;
      case 3:
        result = Buffer.concat([before, after.subarray(0, draw(0, 40)), after]);
        break;
      default:
        result = before;
    }
  }
  return result;
}
