/**
 * Raw requests, most of them almost right: every route of `/v1` and `/_sim` with wrong methods, queries, headers and
 * bodies, and some broken in their bytes. All from a seed: request `n` of a seed is always the same.
 */

import { deriveKey, drawBetween, type Key, subKey } from "../../src/base/random.ts";
import { operations } from "../../src/contract/operations.ts";
import { controlRoutes } from "../../src/control/routes.ts";
import type { Publisher } from "../../src/index.ts";

/** A request as bytes. `isFramed`: a server can tell where it ends. */
export interface RawRequest {
  readonly bytes: Buffer;
  readonly method: string;
  readonly target: string;
  readonly isFramed: boolean;
}

export type Draw = (lowest: number, highest: number) => number;

const worlds = ["", "", "", "/@fuzz", "/@fuzz", "/@", "/@a%20b", `/@${"n".repeat(80)}`, "/@fuzz/"];
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
  ...new Set(controlRoutes.flatMap(({ query = [] }) => query)),
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
/** Bodies that control routes take, so that the fuzzing gets past the first check now and then. No rule leaves a client waiting. */
const controlBodies: readonly unknown[] = [
  { by: "1s" },
  { mode: "frozen" },
  { now: "2026-01-15T00:00:01Z" },
  { "errors.body": "html" },
  { "limit.exceeded": "503x" },
  { name: "fuzz2" },
  { name: "a", surfaces: ["b"] },
  { status: "paused" },
  { cpmRange: [1, 2] },
  { verdict: { kind: "respond", status: 429, body: { a: 1 } }, match: { share: 0.1 } },
  { verdict: { kind: "duplicate" }, match: { every: 3 } },
  { verdict: { kind: "truncate", share: 0.5 }, match: { nth: [2, 3] }, ttl: "1s" },
  { verdict: { kind: "garbage" }, match: { share: 0.01 } },
  { verdict: { kind: "none" } },
  [],
  { format: "adsim-snapshot", version: 2 },
];

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

export function rawRequest(draw: Draw, publisher: Publisher): RawRequest {
  const method = pick(draw, methods);
  const target = targetOf(draw, publisher);
  const body = bodyOf(draw, publisher);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    chance(draw, 30) ? "Host: 127.0.0.1" : pick(draw, ["Host: localhost", "Host: 127.0.0.1:80"]),
    ...(chance(draw, 4) ? [`Authorization: Bearer ${publisher.apiKey}`] : []),
    ...Array.from({ length: draw(0, 2) }, () => pick(draw, headers)),
    `Content-Length: ${body.length}`,
  ];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "utf8");
  const bytes = Buffer.concat([head, body]);
  if (draw(0, 3) > 0) return { bytes, method, target, isFramed: true };
  return { bytes: broken(draw, bytes), method, target, isFramed: false };
}

/** True in `of - 1` of `of` cases. */
function chance(draw: Draw, of: number): boolean {
  return draw(1, of) > 1;
}

function pick<Item>(draw: Draw, items: readonly Item[]): Item {
  const item = items[draw(0, items.length - 1)];
  if (item === undefined) throw new Error("There is nothing to choose from.");
  return item;
}

function targetOf(draw: Draw, publisher: Publisher): string {
  const routes = [
    ...Object.values(operations).map(({ path }) => path),
    ...controlRoutes.map(({ path }) => `/_sim/${path}`),
  ];
  const path = pick(draw, routes).replaceAll(/:\w+/g, () =>
    chance(draw, 2) ? publisher.id : encodeURI(pick(draw, garbage)),
  );
  const bent = [path, path, path, path, `${path}/`, `/${path}`, path.toUpperCase(), `${path}%00`];
  const pairs = Array.from({ length: draw(0, 4) }, () => {
    const value = chance(draw, 2) ? publisher.id : pick(draw, garbage);
    return `${pick(draw, names)}=${encodeURI(value).replaceAll("%25", "%")}`;
  });
  const query = pairs.length === 0 ? "" : `?${pairs.join("&")}`;
  return pick(draw, worlds) + pick(draw, bent) + query;
}

function bodyOf(draw: Draw, publisher: Publisher): Buffer {
  const own = {
    publisher_id: publisher.id,
    surface: publisher.surfaces[0]?.id,
    ad_id: "ad",
    session_id: `s${draw(0, 9)}`,
  };
  switch (draw(0, 7)) {
    case 0:
    case 1:
      return Buffer.from(JSON.stringify(own));
    case 2:
      return Buffer.from(new URLSearchParams({ ...own, surface: own.surface ?? "" }).toString());
    case 3:
    case 4:
      return Buffer.from(JSON.stringify(pick(draw, controlBodies)));
    case 5:
      return Buffer.from(JSON.stringify({ ...own, [pick(draw, names)]: pick(draw, garbage) }));
    case 6:
      return broken(draw, Buffer.from(JSON.stringify(own)));
    default:
      return Buffer.alloc(0);
  }
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
