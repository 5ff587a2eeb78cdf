/** Changing the assumptions of a running world: what changes from now on, and what stays. */

import { describe, expect, test } from "vitest";
import { type Choices, createSimulator, InputError, type Simulator } from "../../../src/index.ts";
import { impressionIdIn, type Sender, senderOf } from "../../sender.ts";

const first = (sim: Simulator): Sender => senderOf(sim, sim.publishers.at(0));

test("a change takes effect from the next request on, and keeps what was recorded", () => {
  const sim = createSimulator();
  const { impression, get } = first(sim);
  const repeat = (): number => impression({ session_id: "s" }).status;
  expect([repeat(), repeat()]).toEqual([200, 200]);
  const before = get("stats", { from: "2026-01-15" }).body;
  const inForce = sim.assume({ "dedup.repeat": "conflict", "errors.invalid": undefined });
  expect(inForce).toEqual({ ...createSimulator().assumptions, "dedup.repeat": "conflict" });
  expect(sim.assumptions).toEqual(inForce);
  expect(repeat()).toBe(409);
  expect(get("stats", { from: "2026-01-15" }).body).toBe(before);
});

test("a change keeps quota, key, changed surfaces, sign-ups and the journal", () => {
  const sim = createSimulator();
  const { id, surfaces } = sim.publishers.at(0);
  sim.publishers.rotateKey(id);
  sim.publishers.setSurface(id, surfaces[0]?.id ?? "", { cpmRange: [1, 2] });
  sim.publishers.signUp({ name: "Acme" });
  first(sim).get("surfaces");
  const before = [sim.publishers.list(), sim.journal.entries()];
  sim.assume({ "errors.invalid": "422" });
  expect([sim.publishers.list(), sim.journal.entries()]).toEqual(before);
  expect(first(sim).get("surfaces").headers["x-ratelimit-remaining"]).toBe("58");
});

test("a status that setSurface set stays, even if the seed gives the same one", () => {
  const sim = createSimulator({ assumptions: { "surface.statuses": "extended" } });
  const { id, surfaces } = sim.publishers.at(0);
  const last = surfaces.at(-1);
  const restored = createSimulator();
  const statuses = (): unknown[] =>
    [sim, restored].map(({ publishers }) => publishers.get(id).surfaces.at(-1)?.status);
  expect(last?.status).not.toBe("active");
  sim.publishers.setSurface(id, last?.id ?? "", { status: "active" });
  for (const choice of ["documented", "extended"] as const) {
    sim.assume({ "surface.statuses": choice });
    restored.restore(sim.snapshot());
    restored.assume({ "errors.invalid": "422" });
    expect(statuses()).toEqual(["active", "active"]);
  }
});

test("payouts and stats are those of a world that was made with the choices", () => {
  const choices = { "payout.order": "oldest-first", "date.timezone": "ist" } as const;
  const sim = createSimulator();
  first(sim).get("payouts");
  sim.assume(choices);
  const made = createSimulator({ assumptions: choices });
  for (const what of ["payouts", "stats"] as const)
    expect(first(sim).get(what).body).toBe(first(made).get(what).body);
});

test("a change carries over to forks and snapshots; a reset goes back to the options", () => {
  const sim = createSimulator();
  sim.assume({ "errors.invalid": "422" });
  const restored = createSimulator();
  restored.restore(sim.snapshot());
  for (const world of [sim.fork(), restored]) expect(world.assumptions).toEqual(sim.assumptions);
  sim.reset();
  expect(sim.assumptions["errors.invalid"]).toBe("400");
});

describe("what docs/reference/choices.md says that a change does besides", () => {
  const left = ({ headers }: { headers: Readonly<Record<string, string>> }) =>
    headers["x-ratelimit-remaining"];

  test.each<[readonly Choices[], impressions: string, clicks: string, reports: string]>([
    [[{ "errors.invalid": "422" }], "9998", "9998", "58"],
    [[{ "limit.algorithm": "sliding-log" }], "9999", "9999", "59"],
    [
      [{ "limit.recording-pool": "shared" }, { "limit.recording-pool": "separate" }],
      ...(["9998", "9999", "58"] as const),
    ],
  ])("%j leaves quota of %s, %s and %s", (changes, ...quota) => {
    const sim = createSimulator({ assumptions: { "limit.recording-pool": "separate" } });
    const { impression, post, get } = first(sim);
    const each = () => [impression(), post("click", {}), get("stats")].map(left);
    expect(each()).toEqual(["9999", "9999", "59"]);
    for (const choices of changes) sim.assume(choices);
    expect(each()).toEqual(quota);
  });

  test.each<[Choices, isForgotten: boolean]>([
    [{ "dedup.repeat": "replay" }, false],
    [{ "dedup.key": "session" }, true],
    [{ "dedup.window": "24h" }, true],
  ])("%j makes the world forget its impressions: %s", (choices, isForgotten) => {
    const sim = createSimulator();
    const show = (): string => impressionIdIn(first(sim).impression({ session_id: "s" }));
    const shown = show();
    sim.assume(choices);
    expect(show() !== shown).toBe(isForgotten);
  });

  test.each<[string, (sim: Simulator) => void]>([
    ["an event", (sim) => void first(sim).impression()],
    ["a sign-up", (sim) => void sim.publishers.signUp({ name: "Acme" })],
  ])("another time zone is refused once %s is recorded, and nothing changes", (_, record) => {
    const sim = createSimulator();
    record(sim);
    const before = JSON.stringify(sim.snapshot());
    const change = { "date.timezone": "ist", "errors.invalid": "422" } as const;
    expect(() => sim.assume(change)).toThrow(/decides the days of events/);
    expect(JSON.stringify(sim.snapshot())).toBe(before);
  });
});

test("a world can start in the last millisecond of 9999 in India and be restored, but can't start later", () => {
  const start = "9999-12-31T18:29:59.999Z";
  const sim = createSimulator({ start, assumptions: { "date.timezone": "ist" } });
  expect(first(sim).impression().status).toBe(200);
  sim.publishers.signUp({ name: "Acme" });
  const restored = createSimulator();
  restored.restore(sim.snapshot());
  expect(JSON.parse(first(restored).get("stats").body).period.to).toBe("9999-12-31");
  expect(() => createSimulator({ start: "9999-12-31T18:30:00Z" })).toThrow(InputError);
});
