/** Random orders of arrivals and answers: they vary, nothing hangs, and a failure repeats by its seed and shrinks. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  arbitraryCommands,
  arbitraryScheduler,
  type Command,
  type CreateDriver,
  openTestWorld,
  runSession,
  type Scheduler,
  type Session,
} from "../../src/testing.ts";
import { createMarks } from "../marks.ts";
import { createPlainDriver } from "./plain-driver.ts";

const three: Command = {
  kind: "together",
  commands: [0, 1, 2].map((surface) => ({ kind: "impression", surface })),
};

function arrivals({ exchanges }: Session): string {
  return exchanges.map(({ values }) => values.get("ad_id")).join(" ");
}

/** Notes in which order its impressions come back. */
function noting(came: string[]): CreateDriver {
  return (context) => {
    const driver = createPlainDriver(context);
    return {
      async impression(shown) {
        await driver.impression(shown);
        came.push(shown.ad);
      },
    };
  };
}

describe.each<[string, fc.Arbitrary<Scheduler>]>([
  ["fast-check's scheduler", fc.scheduler()],
  ["arbitraryScheduler", arbitraryScheduler()],
])("%s", (_, schedulers) => {
  test("makes requests arrive, and answers come back, in every order", async () => {
    const marks = createMarks();
    const orders = [
      ["ad-1 ad-2 ad-3", "ad-1 ad-3 ad-2", "ad-2 ad-1 ad-3"],
      ["ad-2 ad-3 ad-1", "ad-3 ad-1 ad-2", "ad-3 ad-2 ad-1"],
    ].flat();
    await fc.assert(
      fc.asyncProperty(schedulers, async (scheduler) => {
        const came: string[] = [];
        const arrived = arrivals(await runSession(noting(came), [three], { scheduler }));
        for (const order of orders) {
          marks.sometimes(`arrived: ${order}`, arrived === order);
          marks.sometimes(`came back: ${order}`, came.join(" ") === order);
        }
        marks.sometimes("in another order than they arrived", came.join(" ") !== arrived);
      }),
      { seed: 1, numRuns: 100 },
    );
    marks.expectReached();
  });

  test("never makes a request hang, whatever the faults", async () => {
    const commands = arbitraryCommands({
      kinds: ["impression", "click", "together", "fault", "advance", "heal"],
      weights: { together: 30, fault: 20 },
      // A client without a time-out waits for ever for what never comes.
      faults: {
        kinds: ["drop", "lose-response", "delay", "respond", "reorder", "duplicate", "truncate"],
        longestDelayMs: 2000,
      },
      longestWaitMs: 3_600_000,
    });
    const marks = createMarks();
    await fc.assert(
      fc.asyncProperty(schedulers, commands, async (scheduler, sequence) => {
        const silent = sequence.some(
          (one) =>
            one.kind === "fault" && "as" in one.rule.verdict && one.rule.verdict.as === "silence",
        );
        const { steps, exchanges } = await runSession(createPlainDriver, sequence, { scheduler });
        for (const { outcome, parts = [] } of steps) {
          for (const { kind } of [outcome, ...parts.map((part) => part.outcome)]) {
            if (!silent) expect(["done", "failed", "skipped"]).toContain(kind);
          }
        }
        expect(scheduler.count()).toBe(0);
        for (const { fault } of exchanges) {
          if (fault !== undefined) marks.sometimes(fault.kind);
        }
      }),
      { seed: 2, numRuns: 60 },
    );
    marks.expectReached(["drop", "lose-response", "delay", "respond", "reorder"]);
  });

  test("repeats a failing session by seed and path", async () => {
    const sessions: string[] = [];
    const property = fc.asyncProperty(schedulers, async (scheduler) => {
      const session = await runSession(createPlainDriver, [three, three], { scheduler });
      sessions.push(arrivals(session));
      return !arrivals(session).startsWith("ad-3");
    });
    const details = await fc.check(property, { seed: 3, numRuns: 50 });
    const failed = sessions.findLast((arrived) => arrived.startsWith("ad-3"));
    const tried = sessions.length;
    expect(details.failed).toBe(true);
    const again = await fc.check(property, { seed: 3, path: details.counterexamplePath ?? "" });
    expect(again.failed).toBe(true);
    expect(again.counterexamplePath).toBe(details.counterexamplePath);
    expect(sessions[tried]).toBe(failed);
  });
});

test("arbitraryScheduler shrinks to one overtaking if one is enough", async () => {
  const property = fc.asyncProperty(arbitraryScheduler(), async (scheduler) => {
    const arrived = arrivals(await runSession(createPlainDriver, [three, three], { scheduler }));
    return arrived.indexOf("ad-2") < arrived.indexOf("ad-3");
  });
  for (const seed of [1, 2, 3]) {
    const details = await fc.check(property, { seed, numRuns: 100 });
    expect(fc.stringify(details.counterexample)).toMatch(
      /^\[scheduler\(arrival of POST \/v1\/impression \(request 3\) before [^;]*\(request 2\)\)\]$/,
    );
  }
});

describe("a request that is aborted while it is held", () => {
  test.each(["arrival", "answer"])("is rejected at once: %s", async (held) => {
    const [scheduler] = fc.sample(arbitraryScheduler(), { seed: 1, numRuns: 1 });
    if (scheduler === undefined) throw new Error("There is none.");
    const { context, sim, close } = await openTestWorld({ scheduler });
    const controller = new AbortController();
    const url = `${context.baseUrl}/v1/publisher/surfaces`;
    const sent = context.fetch(url, { signal: controller.signal });
    const outcome = sent.then(
      () => "answered",
      (error: unknown) => error,
    );
    while (scheduler.count() === 0) await Promise.resolve();
    if (held === "answer") {
      await scheduler.waitOne();
      while (scheduler.count() === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    }
    controller.abort("no longer wanted");
    expect(await outcome).toBe("no longer wanted");
    await scheduler.waitOne();
    expect(scheduler.count()).toBe(0);
    expect(sim.journal.total).toBe(held === "answer" ? 1 : 0);
    await close();
  });
});
