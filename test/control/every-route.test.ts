/** Every route of the control API against a correct request and wrong ones: refused with the field's name, and nothing changes. */

import * as v from "valibot";
import { expect, test } from "vitest";
import { MAX_SNAPSHOT_BYTES } from "../../src/control/read-request.ts";
import type { ControlRoute } from "../../src/control/route.ts";
import type { SimulatorCore } from "../../src/simulator/core.ts";
import type { ApiRequest, ApiResponse } from "../../src/spec/messages.ts";
import { JSON_BODY } from "../worlds.ts";
import { apiRoutes, pathFor, requestFor, stage, stateOf } from "./every-route.ts";

/** Expects a refusal that says where. @returns the field. */
function expectRefusal(response: ApiResponse, status: number, what: string): string {
  expect(response.status, `${what}: ${response.body.slice(0, 300)}`).toBe(status);
  expect(response.headers, what).toMatchObject({
    "content-type": "application/problem+json",
    "x-ratelimit-remaining": "60",
  });
  const problem = JSON.parse(response.body);
  expect(problem, what).toMatchObject({ status, detail: expect.stringMatching(/\S/) });
  expect(problem.field, what).toMatch(/^\S/);
  return problem.field;
}

/** `field`: undefined if any will do. */
type Wrong = readonly [request: ApiRequest, status: number, field?: string];

function wrongQueries({ query = {} }: ControlRoute, request: ApiRequest): Wrong[] {
  const ask = (text: string): ApiRequest => ({ ...request, path: `${request.path}?${text}` });
  return [
    [ask("colour=red"), 400, "colour"],
    [ask("__proto__=1"), 400, "__proto__"],
    [ask("%ff=1"), 400],
    [ask("=1"), 400],
    ...Object.keys(query).map((name): Wrong => {
      const upper = name.toUpperCase();
      return [ask(`${upper}=1`), 400, upper];
    }),
  ];
}

function wrongPaths({ path }: ControlRoute, request: ApiRequest, world: SimulatorCore): Wrong[] {
  const ask = (below: string): ApiRequest => ({ ...request, path: `/_sim/${below}` });
  const right = pathFor(path, world);
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => name);
  return [
    ...[`${right}/`, `${right}/and/more`, `/${right}`].map((one): Wrong => [ask(one), 404, "path"]),
    ...names.flatMap((name): Wrong[] => [
      [ask(pathFor(path, world, { [name]: "" })), 404, "path"],
      ...["nobody", "%00", "%ff", "__proto__", "..%2f..", "x".repeat(5000)].map((value): Wrong => {
        return [ask(pathFor(path, world, { [name]: value })), 404, name];
      }),
    ]),
  ];
}

function wrongBodies({ body }: ControlRoute, request: ApiRequest): Wrong[] {
  const send = (sent: string | Uint8Array, type = "application/json"): ApiRequest => {
    return { ...request, headers: { "content-type": type }, body: sent };
  };
  const json = String(request.body ?? "{}");
  const types = ["", "text/plain", "text/plain; application/json", "application/jsonx"].concat(
    ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
    "application/json; charset=utf-16",
  );
  const texts = ["{", "{'a':1}", '{"a":NaN}', "{}{}", " ", "\u0000", "null", "5", '"x"', "[{}]"];
  const bytes = Uint8Array.of(0x7b, 0xff, 0x7d);
  const isRequired = body !== undefined && !v.is(body, undefined);
  return [
    [{ ...send(json), headers: {} }, 415, "body"],
    ...types.map((type): Wrong => [send(json, type), 415, "body"]),
    ...[...texts, "[".repeat(30_000), bytes].map((sent): Wrong => [send(sent), 400, "body"]),
    ...(body === undefined ? [[send("{}"), 400, "body"] as const] : []),
    ...(isRequired ? [[send(""), 400, "body"] as const] : []),
  ];
}

/** A snapshot is guarded by its digest instead. */
function wrongMembers({ body, path }: ControlRoute, request: ApiRequest): Wrong[] {
  if (body === undefined || path === "snapshot") return [];
  const members = JSON.parse(String(request.body));
  const send = (sent: object): ApiRequest => ({ ...request, body: JSON.stringify(sent) });
  return [
    [send({ ...members, colour: "red" }), 400, "colour"],
    [send({ ...members, constructor: {} }), 400, "constructor"],
    [{ ...request, body: '{"__proto__":{"a":1}}' }, 400],
    // No member of any body takes this.
    ...Object.keys(members).map(
      (name): Wrong => [send({ ...members, [name]: [{ wrong: [null] }] }), 400],
    ),
  ];
}

test.each(apiRoutes)(
  "%s refuses every wrong request, and accepts a correct one",
  async (_, route) => {
    const worlds = stage();
    const world = worlds.get("default");
    const right = requestFor(route, world);
    const before = stateOf(worlds);
    for (const [request, status, field] of [
      ...wrongQueries(route, right),
      ...wrongPaths(route, right, world),
      ...wrongBodies(route, right),
      ...wrongMembers(route, right),
    ]) {
      const what = `${request.method} ${request.path} ${String(request.body).slice(0, 100)}`;
      const found = expectRefusal(await worlds.begin(request), status, what);
      if (field !== undefined) expect(found, what).toBe(field);
      expect(stateOf(worlds) === before, `${what} changed something`).toBe(true);
    }
    const { status, body } = await worlds.begin(right);
    expect([200, 201, 204], body).toContain(status);
  },
);

test.each([
  { method: "POST", path: "reset", bytes: 1024 * 1024, fits: 1024 * 1024 },
  { method: "PUT", path: "snapshot", bytes: MAX_SNAPSHOT_BYTES, fits: 4 * 1024 * 1024 },
])("a body for $path of more than $bytes bytes is refused", async ({ method, path, ...sizes }) => {
  const request = { method, path: `/_sim/${path}`, headers: JSON_BODY };
  const send = (length: number) => stage().begin({ ...request, body: new Uint8Array(length) });
  expect((await send(sizes.fits)).status).toBe(400);
  expect(expectRefusal(await send(sizes.bytes + 1), 413, path)).toBe("body");
});

/** All but that of a play, which `scenarios/:scenario` matches too. */
const ownPaths = apiRoutes.filter(([, { path }]) => path !== "scenarios/play");
const byPath = Map.groupBy(ownPaths, ([, { path }]) => path);

test.each([...byPath])("%s answers other methods with 405 and Allow", async (path, routes) => {
  const worlds = stage();
  const own = routes.flatMap(([, { method }]) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get", "__proto__"];
  const before = stateOf(worlds);
  for (const method of methods.filter((other) => !own.includes(other))) {
    const target = `/_sim/${pathFor(path, worlds.get("default"))}`;
    const response = await worlds.begin({ method, path: target, headers: JSON_BODY, body: "{}" });
    expect(response.headers.allow, method).toBe(own.join(", "));
    if (method === "HEAD") expect([response.status, response.body]).toEqual([405, ""]);
    else expect(expectRefusal(response, 405, method)).toBe("method");
  }
  expect(stateOf(worlds)).toBe(before);
});

test.each(apiRoutes.filter(([, { method }]) => method === "GET"))(
  "%s changes nothing, and HEAD is the same without a body",
  async (_, route) => {
    const worlds = stage();
    const before = stateOf(worlds);
    const request = requestFor(route, worlds.get("default"));
    const { more: _more, ...get } = await worlds.begin(request);
    const head = await worlds.begin({ ...request, method: "HEAD" });
    // The length of the metrics changes with what the process uses.
    const { "content-length": _length, ...headers } = get.headers;
    expect(head).toMatchObject({ status: get.status, headers, body: "" });
    expect(stateOf(worlds)).toBe(before);
  },
);
