/** Who may use the control API, and who may create a world: programs, pages and tunnels, with and without a token. */

import { expect, test } from "vitest";
import type { ServerOptions } from "../../src/server.ts";
import { apiRoutes, requestFor, setUp, stateOf } from "../control/every-route.ts";
import { exchange, type RawResponse, serve } from "./raw.ts";

const STATS = "/v1/publisher/stats";

/** Sends a request with these lines as its head, and expects an answer. */
async function send(port: number, target: string, lines: string, body = ""): Promise<RawResponse> {
  const [method = ""] = target.split(" ");
  const host = /^host:/im.test(lines) ? "" : "Host: localhost\r\n";
  const sent = `${target} HTTP/1.1\r\n${host}${lines}\r\n${body}`;
  const [response] = (await exchange(port, sent, { method })).responses;
  if (response === undefined) throw new Error(`No answer to ${sent}`);
  return response;
}

const basic = (password: string): string =>
  `Basic ${Buffer.from(`any:${password}`).toString("base64")}`;

const LOCKED = { controlToken: "s3cret" };
const OPEN = { host: "0.0.0.0" };
const TUNNEL = { host: "abc.ngrok.app", origin: "https://abc.ngrok.app" };
const BEARER = { authorization: "Bearer s3cret" };
const PASSWORD = { authorization: basic("s3cret") };
const EVIL = { origin: "http://evil.example" };
const crossSite = { "sec-fetch-site": "cross-site" };

type Access = readonly [
  options: ServerOptions,
  headers: Readonly<Record<string, string>>,
  control: number,
  /** What the first request to a world of its API gets. 401 says that the API was reached. */
  world: number,
];

const table: readonly Access[] = [
  // On this machine, without a token: its own names and its own page.
  ...["localhost", "LOCALHOST:80", "localhost.:4010", "my_app.localhost:4010", "127.0.0.1:9"]
    .concat("127.3.2.1", "[::1]", "[0:0:0:0:0:0:0:1]:4010")
    .map((host): Access => [{}, { host, "x-forwarded-host": "evil.example" }, 200, 401]),
  [{}, { origin: "http://localhost" }, 200, 401],
  [{}, { origin: "https://localhost" }, 200, 401],
  [{}, { host: "localhost:4010", origin: "http://localhost:4010" }, 200, 401],
  [{}, { "sec-fetch-site": "none" }, 200, 401],
  // nginx, which ends TLS and sends another Host. The browser knows the page's origin.
  [{}, { origin: "https://ads.test", "sec-fetch-site": "same-origin" }, 200, 401],
  // Names that may have been rebound, and tunnels.
  ...["evil.example", "EVIL.EXAMPLE:4010", "evil.example.", "localhost.evil.example", "10.0.0.1"]
    .concat("127.0.0.1.evil.example", "evil-localhost", "localhost@evil.example", ".localhost.")
    .concat("127.0.0.1:80:80.evil", "[::2]", "")
    .flatMap((host): Access[] => [
      [{}, { host }, 403, 403],
      [{}, { host, "x-forwarded-host": "localhost", forwarded: "host=localhost" }, 403, 403],
      [{}, { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" }, 403, 403],
    ]),
  [{}, TUNNEL, 403, 403],
  [{ host: "localhost" }, { host: "localhost" }, 200, 401],
  // Pages of other origins. Those of this machine may use the API, and nothing but the API.
  ...[EVIL, { origin: "null" }, crossSite, { "sec-fetch-site": "same-site" }]
    .concat({ "sec-fetch-site": "none, cross-site" }, { "sec-fetch-site": "Cross-Site" })
    .map((headers): Access => [{}, headers, 403, 403]),
  [{}, { origin: "http://localhost:3000" }, 403, 401],
  [{ cors: "*" }, { ...EVIL, ...crossSite }, 403, 401],
  [{ cors: "*" }, crossSite, 403, 403],
  [{ cors: "off" }, { origin: "http://localhost:3000" }, 403, 403],
  // With a token it decides. A browser adds a password by itself, but no page can add a token without being asked.
  [LOCKED, {}, 401, 403],
  [LOCKED, TUNNEL, 401, 403],
  [LOCKED, EVIL, 403, 403],
  ...[LOCKED, { ...LOCKED, ...OPEN }].flatMap((options): Access[] => [
    [options, BEARER, 200, 401],
    [options, { authorization: "bearer s3cret" }, 200, 401],
    [options, { ...BEARER, host: "any.example" }, 200, 401],
    [options, { ...BEARER, ...TUNNEL }, 200, 401],
    [options, { ...BEARER, ...EVIL }, 200, 401],
    [options, { ...PASSWORD, ...TUNNEL }, 200, 401],
    [options, { ...PASSWORD, ...EVIL }, 403, 403],
    [options, { ...PASSWORD, ...crossSite }, 403, 403],
  ]),
  // Beyond this machine, without a token.
  [OPEN, {}, 403, 401],
  [OPEN, { host: "any.example" }, 403, 401],
  [OPEN, EVIL, 403, 403],
];

test.each(table)(
  "with %j and %j the control API answers %i, and a new world %i",
  async (...row) => {
    const [options, headers, control, world] = row;
    await using server = await serve(options);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const given = lines.join("");
    const created = await send(server.port, `GET /@new${STATS}`, given);
    expect(created.status, created.body).toBe(world);
    expect(server.worlds.names()).toEqual(world === 403 ? ["default"] : ["default", "new"]);
    for (const path of ["/_sim/reset", "/@default/_sim/reset"]) {
      const { publishers } = server.worlds.get("default");
      const { total } = publishers;
      publishers.signUp({});
      const answer = await send(server.port, `POST ${path}`, given);
      expect(answer.status, answer.body).toBe(control);
      expect(publishers.total).toBe(control === 200 ? 3 : total + 1);
      expect(Object.keys(answer.headers).join()).not.toContain("access-control");
      if (control !== 200) expect(answer.body).not.toContain("s3cret");
    }
    // Worlds that exist answer everyone.
    const { status } = await send(server.port, `GET /@default${STATS}`, given);
    expect(status).toBe(401);
  },
);

test.each<[ServerOptions, path: string, lines: string, field: string | undefined, help: string]>([
  [{}, "/_sim/health", "Host: abc.ngrok.app\r\n", "host", "--control-token TOKEN"],
  [{}, "/_sim/health", "Host: abc.ngrok.app\r\n", "host", "--host NAME"],
  [{}, "/_sim/health", "Origin: http://evil.example\r\n", "origin", "enter its address"],
  [LOCKED, "/_sim/health", "", "authorization", "Authorization: Bearer TOKEN"],
  [OPEN, "/_sim/health", "", undefined, "--control-token TOKEN"],
  [{}, `/@new${STATS}`, "Host: evil.example\r\n", "host", "/@NAME/_sim/health"],
  [{}, `/@new${STATS}`, "Origin: http://evil.example\r\n", "origin", "--cors"],
  [LOCKED, `/@new${STATS}`, "", "world", "/@NAME/_sim/health"],
])("%j: the refusal of %s with %j says what to do", async (options, path, lines, field, help) => {
  await using server = await serve(options);
  const answer = await send(server.port, `GET ${path}`, lines);
  const problem = JSON.parse(answer.body);
  expect(problem.field).toBe(field);
  expect(problem.detail).toContain(help);
  expect(problem.type === "urn:adsim:control:no-world").toBe(path.startsWith("/@new"));
  expect(answer.headers).toMatchObject({
    "content-type": "application/problem+json",
    "x-ratelimit-remaining": "60",
  });
});

test.each([
  "Bearer s3cre",
  "Bearer s3cret2",
  "Bearer S3CRET",
  "Bearer",
  "s3cret",
  "Digest s3cret",
  basic("wrong"),
  basic("s3cret "),
  `Basic ${Buffer.from("s3cret:").toString("base64")}`,
  `Basic ${Buffer.from("s3cret").toString("base64")}`,
  "Basic",
  "Basic s3cret",
  "Basic %%%%",
  `${basic("s3cret")}, ${basic("s3cret")}`,
  `Basic ${Buffer.from([0xff, 0x3a]).toString("base64")}`,
])("%j isn't the token, and a browser is asked for it", async (authorization) => {
  await using server = await serve(LOCKED);
  const answer = await send(server.port, "GET /_sim/", `Authorization: ${authorization}\r\n`);
  expect(answer.status).toBe(401);
  expect(answer.headers["www-authenticate"]).toMatch(/^Basic realm="adsim control", Bearer /);
});

test.each(apiRoutes)(
  "%s does nothing for a foreign page or under a rebound name",
  async (_, route) => {
    await using server = await serve({ cors: "*" });
    setUp(server.worlds);
    const before = stateOf(server.worlds);
    const request = requestFor(route, server.worlds.get("default"));
    const body = String(request.body ?? "");
    const fields = Object.entries(request.headers ?? {}).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const lines = `${fields.join("")}Content-Length: ${Buffer.byteLength(body)}\r\n`;
    for (const foreign of ["Host: evil.example\r\n", "Origin: null\r\n"]) {
      const target = `${request.method} ${request.path}`;
      const { status } = await send(server.port, target, foreign + lines, body);
      expect(status).toBe(403);
    }
    expect(stateOf(server.worlds)).toBe(before);
  },
);

test.each(["GET", "HEAD", "OPTIONS", "TRACE"])(
  "%s creates no world under a foreign host",
  async (method) => {
    await using server = await serve({ cors: "*" });
    for (const path of [`/@made${STATS}`, "/@made", "/@made?x", "/@made/_sim/health"]) {
      const { status } = await send(server.port, `${method} ${path}`, "Host: evil.example\r\n");
      expect(status, path).toBe(403);
    }
    // The host of an absolute target counts, not the Host header.
    const target = `${method} http://evil.example/@made${STATS}`;
    expect((await send(server.port, target, "")).status).toBe(403);
    expect(server.worlds.names()).toEqual(["default"]);
  },
);

test.each<[ServerOptions, string, boolean]>([
  [{}, "http://localhost:5173", true],
  [{}, "http://[::1]:3000", true],
  [{}, "https://app.example", false],
  [{}, "null", false],
  [{ cors: "https://app.example" }, "https://app.example", true],
  [{ cors: "https://app.example" }, "https://other.example", false],
  [{ cors: "*" }, "null", true],
  [{ assumptions: { "http.cors": "none" } }, "http://localhost:5173", false],
])("with %j the preflight of a page of %s creates a world: %j", async (options, origin, makes) => {
  await using server = await serve(options);
  const asked = `Origin: ${origin}\r\nSec-Fetch-Site: cross-site\r\nAccess-Control-Request-Method: GET\r\n`;
  const answer = await send(server.port, `OPTIONS /@new${STATS}`, asked);
  expect(answer.status).toBe(makes ? 204 : 403);
  expect("access-control-allow-origin" in answer.headers).toBe(makes);
  expect(server.worlds.names()).toEqual(makes ? ["default", "new"] : ["default"]);
  // The control API refuses them all.
  for (const path of ["/_sim/health", "/_sim/reset", "/@x/_sim/health", "/_sim"]) {
    const refused = await send(server.port, `OPTIONS ${path}`, asked);
    expect(refused.status, path).toBe(403);
    expect(Object.keys(refused.headers).join()).not.toContain("access-control");
  }
});
