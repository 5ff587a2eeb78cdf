/** Event streams over HTTP: live rows, and clients that are slow, gone, foreign, or too many. These tests assert no times. */

import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import type { Server } from "../../src/server.ts";
import { senderOf } from "../operation-sender.ts";
import { eventsIn, readEvents, sequencesOf } from "./event-reader.ts";
import { exchange, open, openRawConnection, serve } from "./raw.ts";

const REQUEST = "GET /_sim/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
const PATIENCE = { timeout: 30_000, interval: 5 };

function fill({ worlds }: Pick<Server, "worlds">, count: number, name = "default"): void {
  const { nowhere } = senderOf(worlds.get(name));
  for (let index = 0; index < count; index += 1) nowhere();
}
/** More than the system buffers for a client that doesn't read. */
function fillWithLong({ worlds }: Pick<Server, "worlds">, count: number): void {
  const query = "x".repeat(8000);
  for (let index = 0; index < count; index += 1) {
    worlds.handle({ method: "GET", path: "/v1/x", query });
  }
}
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** The body of a chunked answer, as far as it has come. */
function bodyOf(text: string): string {
  return text.slice(text.indexOf("\r\n\r\n") + 4).replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, "");
}
function isClosed(socket: Socket): Promise<unknown> {
  socket.on("error", () => undefined);
  return socket.closed ? Promise.resolve() : new Promise((done) => socket.once("close", done));
}
async function healthy(server: Server): Promise<void> {
  expect((await fetch(`${server.url}/_sim/health`)).status).toBe(200);
}

test("rows arrive while the stream is open, those of one moment together", async () => {
  await using server = await serve();
  fill(server, 3);
  await using reader = await readEvents(`${server.url}/_sim/events`);
  expect(reader.response.status).toBe(200);
  expect(reader.response.headers.get("content-type")).toBe("text/event-stream");
  expect(reader.response.headers.get("cache-control")).toBe("no-store");
  await expect.poll(reader.sequences, PATIENCE).toEqual(range(1, 3));
  fill(server, 40);
  await expect.poll(reader.sequences, PATIENCE).toEqual(range(1, 43));
  const state = reader.events[0]?.id?.split(".")[1];
  expect(state).toMatch(/^[0-9a-f]{8}-1-0$/);
  expect(reader.events.map(({ id }) => id)).toEqual([`3.${state}`, `43.${state}`]);
  const { url } = server;
  await Promise.all([fetch(`${url}/v1/click`), fetch(`${url}/@other/v1/click`)]);
  await expect.poll(reader.sequences, PATIENCE).toEqual(range(1, 44));
  expect(reader.events.at(-1)?.data).toMatchObject([{ path: "/v1/click", status: 405 }]);
  // Control requests are no exchanges.
  await healthy(server);
  expect(server.worlds.get("default").journal.total).toBe(44);
});

test("without following, the answer ends with what there is, and the connection stays for others", async () => {
  await using server = await serve();
  const world = server.worlds.get("default");
  for (let count = 0; count < 700; count += 1) world.handle({ method: "GET", path: "/v1/nope" });
  const read = async (headers: Record<string, string> = {}): Promise<string> =>
    await (await fetch(`${server.url}/_sim/events?follow=false`, { headers })).text();
  const all = eventsIn(await read());
  expect(sequencesOf(all).length).toBe(700);
  const last = all.at(-1)?.id ?? "";
  const before = last.replace("700.", "699.");
  expect(sequencesOf(eventsIn(await read({ "last-event-id": before })))).toEqual([700]);
  expect(sequencesOf(eventsIn(await read({ "last-event-id": last })))).toEqual([]);
  world.reset();
  expect(eventsIn(await read({ "last-event-id": last })).map(({ event }) => event)).toEqual([
    "restarted",
  ]);
  const wrong = await fetch(`${server.url}/_sim/events?follow=maybe`);
  expect([wrong.status, (await wrong.json()).field]).toEqual([400, "follow"]);
});

test("a named world has its own events, and a client goes on where it was", async () => {
  await using server = await serve();
  fill(server, 2);
  await using reader = await readEvents(`${server.url}/@mine/_sim/events`);
  fill(server, 2, "mine");
  await expect.poll(reader.sequences, PATIENCE).toEqual([1, 2]);
  const id = reader.events.at(-1)?.id?.replace("2.", "1.") ?? "";
  await using again = await readEvents(`${server.url}/@mine/_sim/events`, { "last-event-id": id });
  await expect.poll(again.sequences, PATIENCE).toEqual([2]);
});

test("2000 rows arrive in order, while other requests are answered", async () => {
  await using server = await serve();
  fill(server, 2000);
  await using reader = await readEvents(`${server.url}/_sim/events`);
  await healthy(server);
  await expect.poll(() => reader.sequences().length, PATIENCE).toBe(2000);
  expect(reader.sequences()).toEqual(range(1, 2000));
});

test("a reset starts over", async () => {
  await using server = await serve();
  fill(server, 5);
  await using reader = await readEvents(`${server.url}/_sim/events`);
  await expect.poll(reader.sequences, PATIENCE).toEqual(range(1, 5));
  await fetch(`${server.url}/_sim/reset`, { method: "POST" });
  await expect.poll(() => reader.events.at(-1), PATIENCE).toMatchObject({ event: "restarted" });
  fill(server, 2);
  await expect.poll(reader.sequences, PATIENCE).toEqual([1, 2]);
});

describe("many clients", () => {
  test("clients that never read keep no others waiting, and miss nothing later", async () => {
    await using server = await serve({ journalEntries: 1000 });
    fillWithLong(server, 1000);
    const sockets = await Promise.all([1, 2, 3].map(() => open(server.port)));
    for (const socket of sockets) {
      socket.pause();
      socket.write(REQUEST);
    }
    await healthy(server);
    await using reader = await readEvents(`${server.url}/_sim/events`);
    await expect.poll(() => reader.text().includes('"sequence":1000,'), PATIENCE).toBe(true);
    // While they don't read, the journal drops what they lack.
    fillWithLong(server, 2000);
    const [late] = sockets;
    let text = "";
    late?.setEncoding("latin1").on("data", (piece) => {
      text += piece;
    });
    late?.resume();
    await expect.poll(() => text.includes('"sequence":3000,'), PATIENCE).toBe(true);
    const events = eventsIn(bodyOf(text));
    expect(events.some(({ event }) => event === "restarted")).toBe(true);
    expect(sequencesOf(events)).toEqual(range(2001, 3000));
    for (const socket of sockets) socket.destroy();
  });
});

describe("the connection", () => {
  test("is the stream's alone: what a client sends after it is ignored", async () => {
    await using server = await serve();
    fill(server, 1);
    const { clock } = server.worlds.get("default");
    const beforeMs = clock.now();
    const { socket, text } = await openRawConnection(server.port);
    const advance =
      'POST /_sim/clock/advance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"by":"1h"}';
    socket.write(REQUEST + advance + REQUEST);
    await expect.poll(() => sequencesOf(eventsIn(bodyOf(text()))), PATIENCE).toEqual([1]);
    expect(text()).toMatch(/^connection: close\r$/im);
    for (let count = 0; count < 50; count += 1) socket.write(advance);
    socket.write(`${"garbage ".repeat(100_000)}\r\n\r\n`);
    fill(server, 1);
    await expect.poll(() => sequencesOf(eventsIn(bodyOf(text()))), PATIENCE).toEqual([1, 2]);
    expect(text().match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(clock.now()).toBe(beforeMs);
    await healthy(server);
    socket.destroy();
  });

  test("works in HTTP/1.0, without chunks", async () => {
    await using server = await serve();
    fill(server, 2);
    const { socket, text } = await openRawConnection(server.port);
    socket.write("GET /_sim/events HTTP/1.0\r\nHost: localhost\r\n\r\n");
    const body = (): string => text().slice(text().indexOf("\r\n\r\n") + 4);
    await expect.poll(() => sequencesOf(eventsIn(body())), PATIENCE).toEqual([1, 2]);
    fill(server, 1);
    await expect.poll(() => sequencesOf(eventsIn(body())), PATIENCE).toEqual([1, 2, 3]);
    expect(text()).not.toMatch(/transfer-encoding/i);
    socket.destroy();
  });

  test("HEAD shows the headers and opens nothing", async () => {
    await using server = await serve();
    for (let count = 0; count < 150; count += 1) {
      const response = await fetch(`${server.url}/_sim/events`, { method: "HEAD" });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/event-stream");
    }
    await using reader = await readEvents(`${server.url}/_sim/events`);
    expect(reader.response.status).toBe(200);
  });

  test("comes after answers that are due before it on the connection", async () => {
    await using server = await serve();
    const { socket, text } = await openRawConnection(server.port);
    socket.write(`GET /v1/click HTTP/1.1\r\nHost: localhost\r\n\r\n${REQUEST}`);
    await expect.poll(text, PATIENCE).toContain('"sequence":1');
    const statuses = Array.from(text().matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
    expect(statuses).toEqual(["405", "200"]);
    socket.destroy();
  });

  test("waits for an answer that a rule holds back", async () => {
    await using server = await serve({ faults: [{ verdict: { kind: "delay", delay: "200ms" } }] });
    const { socket, text } = await openRawConnection(server.port);
    socket.write(`GET /v1/click HTTP/1.1\r\nHost: localhost\r\n\r\n${REQUEST}`);
    await expect.poll(text, PATIENCE).toContain('"sequence":1');
    const statuses = Array.from(text().matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
    expect(statuses).toEqual(["405", "200"]);
    socket.destroy();
  });
});

describe("the end", () => {
  test("comes when the world is deleted, and the client that comes back doesn't create it again", async () => {
    await using server = await serve();
    fill(server, 2, "mine");
    await using reader = await readEvents(`${server.url}/@mine/_sim/events`);
    await expect.poll(reader.sequences, PATIENCE).toEqual([1, 2]);
    const deleted = await fetch(`${server.url}/_sim/worlds/mine`, { method: "DELETE" });
    expect(deleted.status).toBe(204);
    await reader.ended;
    const back = await fetch(`${server.url}/@mine/_sim/events`, {
      headers: { "last-event-id": "2" },
    });
    expect(back.status).toBe(204);
    expect(server.worlds.names()).toEqual(["default"]);
  });

  test("comes when the world is dropped to make room, and the client gets 410 then", async () => {
    await using server = await serve({ maxWorlds: 2 });
    const { impression } = senderOf(server.worlds.get("first"));
    impression("a");
    await using reader = await readEvents(`${server.url}/@first/_sim/events`);
    await expect.poll(reader.sequences, PATIENCE).toEqual([1]);
    server.worlds.get("second");
    await reader.ended;
    const back = await fetch(`${server.url}/@first/_sim/events`, {
      headers: { "last-event-id": "1" },
    });
    expect(back.status).toBe(410);
  });

  test("comes at once when the server closes, for clients that read and those that don't", async () => {
    const server = await serve();
    fillWithLong(server, 1000);
    const silent = await open(server.port);
    silent.pause();
    silent.write(REQUEST);
    await using reader = await readEvents(`${server.url}/_sim/events`);
    await expect.poll(() => reader.text().includes('"sequence":1000,'), PATIENCE).toBe(true);
    const idle = await open(server.port);
    await server.close();
    await reader.ended;
    expect(reader.text().endsWith("\n\n")).toBe(true);
    await Promise.all([isClosed(silent.resume()), isClosed(idle)]);
  });
});

test.each([
  "Host: evil.example\r\n",
  "Host: localhost\r\nOrigin: http://evil.example\r\n",
  "Host: localhost\r\nOrigin: null\r\n",
  "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n",
  "Host: localhost\r\nSec-Fetch-Site: same-site\r\n",
])("a foreign page with %j gets no events, whatever CORS allows", async (lines) => {
  await using server = await serve({ cors: ["*"] });
  for (const path of ["/_sim/events", "/@mine/_sim/events"]) {
    const sent = `GET ${path} HTTP/1.1\r\n${lines}Accept: text/event-stream\r\n\r\n`;
    const { responses } = await exchange(server.port, sent);
    expect(responses[0]?.status).toBe(403);
    expect(Object.keys(responses[0]?.headers ?? {}).join()).not.toContain("access-control");
  }
  expect(server.worlds.names()).toEqual(["default"]);
});

test("a stream needs the control token, and a server that is reachable without one refuses it", async () => {
  await using locked = await serve({ controlToken: "s3cret" });
  expect((await fetch(`${locked.url}/_sim/events`)).status).toBe(401);
  await using reader = await readEvents(`${locked.url}/_sim/events`, {
    authorization: "Bearer s3cret",
  });
  expect(reader.response.status).toBe(200);
  await using reachable = await serve({ host: "0.0.0.0" });
  expect((await fetch(`${reachable.url}/_sim/events`)).status).toBe(403);
});

test("events with a body are refused, also with one that doesn't end", async () => {
  await using server = await serve();
  const head = "GET /_sim/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  const withBody = await exchange(server.port, `${head}Content-Length: 2\r\n\r\n{}`);
  expect(withBody.responses[0]?.status).toBe(400);
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
  const piece = `10000\r\n${" ".repeat(65_536)}\r\n`;
  const sendOn = (): void => {
    while (socket.writable && socket.write(piece)) {}
  };
  socket.on("drain", sendOn);
  sendOn();
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  await isClosed(socket);
  expect(text).toMatch(/^HTTP\/1\.1 413 /);
});
