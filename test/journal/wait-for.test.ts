/** Waiting for entries: a wait ends when entries are recorded, or by the caller's signal. */

import { describe, expect, test } from "vitest";
import { createSimulator, type JournalEntry } from "../../src/index.ts";
import { askSurfaces } from "./asking.ts";

const sequences = (entries: readonly JournalEntry[]): number[] =>
  entries.map(({ sequence }) => sequence);

/** Whether a promise is pending after all tasks have run. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const idle = new Promise((resolve) => setImmediate(resolve, "idle"));
  return (await Promise.race([promise, idle])) === "idle";
}

test("existing entries count, the earliest first", async () => {
  const sim = createSimulator();
  for (let count = 0; count < 4; count += 1) askSurfaces(sim, count % 2);
  expect(sequences(await sim.journal.waitFor())).toEqual([1]);
  const { id } = sim.publishers.at(1);
  expect(sequences(await sim.journal.waitFor({ publisher: id }, 2))).toEqual([2, 4]);
  expect(sequences(await sim.journal.waitFor({ after: 3 }))).toEqual([4]);
});

test("each wait ends as soon as its last entry is recorded, and not before", async () => {
  const sim = createSimulator();
  askSurfaces(sim, 0);
  const found = sim.journal.waitFor({ operation: "surfaces", status: 200 }, 3);
  const others = [1, 2, 4].map((count) => sim.journal.waitFor({}, count));
  const never = sim.journal.waitFor({ status: 500 });
  askSurfaces(sim, 1);
  sim.handle({ method: "GET", path: "/nope" });
  expect(await isPending(found)).toBe(true);
  askSurfaces(sim, 2);
  askSurfaces(sim, 3);
  expect(sequences(await found)).toEqual([1, 2, 4]);
  expect((await Promise.all(others)).map(sequences)).toEqual([[1], [1, 2], [1, 2, 3, 4]]);
  expect(await isPending(never)).toBe(true);
});

test.each([{ journalEntries: 1 }, { journalEntries: 0 }])(
  "entries that the journal no longer has count: %o",
  async (options) => {
    const sim = createSimulator(options);
    const { apiKey } = sim.publishers.at(0);
    const waiting = sim.journal.waitFor({}, 3);
    const shown = sim.journal.waitFor({ secrets: "shown" });
    for (let count = 0; count < 3; count += 1) askSurfaces(sim, 0);
    expect(sequences(await waiting)).toEqual([1, 2, 3]);
    expect((await shown)[0]?.request.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(JSON.stringify(await waiting)).not.toContain(apiKey);
  },
);

test("a clear and a reset, after which numbering starts again, don't end it", async () => {
  const sim = createSimulator();
  const waiting = sim.journal.waitFor({ after: 1 }, 2);
  askSurfaces(sim, 0);
  askSurfaces(sim, 0);
  sim.journal.clear();
  sim.reset();
  askSurfaces(sim, 0);
  expect(await isPending(waiting)).toBe(true);
  askSurfaces(sim, 0);
  expect(sequences(await waiting)).toEqual([2, 2]);
});

test("an aborted signal rejects with its reason, and other waits go on", async () => {
  const sim = createSimulator();
  const gone = new AbortController();
  const reason = new Error("enough");
  const waiting = sim.journal.waitFor({}, 2, { signal: gone.signal });
  const other = sim.journal.waitFor({}, 2, { signal: new AbortController().signal });
  askSurfaces(sim, 0);
  gone.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  askSurfaces(sim, 0);
  expect(sequences(await other)).toEqual([1, 2]);
  const late = sim.journal.waitFor({}, 1, { signal: AbortSignal.abort("before") });
  await expect(late).rejects.toBe("before");
});

describe("invalid arguments reject, and the error names the field", () => {
  test.each([
    ["filter", null, 1, {}],
    ["operation", { operation: "clicks" }, 1, {}],
    ["count", {}, 0, {}],
    ["count", {}, "2", {}],
    ["count", {}, Number.POSITIVE_INFINITY, {}],
    ["timeout", {}, 1, { timeout: 5 }],
    ["signal", {}, 1, { signal: "SIGTERM" }],
    ["signal", {}, 1, { signal: new AbortController() }],
  ])("%s: %j, %j, %j", async (field, filter, count, options) => {
    const sim = createSimulator();
    const wait = sim.journal.waitFor as (...given: unknown[]) => Promise<unknown>;
    const rejected = expect(wait(filter, count, options)).rejects;
    await rejected.toMatchObject({ name: "InputError", field });
  });
});
