/** Callers own what a public call returns: changing it doesn't change what later calls answer. */

import { expect, test } from "vitest";
import { createSimulator, type FaultRule, type Simulator } from "../../src/index.ts";
import { senderOf } from "../operation-sender.ts";

/** Corrupts every part of a value, except functions, and the delivery that adapters read. */
function corrupt(value: unknown, seen: Set<unknown> = new Set()): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  if (value instanceof Uint8Array) {
    value.fill(0);
    return;
  }
  if (value instanceof Map || value instanceof Set) value.clear();
  for (const key of Object.keys(value)) {
    const part: unknown = Reflect.get(value, key);
    if (typeof part === "function" || key === "delivery") continue;
    corrupt(part, seen);
    Reflect.set(value, key, typeof part === "number" ? part + 7 : "corrupted");
  }
  Reflect.set(value, "corrupted", "corrupted");
  if (Array.isArray(value)) Reflect.deleteProperty(value, 0);
  else Reflect.deleteProperty(value, Object.keys(value)[1] ?? "");
}

const verdicts: readonly FaultRule["verdict"][] = [
  { kind: "truncate", share: 0.5 },
  { kind: "duplicate", answer: "second" },
  { kind: "lose-response" },
  { kind: "respond", status: 503, headers: { "x-a": "b" }, body: { list: [1, { a: 2 }] } },
  { kind: "respond", status: 500, applied: true, body: [1] },
  { kind: "reorder", by: 1 },
  { kind: "delay", delay: { from: 1, to: 5 } },
];

/** Of the latest sign-up, if there is one. */
const last = (sim: Simulator): ReturnType<typeof senderOf> =>
  senderOf(sim, sim.publishers.at(sim.publishers.total - 1));

/** Public calls that return something, and the requests that fill the world. */
const calls: Readonly<Record<string, (sim: Simulator, draw: number) => unknown>> = {
  "handle an impression": (sim, draw) => last(sim).impression(`s-${draw % 3}`),
  "handle a click": (sim) =>
    last(sim).click(/"(imp_\w+)"/.exec(last(sim).impression().body)?.[1] ?? "none"),
  "handle stats": (sim) => last(sim).stats(),
  "handle surfaces": (sim) => last(sim).surfaces(),
  "handle payouts": (sim) => last(sim).payouts(),
  "handle nonsense": (sim) => last(sim).nowhere(),
  signUp: ({ publishers }) => publishers.signUp({ surfaces: ["a", { name: "b" }] }),
  rotateKey: (sim) => sim.publishers.rotateKey(last(sim).publisher.id),
  setSurface(sim) {
    const { id, surfaces } = last(sim).publisher;
    return sim.publishers.setSurface(id, surfaces[0]?.id ?? "", { cpmRange: [1, 2] });
  },
  publishers: ({ publishers }) => [
    publishers.get(publishers.at(0).id),
    publishers.at(publishers.total - 1),
    publishers.list(),
    publishers.credentials(10),
  ],
  "faults.add": ({ faults }, draw) => {
    const verdict = verdicts[draw % verdicts.length] ?? { kind: "drop" };
    return faults.add({ match: { nth: [1, 2], operation: ["impression", "stats"] }, verdict }).rule;
  },
  faults: ({ faults }) => [faults.list(), faults.list().map(({ id }) => faults.get(id))],
  entries: ({ journal }) => [journal.entries(), journal.entries({ secrets: "shown" })],
  results: (sim) => [sim.audit(), sim.report(), sim.usage(), sim.snapshot()],
  "restore a snapshot": (sim) => {
    const snapshot = sim.snapshot();
    sim.restore(snapshot);
    return snapshot;
  },
  assumptions: (sim) => [sim.assumptions, sim.assume({ "errors.body": "flat" })],
};

/** Everything that the simulator reports, and its next answers. */
function shown(sim: Simulator): string {
  const names = Object.keys(calls);
  const said = ["publishers", "faults", "entries", "results"].map((name) => calls[name]?.(sim, 0));
  const next = sim.fork();
  const answers = names
    .filter((name) => name.startsWith("handle"))
    .map((name) => calls[name]?.(next, 1));
  return JSON.stringify([said, sim.assumptions, sim.journal.toHar(), answers]);
}

test.each(Object.keys(calls))("%s: what it returns can be changed and changes nothing", (call) => {
  const [left, right] = [createSimulator({ publishers: 3 }), createSimulator({ publishers: 3 })];
  const some = ["signUp", "handle an impression", "handle a click", "faults.add", "handle stats"];
  for (const [draw, each] of [...some, ...verdicts.map(() => "faults.add"), call, call].entries()) {
    calls[each]?.(right, draw);
    corrupt(calls[each]?.(left, draw));
  }
  expect(shown(left)).toBe(shown(right));
});

test("an entry from waitFor stays as it is when the answer is changed", async () => {
  const sim = createSimulator({ journalEntries: 0 });
  const waiting = sim.journal.waitFor({ status: 404 });
  corrupt(sim.handle({ method: "GET", path: "/v1/nowhere" }));
  const [entry] = await waiting;
  expect(entry?.response.headers).toMatchObject({ "x-ratelimit-remaining": "60" });
});
