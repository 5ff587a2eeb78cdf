/**
 * Delivers a response on a connection as a fault rule says: late, in part, or not at all. Other responses don't come here.
 */

import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { createDrip } from "../../base/drip.ts";
import { type Delivery, deliveryTraits } from "../../spec/delivery.ts";
import type { ApiResponse } from "../../spec/messages.ts";
import { isHeldBack, nothing, type Overtaking, pause, type QueuePlace } from "../hold-back.ts";
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

export async function handOver(handover: Handover): Promise<void> {
  const { response, delivery, outlet, overtaking, world } = handover;
  const { socket } = outlet;
  if (socket.destroyed) {
    delivery.undelivered();
    return;
  }
  const place: QueuePlace = { world, order: overtaking.nextOrder() };
  const held = hold(socket, delivery.undelivered);
  if (deliveryTraits[delivery.kind].seen !== "answered") stateOf(socket).isEnding = true;
  const settled = (): void => {
    stateOf(socket).held?.delete(held);
  };
  const delivered = (): void => {
    settled();
    if (!overtaking.isIdle) overtaking.handedOver(place);
  };
  const { signal } = held.leaving;
  if (isHeldBack(delivery)) await overtaking.holdBack(delivery, place, { signal }).catch(nothing);
  if (socket.destroyed) return;
  outlet.whenTurn(() => deliver({ response, delivery, outlet, signal, settled, delivered }));
}

/** Tracks a response until it is handed over. */
function hold(socket: Socket, undelivered: () => void): HeldResponse {
  const state = stateOf(socket);
  const held: HeldResponse = { leaving: new AbortController(), undelivered };
  if (state.held === undefined) {
    const all = new Set<HeldResponse>();
    state.held = all;
    socket.once("close", () => {
      for (const one of all) {
        one.leaving.abort();
        one.undelivered();
      }
      all.clear();
    });
  }
  state.held.add(held);
  return held;
}

interface DeliveryContext extends Pick<Handover, "response" | "delivery" | "outlet"> {
  /** Aborted when the connection closes. */
  readonly signal: AbortSignal;
  /** Call it when the delivery ends, with or without a response. */
  readonly settled: () => void;
  /** Call it when a response is passed on. */
  readonly delivered: () => void;
}

function deliver(context: DeliveryContext): void {
  const { response, delivery, outlet, settled, delivered } = context;
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
      void drip(delivery.bytesPerSecond, context);
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

async function drip(
  bytesPerSecond: number,
  { response, outlet, signal, delivered }: DeliveryContext,
): Promise<void> {
  const body = createDrip(response.body, bytesPerSecond);
  outlet.begin(response);
  // Sends the head at once.
  if (response.body !== "") outlet.stream.write("");
  for (;;) {
    if (response.body !== "") await pause(body.everyMs, { signal }).catch(nothing);
    if (outlet.socket.destroyed) return;
    const { piece, isLast } = body.next();
    if (isLast) {
      outlet.end(piece, delivered);
      return;
    }
    // Ignores backpressure, because the whole body is in memory anyway.
    outlet.stream.write(piece);
  }
}
