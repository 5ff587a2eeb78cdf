import { describe, expect, test } from "vitest";
import {
  assertNoFindings,
  assertNoInvalidRequests,
  assertReceived,
  assertRespectsRateLimits,
  assertUsedValidKeys,
  matchers,
} from "../../src/assert.ts";
import { recordingOf } from "../audit/recording.ts";
import { reportWorldOf } from "../audit/report-world.ts";
import { impressionIdIn } from "../sender.ts";
import { failureOf, refusalOf } from "./thrown-errors.ts";

describe("requests", () => {
  test("that came are counted by operation, publisher and status", () => {
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
      /^Expected a request with operation "stats": 0 such requests came\.\nCame instead, the latest last:\n {2}#1 .* POST \/v1\/impression {2}200 {2}recorded\n/,
    );
    const more = failureOf(() => assertReceived(sim, { operation: "click", times: 2 }));
    expect(more.message).toMatch(
      /^Expected 2 requests with operation "click": 1 such request came\.\nCame and match:\n/,
    );
    expect(more).toMatchObject({ expected: { times: 2 }, actual: { times: 1 } });
    expect(matchers.toHaveReceived(sim).message()).toMatch(/^Expected not a request: 3 such/);
    const bad = { operation: "refund" } as never;
    expect(refusalOf(() => assertReceived(sim, bad))).toMatch(/^operation must be one of stats, /);
    expect(refusalOf(() => assertReceived(sim, { times: 0.5 }))).toMatch(/^times must be/);
    const cut = { limit: 1, times: 1 } as never;
    expect(refusalOf(() => assertReceived(sim, cut))).toMatch(/^limit is not known here/);
  });

  test("that are wrong at any time are invalid; duplicates and a fault's 400 aren't", () => {
    const { sim, show, click } = recordingOf({
      assumptions: { "dedup.repeat": "conflict" },
      faults: [{ match: { nth: 3 }, verdict: { kind: "respond", status: 400 } }],
    });
    show("a", { session: "s" });
    show("a", { session: "s" });
    show("b");
    assertNoInvalidRequests(sim);
    expect(matchers.toHaveNoInvalidRequests(sim).message()).toBe(
      "Expected an invalid request: none of 3 is.",
    );
    show("c", { surface: "srf_nope" });
    click("imp_nope");
    const error = failureOf(() => assertNoInvalidRequests(sim));
    expect(error.message).toMatch(
      /^Expected no invalid request: 2 requests of 5 are wrong at any time\.\nWrong:\n {2}#4 .*surface_not_found\n {2}#5 .*impression_not_found\n {2}#4 sent surface=srf_nope.*; the closest that exists is surface=srf_/,
    );
    expect(error.actual).toEqual([
      { sequence: 4, reason: "surface_not_found" },
      { sequence: 5, reason: "impression_not_found" },
    ]);
    assertNoInvalidRequests(sim, { after: 5 });
    sim.journal.clear();
    expect(refusalOf(() => assertNoInvalidRequests(sim))).toMatch(
      /^journal no longer holds the first 5 of 5 requests, so this can't be checked/,
    );
  });

  test("have valid keys, in the header alone", () => {
    const { sim, ids, show } = recordingOf();
    show("a");
    assertUsedValidKeys(sim);
    expect(matchers.toHaveUsedValidKeys(sim).message()).toBe(
      "Expected a request without a valid key: all 1 have one.",
    );
    const { apiKey } = sim.publishers.at(0);
    const path = `/v1/publisher/surfaces?publisher_id=${ids[0]}`;
    sim.handle({ method: "GET", path });
    const headers = { authorization: `Bearer ${apiKey}` };
    sim.handle({ method: "GET", path: `${path}&key=${apiKey}`, headers });
    const error = failureOf(() => assertUsedValidKeys(sim));
    expect(error.message).toMatch(/\nWithout a valid key:\n {2}#2 .*unauthorized\n/);
    expect(error.message).toMatch(/\nWith a key in the URL:\n {2}#3 /);
    expect(error.message).not.toContain(apiKey);
    expect(error.actual).toEqual({ unauthorized: [2], keyInUrl: [3] });
    expect(refusalOf(() => assertUsedValidKeys(sim, { after: 4 }))).toMatch(/^after is beyond/);
  });
});

describe("rate limits", () => {
  test("are respected without refusals, or with no more of them than allowed", () => {
    const { sim, stats, wait } = reportWorldOf();
    for (let asked = 0; asked < 60; asked += 1) stats();
    assertRespectsRateLimits(sim);
    expect(stats().status).toBe(429);
    wait(60_000);
    expect(stats().status).toBe(200);
    const error = failureOf(() => assertRespectsRateLimits(sim));
    expect(error.message).toMatch(
      /^Expected none of 62 requests to be refused by a limit, and none to come before a Retry-After was over: 1 and 0 did\.\nRefused by a limit:\n {2}#61 .* 429 {2}rate_limited, reporting limit\nTo do: read X-RateLimit-Remaining/,
    );
    assertRespectsRateLimits(sim, { refusals: 1 });
    assertRespectsRateLimits(sim, { after: 61 });
    expect(matchers.toRespectRateLimits(sim, { refusals: 1 }).message()).toMatch(
      /^Expected a request limit to be broken: 1 of 62 requests was refused by one \(at most 1 may be\)/,
    );
  });

  test("are broken by a request before the wait is over", () => {
    const { sim, stats, wait } = reportWorldOf();
    for (let asked = 0; asked < 61; asked += 1) stats();
    wait(1000);
    stats();
    const { message, actual } = failureOf(() => assertRespectsRateLimits(sim, { refusals: 9 }));
    expect(message).toMatch(
      /\nBefore a Retry-After was over:\n {2}#62 .* stats {2}before the wait/,
    );
    expect(actual).toEqual({ refusedByLimit: 2, early: [62] });
  });

  test("on a clock that stands still, the same event sent again too early is seen", () => {
    const respond = { kind: "respond", status: 503, headers: { "retry-after": "2" } } as const;
    const { sim, show } = recordingOf({ faults: [{ match: { nth: 1 }, verdict: respond }] });
    show("a", { session: "s" });
    sim.clock.advance("1s");
    show("b", { session: "t" });
    assertRespectsRateLimits(sim);
    show("a", { session: "s" });
    const { message } = failureOf(() => assertRespectsRateLimits(sim));
    expect(message).toMatch(/\n {2}#3 .* impression {2}#1 asked to wait for 1 s more\n/);
    expect(message).toContain("The world's clock is frozen");
    sim.clock.advance("1s");
    show("a", { session: "s" });
    assertRespectsRateLimits(sim, { after: 3 });
    expect(refusalOf(() => assertRespectsRateLimits(sim, { refusals: -1 }))).toMatch(
      /^refusals must/,
    );
  });
});

describe("findings", () => {
  test("are failures unless they are excepted; the error lists them with an example", () => {
    const { sim, show } = recordingOf();
    show("a", { session: "s" });
    assertNoFindings(sim);
    expect(matchers.toHaveNoFindings(sim).message()).toMatch(
      /^Expected a finding in 1 request: there is none\.\nNote: The world's clock stood still/,
    );
    show("b");
    const error = failureOf(() => assertNoFindings(sim));
    expect(error.message).toMatch(
      /^Expected no finding in 2 requests: there is 1\.\nImpressions without session_id \(impression-without-session\): 1\n {2}#2 /,
    );
    expect(error.message).toContain('{ except: ["impression-without-session"] }');
    expect(error.actual).toEqual([{ id: "impression-without-session", count: 1 }]);
    assertNoFindings(sim, { except: ["impression-without-session"] });
    expect(refusalOf(() => assertNoFindings(sim, { except: ["all" as never] }))).toMatch(
      /^except\.0 must be one of event-in-two-sessions, /,
    );
  });
});
