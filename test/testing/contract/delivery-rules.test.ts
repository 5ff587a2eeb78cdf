/** When a client may report an event as undelivered, and which timers it may leave behind. */

import { describe, expect, test } from "vitest";
import { deliveryRules } from "../../../src/testing/contract/rules/delivery-rules.ts";
import { queueRules } from "../../../src/testing/contract/rules/queue-rules.ts";
import { type Command, runSession, tryRule } from "../../../src/testing.ts";
import { type Habits, patientClient } from "./patient-client.ts";

describe("a queueing client isn't blamed if it", () => {
  const excused: readonly (readonly [what: string, rule: string, habits: Habits])[] = [
    ["gives up after three attempts", "delivers-when-it-can", { repeats: 2 }],
    [
      "gives up after as many attempts as it declares",
      "delivers-when-it-can",
      { repeats: 0, promises: { maxAttempts: 1 } },
    ],
    [
      "gives up what is older than it declares",
      "delivers-when-it-can",
      { repeats: 0, promises: { maxAgeMs: 0 } },
    ],
    [
      "gives up what its queue has no room for, as it declares",
      "delivers-when-it-can",
      { repeats: 0, promises: { maxQueued: 0 } },
    ],
    [
      "leaves a timer that doesn't keep the process alive",
      "no-timer-after-close",
      { leavesTimer: "that doesn't matter" },
    ],
  ];
  test.each(excused)("%s", async (_what, id, habits) => {
    const [rule] = [...deliveryRules, ...queueRules].filter((one) => one.id === id);
    if (rule === undefined) throw new Error(`There is no rule ${id}.`);
    const tried = await tryRule(rule, patientClient({ queues: true, ...habits }), { runs: 50 });
    expect(tried).toMatchObject({ kind: "held" });
  });

  const lasting: Command = {
    kind: "fault",
    rule: { match: { operation: "impression" }, verdict: { kind: "respond", status: 503 } },
  };
  const shown: Command = { kind: "impression", surface: 0 };
  const limited: Command = {
    kind: "fault",
    rule: {
      match: { operation: "impression", times: 1 },
      verdict: { kind: "respond", status: 429, headers: { "Retry-After": "90" } },
    },
  };
  const refused: Command = {
    kind: "fault",
    rule: { match: { times: 1 }, verdict: { kind: "respond", status: 400 } },
  };
  test.each<readonly [string, readonly Command[]]>([
    ["an outage that lasts", [lasting, shown, { kind: "flush" }]],
    [
      "an outage that lasted until a flush gave the event up",
      [lasting, shown, { kind: "flush" }, { kind: "heal" }, { kind: "advance", byMs: 600_000 }],
    ],
    ["a limit that isn't over", [limited, shown, { kind: "advance", byMs: 60_000 }]],
    ["a refusal", [refused, shown, { kind: "advance", byMs: 60_000 }]],
  ])("gives an event up because of %s", async (_why, commands) => {
    const givesUp = patientClient({
      queues: true,
      isEager: true,
      repeats: 0,
      isFinal: (status) => status >= 400 && status < 500,
    });
    const session = await runSession(givesUp, commands);
    expect(session.sim.audit().total.impressions.applied).toBe(0);
    for (const { judge } of deliveryRules) expect(judge(session)).toBe(0);
  });
});
