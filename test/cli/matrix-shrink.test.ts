/** How a matrix finds the smallest failing sets. Here CMD is a function. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ChoiceOverrides,
  compareSets,
  distinct,
  isWithin,
  nameOf,
  without,
} from "../../src/choices/choice-overrides.ts";
import { type ShrinkState, shrink, type Trials } from "../../src/cli/matrix/shrink.ts";
import { type Assumption, catalogue } from "../../src/spec/assumptions/catalogue.ts";

/** One override of each of some keys. */
const overrides: ChoiceOverrides = Object.entries<Assumption>(catalogue)
  .flatMap(([key, point]) => {
    const other = Object.keys(point.choices).find((choice) => choice !== point.default);
    return other === undefined ? [] : [`${key}=${other}`];
  })
  .slice(0, 16);

interface Client {
  fails(set: ChoiceOverrides): boolean;
}

interface Asked extends ShrinkState {
  readonly questions: number;
}

/** Shrinks as a matrix does, over the rows that this client fails and passes. */
async function shrinkFor(
  client: Client,
  rows: readonly ChoiceOverrides[],
  delay: () => Promise<void> = async () => undefined,
): Promise<Asked> {
  const remembered = new Map<string, boolean>();
  let questions = 0;
  const ask = async (set: ChoiceOverrides): Promise<boolean> => {
    questions += 1;
    await delay();
    const answer = client.fails(set);
    remembered.set(nameOf(set), answer);
    return answer;
  };
  const trials: Trials = {
    fails: async (set) => remembered.get(nameOf(set)) ?? ask(set),
    failsAgain: ask,
  };
  const sensible = distinct(rows);
  const answers = await Promise.all(sensible.map(ask));
  const found: ShrinkState = { minimal: [], unstable: [], isComplete: false };
  await shrink(
    {
      failing: sensible.filter((_, index) => answers[index]),
      passing: sensible.filter((_, index) => !answers[index]),
      trials,
      width: 3,
    },
    found,
  );
  found.minimal.sort(compareSets);
  return { ...found, questions };
}

/** Fails if the overrides contain all of one of these sets. */
function relyingOn(...sets: readonly ChoiceOverrides[]): Client {
  return { fails: (asked) => sets.some((set) => isWithin(set, asked)) };
}

const subset = (
  from: ChoiceOverrides,
  minimum: number,
  maximum: number,
): fc.Arbitrary<ChoiceOverrides> =>
  fc.subarray([...from], { minLength: minimum, maxLength: maximum });

describe("shrinking", () => {
  test("finds every minimal set that a failing row contains, and nothing else, in any order of answers", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(subset(overrides, 1, 3), { minLength: 1, maxLength: 4 }),
        fc.array(subset(overrides, 1, overrides.length), { minLength: 1, maxLength: 8 }),
        fc.infiniteStream(fc.nat({ max: 3 })),
        async (sets, rows, delays) => {
          const turns = async (): Promise<void> => {
            const { value = 0 } = delays.next();
            for (let turn = 0; turn < value; turn += 1) await Promise.resolve();
          };
          const { minimal, unstable, isComplete } = await shrinkFor(
            relyingOn(...sets),
            rows,
            turns,
          );
          const expected = distinct(sets)
            .filter((set) => rows.some((row) => isWithin(set, row)))
            .filter((set) => !sets.some((one) => one.length < set.length && isWithin(one, set)))
            .sort(compareSets);
          expect(minimal).toEqual(expected);
          expect(unstable).toEqual([]);
          expect(isComplete).toBe(true);
        },
      ),
      { seed: 1, numRuns: 300 },
    );
  });

  test("finds a 1-minimal set even if a further override makes CMD pass again", async () => {
    const [guilty = "", saving = "", idle = ""] = overrides;
    const fails = (set: ChoiceOverrides): boolean => set.includes(guilty) && !set.includes(saving);
    const rows = [[guilty, saving], [guilty, idle], [saving]];
    expect((await shrinkFor({ fails }, rows)).minimal).toEqual([[guilty]]);
  });

  test("runs CMD far less often than there are subsets", async () => {
    const rows = [overrides, ...overrides.map((one) => without(overrides, [one]))];
    const [first = "", , , , , , , last = ""] = overrides;
    const { minimal, questions } = await shrinkFor(relyingOn([first, last]), rows);
    expect(minimal).toEqual([[first, last]]);
    expect(questions).toBeLessThan(120);
  });
});

describe("a client that contradicts itself", () => {
  test("is reported as unstable, and its real reliance is still found", async () => {
    const [real = "", spurious = "", idle = ""] = overrides;
    let fails = 1;
    const client: Client = {
      fails(set) {
        if (set.includes(real)) return true;
        if (!set.includes(spurious) || fails === 0) return false;
        fails -= 1;
        return true;
      },
    };
    const found = await shrinkFor(client, [[spurious, idle], [real, idle], [idle]]);
    expect(found.minimal).toEqual([[real]]);
    expect(found.unstable).toEqual([[spurious, idle]]);
  });

  test("isn't run for ever", async () => {
    let asked = 0;
    const client: Client = {
      fails() {
        asked += 1;
        return asked % 2 === 1;
      },
    };
    const rows = overrides.flatMap((one, index) =>
      overrides.slice(index + 1).map((two) => [one, two]),
    );
    const { unstable, isComplete, questions } = await shrinkFor(client, rows);
    expect(unstable.length).toBeGreaterThan(0);
    expect(isComplete).toBe(false);
    expect(questions).toBeLessThan(1000);
  });
});
