/** Random commands of a session: all kinds, and shrunk to few. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/index.ts";
import { arbitraryCommands, runSession } from "../../../src/testing.ts";
import { createPlainDriver } from "../plain-driver.ts";

describe("arbitraryCommands", () => {
  test("gives all kinds but close, impressions most often, in sequences of every length", () => {
    const sequences = fc.sample(arbitraryCommands(), { seed: 1, numRuns: 500 });
    const all = sequences.flat();
    expect([...new Set(all.map(({ kind }) => kind))].sort()).toEqual(
      "advance again click fault flush heal impression payouts spend stats surfaces together".split(
        " ",
      ),
    );
    const views = all.filter(({ kind }) => kind === "impression").length;
    expect(views / all.length).toBeGreaterThan(0.25);
    expect(new Set(sequences.map(({ length }) => length)).size).toBe(12);
  });

  test("gives only the kinds that are asked for, also in commands at once", () => {
    const kinds = ["click", "together"] as const;
    const some = fc.sample(arbitraryCommands({ kinds }), { seed: 1, numRuns: 100 }).flat();
    const inside = some.flatMap((one): readonly { kind: string }[] =>
      one.kind === "together" ? one.commands : [one],
    );
    expect(new Set(inside.map(({ kind }) => kind))).toEqual(new Set(["click"]));
  });

  test("shrinks to few commands, even if a session is judged only at its end", async () => {
    const commands = arbitraryCommands({
      kinds: ["impression", "click", "advance", "heal"],
      maxLength: 20,
    });
    for (const seed of [1, 2, 3]) {
      const property = fc.asyncProperty(commands, async (sequence) => {
        const { requests } = await runSession(createPlainDriver, sequence);
        return requests.filter(({ operation }) => operation === "click").length < 2;
      });
      const { counterexample } = await fc.check(property, { seed, numRuns: 200 });
      expect(counterexample?.[0].length).toBeLessThanOrEqual(5);
    }
  });
});

test.each<[object, string]>([
  [{ kinds: ["clik"] }, "kinds.0 must be one of impression, click"],
  [{ kinds: [] }, "kinds must be a list of at least one"],
  [{ kinds: "click" }, "kinds must be a list of at least one"],
  [{ kinds: ["together", "advance"] }, "kinds must have another command to the client"],
  [{ weights: { click: 3 } }, "weights is not an option."],
])("options are refused by name: %j", (options, message) => {
  expect(() => arbitraryCommands(options)).toThrow(InputError);
  expect(() => arbitraryCommands(options)).toThrow(message);
});
