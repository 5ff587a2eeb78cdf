/** The saved states of a world, oldest first. */

import type { SavedWorld, Script } from "./moment.ts";

export class SavedWorlds {
  #list: readonly SavedWorld[] = [];

  /** Estimated bytes of the copies that don't follow from the ones before them. */
  get bytesOfReplaced(): number {
    const replaced = this.#list.filter(({ follows }) => !follows);
    return replaced.reduce((sum, { copy }) => sum + (copy?.bytes ?? 0), 0);
  }

  get count(): number {
    return this.#list.length;
  }

  get first(): SavedWorld | undefined {
    return this.#list[0];
  }

  get last(): SavedWorld | undefined {
    return this.#list.at(-1);
  }

  get all(): readonly SavedWorld[] {
    return this.#list;
  }

  append(others: readonly SavedWorld[]): void {
    this.#list = [...this.#list, ...others];
  }

  clear(): void {
    this.#list = [];
  }

  dropFirst(): void {
    this.#list = this.#list.slice(1);
  }

  dropBefore(sequence: number): void {
    this.#list = this.#list.filter((one) => one.sequence >= sequence);
  }

  /** The latest that leads to a moment. One saved after later changes doesn't lead to the moment after its entry. */
  leadingTo(last: number, isAfter: boolean): SavedWorld | undefined {
    return this.#list.findLast(
      ({ sequence, hasChanges }) =>
        sequence <= last && !(isAfter && hasChanges && sequence === last),
    );
  }

  /** The earliest that leads to this one, if it was saved after the journal's entry `dropped`. */
  earliestBefore(latest: SavedWorld | undefined, dropped: number): SavedWorld | undefined {
    let earliest = latest;
    while (earliest?.follows === true) {
      const one = this.#list[this.#list.indexOf(earliest) - 1];
      if (one?.copy === undefined || one.sequence < dropped) break;
      earliest = one;
    }
    return earliest;
  }
}

export function isCopied(saved: SavedWorld | undefined): saved is Script["from"] {
  return saved?.copy !== undefined;
}
