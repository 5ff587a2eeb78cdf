/**
 * Acts out on a connection how a response is handed over where a fault rule interferes: late, in part, or not at all.
 * Other responses don't come here.
 */

import type { Socket } from "node:net";
import { paceOf, timerMs } from "../../base/pace.ts";
import type { Delivery } from "../../spec/delivery.ts";
import type { ApiResponse } from "../../spec/messages.ts";
import type { Overtaking, Place } from "../overtaking.ts";
import { type HeldResponse, stateOf } from "./connection-state.ts";

/** Where a response goes: an HTTP response of Node's, or a bare connection. */
export interface Outlet {
  readonly socket: Socket;
  /** Calls `act` once all earlier requests of the connection are answered; never, if it closes before. */
  whenTurn(act: () => void): void;
  /** Sends status and headers. */
  begin(response: ApiResponse): void;
  /** Sends a piece of the body. `sent`: it is out of our hands; not called where the connection closes before. */
  write(piece: Uint8Array, sent: () => void): void;
  /** Sends the last piece, or all. */
  end(piece: Uint8Array, sent: () => void): void;
}

export interface Handover {
  readonly response: ApiResponse;
  readonly delivery: Delivery;
  readonly outlet: Outlet;
  readonly overtaking: Overtaking;
  readonly world: string;
}

/** Hands a response over as its delivery says. */
export function handOver({ response, delivery, outlet, overtaking, world }: Handover): void {
  const { socket } = outlet;
  if (socket.destroyed) {
    delivery.undelivered();
    return;
  }
  const place: Place = { world, order: overtaking.nextOrder() };
  const held = hold(socket, delivery.undelivered);
  if (endings.has(delivery.kind)) stateOf(socket).isDoomed = true;
  const settled = (): void => {
    stateOf(socket).held?.delete(held);
  };
  const delivered = (): void => {
    settled();
    if (!overtaking.isIdle) overtaking.handedOver(place);
  };
  pause(held, delivery.delayMs, () => {
    const inTurn = (): void =>
      outlet.whenTurn(() => act({ response, delivery, outlet, held, settled, delivered }));
    if (delivery.kind !== "overtaken") inTurn();
    else untilOvertaken(held, delivery, { overtaking, place }, inTurn);
  });
}

/** What ends the talk on a connection. */
const endings: ReadonlySet<Delivery["kind"]> = new Set([
  "cut",
  "noise",
  "close",
  "reset",
  "silence",
]);

/** Keeps account of a response until it is handed over. */
function hold(socket: Socket, undelivered: () => void): Held {
  const state = stateOf(socket);
  const held: Held = { socket, stopWaiting: undefined, undelivered };
  if (state.held === undefined) {
    const all = new Set<HeldResponse>();
    state.held = all;
    socket.once("close", () => {
      for (const one of all) {
        one.stopWaiting?.();
        one.undelivered();
      }
      all.clear();
    });
  }
  state.held.add(held);
  return held;
}

interface Held extends HeldResponse {
  readonly socket: Socket;
}

function pause(held: Held, ms: number, then: () => void): void {
  if (ms === 0) {
    then();
    return;
  }
  const timer = setTimeout(() => {
    held.stopWaiting = undefined;
    if (!held.socket.destroyed) then();
  }, timerMs(ms));
  held.stopWaiting = () => clearTimeout(timer);
}

function untilOvertaken(
  held: Held,
  { by, atMostMs }: Extract<Delivery, { readonly kind: "overtaken" }>,
  { overtaking, place }: { readonly overtaking: Overtaking; readonly place: Place },
  then: () => void,
): void {
  const go = (): void => {
    held.stopWaiting?.();
    held.stopWaiting = undefined;
    if (!held.socket.destroyed) then();
  };
  const leave = overtaking.wait(place, by, go);
  const timer = setTimeout(go, timerMs(atMostMs));
  held.stopWaiting = () => {
    clearTimeout(timer);
    leave();
  };
}

interface Act {
  readonly response: ApiResponse;
  readonly delivery: Delivery;
  readonly outlet: Outlet;
  readonly held: Held;
  /** It is over, with or without a response. */
  readonly settled: () => void;
  /** A response is out of our hands. */
  readonly delivered: () => void;
}

/** At its turn. */
function act({ response, delivery, outlet, held, settled, delivered }: Act): void {
  const { socket } = outlet;
  switch (delivery.kind) {
    case "whole":
    case "overtaken":
      outlet.begin(response);
      outlet.end(Buffer.from(response.body), delivered);
      return;
    case "bytes":
      outlet.begin(response);
      outlet.end(delivery.bytes, delivered);
      return;
    case "drip":
      drip(response, delivery.bytesPerSecond, { outlet, held, delivered });
      return;
    case "cut":
      outlet.begin(response);
      outlet.write(delivery.bytes, () => {
        settled();
        socket.destroySoon();
      });
      return;
    case "noise":
      socket.write(delivery.bytes, settled);
      socket.destroySoon();
      return;
    case "close":
      settled();
      socket.destroySoon();
      return;
    case "reset":
      settled();
      socket.resetAndDestroy();
      return;
    case "silence":
      settled();
      stateOf(socket).isSilent = true;
  }
}

function drip(
  response: ApiResponse,
  bytesPerSecond: number,
  { outlet, held, delivered }: Pick<Act, "outlet" | "held" | "delivered">,
): void {
  const body = Buffer.from(response.body);
  const pace = paceOf(bytesPerSecond);
  let pauses = 0;
  let sentBytes = 0;
  outlet.begin(response);
  const next = (): void => {
    pauses += 1;
    const from = sentBytes;
    sentBytes = Math.min(body.length, pace.dueAfter(pauses));
    const piece = body.subarray(from, sentBytes);
    if (sentBytes === body.length) {
      outlet.end(piece, delivered);
      return;
    }
    // The next piece may pile up behind this one: all of it is in memory already.
    outlet.write(piece, nothing);
    pause(held, pace.everyMs, next);
  };
  if (body.length === 0) outlet.end(body, delivered);
  else {
    // The head comes at once.
    outlet.write(body.subarray(0, 0), nothing);
    pause(held, pace.everyMs, next);
  }
}

function nothing(): void {}
