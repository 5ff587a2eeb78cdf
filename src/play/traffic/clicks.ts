/** Clicks that impressions bring: known once an impression is answered, due a fixed time after it was. */

/** A click that waits for its time. `by`: place of the publisher among the members. */
export interface DueClick {
  readonly dueMs: number;
  readonly by: number;
  /** The impression's id as the answer wrote it in JSON, quotes included. */
  readonly impressionId: string;
}

export interface Clicks {
  /** An impression that will be clicked, should its answer name it. */
  expect(number: number, impression: { readonly dueMs: number; readonly by: number }): void;
  answered(number: number, text: string | undefined): void;
  /** When the next one is due; `Infinity` where none is known of. */
  nextMs(): number;
  /** The next one, which goes. */
  take(): DueClick | undefined;
}

const IMPRESSION_ID = /"impression_id"\s*:\s*("(?:[^"\\]|\\.)*")/;
/** So many that went are kept before their places are freed. */
const MAX_GONE = 1024;

export function createClicks(afterMs: number): Clicks {
  const expected = new Map<number, { readonly dueMs: number; readonly by: number }>();
  const due: DueClick[] = [];
  let gone = 0;

  function enqueue(click: DueClick): void {
    let place = due.length;
    // Answers come nearly in the order of the requests, in this process exactly.
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
