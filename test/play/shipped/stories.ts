/** The scenarios that come with adsim, and one of them with fewer of its many millions of requests. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "../../../src/scenario.ts";

const folder = join(import.meta.dirname, "../../../scenarios");

/** The stories; those of the specification have tests of their own. */
export const storyNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && file !== "words.ts")
  .map((file) => file.slice(0, -".ts".length))
  .sort();

export async function storyNamed(name: string): Promise<Scenario> {
  const module: unknown = await import(join(folder, `${name}.ts`));
  return (module as { readonly scenario: Scenario }).scenario;
}

/** The story with other texts in it. @throws Error where one isn't in it. */
export function replaced(
  scenario: Scenario,
  texts: readonly (readonly [many: string, few: string])[],
): Scenario {
  let text = JSON.stringify(scenario);
  for (const [many, few] of texts) {
    if (!text.includes(many)) throw new Error(`${scenario.name} has no ${many} any more.`);
    text = text.replaceAll(many, few);
  }
  return JSON.parse(text) as Scenario;
}

/** For tests that play everything several times. */
export async function shortStory(name: string): Promise<Scenario> {
  const story = await storyNamed(name);
  return name === "busy-day" ? replaced(story, [["11520000", "1152"]]) : story;
}
