import { expect, test } from "vitest";
import {
  AssertionError,
  assertBalances,
  assertCredited,
  assertNoFindings,
  assertNoInvalidRequests,
  assertNoRecordedClick,
  assertNoRecordedImpression,
  assertNothingLostOrDoubled,
  assertReceived,
  assertRecordedClick,
  assertRecordedImpression,
  assertRespectsRateLimits,
  assertStats,
  assertUsedValidKeys,
  matchers,
} from "../../src/assert.ts";
import { createSimulator, InputError } from "../../src/index.ts";
import { recordingOf } from "../audit/recording.ts";
import { reportWorldOf } from "../audit/report-world.ts";
import { impressionIdIn } from "../sender.ts";

function thrownBy<Thrown>(kind: new (...given: never[]) => Thrown, assertion: () => void): Thrown {
  try {
    assertion();
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error("It holds.");
}
const failureOf = (assertion: () => void): AssertionError => thrownBy(AssertionError, assertion);
const refusalOf = (assertion: () => void): string => thrownBy(InputError, assertion).message;

const at = "2026-01-15T00:00:00.000Z";
const faults = [
  { id: "lossy", match: { nth: 2 }, verdict: { kind: "lose-response" } },
  { id: "gone", match: { nth: 3 }, verdict: { kind: "drop" } },
] as const;

test("an event on record is found by each of its fields, whether or not its answer was lost", () => {
  const { sim, ids, show, click } = recordingOf({ faults });
  const id = impressionIdIn(show("ad-1", { session: "s-1" }));
  sim.clock.advance("1s");
  show("ad-2");
  const surface = sim.publishers.at(0).surfaces[0]?.id;
  const [publisher] = ids;
  assertRecordedImpression(sim);
  assertRecordedImpression(sim, { ad: "ad-1", session: "s-1", id, publisher, surface, times: 1 });
  assertRecordedImpression(sim, { ad: "ad-2", times: 1, since: "2026-01-15T00:00:01Z" });
  assertRecordedImpression(sim, { times: 1, after: 1 });
  assertRecordedImpression(sim, { times: 2 });
  assertNoRecordedImpression(sim, { ad: "ad-1", session: "s-2" });
  assertNoRecordedImpression(sim, { publisher: ids[1] });
  assertNoRecordedClick(sim);
  sim.faults.clear();
  click(id);
  assertRecordedClick(sim, { impression: id, ad: "ad-1", session: "s-1", surface, times: 1 });
  assertNoRecordedClick(sim, { ad: "ad-2" });
});

test("the error shows all that came, the most alike first, with what became of it", () => {
  const { sim, show } = recordingOf({ faults });
  show("ad-1", { session: "s-1" });
  show("ad-22", { session: "s-2" });
  show("ad-2", { session: "s-3" });
  show("ad-2", { session: "s-4", surface: "srf_nope" });
  const surface = sim.publishers.at(0).surfaces[0]?.id;
  const error = failureOf(() => assertRecordedImpression(sim, { ad: "ad-2", surface }));
  expect(error.message.replaceAll(/ +/g, " ").replace(/, "Ext.*/, "")).toBe(
    `Expected an impression on record with ad "ad-2" and surface "${surface}": there is none.
Came (4 impressions, the most alike first):
 #3 ${at} – – ad-2 ${surface} s-3 – no answer, fault: drop (rule "gone")
 #4 ${at} – – ad-2 srf_nope s-4 – 404, surface_not_found; the closest is surface=${surface}
 #2 ${at} imp_yccjat2qkssb8 – ad-22 ${surface} s-2 0.020568 INR no answer, recorded (rule "lossy")
 #1 ${at} imp_fbk964stz6b56 – ad-1 ${surface} s-1 0.021181 INR 200, recorded`,
  );
  expect(error).toMatchObject({
    ...{ name: "AssertionError", code: "ERR_ASSERTION", operator: "recordedImpression" },
    ...{ expected: { ad: "ad-2", surface }, actual: { ad: "ad-22", surface } },
  });
  for (let shown = 0; shown < 9; shown += 1) show(`ad-${shown}`);
  const { message } = failureOf(() => assertRecordedImpression(sim, { ad: "x" }));
  expect(message).toMatch(/\n {2}#13 [\s\S]*\n {2}#4 .*\n {2}and 3 more$/);
});

test("errors about missing, surplus and unwanted clicks, and about clicks that nobody sent", () => {
  const { sim, show, click } = recordingOf({ assumptions: { "click.repeat": "count" } });
  expect(failureOf(() => assertRecordedClick(sim)).message).toMatch(
    /there is none\.\nTo do: no click request came\. Check/,
  );
  const id = impressionIdIn(show("ad-1", { session: "s-1" }));
  click(id);
  click(id);
  const twice = failureOf(() => assertRecordedClick(sim, { impression: id, times: 1 }));
  expect(twice.message).toMatch(
    /^Expected 1 click on record with impression "imp_\w+": found 2\.\n/,
  );
  expect(twice.actual).toEqual({ impression: id, times: 2 });
  const none = failureOf(() => assertNoRecordedClick(sim, { session: "s-1" }));
  expect(none.message).toMatch(/^Expected 0 clicks on record with session "s-1": found 2\.\n/);
  const unwanted = matchers.toHaveRecordedClick(sim).message();
  expect(unwanted).toMatch(/^Not expected: a click on record: found 2\.\nCame /);
});

test("an assertion is refused if what the journal lacks may matter, or a restore undid events", () => {
  const { sim, show } = recordingOf({ journalEntries: 2 });
  const before = sim.snapshot();
  for (const ad of ["a", "b", "c"]) show(ad);
  assertRecordedImpression(sim, { ad: "c" });
  assertRecordedImpression(sim, { ad: "c", times: 1, after: 1 });
  failureOf(() => assertNoRecordedImpression(sim, { ad: "c" }));
  for (const assertion of [
    () => assertRecordedImpression(sim, { ad: "a" }),
    () => assertNoRecordedImpression(sim, { ad: "a" }),
    () => assertRecordedImpression(sim, { ad: "c", times: 1 }),
    () => assertCredited(sim, 1, { since: "2026-01-15T00:00:00Z" }),
  ]) {
    expect(refusalOf(assertion)).toMatch(/^journal lacks 1 request, so this can't be checked/);
  }
  sim.restore(before);
  const undone = refusalOf(() => assertRecordedImpression(sim, { ad: "c" }));
  expect(undone).toMatch(/^journal has 2 requests too many, so/);
  sim.journal.clear();
  assertNoRecordedImpression(sim, { ad: "c" });
});

test("credits are compared to the micro, in total and by publisher, surface, kind and time", () => {
  const { sim, ids, show, click } = recordingOf({
    faults: [{ match: { nth: 2 }, verdict: { kind: "lose-response" } }],
    assumptions: { "dedup.repeat": "replay" },
  });
  const micros = (entry: number): number => (sim.journal.entries()[entry]?.creditInr ?? 0) * 1e6;
  const sum = (...amounts: number[]): number =>
    Math.round(amounts.reduce((all, amount) => all + amount, 0)) / 1e6;
  const first = show("a", { session: "s" });
  sim.clock.advance("1s");
  click(impressionIdIn(first));
  show("b", { by: 1 });
  show("a", { session: "s" });
  const [one, two, three] = [micros(0), micros(1), micros(2)];
  const [publisher, other] = ids;
  const surface = sim.publishers.at(0).surfaces[0]?.id;
  assertCredited(sim, sum(one, two, three));
  assertCredited(sim, sum(one, two), { publisher });
  assertCredited(sim, sum(three), { publisher: other });
  assertCredited(sim, sum(one), { publisher, events: "impressions" });
  assertCredited(sim, sum(two), { surface, events: "clicks" });
  assertCredited(sim, sum(two, three), { since: "2026-01-15T00:00:01Z" });
  assertCredited(sim, sum(three), { after: 2 });
  const error = failureOf(() => assertCredited(sim, sum(one, 1), { surface, after: 0 }));
  expect(error.message).toContain(
    ` INR credited for all events with surface "${surface}" and after 0: it is ${sum(one, two)} INR, ${sum(two, -1)} more.\n`,
  );
  expect(error).toMatchObject({ expected: sum(one, 1), actual: sum(one, two) });
});

test("requests that came are counted by operation, publisher and status", () => {
  const { sim, ids, show, click } = recordingOf({
    faults: [{ match: { nth: 2 }, verdict: { kind: "duplicate" } }],
  });
  click(impressionIdIn(show("a")));
  show("b", { by: 1 });
  assertReceived(sim);
  assertReceived(sim, { operation: "impression", times: 2 });
  assertReceived(sim, { operation: "click", status: 200, times: 1 });
  assertReceived(sim, { publisher: ids[1], times: 1 });
  assertReceived(sim, { after: 1, operation: "impression", times: 1 });
  const none = failureOf(() => assertReceived(sim, { operation: "stats" }));
  expect(none.message).toMatch(
    /^Expected a request with operation "stats": 0 such requests came\.\n {2}#4 .* POST \/v1\/impression {2}200, recorded\n/,
  );
  const more = failureOf(() => assertReceived(sim, { operation: "click", times: 2 }));
  expect(more).toMatchObject({ expected: { times: 2 }, actual: { times: 1 } });
  expect(matchers.toHaveReceived(sim).message()).toMatch(/^Not expected: a request: 3 such/);
});

test("requests that are wrong at any time are invalid; duplicates and a fault's 400 aren't", () => {
  const { sim, show, click } = recordingOf({
    assumptions: { "dedup.repeat": "conflict" },
    faults: [{ match: { nth: 3 }, verdict: { kind: "respond", status: 400 } }],
  });
  show("a", { session: "s" });
  show("a", { session: "s" });
  show("b");
  assertNoInvalidRequests(sim);
  expect(matchers.toHaveNoInvalidRequests(sim).message()).toMatch(
    /^Not expected: no request wrong at any time: found 0 in 3 requests\./,
  );
  show("c", { surface: "srf_nope" });
  click("imp_nope");
  const error = failureOf(() => assertNoInvalidRequests(sim));
  expect(error.message).toMatch(
    /^Expected no request wrong at any time: found 2 in 5 requests\.\nwrong:\n {2}#4 .*surface_not_found; the closest is surface=srf_.*\n {2}#5 .*impression_not_found/,
  );
  expect(error.actual).toEqual({ wrong: [4, 5] });
  assertNoInvalidRequests(sim, { after: 5 });
  sim.journal.clear();
  expect(refusalOf(() => assertNoInvalidRequests(sim))).toMatch(/^journal lacks 5 requests, so/);
});

test("valid keys are in the header alone", () => {
  const { sim, ids, show } = recordingOf();
  show("a");
  assertUsedValidKeys(sim);
  const { apiKey } = sim.publishers.at(0);
  const path = `/v1/publisher/surfaces?publisher_id=${ids[0]}`;
  sim.handle({ method: "GET", path });
  const headers = { authorization: `Bearer ${apiKey}` };
  sim.handle({ method: "GET", path: `${path}&key=${apiKey}`, headers });
  const error = failureOf(() => assertUsedValidKeys(sim));
  expect(error.message).toMatch(
    /\nwrong:\n {2}#2 .*unauthorized[\s\S]*\nkey-in-url: [\s\S]*\n {2}#3 /,
  );
  expect(error.message).not.toContain(apiKey);
  expect(error.actual).toEqual({ wrong: [2], "key-in-url": [3] });
});

test("rate limits are respected without refusals, or with no more than allowed, and without haste", () => {
  const { sim, stats, wait } = reportWorldOf();
  for (let asked = 0; asked < 60; asked += 1) stats();
  assertRespectsRateLimits(sim);
  expect(stats().status).toBe(429);
  wait(60_000);
  expect(stats().status).toBe(200);
  const error = failureOf(() => assertRespectsRateLimits(sim));
  expect(error.message).toMatch(
    /^Expected no request refused by a limit, or sent before a Retry-After was over: found 1 in 62 requests\.\nwrong:\n {2}#61 .* 429, rate_limited, reporting limit/,
  );
  assertRespectsRateLimits(sim, { refusals: 1 });
  assertRespectsRateLimits(sim, { after: 61 });
  for (let asked = 0; asked < 60; asked += 1) stats();
  wait(1000);
  stats();
  const { message, actual } = failureOf(() => assertRespectsRateLimits(sim, { refusals: 9 }));
  expect(message).toContain("\nbefore-retry-after: ");
  expect(actual).toEqual({ "before-retry-after": [123] });
});

test("findings are failures unless they are excepted; what couldn't be judged is noted", () => {
  const { sim, show } = recordingOf();
  show("a", { session: "s" });
  assertNoFindings(sim);
  expect(matchers.toHaveNoFindings(sim).message()).toMatch(
    /^Not expected: no request with a finding: found 0 in 1 request\.\nNote: The world's clock was frozen/,
  );
  show("b");
  const error = failureOf(() => assertNoFindings(sim));
  expect(error.message).toMatch(
    /\nimpression-without-session: #2 .*\n {2}.*\n {2}#2 .* 200, recorded/,
  );
  expect(error.actual).toEqual({ "impression-without-session": [2] });
  assertNoFindings(sim, { except: ["impression-without-session"] });
});

test("statistics are the endpoint's, from the world's first day by default, and use no quota", () => {
  const { sim, ids, show, click } = recordingOf({
    faults: [{ match: { operation: "stats" }, verdict: { kind: "drop" } }],
  });
  const [publisher = ""] = ids;
  const { id: surface = "" } = sim.publishers.at(0).surfaces[0] ?? {};
  click(impressionIdIn(show("a")));
  sim.clock.advance("2d");
  show("b");
  const { total } = sim.journal;
  const revenueInr = sim.audit().total.creditedRecordedInr;
  assertStats(sim, { publisher, impressions: 2, clicks: 1, revenueInr });
  assertStats(sim, { publisher, period: { to: "2026-01-16" }, impressions: 1, clicks: 1 });
  assertStats(sim, { publisher, period: { from: "2026-01-17" }, impressions: 1, clicks: 0 });
  assertStats(sim, { publisher, surface, surfaces: { [surface]: { impressions: 2, revenueInr } } });
  assertStats(sim, { publisher: ids[1] ?? "", surfaces: { srf_x: { impressions: 0 } } });
  for (let asked = 0; asked < 100; asked += 1) assertStats(sim, { publisher, impressions: 2 });
  expect(sim.journal.total).toBe(total);
  const surfaces = { [surface]: { impressions: 3 } };
  const error = failureOf(() => assertStats(sim, { publisher, clicks: 1, surfaces }));
  expect(error.message.replaceAll(/ +/g, " ")).toBe(
    `Expected these figures of "${publisher}" from 2026-01-15 to 2026-01-17: 1 of 2 differ.
 expected actual
 clicks 1 1
 surfaces ${surface} impressions 3 2`,
  );
  const name = `surfaces ${surface} impressions`;
  expect(error).toMatchObject({ expected: { clicks: 1, [name]: 3 }, actual: { [name]: 2 } });
});

test("an audit balances and agrees with the client's counts, or the error has each discrepancy", () => {
  const { sim, ids, show } = recordingOf();
  show("a", { session: "s" });
  assertBalances(sim);
  expect(matchers.toBalance(sim).message()).toBe("Not expected: an audit that balances: it does.");
  const audit = { ...sim.audit(), balanced: false, discrepancies: ["publisher p: 1, and not 2"] };
  const { message } = failureOf(() => assertBalances({ ...sim, audit: () => audit }));
  expect(message).toMatch(/^Expected an audit that balances: .*\npublisher p: 1, and not 2$/);
  const [publisher] = ids;
  assertNothingLostOrDoubled(sim, { publisher, impressions: 1, clicks: 0 });
  const wrong = { publisher, impressions: 0, clicks: 0 };
  expect(failureOf(() => assertNothingLostOrDoubled(sim, wrong))).toMatchObject({
    message: expect.stringContaining(`\nPublisher ${publisher}: `),
    expected: [{ publisher, impressions: 0 }],
    actual: [{ publisher, impressions: 1 }],
  });
});

const sim = createSimulator();
const { id: publisher } = sim.publishers.at(0);
const recorded = (match: unknown) => () => assertRecordedImpression(sim, match as object);
const credited = (amount: unknown, where?: object) => () =>
  assertCredited(sim, amount as number, where);
const stats = (match: object) => () => assertStats(sim, { publisher, ...match });
test.each<[string, () => void]>([
  ["ad_id is not known here.", recorded({ ad_id: "a" })],
  ["ad must be a string.", recorded({ ad: 7 })],
  ["times must be a whole number, 0 or more.", recorded({ times: -1 })],
  ["since must be an instant in ISO 8601, such as", recorded({ since: "yesterday" })],
  ["after is beyond the journal's latest entry, #0.", recorded({ after: 1 })],
  ["impression must be an object, not a list.", recorded([])],
  ["surface names no", () => assertNoRecordedClick(sim, { publisher, surface: "s" })],
  ["sim must be a simulator, such as", () => assertRecordedImpression(sim.journal as never)],
  ["amountInr must be a number of INR from 0 to", credited(-1)],
  ['events must be one of "impressions", "clicks"', credited(1, { events: "views" })],
  ["stats must name a figure, such as impressions.", stats({})],
  ["impressions must be a whole number, 0 or more.", stats({ impressions: 0.5 })],
  ["period.from must be a day, YYYY-MM-DD.", stats({ period: { from: "2026-02-30" }, clicks: 1 })],
  ["stats.period was refused with status 400", stats({ period: { to: "2026-01-01" }, clicks: 1 })],
  ["operation must be one of stats, ", () => assertReceived(sim, { operation: "refund" as never })],
  ["refusals must be", () => assertRespectsRateLimits(sim, { refusals: -1 })],
  ["except.0 must be one of", () => assertNoFindings(sim, { except: ["all" as never] })],
])("wrong input is refused: %s", (message, assertion) => {
  expect(refusalOf(assertion)).toContain(message);
});
