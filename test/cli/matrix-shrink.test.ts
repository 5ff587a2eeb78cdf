/** How a matrix finds the smallest failing sets. Here CMD is a function. */

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ChoiceOverrides,
  compareSets,
  distinct,
  isWithin,
  nameOf,
  without,
} from "../../src/choices/matrix-plan.ts";
import { type Shrunk, shrink } from "../../src/cli/matrix/shrink.ts";
import { type Assumption, catalogue } from "../../src/spec/assumptions/catalogue.ts";

/** One override of each of some keys. */
const overrides: ChoiceOverrides = Object.entries<Assumption>(catalogue)
  .flatMap(([key, point]) => {
    const other = Object.keys(point.choices).find((choice) => choice !== point.default);
    return other === undefined ? [] : [`${key}=${other}`];
  })
  .slice(0, 16);

type Client = (set: ChoiceOverrides) => boolean;

/** Shrinks as a matrix does, over the rows that this client fails. */
async function shrinkFor(
  client: Client,
  rows: readonly ChoiceOverrides[],
): Promise<Shrunk & { readonly questions: number }> {
  const remembered = new Map<string, boolean>();
  let questions = 0;
  const failsAgain = async (set: ChoiceOverrides): Promise<boolean> => {
    questions += 1;
    const answer = client(set);
    remembered.set(nameOf(set), answer);
    return answer;
  };
  const fails = async (set: ChoiceOverrides): Promise<boolean> =>
    remembered.get(nameOf(set)) ?? failsAgain(set);
  const answers = await Promise.all(distinct(rows).map(fails));
  const failing = distinct(rows).filter((_, index) => answers[index]);
  const found: Shrunk = { minimal: [], unstable: [], isComplete: false };
  await shrink(failing, { fails, failsAgain }, found);
  found.minimal.sort(compareSets);
  return { ...found, questions };
}

/** Fails if the overrides contain all of one of these sets. */
const relyingOn =
  (...sets: readonly ChoiceOverrides[]): Client =>
  (asked) =>
    sets.some((set) => isWithin(set, asked));

test("every minimal set that a failing row contains is found, and nothing else", async () => {
  const subset = (maxLength: number): fc.Arbitrary<ChoiceOverrides> =>
    fc.subarray([...overrides], { minLength: 1, maxLength });
  await fc.assert(
    fc.asyncProperty(
      fc.array(subset(3), { minLength: 1, maxLength: 4 }),
      fc.array(subset(overrides.length), { minLength: 1, maxLength: 8 }),
      async (sets, rows) => {
        const { minimal, unstable, isComplete } = await shrinkFor(relyingOn(...sets), rows);
        const expected = distinct(sets)
          .filter((set) => rows.some((row) => isWithin(set, row)))
          .filter((set) => !sets.some((one) => one.length < set.length && isWithin(one, set)))
          .sort(compareSets);
        expect(minimal).toEqual(expected);
        expect([unstable, isComplete]).toEqual([[], true]);
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

test("a set is found even if a further override makes CMD pass again", async () => {
  const [guilty = "", saving = "", idle = ""] = overrides;
  const fails: Client = (set) => set.includes(guilty) && !set.includes(saving);
  const rows = [[guilty, saving], [guilty, idle], [saving]];
  expect((await shrinkFor(fails, rows)).minimal).toEqual([[guilty]]);
});

test("CMD runs far less often than there are subsets", async () => {
  const rows = [overrides, ...overrides.map((one) => without(overrides, [one]))];
  const [first = "", , , , , , , last = ""] = overrides;
  const { minimal, questions } = await shrinkFor(relyingOn([first, last]), rows);
  expect(minimal).toEqual([[first, last]]);
  expect(questions).toBeLessThan(60);
});

test("a client that contradicts itself once is unstable, and its real reliance is still found", async () => {
  const [real = "", spurious = "", idle = ""] = overrides;
  let fails = 1;
  const client: Client = (set) => {
    if (set.includes(real)) return true;
    if (!set.includes(spurious) || fails === 0) return false;
    fails -= 1;
    return true;
  };
  const found = await shrinkFor(client, [[spurious, idle], [real, idle], [idle]]);
  expect(found).toMatchObject({ minimal: [[real]], unstable: [[spurious, idle]] });
});

test("a client that always contradicts itself isn't run for ever", async () => {
  let asked = 0;
  const client: Client = () => {
    asked += 1;
    return asked % 2 === 1;
  };
  const rows = overrides.flatMap((one, index) =>
    overrides.slice(index + 1).map((two) => [one, two]),
  );
  const { unstable, isComplete, questions } = await shrinkFor(client, rows);
  expect(unstable.length).toBeGreaterThan(0);
  expect(isComplete).toBe(false);
  expect(questions).toBeLessThan(1000);
});
