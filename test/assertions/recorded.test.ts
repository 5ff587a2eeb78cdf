import { describe, expect, test } from "vitest";
import {
  assertNoRecordedClick,
  assertNoRecordedImpression,
  assertRecordedClick,
  assertRecordedImpression,
} from "../../src/assert.ts";
import { createSimulator } from "../../src/index.ts";
import { recordingOf } from "../audit/recording.ts";
import { impressionIdIn } from "../sender.ts";
import { failureOf, refusalOf } from "./thrown-errors.ts";

const faults = [
  { id: "lossy", match: { nth: 2 }, verdict: { kind: "lose-response" } },
  { id: "gone", match: { nth: 3 }, verdict: { kind: "drop" } },
] as const;

test("an event on record is found by each of its fields, whether or not its answer was lost", () => {
  const { sim, ids, show, click } = recordingOf({ faults });
  const id = impressionIdIn(show("ad-1", { session: "s-1" }));
  show("ad-2");
  const surface = sim.publishers.at(0).surfaces[0]?.id;
  const [publisher] = ids;
  assertRecordedImpression(sim);
  assertRecordedImpression(sim, { ad: "ad-1", session: "s-1", id, publisher, surface, times: 1 });
  assertRecordedImpression(sim, { ad: "ad-2" });
  assertRecordedImpression(sim, { times: 2 });
  assertNoRecordedImpression(sim, { ad: "ad-1", session: "s-2" });
  assertNoRecordedImpression(sim, { publisher: ids[1] });
  assertNoRecordedClick(sim);
  sim.faults.clear();
  click(id);
  assertRecordedClick(sim, { impression: id, ad: "ad-1", session: "s-1", surface, times: 1 });
  assertNoRecordedClick(sim, { ad: "ad-2" });
});

test("the error about a missing impression lists those on record, the closest first, and the unrecorded requests", () => {
  const { sim, show } = recordingOf({ faults });
  show("ad-1", { session: "s-1" });
  show("ad-22", { session: "s-2" });
  show("ad-2", { session: "s-3" });
  const surface = sim.publishers.at(0).surfaces[0]?.id;
  const error = failureOf(() => assertRecordedImpression(sim, { ad: "ad-2", surface }));
  expect(error.message).toBe(
    `Expected an impression on record with ad "ad-2" and surface "${surface}": there is none.
On record instead (2 impressions, the closest first):
  #   at                        impression         ad     surface            session  credited      answer
  #2  2026-01-15T00:00:00.000Z  imp_yccjat2qkssb8  ad-22  ${surface}  s-2      0.020568 INR  lost (rule "lossy", lose-response)
  #1  2026-01-15T00:00:00.000Z  imp_fbk964stz6b56  ad-1   ${surface}  s-1      0.021181 INR  arrived
Came, but isn't on record:
  #3  2026-01-15T00:00:00.000Z  ad-2  dropped before the service saw it (rule "gone", drop)
To do: the client sent it. The reason above says what answer it got and whether it may retry.`,
  );
  expect(error).toMatchObject({
    name: "AssertionError",
    code: "ERR_ASSERTION",
    operator: "recordedImpression",
    expected: { ad: "ad-2", surface },
    actual: { ad: "ad-22", surface },
  });
});

test("the closest is the one with fewest differences, then with the most similar ones, then the latest", () => {
  const { sim, show } = recordingOf();
  show("ad-12", { session: "s" });
  show("other", { session: "s" });
  show("ad-13", { session: "t" });
  show("third", { session: "t" });
  const { message } = failureOf(() => assertRecordedImpression(sim, { ad: "ad-1", session: "s" }));
  expect(Array.from(message.matchAll(/^ {2}(#\d)/gm), ([, sequence]) => sequence)).toEqual([
    "#1",
    "#2",
    "#3",
    "#4",
  ]);
});

test("errors about missing, surplus and unwanted clicks list the clicks on record", () => {
  const { sim, show, click } = recordingOf({ assumptions: { "click.repeat": "count" } });
  const id = impressionIdIn(show("ad-1", { session: "s-1" }));
  click(id);
  click(id);
  click("imp_nothing");
  expect(failureOf(() => assertRecordedClick(sim, { ad: "ad-2" })).message).toMatch(
    /^Expected a click on record with ad "ad-2": there is none\.\nOn record instead \(2 clicks, .*\n.*\n {2}#3 .* ad-1 [\s\S]*To do: the closest, #3, has ad "ad-1"\.$/,
  );
  const twice = failureOf(() => assertRecordedClick(sim, { impression: id, times: 1 }));
  expect(twice.message).toMatch(
    /^Expected 1 click on record with impression "imp_\w+": there are 2\.\nMatches on record:\n/,
  );
  expect(twice.message).toContain("To do: compare the first two.");
  expect(twice.actual).toEqual({ impression: id, times: 2 });
  const none = failureOf(() => assertNoRecordedClick(sim, { session: "s-1" }));
  expect(none.message).toMatch(/^Expected no click on record with session "s-1": there are 2\.\n/);
});

test("duplicates and refusals are told apart", () => {
  const { sim, show } = recordingOf();
  show("a", { session: "s" });
  show("a", { session: "s" });
  show("a", { session: "s", surface: "srf_nope" });
  const { message } = failureOf(() => assertRecordedImpression(sim, { ad: "a", times: 2 }));
  expect(message).toMatch(/#2 .* a {2}answered 200: duplicate, not counted/);
  expect(message).toMatch(/#3 .* a {2}refused with 404: surface_not_found/);
});

test("asserting that there is none refuses a number of times", () => {
  const { sim, show } = recordingOf();
  show("ad-1");
  const five = { ad: "ad-1", times: 5 };
  expect(refusalOf(() => assertNoRecordedImpression(sim, five))).toMatch(/^times must be left out/);
  expect(refusalOf(() => assertNoRecordedClick(sim, { times: 1 } as never))).toMatch(/^times/);
});

test("the error says if no request came at all", () => {
  const { message } = failureOf(() => assertRecordedImpression(createSimulator()));
  expect(message).toMatch(/there is none\.\nTo do: no impression request came\. Check that/);
});

test("since and after leave out what came before", () => {
  const { sim, show } = recordingOf();
  show("a");
  const after = sim.journal.total;
  sim.clock.advance("1s");
  show("b");
  assertRecordedImpression(sim, { times: 1, since: "2026-01-15T00:00:01Z" });
  assertRecordedImpression(sim, { times: 1, after });
  expect(failureOf(() => assertRecordedImpression(sim, { ad: "a", after })).message).toContain(
    'with ad "a", after #1: there is none',
  );
});

describe("an assertion neither passes nor fails, but is refused, for", () => {
  test("forgotten events", () => {
    const { sim, show } = recordingOf({ journalEntries: 2 });
    for (const ad of ["a", "b", "c"]) show(ad);
    assertRecordedImpression(sim, { ad: "c" });
    const forgotten = /^journal holds only 2 of the 3 events on record, so this can't be checked/;
    expect(refusalOf(() => assertRecordedImpression(sim, { ad: "a" }))).toMatch(forgotten);
    expect(refusalOf(() => assertNoRecordedImpression(sim, { ad: "a" }))).toMatch(forgotten);
    expect(refusalOf(() => assertRecordedImpression(sim, { ad: "c", times: 1 }))).toMatch(
      forgotten,
    );
    assertRecordedImpression(sim, { ad: "c", times: 1, after: 1 });
  });

  test("events that a restore undid", () => {
    const { sim, show } = recordingOf();
    const before = sim.snapshot();
    show("a");
    sim.restore(before);
    expect(refusalOf(() => assertRecordedImpression(sim, { ad: "a" }))).toMatch(
      /^journal has 1 events, but 0 are on record: restoring a snapshot undid the others/,
    );
    sim.journal.clear();
    assertNoRecordedImpression(sim, { ad: "a" });
  });
});

test.each([
  [{ ad_id: "a" }, "ad_id is not known here."],
  [{ ad: 7 }, "ad must be a string."],
  [{ session: "" }, "session must not be empty."],
  [{ times: -1 }, "times must be a whole number, 0 or more."],
  [{ since: "yesterday" }, 'since must be an instant in ISO 8601, such as "2026-03-01T00:00:00Z".'],
  [{ after: 1 }, "after is beyond the journal's latest entry, #0."],
  [{ publisher: "pub_x" }, "publisher names no publisher of this world."],
  [[], "impression must be an object, not a list."],
])("an invalid match is refused: %j", (match, message) => {
  const sim = createSimulator();
  expect(refusalOf(() => assertRecordedImpression(sim, match as object))).toBe(message);
  expect(refusalOf(() => assertNoRecordedImpression(sim, match as object))).toBe(message);
});

test("a surface of another publisher and a value that is no simulator are refused", () => {
  const sim = createSimulator();
  const [one, other] = sim.publishers.list({ limit: 2 });
  const match = { publisher: one?.id, surface: other?.surfaces[0]?.id };
  expect(refusalOf(() => assertNoRecordedClick(sim, match))).toBe(
    "surface names no surface of this publisher.",
  );
  expect(refusalOf(() => assertRecordedImpression(sim.journal as never))).toMatch(
    /^sim must be a simulator: /,
  );
});
