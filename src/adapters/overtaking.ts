/** Responses that wait until later ones have overtaken them. Shared by the transports; each counts its own. */

/** A response's place among those of its transport. */
export interface Place {
  /** Responses of another world don't overtake it: worlds don't know of each other. */
  readonly world: string;
  /** Which comes later. One that no rule touched is later than all that wait. */
  readonly order: number;
}

/** What counts what is handed over, for those that wait. */
export interface Overtaking {
  /** Whether nothing waits. Then it need not be told of what is handed over. */
  readonly isIdle: boolean;
  /** The order of the response that is decided now. */
  nextOrder(): number;
  /** Calls `go` once `by` later responses were handed over. @returns a function that gives up waiting. */
  wait(place: Place, by: number, go: () => void): () => void;
  handedOver(place: Place): void;
}

/** The order of a response that no rule touched: while any waits, it is handed over as soon as it is decided. */
export const LATEST_ORDER: number = Number.POSITIVE_INFINITY;

interface Waiting {
  readonly place: Place;
  left: number;
  readonly go: () => void;
}

export function createOvertaking(): Overtaking {
  const waiting = new Set<Waiting>();
  let order = 0;
  return {
    get isIdle(): boolean {
      return waiting.size === 0;
    },
    nextOrder() {
      order += 1;
      return order;
    },
    wait(place, by, go) {
      const one: Waiting = { place, left: by, go };
      waiting.add(one);
      return () => waiting.delete(one);
    },
    handedOver(later) {
      for (const one of waiting) {
        if (!overtakes(later, one.place)) continue;
        one.left -= 1;
        if (one.left > 0) continue;
        waiting.delete(one);
        one.go();
      }
    },
  };
}

function overtakes(later: Place, place: Place): boolean {
  return later.order > place.order && later.world === place.world;
}
