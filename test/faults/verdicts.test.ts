/** What each verdict does: to the client, in the service, and in the journal and the tally. */

import { describe, expect, test } from "vitest";
import {
  type ApiResponse,
  createSimulator,
  type Delivery,
  type JournalEntry,
  type Simulator,
  type SimulatorOptions,
  type Verdict,
} from "../../src/index.ts";
import { impressionIdOf, senderOf } from "../operation-sender.ts";

const id = "r";

function simWith(verdict: Verdict, options: SimulatorOptions = {}): Simulator {
  return createSimulator({ faults: [{ id, match: { times: 1 }, verdict }], ...options });
}

/** The counts of a publisher's impression requests that aren't 0. */
function tallyOf(sim: Simulator, operation: "impression" | "click" = "impression"): object {
  const [account] = sim.snapshot().accounts;
  const counts = Object.entries(account?.tally[operation] ?? {});
  return Object.fromEntries(
    counts.filter(([name, count]) => count > 0 && !name.endsWith("Micros")),
  );
}

function deliveryOf({ delivery }: ApiResponse): Omit<Delivery, "undelivered"> | undefined {
  if (delivery === undefined) return undefined;
  const { undelivered: _, ...rest } = delivery;
  return rest;
}

interface Case {
  readonly verdict: Verdict;
  readonly status: number;
  readonly delivery: unknown;
  readonly producedBy?: JournalEntry["producedBy"];
  readonly served: boolean;
  readonly received: "whole" | "part" | "nothing";
  readonly tally: Readonly<Record<string, number>>;
}

const nothing = { status: 0, received: "nothing" } as const;

function untouched(verdict: Verdict, delivery: unknown): Case {
  const seen = { status: 200, received: "whole", tally: { applied: 1 } } as const;
  return { verdict, delivery, producedBy: "service", served: true, ...seen };
}
function spoilt(verdict: Verdict, delivery: unknown): Case {
  const tally = { applied: 1, lost: 1, unseen: 1 };
  return { ...untouched(verdict, delivery), received: "part", tally };
}
function lost(verdict: Verdict, delivery: unknown): Case {
  return { ...spoilt(verdict, delivery), ...nothing };
}
function dropped(verdict: Verdict, delivery: unknown): Case {
  const kept = { producedBy: "rule", served: false, tally: { dropped: 1 } } as const;
  return { verdict, delivery, ...nothing, ...kept };
}

const bytes = expect.any(Uint8Array);
const cut = new TextEncoder().encode('{"ok"');
const cases: Readonly<Record<string, Case>> = {
  delay: untouched({ kind: "delay", delay: "2s" }, { kind: "whole", delayMs: 2000 }),
  respond: {
    ...dropped({ kind: "respond", status: 503 }, undefined),
    status: 503,
    received: "whole",
    tally: { injected: 1 },
  },
  "respond, applied": {
    ...spoilt(
      { kind: "respond", status: 503, applied: true, delay: 5 },
      { kind: "whole", delayMs: 5 },
    ),
    producedBy: "rule",
    status: 503,
    received: "whole",
  },
  drop: dropped({ kind: "drop" }, { kind: "close", delayMs: 0 }),
  "drop as reset": dropped(
    { kind: "drop", as: "reset", delay: "1s" },
    { kind: "reset", delayMs: 1000 },
  ),
  "drop as silence": dropped({ kind: "drop", as: "silence" }, { kind: "silence", delayMs: 0 }),
  "lose-response": lost({ kind: "lose-response" }, { kind: "close", delayMs: 0 }),
  "lose-response as reset": lost(
    { kind: "lose-response", as: "reset" },
    { kind: "reset", delayMs: 0 },
  ),
  timeout: dropped({ kind: "timeout" }, { kind: "silence", delayMs: 0 }),
  reset: dropped({ kind: "reset" }, { kind: "reset", delayMs: 0 }),
  empty: dropped({ kind: "empty", delay: 7 }, { kind: "close", delayMs: 7 }),
  truncate: spoilt({ kind: "truncate", atByte: 5 }, { kind: "cut", bytes: cut, delayMs: 0 }),
  garbage: spoilt({ kind: "garbage" }, { kind: "bytes", bytes, delayMs: 0 }),
  "garbage as response": lost(
    { kind: "garbage", as: "response" },
    { kind: "noise", bytes, delayMs: 0 },
  ),
  drip: untouched(
    { kind: "drip", bytesPerSecond: 10 },
    { kind: "drip", bytesPerSecond: 10, delayMs: 0 },
  ),
  reorder: untouched({ kind: "reorder" }, { kind: "overtaken", by: 1, atMostMs: 1000, delayMs: 0 }),
  "reorder by 3": untouched(
    { kind: "reorder", by: 3, atMost: "250ms", delay: 4 },
    { kind: "overtaken", by: 3, atMostMs: 250, delayMs: 4 },
  ),
};

describe.each(Object.entries(cases))("%s", (_, expected) => {
  const sim = simWith(expected.verdict);
  const answer = senderOf(sim).impression();
  const [entry] = sim.journal.entries();

  test("gives the client its status and delivery", () => {
    expect(answer.status).toBe(expected.status);
    expect(deliveryOf(answer)).toEqual(expected.delivery);
    if (expected.status === 0) expect(answer).toMatchObject({ headers: {}, body: "" });
  });

  test("is journalled with its rule, its kind, and what the client received", () => {
    expect(entry).toMatchObject({
      operation: "impression",
      publisher: sim.publishers.at(0).id,
      producedBy: expected.producedBy,
      reason: expected.served ? "recorded" : `fault: ${expected.verdict.kind}`,
      response: { status: answer.status, body: answer.body },
    });
    expect(entry?.fault).toMatchObject({
      rule: id,
      kind: expected.verdict.kind,
      delayMs: deliveryOf(answer)?.delayMs ?? 0,
      served: expected.served,
      received: expected.received,
    });
    // The service's own answer, if the client got another.
    const isLost = expected.served && expected.tally.lost === 1;
    if (isLost) expect(JSON.parse(entry?.fault?.lost?.body ?? "")).toHaveProperty("impression_id");
    else expect(entry?.fault?.lost).toBeUndefined();
  });

  test("is counted in the tally, and is in the stats only if the service saw the request", () => {
    expect(tallyOf(sim)).toEqual(expected.tally);
    const { body } = senderOf(sim).stats("2026-01-15");
    expect(JSON.parse(body).impressions).toBe(expected.served ? 1 : 0);
  });
});

describe("duplicate", () => {
  test("runs the request twice: one answer arrives, the other is only in the journal", () => {
    for (const answer of ["first", "second"] as const) {
      const sim = simWith({ kind: "duplicate", answer, delay: 3 });
      const shown = senderOf(sim).impression("s");
      const entries = sim.journal.entries();
      expect(entries.map(({ reason }) => reason)).toEqual(["recorded", "duplicate, not counted"]);
      const [seen, hidden] = answer === "first" ? entries : entries.toReversed();
      expect(shown.delivery).toMatchObject({ kind: "whole", delayMs: 3 });
      expect(seen?.response.body).toBe(shown.body);
      expect(seen?.fault).toMatchObject({ served: true, received: "whole", lost: undefined });
      expect(hidden?.response).toMatchObject({ status: 0, body: "" });
      expect(hidden?.fault).toMatchObject({ served: true, received: "nothing", delayMs: 3 });
      expect(impressionIdOf(hidden?.fault?.lost as ApiResponse)).toBe(impressionIdOf(shown));
      expect(sim.faults.get(id)).toMatchObject({ seen: 1, fired: 1 });
    }
  });

  test("counts the copy, and as unseen an event whose answer the client doesn't get", () => {
    const sessions = simWith({ kind: "duplicate" });
    senderOf(sessions).impression("s");
    expect(tallyOf(sessions)).toEqual({ applied: 1, suppressed: 1, copies: 1 });
    // Without a session nothing is a duplicate.
    const none = simWith({ kind: "duplicate" });
    senderOf(none).impression();
    expect(tallyOf(none)).toEqual({ applied: 2, copies: 1, unseen: 1 });
    const second = simWith({ kind: "duplicate", answer: "second" });
    senderOf(second).impression("s");
    expect(tallyOf(second)).toEqual({ applied: 1, suppressed: 1, copies: 1, unseen: 1 });
  });

  test("spends quota twice", () => {
    const sim = simWith({ kind: "duplicate", answer: "second" });
    expect(senderOf(sim).stats().headers["x-ratelimit-remaining"]).toBe("58");
  });
});

describe("respond", () => {
  const answerTo = (verdict: Omit<Extract<Verdict, { kind: "respond" }>, "kind">): ApiResponse =>
    senderOf(simWith({ kind: "respond", ...verdict })).stats();

  test("sends a value as JSON and a text unchanged, with their length in bytes", () => {
    expect(answerTo({ status: 500, body: { message: "ß" } })).toEqual({
      status: 500,
      headers: {
        "content-type": "application/json",
        "content-length": "16",
        "x-ratelimit-remaining": "60",
        date: "Thu, 15 Jan 2026 00:00:00 GMT",
        vary: "Origin",
      },
      body: '{"message":"ß"}',
    });
    expect(answerTo({ status: 200, body: "{€" })).toMatchObject({
      headers: { "content-type": "text/plain", "content-length": "4" },
      body: "{€",
    });
    expect(answerTo({ status: 200, body: "\ud800" }).headers["content-length"]).toBe("3");
    expect(answerTo({ status: 200, body: null }).body).toBe("null");
    expect(answerTo({ status: 200, body: "" }).headers["content-type"]).toBe("text/plain");
    expect(answerTo({ status: 502 })).toEqual({
      status: 502,
      headers: {
        "content-length": "0",
        "x-ratelimit-remaining": "60",
        date: "Thu, 15 Jan 2026 00:00:00 GMT",
        vary: "Origin",
      },
      body: "",
    });
  });

  test("lets the rule's own headers win, in any case", () => {
    const headers = {
      "Content-Type": "text/html",
      "X-RateLimit-Remaining": "0",
      "Retry-After": "7",
    };
    expect(answerTo({ status: 429, headers, body: "<p>" }).headers).toEqual({
      "content-type": "text/html",
      "content-length": "3",
      "x-ratelimit-remaining": "0",
      date: "Thu, 15 Jan 2026 00:00:00 GMT",
      vary: "Origin",
      "retry-after": "7",
    });
  });

  test.each([204, 304])("%i has no length header", (status) => {
    expect(answerTo({ status }).headers).toEqual({
      "x-ratelimit-remaining": "60",
      date: "Thu, 15 Jan 2026 00:00:00 GMT",
      vary: "Origin",
    });
  });

  test("shows the limit's state, and spends nothing", () => {
    const sim = createSimulator();
    const { stats } = senderOf(sim);
    stats();
    sim.faults.add({ match: { nth: [1, 2] }, verdict: { kind: "respond", status: 503 } });
    const remaining = [1, 2, 3].map(() => stats().headers["x-ratelimit-remaining"]);
    expect(remaining).toEqual(["59", "59", "58"]);
  });

  test("shows the state for the publisher whose limit counts, where a key works for all", () => {
    const sim = createSimulator({ assumptions: { "auth.key-scope": "any" } });
    const named = sim.publishers.at(1);
    const { apiKey } = sim.publishers.at(0);
    senderOf(sim, named).impression();
    sim.faults.add({ verdict: { kind: "respond", status: 503 } });
    const answer = senderOf(sim, { ...named, apiKey }).impression();
    expect(answer.headers["x-ratelimit-remaining"]).toBe("9999");
    // So that a publisher's attempts and events are in one account.
    expect(tallyOf(sim)).toEqual({});
    expect(sim.snapshot().accounts[1]?.tally.impression).toMatchObject({ applied: 1, injected: 1 });
    expect(sim.journal.entries().at(-1)?.publisher).toBe(sim.publishers.at(0).id);
  });

  test("spends quota with `applied`, and the lost answer is the service's", () => {
    const sim = simWith({ kind: "respond", status: 200, body: "ok", applied: true });
    const answer = senderOf(sim).stats();
    expect(answer).toMatchObject({ body: "ok", headers: { "x-ratelimit-remaining": "59" } });
    expect(sim.journal.entries()[0]).toMatchObject({
      producedBy: "rule",
      response: { body: "ok" },
      fault: { served: true, received: "whole", lost: { status: 200 } },
    });
  });

  test("answers HEAD with the headers and no body", () => {
    const sim = simWith({ kind: "respond", status: 500, body: "four" });
    const { publisher } = senderOf(sim);
    const headers = { authorization: `Bearer ${publisher.apiKey}` };
    const answer = sim.handle({ method: "HEAD", path: "/v1/publisher/stats", headers });
    expect(answer).toMatchObject({ status: 500, headers: { "content-length": "4" }, body: "" });
  });

  test("with 429 is told apart from the limit's 429 in the journal", () => {
    const sim = createSimulator();
    const { stats } = senderOf(sim);
    for (let sent = 0; sent <= 60; sent += 1) stats();
    sim.faults.add({ id: "ours", verdict: { kind: "respond", status: 429 } });
    stats();
    const [limit, rule] = sim.journal.entries({ status: 429 });
    expect(limit).toMatchObject({ producedBy: "limit", limit: "reporting", fault: undefined });
    expect(limit?.reason).toBe("rate_limited");
    expect(rule?.limit).toBeUndefined();
    expect(rule).toMatchObject({ producedBy: "rule", fault: { rule: "ours", served: false } });
  });
});

describe("a body that is cut", () => {
  const whole = senderOf(createSimulator()).stats();
  const { length } = new TextEncoder().encode(whole.body);

  test.each<[what: string, verdict: Verdict, sent: number]>([
    ["at the first byte", { kind: "truncate", atByte: 0 }, 0],
    ["before the last", { kind: "truncate", atByte: length - 1 }, length - 1],
    ["at a share, rounded down", { kind: "truncate", share: 0.5 }, Math.floor(length / 2)],
    ["at a share of 0", { kind: "truncate", share: 0 }, 0],
  ])("has the head of the whole body if it is cut %s", (_, verdict, sent) => {
    const sim = simWith(verdict);
    const answer = senderOf(sim).stats();
    expect(answer.headers).toEqual(whole.headers);
    expect(answer.headers["content-length"]).toBe(String(length));
    expect(answer.body).toBe(whole.body.slice(0, sent));
    expect(answer.delivery).toMatchObject({ kind: "cut", bytes: { length: sent } });
    expect(sim.journal.entries()[0]).toMatchObject({
      response: { body: answer.body },
      fault: { received: "part", lost: { body: whole.body } },
    });
  });

  test.each<[what: string, verdict: Verdict]>([
    ["at its end", { kind: "truncate", atByte: length }],
    ["far behind its end", { kind: "truncate", atByte: 2 ** 52 }],
    ["at a share of 1", { kind: "truncate", share: 1 }],
  ])("%s is whole, and the journal says so", (_, verdict) => {
    const sim = simWith(verdict);
    expect(senderOf(sim).stats()).toEqual(whole);
    expect(sim.journal.entries()[0]?.fault).toMatchObject({ received: "whole", lost: undefined });
    expect(sim.faults.get(id).fired).toBe(1);
  });

  test("within a character has the bytes that are left of it", () => {
    const sim = createSimulator();
    const publisher = sim.publishers.signUp({ name: "N", surfaces: ["€"] });
    const { surfaces } = senderOf(sim, publisher);
    const bytes = new TextEncoder().encode(surfaces().body);
    const middle = bytes.indexOf(0xe2) + 2;
    sim.faults.add({ verdict: { kind: "truncate", atByte: middle } });
    const { body, delivery } = surfaces();
    expect(body.endsWith('"\ufffd')).toBe(true);
    expect(delivery).toMatchObject({ bytes: bytes.subarray(0, middle) });
  });
});

test.each<Verdict>([
  { kind: "truncate", share: 0 },
  { kind: "garbage" },
  { kind: "drip", bytesPerSecond: 1 },
])("$kind leaves an answer without a body as it is, and complete", (verdict) => {
  const sim = simWith(verdict);
  const { publisher } = senderOf(sim);
  const request = {
    method: "HEAD",
    path: "/v1/publisher/surfaces",
    query: { publisher_id: publisher.id },
    headers: { authorization: `Bearer ${publisher.apiKey}` },
  };
  const answer = sim.handle(request);
  const { delivery: _, ...seen } = answer;
  expect(seen).toEqual(createSimulator().handle(request));
  expect(sim.journal.entries()[0]?.fault).toMatchObject({ received: "whole", lost: undefined });
});

describe("garbage", () => {
  test("has the body's length and the answer's head, and is neither UTF-8 nor JSON", () => {
    const whole = senderOf(createSimulator()).stats();
    const answer = senderOf(simWith({ kind: "garbage" })).stats();
    expect(answer.headers).toEqual(whole.headers);
    const bytes = answer.delivery?.kind === "bytes" ? answer.delivery.bytes : new Uint8Array();
    expect(bytes.length).toBe(Number(whole.headers["content-length"]));
    expect(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)).toThrow(TypeError);
    expect(answer.body).toBe(new TextDecoder().decode(bytes));
    expect(() => JSON.parse(answer.body)).toThrow(SyntaxError);
  });

  test("in place of a response is 64 bytes that don't start like a response", () => {
    const { delivery } = senderOf(simWith({ kind: "garbage", as: "response" })).stats();
    const bytes = delivery?.kind === "noise" ? delivery.bytes : new Uint8Array();
    expect(bytes.length).toBe(64);
    expect(bytes[0]).toBe(0xff);
    expect(new Set(bytes).size).toBeGreaterThan(20);
  });
});

describe("a client that left before the response was sent", () => {
  function abandoned(verdict: Verdict): Simulator {
    const sim = simWith(verdict);
    const { delivery } = senderOf(sim).impression("s");
    delivery?.undelivered();
    // A second call changes nothing.
    delivery?.undelivered();
    return sim;
  }

  test.each<[verdict: Verdict, tally: object]>([
    [
      { kind: "delay", delay: 1 },
      { applied: 1, lost: 1, unseen: 1 },
    ],
    [
      { kind: "drip", bytesPerSecond: 1 },
      { applied: 1, lost: 1, unseen: 1 },
    ],
    [
      { kind: "truncate", atByte: 1 },
      { applied: 1, lost: 1, unseen: 1 },
    ],
    [
      { kind: "lose-response", delay: 1 },
      { applied: 1, lost: 1, unseen: 1 },
    ],
    [
      { kind: "respond", status: 500, applied: true, delay: 1 },
      { applied: 1, lost: 1, unseen: 1 },
    ],
    [{ kind: "respond", status: 500, delay: 1 }, { dropped: 1 }],
    [{ kind: "drop", delay: 1 }, { dropped: 1 }],
    [
      { kind: "duplicate", delay: 1 },
      { applied: 1, suppressed: 1, copies: 1, lost: 1, unseen: 1 },
    ],
  ])("gets nothing under %o, and the tally says so", (verdict, tally) => {
    const sim = abandoned(verdict);
    expect(tallyOf(sim)).toEqual(tally);
    const [entry] = sim.journal.entries();
    expect(entry?.response).toEqual({ status: 0, headers: {}, body: "" });
    expect(entry?.fault?.received).toBe("nothing");
    if (entry?.fault?.served) expect(entry.fault.lost?.body).toContain("impression_id");
  });
});

test("under explain only an answer that a rule touched names the rule", () => {
  const sim = simWith({ kind: "delay", delay: 1 }, { explain: true });
  const { stats } = senderOf(sim);
  expect(stats().headers).toMatchObject({
    "x-adsim-fault": id,
    "x-adsim-assumptions": "date.timezone, stats.today, stats.surfaces, surface.statuses",
  });
  expect(stats().headers).not.toHaveProperty("x-adsim-fault");
  sim.faults.add({ id: "five", match: { nth: 1 }, verdict: { kind: "respond", status: 500 } });
  expect(stats().headers["x-adsim-fault"]).toBe("five");
  sim.faults.add({ id: "drop", verdict: { kind: "drop" } });
  expect(stats().headers).toEqual({});
});
