/** A defect that breaks many rules is described once; the other failures name the rule where that is. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { registerRules } from "../../../src/testing/contract/client-contract.ts";
import type { ClientContractOptions } from "../../../src/testing/contract/contract-options.ts";
import { ContractError } from "../../../src/testing/contract/failure.ts";
import type { ContractReport } from "../../../src/testing/contract/report.ts";
import { rules } from "../../../src/testing/contract/rules.ts";
import type { CreateDriver } from "../../../src/testing.ts";
import { someOf } from "../../budget.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { type Habits, patientClient } from "./patient-client.ts";
import { plainClient } from "./plain-client.ts";

interface Ran {
  /** In order. */
  readonly errors: readonly ContractError[];
  readonly report: ContractReport | undefined;
}

async function run(
  driver: CreateDriver<never>,
  options: Partial<ClientContractOptions<never>> = {},
): Promise<Ran> {
  const tests: (() => Promise<void>)[] = [];
  let report: ContractReport | undefined;
  const it = (_: string, body: () => Promise<void>): unknown => tests.push(body);
  registerRules(rules, {
    driver,
    describe: (_, define) => define(),
    it: Object.assign(it, { skip: () => undefined }),
    runs: 20,
    failures: false,
    onReport(made) {
      report = made;
    },
    ...options,
  });
  const errors: ContractError[] = [];
  for (const body of tests) {
    // Runners without skip() warn about rules that weren't tried.
    const error = await Reflect.apply(body, undefined, [{ skip: () => undefined }]).catch(
      (thrown: unknown) => thrown,
    );
    if (error instanceof ContractError) errors.push(error);
  }
  return { errors, report };
}

const patient = (habits: Habits): CreateDriver<never> => patientClient(habits) as never;
const plain = (defect: Parameters<typeof plainClient>[0]): CreateDriver<never> =>
  plainClient(defect) as never;
const requestsIn = ({ message }: ContractError): number => message.match(/→ /g)?.length ?? 0;

describe("a client with one defect that breaks many rules", () => {
  test("gets the requests once, and then short failures that name that rule", async () => {
    const folder = temporaryFolder();
    const drops = patient({ queues: true, flushesOnClose: false, report: () => undefined });
    const { errors, report } = await run(drops, { failures: folder, command: "npm run contract" });
    const whole = errors.filter(({ sameCauseAs }) => sameCauseAs === undefined);
    const short = errors.filter(({ sameCauseAs }) => sameCauseAs !== undefined);
    expect(errors.length).toBeGreaterThan(10);
    expect(whole.length).toBeLessThanOrEqual(errors.length / 3);
    expect(whole[0]).toBe(errors[0]);
    for (const one of whole) expect(one.message).toContain("The shortest sequence found that");
    for (const { message, replay, rule, file, sameCauseAs, stack } of short) {
      const { says = "", source = "", verdict } = report?.rules.find(({ id }) => id === rule) ?? {};
      expect(verdict).toMatchObject({ kind: "broken", replay, file, sameCauseAs });
      expect(whole.map((one) => one.rule)).toContain(sameCauseAs);
      const why = verdict?.kind === "broken" ? verdict.why : "";
      const which = message.includes("breaks this rule, too.")
        ? `The shortest sequence that breaks ${sameCauseAs} breaks this rule, too.`
        : `The shortest sequence that breaks this rule breaks ${sameCauseAs}, too.`;
      expect(message.split("\n")).toEqual([
        `The client broke ${rule}: ${says} (${source})`,
        "",
        `  ${why}`,
        "",
        `Probably the same defect as in ${sameCauseAs}: see there. ${which}`,
        "",
        `See it again:  ADSIM_REPLAY="${replay}" npm run contract`,
        `As a scenario: npx adsim play ${file}`,
        `In a browser:  ${file?.replace(/json$/, "html")}`,
      ]);
      expect(stack).toContain("same-cause.test.ts");
      expect(readFileSync(file ?? "", "utf8")).toContain(`broke the rule ${rule}`);
    }
    // A short failure's own line shows everything.
    const [one] = short;
    const { errors: replayed } = await run(drops, { replay: one?.replay });
    expect(replayed.map(({ rule }) => rule)).toEqual([one?.rule]);
    expect(replayed[0]?.message).toContain("The shortest sequence found that");
    expect(replayed[0]?.sameCauseAs).toBeUndefined();
  });

  test("gets the whole failure of a rule if `only` leaves out the rule that broke before", async () => {
    const hint = patient({ hint: () => undefined });
    const only = ["waits-as-told", "waits-until-date"];
    const both = await run(hint, { only });
    expect(both.errors.map(({ sameCauseAs }) => sameCauseAs)).toEqual([undefined, only[0]]);
    const alone = await run(hint, { only: only.slice(1) });
    expect(alone.errors.map(({ sameCauseAs }) => sameCauseAs)).toEqual([undefined]);
    expect(requestsIn(alone.errors[0] as ContractError)).toBeGreaterThan(0);
  });

  test("gets the whole failure again if the runner tries a test again", async () => {
    const tests: (() => Promise<void>)[] = [];
    registerRules(rules, {
      driver: patient({ session: (session, attempt) => `${session}-${attempt}` }),
      describe: (_, define) => define(),
      it: Object.assign((_: string, body: () => Promise<void>) => tests.push(body), {
        skip: () => undefined,
      }),
      only: ["no-event-doubled"],
      failures: false,
    });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(tests[0]?.()).rejects.toMatchObject({ sameCauseAs: undefined });
    }
  });
});

const others = [
  ["drops the clicks of statistics", "stats-as-answered"],
  ["sends the publisher twice", "parameters"],
  ["cuts ids after 24 characters", "opaque-ids"],
] as const;

test.each(someOf(others))(
  "a client with other defects besides gets each of them whole: %s",
  async (defect, rule) => {
    // This client never retries, whatever else is wrong with it.
    const only = [rule, "lost-request-not-lost"];
    const { errors } = await run(plain(defect), { only });
    expect(errors.map((error) => [error.rule, error.sameCauseAs])).toEqual(
      only.map((id) => [id, undefined]),
    );
  },
);
