/** How request bodies are read: as they arrive, in order, and kept no longer than needed. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { exchange, open, serve } from "./raw.ts";

const HOST = "Host: localhost\r\n";
const MEBIBYTE = 1024 * 1024;

test("requests that arrive together are handled in the order in which they were sent", async () => {
  await using server = await serve();
  const { apiKey, id, surfaces } = server.worlds.get("default").publishers.at(0);
  const body = JSON.stringify({ publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad-1" });
  const common = `HTTP/1.1\r\n${HOST}Authorization: Bearer ${apiKey}\r\n`;
  const json = "Content-Type: application/json\r\n";
  const today = "from=2026-01-15&to=2026-01-15";
  const stats = `GET /v1/publisher/stats?publisher_id=${id}&${today} ${common}\r\n`;
  const counted = `POST /v1/impression ${common}${json}Content-Length: ${body.length}\r\n\r\n${body}`;
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const inChunks = `POST /v1/impression ${common}${json}Transfer-Encoding: chunked\r\n\r\n${chunk}`;
  const sent = stats + counted + stats + inChunks + stats;
  const { responses } = await exchange(server.port, sent, { count: 5 });
  const impressions = responses.map((response) => JSON.parse(response.body).impressions);
  expect(impressions).toEqual([0, undefined, 1, undefined, 2]);
});

test("a connection that stays open doesn't retain its request's body", async () => {
  await using server = await serve();
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const body = Buffer.alloc(8 * MEBIBYTE, "a");
  const held = (): number => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const before = held();
  const socket = await open(server.port);
  socket.write(`PUT /_sim/snapshot HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n`);
  socket.write(body);
  await new Promise((resolve) => socket.once("data", resolve));
  await vi.waitUntil(() => held() < before + body.length / 2, { timeout: 10_000 });
  socket.destroy();
});
