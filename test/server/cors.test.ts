/** Web pages over HTTP: which can create a world, what the control API answers them, and under which host names. */

import { expect, test } from "vitest";
import type { ServerOptions } from "../../src/server.ts";
import { exchange, serve } from "./raw.ts";

const stats = "/v1/publisher/stats";
const page = "http://localhost:5173";

function head(method: string, path: string, lines: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`;
}

function preflight(path: string, origin: string): string {
  return head(
    "OPTIONS",
    path,
    `Origin: ${origin}\r\nSec-Fetch-Site: cross-site\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: authorization\r\n`,
  );
}

test.each<[ServerOptions, string, boolean]>([
  [{}, page, true],
  [{}, "http://[::1]:3000", true],
  [{}, "https://app.example", false],
  [{}, "null", false],
  [{ cors: "https://app.example" }, "https://app.example", true],
  [{ cors: "https://app.example" }, page, true],
  [{ cors: "https://app.example" }, "https://other.example", false],
  [{ cors: "*" }, "https://other.example", true],
  [{ cors: "*" }, "null", true],
  [{ cors: "off" }, page, false],
  [{ assumptions: { "http.cors": "none" } }, page, false],
])(
  "with the options %j the first request of a page of %s creates a world: %j",
  async (options, origin, makes) => {
    await using server = await serve(options);
    const first = await exchange(server.port, preflight(`/@by-preflight${stats}`, origin));
    const second = await exchange(
      server.port,
      head("GET", `/@by-get${stats}`, `Origin: ${origin}\r\nSec-Fetch-Site: cross-site\r\n`),
    );
    const answers = [first, second].map(({ responses }) => responses[0]);
    expect(answers.map((answer) => answer?.status)).toEqual(makes ? [204, 401] : [403, 403]);
    const names = makes ? ["default", "by-preflight", "by-get"] : ["default"];
    expect(server.worlds.names()).toEqual(names);
    for (const answer of answers) {
      expect("access-control-allow-origin" in (answer?.headers ?? {})).toBe(makes);
      if (!makes) expect(JSON.parse(answer?.body ?? "").title).not.toContain("control API");
    }
  },
);

test("a preflight to the control API is refused for any origin", async () => {
  await using server = await serve({ cors: ["*", page] });
  for (const path of ["/_sim/health", "/_sim/reset", "/@x/_sim/health", "/_sim"]) {
    for (const origin of [page, "https://any.example", "null"]) {
      const { responses } = await exchange(server.port, preflight(path, origin));
      expect(responses[0]?.status, path).toBe(403);
      expect(Object.keys(responses[0]?.headers ?? {}).join()).not.toContain("access-control");
    }
    // Without an Origin it isn't a preflight, and no control route has the method OPTIONS.
    const own = head("OPTIONS", path, "Access-Control-Request-Method: GET\r\n");
    const { responses } = await exchange(server.port, own);
    expect([404, 405]).toContain(responses[0]?.status);
    expect(Object.keys(responses[0]?.headers ?? {}).join()).not.toContain("access-control");
  }
  expect(server.worlds.names()).toEqual(["default"]);
});

test("metrics count preflights separately", async () => {
  await using server = await serve();
  await exchange(server.port, preflight(stats, page));
  const metrics = await (await fetch(`${server.url}/_sim/metrics`)).text();
  expect(metrics).toContain('adsim_requests_total{operation="preflight",status="204"} 1');
});

const rebound = [
  "evil.example",
  "evil.example:4010",
  "EVIL.EXAMPLE",
  "evil.example.",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "evil-localhost",
  "localhost@evil.example",
  "127.0.0.1:80:80.evil",
  ".localhost.",
  "10.0.0.1",
  "[::2]",
  "",
];

test.each(rebound)(
  "a request with the host %j creates no world, but can use an existing one",
  async (host) => {
    await using server = await serve({ cors: "*" });
    const requests = [
      `GET /@x${stats} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      `GET /@x${stats} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Host: localhost\r\nForwarded: host=localhost\r\n\r\n`,
      `GET /@x${stats} HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nSec-Fetch-Site: same-origin\r\n\r\n`,
      `GET /@x HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      `OPTIONS /@x${stats} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${page}\r\nAccess-Control-Request-Method: GET\r\n\r\n`,
      `POST /@x/v1/impression HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\n{}`,
      ...(host === "" ? [] : [`GET http://${host}/@x${stats} HTTP/1.1\r\nHost: localhost\r\n\r\n`]),
    ];
    for (const sent of requests) {
      const { responses } = await exchange(server.port, sent);
      expect(responses[0]?.status, sent).toBe(403);
      expect(JSON.parse(responses[0]?.body ?? "")).toMatchObject({
        type: "urn:adsim:control:no-world",
        field: "host",
      });
    }
    expect(server.worlds.names()).toEqual(["default"]);
    // Containers and hosts files give a machine such names, so existing worlds answer under any.
    server.worlds.get("x");
    for (const path of [stats, `/@default${stats}`, `/@x${stats}`]) {
      const sent = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      expect((await exchange(server.port, sent)).responses[0]?.status).toBe(401);
    }
  },
);

test.each([
  ["localhost", {}],
  ["LOCALHOST:80", {}],
  ["localhost.", {}],
  ["localhost.:4010", {}],
  ["my_app.localhost:4010", {}],
  ["127.0.0.1:9", {}],
  ["127.3.2.1", {}],
  ["[::1]", {}],
  ["[0:0:0:0:0:0:0:1]:4010", {}],
  ["any.example", { host: "0.0.0.0" }],
])("a request with the host %s creates a world with the options %j", async (host, options) => {
  await using server = await serve(options);
  const sent = `GET /@x${stats} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Host: evil.example\r\n\r\n`;
  expect((await exchange(server.port, sent)).responses[0]?.status).toBe(401);
  expect(server.worlds.names()).toEqual(["default", "x"]);
});

test("a server that listens on localhost creates worlds for requests to localhost", async () => {
  await using server = await serve({ host: "localhost" });
  expect((await fetch(`http://localhost:${server.port}/@x${stats}`)).status).toBe(401);
});
