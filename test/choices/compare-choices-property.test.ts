/** What-if compared with real simulators, which were created with the other choice and did the same. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "../../src/base/input.ts";
import { compareChoices } from "../../src/choices/compare-choices.ts";
import { type AssumptionKey, catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../src/spec/assumptions/resolve.ts";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { checkProperty } from "../properties/check-property.ts";
import { anyAssumptions, anyDeeds, anyRequest, playIn, requestFor } from "./same-play.ts";

const name = "every reading's answer is that of a simulator that was created with it";

test(name, { timeout: 600_000 }, () => {
  const property = fc.property(anyAssumptions, anyDeeds, anyRequest, (chosen, deeds, asked) => {
    const settings = { publishers: 3, assumptions: chosen };
    const original = playIn(settings, deeds);
    const { sim } = original;
    const before = JSON.stringify([
      sim.journal.total,
      sim.clock.now(),
      sim.faults.list(),
      sim.usage(),
    ]);
    const request = requestFor(original, asked);
    const { groups, impossible, note } = compareChoices(sim, request);
    expect(note).toBeUndefined();
    expect(
      JSON.stringify([sim.journal.total, sim.clock.now(), sim.faults.list(), sim.usage()]),
    ).toBe(before);

    const found = new Map<string, unknown>();
    for (const { answer, choices } of groups) {
      const { status, headers, body } = answer;
      for (const { key, choice } of choices)
        found.set(`${key}=${choice}`, { status, headers, body });
    }
    // Once it was changed by hand, clients have ids in more than one format.
    const isMixed = impossible.some(({ key }) => key === "ids.format");
    for (const { key, choice } of impossible)
      if (key !== "ids.format") found.set(`${key}=${choice}`, "impossible");
    const inForce = sim.assumptions;
    const expected = new Map<string, unknown>();
    for (const key of Object.keys(catalogue) as AssumptionKey[]) {
      if (key === "ids.format" && isMixed) continue;
      for (const choice of Object.keys(catalogue[key].choices)) {
        if (choice === inForce[key]) continue;
        expected.set(`${key}=${choice}`, realAnswer(key, choice));
      }
    }
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
    const { status, headers, body } = groups[0]?.answer ?? {};
    expect({ status, headers, body }).toEqual(plain(sim.fork().handle(request)));

    function realAnswer(key: AssumptionKey, choice: string): unknown {
      try {
        const assumptions = resolveAssumptions({ ...chosen, [key]: choice });
        const other = playIn({ ...settings, assumptions }, deeds, original, key);
        return plain(other.sim.handle(requestFor(other, asked, original)));
      } catch (error) {
        if (error instanceof InputError) return "impossible";
        throw error;
      }
    }
  });
  checkProperty(
    {
      test: name,
      file: "test/choices/compare-choices-property.test.ts",
      runs: 80,
    },
    property,
  );
});

function plain({ status, headers, body }: ApiResponse): unknown {
  return { status, headers, body };
}
