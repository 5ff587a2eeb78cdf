/** What-if compared with real simulators, which were created with the other choice and did the same. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { InputError } from "../../src/base/input.ts";
import { compareChoices } from "../../src/choices/compare-choices.ts";
import { type AssumptionKey, catalogue } from "../../src/spec/assumptions/catalogue.ts";
import type { ApiResponse } from "../../src/spec/messages.ts";
import { checkProperty } from "../properties/check-property.ts";
import {
  anyAssumptions,
  anyDeeds,
  anyRequest,
  asToldIn,
  type Play,
  playAgain,
  playIn,
  sendingOf,
} from "./same-play.ts";

const name = "every choice's answer is that of a simulator that was created with it";
const file = "test/choices/compare-choices-property.test.ts";

test(name, { timeout: 600_000 }, () => {
  const property = fc.property(
    anyAssumptions,
    anyDeeds,
    anyRequest,
    (assumptions, deeds, asked) => {
      const original = playIn({ publishers: 3, assumptions }, deeds);
      const { sim } = original;
      const before = stateOf(original);
      const sending = sendingOf(original, asked);
      const { groups, impossible, note } = compareChoices(sim, sending.request);
      expect(note).toBeUndefined();
      expect(stateOf(original)).toBe(before);

      const found = [
        ...groups.flatMap(({ answer, choices }) =>
          choices.map(({ key, choice }) => [`${key}=${choice}`, plain(answer)]),
        ),
        ...impossible.map(({ key, choice }) => [`${key}=${choice}`, "impossible"]),
      ];
      const expected = (Object.keys(catalogue) as AssumptionKey[]).flatMap((key) =>
        Object.keys(catalogue[key].choices)
          .filter((choice) => choice !== sim.assumptions[key])
          .map((choice) => [`${key}=${choice}`, answerUnder(key, choice)]),
      );
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
      expect(groups[0] && plain(groups[0].answer)).toEqual(
        plain(sim.fork().handle(sending.request)),
      );

      function answerUnder(key: AssumptionKey, choice: string): unknown {
        if (key === "ids.format") return "impossible";
        try {
          const settings = { publishers: 3, assumptions: { ...assumptions, [key]: choice } };
          const other = playAgain(original, settings);
          return plain(other.sim.handle(asToldIn(other, sending, original).request));
        } catch (error) {
          if (error instanceof InputError) return "impossible";
          throw error;
        }
      }
    },
  );
  checkProperty({ test: name, file, runs: 80 }, property);
});

function stateOf({ sim: { journal, clock, faults, usage } }: Play): string {
  return JSON.stringify([journal.total, clock.now(), faults.list(), usage()]);
}

function plain({
  status,
  headers,
  body,
}: Pick<ApiResponse, "status" | "headers" | "body">): unknown {
  return { status, headers, body };
}
