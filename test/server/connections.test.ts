/** Useless connections don't lock other clients out. The limit is 10,000; these tests set a smaller one. */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { type Server, startServer } from "../../src/server.ts";
import { exchange, serve } from "./raw.ts";

const MOST = 10;

/** Opens connections one after the other, so that the first is the oldest to the server; each sends `text`. */
async function open(port: number, count: number, text = ""): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.resume();
    await once(socket, "connect");
    if (text !== "") socket.write(text);
    sockets.push(socket);
  }
  return sockets;
}

async function health({ url }: Server): Promise<number> {
  const headers = { connection: "close" };
  const response = await fetch(`${url}/_sim/health`, {
    headers,
    signal: AbortSignal.timeout(4000),
  });
  await response.arrayBuffer();
  return response.status;
}

function closeAll(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

const get = "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n";

test.each([
  ["silent", ""],
  ["in the middle of a head", "GET /v1/nothing HTTP/1.1\r\nHost: loc"],
  ["idle after a request", get],
  [
    "in the middle of a body",
    "POST /v1/click HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
  ],
  ["in a second request", `${get}GET /`],
])("far more connections than allowed, all %s, don't lock other clients out", async (_, text) => {
  await using server = await serve({ maxConnections: MOST });
  const sockets = await open(server.port, 5 * MOST, text);
  for (let asked = 0; asked < 5; asked += 1) expect(await health(server)).toBe(200);
  // Older ones were closed to make room.
  const closed = () => sockets.filter((socket) => socket.closed).length;
  await expect.poll(closed).toBeGreaterThan(3 * MOST);
  expect(sockets[0]?.closed).toBe(true);
  expect(sockets.at(-1)?.closed).toBe(false);
  closeAll(sockets);
});

test("connections that have sent a request stay open, answered or not", async () => {
  await using server = await serve({ maxConnections: MOST });
  const world = server.worlds.get("default");
  world.faults.add({ id: "slow", verdict: { kind: "timeout" } });
  const waiting = await open(server.port, 3, get);
  await expect.poll(() => world.journal.total).toBe(3);
  world.faults.clear();
  const idle = await open(server.port, 3, get);
  await expect.poll(() => world.journal.total).toBe(6);
  const silent = await open(server.port, 4 * MOST);
  expect(await health(server)).toBe(200);
  expect([...waiting, ...idle].some(({ closed }) => closed)).toBe(false);
  closeAll([...waiting, ...idle, ...silent]);
});

test("if a fault rule holds all connections, the control API can still remove the rule", async () => {
  await using server = await serve({ maxConnections: MOST });
  const world = server.worlds.get("default");
  world.faults.add({ verdict: { kind: "timeout" } });
  const sockets = await open(server.port, 2 * MOST, get);
  await expect.poll(() => world.journal.total).toBe(2 * MOST);
  const response = await fetch(`${server.url}/_sim/faults`, { method: "DELETE" });
  expect(response.status).toBe(204);
  const { responses } = await exchange(server.port, get);
  expect(responses[0]?.status).toBe(404);
  expect(sockets.some(({ closed }) => closed)).toBe(false);
  closeAll(sockets);
});

test.each([0, -1, 1.5, "9", null])("maxConnections: %j is refused", async (maxConnections) => {
  await expect(startServer({ port: 0, maxConnections: maxConnections as never })).rejects.toThrow(
    expect.objectContaining({ name: "InputError", field: "maxConnections" }),
  );
});
