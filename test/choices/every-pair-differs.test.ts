/**
 * A knob that changes nothing is a defect: any two choices of a key answer some request with different bytes.
 * And the journal knows what shaped an answer: where two choices differ, it names the key for one of the two.
 */

import { expect, test } from "vitest";
import { type ApiResponse, createSimulator } from "../../src/index.ts";
import { type AssumptionKey, catalogue } from "../../src/spec/assumptions/catalogue.ts";
import { createSession, sequences } from "../spec/assumptions/sequences.ts";

interface Played {
  readonly choice: string;
  readonly answers: readonly ApiResponse[];
  /** The keys that shaped each answer, according to the journal. */
  readonly shapedBy: readonly (readonly string[])[];
}

function play(key: AssumptionKey, choice: string): Played {
  const session = createSession(createSimulator({ assumptions: { [key]: choice } }));
  sequences[key](session);
  const entries = session.sim.journal.entries();
  const shapedBy = entries.map(({ assumptions: keys }) => (keys === "documented" ? [] : keys));
  return { choice, answers: session.answers, shapedBy };
}

/** The answer without the remaining count, which every answer has and whose keys the journal doesn't name. */
function withoutCount(answer: ApiResponse | undefined): string {
  const { "x-ratelimit-remaining": _, ...headers } = answer?.headers ?? {};
  return JSON.stringify({ ...answer, headers });
}

test.each(Object.keys(catalogue) as AssumptionKey[])("any two choices of %s differ", (key) => {
  const played = Object.keys(catalogue[key].choices).map((choice) => play(key, choice));
  expect(played.length).toBeGreaterThan(1);
  for (const [place, one] of played.entries()) {
    for (const { status } of one.answers)
      expect(status).toBeLessThan(key === "limit.exceeded" && one.choice === "503" ? 504 : 500);
    for (const other of played.slice(place + 1)) {
      const pair = `${one.choice} and ${other.choice}`;
      expect(one.answers, pair).not.toEqual(other.answers);
      const index = one.answers.findIndex(
        (answer, at) => withoutCount(answer) !== withoutCount(other.answers[at]),
      );
      const named = [...(one.shapedBy[index] ?? []), ...(other.shapedBy[index] ?? [])];
      // Under a limit's choices perhaps only the count differs.
      if (index === -1) expect(key, pair).toMatch(/^limit\./);
      else expect(named, `${pair}, answer ${index}`).toContain(key);
    }
  }
});
