/**
 * A knob that changes nothing is a defect: any two choices of a key answer some request with different bytes.
 * And the journal knows what shaped an answer: where two choices differ, it names the key for one of the two.
 */

import { describe, expect, test } from "vitest";
import { type ApiResponse, type Choices, createSimulator } from "../../src/index.ts";
import {
  type Assumption,
  type AssumptionKey,
  catalogue,
} from "../../src/spec/assumptions/catalogue.ts";
import { senderOf } from "../sender.ts";
import { createSession, type Session, sequences } from "../spec/assumptions/sequences.ts";

const points = Object.entries<Assumption>(catalogue) as [AssumptionKey, Assumption][];

interface Played {
  readonly answers: readonly ApiResponse[];
  /** The keys that shaped each answer, according to the journal. */
  readonly shapedBy: readonly (readonly string[])[];
}

/** From a key's second request on its usual impressions are recognised without parsing, in code of their own. */
type KeyUse = "a new key" | "a key used before";

function play(key: AssumptionKey, choice: string, use: KeyUse): Played {
  const assumptions: Choices = { [key]: choice };
  const session = createSession(createSimulator({ assumptions }));
  if (use === "a key used before") useKey(session);
  sequences[key](session);
  const shapedBy = session.sim.journal
    .entries()
    .map(({ assumptions: keys }) => (keys === "documented" ? [] : keys));
  return { answers: session.answers, shapedBy };
}

/** Sends one request and waits two minutes, after which no limit counts it. */
function useKey({ sim, publisher }: Session): void {
  senderOf(sim, publisher).get("surfaces");
  sim.clock.advance("2m");
  sim.journal.clear();
}

function* pairsOf<T>(list: readonly T[]): Generator<readonly [T, T]> {
  for (const [index, left] of list.entries()) {
    for (const right of list.slice(index + 1)) yield [left, right];
  }
}

/** The answer without the remaining count, which every answer has and whose keys the journal doesn't name. */
function withoutCount({ status, headers, body }: ApiResponse): string {
  const { "x-ratelimit-remaining": _remaining, ...others } = headers;
  return JSON.stringify({ status, headers: others, body });
}

const uses = ["a new key", "a key used before"] as const;
const subjects = points.flatMap(([key, { choices }]) =>
  uses.map((use) => ({ key, use, choices: Object.keys(choices) })),
);

describe.each(subjects)("$key, $use", ({ key, use, choices }) => {
  const played = new Map(choices.map((choice) => [choice, play(key, choice, use)]));
  const pairs = [...pairsOf([...played])];

  test("any two choices give different answers", () => {
    expect(pairs.length).toBeGreaterThan(0);
    for (const [[left, one], [right, other]] of pairs) {
      expect(one.answers, `${left} and ${right}`).not.toEqual(other.answers);
    }
  });

  test("where more than the remaining count differs, the journal names the key for one of the two", () => {
    for (const [[left, one], [right, other]] of pairs) {
      const index = one.answers.findIndex((answer, place) => {
        const counterpart = other.answers[place];
        return counterpart === undefined || withoutCount(answer) !== withoutCount(counterpart);
      });
      if (index === -1) {
        expect(key).toMatch(/^limit\./);
        continue;
      }
      const named = [...(one.shapedBy[index] ?? []), ...(other.shapedBy[index] ?? [])];
      expect(named, `${left} and ${right}, answer ${index}`).toContain(key);
    }
  });

  test("no answer is a 5xx, save for 503 where the choice asks for it", () => {
    for (const [choice, { answers }] of played) {
      const mayBe503 = key === "limit.exceeded" && choice === "503";
      for (const { status } of answers) expect(status).toBeLessThan(mayBe503 ? 504 : 500);
    }
  });
});
