/** No route of the control API does anything for a forbidden sender, or with a body of a forbidden type or size. */

import { expect, test } from "vitest";
import { MAX_CONTROL_BODY_BYTES } from "../../src/control/input.ts";
import type { ControlRoute } from "../../src/control/route.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { apiRoutes, nameOf, requestFor, setUp, stateOf } from "../control/every-route.ts";
import { exchange, serve } from "./raw.ts";

const named = apiRoutes.map((route): [string, ControlRoute] => [nameOf(route), route]);

/** The request as text, with `lines` after the Host header or with their own. */
function raw({ method, path, headers = {}, body = "" }: ApiRequest, lines: string): string {
  const host = /^host:/i.test(lines) ? "" : "Host: localhost\r\n";
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === "" ? "" : `Content-Length: ${Buffer.byteLength(String(body))}\r\n`;
  return `${method} ${path} HTTP/1.1\r\n${host}${lines}${fields.join("")}${length}\r\n${body}`;
}

const foreign = [
  "Host: evil.example\r\n",
  "Host: localhost.evil.example:4010\r\n",
  "Origin: http://evil.example\r\n",
  "Origin: null\r\n",
  "Origin: http://localhost:3000\r\n",
  "Sec-Fetch-Site: cross-site\r\n",
  "Sec-Fetch-Site: same-site\r\n",
  "Host: evil.example:4010\r\nOrigin: http://evil.example:4010\r\nSec-Fetch-Site: same-origin\r\n",
];

test.each(
  named.flatMap(([name, route]) =>
    [[], ["*", "http://evil.example"]].map((cors) => [name, cors, route] as const),
  ),
)(
  "%s may not be used by a foreign page or under a rebound name, with cors %j",
  async (_, cors, route) => {
    await using server = await serve({ cors });
    setUp(server.worlds);
    const before = stateOf(server.worlds);
    const request = requestFor(route, server.worlds.get("default"));
    for (const lines of foreign) {
      for (const world of ["", "/@default", "/@new"]) {
        const sent = raw({ ...request, path: `${world}${request.path}` }, lines);
        const { responses } = await exchange(server.port, sent);
        expect(responses[0]?.status, `${world} ${lines}`).toBe(403);
        expect(responses[0]?.headers["content-type"]).toBe("application/problem+json");
        expect(["host", "origin"]).toContain(JSON.parse(responses[0]?.body ?? "").field);
        expect(Object.keys(responses[0]?.headers ?? {}).join()).not.toContain("access-control");
      }
    }
    expect(stateOf(server.worlds)).toBe(before);
  },
);

test.each(named)(
  "%s refuses the types of body that any page can send, and bodies that are too large",
  async (_, route) => {
    await using server = await serve();
    setUp(server.worlds);
    const before = stateOf(server.worlds);
    const request = requestFor(route, server.worlds.get("default"));
    const body = String(request.body ?? "{}");
    const send = async (type: string, content: string, chunked = false): Promise<number> => {
      const sent = chunked
        ? `${raw({ method: request.method, path: request.path }, `Transfer-Encoding: chunked\r\nContent-Type: ${type}\r\n`)}${content.length.toString(16)}\r\n${content}\r\n0\r\n\r\n`
        : raw({ ...request, headers: { "content-type": type }, body: content }, "");
      const { responses } = await exchange(server.port, sent);
      expect(responses[0]?.headers["content-type"]).toBe("application/problem+json");
      return responses[0]?.status ?? 0;
    };
    expect(await send("text/plain", body)).toBe(415);
    expect(await send("text/plain", body, true)).toBe(415);
    expect(await send("application/x-www-form-urlencoded", "seed=evil&by=1m")).toBe(415);
    expect(
      await send(
        "multipart/form-data; boundary=x",
        '--x\r\nContent-Disposition: form-data; name="by"\r\n\r\n1m\r\n--x--',
      ),
    ).toBe(415);
    const most = route.maxBodyBytes ?? MAX_CONTROL_BODY_BYTES;
    // The larger limits are tested in process, without sending so much.
    if (most === MAX_CONTROL_BODY_BYTES) {
      expect(await send("application/json", " ".repeat(most + 1))).toBe(413);
      expect(await send("application/json", " ".repeat(most + 1), true)).toBe(413);
    }
    expect(stateOf(server.worlds)).toBe(before);
  },
);

test("a page of a forbidden origin creates no world, but can use an existing one", async () => {
  await using server = await serve({ maxWorlds: 10 });
  const target = "/v1/publisher/stats";
  const status = async (path: string, lines: string): Promise<number | undefined> =>
    (await exchange(server.port, raw({ method: "GET", path }, lines))).responses[0]?.status;
  const pages = [
    "Origin: http://evil.example\r\n",
    "Origin: null\r\n",
    "Sec-Fetch-Site: cross-site\r\n",
    "Sec-Fetch-Site: same-site\r\n",
  ];
  for (const [index, lines] of pages.entries()) {
    for (const path of [
      `/@w${index}${target}`,
      `/@w${index}`,
      `/@w${index}?x`,
      `/@w${index}/other`,
    ]) {
      expect(await status(path, lines), `${path} ${lines}`).toBe(403);
    }
    // The default world exists anyway, by either path.
    expect(await status(target, lines)).toBe(401);
    expect(await status(`/@default${target}`, lines)).toBe(401);
  }
  expect(server.worlds.names()).toEqual(["default"]);
  // Other clients create one, and then the page may use it.
  expect(await status(`/@w0${target}`, "")).toBe(401);
  expect(await status(`/@w1${target}`, "Sec-Fetch-Site: none\r\n")).toBe(401);
  const own = `Host: localhost:${server.port}\r\nOrigin: http://localhost:${server.port}\r\nSec-Fetch-Site: same-origin\r\n`;
  expect(await status(`/@w2${target}`, own)).toBe(401);
  for (const [index, lines] of pages.slice(0, 3).entries()) {
    expect(await status(`/@w${index}${target}`, lines)).toBe(401);
  }
  expect(server.worlds.names()).toEqual(["default", "w0", "w1", "w2"]);
});

test("a foreign page that sends a body gets a problem document that says what to do", async () => {
  await using server = await serve();
  const sent = raw(
    {
      method: "POST",
      path: "/@w/v1/impression",
      headers: { "content-type": "text/plain" },
      body: "{}",
    },
    "Origin: http://evil.example\r\n",
  );
  const { responses } = await exchange(server.port, sent);
  expect(responses[0]?.status).toBe(403);
  expect(responses[0]?.headers).toMatchObject({
    "content-type": "application/problem+json",
    "x-ratelimit-remaining": "60",
  });
  const { field, detail, title } = JSON.parse(responses[0]?.body ?? "");
  expect(field).toBe("origin");
  expect(title).not.toContain("control API");
  expect(detail).toContain("--cors");
  expect(detail).toContain("/@NAME/_sim/health");
  expect(server.worlds.names()).toEqual(["default"]);
});
