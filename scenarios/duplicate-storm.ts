/** What a client must survive: an impression comes twice: at once, or around the end of the de-duplication window. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { assume, credited, error, newBeside, ref, report, sameAs, uncredited } from "./words.ts";

/** The same impression fifty times at once. The last one is called `last`. */
function storm(session: string, last: string, expected: { readonly ok: number }): Step {
  return {
    parallel: { times: 50, steps: [{ impression: { session_id: session }, as: last }] },
    as: `${last}-storm`,
    expect: { sent: 50, ...expected, differentIds: 1 },
  };
}

/** Repeats one session 1 ms before its window ends, at the end, and in the new window; repeats another 1 ms after the end. */
function aroundTheEnd(window: "30m" | "24h", windowMs: number): Step[] {
  const edge = { session_id: `${window}-edge` };
  const after = { session_id: `${window}-after` };
  const [first, other, second] = [`first-${window}`, `other-${window}`, `second-${window}`];
  return [
    assume("dedup.window", window),
    { impression: edge, as: first, expect: credited },
    { impression: after, as: other, expect: credited },
    { advance: windowMs - 1 },
    { impression: edge, note: "One millisecond before the end.", expect: sameAs(first) },
    { advance: 1 },
    {
      impression: edge,
      as: second,
      note: "At the end: a new one. The repeat in between hasn't made the window longer.",
      expect: newBeside(first),
    },
    { advance: 1 },
    { impression: after, note: "One millisecond after the end.", expect: newBeside(other) },
    { advance: windowMs - 2 },
    { impression: edge, note: "The second has a window of its own.", expect: sameAs(second) },
  ];
}

export const scenario = defineScenario({
  name: "duplicate-storm",
  about:
    "One impression is sent fifty times at once, and counts once, whether duplicates get the id of the original, the same bytes or 409. Only without a session id do all fifty count. Then one is repeated one millisecond before the de-duplication window ends, exactly at its end, and later: a client that retries late is counted twice, and can't know when.",
  publishers: 1,
  steps: [
    storm("storm", "copy", { ok: 50 }),
    { expect: { answer: "copy", ...uncredited } },
    {
      expect: report(["2026-01-15"], {
        impressions: 1,
        revenue_inr: ref("copy-storm.creditedInr"),
      }),
    },
    assume("dedup.repeat", "replay"),
    storm("replayed", "replay", { ok: 50 }),
    {
      expect: {
        of: "replay-storm.creditedInr",
        is: { sum: Array.from({ length: 50 }, () => ref("replay.revenue_credited_inr")) },
      },
      note: "Every answer shows the same single credit. Adding them up gives fifty times as much.",
    },
    assume("dedup.repeat", "conflict"),
    storm("refused", "conflict", { ok: 1 }),
    {
      expect: { answer: "conflict", ...error(409, "duplicate_impression") },
      note: "It says that the event is on record: not to be sent again.",
    },
    assume("dedup.repeat", "original-uncredited"),
    {
      parallel: { times: 50, steps: [{ impression: {} }] },
      note: "Without a session nothing shows that these are the same.",
      expect: { sent: 50, ok: 50, differentIds: 50 },
    },
    { expect: report(["2026-01-15"], { impressions: 53 }) },
    ...aroundTheEnd("30m", 30 * 60_000),
    ...aroundTheEnd("24h", 24 * 3_600_000),
    assume("dedup.window", "forever"),
    { impression: { session_id: "always" }, as: "once", expect: credited },
    { advance: "3650d" },
    { impression: { session_id: "always" }, note: "Ten years later.", expect: sameAs("once") },
  ],
  expectations: [report(["2026-01-15"], { impressions: 62 })],
});
