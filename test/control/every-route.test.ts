/** Every route of the control API against a correct request and wrong ones: refused with the field's name, and nothing changes. */

import * as v from "valibot";
import { expect, test } from "vitest";
import { MAX_CONTROL_BODY_BYTES } from "../../src/control/read-request.ts";
import type { Worlds } from "../../src/simulator/worlds.ts";
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

/** Sends requests to the same worlds in turn and expects each to be refused. `field`: undefined if any will do. */
async function expectRefused(
  worlds: Worlds,
  sent: readonly (readonly [request: ApiRequest, status: number, field?: string])[],
): Promise<void> {
  const before = stateOf(worlds);
  for (const [request, status, field] of sent) {
    const what = `${request.method} ${request.path} ${String(request.body).slice(0, 100)}`;
    const found = expectRefusal(await worlds.begin(request), status, what);
    if (field !== undefined) expect(found, what).toBe(field);
    expect(stateOf(worlds) === before, `${what} changed something`).toBe(true);
  }
}

test.each(apiRoutes)("%s accepts a correct request", async (_, route) => {
  const worlds = stage();
  const response = await worlds.begin(requestFor(route, worlds.get("default")));
  expect([200, 201, 204], response.body).toContain(response.status);
});

test.each(apiRoutes)("%s refuses query parameters that it doesn't know", async (_, route) => {
  const worlds = stage();
  const request = requestFor(route, worlds.get("default"));
  const ask = (query: string): ApiRequest => ({ ...request, path: `${request.path}?${query}` });
  await expectRefused(worlds, [
    [ask("colour=red"), 400, "colour"],
    [ask("__proto__=1"), 400, "__proto__"],
    [ask("%ff=1"), 400],
    [ask("=1"), 400],
    ...Object.keys(route.query ?? {}).flatMap((name) => [
      [ask(`${name.toUpperCase()}=1`), 400, name.toUpperCase()] as const,
    ]),
  ]);
});

test.each(apiRoutes)("%s refuses a path that names nothing", async (_, route) => {
  const worlds = stage();
  const world = worlds.get("default");
  const request = requestFor(route, world);
  const ask = (path: string): ApiRequest => ({ ...request, path: `/_sim/${path}` });
  const odd = ["nobody", "%00", "__proto__", "..%2f..", "x".repeat(5000), "%F0%9F%98%80"];
  const names = Array.from(route.path.matchAll(/:(\w+)/g), ([, name = ""]) => name);
  const right = pathFor(route.path, world);
  await expectRefused(worlds, [
    [ask(`${right}/`), 404, "path"],
    [ask(`${right}/and/more`), 404, "path"],
    [ask(`/${right}`), 404, "path"],
    ...names.flatMap((name) => [
      [ask(pathFor(route.path, world, { [name]: "" })), 404, "path"] as const,
      [ask(pathFor(route.path, world, { [name]: "%ff" })), 404, name] as const,
      ...odd.map(
        (value) => [ask(pathFor(route.path, world, { [name]: value })), 404, name] as const,
      ),
    ]),
  ]);
});

test.each(apiRoutes)("%s refuses a body of the wrong type, size or form", async (_, route) => {
  const worlds = stage();
  const request = requestFor(route, worlds.get("default"));
  const send = (body: string | Uint8Array, headers = JSON_BODY): ApiRequest => ({
    ...request,
    headers,
    body,
  });
  const json = String(request.body ?? "{}");
  const types = ["", "text/plain", "text/plain; application/json", "application/jsonx"].concat(
    ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
    "application/json; charset=utf-16",
  );
  const texts = [
    "{",
    "{'a':1}",
    '{"a":1,}',
    '{"a":NaN}',
    "{}{}",
    " ",
    "\u0000",
    "null",
    "5",
    '"x"',
  ];
  const wrong = [...texts, "[]", "[{}]", "[".repeat(30_000), Uint8Array.of(0x7b, 0xff, 0x7d)];
  await expectRefused(worlds, [
    [send(json, {}), 415, "body"],
    ...types.map((type) => [send(json, { "content-type": type }), 415, "body"] as const),
    ...wrong.map((body) => [send(body), 400, "body"] as const),
    ...(route.body === undefined ? [[send("{}"), 400, "body"] as const] : []),
    ...(route.body !== undefined && !v.is(route.body, undefined)
      ? [[{ method: request.method, path: request.path }, 400, "body"] as const]
      : []),
  ]);
});

test("a body of more than 64 MiB is refused", async () => {
  const body = new Uint8Array(MAX_CONTROL_BODY_BYTES + 1);
  const request = { method: "POST", path: "/_sim/reset", headers: JSON_BODY, body };
  await expectRefused(stage(), [[request, 413, "body"]]);
});

/** A snapshot is guarded by its digest instead. */
const withMembers = apiRoutes.filter(([name, { body }]) => body && name !== "PUT snapshot");

test.each(withMembers)("%s refuses unknown members, and names the field", async (_, route) => {
  const worlds = stage();
  const request = requestFor(route, worlds.get("default"));
  const members = JSON.parse(String(request.body));
  const send = (body: object): ApiRequest => ({ ...request, body: JSON.stringify(body) });
  await expectRefused(worlds, [
    [send({ ...members, colour: "red" }), 400, "colour"],
    [send({ ...members, constructor: {} }), 400, "constructor"],
    [{ ...request, body: '{"__proto__":{"a":1}}' }, 400],
    // No member of any body takes this.
    ...Object.keys(members).map(
      (name) => [send({ ...members, [name]: [{ wrong: [null] }] }), 400] as const,
    ),
  ]);
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
