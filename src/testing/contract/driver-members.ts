/** What a driver has and promises, and which rules that leaves out. */

import { formatList } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import { type CreateDriver, type Driver, driverMethods } from "../driver/driver.ts";
import { promiseNames } from "../driver/promises.ts";
import type { TestWorldOptions } from "../driver/test-world.ts";
import { beginSession } from "../session/run-session.ts";
import { outcomeInWords } from "../session/words.ts";
import type { Rule } from "./rules/rule.ts";

/** The names of a driver's methods, and of what it promises. */
export type DriverMembers = ReadonlySet<string>;

/** @throws Error if the driver can't be made in a world without faults. */
export async function membersOf<Impression>(
  create: CreateDriver<Impression>,
  world: TestWorldOptions,
): Promise<DriverMembers> {
  let made: Driver<Impression> | undefined;
  const session = await beginSession(async (context) => {
    made = await create(context);
    return made;
  }, world);
  const { steps } = await session.end();
  const outcome = steps[0]?.outcome ?? { kind: "stuck" };
  if (outcome.kind !== "done") {
    const cause = outcome.kind === "failed" ? outcome.error : undefined;
    if (cause instanceof InputError) throw cause;
    const how = outcomeInWords(outcome).replace(/\.$/, "");
    throw new Error(`Can't make the driver: ${how}.`, { cause });
  }
  const of: object = Object(made);
  return new Set([
    ...driverMethods.filter((name) => typeof Reflect.get(of, name) === "function"),
    // 0 is a promise, too.
    ...promiseNames.filter((name) => ![undefined, false].includes(Reflect.get(of, name))),
  ]);
}

/** Why the rule can't be tried on a driver with these members; undefined if it can. */
export function unmetNeeds(
  { needs = [] }: Pick<Rule, "needs">,
  members: DriverMembers,
): string | undefined {
  const missing = needs.filter((name) => !members.has(name));
  return missing.length === 0 ? undefined : `the driver has no ${formatList(missing, "and no")}`;
}
