/**
 * Raw requests, most of them almost right: every operation of `/v1` and every route of `/_sim` with wrong methods, paths,
 * queries, headers and bodies, and some broken in their bytes.
 */

import fc from "fast-check";
import { controlRoutes } from "../../src/control/routes.ts";
import type { SimulatorCore } from "../../src/simulator/core.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { operations } from "../../src/spec/operations.ts";
import { arbitraryRequest } from "../../src/testing.ts";
import { apiRoutes, requestFor } from "../control/every-route.ts";

/** A request as bytes. `isFramed`: a server can tell where it ends. */
interface RawRequest {
  readonly bytes: Buffer;
  readonly isFramed: boolean;
}

/** A world without quotas left. */
export const BUSY = "busy";

const worlds = [
  `/@${BUSY}`,
  "/@fuzz",
  "/@other",
  "/@",
  "/@a%20b",
  `/@${"n".repeat(80)}`,
  "/@fuzz/",
];
const names = [
  ...Object.values(operations).flatMap(({ parameters }) => Object.keys(parameters)),
  ...controlRoutes.flatMap(({ query = {} }) => Object.keys(query)),
  "__proto__",
];
const values = [
  ...["", "0", "-1", "1e400", "NaN", "null", "[]", "{}", "..", "__proto__", "constructor"],
  ...["%", "%zz", "%00", "%ff%fe", "%2e%2e", "\u00e9", "a".repeat(300)],
  ...["2026-02-29", "2026-01-01", "9999-12-31T23:59:59Z", "first", "default", "other", "reset"],
];
const headers: Readonly<Record<string, readonly string[]>> = {
  "Content-Type": ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data"],
  "Content-Encoding": ["gzip"],
  Origin: ["http://evil.example"],
  "Sec-Fetch-Site": ["cross-site"],
  Host: ["evil.example"],
  Expect: ["100-continue", "nothing"],
  Range: ["bytes=0-1"],
  "X-Long": ["x".repeat(2000)],
  Upgrade: ["websocket"],
  Connection: ["keep-alive"],
  Authorization: ["Basic a2V5Og==", "Bearer"],
};

/** Changes one part of a request. */
type Change = (request: ApiRequest) => ApiRequest;

const pair = fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values));
const change = fc.oneof<fc.Arbitrary<Change>[]>(
  fc
    .constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "QUERY")
    .map((method) => (request) => ({ ...request, method })),
  fc
    .constantFrom(...worlds)
    .map((world) => (request) => ({ ...request, path: world + request.path })),
  fc
    .constantFrom<(path: string) => string>(
      (path) => `${path}/`,
      (path) => `/${path}`,
      (path) => path.toUpperCase(),
      (path) => `${path}%00`,
      () => "/",
    )
    .map((change) => (request) => ({ ...request, path: change(request.path) })),
  pair.map(([name, value]) => ({ query = "", ...request }) => {
    return { ...request, query: `${query}&${name}=${encodeURI(value).replaceAll("%25", "%")}` };
  }),
  fc
    .constantFrom(...Object.entries(headers))
    .chain(([name, sent]) => fc.constantFrom(...sent).map((value) => ({ [name]: value })))
    .map((sent) => (request) => ({ ...request, headers: { ...request.headers, ...sent } })),
  pair.map(([name, value]) => (request) => ({
    ...request,
    body: JSON.stringify({ [name]: value }),
  })),
);

/** Some bytes changed, left out, added or cut off. */
const damage = fc
  .array(
    fc.record({
      at: fc.nat(),
      without: fc.constantFrom(0, 1, 1, 8, 10_000),
      added: fc.uint8Array({ maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((edits) => (bytes: Buffer) => {
    let result = bytes;
    for (const { at, without, added } of edits) {
      const place = at % (result.length + 1);
      const after = result.subarray(place + without);
      result = Buffer.concat([result.subarray(0, place), added, after]);
    }
    return result;
  });

const mostlyNoDamage = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: damage },
);

/** Events never end, so a request for them would seem to hang. */
const endingRoutes = apiRoutes.map(([, route]) => route).filter(({ path }) => path !== "events");

/** A request to the world as it is now, or to another. */
export function anyRawRequest(world: SimulatorCore): fc.Arbitrary<RawRequest> {
  const right = fc.oneof(
    arbitraryRequest({ sim: world }).map(({ request }) => request),
    fc.constantFrom(...endingRoutes).map((route) => {
      const request = requestFor(route, world);
      // The rules of lost-ack would leave clients without an answer.
      return {
        ...request,
        body: String(request.body ?? "").replace("lost-ack", "fresh-publisher"),
      };
    }),
  );
  return fc
    .tuple(right, fc.array(change, { maxLength: 3 }), mostlyNoDamage)
    .map(([request, changes, damaged]) => {
      const bytes = bytesOf(changes.reduce((so, change) => change(so), request));
      return { bytes: damaged?.(bytes) ?? bytes, isFramed: damaged === undefined };
    });
}

function bytesOf({ method, path, query, headers = {}, body = "" }: ApiRequest): Buffer {
  const content = Buffer.from(String(body));
  const lines = [
    `${method} ${path}${query ? `?${query}` : ""} HTTP/1.1`,
    "Host: 127.0.0.1",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${content.length}`,
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), content]);
}
