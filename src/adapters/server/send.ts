/** Sends answers: at once, as a fault rule says, or for as long as the client stays. */

import type { ServerResponse } from "node:http";
import { clearInterval, setImmediate, setInterval } from "node:timers";
import { isControlTarget } from "../../base/world-path.ts";
import { worldOf } from "../../simulator/worlds.ts";
import { type Delivery, deliveryTraits } from "../../spec/delivery.ts";
import type { ApiResponse, FollowedResponse } from "../../spec/messages.ts";
import { createOvertaking, dripPieces, nothing, onAbort } from "../hold-back.ts";
import { connectionOf } from "./connection.ts";

export function createSender() {
  const overtaking = createOvertaking();
  /** Each ends an answer or a connection that would go on. */
  const enders = new Set<() => void>();
  let isClosing = false;
  let outbox: (readonly [response: ServerResponse, answer: ApiResponse, path: string])[] = [];

  function begin(response: ServerResponse, { status, headers }: ApiResponse): void {
    response.writeHead(status, isClosing ? { ...headers, connection: "close" } : headers);
  }

  /** `path`: that of the request. */
  function send(
    response: ServerResponse,
    { more, ...answer }: FollowedResponse,
    path: string,
  ): void {
    const { delivery } = answer;
    if (more !== undefined) follow(response, answer, more);
    else if (delivery !== undefined) void deliver(response, answer, delivery, worldOf(path));
    else if (outbox.push([response, answer, path]) === 1) setImmediate(flush);
  }

  /**
   * Answers are written together at the end of a turn of the event loop. The first wakes a client with many pending requests,
   * and it finds the others there. Waking it for each would cost about as much as the answer itself.
   */
  function flush(): void {
    const ready = outbox;
    outbox = [];
    for (const [response, answer, path] of ready) {
      begin(response, answer);
      const isAscii = answer.headers["content-length"] === String(answer.body.length);
      // The same bytes, written faster.
      response.end(answer.body, isAscii ? "latin1" : "utf8");
      // A response without a socket waits for another one on its connection, so it overtakes nothing.
      const overtakes = response.socket !== null && !isControlTarget(path);
      if (overtakes) overtaking.handedOver(worldOf(path));
    }
  }

  async function deliver(
    response: ServerResponse,
    answer: ApiResponse,
    delivery: Delivery,
    world: string,
  ): Promise<void> {
    const { socket } = response.req;
    if (socket.destroyed) return delivery.undelivered();
    const connection = connectionOf(socket);
    const { signal } = connection.leaving;
    const stopListening = onAbort(signal, delivery.undelivered);
    const delivered = (): void => {
      stopListening();
      overtaking.handedOver(world);
    };
    if (deliveryTraits[delivery.kind].seen !== "answered") connection.isEnding = true;
    await overtaking.holdBack(delivery, { signal }, world).catch(nothing);
    flush();
    // Node writes the responses of a connection in order, and gives the socket to the first one.
    if (response.socket === null) await new Promise((then) => response.once("socket", then));
    if (socket.destroyed) return;
    switch (delivery.kind) {
      case "whole":
      case "overtaken":
      case "bytes":
        begin(response, answer);
        response.end(delivery.kind === "bytes" ? delivery.bytes : answer.body, delivered);
        return;
      case "drip":
        begin(response, answer);
        response.flushHeaders();
        try {
          // Ignores backpressure, because the whole body is in memory anyway.
          for await (const piece of dripPieces(answer.body, delivery, { signal }))
            response.write(piece);
          response.end(delivered);
        } catch {
          // The client has left.
        }
        return;
      case "cut":
        begin(response, answer);
        response.write(delivery.bytes, (error) => {
          if (error) return;
          stopListening();
          socket.destroySoon();
        });
        return;
    }
    stopListening();
    if (delivery.kind === "silence") return endAtClose(response, () => socket.destroy());
    if (delivery.kind === "reset") return void socket.resetAndDestroy();
    if (delivery.kind === "noise") socket.write(delivery.bytes);
    socket.destroySoon();
  }

  /** Sends an answer that may never end, so nothing can follow it on its connection. */
  function follow(
    response: ServerResponse,
    { headers, ...answer }: ApiResponse,
    more: () => string | undefined,
  ): void {
    connectionOf(response.req.socket).isEnding = true;
    begin(response, { ...answer, headers: { ...headers, connection: "close" } });
    endAtClose(response, () => response.end());
    sendEvents(response, answer.body, more);
  }

  function endAtClose(response: ServerResponse, end: () => void): void {
    enders.add(end);
    response.once("close", () => enders.delete(end));
  }

  return {
    send,
    flush,
    /** From now on every answer ends its connection. Ends those that would go on, and silent connections. */
    close(): void {
      flush();
      isClosing = true;
      for (const end of enders) end();
    },
  };
}

/** How often to look for more, in milliseconds. */
const EVERY_MS = 50;

function sendEvents(response: ServerResponse, body: string, more: () => string | undefined): void {
  response.write(body);
  const timer = setInterval(() => {
    // A client that reads slowly gets it later, all at once. The server may have ended the answer already.
    if (response.writableNeedDrain || response.writableEnded) return;
    const text = more();
    if (text === undefined) response.end();
    else if (text !== "") response.write(text);
  }, EVERY_MS);
  response.once("close", () => clearInterval(timer));
}
