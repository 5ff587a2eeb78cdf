/** What the contract makes of a driver's members: of those that are missing, misspelt, or of another kind. */

import { describe, expect, test } from "vitest";
import { rules } from "../../../src/testing/contract/rules.ts";
import { type CreateDriver, type Driver, runSession, tryRule } from "../../../src/testing.ts";
import { patientClient } from "./patient-client.ts";

const impression = async (): Promise<object> => ({});

async function errorOf(members: object): Promise<unknown> {
  const { steps } = await runSession(() => ({ impression, ...members }) as Driver, []);
  const outcome = steps[0]?.outcome;
  return outcome?.kind === "failed" ? String(outcome.error) : outcome?.kind;
}

describe("a driver", () => {
  test.each<[object, string]>([
    [{ stale: 5 }, 'driver.stale is not known here. Did you mean "staleMs"?'],
    [{ staleMS: 5 }, 'driver.staleMS is not known here. Did you mean "staleMs"?'],
    [{ maxattempts: 5 }, 'driver.maxattempts is not known here. Did you mean "maxAttempts"?'],
    [{ inorder: true }, 'driver.inorder is not known here. Did you mean "inOrder"?'],
    [{ within: 5 }, 'driver.within is not known here. Did you mean "withinMs"?'],
    [{ fluhs: () => {} }, 'driver.fluhs is not known here. Did you mean "flush"?'],
    [{ surface: () => ({}) }, 'driver.surface is not known here. Did you mean "surfaces"?'],
  ])("may not have the member of %j", async (members, message) => {
    expect(await errorOf(members)).toContain(message);
  });

  test("of a class may not have a misspelt method", async () => {
    class Mine {
      impression(): object {
        return {};
      }
      flushs(): void {}
    }
    const { steps } = await runSession(() => new Mine(), []);
    expect(String(Reflect.get(steps[0]?.outcome ?? {}, "error"))).toContain(
      'driver.flushs is not known here. Did you mean "flush"?',
    );
  });

  test.each<[string, object]>([
    ["other members", { client: {}, queue: [], retries: 3, reset: () => {}, max: 2 }],
    ["a list of its clicks, and whether it is closed", { clicks: [], closed: false, state: "new" }],
    ["a method that resembles one that it has", { click: impression, clicks: () => [] }],
    ["a number that resembles a promise that it gives", { maxAttempts: 3, maxAttempt: 2 }],
  ])("may have %s", async (_, members) => {
    expect(await errorOf(members)).toBe("done");
  });
});

const ruleOf = (id: string) => {
  const rule = rules.find((one) => one.id === id);
  if (rule === undefined) throw new Error(`There is no rule ${id}.`);
  return rule;
};

test("a rule is skipped for a driver without what it needs", async () => {
  const tried = await tryRule(ruleOf("flush-delivers"), patientClient());
  expect(tried).toEqual({ kind: "skipped", why: "the driver has no flush" });
  const inOrder = await tryRule(ruleOf("recorded-in-order"), patientClient({ queues: true }));
  expect(inOrder).toMatchObject({ kind: "skipped", why: "the driver has no inOrder" });
});

describe("a rule that never comes up", () => {
  const once = patientClient({ repeats: 0, hint: () => undefined, promises: { maxAttempts: 1 } });
  const queueing = patientClient({ queues: true });

  test.each(["repeat-is-the-same", "pauses-grow", "slows-down-untold"])(
    "is skipped if the driver promises one attempt: %s",
    async (id) => {
      const why = "the driver promises `maxAttempts: 1`, and its client sent nothing again";
      expect(await tryRule(ruleOf(id), once)).toEqual({ kind: "skipped", why });
    },
  );

  test("is tried all the same, whatever the driver promises", async () => {
    const promises = { maxAttempts: 1 };
    const repeating = patientClient({ promises });
    expect(await tryRule(ruleOf("pauses-grow"), repeating)).toMatchObject({ kind: "held" });
    const atOnce = patientClient({ promises, pauseMs: () => 0 });
    expect(await tryRule(ruleOf("pauses-grow"), atOnce)).toMatchObject({ kind: "broken" });
  });

  test("stays unknown without a promise, and in a replay", async () => {
    const undeclared = patientClient({ repeats: 0, hint: () => undefined });
    const rule = ruleOf("repeat-is-the-same");
    expect(await tryRule(rule, undeclared)).toMatchObject({ kind: "unknown" });
    expect(await tryRule(rule, once, { path: "0" })).toMatchObject({ kind: "unknown" });
  });

  /** Resolves with nothing. */
  const silent =
    (client: typeof queueing): CreateDriver =>
    async (context) => {
      const driver = (await client(context)) as Driver;
      const receipts = new Map<object, unknown>();
      return {
        ...driver,
        async impression(shown) {
          const ticket = {};
          receipts.set(ticket, await driver.impression(shown));
          return ticket;
        },
        async click(ticket) {
          await driver.click?.(receipts.get(ticket as object));
        },
      };
    };

  test("is skipped for a queue that resolves without an answer", async () => {
    const rule = ruleOf("answer-as-given");
    const why =
      "the driver has flush(), and its impression() never resolved with the service's answer";
    expect(await tryRule(rule, silent(queueing))).toEqual({ kind: "skipped", why });
    expect(await tryRule(rule, silent(patientClient()))).toMatchObject({ kind: "unknown" });
  });
});

describe("the counts of undelivered events", () => {
  /** A correct client, whose flush or close resolves with something else. */
  const giving =
    (name: "flush" | "close", value: unknown): CreateDriver =>
    async (context) => {
      const driver = (await patientClient({ queues: true })(context)) as Driver;
      const give = async (): Promise<never> => {
        await driver[name]?.();
        return value as never;
      };
      return { ...driver, [name]: give };
    };

  test.each<["flush" | "close", unknown, string]>([
    ["flush", { impressions: "x" }, "The client's flush resolved with impressions: x."],
    ["flush", { impressions: 0, clicks: -1 }, "The client's flush resolved with clicks: -1."],
    ["close", { impressions: Number.NaN }, "The client's close resolved with impressions: NaN."],
    ["close", { clicks: [] }, "The client's close resolved with clicks: []."],
    ["close", { clicks: null }, "The client's close resolved with clicks: null."],
    ["close", { impressions: 0.5 }, "The client's close resolved with impressions: 0.5."],
  ])("of a %s may not be %j", async (name, value, message) => {
    const tried = await tryRule(ruleOf("close-loses-nothing"), giving(name, value), { runs: 50 });
    if (tried.kind !== "broken") throw new Error(tried.kind);
    expect(tried.broken.message).toContain(message);
  });

  test.each<["flush" | "close", unknown]>([
    ["flush", { impressions: 0 }],
    ["close", { sent: "all" }],
    ["close", 5],
    ["flush", { impressions: undefined, clicks: 0 }],
  ])("of a %s may be missing: %j", async (name, value) => {
    const tried = await tryRule(ruleOf("flush-delivers"), giving(name, value));
    expect(tried.kind).toBe("held");
  });
});
