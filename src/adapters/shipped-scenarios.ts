/** The scenarios that come with adsim. `build/bundle.ts` has them as imports. */

import { readdirSync } from "node:fs";
import type { Scenario } from "../play/scenario/types.ts";

const folder = new URL("../../scenarios/", import.meta.url);
/** Beside the scenarios stand the words that some are told with. */
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && file !== "words.ts")
  .map((file) => new URL(file.replaceAll("\\", "/"), folder).href);
const modules: readonly { readonly scenario: Scenario }[] = await Promise.all(
  files.map((file) => import(file)),
);

/** Sorted by name. */
export const shippedScenarios: readonly Scenario[] = modules
  .map(({ scenario }) => scenario)
  .sort((one, other) => (one.name < other.name ? -1 : 1));
