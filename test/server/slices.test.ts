/** Long control requests, and requests of other clients in between. These tests assert order, never time. */

import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { Simulator } from "../../src/index.ts";
import { openRawConnection, serve } from "./raw.ts";

const JSON_BODY = { "content-type": "application/json" };

function play(steps: unknown): RequestInit {
  const scenario = { name: "long", about: "Takes long.", steps, expectations: [] };
  return { method: "POST", headers: JSON_BODY, body: JSON.stringify({ scenario }) };
}
const impressions = (times: number): unknown => [
  { repeat: { times, steps: [{ impression: {} }] } },
];

test("requests are answered while a scenario plays, and see its world as it was before", async () => {
  await using server = await serve();
  const played = fetch(`${server.url}/_sim/scenarios/play`, play(impressions(5000)));
  const seen = new Set<number>();
  let between = 0;
  while (!seen.has(5000)) {
    expect((await fetch(`${server.url}/_sim/health`)).status).toBe(200);
    seen.add(server.worlds.get("default").usage().impressions);
    between += 1;
  }
  expect((await played).status).toBe(200);
  expect(between).toBeGreaterThan(3);
  // Nobody sees a play half done.
  expect([...seen]).toEqual([0, 5000]);
  const { total } = await (await fetch(`${server.url}/_sim/journal?limit=1`)).json();
  expect(total).toBe(5000);
});

test("a connection's requests are answered in order, those behind a play too", async () => {
  await using server = await serve();
  const { body } = play(impressions(500));
  const requests = [
    `POST /_sim/scenarios/play HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${String(body).length}\r\n\r\n${body}`,
    "GET /_sim/journal HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /v1/nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /_sim/journal?limit=1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
  ];
  const { socket, whole } = await openRawConnection(server.port);
  // The client closes its half at once, and its requests are answered all the same.
  socket.end(requests.join(""));
  const text = await whole;
  const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
  expect(statuses).toEqual(["200", "200", "404", "200"]);
  expect(text).toContain('"total":500}');
  expect(text).toContain('"total":501}');
});

describe("many requests sent ahead on one connection", () => {
  const many = 3000;
  const none = (number: number): string =>
    `GET /v1/none/${number} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const pathsOf = ({ journal }: Pick<Simulator, "journal">): string[] =>
    journal.entries().map(({ request }) => request.path);
  const manyOf = (from: number): string =>
    Array.from({ length: many }, (_, index) => none(from + index)).join("");

  test("don't hold up other clients", async () => {
    await using server = await serve();
    const greedy = connect(server.port, "127.0.0.1");
    const other = connect(server.port, "127.0.0.1");
    await Promise.all([greedy, other].map((socket) => once(socket, "connect")));
    // Both arrive before the server reads again.
    greedy.end(manyOf(0));
    other.end("GET /v1/other HTTP/1.1\r\nHost: localhost\r\n\r\n");
    greedy.resume();
    other.resume();
    await Promise.all([greedy, other].map((socket) => once(socket, "close")));
    const paths = pathsOf(server.worlds.get("default"));
    expect(paths.length).toBe(many + 1);
    expect(paths.indexOf("/v1/other")).toBeLessThan(500);
  });

  test("are answered in order, control requests included, even if the client reads late", async () => {
    await using server = await serve();
    const journal = "GET /_sim/journal?limit=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const socket = connect(server.port, "127.0.0.1");
    socket.end(manyOf(0) + journal + manyOf(many) + journal);
    await new Promise((resolve) => setTimeout(resolve, 50));
    let text = "";
    socket.on("data", (piece) => {
      text += piece;
    });
    await once(socket, "close");
    const answers = text.split(/HTTP\/1\.1 (?=\d{3} )/).slice(1);
    expect(answers.length).toBe(2 * many + 2);
    expect(answers[many]).toContain(`"total":${many}}`);
    expect(answers[2 * many + 1]).toContain(`"total":${2 * many}}`);
    const paths = pathsOf(server.worlds.get("default"));
    expect(paths).toEqual(Array.from({ length: 2 * many }, (_, index) => `/v1/none/${index}`));
  });

  test.each([1, 63, 64, 65, 100, 129])(
    "aren't handled after request %i if a rule resets the connection there",
    async (nth) => {
      await using server = await serve();
      const world = server.worlds.get("default");
      world.faults.add({ match: { nth }, verdict: { kind: "reset" } });
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.end(manyOf(0));
      socket.resume();
      await new Promise((resolve) => socket.once("close", resolve));
      expect(world.journal.total).toBe(nth);
    },
  );
});

test("a large journal is streamed, with the same text as in process", async () => {
  await using server = await serve();
  const world = server.worlds.get("default");
  for (let count = 0; count < 2000; count += 1) world.handle({ method: "GET", path: "/v1/nope" });
  for (const format of ["json", "ndjson", "har"]) {
    const response = await fetch(`${server.url}/_sim/journal?format=${format}`);
    expect(response.headers.get("content-length")).toBe(null);
    const text = await response.text();
    const path = `/_sim/journal?format=${format}`;
    const host = new URL(server.url).host;
    const inProcess = server.worlds.handle({ method: "GET", path, headers: { host } });
    expect(text).toBe(inProcess.body);
    expect(inProcess.headers["content-length"]).toBe(String(text.length));
  }
  expect(
    (await fetch(`${server.url}/_sim/journal?limit=2`)).headers.get("content-length"),
  ).not.toBe(null);
});

test.each([
  ["millions of objects", () => `{"a":[${"{},".repeat(2_000_000)}{}]}`, 422],
  ["lists in lists", () => `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, 400],
  [
    "an account of a million lists",
    () => `{"accounts":[{"a":[${"[],".repeat(1_000_000)}[]]}]}`,
    422,
  ],
  [
    "an account of many members",
    () => `{"accounts":[{${Array.from({ length: 20_000 }, (_, at) => `"m${at}":1`).join(",")}}]}`,
    422,
  ],
  [
    "many members beside the accounts",
    () => `{${Array.from({ length: 210_000 }, (_, at) => `"m${at}":1`).join(",")},"accounts":[]}`,
    422,
  ],
  ["many lists beside the accounts", () => `{"faults":[${"[],".repeat(210_000)}[]]}`, 422],
  ["accounts that break off", () => '{"accounts":[{},', 400],
  ["accounts given twice", () => '{"accounts":[],"accounts":[]}', 400],
  ["more than 32 MiB", () => `{"a":"${"x".repeat(32 * 1024 * 1024)}"}`, 413],
])("a snapshot of %s is refused, and nothing changes", async (_, body, status) => {
  await using server = await serve();
  const before = server.worlds.get("default").snapshot();
  const put = { method: "PUT", headers: JSON_BODY, body: body() };
  const response = await fetch(`${server.url}/_sim/snapshot`, put);
  expect(response.status).toBe(status);
  expect((await response.json()).field).toBeTruthy();
  expect(server.worlds.get("default").snapshot()).toEqual(before);
});

test("a snapshot with as many parts of fault rules as a world may have is restored", async () => {
  await using server = await serve();
  const body = JSON.stringify({
    match: { nth: 1_000_000 },
    verdict: { kind: "respond", status: 200, body: Array(40_000).fill({}) },
  });
  const post = { method: "POST", headers: JSON_BODY, body };
  let response = await fetch(`${server.url}/_sim/faults`, post);
  for (; response.status === 201; response = await fetch(`${server.url}/_sim/faults`, post));
  expect(response.status).toBe(409);
  const snapshot = await (await fetch(`${server.url}/_sim/snapshot`)).text();
  const put = { method: "PUT", headers: JSON_BODY, body: snapshot };
  expect((await fetch(`${server.url}/_sim/snapshot`, put)).status).toBe(200);
});

test("a large body that isn't UTF-8 is refused as a small one is", async () => {
  await using server = await serve();
  for (const bytes of [1, 4_000_000]) {
    const body = Buffer.alloc(bytes, 0xff);
    const put = { method: "PUT", headers: JSON_BODY, body };
    const response = await fetch(`${server.url}/_sim/snapshot`, put);
    expect([response.status, (await response.json()).detail]).toEqual([
      400,
      expect.stringMatching(/UTF-8/),
    ]);
  }
});

test("a play goes on if its client hangs up", async () => {
  await using server = await serve();
  const { body } = play(impressions(3000));
  const head = `POST /_sim/scenarios/play HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${String(body).length}\r\n\r\n`;
  const socket = connect(server.port, "127.0.0.1");
  await new Promise((resolve) => socket.write(head + body, resolve));
  await new Promise((resolve) => setTimeout(resolve, 20));
  socket.destroy();
  const world = server.worlds.get("default");
  while (world.journal.total === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(world.usage().impressions).toBe(3000);
});

test("a play that is refused late doesn't delete a world that others have used meanwhile", async () => {
  await using server = await serve();
  const wrong = play([
    { repeat: { times: 3000, steps: [{ impression: {} }] } },
    { assume: { "date.timezone": "ist" } },
  ]);
  const refused = fetch(`${server.url}/@shared/_sim/scenarios/play`, wrong);
  while (server.worlds.peek("shared") === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const signUp = { method: "POST", headers: JSON_BODY, body: JSON.stringify({ name: "Mine" }) };
  expect((await fetch(`${server.url}/@shared/_sim/publishers`, signUp)).status).toBe(201);
  const again = fetch(`${server.url}/@shared/_sim/scenarios/play`, wrong);
  expect((await refused).status).toBe(400);
  expect((await again).status).toBe(400);
  expect(server.worlds.peek("shared")?.usage().publishersTouched).toBe(1);
  // If nobody has, the refused play leaves no world.
  expect((await fetch(`${server.url}/@own/_sim/scenarios/play`, wrong)).status).toBe(400);
  const taken = { ...signUp, body: JSON.stringify({ name: "shared" }) };
  expect((await fetch(`${server.url}/@own/_sim/worlds`, taken)).status).toBe(409);
  expect(server.worlds.names()).not.toContain("own");
});
