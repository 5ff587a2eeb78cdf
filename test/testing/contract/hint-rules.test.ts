/** What clients do with a Retry-After that is unusual: unreadable, in the past, very long, or followed by a late success. */

import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/base/duration.ts";
import { hintRules } from "../../../src/testing/contract/rules/hint-rules.ts";
import { limitRules } from "../../../src/testing/contract/rules/limit-rules.ts";
import { type Command, runSession, tryRule } from "../../../src/testing.ts";
import { correctClients } from "./correct-clients.ts";
import { type Habits, patientClient, told } from "./patient-client.ts";
import { shrinkOnlyIfWhole } from "./shrinking.ts";

shrinkOnlyIfWhole();

type Id = "useless-retry-after" | "waits-as-told";

async function triedOn(id: Id, habits: Habits): ReturnType<typeof tryRule> {
  const rule = [...hintRules, ...limitRules].find((one) => one.id === id);
  if (rule === undefined) throw new Error(`There is no rule ${id}.`);
  return await tryRule(rule, patientClient(habits), { runs: 50 });
}

/** Waits for so long if the hint can't be read. */
function unread(waitMs: number): Required<Habits>["hint"] {
  return (headers, nowMs) =>
    told(headers, nowMs) ?? (headers.has("retry-after") ? nowMs + waitMs : undefined);
}

const defects: readonly (readonly [Id, what: string, Habits])[] = [
  [
    "useless-retry-after",
    "waits for days if it can't read the hint",
    { hint: unread(30 * DAY_MS) },
  ],
  [
    "useless-retry-after",
    "has a queue that waits for days if it can't read the hint",
    { queues: true, isEager: true, hint: unread(30 * DAY_MS) },
  ],
  [
    "useless-retry-after",
    "takes a date in the past for one as far in the future",
    {
      hint: (headers, nowMs) => {
        const atMs = told(headers, nowMs);
        return atMs === undefined ? undefined : nowMs + Math.abs(atMs - nowMs);
      },
    },
  ],
  [
    "waits-as-told",
    "waits an hour at most",
    {
      hint: (headers, nowMs) => {
        const atMs = told(headers, nowMs);
        return atMs === undefined ? undefined : Math.min(atMs, nowMs + HOUR_MS);
      },
    },
  ],
  [
    "waits-as-told",
    "waits a week at most",
    {
      hint: (headers, nowMs) => {
        const atMs = told(headers, nowMs);
        return atMs === undefined ? undefined : Math.min(atMs, nowMs + 7 * DAY_MS);
      },
    },
  ],
  [
    "waits-as-told",
    "forgets how to wait over a hint that it can't read",
    {
      hint: (headers, nowMs) =>
        told(headers, nowMs) ?? (headers.has("retry-after") ? Number.NaN : undefined),
    },
  ],
  ["waits-as-told", "takes a late success for the end of a wait", { believesSuccess: true }],
];

describe("a client with a defect", () => {
  test.each(defects)("breaks %s if it %s", async (id, _, habits) => {
    const tried = await triedOn(id, habits);
    if (tried.kind !== "broken") throw new Error(tried.kind);
    expect(tried.broken.message).toMatch(/^(?:The|A) .*\.$/);
    expect(tried.broken.message).not.toMatch(/undefined|NaN/);
  });
});

describe("a correct client", () => {
  test.each<[string, Habits]>([
    ["waits a minute for lack of a readable hint", { hint: unread(MINUTE_MS) }],
    ["has a queue, and waits a minute", { queues: true, isEager: true, hint: unread(MINUTE_MS) }],
    ["delivers only when it is flushed", { queues: true }],
  ])("keeps both rules if it %s", async (_, habits) => {
    expect(await triedOn("useless-retry-after", habits)).toMatchObject({ kind: "held" });
    expect(await triedOn("waits-as-told", habits)).toMatchObject({ kind: "held" });
  });
});

const adView: Command = { kind: "impression", surface: 0 };
const limited = (seconds: number): Command => ({
  kind: "fault",
  rule: {
    match: { operation: "impression", times: 1 },
    verdict: { kind: "respond", status: 429, headers: { "Retry-After": String(seconds) } },
  },
});

describe("a limit for two hours", () => {
  const commands: readonly Command[] = [
    limited(7200),
    adView,
    { kind: "flush" },
    { kind: "advance", byMs: HOUR_MS },
    adView,
    { kind: "flush" },
  ];
  const rule = limitRules.find(({ id }) => id === "waits-as-told");

  test("isn't over for a queue that gave up the refused event", async () => {
    const hasty = patientClient({
      queues: true,
      isEager: true,
      repeats: 0,
      hint: () => undefined,
      report: () => ({ impressions: 1, clicks: 0 }),
    });
    const session = await runSession(hasty, commands);
    expect(() => rule?.judge(session)).toThrow(
      "A limit refused ad-1, with a Retry-After of 2 h. The client sent ad-2 1 h after that.",
    );
  });

  test("is kept by a queue that gives up later events, too", async () => {
    const careful = patientClient({ queues: true, isEager: true, repeats: 0 });
    const session = await runSession(careful, commands);
    expect(rule?.judge(session)).toBeGreaterThan(0);
  });

  test("may be tried again by the caller if the call failed", async () => {
    const session = await runSession(correctClients.plain, commands);
    expect(rule?.judge(session)).toBeGreaterThan(0);
  });
});
