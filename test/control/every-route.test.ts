/** Every route of the control API against wrong input of every kind: refused with the field's name, and nothing changes. */

import { describe, expect, test } from "vitest";
import { MAX_CONTROL_BODY_BYTES } from "../../src/control/input.ts";
import type { ControlRoute } from "../../src/control/route.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
import type { ApiRequest, ApiResponse } from "../../src/spec/messages.ts";
import { someOf } from "../budget.ts";
import { JSON_BODY } from "../worlds.ts";
import {
  apiRoutes,
  bodyFor,
  nameOf,
  pathFor,
  requestFor,
  routesByPath,
  stage,
  stateOf,
} from "./every-route.ts";

const named = apiRoutes.map((route): [string, ControlRoute] => [nameOf(route), route]);
const withBody = named.filter(([, { body = "none" }]) => body !== "none");

/** Stands for a number that JSON can hold and a double can't. */
const HUGE = "(huge)";

/** Expects a refusal that says where. @returns the field. */
function expectRefusal(response: ApiResponse, what: string, statuses: readonly number[]): string {
  expect(statuses, `${what}: ${response.status} ${response.body.slice(0, 300)}`).toContain(
    response.status,
  );
  expect(response.headers["content-type"], what).toBe("application/problem+json");
  expect(response.headers["x-ratelimit-remaining"], what).toBe("60");
  const { status, field, detail } = JSON.parse(response.body);
  expect(status, what).toBe(response.status);
  expect(detail, what).toMatch(/\S/);
  expect(field, what).toMatch(/^\S/);
  return field;
}

/** Sends requests to the same worlds in turn and expects each to be refused. `field`: undefined if any will do. */
async function expectRefused(
  worlds: Worlds,
  sent: readonly (readonly [request: ApiRequest, status: number, field?: string])[],
): Promise<void> {
  const before = stateOf(worlds);
  for (const [request, status, field] of sent) {
    const body = typeof request.body === "string" ? request.body.slice(0, 100) : "";
    const what = `${request.method} ${request.path} ${body}`;
    const found = expectRefusal(await worlds.begin(request), what, [status]);
    if (field !== undefined) expect(found, what).toBe(field);
    expect(stateOf(worlds) === before, `${what} changed something`).toBe(true);
  }
}

test.each(named)("%s accepts a correct request", async (_, route) => {
  const worlds = stage();
  const response = await worlds.begin(requestFor(route, worlds.get("default")));
  expect([200, 201, 204], response.body).toContain(response.status);
});

test.each(named)("%s refuses query parameters that it doesn't know", async (_, route) => {
  const worlds = stage();
  const request = requestFor(route, worlds.get("default"));
  const names = route.query ?? [];
  const ask = (query: string): ApiRequest => ({ ...request, path: `${request.path}?${query}` });
  await expectRefused(worlds, [
    [ask("colour=red"), 400, "colour"],
    [ask("colour"), 400, "colour"],
    [ask("__proto__=1"), 400, "__proto__"],
    [ask("constructor=1"), 400, "constructor"],
    [ask("%00=1"), 400],
    [ask("%ff=1"), 400, "query"],
    [ask("=1"), 400],
    ...names.flatMap((name) => [
      [ask(`${name}=%ff`), 400, name] as const,
      [ask(`${name}=%`), 400, name] as const,
      [ask(`${name}=1&${name}=1`), 400] as const,
      [ask(`${name.toUpperCase()}=1`), 400, name.toUpperCase()] as const,
      [ask(`${name}[]=1`), 400] as const,
    ]),
  ]);
});

test.each(named)("%s refuses a path that names nothing", async (_, route) => {
  const worlds = stage();
  const world = worlds.get("default");
  const request = requestFor(route, world);
  const variable = route.path.split("/").filter((part) => part.startsWith(":"));
  const ask = (path: string): ApiRequest => ({ ...request, path: `/_sim/${path}` });
  const odd = [
    "nobody",
    "%00",
    "__proto__",
    "constructor",
    "..%2f..",
    "x".repeat(5000),
    "%F0%9F%98%80",
  ];
  await expectRefused(worlds, [
    [ask(`${pathFor(route, world)}/`), 404, "path"],
    [ask(`${pathFor(route, world)}/and/more/of/it/all`), 404, "path"],
    [ask(`/${pathFor(route, world)}`), 404, "path"],
    ...variable.flatMap((part) => {
      const name = part.slice(1);
      return [
        [ask(pathFor(route, world, { [name]: "" })), 404, "path"] as const,
        [ask(pathFor(route, world, { [name]: "%ff" })), 400, name] as const,
        ...odd.map((value) => [ask(pathFor(route, world, { [name]: value })), 404, name] as const),
      ];
    }),
  ]);
});

test.each(named)("%s refuses a body of the wrong type, size or form", async (_, route) => {
  const worlds = stage();
  const request = requestFor(route, worlds.get("default"));
  const takesBody = (route.body ?? "none") !== "none";
  const send = (body: string | Uint8Array, headers = JSON_BODY): ApiRequest => ({
    ...request,
    headers,
    body,
  });
  const json = typeof request.body === "string" ? request.body : "{}";
  const as = (type: string): ApiRequest => send(json, { "content-type": type });
  const most = route.maxBodyBytes ?? MAX_CONTROL_BODY_BYTES;
  await expectRefused(worlds, [
    [send(json, {}), 415, "body"],
    [as(""), 415, "body"],
    [as("text/plain"), 415, "body"],
    [as("text/plain; application/json"), 415, "body"],
    [as("application/x-www-form-urlencoded"), 415, "body"],
    [as("multipart/form-data; boundary=x"), 415, "body"],
    [as("application/json; charset=utf-16"), 415, "body"],
    [as("application/jsonx"), 415, "body"],
    [send(json, { ...JSON_BODY, "content-encoding": "gzip" }), 415, "body"],
    [send("seed=evil", { "content-type": "application/x-www-form-urlencoded" }), 415, "body"],
    [send(" ".repeat(most + 1)), 413, "body"],
    [send(new Uint8Array(most + 1)), 413, "body"],
    ...[
      "{",
      "nothing",
      "{'a':1}",
      '{"a":1,}',
      '{"a":NaN}',
      "{}{}",
      " ",
      "\u0000",
      "\ufeff{",
      "null",
      "true",
      "5",
      "1e999",
      '"text"',
      "[]",
      "[{}]",
      `${"[".repeat(30_000)}`,
      Uint8Array.of(0x7b, 0xff, 0x7d),
      Uint8Array.of(0xef, 0xbb, 0xbf),
      Uint8Array.of(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00),
    ].map((body) => [send(body), 400, "body"] as const),
    ...(takesBody ? [] : [[send("{}"), 400, "body"] as const]),
    ...(route.body === "required"
      ? [[{ method: request.method, path: request.path }, 400, "body"] as const]
      : []),
  ]);
});

/** A snapshot is guarded by its digest instead. */
const withMembers = withBody.filter(([name]) => name !== "PUT snapshot");

test.each(withMembers)("%s refuses unknown members", async (_, route) => {
  const worlds = stage();
  const request = requestFor(route, worlds.get("default"));
  const members = JSON.stringify(bodyFor(route, worlds.get("default"))).slice(1);
  const comma = members === "}" ? "" : ",";
  const send = (more: string): ApiRequest => ({ ...request, body: `{${more}${comma}${members}` });
  await expectRefused(worlds, [
    [send('"colour":"red"'), 400, "colour"],
    [send('"__proto__":{"a":1}'), 400, "__proto__"],
    [send('"constructor":{}'), 400, "constructor"],
    [send('"toString":1'), 400, "toString"],
    [send('"":1'), 400],
    [send('"\\u0000":1'), 400],
    [send('"length":0'), 400, "length"],
  ]);
});

test.each([...routesByPath])(
  "%s answers other methods with 405 and Allow",
  async (path, routes) => {
    const worlds = stage();
    const methods = routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    const others = [
      "GET",
      "HEAD",
      "POST",
      "PUT",
      "PATCH",
      "DELETE",
      "OPTIONS",
      "TRACE",
      "get",
      "__proto__",
    ];
    const before = stateOf(worlds);
    for (const method of others.filter((other) => !methods.includes(other))) {
      const target = `/_sim/${pathFor({ path }, worlds.get("default"))}`;
      const response = await worlds.begin({ method, path: target, headers: JSON_BODY, body: "{}" });
      expect(response.headers.allow, method).toBe(methods.join(", "));
      if (method === "HEAD") expect([response.status, response.body]).toEqual([405, ""]);
      else expect(expectRefusal(response, method, [405])).toBe("method");
    }
    expect(stateOf(worlds)).toBe(before);
  },
);

const anyLength = { "content-length": expect.any(String) };

test.each(named.filter(([, { method }]) => method === "GET"))(
  "%s changes nothing, and HEAD is the same without a body",
  async (_, route) => {
    const worlds = stage();
    const before = stateOf(worlds);
    const request = requestFor(route, worlds.get("default"));
    const { more: _more, ...get } = await worlds.begin(request);
    // The length of the metrics changes with what the process uses. A stream of events has none.
    const length = get.headers["content-length"] === undefined ? {} : anyLength;
    const headers = { ...get.headers, ...length };
    const head = await worlds.begin({ ...request, method: "HEAD" });
    expect(head).toEqual({ ...get, headers, body: "" });
    expect(stateOf(worlds)).toBe(before);
  },
);

describe("a body with one value replaced", () => {
  /** Values that fit no field of any body, save for fields that take anything. */
  const unfit = [null, { "": 1 }, [{ wrong: [null] }], [[]]];
  const takesAnything = /^(?:fault\.)?verdict\.body\b/;
  /** Values that fit some fields. One that is accepted must not corrupt anything. */
  const odd: readonly unknown[] = [
    true,
    false,
    0,
    -1,
    0.5,
    1e308,
    -1e308,
    1e21,
    9_007_199_254_740_991,
    HUGE,
    "",
    " ",
    "\u0000",
    "\ud800",
    "\u202e",
    "x".repeat(1000),
    "1",
    "-1",
    "1e3",
    "__proto__",
    "2026-01-16",
    "9999-12-31T18:29:59.999Z",
    "+275760-09-13T00:00:00Z",
    "104249991d",
    "default",
    [],
    [1, 2],
    ["\ud800"],
    {},
  ];

  test.each(withBody)(
    "by one of another type is refused by %s, which names the field",
    async (name, route) => {
      const worlds = stage();
      const world = worlds.get("default");
      const request = requestFor(route, world);
      const body = bodyFor(route, world) as object;
      const before = stateOf(worlds);
      for (const place of placesIn(body)) {
        const path = place.join(".");
        if (takesAnything.test(path)) continue;
        for (const value of unfit) {
          // A rule without an end already has null there.
          if (JSON.stringify(replaced(body, place, value)) === JSON.stringify(body)) continue;
          const changed = JSON.stringify(replaced(body, place, value));
          const what = `${path}: ${JSON.stringify(value)}`;
          const response = await worlds.begin({ ...request, body: changed });
          const field = expectRefusal(response, what, [400]);
          // A snapshot may be refused for its digest instead.
          if (name !== "PUT snapshot") expect(isNear(field, path), `${what}: ${field}`).toBe(true);
          expect(stateOf(worlds) === before, `${what} changed something`).toBe(true);
        }
      }
    },
  );

  test.each(withBody)("by an odd one is refused by %s, or does no harm", async (name, route) => {
    let worlds = stage();
    let before = stateOf(worlds);
    const body = bodyFor(route, worlds.get("default")) as object;
    // Deeper changes to a snapshot are all refused for its digest.
    const depth = name === "PUT snapshot" ? 1 : 3;
    const places = placesIn(body).filter(({ length }) => length <= depth);
    for (const [place, value] of someOf(
      places.flatMap((one) => odd.map((value) => [one, value] as const)),
    )) {
      const request = requestFor(route, worlds.get("default"));
      const what = `${place.join(".")}: ${JSON.stringify(value)?.slice(0, 80)}`;
      const changed = JSON.stringify(replaced(body, place, value)).replace(`"${HUGE}"`, "1e999");
      const response = await worlds.begin({ ...request, body: changed });
      if (response.status >= 300) {
        expectRefusal(response, what, [400, 404, 409]);
        expect(stateOf(worlds) === before, `${what} changed something`).toBe(true);
        continue;
      }
      await expectUnharmed(worlds, what);
      worlds = stage();
      before = stateOf(worlds);
    }
  });
});

/** Expects every GET route to answer, and the state to survive being saved and restored. */
async function expectUnharmed(worlds: Worlds, what: string): Promise<void> {
  for (const name of worlds.names()) {
    const prefix = `/@${name}/_sim`;
    for (const { method, path } of apiRoutes) {
      if (method !== "GET" || path.includes(":")) continue;
      expect(
        (await worlds.begin({ method, path: `${prefix}/${path}` })).status,
        `${what}: ${path}`,
      ).toBe(200);
    }
    const saved = (await worlds.begin({ method: "GET", path: `${prefix}/snapshot` })).body;
    const sent = { method: "PUT", path: `${prefix}/snapshot`, headers: JSON_BODY, body: saved };
    expect((await worlds.begin(sent)).status, what).toBe(200);
    expect((await worlds.begin({ method: "GET", path: `${prefix}/snapshot` })).body, what).toBe(
      saved,
    );
  }
}

type Place = readonly string[];

/** The places of all values in a body, at any depth. */
function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    [...at, name],
    ...placesIn(member, [...at, name]),
  ]);
}

function replaced(body: object, place: Place, value: unknown): unknown {
  const copy = structuredClone(body);
  const [last = "", ...before] = place.toReversed();
  const holder = before
    .toReversed()
    .reduce<object>((within, name) => (within as Record<string, object>)[name] ?? within, copy);
  Object.assign(holder, { [last]: value });
  return copy;
}

/** Whether one of the two paths contains the other. */
function isNear(field: string, path: string): boolean {
  return `${field}.`.startsWith(`${path}.`) || `${path}.`.startsWith(`${field}.`);
}
