/** Waiting for entries: a wait ends when entries are recorded, or by the caller's signal. */

import { describe, expect, test } from "vitest";
import { createContext, type RequestContext } from "../../src/exchange/request-context.ts";
import { createSimulator, type JournalEntry, type Simulator } from "../../src/index.ts";
import { createWaiters } from "../../src/journal/wait-for.ts";
import { startServer } from "../../src/server.ts";
import { noResponse } from "../../src/spec/messages.ts";
import { describeWorld } from "../../src/world/publishers/world-settings.ts";
import { askSurfaces } from "./asking.ts";

const sequences = (entries: readonly JournalEntry[]): number[] =>
  entries.map(({ sequence }) => sequence);

/** A request that a world's journal records. */
function recordOf({ assumptions }: Pick<Simulator, "assumptions">): RequestContext {
  const settings = { seed: "", startMs: 0, publishers: 1, profile: "tiny", assumptions } as const;
  const nobody = { operation: undefined, sender: undefined };
  const request = { method: "GET", path: "/nope", query: "", headers: {}, body: "" };
  return createContext(request, nobody, 0, describeWorld(settings));
}

/** The state of a promise after all pending tasks have run. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  const pending = new Promise((resolve) => setImmediate(resolve, "pending"));
  return String(
    await Promise.race([
      promise.then(
        () => "resolved",
        () => "rejected",
      ),
      pending,
    ]),
  );
}

describe("resolves", () => {
  test("with existing entries, the earliest first", async () => {
    const sim = createSimulator();
    for (let count = 0; count < 4; count += 1) askSurfaces(sim, count % 2);
    expect(sequences(await sim.journal.waitFor())).toEqual([1]);
    expect(sequences(await sim.journal.waitFor({}, 3))).toEqual([1, 2, 3]);
    const { id } = sim.publishers.at(1);
    expect(sequences(await sim.journal.waitFor({ publisher: id }, 2))).toEqual([2, 4]);
    expect(sequences(await sim.journal.waitFor({ after: 3 }))).toEqual([4]);
  });

  test("as soon as the last one is recorded, and not before", async () => {
    const sim = createSimulator();
    askSurfaces(sim, 0);
    const waiting = sim.journal.waitFor({ operation: "surfaces", status: 200 }, 3);
    askSurfaces(sim, 1);
    sim.handle({ method: "GET", path: "/nope" });
    expect(await stateOf(waiting)).toBe("pending");
    askSurfaces(sim, 2);
    askSurfaces(sim, 3);
    expect(sequences(await waiting)).toEqual([1, 2, 4]);
  });

  test("each waiter with its own entries", async () => {
    const sim = createSimulator();
    const all = [1, 2, 3].map((count) => sim.journal.waitFor({}, count));
    const none = sim.journal.waitFor({ status: 500 });
    for (let count = 0; count < 3; count += 1) askSurfaces(sim, 0);
    expect((await Promise.all(all)).map(sequences)).toEqual([[1], [1, 2], [1, 2, 3]]);
    expect(await stateOf(none)).toBe("pending");
  });

  test("with entries that the journal has dropped or never stored", async () => {
    for (const options of [{ journalEntries: 1 }, { journalEntries: 0 }]) {
      const sim = createSimulator(options);
      const waiting = sim.journal.waitFor({}, 3);
      for (let count = 0; count < 3; count += 1) askSurfaces(sim, 0);
      expect(sequences(await waiting)).toEqual([1, 2, 3]);
    }
  });

  test("across a clear and a reset, after which numbering starts again", async () => {
    const sim = createSimulator();
    const waiting = sim.journal.waitFor({ after: 1 }, 2);
    askSurfaces(sim, 0);
    askSurfaces(sim, 0);
    sim.journal.clear();
    sim.reset();
    expect(await stateOf(waiting)).toBe("pending");
    askSurfaces(sim, 0);
    expect(await stateOf(waiting)).toBe("pending");
    askSurfaces(sim, 0);
    expect(sequences(await waiting)).toEqual([2, 2]);
  });

  test("with secrets shown or hidden as requested", async () => {
    const sim = createSimulator();
    const { apiKey } = sim.publishers.at(0);
    const shown = sim.journal.waitFor({ secrets: "shown" });
    const redacted = sim.journal.waitFor();
    askSurfaces(sim, 0);
    expect((await shown)[0]?.request.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(JSON.stringify(await redacted)).not.toContain(apiKey);
  });

  test("for a request that comes over HTTP", async () => {
    const server = await startServer({ port: 0 });
    try {
      const waiting = server.worlds.get("mine").journal.waitFor({ status: 404 });
      await fetch(`${server.url}/@mine/nope`);
      expect((await waiting)[0]?.request.path).toBe("/nope");
    } finally {
      await server.close();
    }
  });
});

describe("rejects", () => {
  test("with the signal's reason when it is aborted, and leaves nothing behind", async () => {
    const sim = createSimulator();
    const gone = new AbortController();
    const reason = new Error("enough");
    const waiting = sim.journal.waitFor({}, 2, { signal: gone.signal });
    askSurfaces(sim, 0);
    gone.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    askSurfaces(sim, 0);
    await expect(sim.journal.waitFor({}, 1, { signal: AbortSignal.abort("before") })).rejects.toBe(
      "before",
    );
  });

  test.each([
    ["filter", [], 1, {}],
    ["filter", null, 1, {}],
    ["operation", { operation: "clicks" }, 1, {}],
    ["limit", { limit: 3 }, 1, {}],
    ["count", {}, 0, {}],
    ["count", {}, 1.5, {}],
    ["count", {}, "2", {}],
    ["count", {}, Number.POSITIVE_INFINITY, {}],
    ["options", {}, 1, null],
    ["options", {}, 1, new AbortController().signal.aborted],
    ["options", {}, 1, { timeout: 5 }],
    ["signal", {}, 1, { signal: "SIGTERM" }],
    ["signal", {}, 1, { signal: null }],
    ["signal", {}, 1, { signal: new AbortController() }],
  ])("invalid arguments by name, without throwing: %s", async (field, filter, count, options) => {
    const sim = createSimulator();
    askSurfaces(sim, 0);
    const wait = sim.journal.waitFor as (...given: unknown[]) => Promise<unknown>;
    await expect(wait(filter, count, options)).rejects.toThrow(new RegExp(`^${field} `));
    await expect(wait(filter, count, options)).rejects.toMatchObject({ name: "InputError" });
  });
});

test("the signal's listener is removed when the wait ends", async () => {
  const sim = createSimulator();
  const listeners = new Set<unknown>();
  const { signal } = new AbortController();
  const watched = new Proxy(signal, {
    get: (target, name) => {
      if (name === "addEventListener") return (_: string, one: unknown) => listeners.add(one);
      if (name === "removeEventListener") return (_: string, one: unknown) => listeners.delete(one);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const waiting = sim.journal.waitFor({}, 1, { signal: watched });
  expect(listeners.size).toBe(1);
  askSurfaces(sim, 0);
  await waiting;
  expect(listeners.size).toBe(0);
  await sim.journal.waitFor({}, 1, { signal: watched });
  expect(listeners.size).toBe(0);
});

test("waiters that gave up or got their entries aren't retained", async () => {
  const waiters = createWaiters({ select: () => [], show: () => [] });
  const gone = new AbortController();
  const aborted = waiters.waitFor({}, 1, { signal: gone.signal });
  const refused = waiters.waitFor({}, 0);
  const waiting = waiters.waitFor({ status: 0 });
  expect(waiters.waiting.length).toBe(2);
  gone.abort();
  expect(waiters.waiting.length).toBe(1);
  const sim = createSimulator();
  const record = recordOf(sim);
  record.response = noResponse;
  waiters.notify({ record, sequence: 1 });
  expect(waiters.waiting.length).toBe(0);
  await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
  await expect(refused).rejects.toThrow(/^count /);
  expect(await waiting).toEqual([]);
});

test("a waiter that has ended sees no more entries", async () => {
  const sim: Simulator = createSimulator();
  const gone = new AbortController();
  const aborted = sim.journal.waitFor({}, 1, { signal: gone.signal });
  const others = [sim.journal.waitFor({}, 1), sim.journal.waitFor({}, 2)];
  gone.abort();
  await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
  askSurfaces(sim, 0);
  askSurfaces(sim, 0);
  expect((await Promise.all(others)).map(sequences)).toEqual([[1], [1, 2]]);
});
