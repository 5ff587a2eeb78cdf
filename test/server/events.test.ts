/** Event streams over HTTP: live rows, and clients that are slow or gone. These tests assert no times. */

import type { Socket } from "node:net";
import { expect, test } from "vitest";
import type { Server } from "../../src/server.ts";
import { senderOf } from "../operation-sender.ts";
import { eventsIn, readEvents, sequencesOf } from "./event-reader.ts";
import { open, serve } from "./raw.ts";

const REQUEST = "GET /_sim/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
const PATIENCE = { timeout: 30_000, interval: 50 };

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

/** The body of an answer as far as it has come, without the lengths of its chunks. */
function bodyOf(text: string): string {
  return text.slice(text.indexOf("\r\n\r\n") + 4).replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, "");
}
function isClosed(socket: Socket): Promise<unknown> {
  socket.on("error", () => undefined);
  return socket.closed ? Promise.resolve() : new Promise((done) => socket.once("close", done));
}

test("rows arrive while the stream is open, those of one moment together", async () => {
  await using server = await serve();
  fill(server, 3);
  await using reader = await readEvents(`${server.url}/_sim/events`);
  expect(reader.response.status).toBe(200);
  await expect.poll(reader.sequences, PATIENCE).toEqual(range(1, 3));
  fill(server, 40);
  await expect.poll(reader.sequences, PATIENCE).toEqual(range(1, 43));
  const [, state] = reader.events[0]?.id?.split(".") ?? [];
  expect(state).toMatch(/^[0-9a-f]{8}-\d+-0$/);
  expect(reader.events.map(({ id }) => id)).toEqual([`3.${state}`, `43.${state}`]);
  const { url } = server;
  // Requests to other worlds and to the control API are no exchanges of this one.
  await Promise.all(["/@other/v1/click", "/_sim/health"].map((path) => fetch(url + path)));
  await fetch(`${url}/v1/click`);
  await expect.poll(reader.sequences, PATIENCE).toEqual(range(1, 44));
  expect(reader.events.at(-1)?.data).toMatchObject([{ path: "/v1/click", status: 405 }]);
  await fetch(`${url}/_sim/reset`, { method: "POST" });
  await expect.poll(() => reader.events.at(-1)?.event, PATIENCE).toBe("restarted");
  fill(server, 2);
  await expect.poll(reader.sequences, PATIENCE).toEqual([1, 2]);
});

test("clients that never read keep no others waiting, and miss nothing later", async () => {
  await using server = await serve({ journalEntries: 1000 });
  fillWithLong(server, 1000);
  const sockets = await Promise.all([1, 2].map(() => open(server.port)));
  for (const socket of sockets) {
    socket.pause();
    socket.write(REQUEST);
  }
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

test("streams end at once when the server closes, for clients that read and those that don't", async () => {
  const server = await serve();
  fillWithLong(server, 1000);
  const silent = await open(server.port);
  silent.pause();
  silent.write(REQUEST);
  await using reader = await readEvents(`${server.url}/_sim/events`);
  await expect.poll(() => reader.text().includes('"sequence":1000,'), PATIENCE).toBe(true);
  await server.close();
  await reader.ended;
  expect(reader.text().endsWith("\n\n")).toBe(true);
  await isClosed(silent.resume());
});
