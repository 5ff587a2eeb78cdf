/** Random commands of a session: all kinds, near the edges, shrunk to the necessary ones; and in fast-check's model runs. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/index.ts";
import {
  arbitraryCommands,
  type Command,
  type CommandKind,
  type CreateDriver,
  commandWeights,
  driverCommands,
  runSession,
  type Session,
  withDriver,
} from "../../../src/testing.ts";
import { createMarks } from "../../marks.ts";
import { createPlainDriver } from "../plain-driver.ts";

const allKinds = Object.keys(commandWeights) as CommandKind[];

/** The kinds of requests that the service saw. */
function operationsIn({ exchanges }: Session): (string | undefined)[] {
  return exchanges.map(({ operation }) => operation);
}

const clicks = (session: Session): number =>
  operationsIn(session).filter((operation) => operation === "click").length;

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

  test("shrinks to the necessary commands, even if a session is judged only at its end", async () => {
    for (const seed of [1, 2, 3]) {
      const property = fc.asyncProperty(
        arbitraryCommands({ maxLength: 20, weights: { spend: 0 } }),
        async (commands) => {
          return clicks(await runSession(createPlainDriver, commands)) < 2;
        },
      );
      const details = await fc.check(property, { seed, numRuns: 200 });
      const [commands = []] = details.counterexample ?? [];
      expect(commands.length).toBeLessThanOrEqual(3);
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
  [{ weights: { clik: 3 } }, "weights.clik is not known here."],
  [{ weights: { click: -1 } }, "weights.click must be a whole number"],
  [
    { kinds: ["click"], weights: { click: 0 } },
    "weights must give at least one kind a weight above 0.",
  ],
  [{ faults: { kinds: ["explode"] } }, "faults.kinds.0 must be one of drop"],
  [{ mostTogether: 1 }, "mostTogether must be a whole number, 2 or more."],
  [{ longestWaitMs: 0 }, "longestWaitMs must be a whole number"],
  [{ start: "yesterday" }, "start must be an instant"],
  [{ minLength: 13 }, "minLength must not be above maxLength."],
])("options are refused by name: %j", (options, message) => {
  expect(() => arbitraryCommands(options)).toThrow(InputError);
  expect(() => arbitraryCommands(options)).toThrow(message);
  if ("minLength" in options) return;
  expect(() => driverCommands(options)).toThrow(message);
});

describe("driverCommands", () => {
  const sizes = { maxCommands: 15, size: "max" } as const;

  test("run in fast-check's model runs, each only if it applies", async () => {
    const marks = createMarks();
    await fc.assert(
      fc.asyncProperty(
        fc.commands(driverCommands({ weights: { spend: 0 } }), sizes),
        async (commands) => {
          const session = await withDriver(createPlainDriver, (run) =>
            fc.asyncModelRun(() => run, commands),
          );
          for (const { command, outcome } of session.steps) {
            marks.sometimes(command.kind);
            // The driver has no such methods.
            expect(["surfaces", "payouts", "flush"] as string[]).not.toContain(command.kind);
            if (command.kind !== "close" && command.kind !== "together") {
              expect(outcome.kind).not.toBe("skipped");
            }
          }
        },
      ),
      { seed: 1, numRuns: 40 },
    );
    marks.expectReached(["impression", "click", "again", "stats", "advance", "fault", "together"]);
  });

  /** A client that sends every second click twice. */
  const doubling: CreateDriver = (context) => {
    const driver = createPlainDriver(context);
    let asked = 0;
    return {
      impression: (shown) => driver.impression(shown),
      async click(impression) {
        asked += 1;
        // What `impression` gave.
        const recorded = impression as { impression_id: string };
        if (asked === 2) await driver.click(recorded);
        return await driver.click(recorded);
      },
    };
  };

  test("shrink a failing step, in the API's words, and replay it by seed, path and replayPath", async () => {
    const seen: string[][] = [];
    const commandsOf = (replayPath?: string) =>
      fc.commands(
        driverCommands({
          kinds: ["impression", "click", "advance", "stats"],
          afterEach({ command, exchanges }) {
            if (command.kind === "click") expect(exchanges).toHaveLength(1);
          },
        }),
        { maxCommands: 20, size: "max", ...(replayPath === undefined ? {} : { replayPath }) },
      );
    const property = (replayPath?: string) =>
      fc.asyncProperty(commandsOf(replayPath), async (commands) => {
        await withDriver(doubling, (run) => fc.asyncModelRun(() => run, commands));
        seen.push(Array.from(commands, String));
      });
    const details = await fc.check(property(), { seed: 7, numRuns: 50 });
    const text = String(details.counterexample);
    expect(text).toMatch(
      /^impression on surface 0,click on impression 0,click on impression 0 \/\*replayPath="/,
    );
    const replayPath = /replayPath="([^"]*)"/.exec(text)?.[1] ?? "";
    const path = details.counterexamplePath ?? "";
    const again = await fc.check(property(replayPath), { seed: 7, path, endOnFailure: true });
    expect(String(again.counterexample)).toBe(text);
    expect(again.numRuns).toBe(1);
  });

  test("end a session when its run fails, so that the next one may replace the globals", async () => {
    const fail = (): Promise<never> => Promise.reject(new Error("as it does"));
    for (let time = 0; time < 2; time += 1) {
      const life = withDriver(createPlainDriver, fail, { globals: "replaced" });
      await expect(life).rejects.toThrow("as it does");
    }
    const { steps } = await withDriver(createPlainDriver, async () => {});
    expect(steps.map(({ command }) => command.kind)).toEqual(["open", "close", "afterwards"]);
  });

  test("are described in words, whatever their kind", () => {
    const kinds = allKinds.map((kind): string => {
      const kindsOfIt: CommandKind[] = kind === "together" ? ["together", "click"] : [kind];
      const weights: Partial<Record<Command["kind"], number>> = { [kind]: 1 };
      const commands = fc.commands(driverCommands({ kinds: kindsOfIt, weights }), {
        size: "max",
        maxCommands: 30,
      });
      const [list = []] = fc.sample(commands, { seed: 1, numRuns: 1 });
      return Array.from(list, String).toSorted((one, other) => other.length - one.length)[0] ?? "";
    });
    const says: Record<CommandKind, RegExp> = {
      impression: /^impression on surface \d( of an ad with (an unusual|a numeric) name)?$/,
      click: /^click on impression \d$/,
      again: /^the same impression once more: number \d$/,
      advance: /^(?:[\d a-z]+ pass|time passes until (?:1 ms (?:before|after) )?[a-z0-9-]+)$/,
      stats: /^stats from \S+ to \S+ of surface \d$/,
      surfaces: /^surfaces$/,
      payouts: /^payouts, limit \d+$/,
      flush: /^flush$/,
      close: /^the client is closed$/,
      spend:
        /^another program with the same key sends until the (?:recording|reporting) limit has \d left$/,
      fault: /^a fault rule is added: \{"match":.*"verdict":/,
      heal: /^all fault rules are removed$/,
      together: /^at once: click on impression \d; click/,
    };
    for (const [at, kind] of allKinds.entries()) expect(kinds[at]).toMatch(says[kind]);
  });
});
