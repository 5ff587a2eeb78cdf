/** `assertNothingLostOrDoubled`: when it throws, and that its message explains why. */

import { describe, expect, test } from "vitest";
import type { Verdict } from "../../src/faults/verdict.ts";
import { AuditError, type ClientCounts, InputError, type Simulator } from "../../src/index.ts";
import { impressionIdIn } from "../sender.ts";
import { recordingOf } from "./recording.ts";

function errorOf(sim: Simulator, counts: ClientCounts | readonly ClientCounts[]): AuditError {
  try {
    sim.audit().assertNothingLostOrDoubled(counts);
  } catch (error) {
    if (error instanceof AuditError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

const fine = (sim: Simulator, counts: ClientCounts | readonly ClientCounts[]): void =>
  sim.audit().assertNothingLostOrDoubled(counts);

test("counts that agree pass, for one publisher, for several, and for all together", () => {
  const { sim, ids, show, click } = recordingOf();
  click(impressionIdIn(show("a")));
  show("b", { by: 1 });
  const [first, second, third] = ids;
  fine(sim, { publisher: first, impressions: 1, clicks: 1 });
  fine(sim, [
    { publisher: first, impressions: 1, clicks: 1 },
    { publisher: second, impressions: 1, clicks: 0 },
    { publisher: third, impressions: 0, clicks: 0, revenueInr: 0 },
    { impressions: 2, clicks: 1 },
  ]);
  expect(errorOf(sim, { impressions: 1, clicks: 1 }).message).toContain("All publishers: ");
});

test("a doubled impression is explained by the lost answer, the retry, and what to do", () => {
  const { sim, ids, show } = recordingOf({
    faults: [{ id: "flaky", match: { nth: 1 }, verdict: { kind: "lose-response" } }],
  });
  show("ad", { session: "one" });
  sim.clock.advance("2s");
  show("ad");
  const error = errorOf(sim, { publisher: ids[0], impressions: 1, clicks: 0 });
  expect(error.name).toBe("AuditError");
  expect(error.message).toBe(
    `Publisher ${ids[0]}: the client and the books disagree.
  impressions: the client counts 1, the books have 2: 1 doubled, or recorded without the client's knowledge
  Journal entries that explain it:
    #1 2026-01-15T00:00:00.000Z impression: recorded by the service, its answer was lost (rule "flaky", lose-response)
    #2 2026-01-15T00:00:02.000Z impression: #1 again, and recorded again: it has no session_id
  To do: if an answer is lost or incomplete, the event may be on record. Send it again (an impression with the same session_id), and count it once it is answered.
  To do: send every impression with a session_id, and its retries with the same one, so that the service recognises duplicates.`,
  );
  expect(error.differences).toEqual([
    { publisher: ids[0], what: "impressions", client: 1, ledger: 2, entries: [1, 2] },
  ]);
});

test("a lost click is explained by the dropped request, and other operations' requests aren't listed", () => {
  const { sim, ids, show, click } = recordingOf({
    faults: [
      { id: "cut", match: { operation: "click" }, verdict: { kind: "drop" } },
      { id: "gone", match: { operation: "impression", nth: 2 }, verdict: { kind: "drop" } },
    ],
  });
  click(impressionIdIn(show("ad")));
  show("other");
  const error = errorOf(sim, { publisher: ids[0], impressions: 1, clicks: 1 });
  expect(error.message).toContain("clicks: the client counts 1, the books have 0: 1 lost");
  const entry = 'click: dropped before the service saw it, not recorded (rule "cut", drop)';
  expect(error.message).toContain(`#2 2026-01-15T00:00:00.000Z ${entry}`);
  expect(error.message).not.toContain("gone");
  expect(error.differences).toMatchObject([{ what: "clicks", entries: [2] }]);
});

describe("a duplicate that is refused", () => {
  const conflict = { "dedup.repeat": "conflict", "click.repeat": "conflict" } as const;
  const lost = { id: "lost", match: { nth: [2, 4] }, verdict: { kind: "lose-response" } } as const;

  test("counts as a duplicate, like one that gets a success", () => {
    const { sim, show, click } = recordingOf({ assumptions: conflict });
    const impression = impressionIdIn(show("a", { session: "s" }));
    show("a", { session: "s" });
    click(impression);
    click(impression);
    show("a", { surface: "srf_0" });
    const { impressions, clicks } = sim.audit().total;
    expect(impressions).toMatchObject({ applied: 1, duplicatesSuppressed: 1, refused: 1 });
    expect(clicks).toMatchObject({ applied: 1, duplicatesSuppressed: 1, refused: 0 });
  });

  test("is explained to a client that counts it as another event", () => {
    const { sim, show } = recordingOf({ assumptions: conflict });
    show("a", { session: "s" });
    show("a", { session: "s" });
    const { message, differences } = errorOf(sim, { impressions: 2, clicks: 0 });
    const text = "refused as a duplicate with status 409, not recorded again";
    expect(message).toContain(`#2 2026-01-15T00:00:00.000Z impression: ${text}`);
    expect(message).toContain("To do: a 409 to a retry means that the event is on record");
    expect(message).not.toContain("until then send it again");
    expect(differences).toMatchObject([{ entries: [2] }]);
  });

  test("is explained to a client that takes it for a failure, and the next user's event isn't called a retry", () => {
    const { sim, show, click } = recordingOf({ assumptions: conflict, faults: [lost] });
    const impression = impressionIdIn(show("a", { session: "s" }));
    show("b", { session: "s" });
    show("b", { session: "s" });
    click(impression);
    click(impression);
    show("b", { session: "next user" });
    const { message, differences } = errorOf(sim, { impressions: 2, clicks: 0 });
    const text = "refused as a duplicate with status 409: #2, whose answer the client didn't get";
    expect(message).toContain(`#3 2026-01-15T00:00:00.000Z impression: ${text}, is on record`);
    expect(message).toContain("click: refused as a duplicate with status 409: #4, whose answer");
    expect(message).not.toContain("recorded again");
    expect(differences).toMatchObject([{ entries: [3] }, { entries: [5] }]);
  });
});

test("an entry that is both a retry and lost is listed once", () => {
  const { sim, show } = recordingOf({ faults: [{ verdict: { kind: "lose-response" } }] });
  show("a");
  show("a");
  show("a");
  const { differences } = errorOf(sim, { impressions: 1, clicks: 0 });
  expect(differences).toMatchObject([{ entries: [1, 2, 3] }]);
});

describe("the message explains", () => {
  const twice = (sim: Simulator, ids: readonly string[]): string =>
    errorOf(sim, { publisher: ids[0], impressions: 1, clicks: 0 }).message;

  test.each<[Verdict, string]>([
    [{ kind: "lose-response" }, "recorded by the service, its answer was lost"],
    [{ kind: "truncate", atByte: 3 }, "recorded by the service, its answer arrived damaged"],
    [{ kind: "garbage" }, "recorded by the service, its answer arrived damaged"],
    [
      { kind: "respond", status: 503, applied: true },
      "recorded by the service, the client got status 503 instead",
    ],
  ])("an answer under %j", (verdict, told) => {
    const { sim, ids, show } = recordingOf({ faults: [{ match: { nth: 1 }, verdict }] });
    show("a");
    show("b");
    expect(twice(sim, ids)).toContain(`impression: ${told} (rule "rule-1", ${verdict.kind})`);
  });

  test("a client that left before its answer was sent", () => {
    const { sim, ids, show } = recordingOf({ faults: [{ verdict: { kind: "delay", delay: 9 } }] });
    show("a").delivery?.undelivered();
    show("b");
    expect(twice(sim, ids)).toContain("recorded by the service, its answer was lost");
  });

  test("a request that was applied twice", () => {
    const { sim, ids, show } = recordingOf({ faults: [{ verdict: { kind: "duplicate" } }] });
    show("a");
    const told = 'applied twice, so recorded twice (rule "rule-1", duplicate)';
    expect(twice(sim, ids)).toContain(`#1 and #2 2026-01-15T00:00:00.000Z impression: ${told}`);
  });

  test("a duplicated request of which the client saw only the copy that wasn't recorded", () => {
    const verdict: Verdict = { kind: "duplicate", answer: "second" };
    const { sim, ids, show } = recordingOf({ faults: [{ verdict }] });
    show("a", { session: "s" });
    const { message } = errorOf(sim, { publisher: ids[0], impressions: 0, clicks: 0 });
    expect(message).toContain("#1 and #2");
    expect(message).toContain("recorded as #1, whose answer the client didn't get");
  });

  test.each<[string, object, string | undefined, string]>([
    ["another session", {}, "two", "it has another session_id than #1"],
    [
      "a choice by which nothing is a duplicate",
      { "dedup.repeat": "count" },
      "one",
      "its session_id doesn't make it a duplicate (dedup.repeat, dedup.window)",
    ],
  ])("a retry under %s", (_, assumptions, session, told) => {
    const { sim, ids, show } = recordingOf({
      assumptions,
      faults: [{ match: { nth: 1 }, verdict: { kind: "lose-response" } }],
    });
    show("a", { session: "one" });
    show("a", session === undefined ? {} : { session });
    expect(twice(sim, ids)).toContain(`#1 again, and recorded again: ${told}`);
  });

  test("a click that counts again", () => {
    const { sim, ids, show, click } = recordingOf({
      assumptions: { "click.repeat": "count" },
      faults: [{ match: { operation: "click", nth: 1 }, verdict: { kind: "lose-response" } }],
    });
    const id = impressionIdIn(show("a"));
    click(id);
    click(id);
    const { message } = errorOf(sim, { publisher: ids[0], impressions: 1, clicks: 1 });
    expect(message).toContain("click: #2 again, and recorded again (click.repeat)");
    expect(message).toContain("under click.repeat=count");
  });

  test("answers that record nothing", () => {
    const { sim, ids, show, click } = recordingOf({
      faults: [
        {
          id: "fake",
          match: { operation: "impression", nth: 3 },
          verdict: { kind: "respond", status: 200, body: { ok: true, impression_id: "x" } },
        },
      ],
    });
    show("a", { session: "s" });
    show("a", { session: "s" });
    show("b");
    show("c", { surface: "srf_0" });
    click("imp_x");
    const { message } = errorOf(sim, { publisher: ids[0], impressions: 4, clicks: 1 });
    expect(message).toContain("#2 2026-01-15T00:00:00.000Z impression: answered as a duplicate");
    expect(message).toContain(
      `#3 2026-01-15T00:00:00.000Z impression: answered with status 200 in the service's place, not recorded (rule "fake", respond)`,
    );
    expect(message).toContain("refused with status 404 (surface_not_found), not recorded");
    expect(message).toContain("refused with status 404 (impression_not_found), not recorded");
    expect(message).not.toContain("#1 ");
  });

  test("no lost answer that a retry made up for", () => {
    const { sim, ids, show } = recordingOf({
      faults: [{ match: { nth: 1 }, verdict: { kind: "lose-response" } }],
    });
    show("a", { session: "s" });
    show("a", { session: "s" });
    fine(sim, { publisher: ids[0], impressions: 1, clicks: 0 });
    const { message } = errorOf(sim, { publisher: ids[0], impressions: 0, clicks: 0 });
    expect(message).toContain("None. Check when");
    const revenue = errorOf(sim, { publisher: ids[0], impressions: 1, clicks: 0, revenueInr: 0 });
    expect(revenue.differences).toMatchObject([{ what: "revenueInr", client: 0, entries: [1] }]);
    expect(revenue.message).toContain("read revenue from GET /v1/publisher/stats");
  });

  test("the first dozen entries, refusals last, and the number of further ones", () => {
    const { sim, ids, show } = recordingOf({
      faults: [{ match: { nth: 20 }, verdict: { kind: "drop" } }],
    });
    for (let place = 0; place < 20; place += 1) show("a", { surface: "srf_0" });
    const { message } = errorOf(sim, { publisher: ids[0], impressions: 20, clicks: 0 });
    expect(message.split("\n").filter((line) => line.includes(" impression: "))).toHaveLength(12);
    expect(message).toContain("#20 2026-01-15T00:00:00.000Z impression: dropped");
    expect(message).toContain("and 8 more like these");
  });

  test("requests with another publisher's key, where a key works for all", () => {
    const { sim, ids, show } = recordingOf({
      assumptions: { "auth.key-scope": "any" },
      faults: [{ match: { nth: 1 }, verdict: { kind: "drop" } }],
    });
    show("a", { by: 0, for: 1 });
    show("b", { by: 1, for: 0 });
    const lines = sim.audit().publishers.map(({ publisher, dropped }) => [publisher, dropped]);
    expect(lines).toEqual([
      [ids[0], 1],
      [ids[1], 1],
    ]);
    const error = errorOf(sim, { publisher: ids[1], impressions: 1, clicks: 0 });
    expect(error.differences).toMatchObject([{ publisher: ids[1], entries: [1] }]);
  });
});

describe("revenue", () => {
  test("is compared to the micro", () => {
    const { sim, ids, show } = recordingOf();
    const { revenue_credited_inr: credited } = JSON.parse(show("a").body);
    const counts = { publisher: ids[0], impressions: 1, clicks: 0 };
    fine(sim, { ...counts, revenueInr: credited + 1e-9 });
    const { message, differences } = errorOf(sim, { ...counts, revenueInr: credited + 1e-6 });
    expect(message).toContain("0.000001 INR not on record");
    expect(differences).toMatchObject([{ what: "revenueInr", ledger: credited, entries: [] }]);
    const less = errorOf(sim, { ...counts, revenueInr: 0 });
    expect(less.message).toContain(`${credited} INR that the client doesn't count`);
  });

  test("may differ by half a paisa an event under money.precision=paise, and no more", () => {
    const { sim, ids, show } = recordingOf({ assumptions: { "money.precision": "paise" } });
    const told = ["a", "b", "c"].map((ad) => JSON.parse(show(ad).body).revenue_credited_inr);
    const sum = told.reduce((so, one) => so + one, 0);
    const counts = { publisher: ids[0], impressions: 3, clicks: 0 };
    fine(sim, { ...counts, revenueInr: sum });
    const [one] = sim.audit().publishers;
    const recorded = one?.creditedRecordedInr ?? 0;
    fine(sim, { ...counts, revenueInr: recorded + 0.015 });
    fine(sim, { ...counts, revenueInr: recorded - 0.015 });
    expect(errorOf(sim, { ...counts, revenueInr: recorded + 0.015_001 }).differences).toHaveLength(
      1,
    );
    expect(errorOf(sim, { ...counts, revenueInr: recorded - 0.015_001 }).differences).toHaveLength(
      1,
    );
  });

  test("that a client sums from replayed credits is explained by the duplicate", () => {
    const { sim, ids, show } = recordingOf({ assumptions: { "dedup.repeat": "replay" } });
    const { revenue_credited_inr: credited } = JSON.parse(show("a", { session: "s" }).body);
    show("a", { session: "s" });
    const counts = { publisher: ids[0], impressions: 1, clicks: 0, revenueInr: 2 * credited };
    const { message } = errorOf(sim, counts);
    expect(message).toContain(
      "#2 2026-01-15T00:00:00.000Z impression: answered as a duplicate, its",
    );
  });
});

describe("the journal behind the message", () => {
  const counts = { impressions: 5, clicks: 0 };

  test.each([
    ["is off", 0, "The journal doesn't hold 2 of the 2 impression and click requests"],
    ["keeps one", 1, "The journal doesn't hold 1 of the 2 impression and click requests"],
    ["keeps all", 2, undefined],
  ])("is called incomplete only if it lacks requests: it %s", (_, journalEntries, told) => {
    const { sim, show } = recordingOf({ journalEntries });
    show("a");
    show("b");
    const { message } = errorOf(sim, counts);
    if (told === undefined) expect(message).not.toContain("The journal");
    else expect(message).toContain(told);
  });

  test("is called incomplete in a fork, and after a restore the undone requests are counted", () => {
    const { sim, show } = recordingOf();
    show("a");
    expect(errorOf(sim.fork(), counts).message).toContain("doesn't hold 1 of the 1");
    const before = sim.snapshot();
    show("b");
    sim.restore(before);
    expect(errorOf(sim, counts).message).toContain("also holds 1 requests that were undone");
  });

  test("explains nothing by requests that came after the audit", () => {
    const { sim, ids, show } = recordingOf({
      faults: [{ match: { nth: 2 }, verdict: { kind: "drop" } }],
    });
    show("a");
    const audit = sim.audit();
    show("b");
    audit.assertNothingLostOrDoubled({ publisher: ids[0], impressions: 1, clicks: 0 });
    expect(() => audit.assertNothingLostOrDoubled(counts)).toThrow("None. Check when");
  });
});

test("the message contains no key", () => {
  const { sim, show } = recordingOf({ faults: [{ verdict: { kind: "drop" } }] });
  show(sim.publishers.at(0).apiKey);
  expect(errorOf(sim, { impressions: 1, clicks: 0 }).message).not.toContain("key_");
});

describe("invalid counts are refused, and the error names the field", () => {
  const { sim, ids } = recordingOf();
  const some = { impressions: 0, clicks: 0 };
  test.each<[unknown, string, string]>([
    [undefined, "clientCounts", "invalid"],
    [null, "clientCounts", "invalid"],
    [5, "clientCounts", "invalid"],
    ["{}", "clientCounts", "invalid"],
    [() => some, "clientCounts", "invalid"],
    [[], "clientCounts", "invalid"],
    [{}, "clientCounts.impressions", "invalid"],
    [{ impressions: 0 }, "clientCounts.clicks", "invalid"],
    [{ ...some, impressions: -1 }, "clientCounts.impressions", "invalid"],
    [{ ...some, impressions: Number.NaN }, "clientCounts.impressions", "invalid"],
    [{ ...some, clicks: 0.5 }, "clientCounts.clicks", "invalid"],
    [{ ...some, clicks: "1" }, "clientCounts.clicks", "invalid"],
    [{ ...some, revenueInr: -1 }, "clientCounts.revenueInr", "invalid"],
    [{ ...some, revenueInr: Number.POSITIVE_INFINITY }, "clientCounts.revenueInr", "invalid"],
    [{ ...some, views: 1 }, "clientCounts.views", "invalid"],
    [{ ...some, publisher: 7 }, "clientCounts.publisher", "invalid"],
    [{ ...some, publisher: "pub_0000000000000" }, "clientCounts.publisher", "not-found"],
    [[some, 5], "clientCounts.1", "invalid"],
    [[some, { ...some, clicks: -1 }], "clientCounts.1.clicks", "invalid"],
    [[some, some], "clientCounts.1.publisher", "invalid"],
    [
      [
        { ...some, publisher: ids[0] },
        { ...some, publisher: ids[0] },
      ],
      "clientCounts.1.publisher",
      "invalid",
    ],
  ])("%j", (counts, field, reason) => {
    const assert = sim.audit().assertNothingLostOrDoubled as (counts: unknown) => void;
    expect(() => assert(counts)).toThrow(InputError);
    expect(() => assert(counts)).toThrow(expect.objectContaining({ field, reason }));
  });
});
