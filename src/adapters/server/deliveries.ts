/**
 * Delivers a response on a connection as a fault rule says: late, in part, or not at all. Other responses don't come here.
 */

import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { createDrip } from "../../base/drip.ts";
import { type Delivery, deliveryTraits } from "../../spec/delivery.ts";
import type { ApiResponse } from "../../spec/messages.ts";
import { globalTimers, holdBack, type Overtaking, pause, type QueuePlace } from "../hold-back.ts";
import { type HeldResponse, stateOf } from "./connection-state.ts";

/** Where a response goes: Node's HTTP response, or a bare connection. */
export interface Outlet {
  readonly socket: Socket;
  /** Calls `then` when all earlier requests of the connection are answered; never if it closes before. */
  whenTurn(then: () => void): void;
  /** Sends status and headers. */
  begin(response: ApiResponse): void;
  /** Takes the body. */
  readonly stream: Writable;
  /** Sends the last piece of the body, or all of it. Calls `sent` when it is passed on. */
  end(piece: Uint8Array, sent: () => void): void;
}

export interface Handover {
  readonly response: ApiResponse;
  readonly delivery: Delivery;
  readonly outlet: Outlet;
  readonly overtaking: Overtaking;
  readonly world: string;
}

export function handOver({ response, delivery, outlet, overtaking, world }: Handover): void {
  const { socket } = outlet;
  if (socket.destroyed) {
    delivery.undelivered();
    return;
  }
  const place: QueuePlace = { world, order: overtaking.nextOrder() };
  const held = hold(socket, delivery.undelivered);
  if (deliveryTraits[delivery.kind].isLastOfConnection) stateOf(socket).isEnding = true;
  const settled = (): void => {
    stateOf(socket).held?.delete(held);
  };
  const delivered = (): void => {
    settled();
    if (!overtaking.isIdle) overtaking.handedOver(place);
  };
  holdBack(held, delivery, { overtaking, place }, () => {
    if (socket.destroyed) return;
    outlet.whenTurn(() => deliver({ response, delivery, outlet, held, settled, delivered }));
  });
}

/** Tracks a response until it is handed over. */
function hold(socket: Socket, undelivered: () => void): HeldResponse {
  const state = stateOf(socket);
  const held: HeldResponse = { timers: globalTimers, stopWaiting: undefined, undelivered };
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

interface DeliveryContext extends Pick<Handover, "response" | "delivery" | "outlet"> {
  readonly held: HeldResponse;
  /** Call it when the delivery ends, with or without a response. */
  readonly settled: () => void;
  /** Call it when a response is passed on. */
  readonly delivered: () => void;
}

function deliver({ response, delivery, outlet, held, settled, delivered }: DeliveryContext): void {
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
      outlet.stream.write(delivery.bytes, (error) => {
        if (error) return;
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
      return;
    default:
      delivery satisfies never;
  }
}

function drip(
  response: ApiResponse,
  bytesPerSecond: number,
  { outlet, held, delivered }: Pick<DeliveryContext, "outlet" | "held" | "delivered">,
): void {
  const body = createDrip(response.body, bytesPerSecond);
  const next = (): void => {
    if (outlet.socket.destroyed) return;
    const { piece, isLast } = body.next();
    if (isLast) {
      outlet.end(piece, delivered);
      return;
    }
    // Ignores backpressure, because the whole body is in memory anyway.
    outlet.stream.write(piece);
    pause(held, body.everyMs, next);
  };
  outlet.begin(response);
  if (response.body === "") {
    next();
    return;
  }
  // Sends the head at once.
  outlet.stream.write("");
  pause(held, body.everyMs, next);
}
