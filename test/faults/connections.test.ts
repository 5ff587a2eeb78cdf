/** A rule that affects one connection must not affect the next: order, pipelining, closing, no leaks. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test, vi } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { openRawConnection, parseResponses, serve } from "../server/raw.ts";
import { impression, listing, type Verdict, type Watched } from "./cases.ts";
import { observeFetch } from "./observe.ts";

const WAIT = { timeout: 20_000, interval: 5 };

/** GET of the surfaces, as bytes; `which` marks the request. */
function get(sim: Watched, which: string, path = "/v1/publisher/surfaces"): string {
  const { id, apiKey } = sim.publishers.at(0);
  return `GET ${path}?publisher_id=${id}&which=${which} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
}

describe("pipelined requests on one connection", () => {
  /** The outcome of four requests, the last of which closes the connection. `verdicts`: one for each request. */
  async function pipelined(...verdicts: readonly (Verdict | undefined)[]): Promise<{
    readonly text: string;
    readonly paths: readonly (string | undefined)[];
  }> {
    await using server = await serve();
    const sim = server.worlds.get("default");
    for (const [index, verdict] of verdicts.entries()) {
      if (verdict !== undefined) sim.faults.add({ match: { nth: index + 1 }, verdict });
    }
    const { socket, whole } = await openRawConnection(server.port);
    const paths = ["surfaces", "payouts", "stats"].map((path) =>
      get(sim, path, `/v1/publisher/${path}`),
    );
    const last = get(sim, "last").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    socket.write([...paths, last].join(""));
    const text = await whole;
    return { text, paths: sim.journal.entries().map(({ operation }) => operation) };
  }

  const bodies = (text: string): string[] => parseResponses(text).map(({ body }) => body);
  const late = { kind: "delay", delay: 80 } as const;

  test.each([
    [late],
    [undefined, late],
    [late, { kind: "delay", delay: 40 }, undefined, { kind: "delay", delay: 20 }],
    [{ kind: "drip", bytesPerSecond: 20_000 }],
    [late, { kind: "drip", bytesPerSecond: 20_000 }],
    [
      { kind: "reorder", atMost: 80 },
      { kind: "reorder", atMost: 40 },
    ],
  ] as const)("are answered in their order under %j, %j, %j, %j", async (...verdicts) => {
    const plain = await pipelined();
    const { text, paths } = await pipelined(...verdicts);
    expect(paths).toEqual(["surfaces", "payouts", "stats", "surfaces"]);
    expect(bodies(plain.text)).toHaveLength(4);
    expect(bodies(text)).toEqual(bodies(plain.text));
  });

  const endings = [
    { kind: "empty" },
    { kind: "reset" },
    { kind: "truncate", atByte: 7 },
    { kind: "garbage", as: "response" },
    { kind: "empty", delay: 60 },
  ] as const;

  test.each(
    endings.flatMap((verdict) => [[verdict, undefined] as const, [verdict, late] as const]),
  )(
    "end with %j: earlier ones are answered (%j), later ones never reach the service",
    async (verdict, before) => {
      const [first = "", second = ""] = bodies((await pipelined()).text);
      const { text, paths } = await pipelined(before, verdict);
      expect(paths).toEqual(["surfaces", "payouts"]);
      expect(bodies(text)[0]).toBe(first);
      const rest = text.slice(text.indexOf(first) + first.length);
      if (verdict.kind === "truncate") {
        expect(rest).toContain(`content-length: ${second.length}`);
        expect(rest.endsWith(`\r\n\r\n${second.slice(0, 7)}`)).toBe(true);
      } else expect(rest.length).toBe(verdict.kind === "garbage" ? 64 : 0);
    },
  );

  test("keep their order: only a response on another connection can overtake", async () => {
    await using server = await serve();
    const sim = server.worlds.get("default");
    sim.faults.add({ match: { nth: 1 }, verdict: { kind: "reorder", atMost: "1h" } });
    const { socket, text } = await openRawConnection(server.port);
    socket.write(get(sim, "a") + get(sim, "b"));
    await vi.waitUntil(() => sim.journal.total === 2, WAIT);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(text()).toBe("");
    const other = await observeFetch(fetch)(listing(sim, server.url));
    expect(other.status).toBe(200);
    await vi.waitUntil(() => parseResponses(text()).length === 2, WAIT);
    socket.destroy();
  });
});

test("responses in another world and of the control API don't count as later responses", async () => {
  await using server = await serve();
  const sim = server.worlds.get("default");
  const other = server.worlds.get("other");
  sim.faults.add({ match: { nth: 1 }, verdict: { kind: "reorder", atMost: "1h" } });
  let isThere = false;
  const first = observeFetch(fetch)(listing(sim, server.url)).then(({ status }) => {
    isThere = true;
    return status;
  });
  await vi.waitUntil(() => sim.journal.total === 1, WAIT);
  await observeFetch(fetch)(listing(other, `${server.url}/@other`));
  await (await fetch(`${server.url}/_sim/journal`)).text();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(isThere).toBe(false);
  await observeFetch(fetch)(listing(sim, `${server.url}/@default`));
  expect(await first).toBe(200);
});

test("a connection stays in use after a late answer", async () => {
  await using server = await serve();
  const sim = server.worlds.get("default");
  sim.faults.add({ match: { every: 2 }, verdict: { kind: "delay", delay: 20 } });
  const { socket, text } = await openRawConnection(server.port);
  for (let count = 1; count <= 6; count += 1) {
    socket.write(get(sim, String(count)));
    await vi.waitUntil(() => parseResponses(text()).length === count, WAIT);
  }
  expect(sim.journal.entries().map(({ fault }) => fault?.received)).toEqual(
    [1, 2, 3, 4, 5, 6].map((number) => (number % 2 === 0 ? "whole" : undefined)),
  );
  socket.destroy();
});

describe("closing the server", { concurrent: true }, () => {
  test.each([
    { kind: "delay", delay: "1h" },
    { kind: "lose-response", delay: "1h" },
    { kind: "reorder", atMost: "1h" },
    { kind: "drip", bytesPerSecond: 1 },
    { kind: "timeout" },
  ] as const)("cuts requests that are in progress under %j", async (verdict) => {
    const server = await serve();
    const sim = server.worlds.get("default");
    sim.faults.add({ verdict });
    const asked = [1, 2, 3].map(() => observeFetch(fetch)(impression(sim, server.url)));
    await vi.waitUntil(() => sim.journal.total === 3, WAIT);
    await server.close();
    const seen = await Promise.all(asked);
    expect(seen.map(({ failure }) => failure)).toEqual(
      seen.map(() => expect.stringMatching(/^TypeError: (fetch failed|terminated)/)),
    );
    const entries = sim.journal.entries();
    expect(entries.map(({ fault }) => fault?.received)).toEqual(entries.map(() => "nothing"));
  });

  test("still answers a request that is delayed by 100 ms, then closes the connection", async () => {
    const server = await serve();
    const sim = server.worlds.get("default");
    sim.faults.add({ verdict: { kind: "delay", delay: 100 } });
    const asked = observeFetch(fetch)(listing(sim, server.url));
    await vi.waitUntil(() => sim.journal.total === 1, WAIT);
    await server.close();
    const { status, headers } = await asked;
    expect([status, headers.connection]).toEqual([200, "close"]);
  });

  test("leaves no timer of a delayed answer, over HTTP or in sim.fetch", async () => {
    const script = `
      import { createSimulator } from ${JSON.stringify(new URL("../../src/index.ts", import.meta.url).href)};
      import { startServer } from ${JSON.stringify(new URL("../../src/server.ts", import.meta.url).href)};
      const server = await startServer({ port: 0 });
      const sim = createSimulator();
      const path = "/v1/publisher/surfaces";
      for (const { faults } of [server.worlds.get("default"), sim]) {
        faults.add({ match: { nth: 1, per: "world" }, verdict: { kind: "delay", delay: "1h" } });
        faults.add({ match: { nth: 2, per: "world" }, verdict: { kind: "reorder", atMost: "1h" } });
        faults.add({ match: { nth: 3, per: "world" }, verdict: { kind: "timeout" } });
        faults.add({ verdict: { kind: "drip", bytesPerSecond: 1 } });
      }
      const failures = [];
      const subjects = [
        [server.worlds.get("default"), (path, init) => fetch(server.url + path, init)],
        [sim, sim.fetch],
      ];
      for (const [{ journal }, send] of subjects) {
        for (let count = 1; count <= 3; count += 1) {
          const controller = new AbortController();
          const sent = send(path, { signal: controller.signal });
          while (journal.total < count) await new Promise((resolve) => setTimeout(resolve, 5));
          controller.abort();
          await sent.catch((error) => failures.push(error.name));
        }
        await (await send(path)).body.cancel();
        // Only the head is consumed.
        await send(path);
      }
      await server.close();
      console.log(failures.join());`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "-e", script],
      { timeout: 25_000 },
    );
    expect(stdout.trim()).toBe(Array.from({ length: 6 }, () => "AbortError").join());
  });
});

describe("requests that Node doesn't emit as requests", () => {
  const connect = "CONNECT ads.example:443 HTTP/1.1\r\nHost: ads.example:443\r\n\r\n";
  const endless = `POST /v1/click HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${2 ** 40}\r\n\r\n`;

  async function answerTo(verdict: Verdict, sent: string, more = 0): Promise<string> {
    await using server = await serve();
    const sim = server.worlds.get("default");
    sim.faults.add({ verdict });
    const { socket, whole } = await openRawConnection(server.port);
    socket.write(sent);
    // More than a server reads of a body that it will refuse.
    const chunk = Buffer.alloc(1024 * 1024, "x");
    for (let count = 0; count < more; count += 1) socket.write(chunk);
    const text = await whole;
    const [entry] = sim.journal.entries();
    expect(entry?.fault?.kind).toBe(verdict.kind);
    return text;
  }

  async function expectAnswer(
    verdict: Verdict,
    status: number,
    sent: string,
    more: number,
  ): Promise<void> {
    const text = await answerTo(verdict, sent, more);
    const head = `HTTP/1.1 ${status} `;
    expect(text.slice(0, head.length)).toBe(head);
    const body = text.slice(text.indexOf("\r\n\r\n") + 4);
    const length = Number(/content-length: (\d+)/.exec(text)?.[1]);
    expect(body).toHaveLength(verdict.kind === "truncate" ? 3 : length);
  }

  test.each([
    { kind: "delay", delay: 30 },
    { kind: "drip", bytesPerSecond: 2000 },
    { kind: "garbage" },
    { kind: "truncate", atByte: 3 },
  ] as const)("CONNECT is answered as %j says", async (verdict) => {
    await expectAnswer(verdict, 404, connect, 0);
  });

  test("a CONNECT after an answer that ends the connection never reaches the service", async () => {
    await using server = await serve();
    const sim = server.worlds.get("default");
    sim.faults.add({ verdict: { kind: "empty", delay: 60 } });
    const { socket, whole } = await openRawConnection(server.port);
    socket.write(get(sim, "a") + connect);
    expect(await whole).toBe("");
    expect(sim.journal.total).toBe(1);
  });

  test("a CONNECT can be left without an answer", async () => {
    expect(await answerTo({ kind: "empty" }, connect)).toBe("");
    expect(await answerTo({ kind: "reset", delay: 20 }, connect)).toBe("");
    expect(await answerTo({ kind: "garbage", as: "response" }, connect)).toHaveLength(64);
  });

  test("an endless body is answered late, or not at all", async () => {
    await expectAnswer({ kind: "delay", delay: 30 }, 401, endless, 66);
    expect(await answerTo({ kind: "reset" }, endless, 66)).toBe("");
  });

  test("a malformed request is answered after a delayed one", async () => {
    await using server = await serve();
    const sim = server.worlds.get("default");
    sim.faults.add({ verdict: { kind: "delay", delay: 80 } });
    const { socket, whole } = await openRawConnection(server.port);
    socket.write(`${get(sim, "a")}NONSENSE\r\n\r\n`);
    expect(parseResponses(await whole).map(({ status }) => status)).toEqual([200, 400]);
  });
});

describe("sim.fetch", () => {
  test("uses fake timers where they are installed", async () => {
    vi.useFakeTimers();
    try {
      const sim = createSimulator();
      sim.faults.add({ match: { nth: 1 }, verdict: { kind: "delay", delay: "1h" } });
      sim.faults.add({ verdict: { kind: "drip", bytesPerSecond: 1 } });
      const { url, headers = {} } = listing(sim, "http://sim.test");
      const late = sim.fetch(url, { headers });
      await vi.advanceTimersByTimeAsync(3_600_000);
      expect((await late).status).toBe(200);
      const slow = await sim.fetch(url, { headers });
      const reader = slow.body?.getReader();
      const first = reader?.read();
      await vi.advanceTimersByTimeAsync(1000);
      expect((await first)?.value?.length).toBe(1);
      const second = reader?.read();
      let isThere = false;
      void second?.then(() => {
        isThere = true;
      });
      await vi.advanceTimersByTimeAsync(999);
      expect(isThere).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect((await second)?.value?.length).toBe(1);
      await reader?.cancel();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("stays silent until it is aborted, even by the signal of a Request that was garbage collected", async () => {
    const sim = createSimulator();
    sim.faults.add({ verdict: { kind: "timeout" } });
    const { url, headers = {} } = listing(sim, "http://sim.test");
    const reason = new Error("enough");
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = [
      sim.fetch(url, { headers, signal }),
      sim.fetch(new Request(url, { headers, signal })),
    ];
    await vi.waitUntil(() => sim.journal.total === 2, WAIT);
    // A Request of fetch follows a signal only while something references the Request.
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    for (let count = 0; count < 3; count += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      collect();
    }
    controller.abort(reason);
    const settled = await Promise.allSettled(waiting);
    expect(settled).toEqual(waiting.map(() => ({ status: "rejected", reason })));
  });

  test("gets a rule's redirect as it is", async () => {
    const sim = createSimulator();
    const headers = { Location: "/v1/publisher/surfaces" };
    sim.faults.add({ verdict: { kind: "respond", status: 303, headers } });
    const {
      url,
      method = "GET",
      headers: own = {},
      body = "",
    } = impression(sim, "http://sim.test");
    const answer = await sim.fetch(url, { method, headers: own, body });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, headers.Location]);
    expect(sim.journal.entries()).toHaveLength(1);
  });
});
