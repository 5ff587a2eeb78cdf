/** A trace, done again by its engine, gives the same world: its state, journal, audit and report. */

import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createSimulator, InputError, type SimulatorOptions } from "../../src/index.ts";
import { createEngine, type Engine } from "../../src/inspector/engine-worlds.ts";
import type { WorldTrace } from "../../src/inspector/trace-form.ts";
import { traceOf } from "../../src/inspector/trace-worlds.ts";
import { playScenarioSync } from "../../src/scenario.ts";
import { createSimulatorCore } from "../../src/simulator/core.ts";
import type { HostedCore } from "../../src/simulator/simulator.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { fakerHost } from "../../src/world/publishers/people.ts";
import { runsOf } from "../budget.ts";

interface Session {
  readonly sim: HostedCore;
  /** Real time of clocks that run. */
  readonly wall: { ms: number };
}

/** What may happen, by number, so that a sequence shrinks. */
const deeds: readonly ((session: Session, pick: number) => unknown)[] = [
  ({ sim }, pick) => sim.handle(impression(sim, pick)),
  ({ sim }, pick) => sim.handle(impression(sim, pick)),
  ({ sim }, pick) => sim.handle(get(sim, pick, ["stats", "surfaces", "payouts"][pick % 3] ?? "")),
  ({ sim }, pick) => sim.handle({ ...impression(sim, pick), headers: oddHeaders(sim, pick) }),
  ({ sim }, pick) =>
    sim.handle({ ...impression(sim, pick), body: oddBodies[pick % oddBodies.length] }),
  ({ sim }, pick) => sim.handle(oddRequests[pick % oddRequests.length] as ApiRequest),
  ({ sim }, pick) => {
    const { body } = sim.handle(impression(sim, pick));
    const id = /imp_\w+/.exec(body)?.[0] ?? "imp_none";
    return sim.handle(post(sim, pick, "click", { impression_id: id }));
  },
  // The client leaves before the answer is handed over.
  ({ sim }, pick) => sim.handle(impression(sim, pick)).delivery?.undelivered(),
  ({ sim }, pick) => sim.clock.advance(pick * 977),
  ({ sim }, pick) => sim.clock.advance(`${pick % 40}d`),
  ({ wall }, pick) => {
    wall.ms += pick * 313;
  },
  ({ sim }, pick) => sim.clock.set({ mode: pick % 2 ? "flowing" : "frozen" }),
  ({ sim }) => sim.clock.set({ mode: "system" }),
  ({ sim }, pick) => sim.publishers.rotateKey(sim.publishers.at(pick % 2).id),
  ({ sim }, pick) => sim.publishers.signUp({ name: `N${pick}`, surfaces: ["One"] }),
  ({ sim }, pick) => {
    const { id, surfaces } = sim.publishers.at(pick % 2);
    sim.publishers.setSurface(id, surfaces[0]?.id ?? "", {
      status: pick % 2 ? "paused" : "active",
    });
  },
  ({ sim }, pick) =>
    sim.assume({
      "dedup.repeat": pick % 2 ? "conflict" : "replay",
      "limit.algorithm": "sliding-log",
    }),
  ({ sim }, pick) =>
    sim.faults.add({
      match: { every: 2 + (pick % 3) },
      verdict: verdicts[pick % verdicts.length] ?? { kind: "drop" },
      ...(pick % 2 ? { ttl: "2h" } : {}),
    }),
  ({ sim }, pick) => {
    let calls = 0;
    sim.faults.add(() => {
      calls += 1;
      return calls % 3 === 0 ? (verdicts[pick % verdicts.length] ?? undefined) : undefined;
    });
  },
  ({ sim }) => sim.faults.clear(),
  ({ sim }) => sim.faults.remove("rule-1"),
  ({ sim }) => {
    if (functionsOf(sim).length === 0) sim.restore(sim.snapshot());
  },
  ({ sim }, pick) => sim.reset(pick % 2 ? { seed: `seed-${pick}` } : {}),
  ({ sim }) => sim.journal.clear(),
  ({ sim }) => {
    const other = sim.createSuccessor();
    playScenarioSync(scenario, { simulator: other });
    sim.adopt(other);
  },
];
const verdicts = [
  { kind: "drop" },
  { kind: "lose-response" },
  { kind: "duplicate" },
  { kind: "duplicate", answer: "second", delay: { from: 10, to: 900 } },
  { kind: "respond", status: 503 },
  { kind: "truncate", atByte: 5 },
  { kind: "delay", delay: "2s" },
  { kind: "garbage" },
] as const;
const scenario = {
  name: "short",
  about: "An impression, and its publisher's figures.",
  seed: "short",
  publishers: 2,
  steps: [{ impression: {} }, { advance: "1h" }, { signUp: {}, as: "new" }, { stats: {} }],
} as const;

const binary = Uint8Array.of(0x7b, 0xff, 0xfe, 0x22, 0x00, 0x7d);
const oddBodies = [
  "",
  "{",
  "[1]",
  "null",
  " 4711\n",
  '{"publisher_id":"x","publisher_id":"y"}',
  "\ufeff{}",
  '{"ad_id":"\ud800"}',
  '{"surface":7,"ad_id":null}',
  "ad_id=1&session_id=%zz",
  binary,
  new TextEncoder().encode("\ufeff{}"),
  new TextEncoder().encode('{"ad_id":"\u20ac"}'),
];
const oddRequests: readonly unknown[] = [
  null,
  { method: 7, path: "/v1/click" },
  { method: "GET" },
  { method: "GET", path: "/v1/click", query: 7 },
  { method: "GET", path: "/v1/click", headers: { a: {} } },
  {
    get method(): string {
      throw new Error("No.");
    },
  },
  { method: "GET", path: "/v1/publisher/stat?publisher_id=x" },
  { method: "OPTIONS", path: "/v1/click", headers: { origin: "http://localhost:1" } },
];

function oddHeaders(sim: HostedCore, pick: number): Record<string, string> {
  const { apiKey } = sim.publishers.at(pick % 2);
  const stale = createSimulator({ seed: sim.seed }).publishers.at(pick % 2).apiKey;
  return (
    [
      {},
      { authorization: `bearer ${apiKey}` },
      { Authorization: `Bearer  ${apiKey}` },
      { authorization: `Bearer ${stale}` },
      { authorization: "Bearer key_0000000000000" },
      { authorization: apiKey },
      { authorization: "Basic dXNlcjpodW50ZXIy" },
      { "x-api-key": apiKey },
    ][pick % 8] ?? {}
  );
}

function impression(sim: HostedCore, pick: number): ApiRequest {
  const { id, surfaces } = sim.publishers.at(pick % 2);
  const surface = surfaces[pick % surfaces.length]?.id;
  const event = { publisher_id: id, surface, ad_id: `ad-${pick % 3}`, session_id: `s-${pick % 4}` };
  return post(sim, pick, "impression", event);
}

function post(sim: HostedCore, pick: number, path: string, body: object): ApiRequest {
  const headers = { authorization: `Bearer ${sim.publishers.at(pick % 2).apiKey}` };
  return { method: "POST", path: `/v1/${path}`, headers, body: JSON.stringify(body) };
}

function get(sim: HostedCore, pick: number, path: string): ApiRequest {
  const { id, apiKey } = sim.publishers.at(pick % 2);
  const headers = { authorization: `Bearer ${apiKey}` };
  return { method: "GET", path: `/v1/publisher/${path}`, query: `publisher_id=${id}`, headers };
}

function functionsOf(sim: HostedCore): readonly string[] {
  return sim.faults.list().flatMap(({ id, verdict }) => (verdict === undefined ? [id] : []));
}

/** What the traces of all sessions had in them. */
const reached = new Set<string>();
const everything = [
  "a running clock",
  "begins in a state",
  "begins with the options",
  "bytes",
  "the client left",
  "the decision of a function",
  "a duplicate",
  "functions in a state",
  "no request at all",
  "played",
  "restored",
];

function marksOf({ begin, steps, name }: WorldTrace): readonly string[] {
  const states = steps.flatMap((step) => (step[0] === "replaced" ? [step[3]] : []));
  const all = begin.kind === "state" ? [begin.state, ...states] : states;
  const sent = steps.flatMap((step) => (step[0] === "sent" ? [step] : []));
  const marks = {
    "a running clock": all.some(({ clock }) => clock.mode !== "frozen"),
    "begins in a state": begin.kind === "state",
    "begins with the options": begin.kind === "options" && name === "default",
    bytes: sent.some(([, , , , body]) => typeof body === "object" && "base64" in body),
    "the client left": sent.some(([, , , , , , special]) => special?.left),
    "the decision of a function": sent.some(([, , , , , , special]) => special?.verdict),
    "a duplicate": steps.some(([kind]) => kind === "again"),
    "functions in a state": all.some(({ functions }) => functions.length > 0),
    "no request at all": sent.some(([, , , , , , special]) => special?.flaw !== undefined),
    played: steps.some((step) => step[0] === "replaced" && step[2] === "play"),
    restored: steps.some((step) => step[0] === "replaced" && step[2] === "restore"),
  };
  return Object.entries(marks).flatMap(([mark, isThere]) => (isThere ? [mark] : []));
}

/** What a trace of the world gives when it is done again, after a way through JSON as in the file. */
function engineOf(sim: HostedCore): Engine {
  const { trace } = traceOf([{ name: "default", world: sim }], { title: "t", host: fakerHost });
  for (const mark of trace.worlds.flatMap(marksOf)) reached.add(mark);
  return createEngine(JSON.parse(JSON.stringify(trace)));
}

function ask(engine: Engine, path: string, method = "GET"): unknown {
  const { body } = engine.handle({ method, path: `/_sim/${path}` });
  return body === "" ? undefined : JSON.parse(body);
}

/** As it is on its way through JSON. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function stateOf(sim: HostedCore): unknown {
  const copy = sim.fork();
  for (const id of functionsOf(copy)) copy.faults.remove(id);
  return withoutClockMode(copy.snapshot());
}

function withoutClockMode(snapshot: unknown): unknown {
  const { digest: _, clock, ...state } = snapshot as ReturnType<HostedCore["snapshot"]>;
  return { ...state, now: clock.now };
}

function engineState(engine: Engine, functions: readonly string[]): unknown {
  for (const id of functions) ask(engine, `faults/${id}`, "DELETE");
  return withoutClockMode(ask(engine, "snapshot"));
}

function checkSame(sim: HostedCore, engine: Engine): void {
  const first = firstOf(engine);
  const notes = engine
    .notes("default")
    .filter((note) => !/stands still|before saving|recording begins/.test(note));
  expect(notes).toEqual([]);
  const { entries } = ask(engine, "journal?limit=100000") as { entries: object[] };
  const withoutRequest = (entry: object): object => ({ ...entry, request: undefined });
  const expected = sim.journal.entries({ after: first });
  expect(entries.map(withoutRequest)).toEqual(plain(expected.map(withoutRequest)));
  const { assertNothingLostOrDoubled: _, ...audit } = sim.audit();
  expect(ask(engine, "audit")).toEqual(plain(audit));
  if (first === 0) {
    expect(ask(engine, "report")).toEqual(plain(sim.report()));
    expect(doneByHand(ask(engine, "history"))).toEqual(
      doneByHand({ changes: sim.history.changes() }),
    );
  }
  expect(ask(engine, "faults")).toEqual(plain({ faults: sim.faults.list() }));
  expect(ask(engine, "assumptions")).toEqual(plain(sim.assumptions));
  expect(engineState(engine, functionsOf(sim))).toEqual(plain(stateOf(sim)));
}

function doneByHand(history: unknown): readonly string[] {
  const { changes } = history as { changes: ReturnType<HostedCore["history"]["changes"]> };
  return changes.map(({ after, at, text }) => `${after} ${at} ${text}`);
}

/** The entries before those that the engine has. */
function firstOf(engine: Engine): number {
  return (ask(engine, "history") as { first: number }).first;
}

function sessionOf(options: SimulatorOptions = {}): Session {
  const wall = { ms: Date.UTC(2026, 0, 15) };
  const sim = createSimulatorCore({ ...options, wallClock: () => wall.ms }, fakerHost);
  return { sim, wall };
}

const doings = fc.array(fc.tuple(fc.nat({ max: deeds.length - 1 }), fc.nat({ max: 1000 })), {
  maxLength: 60,
  size: "max",
});

function perform(session: Session, doing: readonly (readonly [number, number])[]): void {
  for (const [deed, pick] of doing) {
    try {
      deeds[deed]?.(session, pick);
    } catch (error) {
      // Some deeds are refused in some states, such as a date.timezone that can't change any more.
      if (!(error instanceof InputError)) throw error;
    }
  }
}

afterAll(() => expect([...reached].sort()).toEqual([...everything].sort()));

describe("random sessions with faults, functions, changes by hand and broken requests", () => {
  test.each<SimulatorOptions>([
    {},
    {
      clock: "flowing",
      explain: true,
      faults: [() => ({ kind: "duplicate" }), { verdict: { kind: "drop" }, match: { nth: 3 } }],
    },
    { clock: "system", journalEntries: 8, profile: "adversarial" },
  ])("are the same when done again, made with %j", (options) => {
    const campaign = fc.property(doings, (doing) => {
      const session = sessionOf(options);
      perform(session, doing);
      checkSame(session.sim, engineOf(session.sim));
    });
    fc.assert(campaign, { numRuns: runsOf(60, 30), seed: 1 });
  });
});

describe("real time that doesn't fit the recorded times", () => {
  test("a world with a system clock that begins before its start is rebuilt", () => {
    const { sim } = sessionOf({ clock: "system", start: "2026-01-10T00:00:00Z" });
    sim.handle(impression(sim, 1));
    sim.restore(createSimulator({ start: "2026-01-01T00:00:00Z" }).snapshot());
    sim.journal.clear();
    sim.handle(impression(sim, 2));
    checkSame(sim, engineOf(sim));
  });

  test("a state with a system clock is restored to its own time", () => {
    const { sim, wall } = sessionOf({ clock: "system" });
    const saved = sim.snapshot();
    sim.clock.advance("1d");
    sim.handle(impression(sim, 1));
    sim.journal.clear();
    sim.handle(impression(sim, 2));
    wall.ms += 1000;
    sim.restore(saved);
    wall.ms += 1000;
    sim.handle(impression(sim, 3));
    checkSame(sim, engineOf(sim));
  });
});
