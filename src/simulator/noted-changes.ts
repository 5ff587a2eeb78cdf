/** What is done to a world by hand, in order. Of very much, only the latest is kept. */

import { formatInstant } from "../base/calendar.ts";
import type { NotedChange, ShownChange } from "./moment.ts";
import { changeInWords, charactersOf } from "./world-change.ts";

/** Numbers of changes count all since the beginning. */
export class NotedChanges {
  readonly #kept: NotedChange[] = [];
  #forgotten = 0;
  #characters = 0;
  #charactersForgotten = 0;

  /** Estimated size of those that are kept. */
  get characters(): number {
    return this.#characters;
  }

  /** Estimated size of all since the beginning. */
  get charactersSinceStart(): number {
    return this.#charactersForgotten + this.#characters;
  }

  /** All since the beginning. */
  get count(): number {
    return this.#forgotten + this.#kept.length;
  }

  add(noted: NotedChange): void {
    this.#kept.push(noted);
    this.#characters += charactersOf(noted.change);
  }

  /** From number `from` to number `to` - 1. */
  slice(from: number, to: number = this.count): readonly NotedChange[] {
    return this.#kept.slice(from - this.#forgotten, to - this.#forgotten);
  }

  /** Forgets those before number `to`. `unless`: keeps from the first one for which it holds. */
  forget(to: number, unless: (noted: NotedChange) => boolean = () => false): void {
    const before = this.slice(this.#forgotten, to);
    const first = before.findIndex(unless);
    const gone = this.#kept.splice(0, first === -1 ? before.length : first);
    const characters = gone.reduce((sum, { change }) => sum + charactersOf(change), 0);
    this.#characters -= characters;
    this.#charactersForgotten += characters;
    this.#forgotten += gone.length;
  }

  shown(): readonly ShownChange[] {
    return this.#kept.map(({ after, atMs, change }, index) => ({
      number: this.#forgotten + index + 1,
      after,
      at: formatInstant(atMs),
      change,
      text: changeInWords(change),
    }));
  }
}
