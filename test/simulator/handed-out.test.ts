/** Callers own what a public call returns: changing it doesn't change what later calls answer. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ApiRequest,
  coveringArray,
  createSimulator,
  type FaultRule,
  type Simulator,
  type Snapshot,
} from "../../src/index.ts";
import { arbitraryAssumptions, commandWeights, flawKinds } from "../../src/testing.ts";
import { checkProperty } from "../properties/check-property.ts";

const file = "test/simulator/handed-out.test.ts";

/** Corrupts every part of a value that can be changed, except functions. */
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
    corrupt(part, seen);
    if (typeof part === "function") continue;
    Reflect.set(value, key, typeof part === "number" ? part + 7 : "corrupted");
  }
  Reflect.set(value, "corrupted", "corrupted");
  if (Array.isArray(value)) Reflect.deleteProperty(value, 0);
  else for (const key of Object.keys(value).slice(1)) Reflect.deleteProperty(value, key);
}

const verdicts: readonly FaultRule["verdict"][] = [
  { kind: "truncate", share: 0.5 },
  { kind: "garbage" },
  { kind: "garbage", as: "response" },
  { kind: "duplicate", answer: "second" },
  { kind: "lose-response" },
  { kind: "respond", status: 503, headers: { "x-a": "b" }, body: { list: [1, { a: 2 }] } },
  { kind: "respond", status: 500, applied: true, body: [1] },
  { kind: "reorder", by: 1 },
  { kind: "delay", delay: { from: 1, to: 5 } },
];

function worldOf(assumptions: Simulator["assumptions"]): Simulator {
  return createSimulator({ seed: "handed out", publishers: 3, assumptions });
}

function sent(sim: Simulator, path: string, values: object): ApiRequest {
  const { id, apiKey, surfaces } = sim.publishers.at(sim.publishers.total - 1);
  const own = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad", session_id: "s" };
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  if (path.startsWith("/v1/publisher")) {
    return { method: "GET", path, headers, query: { publisher_id: id } };
  }
  return { method: "POST", path, headers, body: JSON.stringify({ ...own, ...values }) };
}

function lastOf(sim: Simulator): { id: string; surface: string } {
  const { id, surfaces } = sim.publishers.at(sim.publishers.total - 1);
  return { id, surface: surfaces[0]?.id ?? "" };
}

/** Every public call that returns something, and the requests that fill the world. */
const calls: Readonly<Record<string, (sim: Simulator, draw: number) => unknown>> = {
  "handle an impression": (sim, draw) =>
    sim.handle(sent(sim, "/v1/impression", { ad_id: `ad ${draw % 3}` })),
  "handle a click": (sim) => {
    const entries = sim.journal.entries({ operation: "impression", status: 200 });
    const impression_id = /"impression_id":"([^"]*)"/.exec(entries[0]?.response.body ?? "")?.[1];
    return sim.handle(sent(sim, "/v1/click", { impression_id: impression_id ?? "none" }));
  },
  "handle stats": (sim) => sim.handle(sent(sim, "/v1/publisher/stats", {})),
  "handle surfaces": (sim) => sim.handle(sent(sim, "/v1/publisher/surfaces", {})),
  "handle payouts": (sim) => sim.handle(sent(sim, "/v1/publisher/payouts", {})),
  "handle nonsense": (sim) => sim.handle({ method: "GET", path: "/v1/nowhere" }),
  "handle and give up": (sim, draw) => {
    const answer = sim.handle(sent(sim, "/v1/impression", { ad_id: `late ${draw % 3}` }));
    const { delivery } = answer;
    corrupt(answer.headers);
    delivery?.undelivered();
    return answer;
  },
  at: ({ publishers }, draw) => publishers.at(draw % publishers.total),
  get: ({ publishers }, draw) => publishers.get(publishers.at(draw % publishers.total).id),
  list: ({ publishers }) => publishers.list(),
  credentials: ({ publishers }) => publishers.credentials(10),
  signUp: ({ publishers }) => publishers.signUp({ surfaces: ["a", { name: "b" }] }),
  rotateKey: (sim) => sim.publishers.rotateKey(lastOf(sim).id),
  setSurface(sim, draw) {
    const { id, surface } = lastOf(sim);
    const range = [1, 2 + (draw % 5)] as const;
    return sim.publishers.setSurface(id, surface, { cpmRange: range });
  },
  "faults.add": ({ faults }, draw) =>
    faults.add({
      match: { nth: [1, 2], operation: ["impression", "stats"] },
      verdict: verdicts[draw % verdicts.length] ?? { kind: "drop" },
    }).rule,
  "faults.list": ({ faults }) => faults.list(),
  "faults.get": ({ faults }) => faults.list()[0] && faults.get(faults.list()[0]?.id ?? ""),
  "faults.remove": ({ faults }) => faults.remove("rule-1"),
  entries: ({ journal }) => [journal.entries(), journal.entries({ secrets: "shown" })],
  audit: (sim) => sim.audit(),
  report: (sim) => sim.report(),
  snapshot: (sim) => sim.snapshot(),
  "restore a snapshot": (sim) => {
    const snapshot: Snapshot = sim.snapshot();
    sim.restore(snapshot);
    return snapshot;
  },
  fork: (sim) => {
    const fork = sim.fork();
    return [fork.publishers.list(), fork.snapshot(), fork.handle(sent(fork, "/v1/impression", {}))];
  },
  usage: (sim) => sim.usage(),
  assumptions: (sim) => sim.assumptions,
  assume: (sim) => sim.assume({ "errors.body": "flat" }),
  advance: ({ clock }) => clock.advance("1h"),
  coveringArray: () => coveringArray({ strength: 1 }),
  "adsim/testing": () => [flawKinds, commandWeights],
};

const readers = ["audit", "report", "snapshot", "entries", "list", "faults.list", "assumptions"];

/** Everything that the simulator reports, and its next answers. */
function shown(sim: Simulator): string {
  const said = readers.map((name) => JSON.stringify(calls[name]?.(sim, 0)));
  const next = sim.fork();
  const answers = Object.keys(calls)
    .filter((name) => name.startsWith("handle"))
    .map((name) => JSON.stringify(calls[name]?.(next, 1)));
  return [...said, sim.journal.toHar(), ...answers].join("\n");
}

describe("what a public call returns", () => {
  const name = "can be changed by its caller in every part without changing anything else";
  test(name, { timeout: 120_000 }, () => {
    checkProperty(
      { test: name, file, runs: 120 },
      fc.property(
        arbitraryAssumptions(),
        fc.array(fc.tuple(fc.constantFrom(...Object.keys(calls)), fc.nat(50)), { maxLength: 25 }),
        (assumptions, sequence) => {
          const [left, right] = [worldOf(assumptions), worldOf(assumptions)];
          for (const [call, draw] of sequence) {
            calls[call]?.(right, draw);
            corrupt(calls[call]?.(left, draw));
          }
          expect(shown(left)).toBe(shown(right));
        },
      ),
    );
  });

  test.each(Object.keys(calls))("can be changed after each of two calls: %s", (call) => {
    const { assumptions } = createSimulator();
    const [left, right] = [worldOf(assumptions), worldOf(assumptions)];
    const before = ["signUp", "handle an impression", "handle a click", "faults.add", call, call];
    for (const [draw, each] of before.entries()) {
      calls[each]?.(right, draw);
      corrupt(calls[each]?.(left, draw));
    }
    expect(shown(left)).toBe(shown(right));
  });

  test("every method is covered here, unless it returns nothing that could be changed", () => {
    const sim = createSimulator();
    const plain = [
      "total",
      "kept",
      "clear",
      "waitFor",
      "record",
      "shown",
      "observe",
      "share",
      "log",
      "restarts",
    ];
    const covered = [...Object.keys(calls).map((each) => each.replace(/^faults\./, "")), ...plain];
    const { publishers, faults, journal } = sim;
    for (const part of [publishers, faults, journal]) {
      const names = Object.keys(part).filter(
        (each) => !each.startsWith("to") && each !== "restart",
      );
      expect(covered).toEqual(expect.arrayContaining(names));
    }
  });

  test("the exported tables of adsim/testing can't be changed at all", () => {
    const tables = [flawKinds, commandWeights];
    const before = JSON.stringify(tables);
    corrupt(tables.slice());
    expect(JSON.stringify(tables)).toBe(before);
  });

  test("an audit asserts on what it found, even after its lists were changed", () => {
    const sim = worldOf(createSimulator().assumptions);
    const audit = sim.audit();
    Reflect.apply(Array.prototype.push, audit.discrepancies, ["corrupted"]);
    expect(() => audit.assertNothingLostOrDoubled({ impressions: 0, clicks: 0 })).not.toThrow();
  });

  test("an entry from waitFor stays as it is when the answer is changed", async () => {
    const sim = createSimulator({ journalEntries: 0 });
    const waiting = sim.journal.waitFor({ status: 404 });
    corrupt(sim.handle({ method: "GET", path: "/v1/nowhere" }));
    const [entry] = await waiting;
    expect(entry?.response).toMatchObject({
      status: 404,
      headers: { "x-ratelimit-remaining": "60" },
    });
  });
});
