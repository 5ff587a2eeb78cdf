/** Clicks that follow impressions: known once the impression is answered, due a fixed time after its own due time. */

/** A scheduled click. `by`: index of the publisher among the members. */
export interface DueClick {
  readonly dueMs: number;
  readonly by: number;
  /** The impression's id as JSON text from the answer, with quotes. */
  readonly impressionId: string;
}

export interface Clicks {
  /** Announces an impression that will be clicked if its answer has an id. */
  expect(number: number, impression: { readonly dueMs: number; readonly by: number }): void;
  answered(number: number, text: string | undefined): void;
  /** When the next click is due; `Infinity` if none is known. */
  nextMs(): number;
  /** Removes and returns the next click. */
  take(): DueClick | undefined;
}

const IMPRESSION_ID = /"impression_id"\s*:\s*("(?:[^"\\]|\\.)*")/;
/** Taken clicks are removed from the array in batches of this size. */
const MAX_GONE = 1024;

export function createClicks(afterMs: number): Clicks {
  const expected = new Map<number, { readonly dueMs: number; readonly by: number }>();
  const due: DueClick[] = [];
  let gone = 0;

  function enqueue(click: DueClick): void {
    let place = due.length;
    // Answers come nearly in the order of the requests (in process exactly), so the place is near the end.
    while (place > gone && (due[place - 1]?.dueMs ?? 0) > click.dueMs) place -= 1;
    if (place === due.length) due.push(click);
    else due.splice(place, 0, click);
  }

  return {
    expect: (number, impression) => expected.set(number, impression),
    answered(number, text) {
      if (expected.size === 0) return;
      const impression = expected.get(number);
      if (impression === undefined) return;
      expected.delete(number);
      const impressionId = text === undefined ? undefined : IMPRESSION_ID.exec(text)?.[1];
      if (impressionId === undefined) return;
      enqueue({ dueMs: impression.dueMs + afterMs, by: impression.by, impressionId });
    },
    nextMs: () => due[gone]?.dueMs ?? Number.POSITIVE_INFINITY,
    take() {
      const click = due[gone];
      if (click === undefined) return undefined;
      gone += 1;
      if (gone > MAX_GONE) {
        due.splice(0, gone);
        gone = 0;
      }
      return click;
    },
  };
}
