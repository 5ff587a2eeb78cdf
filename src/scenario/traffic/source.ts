/** Where traffic comes from, request by request: its arrivals in time, and the clicks that follow from answers. */

import type { ApiRequest } from "../../contract/messages.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { TrafficOrder } from "../player/effects.ts";

/** A request of the traffic. The same object serves the next one: keep only its parts. */
export interface Arrival {
  /** Counts from 0. */
  readonly number: number;
  /** When it is due, in whole milliseconds from the beginning of the traffic. */
  readonly dueMs: number;
  readonly operation: OperationId;
  readonly request: ApiRequest;
}

export interface TrafficSource {
  /** In the order of time. Undefined where nothing more comes of arrivals, nor of clicks on what was answered so far. */
  next(): Arrival | undefined;
  /** To be told of each arrival what came of it: an impression may be clicked. `text`: of a whole answer with status 200. */
  answered(number: number, text: string | undefined): void;
}

export function createTrafficSource(_order: TrafficOrder): TrafficSource {
  throw new Error("Traffic isn't there yet.");
}
