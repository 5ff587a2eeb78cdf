/** Random commands of a session: all kinds, near the edges, and shrunk to few. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/index.ts";
import { type CommandKind, commandWeights } from "../../../src/testing/arbitraries/commands.ts";
import { arbitraryCommands, runSession, type Session } from "../../../src/testing.ts";
import { createMarks } from "../../marks.ts";
import { createPlainDriver } from "../plain-driver.ts";

const allKinds = Object.keys(commandWeights) as CommandKind[];

const clicks = ({ requests }: Session): number =>
  requests.filter(({ operation }) => operation === "click").length;

describe("arbitraryCommands", () => {
  test("gives all kinds that have a weight, some of them at once, roughly by their weights", () => {
    const usualKinds = allKinds.filter((kind) => commandWeights[kind] > 0);
    expect(allKinds.filter((kind) => !usualKinds.includes(kind))).toEqual(["close"]);
    const sequences = fc.sample(arbitraryCommands({ start: "2026-03-01T18:00:00Z" }), {
      seed: 1,
      numRuns: 500,
    });
    const marks = createMarks();
    for (const command of sequences.flat()) {
      for (const kind of usualKinds) marks.sometimes(kind, command.kind === kind);
      if (command.kind === "together") {
        expect(command.commands.length).toBeGreaterThan(1);
        expect(command.commands.length).toBeLessThanOrEqual(4);
      }
      if (command.kind === "stats") {
        expect(`${command.from ?? ""}` <= (command.to ?? "9")).toBe(true);
        expect(command.to === undefined || command.to <= "2026-03-01").toBe(true);
      }
      if (command.kind === "advance") expect(command.byMs).toBeLessThanOrEqual(86_400_001);
    }
    marks.expectReached(usualKinds);
    const share = (kind: CommandKind): number =>
      marks.report().marks.find(({ name }) => name === kind)?.share ?? 0;
    expect(share("impression")).toBeGreaterThan(0.25);
    expect(share("spend")).toBeLessThan(0.05);
    expect(new Set(sequences.map(({ length }) => length)).size).toBe(12);
  });

  test("waits to a millisecond before, at and after each edge, counted from the ad view", () => {
    const marks = createMarks();
    const options = { kinds: ["impression", "advance"] as const, maxLength: 6 };
    for (const sequence of fc.sample(arbitraryCommands(options), { seed: 2, numRuns: 400 })) {
      let nowMs = Date.parse("2026-01-15T00:00:00Z");
      let shownMs = nowMs;
      for (const command of sequence) {
        if (command.kind === "impression") shownMs = nowMs;
        if (command.kind !== "advance") continue;
        nowMs += command.byMs;
        for (const nudge of [-1, 0, 1]) {
          marks.sometimes(`30m ${nudge}`, nowMs - shownMs === 1_800_000 + nudge);
          marks.sometimes(`24h ${nudge}`, nowMs - shownMs === 86_400_000 + nudge);
          marks.sometimes(`minute ${nudge}`, (nowMs - nudge) % 60_000 === 0);
          marks.sometimes(`midnight ${nudge}`, (nowMs - nudge) % 86_400_000 === 0);
          marks.sometimes(`in India ${nudge}`, (nowMs - nudge + 19_800_000) % 86_400_000 === 0);
        }
      }
    }
    marks.expectReached();
  });

  test("shrinks to few commands, even if a session is judged only at its end", async () => {
    for (const seed of [1, 2, 3]) {
      const property = fc.asyncProperty(
        arbitraryCommands({ maxLength: 20, weights: { spend: 0 } }),
        async (commands) => {
          return clicks(await runSession(createPlainDriver, commands)) < 2;
        },
      );
      const details = await fc.check(property, { seed, numRuns: 200 });
      const [commands = []] = details.counterexample ?? [];
      expect(commands.length).toBeLessThanOrEqual(5);
      expect(commands[0]).toEqual({ kind: "impression", surface: 0 });
      const path = details.counterexamplePath ?? "";
      const again = await fc.check(property, { seed, path, numRuns: 1 });
      expect(again.counterexample).toEqual([commands]);
    }
  });

  test("shrinks inside an array to a single impression", () => {
    const property = fc.property(
      fc.array(arbitraryCommands({ maxLength: 1 })),
      (lists) => lists.length < 1,
    );
    expect(fc.check(property, { seed: 1 }).counterexample).toEqual([
      [[{ kind: "impression", surface: 0 }]],
    ]);
  });
});

test.each<[object, string]>([
  [{ kinds: ["clik"] }, "kinds.0 must be one of impression, click"],
  [
    { kinds: ["together", "advance"] },
    "kinds must have another command to the client besides together",
  ],
  [{ weights: { clik: 3 } }, "weights.clik is not an option."],
  [
    { kinds: ["click"], weights: { click: 0 } },
    "weights must give at least one kind a weight above 0.",
  ],
  [{ faults: { kinds: ["explode"] } }, "faults.kinds.0 must be one of drop"],
  [{ start: "yesterday" }, "start must be an instant"],
])("options are refused by name: %j", (options, message) => {
  expect(() => arbitraryCommands(options)).toThrow(InputError);
  expect(() => arbitraryCommands(options)).toThrow(message);
});
