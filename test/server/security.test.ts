/** Who may use the control API: every refusal, and that a refusal has no effect. */

import { expect, test } from "vitest";
import { exchange, serve } from "./raw.ts";

function reset(lines: string, path = "/_sim/reset"): string {
  return `POST ${path} HTTP/1.1\r\n${lines}Content-Type: application/json\r\nContent-Length: 14\r\n\r\n{"seed":"evil"}`.replace(
    "Content-Length: 14",
    "Content-Length: 15",
  );
}

test("the host of an absolute target counts, not the Host header", async () => {
  await using server = await serve();
  const sent = reset("Host: localhost\r\n", "http://evil.example/_sim/reset");
  const { responses } = await exchange(server.port, sent);
  expect(responses[0]?.status).toBe(403);
  expect(server.worlds.get("default").seed).toBe("adsim");
});

test.each([
  ["CONNECT", "/@made/v1/impression"],
  ["CONNECT", "/@made?x/v1/impression"],
  ["CONNECT", "/@made/_sim/health"],
  ["GET", "/@made/v1/impression"],
  ["OPTIONS", "/@made/v1/impression"],
  ["TRACE", "/@made"],
  ["HEAD", "/@made/v1/publisher/stats"],
])(
  "%s %s creates no world under a foreign host or without the control token",
  async (method, path) => {
    await using server = await serve();
    await using locked = await serve({ controlToken: "s3cret" });
    const sent = `${method} ${path} HTTP/1.1\r\nHost: evil.example\r\nAccept: text/html\r\n\r\n`;
    const foreign = await exchange(server.port, sent, { method });
    expect(foreign.responses[0]?.status).toBe(403);
    expect(server.worlds.names()).toEqual(["default"]);
    const own = sent.replace("evil.example", "localhost").replace("text/html", "*/*");
    const keyless = await exchange(locked.port, own, { method });
    expect(keyless.responses[0]?.status).toBe(path.includes("_sim") ? 401 : 403);
    expect(locked.worlds.names()).toEqual(["default"]);
  },
);

/** In addition to the requests that every route is tested with. */
const foreignPages = [
  "Origin: http://localhost\r\nOrigin: http://localhost\r\n",
  "Sec-Fetch-Site: Cross-Site\r\n",
  "Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n",
];

test.each(foreignPages)("a page of another origin can't reset a world: %j", async (line) => {
  await using server = await serve();
  for (const path of ["/_sim/reset", "/@other/_sim/reset"]) {
    const { responses } = await exchange(server.port, reset(`Host: localhost\r\n${line}`, path));
    expect(responses[0]?.status).toBe(403);
  }
  expect(server.worlds.get("default").seed).toBe("adsim");
  expect(server.worlds.names()).toEqual(["default"]);
});

test("a request from the address bar can reset a world", async () => {
  await using server = await serve();
  const typed = "Host: localhost\r\nSec-Fetch-Site: none\r\n";
  const { responses } = await exchange(server.port, reset(typed));
  expect(responses[0]?.status).toBe(200);
});

test("a page of the server's own origin can reset a world", async () => {
  await using server = await serve();
  const own = `Host: localhost:${server.port}\r\nOrigin: http://localhost:${server.port}\r\nSec-Fetch-Site: same-origin\r\n`;
  const { responses } = await exchange(server.port, reset(own));
  expect(responses[0]?.status).toBe(200);
});

test("beyond loopback the control API is closed without a token, and the API itself is open", async () => {
  await using server = await serve({ host: "0.0.0.0" });
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  for (const path of ["/_sim/reset", "/@other/_sim/reset"]) {
    const { responses } = await exchange(server.port, reset("Host: localhost\r\n", path));
    expect(responses[0]?.status).toBe(403);
    expect(JSON.parse(responses[0]?.body ?? "").detail).toContain("--control-token");
  }
  expect(server.worlds.get("default").seed).toBe("adsim");
  expect(server.worlds.names()).toEqual(["default"]);
  const { responses } = await exchange(
    server.port,
    "GET /v1/publisher/stats HTTP/1.1\r\nHost: any.example\r\n\r\n",
  );
  expect(responses[0]?.status).toBe(401);
});

test.each(["127.0.0.1", "0.0.0.0"])(
  "on %s a control token that is set is required",
  async (host) => {
    await using server = await serve({ host, controlToken: "s3cret" });
    const wrong = [
      "",
      "Authorization: Bearer s3cre\r\n",
      "Authorization: s3cret\r\n",
      "Authorization: Bearer s3cret2\r\n",
      "Authorization: Basic s3cret\r\n",
      "Authorization: Bearer\r\n",
    ];
    for (const line of wrong) {
      const { responses } = await exchange(server.port, reset(`Host: localhost\r\n${line}`));
      expect(responses[0]?.status, line).toBe(401);
      expect(responses[0]?.body).not.toContain("s3cret");
      expect(server.worlds.get("default").seed).toBe("adsim");
    }
    const right = "Host: localhost\r\nAuthorization: Bearer s3cret\r\n";
    // The scheme may be in any case, as in the API itself; the token may not.
    for (const [line, status] of [
      [right, 200],
      [right.replace("Bearer", "bearer"), 200],
      [right.replace("s3cret", "S3CRET"), 401],
    ] as const) {
      const { responses } = await exchange(server.port, reset(line));
      expect(responses[0]?.status, line).toBe(status);
    }
    // The right token lets a page in, whatever its address is.
    const page = "Host: abc.ngrok.app\r\nOrigin: https://abc.ngrok.app\r\n";
    const own = await exchange(server.port, reset(right.replace("Host: localhost\r\n", page)));
    expect(own.responses[0]?.status).toBe(200);
  },
);

test("a client can read the refusal of a snapshot of 20 MiB", async () => {
  await using server = await serve();
  const megabyte = new Uint8Array(1024 * 1024);
  const { responses } = await exchange(server.port, [
    `PUT /_sim/snapshot HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: ${20 * megabyte.length}\r\n\r\n`,
    ...Array.from({ length: 20 }, () => megabyte),
  ]);
  expect(responses[0]?.status).toBe(403);
});
