/** Copies of a world: a fork and a restored snapshot go their own way; a damaged snapshot is refused without any effect. */

import { describe, expect, test } from "vitest";
import {
  type Choices,
  createSimulator,
  InputError,
  type Simulator,
  type Snapshot,
} from "../../../src/index.ts";
import { impressionIdIn, senderOf } from "../../sender.ts";

const ways = [
  ["fixed-window", "shared"],
  ["sliding-log", "separate"],
  ["token-bucket", "shared"],
] as const;
const textOf = (sim: Simulator): string => JSON.stringify(sim.snapshot());

/** Changes every part of the state: events, quotas, tallies, a key, a surface, a sign-up, a rule's counts. */
function goOn(sim: Simulator, session: string): string[] {
  const answers: string[] = [];
  for (const index of [0, 1]) {
    const publisher = sim.publishers.at(index);
    const { impression, post, get } = senderOf(sim, publisher);
    for (let sent = 0; sent < 90; sent += 1) {
      const shown = impression({ session_id: `${session}-${sent}` });
      const clicked = post("click", { impression_id: sent % 3 ? "none" : impressionIdIn(shown) });
      answers.push(...[shown, clicked, get("stats")].map((answer) => JSON.stringify(answer)));
      // Uses up the reporting quota, so that it comes back at different times under each algorithm.
      sim.clock.advance(sent === 20 ? 5123 : 167);
    }
    sim.publishers.setSurface(publisher.id, publisher.surfaces[0]?.id ?? "", { cpmRange: [1, 2] });
  }
  senderOf(sim, { ...sim.publishers.at(0), apiKey: "wrong" }).post("click", {});
  sim.publishers.rotateKey(sim.publishers.at(1).id);
  sim.publishers.signUp({ name: session, surfaces: ["One", "Two"] });
  return answers;
}

function used(assumptions: Choices = {}): Simulator {
  const faults = [{ id: "counts", verdict: { kind: "delay", delay: 1 } }] as const;
  const sim = createSimulator({ seed: "snapshots", publishers: 3, faults, assumptions });
  goOn(sim, "before");
  // More than 2^32 ms later.
  sim.clock.advance("50d");
  // So many rows that the next ones fit in the columns as they are.
  for (const session of ["later", "last"]) goOn(sim, session);
  return sim;
}

function restored(snapshot: unknown): Simulator {
  const sim = createSimulator({ seed: "other", profile: "tiny" });
  sim.restore(JSON.parse(JSON.stringify(snapshot)));
  return sim;
}

describe.each(ways)("with the limits %s and %s", (algorithm, pool) => {
  test.each<[string, (sim: Simulator) => Simulator]>([
    ["a fork", (sim) => sim.fork()],
    ["a restored world", (sim) => restored(sim.snapshot())],
  ])("%s goes on as the world would, and neither sees what happens to the other", (_, copied) => {
    const sim = used({ "limit.algorithm": algorithm, "limit.recording-pool": pool });
    const [copy, priced] = [copied(sim), copied(sim)];
    const before = textOf(sim);
    expect(textOf(copy)).toBe(before);
    const answers = goOn(copy, "after");
    const later = textOf(copy);
    for (const { id, surfaces } of priced.publishers.list({ limit: 2 }))
      priced.publishers.setSurface(id, surfaces[0]?.id ?? "", { cpmRange: [50, 60] });
    goOn(priced, "after");
    expect([textOf(sim), textOf(copy)]).toEqual([before, later]);
    expect(goOn(sim, "after")).toEqual(answers);
    expect([textOf(sim), textOf(copy)]).toEqual([later, later]);
    for (const status of [200, 429, 404])
      expect(answers.some((answer) => answer.startsWith(`{"status":${status}`))).toBe(true);
  });
});

describe("a snapshot", () => {
  test("can be restored twice, and doesn't change when a world does", () => {
    const snapshot = used().snapshot();
    const text = JSON.stringify(snapshot);
    const texts = [createSimulator(), createSimulator()].map((sim) => {
      sim.restore(snapshot);
      goOn(sim, "after");
      expect(JSON.stringify(snapshot)).toBe(text);
      return textOf(sim);
    });
    expect(texts[0]).toBe(texts[1]);
  });

  test("of a system clock continues in real time, however old it is", () => {
    let wallMs = Date.parse("2026-03-01T00:00:00Z");
    const options = { clock: "system", wallClock: () => wallMs } as const;
    const snapshot = createSimulator(options).snapshot();
    wallMs += 90_000;
    const later = createSimulator(options);
    later.restore(snapshot);
    expect([later.clock.mode, later.clock.now()]).toEqual(["system", wallMs]);
    // A clock that was moved ahead stays ahead: it never runs backwards.
    later.clock.advance("1h");
    expect(later.fork().clock.now()).toBe(wallMs + 3_600_000);
  });

  test("doesn't depend on the order of first requests, or on requests that record nothing", () => {
    const texts = [
      [0, 1, 2],
      [2, 0, 1],
    ].map((order) => {
      const sim = createSimulator({ publishers: 3 });
      for (const index of order) senderOf(sim, sim.publishers.at(index)).get("stats");
      return textOf(sim);
    });
    expect(texts[0]).toBe(texts[1]);

    const accounts = [[], [29, 31, 40]].map((sentAtMinutes) => {
      const sim = used();
      for (let minute = 0; minute < 45; minute += 1) {
        // Any request may free what has left the window.
        if (sentAtMinutes.includes(minute)) sim.handle({ method: "GET", path: "/nowhere" });
        sim.clock.advance("1m");
      }
      return sim.snapshot().accounts;
    });
    expect(accounts[0]).toEqual(accounts[1]);
  });

  test("has no sessions and requests that have left their windows", () => {
    const sim = used({ "limit.algorithm": "sliding-log" });
    sim.clock.advance("31m");
    const ids = [0, 1].map((index) =>
      impressionIdIn(senderOf(sim, sim.publishers.at(index)).impression()),
    );
    expect(ids).not.toContain("");
    for (const { book, buckets } of sim.snapshot().accounts.slice(0, 2)) {
      expect(book.sessionKeys).toEqual([]);
      expect(buckets.recording).toEqual({ times: [sim.clock.now()] });
    }
  });

  test("doesn't change what reset does: it goes back to the options", () => {
    const sim = createSimulator({ seed: "mine" });
    sim.restore(used().snapshot());
    sim.reset();
    expect(sim.snapshot()).toEqual(createSimulator({ seed: "mine" }).snapshot());
  });

  // biome-ignore lint/suspicious/noExplicitAny: the test writes invalid values on purpose
  type Damaged = any;

  test.each<[string, (snapshot: Damaged) => unknown, RegExp]>([
    ["null", () => null, /^must be an object from sim\.snapshot/],
    ["a string", (snapshot) => JSON.stringify(snapshot), /^must be an object/],
    ["another format", (snapshot) => ({ ...snapshot, format: "other" }), /^format must be/],
    ["another version", (snapshot) => ({ ...snapshot, version: 1 }), /^version must be 6/],
    ["no accounts", ({ accounts: _, ...rest }) => rest, /^accounts is required/],
    ["another digest", (snapshot) => ({ ...snapshot, digest: "0" }), /^digest doesn't match/],
    ["an additional member", (snapshot) => ({ ...snapshot, extra: 1 }), /^digest doesn't match/],
  ])("is refused with %s, and changes nothing", (_, damage, why) => {
    const sim = createSimulator({ seed: "snapshots", publishers: 3 });
    goOn(sim, "before");
    const before = textOf(sim);
    const damaged = damage(sim.snapshot()) as Snapshot;
    expect(() => sim.restore(damaged)).toThrow(InputError);
    expect(() => sim.restore(damaged)).toThrow(why);
    expect(textOf(sim)).toBe(before);
  });

  test("is refused whichever value in it was changed", () => {
    const whole = JSON.stringify(used().snapshot());
    const target = createSimulator();
    const untouched = textOf(target);
    let changed = 0;
    const change = (value: Damaged, root: Damaged = value): void => {
      for (const [key, part] of Object.entries(value)) {
        if (typeof part === "object" && part !== null) {
          change(part, root);
          continue;
        }
        value[key] = typeof part === "number" ? part + 1 : `${part}x`;
        expect(() => target.restore(root), key).toThrow(InputError);
        value[key] = part;
        changed += 1;
      }
    };
    change(JSON.parse(whole));
    expect(changed).toBeGreaterThan(150);
    expect(textOf(target)).toBe(untouched);
  });
});
