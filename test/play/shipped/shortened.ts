/** The scenarios of many millions of requests with fewer of them, for tests that play everything several times. */

import type { Scenario } from "../../../src/scenario.ts";

/** By scenario: numbers that are written in it, in rates and expectations alike, and what takes their place. */
const fewer: Readonly<Record<string, readonly (readonly [many: string, few: string])[]>> = {
  "busy-day": [["11520000", "11520"]],
  "tiny-amounts": [["10000000", "10000"]],
};

/** The scenario itself, or with a fraction of its requests. @throws Error where a number isn't written in it. */
export function shortened(scenario: Scenario): Scenario {
  let text = JSON.stringify(scenario);
  for (const [many, few] of fewer[scenario.name] ?? []) {
    if (!text.includes(many)) throw new Error(`${scenario.name} has no ${many} any more.`);
    text = text.replaceAll(many, few);
  }
  return JSON.parse(text) as Scenario;
}
