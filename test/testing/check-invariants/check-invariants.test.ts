/** The invariants, checked on a simulator that a test has used: all hold, and a lying simulator breaks them. */

import { describe, expect, test } from "vitest";
import {
  type ApiResponse,
  type Choices,
  createSimulator,
  InputError,
  type JournalEntry,
  type Simulator,
  type SimulatorOptions,
} from "../../../src/index.ts";
import { checkInvariants, invariants } from "../../../src/testing.ts";
import { plainCall, requestOf } from "../../oracle/calls.ts";

const options = { publishers: 3 } satisfies SimulatorOptions;

/** What a test of a client leaves behind: events and their repeats, clicks, a used up quota, payouts listed twice. */
function used(sim: Simulator): Simulator {
  for (const { id, apiKey, surfaces } of sim.publishers.list({ limit: 2 })) {
    const ask = (...call: Parameters<typeof plainCall>): ApiResponse =>
      sim.handle(requestOf(plainCall(...call), apiKey));
    const surface = surfaces.find(({ status }) => status === "active")?.id;
    for (const session_id of ["one", "two", "one"]) {
      const { body } = ask("impression", { publisher_id: id, surface, ad_id: "ad", session_id });
      ask("click", { impression_id: /"impression_id":"([^"]+)"/.exec(body)?.[1] ?? "imp_lost" });
      ask("click", { impression_id: "imp_nobody" });
      sim.clock.advance(1000);
    }
    for (let sent = 0; sent < 61; sent += 1) ask("stats", { publisher_id: id });
    sim.clock.advance(86_400_000);
    ask("payouts", { publisher_id: id });
    ask("payouts", { publisher_id: id });
  }
  return sim;
}

const healthy = used(createSimulator(options));

/** The object with some of its members replaced. */
function changed<Whole extends object>(whole: Whole, others: Partial<Whole>): Whole {
  return new Proxy(whole, {
    get: (target, name) => Reflect.get(name in others ? others : target, name),
  });
}

/** The simulator with a journal that lies. */
function tellingLies(
  sim: Simulator,
  lie: (entry: JournalEntry, place: number) => JournalEntry,
): Simulator {
  const toNdjson: Simulator["journal"]["toNdjson"] = (filter) =>
    sim.journal
      .toNdjson(filter)
      .split("\n")
      .filter(Boolean)
      .map((line, place) => `${JSON.stringify(lie(JSON.parse(line), place))}\n`)
      .join("");
  return changed(sim, { journal: changed(sim.journal, { toNdjson }) });
}

function resultOf(sim: Simulator, id: string) {
  const [result] = checkInvariants(sim, { ids: [id] });
  return result;
}

describe("a simulator that was used", () => {
  const results = checkInvariants(healthy);
  const ids = (result: string): string[] =>
    results.filter((one) => one.result === result).map(({ id }) => id);

  test("holds all invariants that can be checked, and every result says why", () => {
    expect(ids("failed")).toEqual([]);
    expect(ids("undecided")).toEqual(["A4"]);
    expect(results.map(({ id, says }) => ({ id, says }))).toEqual(invariants);
    expect(invariants).toHaveLength(16);
    for (const { why } of results) expect(why).toMatch(/\w/);
  });

  test("isn't changed by the check", () => {
    const sim = used(createSimulator(options));
    const before = JSON.stringify(sim.snapshot());
    const { total } = sim.journal;
    checkInvariants(sim);
    expect(JSON.stringify(sim.snapshot())).toBe(before);
    expect(sim.journal.total).toBe(total);
  });

  test.each<[string, Choices]>([
    ["a sliding window", { "limit.algorithm": "sliding-log" }],
    ["a token bucket", { "limit.algorithm": "token-bucket" }],
    ["masked publishers", { "auth.key-scope": "publisher-hidden" }],
    [
      "other choices",
      { "dedup.repeat": "conflict", "ids.format": "uuid", "money.precision": "paise" },
    ],
  ])("holds under %s", (_, assumptions) => {
    const found = checkInvariants(used(createSimulator({ ...options, assumptions })));
    expect(found.filter(({ result }) => result === "failed")).toEqual([]);
    expect(found.filter(({ result }) => result === "passed").length).toBeGreaterThan(13);
  });

  test("holds after fault rules and changes by hand, and with a flowing clock", () => {
    const sim = createSimulator({
      ...options,
      clock: "flowing",
      wallClock: () => 0,
      faults: [
        { match: { operation: "impression", nth: 2 }, verdict: { kind: "lose-response" } },
        { match: { operation: "click", nth: 2 }, verdict: { kind: "respond", status: 502 } },
        () => undefined,
      ],
    });
    used(sim);
    const [first] = sim.publishers.list();
    const surface = first?.surfaces[0];
    if (first === undefined || surface === undefined) throw new Error("There is nobody.");
    sim.publishers.rotateKey(first.id);
    sim.publishers.setSurface(first.id, surface.id, { cpmRange: [900, 901] });
    sim.publishers.signUp({ surfaces: ["Home"] });
    sim.handle(requestOf(plainCall("stats", { publisher_id: first.id }), first.apiKey));
    const broken = checkInvariants(sim).filter(({ result }) => result === "failed");
    expect(broken).toEqual([]);
  });
});

describe("an invariant is unknown, never held, after", () => {
  const rests = ["M2", "M3", "M4", "S2", "D3", "L7", "H1"];

  test.each<[string, () => Simulator, string]>([
    [
      "a journal that has forgotten",
      () => used(createSimulator({ ...options, journalEntries: 50 })),
      "forgotten 94 of 144 requests",
    ],
    [
      "no journal",
      () => used(createSimulator({ ...options, journalEntries: 0 })),
      "forgotten 144 of 144 requests",
    ],
    [
      "a fork",
      () => used(createSimulator(options)).fork(),
      "the world is a fork, or a snapshot was restored",
    ],
    [
      "a snapshot put back",
      () => {
        const sim = createSimulator(options);
        const first = sim.snapshot();
        used(sim).restore(first);
        return sim;
      },
      "the world is a fork, or a snapshot was restored",
    ],
  ])("%s", (_, make, why) => {
    const results = checkInvariants(make());
    expect(results.filter(({ result }) => result === "failed")).toEqual([]);
    const found = results.filter(({ id }) => rests.includes(id));
    const held = found.filter(({ result }) => result !== "undecided").map(({ id }) => id);
    expect(held).toEqual([]);
    expect(found.every((one) => one.why?.includes(why))).toBe(true);
  });

  test("an unknown id is refused, and the error suggests the nearest", () => {
    const attempt = (): unknown => checkInvariants(healthy, { ids: ["M1", "M7"] });
    expect(attempt).toThrow(InputError);
    expect(attempt).toThrow(/^ids\.1 is not the id of an invariant.*Did you mean "M1"\?/s);
  });
});

describe("a journal with wrong answers breaks", () => {
  const body = (pattern: RegExp, by: string, path: string) => (entry: JournalEntry) =>
    entry.request.path === path && entry.response.status === 200
      ? {
          ...entry,
          response: { ...entry.response, body: entry.response.body.replace(pattern, by) },
        }
      : entry;
  const header = (name: string, value: string | undefined, from = 0) => {
    return (entry: JournalEntry, place: number): JournalEntry => {
      const { [name]: _, ...others } = entry.response.headers;
      const headers = value === undefined ? others : { ...others, [name]: value };
      return place < from ? entry : { ...entry, response: { ...entry.response, headers } };
    };
  };
  const credit = /"revenue_credited_inr":[\d.]+/;

  test.each<[string, string, (entry: JournalEntry, place: number) => JournalEntry]>([
    [
      "M2",
      "credits that aren't on record",
      body(credit, '"revenue_credited_inr":0.009', "/v1/impression"),
    ],
    ["M3", "a credit beyond the range", body(credit, '"revenue_credited_inr":9', "/v1/impression")],
    ["M4", "an exponent", body(credit, '"revenue_credited_inr":1e-7', "/v1/click")],
    ["D3", "one id for two publishers", body(/"imp_\w+"/, '"imp_1"', "/v1/impression")],
    ["L7", "an answer without the remaining quota", header("x-ratelimit-remaining", undefined, 9)],
    ["H1", "a success without its id", body(/"ok":true,/, "", "/v1/impression")],
    [
      "H1",
      "a 500 of the service's own",
      (entry, place) =>
        place === 5 ? { ...entry, response: { ...entry.response, status: 500 } } : entry,
    ],
  ])("%s: %s", (id, _, lie) => {
    expect(resultOf(healthy, id)?.result).toBe("passed");
    const found = resultOf(tellingLies(healthy, lie), id);
    expect(found?.result).toBe("failed");
    expect(found?.why).toMatch(/\w/);
    expect(found?.why).not.toMatch(/key_\w/);
  });
});

test("invariants that are tried on a fork are broken by a fork that answers wrongly", () => {
  const fork = (): Simulator => {
    const aside = healthy.fork();
    return changed(aside, {
      handle: (request) => {
        const response = aside.handle(request);
        const body = response.body.replace(/"clicks":\d+/, '"clicks":1');
        return { ...response, body };
      },
    });
  };
  expect(resultOf(changed(healthy, { fork }), "S1")?.result).toBe("failed");
  expect(resultOf(changed(healthy, { fork }), "S2")?.result).toBe("passed");
});
