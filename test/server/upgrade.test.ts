/** Requests that ask for another protocol are answered normally, and the bytes after them are not lost. */

import { connect } from "node:net";
import { expect, test } from "vitest";
import { exchange, serve } from "./raw.ts";

const websocket = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
const h2c =
  "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n";
/** From Node 25 on, bytes behind a body can't be kept; the connection ends there, so that no client waits. */
const keepsBehindBodies = Number(process.versions.node.split(".")[0]) < 25;

function get(lines = "", path = "/v1/nothing"): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`;
}

function click(lines: string, body = '{"impression_id":"imp"}'): string {
  return `POST /v1/click HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${lines}\r\n${body}`;
}

test.each([
  ["alone", get(websocket), [404]],
  ["to HTTP/2", get(h2c) + get(), [404, 404]],
  ["to a websocket", get(websocket) + get(), [404, 404]],
  ["in lower case", get("connection: keep-alive,upgrade\r\nupgrade: x\r\n") + get(), [404, 404]],
  ["behind another request", get() + get(websocket) + get(), [404, 404, 404]],
  [
    "requested many times",
    get(websocket).repeat(30) + get(),
    Array.from({ length: 31 }, () => 404),
  ],
  ["with Connection: close", get("Connection: close, Upgrade\r\nUpgrade: x\r\n"), [404]],
  ["not named in Connection", get("Upgrade: x\r\n") + get(), [404, 404]],
  ["without an Upgrade header", get("Connection: upgrade\r\n") + get(), [404, 404]],
])("an upgrade %s is ignored, and every request is answered", async (_, sent, statuses) => {
  await using server = await serve();
  const { responses } = await exchange(server.port, sent, { count: statuses.length });
  expect(responses.map(({ status }) => status)).toEqual(statuses);
});

test.each([
  ["a body", click(websocket)],
  ["a body after Expect", click(`${websocket}Expect: 100-continue\r\n`)],
  [
    "a body in chunks",
    `POST /v1/click HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n${websocket}\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
])(
  "an upgrade with %s: the body is read, and the next request too where Node allows it",
  async (_, sent) => {
    await using server = await serve();
    const { responses } = await exchange(
      server.port,
      [sent.slice(0, -3), sent.slice(-3) + get()],
      keepsBehindBodies ? { count: 2 } : { waitForEnd: true },
    );
    expect(responses.map(({ status }) => status)).toEqual(keepsBehindBodies ? [401, 404] : [401]);
    const [entry] = server.worlds.get("default").journal.entries();
    expect(entry?.request.headers.upgrade).toBe("websocket");
  },
);

test("an upgrade's body that arrives later is awaited", async () => {
  await using server = await serve();
  const sent = click(websocket);
  const answered = await new Promise<string>((resolve, reject) => {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", reject);
    socket.on("data", (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.write(sent.slice(0, 40), () => {
      setTimeout(() => socket.write(sent.slice(40, -5)), 20);
      setTimeout(() => socket.write(sent.slice(-5)), 40);
    });
  });
  expect(answered).toMatch(/^HTTP\/1\.1 401 /);
  expect(server.worlds.get("default").journal.entries()[0]?.request.body).toContain("imp");
});

test("requests around an upgrade are handled in order, even if a rule delays the first answer", async () => {
  await using server = await serve();
  server.worlds.get("default").faults.add({
    match: { nth: 1, per: "world" },
    verdict: { kind: "delay", delay: 50 },
  });
  const sent = get("", "/v1/publisher/stats") + get(websocket) + get("", "/v1/click");
  const { responses } = await exchange(server.port, sent, { count: 3 });
  expect(responses.map(({ status }) => status)).toEqual([401, 404, 405]);
  const paths = server.worlds
    .get("default")
    .journal.entries()
    .map(({ request }) => request.path);
  expect(paths).toEqual(["/v1/publisher/stats", "/v1/nothing", "/v1/click"]);
});

test("a client that leaves during an upgrade does no harm", async () => {
  await using server = await serve();
  server.worlds.get("default").faults.add({
    match: { times: 1, per: "world" },
    verdict: { kind: "delay", delay: 100 },
  });
  const socket = connect(server.port, "127.0.0.1");
  await new Promise<void>((resolve) => {
    socket.write(get() + get(websocket), () => setTimeout(resolve, 20));
  });
  socket.resetAndDestroy();
  const { responses } = await exchange(server.port, get());
  expect(responses[0]?.status).toBe(404);
});

test("CONNECT with bytes behind it is refused, and the connection ends", async () => {
  await using server = await serve();
  const { responses, ended } = await exchange(
    server.port,
    `CONNECT example:443 HTTP/1.1\r\nHost: example\r\nContent-Length: 4\r\n\r\nrest${get()}`,
    { waitForEnd: true },
  );
  expect(responses.map(({ status }) => status)).toEqual([404]);
  expect(ended).toBe(true);
});
