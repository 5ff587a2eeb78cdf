/** The oracle follows every assumption, and a campaign of random commands looks at each of them. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogue } from "../../src/spec/assumptions/catalogue.ts";

const root = join(import.meta.dirname, "../..");
const keys = Object.keys(catalogue);

function textsIn(folder: string, isWanted: (name: string) => boolean): string {
  const names = readdirSync(join(root, folder)).filter(isWanted);
  return names.map((name) => readFileSync(join(root, folder, name), "utf8")).join("\n");
}

test.each(keys)("the oracle follows %s", (key) => {
  const listed = readFileSync(join(root, "test/oracle/choices.ts"), "utf8");
  expect(listed, `test/oracle/choices.ts lacks ${key}`).toContain(`readonly "${key}":`);
  // It takes each surface with its status from the simulator's publishers, and repeats that status.
  if (key === "surface.statuses") return;
  const oracle = textsIn("test/oracle", (name) => name !== "choices.ts");
  expect(oracle.includes(`"${key}"`), `the oracle doesn't follow ${key}`).toBe(true);
});

test("a campaign is about every assumption except http.cors", () => {
  // campaign.test.ts is about all of them, so too little about each.
  const campaigns = textsIn("test/properties", (name) => /^campaign-.+\.test\.ts$/.test(name));
  const lists = Array.from(
    campaigns.matchAll(/^ {4}about: \[([^\]]+)\]/gm),
    ([, list = ""]) => list,
  );
  expect(lists.length).toBeGreaterThan(3);
  const missing = keys.filter((key) => !lists.some((list) => list.includes(`"${key}"`)));
  // The commands have no Origin header; test/exchange/cors.test.ts sends it.
  expect(missing, "add it to `about` of a campaign in test/properties").toEqual(["http.cors"]);
});
