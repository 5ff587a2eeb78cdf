/** A rule that affects one connection must not affect the next: order, pipelining, closing, no leaks. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test, vi } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { openRawConnection, parseResponses, serve } from "../server/raw.ts";
import { impression, listing, type Verdict, type Watched } from "./cases.ts";
import { WAIT } from "./client-suite.ts";
import { observeFetch } from "./observe.ts";

/** GET of a list, as bytes. */
function get({ publishers }: Watched, what = "surfaces", more = ""): string {
  const { id, apiKey } = publishers.at(0);
  const head = `GET /v1/publisher/${what}?publisher_id=${id} HTTP/1.1\r\nHost: localhost\r\n`;
  return `${head}Authorization: Bearer ${apiKey}\r\n${more}\r\n`;
}

async function started(...verdicts: readonly (Verdict | undefined)[]) {
  const server = await serve();
  const sim = server.worlds.get("default");
  for (const [index, verdict] of verdicts.entries()) {
    if (verdict !== undefined) sim.faults.add({ match: { nth: index + 1 }, verdict });
  }
  return Object.assign(server, { sim });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("pipelined requests on one connection", () => {
  /** The outcome of four requests, the last of which closes the connection. `verdicts`: one for each request. */
  async function pipelined(...verdicts: readonly (Verdict | undefined)[]) {
    await using server = await started(...verdicts);
    const { sim } = server;
    const { socket, whole } = await openRawConnection(server.port);
    const sent = [get(sim), get(sim, "payouts"), get(sim, "stats")];
    socket.write([...sent, get(sim, "surfaces", "Connection: close\r\n")].join(""));
    const text = await whole;
    const bodies = parseResponses(text).map(({ body }) => body);
    return { text, bodies, paths: sim.journal.entries().map(({ operation }) => operation) };
  }

  const late = { kind: "delay", delay: 80 } as const;
  const soon = { kind: "delay", delay: 20 } as const;
  const dripping = { kind: "drip", bytesPerSecond: 20_000 } as const;
  const held = { kind: "reorder", atMost: 80 } as const;

  test.each<readonly (Verdict | undefined)[]>([
    [undefined, late],
    [late, soon, undefined, soon],
    [late, dripping],
    [held, { ...held, atMost: 40 }],
  ])("are answered in their order under %j, %j, %j, %j", async (...verdicts) => {
    const plain = await pipelined();
    const { bodies, paths } = await pipelined(...verdicts);
    expect(paths).toEqual(["surfaces", "payouts", "stats", "surfaces"]);
    expect(bodies).toHaveLength(4);
    expect(bodies).toEqual(plain.bodies);
  });

  test.each<[verdict: Verdict, before?: Verdict]>([
    [{ kind: "empty" }],
    [{ kind: "empty", delay: 60 }, late],
    [{ kind: "reset" }, late],
    [{ kind: "truncate", atByte: 7 }, late],
    [{ kind: "garbage", as: "response" }, late],
  ])("end with %j: earlier ones are answered (%j), later ones aren't served", async (...row) => {
    const [verdict, before] = row;
    const [first = "", second = ""] = (await pipelined()).bodies;
    const { text, paths, bodies } = await pipelined(before, verdict);
    expect(paths).toEqual(["surfaces", "payouts"]);
    expect(bodies[0]).toBe(first);
    const rest = text.slice(text.indexOf(first) + first.length);
    if (verdict.kind === "truncate") {
      expect(rest).toContain(`content-length: ${second.length}`);
      expect(rest.endsWith(`\r\n\r\n${second.slice(0, 7)}`)).toBe(true);
    } else expect(rest.length).toBe(verdict.kind === "garbage" ? 64 : 0);
  });

  test("that are malformed are answered after a delayed one", async () => {
    await using server = await started(late);
    const { socket, whole } = await openRawConnection(server.port);
    socket.write(`${get(server.sim)}NONSENSE\r\n\r\n`);
    expect(parseResponses(await whole).map(({ status }) => status)).toEqual([200, 400]);
  });

  test("go on after a late answer", async () => {
    await using server = await started(undefined, soon, undefined, soon);
    const { socket, text } = await openRawConnection(server.port);
    for (let count = 1; count <= 4; count += 1) {
      socket.write(get(server.sim));
      await vi.waitUntil(() => parseResponses(text()).length === count, WAIT);
    }
    socket.destroy();
  });
});

describe("reorder", () => {
  const held = { kind: "reorder", atMost: "1h" } as const;

  test("waits for an answer on another connection", async () => {
    await using server = await started(held);
    const { sim, url, port } = server;
    const { socket, text } = await openRawConnection(port);
    socket.write(get(sim) + get(sim));
    await vi.waitUntil(() => sim.journal.total === 2, WAIT);
    await pause(60);
    expect(text()).toBe("");
    expect((await observeFetch(fetch)(listing(sim, url))).status).toBe(200);
    await vi.waitUntil(() => parseResponses(text()).length === 2, WAIT);
    socket.destroy();
  });

  test("doesn't count responses in another world and of the control API", async () => {
    await using server = await started(held);
    const { sim, url, worlds } = server;
    let isThere = false;
    const first = observeFetch(fetch)(listing(sim, url)).then(({ status }) => {
      isThere = true;
      return status;
    });
    await vi.waitUntil(() => sim.journal.total === 1, WAIT);
    await observeFetch(fetch)(listing(worlds.get("other"), `${url}/@other`));
    await (await fetch(`${url}/_sim/journal`)).text();
    await pause(60);
    expect(isThere).toBe(false);
    await observeFetch(fetch)(listing(sim, `${url}/@default`));
    expect(await first).toBe(200);
  });
});

describe("closing the server", { concurrent: true }, () => {
  test.each<Verdict>([
    { kind: "delay", delay: "1h" },
    { kind: "lose-response", delay: "1h" },
    { kind: "reorder", atMost: "1h" },
    { kind: "drip", bytesPerSecond: 1 },
    { kind: "timeout" },
  ])("cuts requests that are in progress under %j", async (verdict) => {
    const { sim, url, close } = await started(verdict);
    const asked = observeFetch(fetch)(impression(sim, url));
    await vi.waitUntil(() => sim.journal.total === 1, WAIT);
    await close();
    expect((await asked).failure).toMatch(/^TypeError: (fetch failed|terminated)/);
    expect(sim.journal.entries()[0]?.fault?.received).toBe("nothing");
  });

  test("still answers a request that is delayed by 100 ms, then closes the connection", async () => {
    const { sim, url, close } = await started({ kind: "delay", delay: 100 });
    const asked = observeFetch(fetch)(listing(sim, url));
    await vi.waitUntil(() => sim.journal.total === 1, WAIT);
    await close();
    const { status, headers } = await asked;
    expect([status, headers.connection]).toEqual([200, "close"]);
  });

  test("leaves no timer of a delayed answer, over HTTP or in sim.fetch", async () => {
    const from = (file: string): string =>
      JSON.stringify(new URL(`../../src/${file}`, import.meta.url).href);
    const script = `
      import { createSimulator } from ${from("index.ts")};
      import { startServer } from ${from("server.ts")};
      const server = await startServer({ port: 0 });
      const world = server.worlds.get("default");
      const sim = createSimulator();
      const path = "/v1/publisher/surfaces";
      const failures = [];
      for (const [{ faults, journal }, send] of [
        [world, (path, init) => fetch(server.url + path, init)],
        [sim, sim.fetch],
      ]) {
        faults.add({ match: { nth: 1, per: "world" }, verdict: { kind: "delay", delay: "1h" } });
        faults.add({ match: { nth: 2, per: "world" }, verdict: { kind: "reorder", atMost: "1h" } });
        faults.add({ match: { nth: 3, per: "world" }, verdict: { kind: "timeout" } });
        faults.add({ verdict: { kind: "drip", bytesPerSecond: 1 } });
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
    const module = ["--input-type=module", "-e", script];
    const { stdout } = await promisify(execFile)(process.execPath, module, { timeout: 25_000 });
    expect(stdout.trim()).toBe(Array.from({ length: 6 }, () => "AbortError").join());
  });
});

describe("sim.fetch", () => {
  test("stays silent until it is aborted, even by the signal of a Request that was garbage collected", async () => {
    const sim = createSimulator({ faults: [{ verdict: { kind: "timeout" } }] });
    const { url, headers = {} } = listing(sim, "http://sim.test");
    const reason = new Error("enough");
    const controller = new AbortController();
    const waiting = sim.fetch(new Request(url, { headers, signal: controller.signal }));
    await vi.waitUntil(() => sim.journal.total === 1, WAIT);
    // A Request of fetch follows a signal only while something references the Request.
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    for (let count = 0; count < 3; count += 1) {
      await pause(10);
      collect();
    }
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test("gets a rule's redirect as it is", async () => {
    const headers = { Location: "/v1/publisher/surfaces" };
    const verdict = { kind: "respond", status: 303, headers } as const;
    const sim = createSimulator({ faults: [{ verdict }] });
    const answer = await sim.fetch("/v1/impression", { method: "POST", body: "{}" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, headers.Location]);
    expect(sim.journal.entries()).toHaveLength(1);
  });
});
