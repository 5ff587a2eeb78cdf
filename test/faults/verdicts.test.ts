/** What each verdict does: to the client, in the service, and in the journal and the tally. */

import { describe, expect, test } from "vitest";
import { verdictKinds } from "../../src/faults/plan.ts";
import { bodyReplaced } from "../../src/faults/verdict.ts";
import {
  type ApiResponse,
  createSimulator,
  type JournalFault,
  type Simulator,
  type SimulatorOptions,
  type Verdict,
} from "../../src/index.ts";
import { impressionIdOf, senderOf } from "../operation-sender.ts";
import { cases, type Manner } from "./cases.ts";

const replaced: readonly Manner[] = ["injected", "wrong", "bodiless", "garbage", "noise"];

test.each(verdictKinds)("%s has cases, and its body is replaced if the list says so", (kind) => {
  const manners = cases.filter(({ verdict }) => verdict.kind === kind).map(({ manner }) => manner);
  expect(manners, `add cases of "${kind}" to test/faults/cases.ts`).not.toEqual([]);
  expect(bodyReplaced.includes(kind)).toBe(manners.some((manner) => replaced.includes(manner)));
});

const id = "r";

function simWith(verdict: Verdict, options: SimulatorOptions = {}): Simulator {
  return createSimulator({ faults: [{ id, match: { times: 1 }, verdict }], ...options });
}

/** The counts of the first publisher's impression requests that aren't 0. */
function tallyOf(sim: Simulator): object {
  const [account] = sim.snapshot().accounts;
  const counts = Object.entries(account?.tally.impression ?? {});
  return Object.fromEntries(
    counts.filter(([name, count]) => count > 0 && !name.endsWith("Micros")),
  );
}

/** How an answer is handed over: the kind, the numbers that go with it, and the delay in milliseconds. */
function handedOver({ delivery }: ApiResponse): string {
  if (delivery === undefined) return "at once";
  const { undelivered: _, ...rest } = delivery;
  const parts = Object.values(rest).map((part) =>
    part instanceof Uint8Array ? part.length : part,
  );
  return parts.join(" ");
}

const answered = { applied: 1 };
const injected = { injected: 1 };
const dropped = { dropped: 1 };
const lost = { applied: 1, lost: 1, unseen: 1 };
const { length } = senderOf(createSimulator()).impression().body;
const slow = { delay: 4 } as const;

type Row = readonly [
  verdict: Verdict,
  status: number,
  way: string,
  received: JournalFault["received"],
  tally: Readonly<Record<string, number>>,
];

const rows: readonly Row[] = [
  [{ kind: "delay", delay: "2s" }, 200, "whole 2000", "whole", answered],
  [{ kind: "respond", status: 503 }, 503, "at once", "whole", injected],
  [{ kind: "respond", status: 503, ...slow }, 503, "whole 4", "whole", injected],
  [{ kind: "respond", status: 503, applied: true }, 503, "at once", "whole", lost],
  [{ kind: "drop" }, 0, "close 0", "nothing", dropped],
  [{ kind: "drop", as: "reset", ...slow }, 0, "reset 4", "nothing", dropped],
  [{ kind: "drop", as: "silence" }, 0, "silence 0", "nothing", dropped],
  [{ kind: "lose-response" }, 0, "close 0", "nothing", lost],
  [{ kind: "lose-response", as: "reset" }, 0, "reset 0", "nothing", lost],
  [{ kind: "timeout" }, 0, "silence 0", "nothing", dropped],
  [{ kind: "reset" }, 0, "reset 0", "nothing", dropped],
  [{ kind: "empty", ...slow }, 0, "close 4", "nothing", dropped],
  [{ kind: "truncate", atByte: 5 }, 200, "cut 5 0", "part", lost],
  [{ kind: "garbage" }, 200, `bytes ${length} 0`, "part", lost],
  [{ kind: "garbage", as: "response" }, 0, "noise 64 0", "nothing", lost],
  [{ kind: "drip", bytesPerSecond: 10 }, 200, "drip 10 0", "whole", answered],
  [{ kind: "reorder" }, 200, "overtaken 1 1000 0", "whole", answered],
  [{ kind: "reorder", by: 3, atMost: 250, ...slow }, 200, "overtaken 3 250 4", "whole", answered],
];

test.each(rows)("under %j a client gets %i, %s", (verdict, status, way, received, tally) => {
  const sim = simWith(verdict);
  const { impression, stats } = senderOf(sim);
  const answer = impression();
  expect([answer.status, handedOver(answer)]).toEqual([status, way]);
  if (status === 0) expect(answer).toMatchObject({ headers: {}, body: "" });

  const served = "applied" in tally;
  const isOfService = served && verdict.kind !== "respond";
  const [entry] = sim.journal.entries();
  expect(entry).toMatchObject({
    operation: "impression",
    publisher: sim.publishers.at(0).id,
    producedBy: isOfService ? "service" : "rule",
    reason: served ? "recorded" : `fault: ${verdict.kind}`,
    response: { status, body: answer.body },
  });
  const delayMs = answer.delivery?.delayMs ?? 0;
  expect(entry?.fault).toMatchObject({ rule: id, kind: verdict.kind, delayMs, served, received });
  // The service's own answer, if the client got another.
  if (tally.lost === undefined) expect(entry?.fault?.lost).toBeUndefined();
  else expect(entry?.fault?.lost?.body).toContain("impression_id");

  expect(tallyOf(sim)).toEqual(tally);
  expect(JSON.parse(stats("2026-01-15").body).impressions).toBe(served ? 1 : 0);
});

describe("duplicate", () => {
  test.each(["first", "second"] as const)(
    "runs the request twice; the %s answer arrives",
    (answer) => {
      const sim = simWith({ kind: "duplicate", answer, delay: 3 });
      const shown = senderOf(sim).impression("s");
      const entries = sim.journal.entries();
      expect(entries.map(({ reason }) => reason)).toEqual(["recorded", "duplicate, not counted"]);
      const [seen, hidden] = answer === "first" ? entries : entries.toReversed();
      expect([handedOver(shown), seen?.response.body]).toEqual(["whole 3", shown.body]);
      expect(seen?.fault).toMatchObject({ served: true, received: "whole", lost: undefined });
      expect(hidden?.response).toMatchObject({ status: 0, body: "" });
      expect(hidden?.fault).toMatchObject({ served: true, received: "nothing", delayMs: 3 });
      expect(impressionIdOf(hidden?.fault?.lost as ApiResponse)).toBe(impressionIdOf(shown));
      expect(sim.faults.get(id)).toMatchObject({ seen: 1, fired: 1 });
    },
  );

  test.each([
    ["first", "s", { applied: 1, suppressed: 1, copies: 1 }],
    // The first answer, the one that recorded the event, is the one that the client doesn't get.
    ["second", "s", { applied: 1, suppressed: 1, copies: 1, unseen: 1 }],
    // Without a session nothing is a duplicate.
    ["first", undefined, { applied: 2, copies: 1, unseen: 1 }],
  ] as const)(
    "shows the %s answer to the session %s, and counts the copy",
    (answer, session, tally) => {
      const sim = simWith({ kind: "duplicate", answer });
      senderOf(sim).impression(session);
      expect(tallyOf(sim)).toEqual(tally);
    },
  );

  test("spends quota twice", () => {
    const sim = simWith({ kind: "duplicate", answer: "second" });
    expect(senderOf(sim).stats().headers["x-ratelimit-remaining"]).toBe("58");
  });
});

describe("respond", () => {
  type Given = Omit<Extract<Verdict, { kind: "respond" }>, "kind">;
  const common = {
    "x-ratelimit-remaining": "60",
    date: "Thu, 15 Jan 2026 00:00:00 GMT",
    vary: "Origin",
  };
  const sized = (length: number, type?: string) => ({
    ...common,
    "content-length": String(length),
    ...(type && { "content-type": type }),
  });
  const own = { "Content-Type": "text/html", "X-RateLimit-Remaining": "0", "Retry-After": "7" };
  const winning = { "content-type": "text/html", "x-ratelimit-remaining": "0", "retry-after": "7" };

  test.each<[given: Given, headers: object, body: string]>([
    [{ status: 500, body: { a: "ß" } }, sized(10, "application/json"), '{"a":"ß"}'],
    [{ status: 500, body: null }, sized(4, "application/json"), "null"],
    [{ status: 200, body: "{€" }, sized(4, "text/plain"), "{€"],
    [{ status: 200, body: "\ud800" }, sized(3, "text/plain"), "\ufffd"],
    [{ status: 200, body: "" }, sized(0, "text/plain"), ""],
    [{ status: 502 }, sized(0), ""],
    [{ status: 429, headers: own, body: "<p>" }, { ...sized(3), ...winning }, "<p>"],
    [{ status: 204 }, common, ""],
    [{ status: 304 }, common, ""],
  ])("%j is sent as JSON or text, the rule's own headers win", (given, headers, body) => {
    const sim = simWith({ kind: "respond", ...given });
    expect(senderOf(sim).stats()).toEqual({ status: given.status, headers, body });
  });

  test("counts for the publisher whose limit counts, where a key works for all", () => {
    const sim = createSimulator({ assumptions: { "auth.key-scope": "any" } });
    const [{ id: caller, apiKey }, named] = [sim.publishers.at(0), sim.publishers.at(1)];
    sim.faults.add({ verdict: { kind: "respond", status: 503 } });
    senderOf(sim, { ...named, apiKey }).impression();
    // So that a publisher's attempts and events are in one account.
    expect(tallyOf(sim)).toEqual({});
    expect(sim.snapshot().accounts[1]?.tally.impression).toMatchObject({ injected: 1 });
    expect(sim.journal.entries()[0]?.publisher).toBe(caller);
  });

  test("spends quota with `applied`, and the lost answer is the service's", () => {
    const sim = simWith({ kind: "respond", status: 200, body: "ok", applied: true });
    const answer = senderOf(sim).stats();
    expect(answer).toMatchObject({ body: "ok", headers: { "x-ratelimit-remaining": "59" } });
    expect(sim.journal.entries()[0]?.fault?.lost).toMatchObject({ status: 200 });
  });

  test("with 429 is told apart from the limit's 429 in the journal", () => {
    const sim = createSimulator();
    const { stats } = senderOf(sim);
    for (let sent = 0; sent <= 60; sent += 1) stats();
    sim.faults.add({ id: "ours", verdict: { kind: "respond", status: 429 } });
    stats();
    const [limit, rule] = sim.journal.entries({ status: 429 });
    const reason = "rate_limited";
    expect(limit).toMatchObject({ producedBy: "limit", limit: "reporting", reason });
    expect(rule).toMatchObject({ producedBy: "rule", fault: { rule: "ours", served: false } });
    expect([limit?.fault, rule?.limit]).toEqual([undefined, undefined]);
  });
});

describe("an answer that is cut", () => {
  const whole = senderOf(createSimulator()).stats();
  const { length } = new TextEncoder().encode(whole.body);

  test.each<[verdict: Verdict, sent: number]>([
    [{ kind: "truncate", atByte: 0 }, 0],
    [{ kind: "truncate", atByte: length - 1 }, length - 1],
    [{ kind: "truncate", share: 0.5 }, Math.floor(length / 2)],
    [{ kind: "truncate", share: 0 }, 0],
  ])("has all headers, and the head of the body: %j", (verdict, sent) => {
    const sim = simWith(verdict);
    const { headers, body } = senderOf(sim).stats();
    expect([headers, body]).toEqual([whole.headers, whole.body.slice(0, sent)]);
    expect(sim.journal.entries()[0]?.fault?.lost?.body).toBe(whole.body);
  });

  test.each<Verdict>([
    { kind: "truncate", atByte: length },
    { kind: "truncate", atByte: 2 ** 52 },
    { kind: "truncate", share: 1 },
  ])("at its end or behind it is whole, and the journal says so: %j", (verdict) => {
    const sim = simWith(verdict);
    expect(senderOf(sim).stats()).toEqual(whole);
    expect(sim.journal.entries()[0]?.fault).toMatchObject({ received: "whole", lost: undefined });
    expect(sim.faults.get(id).fired).toBe(1);
  });

  test("within a character has the bytes that are left of it", () => {
    const sim = createSimulator();
    const { surfaces } = senderOf(sim, sim.publishers.signUp({ name: "N", surfaces: ["€"] }));
    const bytes = new TextEncoder().encode(surfaces().body);
    const middle = bytes.indexOf(0xe2) + 2;
    sim.faults.add({ verdict: { kind: "truncate", atByte: middle } });
    const { body, delivery } = surfaces();
    expect(body.endsWith('"\ufffd')).toBe(true);
    expect(delivery).toMatchObject({ bytes: bytes.subarray(0, middle) });
  });
});

test.each<[verdict: Verdict, differs: object]>([
  [{ kind: "truncate", share: 0 }, {}],
  [{ kind: "garbage" }, {}],
  [{ kind: "drip", bytesPerSecond: 1 }, {}],
  [{ kind: "respond", status: 500, body: "four" }, { status: 500 }],
])("to HEAD an answer has no body, and is complete: %j", (verdict, differs) => {
  const sim = simWith(verdict);
  const { id: publisher_id, apiKey } = sim.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  const request = { method: "HEAD", path: "/v1/publisher/surfaces", query: { publisher_id } };
  const { status, body } = sim.handle({ ...request, headers });
  expect({ status, body }).toEqual({ status: 200, body: "", ...differs });
  expect(sim.journal.entries()[0]?.fault).toMatchObject({ received: "whole", lost: undefined });
});

test("garbage is neither UTF-8 nor JSON, and doesn't start like a response", () => {
  for (const as of ["body", "response"] as const) {
    const { delivery } = senderOf(simWith({ kind: "garbage", as })).stats();
    const bytes = delivery !== undefined && "bytes" in delivery ? delivery.bytes : Buffer.of();
    expect([bytes.length > 60, bytes[0]]).toEqual([true, 0xff]);
    expect(new Set(bytes).size).toBeGreaterThan(20);
    expect(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)).toThrow(TypeError);
  }
  const { headers, body } = senderOf(simWith({ kind: "garbage" })).stats();
  expect(headers).toEqual(senderOf(createSimulator()).stats().headers);
  expect(() => JSON.parse(body)).toThrow(SyntaxError);
});

describe("a client that left before the response was sent", () => {
  test.each<[verdict: Verdict, tally: object]>([
    [{ kind: "delay", delay: 1 }, lost],
    [{ kind: "drip", bytesPerSecond: 1 }, lost],
    [{ kind: "truncate", atByte: 1 }, lost],
    [{ kind: "lose-response", delay: 1 }, lost],
    [{ kind: "respond", status: 500, applied: true, delay: 1 }, lost],
    [{ kind: "respond", status: 500, delay: 1 }, dropped],
    [{ kind: "drop", delay: 1 }, dropped],
    [
      { kind: "duplicate", delay: 1 },
      { ...lost, suppressed: 1, copies: 1 },
    ],
  ])("gets nothing under %j, and the tally says so, once", (verdict, tally) => {
    const sim = simWith(verdict);
    const { delivery } = senderOf(sim).impression("s");
    for (const _ of "twice") delivery?.undelivered();
    expect(tallyOf(sim)).toEqual(tally);
    const [entry] = sim.journal.entries();
    expect(entry?.response).toEqual({ status: 0, headers: {}, body: "" });
    expect(entry?.fault?.received).toBe("nothing");
    if (entry?.fault?.served) expect(entry.fault.lost?.body).toContain("impression_id");
  });
});

test("under explain only an answer that a rule touched names the rule", () => {
  const sim = simWith({ kind: "delay", delay: 1 }, { explain: true });
  const told = (): string | undefined => senderOf(sim).stats().headers["x-adsim-fault"];
  expect([told(), told()]).toEqual([id, undefined]);
  sim.faults.add({ id: "five", match: { nth: 1 }, verdict: { kind: "respond", status: 500 } });
  expect(told()).toBe("five");
  sim.faults.add({ id: "drop", verdict: { kind: "drop" } });
  expect(senderOf(sim).stats().headers).toEqual({});
});
