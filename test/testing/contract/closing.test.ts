/** A client that a command closes before its session ends. */

import { describe, expect, test } from "vitest";
import { readContract } from "../../../src/testing/contract/contract-options.ts";
import { failureOf } from "../../../src/testing/contract/failure.ts";
import { queueRules } from "../../../src/testing/contract/rules/queue-rules.ts";
import { type Command, runSession, tryRule } from "../../../src/testing.ts";
import { patientClient } from "./patient-client.ts";

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
    const { message } = await failureOf(rule, failed, contract, undefined, "");
    const closing = failed.commands.findIndex(({ kind }) => kind === "close") + 1;
    expect(closing).toBeGreaterThan(0);
    expect(message).toContain(`  ${closing}. the client is closed\n`);
    expect(message).toMatch(/\n {2}- an hour passes after that|\n {2}\d\. flush\n {5}\+.*POST/);
  });
});
