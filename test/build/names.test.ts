/** The package holds a part of faker. This compares the people that it draws with those that all of faker draws. */

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { bundleNames } from "../../build/names.ts";
import { fakerPerson } from "../../src/world/publishers/people.ts";
import { FIRST_SIGN_UP_ORDINAL } from "../../src/world/publishers/population.ts";
import { type Profile, profiles } from "../../src/world/publishers/profiles.ts";

test("the package draws the same people from its part of faker", async () => {
  const { resolve } = createRequire(import.meta.url);
  const bundle = (await bundleNames()).replace(/"(seedrandom\/[^"]+)"/, (_, name) =>
    JSON.stringify(pathToFileURL(resolve(name))),
  );
  const packaged = await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(bundle)}`
  );
  const ordinals = Array.from({ length: 2000 }, (_, index) => [
    index,
    FIRST_SIGN_UP_ORDINAL + index,
  ]).flat();
  for (const profile of Object.keys(profiles) as Profile[]) {
    const peopleOf = (draw: typeof fakerPerson) =>
      ordinals.map((ordinal) => draw("adsim", profile, ordinal));
    expect(peopleOf(packaged.fakerPerson)).toEqual(peopleOf(fakerPerson));
  }
  expect(bundle.length).toBeLessThan(50_000);
});
