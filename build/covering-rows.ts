/**
 * `tsx build/covering-rows.ts` prints covering arrays for the catalogue as it is now, in the form of
 * `src/choices/covering-array.ts`. Greedy: each row begins with a combination that no row has, and takes for every other key,
 * in some random order, the choice that completes the most missing combinations. The best of some such rows is kept.
 */

import { stdout } from "node:process";
import { deriveKey, drawsFrom } from "../src/base/random.ts";
import { type Assumption, catalogue, choicesOf } from "../src/spec/assumptions/catalogue.ts";

const ORDERS = 50;

/** Every choice of every key has a number. By that, its key. */
const keys: readonly number[] = Object.values<Assumption>(catalogue).flatMap((point, key) =>
  choicesOf(point).map(() => key),
);
const draw = drawsFrom(deriveKey("adsim", "covering rows"));

/** Every sequence of `size` of these choices, each of another key, as one number. */
function* sequences(choices: readonly number[], size: number, before = 0): Generator<number> {
  if (size === 0) yield before;
  else
    for (const one of choices) {
      const others = choices.filter((other) => keys[other] !== keys[one]);
      yield* sequences(others, size - 1, before * keys.length + one);
    }
}

function rowsOf(strength: number): string[] {
  const missing = new Uint8Array(keys.length ** strength);
  for (const one of sequences([...keys.keys()], strength)) missing[one] = 1;

  /** How many combinations the row completes with so many choices more, from this place on. */
  function gain(row: readonly number[], size: number, before: number, from = 0): number {
    if (size === 0) return missing[before] ?? 0;
    let sum = 0;
    for (let at = from; at < row.length; at += 1)
      sum += gain(row, size - 1, before * keys.length + (row[at] ?? 0), at + 1);
    return sum;
  }
  function candidate(first: readonly number[]): { row: number[]; total: number } {
    const row = [...first];
    let total = 0;
    const taken = new Set(first.map((one) => keys[one]));
    const open = [...new Set(keys)].filter((key) => !taken.has(key));
    while (open.length > 0) {
      const [key] = open.splice(draw(open.length), 1);
      const ranked = [...keys.keys()]
        .filter((one) => keys[one] === key)
        .map((one) => ({ one, gain: gain(row, strength - 1, one), chance: draw(1000) }))
        .sort((a, b) => b.gain - a.gain || a.chance - b.chance);
      row.push(ranked[0]?.one ?? 0);
      total += ranked[0]?.gain ?? 0;
    }
    return { row, total };
  }

  const rows: string[] = [];
  for (let at = missing.indexOf(1); at >= 0; at = missing.indexOf(1)) {
    const digit = (_: unknown, place: number): number =>
      Math.floor(at / keys.length ** place) % keys.length;
    const first = Array.from({ length: strength }, digit);
    const { row } = Array.from({ length: ORDERS }, () => candidate(first)).reduce((best, one) =>
      one.total > best.total ? one : best,
    );
    for (const one of sequences(row, strength)) missing[one] = 0;
    const inOrder = row.toSorted((a, b) => a - b);
    rows.push(inOrder.map((one, key) => one - keys.indexOf(key)).join(""));
  }
  return rows;
}

for (const [name, strength] of [["pairRows", 2] as const, ["tripleRows", 3] as const]) {
  const list = JSON.stringify(rowsOf(strength), undefined, 2);
  stdout.write(`const ${name}: readonly string[] = ${list};\n`);
}
