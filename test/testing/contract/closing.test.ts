/** A client that a command closes before its session ends. */

import { describe, expect, test } from "vitest";
import { readContract } from "../../../src/testing/contract/contract-options.ts";
import { failureOf } from "../../../src/testing/contract/failure.ts";
import { queueRules } from "../../../src/testing/contract/rules/queue-rules.ts";
import {
  type Command,
  type CreateDriver,
  type Driver,
  runSession,
  tryRule,
} from "../../../src/testing.ts";
import { type Habits, patientClient } from "./patient-client.ts";

const adView: Command = { kind: "impression", surface: 0 };
const close: Command = { kind: "close" };

/** How often the client is closed, and the kinds of the session's steps. */
async function closings(commands: readonly Command[]): Promise<[number, readonly string[]]> {
  let closed = 0;
  const { steps } = await runSession(
    () => ({
      impression: () => undefined,
      close() {
        closed += 1;
      },
    }),
    commands,
  );
  return [closed, steps.map(({ command }) => command.kind)];
}

describe("a client that a command closes", () => {
  test("isn't closed once more at the end", async () => {
    expect(await closings([adView])).toEqual([1, ["open", "impression", "close", "afterwards"]]);
    const [closed, kinds] = await closings([close, adView]);
    expect([closed, kinds]).toEqual([1, ["open", "close", "impression", "afterwards"]]);
  });

  test("is closed as often as the commands say", async () => {
    expect(await closings([close, adView, close])).toMatchObject([2, { length: 5 }]);
    const twice: Command = { kind: "together", commands: [{ kind: "close" }, { kind: "close" }] };
    expect(await closings([twice])).toMatchObject([3, ["open", "together", "close", "afterwards"]]);
  });

  test("without a way to close it, the command is skipped", async () => {
    const { steps } = await runSession(() => ({ impression: () => undefined }), [close, adView]);
    const why = "the driver has no close";
    expect(steps[1]?.outcome).toEqual({ kind: "skipped", why });
    expect(steps.map(({ command }) => command.kind)).toHaveLength(4);
  });

  test("is shown as one step among the others if it breaks a rule", async () => {
    const rule = queueRules.find(({ id }) => id === "silent-after-close");
    if (rule === undefined) throw new Error("There is no such rule.");
    const driver = patientClient({ queues: true, reopens: true });
    const failed = await tryRule(rule, driver, { runs: 50 });
    if (failed.kind !== "broken") throw new Error(failed.kind);
    const contract = readContract(queueRules, { driver, describe, it: test, failures: false });
    const { message } = await failureOf(rule, failed, contract);
    const closing = failed.commands.findIndex(({ kind }) => kind === "close") + 1;
    expect(closing).toBeGreaterThan(0);
    expect(message).toContain(`  ${closing}. the client is closed\n`);
    expect(message).toMatch(
      /\n {2}- an hour passes after that|\n {2}\d\. (?:flush|the client is closed)\n {5}\+.*POST/,
    );
  });
});

/** A client that delivers in the background, with some methods replaced. */
function changed(
  wrap: (driver: Driver) => Partial<Driver>,
  habits: Habits = { queues: true, isEager: true },
): CreateDriver {
  return async (context) => {
    const driver = (await patientClient(habits)(context)) as Driver;
    return { ...driver, ...wrap(driver) };
  };
}

/** Calls after the first one don't wait for it. */
const closesAtOnce = changed(({ close }) => {
  let isClosing = false;
  return {
    close() {
      if (isClosing) return;
      isClosing = true;
      return close?.();
    },
  };
});

/** Of the calls that wait, only the latest is told when the work is done. */
function oneIsTold(name: "flush" | "close"): CreateDriver {
  return changed((driver) => {
    let tell: (() => void) | undefined;
    return {
      [name]: () =>
        new Promise<void>((resolve) => {
          tell = resolve;
          void Promise.resolve(driver[name]?.()).then(() => tell?.());
        }),
    };
  });
}

/** Any call after the first one is refused. */
const refusesASecondClose = changed(({ close }) => {
  let isClosing = false;
  return {
    async close() {
      if (isClosing) throw new Error("The client was closed before.");
      isClosing = true;
      return (await close?.()) ?? undefined;
    },
  };
});

/** The counts are given once. Later calls wait, and resolve with nothing. */
const countsOnce = changed(
  ({ close }) => {
    let closing: ReturnType<NonNullable<Driver["close"]>>;
    return {
      async close() {
        const isFirst = closing === undefined;
        closing ??= close?.();
        const undelivered = (await closing) ?? undefined;
        return isFirst ? undelivered : undefined;
      },
    };
  },
  { queues: true, repeats: 0 },
);

describe("of several calls at once", () => {
  const triedOn = async (id: string, driver: CreateDriver) => {
    const rule = queueRules.find((one) => one.id === id);
    if (rule === undefined) throw new Error(`There is no rule ${id}.`);
    return await tryRule(rule, driver, { runs: 50 });
  };

  test.each([
    [
      "silent-after-close",
      "no close succeeds before the queue is empty",
      closesAtOnce,
      /^A call to close the client succeeded at \+0 ms\. The client sent POST \/v1\/impression after that, at \+.*\.$/,
    ],
    [
      "flush-delivers",
      "each flush ends",
      oneIsTold("flush"),
      /^The client's flush never ends: .*\.$/,
    ],
    ["close-ends", "each close ends", oneIsTold("close"), /^The client's close never ends: .*\.$/],
  ])("%s: %s", async (id, _, driver, message) => {
    const tried = await triedOn(id, driver);
    if (tried.kind !== "broken") throw new Error(tried.kind);
    expect(tried.broken.message).toMatch(message);
    expect(tried.commands).toHaveLength(3);
  });

  test.each([
    ["the second close is refused", refusesASecondClose],
    ["only the first close has the counts", countsOnce],
    ["each close delivers what waits", changed(() => ({}))],
  ])("a client is correct if %s", async (_, driver) => {
    for (const id of ["silent-after-close", "flush-delivers", "close-ends", "close-loses-nothing"])
      expect(await triedOn(id, driver)).toMatchObject({ kind: "held" });
  });
});
