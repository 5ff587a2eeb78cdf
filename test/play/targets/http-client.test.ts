import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createHttpClient } from "../../../src/play/targets/http-client.ts";
import type { ApiRequest } from "../../../src/spec/messages.ts";
import { foreign, serverFor } from "./remote-world.ts";

/** Sends requests with one or two connections. */
async function senderTo(url: string) {
  const client = await createHttpClient(url, { connections: 2, maxBodyBytes: 1000 });
  onTestFinished(() => client.close());
  return (request: ApiRequest, { prefix = "", timeoutMs = 20_000 } = {}) =>
    client.send(prefix, { request, timeoutMs });
}

function getting(path = "/"): ApiRequest {
  return { method: "GET", path };
}

test.each<[ApiRequest, line: string, headers: readonly string[], body: string]>([
  [
    { method: "PURGE", path: "//a%2f/../~?x", query: "?y=%zz", headers: { "X-Odd": "ü" } },
    "PURGE /base//a%2f/../~?x&y=%zz",
    ["X-Odd", "ü"],
    "",
  ],
  [
    { method: "POST", path: "/", body: Uint8Array.of(0) },
    "POST /base/",
    ["content-length", "1"],
    "\0",
  ],
  [{ method: "GET", path: "/", body: "é" }, "GET /base/", ["content-length", "2"], "é"],
  [
    { method: "POST", path: "/a", query: { "b c": "ü&", d: 1 }, body: { e: 2 } },
    "POST /base/a?b%20c=%C3%BC%26&d=1",
    ["content-type", "application/json", "content-length", "7"],
    '{"e":2}',
  ],
])(
  "%j is sent as it is, below the prefix, with no more headers than a connection needs",
  async (request, line, headers, body) => {
    const arrived: unknown[] = [];
    const url = await foreign(async (incoming, response) => {
      const { method, url: target, rawHeaders } = incoming;
      arrived.push(`${method} ${target}`, rawHeaders, await text(incoming));
      response.end();
    });
    const send = await senderTo(url);
    expect(await send(request, { prefix: "/base" })).toMatchObject({ outcome: "answered" });
    const { host } = new URL(url);
    expect(arrived).toEqual([line, ["host", host, "connection", "keep-alive", ...headers], body]);
  },
);

test("a header that HTTP can't carry is refused, and nothing is sent", async () => {
  let count = 0;
  const send = await senderTo(
    await foreign((_, response) => {
      count += 1;
      response.end();
    }),
  );
  const refused = await send({ ...getting(), headers: { "x-a": "key_b\r\nc: d" } }).catch(
    (error) => error,
  );
  expect(refused).toMatchObject({ name: "InputError", field: "request" });
  expect(refused.message).toContain("over HTTP");
  expect(refused.message).not.toContain("key_b");
  expect(count).toBe(0);
});

test("an answer has its bytes as text, names in lower case, repeated fields joined, and is not followed", async () => {
  let count = 0;
  const send = await senderTo(
    await foreign((_, response) => {
      count += 1;
      const headers = ["Location", "/else", "X-Two", "1", "x-two", "2", "Set-Cookie", "a=ü"];
      response.writeHead(302, [...headers, "set-cookie", "b"]);
      response.end(Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff]));
    }),
  );
  const { why, ...answer } = await send(getting());
  expect(answer).toMatchObject({
    ...{ outcome: "answered", status: 302, text: "\ufeffa\ufffd" },
    headers: { location: "/else", "x-two": "1, 2", "set-cookie": "a=ü, b" },
  });
  expect([why, count]).toEqual([undefined, 1]);
});

test("an answer whose body breaks off or is too long is cut, and the reason is told", async () => {
  const send = await senderTo(
    await foreign(({ url: path }, response) => {
      if (path === "/length") response.setHeader("content-length", "9");
      response.write(path === "/long" ? "a".repeat(1001) : "half");
      setTimeout(() => response.destroy(), 20);
    }),
  );
  for (const path of ["/length", "/chunks"]) {
    const { outcome, status, text: body, why } = await send(getting(path));
    expect([outcome, status, body]).toEqual(["cut", 200, "half"]);
    expect(why).not.toBe(undefined);
  }
  const long = await send(getting("/long"));
  expect(long).toMatchObject({ outcome: "cut", why: expect.stringContaining("1000 bytes") });
});

test("an answer that isn't complete in time is given up, and its connection is closed", async () => {
  const closed = Promise.withResolvers<void>();
  const send = await senderTo(
    await foreign((_, response) => {
      response.on("close", () => closed.resolve());
      response.write("half");
    }),
  );
  const answer = await send(getting(), { timeoutMs: 50 });
  expect(answer).toMatchObject({ outcome: "timed-out", status: 0, headers: {}, text: "" });
  await closed.promise;
});

test("a request that waits for a connection for too long is given up: it isn't sent later", async () => {
  const paths: (string | undefined)[] = [];
  const send = await senderTo(
    await foreign(({ url: path }, response) => {
      paths.push(path);
      if (path === "/last") response.end();
    }),
  );
  const waiting = [400, 400, 50].map((timeoutMs) => send(getting(`/${timeoutMs}`), { timeoutMs }));
  for (const { outcome } of await Promise.all(waiting)) expect(outcome).toBe("timed-out");
  expect((await send(getting("/last"))).outcome).toBe("answered");
  expect(paths).toEqual(["/400", "/400", "/last"]);
});

test("requests with odd methods and paths get what they get in process", async () => {
  const { url, worlds } = await serverFor();
  const send = await senderTo(url);
  const sim = worlds.get("default").fork();
  const requests: readonly ApiRequest[] = [
    { method: "HEAD", path: "/v1/publisher/stats" },
    { method: "OPTIONS", path: "/v1/impression/" },
    { method: "GET", path: "/v1//click?a=%zz" },
    { method: "DELETE", path: "/%fc%00", query: { a: "b c" } },
    { method: "POST", path: "/v1/impression", body: { publisher_id: 1 } },
  ];
  for (const request of requests) {
    const { status, body } = sim.handle(request);
    expect(await send(request)).toMatchObject({ status, text: body });
  }
});
