/** What must not take the server down, and bodies in any size and pieces. */

import { expect, test, vi } from "vitest";
import { senderOf } from "../operation-sender.ts";
import { exchange, serve } from "./raw.ts";

test("an exception gives its request a 500, is reported, and the server goes on", async () => {
  await using server = await serve();
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  Object.assign(server.worlds.get("broken"), {
    handle: () => {
      throw new Error("out of paper");
    },
  });
  const response = await fetch(`${server.url}/@broken/v1/click`, {
    headers: { authorization: "Bearer key_secret" },
  });
  const reported = written.mock.calls.join("");
  written.mockRestore();
  expect(response.status).toBe(500);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("x-ratelimit-remaining")).toBe("60");
  expect(await response.text()).not.toContain("out of paper");
  expect(reported).toContain("out of paper");
  expect(reported).not.toContain("key_secret");
  expect((await fetch(`${server.url}/_sim/health`)).status).toBe(200);
});

test("a snapshot larger than a /v1 body may be can be read and restored over HTTP", async () => {
  await using server = await serve();
  const world = server.worlds.get("default");
  const { impression } = senderOf(world);
  for (let index = 0; index < 3000; index += 1) impression(`s${index}`);
  const snapshot = await (await fetch(`${server.url}/_sim/snapshot`)).text();
  expect(snapshot.length).toBeGreaterThan(65_536);
  const put = await fetch(`${server.url}/@copy/_sim/snapshot`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: snapshot,
  });
  expect(put.status).toBe(200);
  expect(server.worlds.get("copy").snapshot()).toEqual(world.snapshot());
});

test("a body in many small pieces is read whole", async () => {
  await using server = await serve();
  const { apiKey, id, surfaces } = server.worlds.get("default").publishers.at(0);
  const body = JSON.stringify({ publisher_id: id, surface: surfaces[0]?.id, ad_id: "é🧵" });
  const bytes = Buffer.from(body);
  const head = `POST /v1/impression HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n`;
  const chunks = [...bytes].flatMap((byte) => ["1\r\n", Uint8Array.of(byte), "\r\n"]);
  const sized = [`${head}Content-Length: ${bytes.length}\r\n\r\n`, bytes];
  const chunked = [`${head}Transfer-Encoding: chunked\r\n\r\n`, ...chunks, "0\r\n\r\n"];
  for (const pieces of [chunked, sized]) {
    const { responses } = await exchange(server.port, pieces);
    expect(responses[0]?.status).toBe(200);
  }
  const seen = server.worlds.get("default").journal.entries();
  expect(seen.map((entry) => entry.request.body)).toEqual([body, body]);
});
