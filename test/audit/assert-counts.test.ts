/** `assertNothingLostOrDoubled`: when it throws, and that its message lists what can explain it. */

import { describe, expect, test } from "vitest";
import type { Verdict } from "../../src/faults/verdict.ts";
import { AuditError, type ClientCounts, InputError, type Simulator } from "../../src/index.ts";
import { impressionIdIn } from "../sender.ts";
import { recordingOf } from "./recording.ts";

type Counts = ClientCounts | readonly ClientCounts[];

const fine = ({ audit }: Pick<Simulator, "audit">, counts: Counts): void =>
  audit().assertNothingLostOrDoubled(counts);

function errorOf(sim: Pick<Simulator, "audit">, counts: Counts): AuditError {
  try {
    fine(sim, counts);
  } catch (error) {
    if (error instanceof AuditError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

const at = "2026-01-15T00:00:00.000Z";

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
  const { message, differences } = errorOf(sim, { impressions: 1, clicks: 1 });
  expect(message).toMatch(
    /^All publishers: impressions by the client's count: 1, on record: 2\.$/m,
  );
  expect(message).toContain("  No request met a fault, was a duplicate or was refused.\n");
  expect(differences).toMatchObject([{ publisher: undefined, entries: [] }]);
});

test("of doubled impressions, duplicates, refusals and faults are listed, and what to do", () => {
  const { sim, ids, show, click } = recordingOf({
    assumptions: { "dedup.repeat": "conflict" },
    faults: [
      { id: "flaky", match: { nth: 1 }, verdict: { kind: "lose-response" } },
      { id: "twice", match: { nth: 4 }, verdict: { kind: "duplicate" } },
      { id: "down", match: { operation: "click" }, verdict: { kind: "drop" } },
    ],
  });
  show("a", { session: "one" });
  show("a", { session: "one" });
  show("a", { surface: "srf_0" });
  show("b");
  show("c");
  click("imp_x");
  const error = errorOf(sim, { publisher: ids[0], impressions: 1, clicks: 0 });
  expect(error.name).toBe("AuditError");
  expect(error.message).toBe(
    `Publisher ${ids[0]}: impressions by the client's count: 1, on record: 4.
  Requests that met a fault, duplicates and refusals:
    #1 ${at} impression: no answer, recorded (rule "flaky", lose-response)
    #2 ${at} impression: status 409, not recorded (duplicate_impression)
    #3 ${at} impression: status 404, not recorded (surface_not_found)
    #4 ${at} impression: status 200, recorded (rule "twice", duplicate)
    #5 ${at} impression: no answer, recorded (rule "twice", duplicate)

To do: count each event once, when it is answered with 200. Send it again until then (an impression with the same session_id), or until 409 says that it is on record. Read revenue from GET /v1/publisher/stats: a sum over answers lacks the lost ones, and may have a duplicate's credit twice.`,
  );
  expect(error.differences).toEqual([
    { publisher: ids[0], what: "impressions", client: 1, ledger: 4, entries: [1, 2, 3, 4, 5] },
  ]);
});

test("of lost clicks and impressions, each has its own entries", () => {
  const { sim, show, click } = recordingOf({ faults: [{ id: "cut", verdict: { kind: "drop" } }] });
  show("a");
  click("imp_x");
  const { message, differences } = errorOf(sim, { impressions: 1, clicks: 1 });
  expect(message).toContain(`#2 ${at} click: no answer, not recorded (rule "cut", drop)`);
  expect(message.match(/To do: /g)).toHaveLength(1);
  expect(differences).toMatchObject([{ entries: [1] }, { what: "clicks", entries: [2] }]);
});

test.each<[Verdict, string]>([
  [{ kind: "truncate", atByte: 3 }, "a damaged answer, recorded"],
  [{ kind: "respond", status: 503, applied: true }, "status 503, recorded"],
  [{ kind: "respond", status: 200 }, "status 200, not recorded"],
  [{ kind: "wrong-body", wrong: "ok-false" }, "status 200, recorded"],
])("an answer under %j is listed", (verdict, told) => {
  const { sim, show } = recordingOf({ faults: [{ verdict }] });
  show("a");
  const { message } = errorOf(sim, { impressions: 5, clicks: 0 });
  expect(message).toContain(`#1 ${at} impression: ${told} (rule "rule-1", ${verdict.kind})`);
});

test("a dozen entries are listed, oldest first, and the number of further ones", () => {
  const { sim, show } = recordingOf();
  for (let count = 0; count < 20; count += 1) show("a", { surface: "srf_0" });
  const { message, differences } = errorOf(sim, { impressions: 20, clicks: 0 });
  const listed = message.match(/#\d+(?= 2026)/g);
  expect(listed).toEqual(Array.from({ length: 12 }, (_, index) => `#${index + 1}`));
  expect(message).toContain("and 8 more");
  expect(differences[0]?.entries).toHaveLength(20);
});

test("requests with another publisher's key concern the publisher that they name, where a key works for all", () => {
  const { sim, ids, show } = recordingOf({
    assumptions: { "auth.key-scope": "any" },
    faults: [{ match: { nth: 1 }, verdict: { kind: "drop" } }],
  });
  show("a", { by: 0, for: 1 });
  show("b", { by: 1, for: 0 });
  const { differences } = errorOf(sim, { publisher: ids[1], impressions: 1, clicks: 0 });
  expect(differences).toMatchObject([{ publisher: ids[1], entries: [1] }]);
});

test("revenue is compared to the micro", () => {
  const { sim, show } = recordingOf();
  const { revenue_credited_inr: credited } = JSON.parse(show("a").body);
  const counts = { impressions: 1, clicks: 0 };
  fine(sim, { ...counts, revenueInr: credited + 1e-9 });
  const { differences } = errorOf(sim, { ...counts, revenueInr: credited + 1e-6 });
  expect(differences).toMatchObject([{ what: "revenueInr", ledger: credited, entries: [] }]);
});

test("revenue may differ by half a paisa an event under money.precision=paise, and no more", () => {
  const { sim, show } = recordingOf({ assumptions: { "money.precision": "paise" } });
  for (const ad of ["a", "b", "c"]) show(ad);
  const recorded = sim.audit().total.creditedRecordedInr;
  const counts = { impressions: 3, clicks: 0 };
  for (const side of [-1, 1]) {
    fine(sim, { ...counts, revenueInr: recorded + side * 0.015 });
    const revenueInr = recorded + side * 0.015_001;
    expect(errorOf(sim, { ...counts, revenueInr }).differences).toHaveLength(1);
  }
});

test.each([
  [0, "The journal has 0 of 2 impression and click requests"],
  [1, "The journal has 1 of 2 impression and click requests"],
  [2, undefined],
])("a journal of %d entries is called incomplete only if it is", (journalEntries, told) => {
  const { sim, show } = recordingOf({ journalEntries });
  show("a");
  show("b");
  const { message } = errorOf(sim, { impressions: 5, clicks: 0 });
  expect(/The journal has .* requests(?=, so the lists)/.exec(message)?.[0]).toBe(told);
});

describe("invalid counts are refused, and the error names the field", () => {
  const some = { impressions: 0, clicks: 0 };
  test.each<[unknown, string]>([
    [5, "clientCounts"],
    [[], "clientCounts"],
    [{ ...some, impressions: -1 }, "clientCounts.impressions"],
    [{ ...some, clicks: 0.5 }, "clientCounts.clicks"],
    [{ ...some, revenueInr: Number.POSITIVE_INFINITY }, "clientCounts.revenueInr"],
    [{ ...some, views: 1 }, "clientCounts.views"],
    [{ ...some, publisher: "pub_0000000000000" }, "clientCounts.publisher"],
    [[some, 5], "clientCounts.1"],
    [[some, { ...some, clicks: -1 }], "clientCounts.1.clicks"],
  ])("%j", (counts, field) => {
    const { sim } = recordingOf();
    const assert = (): void => fine(sim, counts as Counts);
    expect(assert).toThrow(InputError);
    expect(assert).toThrow(expect.objectContaining({ field }));
  });
});
