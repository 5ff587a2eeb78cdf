/** The client report and the contract use the same findings; the contract also knows what the client was asked to do. */

import { expect, test } from "vitest";
import { findingKinds, reportOf } from "../../../src/audit/client-report.ts";
import { type FindingId, findingIds } from "../../../src/audit/findings/finding.ts";
import type { Verdict } from "../../../src/faults/verdict.ts";
import type { WorldJournal } from "../../../src/journal/journal.ts";
import { attemptHistoryOf } from "../../../src/testing/session/attempt-history.ts";
import type { Command } from "../../../src/testing/session/command.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";
import type { Session } from "../../../src/testing/session/session.ts";
import type { CreateDriver } from "../../../src/testing.ts";
import { type Habits, onceOnly, patientClient } from "./patient-client.ts";

const adView: Command = { kind: "impression", surface: 0 };

function fault(verdict: Verdict, times?: number): Command {
  return { kind: "fault", rule: { match: { operation: "impression", times }, verdict } };
}

/** The report's findings with a flowing clock. */
function reported({ sim }: Session): FindingId[] {
  const report = reportOf(sim.journal as WorldJournal, "flowing");
  return report.findings.map(({ id }) => id);
}

function judged(session: Session): FindingId[] {
  const stretch = attemptHistoryOf(session);
  return findingIds.filter((id) => findingKinds[id].find(stretch).length > 0);
}

const outage: Verdict = { kind: "respond", status: 503 };
const told: Verdict = { kind: "respond", status: 503, headers: { "Retry-After": "30" } };
const refused: Verdict = { kind: "respond", status: 400 };
const noKey: Verdict = { kind: "respond", status: 401 };

test.each<readonly [finding: FindingId | undefined, verdict: Verdict, habits: Habits]>([
  [undefined, outage, {}],
  [undefined, told, {}],
  [undefined, refused, {}],
  [undefined, noKey, {}],
  ["before-retry-after", told, { hint: () => undefined }],
  ["hot-loop", outage, { pauseMs: () => 0 }],
  ["pauses-do-not-grow", outage, { pauseMs: () => 1000 }],
  ["pauses-do-not-grow", outage, { pauseMs: (repeat) => 8000 / 2 ** repeat }],
  ["refused-and-sent-again", refused, { isFinal: () => false }],
  ["continues-after-401", noKey, { isFinal: () => false }],
  [
    "event-in-two-sessions",
    outage,
    { session: (session, attempt) => `${session}-${attempt}`, repeats: 2 },
  ],
])("both find only %s if the answer is %j", async (finding, verdict, habits) => {
  const session = await runSession(patientClient(habits), [fault(verdict), adView]);
  const expected = finding === undefined ? [] : [finding];
  expect(judged(session)).toEqual(expected);
  expect(reported(session)).toEqual(expected);
});

test("only the contract knows that the user asked again, and doesn't blame the client", async () => {
  const session = await runSession(onceOnly, [
    fault(told),
    adView,
    { kind: "advance", byMs: 1000 },
    adView,
  ]);
  expect(reported(session)).toContain("before-retry-after");
  expect(judged(session)).not.toContain("before-retry-after");
});

test("in real time a request may have been under way while an earlier one was refused", async () => {
  const commands: readonly Command[] = [
    fault(told, 1),
    { kind: "together", commands: [adView, adView] },
    { kind: "advance", byMs: 1000 },
  ];
  /** Reports views in the background: the first at once, the second 20 ms later. */
  const staggered: CreateDriver = async (context) => {
    const driver = await onceOnly(context);
    let views = 0;
    return {
      impression(shown) {
        const send = (): unknown =>
          Promise.resolve(driver.impression(shown)).catch(() => undefined);
        context.timers.setTimeout(send, 20 * views);
        views += 1;
      },
    };
  };
  const session = await runSession(staggered, commands);
  expect(judged(session)).toEqual(["before-retry-after"]);
  // The same, as it would be with the transport http. There the machine would decide how much later the second request comes.
  const { sim } = session;
  const clock = { ...sim.clock, mode: "flowing" as const };
  expect(judged({ ...session, sim: { ...sim, clock } })).toEqual([]);
});

test("a single repetition that nobody asked for is a finding in the contract only", async () => {
  const hasty = patientClient({ pauseMs: () => 0, repeats: 1 });
  const session = await runSession(hasty, [fault(outage, 1), adView]);
  expect(reported(session)).toEqual([]);
  expect(judged(session)).toEqual(["hot-loop"]);
  const stubborn = patientClient({ isFinal: () => false, repeats: 1 });
  const again = await runSession(stubborn, [fault(refused, 1), adView]);
  expect(reported(again)).toEqual([]);
  expect(judged(again)).toEqual(["refused-and-sent-again"]);
});
