/** What HTTP itself allows and forbids, on a real socket: every case gets an answer that a client can read. */

import { expect, test } from "vitest";
import { exchange, openRawConnection, parseResponses, serve } from "./raw.ts";

const HOST = "Host: localhost\r\n";
const MEGABYTE = "a".repeat(1024 * 1024);

const malformed: Readonly<Record<string, string>> = {
  "a space in the target": `GET /v1/publisher stats HTTP/1.1\r\n${HOST}\r\n`,
  "no version": `GET /v1/publisher/stats\r\n${HOST}\r\n`,
  "a TLS hello": "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n",
  "a header without a colon": `GET /v1/publisher/stats HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`,
  "a NUL in a header's value": `GET /v1/publisher/stats HTTP/1.1\r\n${HOST}x: a\0b\r\n\r\n`,
  "a negative Content-Length": `POST /v1/impression HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`,
  "two Content-Lengths": `POST /v1/impression HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  "Content-Length with chunks": `POST /v1/impression HTTP/1.1\r\n${HOST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  "an invalid chunk size": `POST /v1/impression HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n`,
  "a chunk longer than it says": `POST /v1/impression HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n1\r\nabcdef\r\n0\r\n\r\n`,
  "an unknown transfer encoding": `POST /v1/impression HTTP/1.1\r\n${HOST}Transfer-Encoding: rot13\r\n\r\nabc`,
  "a megabyte of query": `GET /v1/publisher/stats?from=${MEGABYTE} HTTP/1.1\r\n${HOST}\r\n`,
  "a megabyte of header": `GET /v1/publisher/stats HTTP/1.1\r\n${HOST}x: ${MEGABYTE}\r\n\r\n`,
  "ten thousand headers": `GET /v1/publisher/stats HTTP/1.1\r\n${HOST}${"field: value\r\n".repeat(10_000)}\r\n`,
  "a control character in the target": `GET /v1/\x01 HTTP/1.1\r\n${HOST}\r\n`,
};

test.each(Object.entries(malformed))("%s gets a readable 4xx with all headers", async (_, sent) => {
  await using server = await serve();
  const { responses } = await exchange(server.port, sent);
  const [response] = responses;
  expect(responses.length).toBe(1);
  expect(response?.status).toBeGreaterThanOrEqual(400);
  expect(response?.status).toBeLessThan(500);
  expect(response?.headers["content-type"]).toBe("application/problem+json");
  expect(response?.headers["x-ratelimit-remaining"]).toBe("60");
  const problem = JSON.parse(response?.body ?? "");
  expect(problem.status).toBe(response?.status);
  expect(problem.detail).not.toBe("");
});

test("an oversized head gets 431, whichever part is too large", async () => {
  await using server = await serve();
  for (const name of ["a megabyte of query", "a megabyte of header", "ten thousand headers"]) {
    const { responses, ended } = await exchange(server.port, malformed[name] ?? "", {
      waitForEnd: true,
    });
    expect(responses[0]?.status, name).toBe(431);
    expect(responses[0]?.headers.connection, name).toBe("close");
    expect(ended, name).toBe(true);
  }
});

test("requests before a malformed one are answered first, in order", async () => {
  await using server = await serve();
  const good = `GET /v1/publisher/stats HTTP/1.1\r\n${HOST}\r\n`;
  const { responses } = await exchange(server.port, `${good}${good}nonsense\r\n\r\n`, { count: 3 });
  expect(responses.map(({ status }) => status)).toEqual([401, 401, 400]);
});

const sensible: readonly (readonly [what: string, sent: string, status: number])[] = [
  ["an absolute target", `GET http://localhost/v1/publisher/stats HTTP/1.1\r\n${HOST}\r\n`, 401],
  ["an absolute target without a path", `GET http://localhost HTTP/1.1\r\n${HOST}\r\n`, 404],
  ["OPTIONS *", `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 404],
  ["HTTP/1.0 without Host", "GET /v1/publisher/stats HTTP/1.0\r\n\r\n", 401],
  [
    "Upgrade",
    `GET /_sim/health HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
    200,
  ],
  ["a body on GET", `GET /v1/click HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\nab`, 405],
  ["an unknown Expect", `GET /v1/click HTTP/1.1\r\n${HOST}Expect: coffee\r\n\r\n`, 405],
  [
    "a body in chunks, in capitals",
    `POST /v1/click HTTP/1.1\r\n${HOST}Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n`,
    401,
  ],
  ["a path with dots", `GET /v1/../_sim/health HTTP/1.1\r\n${HOST}\r\n`, 404],
  [
    "a chunked body",
    `POST /v1/click HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    401,
  ],
];

test.each(sensible)("%s gets its proper status", async (_, sent, status) => {
  await using server = await serve();
  const { responses } = await exchange(server.port, sent);
  expect(responses[0]?.status).toBe(status);
  expect(responses[0]?.headers["x-ratelimit-remaining"]).toMatch(/^\d+$/);
});

test("Expect: 100-continue gets a 100, and then the answer", async () => {
  await using server = await serve();
  const { socket, text } = await openRawConnection(server.port);
  socket.write(
    `POST /v1/click HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
  );
  await expect.poll(text).toContain("100 Continue");
  socket.write("{}");
  await expect.poll(() => parseResponses(text())[0]?.status).toBe(401);
  socket.destroy();
});

test("a client that the head alone refuses isn't asked for its body", async () => {
  await using server = await serve();
  const { responses, ended } = await exchange(
    server.port,
    `PUT /_sim/snapshot HTTP/1.1\r\n${HOST}Origin: https://evil.example\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
    { waitForEnd: true },
  );
  expect([responses.map(({ status }) => status), ended]).toEqual([[403], true]);
});

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

test.each([1, 40, 1000])(
  "%i requests are answered though their client has finished sending",
  async (count) => {
    await using server = await serve();
    const { socket, whole } = await openRawConnection(server.port);
    socket.end(`GET /v1/nothing HTTP/1.1\r\n${HOST}\r\n`.repeat(count));
    expect(parseResponses(await whole).map(({ status }) => status)).toEqual(
      Array.from({ length: count }, () => 404),
    );
  },
);

test("a body of ten megabytes gets a 413 that the client can read, and the connection stays open", async () => {
  await using server = await serve();
  const world = server.worlds.get("default");
  const { apiKey } = world.publishers.at(0);
  const head = `POST /v1/impression HTTP/1.1\r\n${HOST}Authorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n`;
  const before = world.snapshot().accounts.map(({ book }) => book);
  const { responses } = await exchange(
    server.port,
    [
      `${head}Content-Length: ${10 * MEGABYTE.length}\r\n\r\n`,
      ...Array.from({ length: 10 }, () => MEGABYTE),
      `GET /_sim/health HTTP/1.1\r\n${HOST}\r\n`,
    ],
    { count: 2 },
  );
  expect(responses.map(({ status }) => status)).toEqual([413, 200]);
  expect(world.journal.entries().map(({ reason }) => reason)).toEqual(["body_too_large"]);
  expect(before).toEqual([]);
  expect(world.snapshot().accounts.every(({ book }) => book.count === 0)).toBe(true);
});

test("two Authorization headers count as no key", async () => {
  await using server = await serve();
  const { apiKey, id } = server.worlds.get("default").publishers.at(0);
  const key = `Authorization: Bearer ${apiKey}\r\n`;
  const target = `GET /v1/publisher/surfaces?publisher_id=${id} HTTP/1.1\r\n${HOST}`;
  const once = await exchange(server.port, `${target}${key}\r\n`);
  const twice = await exchange(server.port, `${target}${key}${key}\r\n`);
  expect(once.responses[0]?.status).toBe(200);
  expect(twice.responses[0]?.status).toBe(401);
});

test("the journal keeps which requests came over one connection, and shows it nowhere", async () => {
  await using server = await serve();
  const get = `GET /v1/click HTTP/1.1\r\n${HOST}\r\n`;
  await exchange(server.port, get.repeat(2), { count: 2 });
  await exchange(server.port, get.replace("/v1", "/@other/v1"));
  await exchange(server.port, get);
  const [{ journal }, other] = [server.worlds.get("default"), server.worlds.get("other")];
  const numbers = [1, 2, 3].map((sequence) => journal.exchange(sequence)?.record.connection ?? 0);
  const [first = 0] = numbers;
  expect(numbers).toEqual([first, first, first + 2]);
  expect(other.journal.exchange(1)?.record.connection).toBe(first + 1);
  for (const shown of [JSON.stringify(journal.entries()), journal.toNdjson(), journal.toHar()]) {
    expect(shown).toContain("/v1/click");
    expect(shown).not.toContain('"connection"');
  }
});
