/** Closes idle connections without a timer for each request. */

import type { Socket } from "node:net";
import { holdsBack, isSilent } from "./node-deliveries.ts";
import { isHeld } from "./node-held.ts";

/**
 * A connection that is idle for this long is closed within twice as long, in milliseconds. Clients mostly keep idle ones
 * below a minute, and it should be them who close: a server that does makes a client's next request fail now and then.
 */
export const IDLE_MS = 65_000;

/**
 * How many times a connection may be found with nothing new while its client is still taking an answer in, or while a
 * fault rule leaves it without one: about twelve minutes, for a snapshot over a slow link, or for longer than a client
 * waits. How much was taken can't be seen, and nobody may keep an answer in memory for good.
 */
const MOST_FINDS_WHILE_BUSY = 10;

interface Found {
  readonly bytesRead: number;
  readonly isBusy: boolean;
  times: number;
}

/**
 * Closes the connections that brought nothing since it was called last, and that nothing is on its way to. One whose
 * answer is held back waits for it, however long that takes.
 */
export function sweeper(
  sockets: Iterable<Pick<Socket, "bytesRead" | "writableLength" | "destroy">>,
): () => void {
  const before = new WeakMap<object, Found>();
  return () => {
    for (const socket of sockets) {
      const { bytesRead } = socket;
      if (holdsBack(socket) || isHeld(socket)) {
        before.delete(socket);
        continue;
      }
      const isBusy = socket.writableLength > 0 || isSilent(socket);
      const found = before.get(socket);
      if (found?.bytesRead !== bytesRead || found.isBusy !== isBusy) {
        before.set(socket, { bytesRead, isBusy, times: 0 });
        continue;
      }
      found.times += 1;
      if (found.times >= (isBusy ? MOST_FINDS_WHILE_BUSY : 1)) socket.destroy();
    }
  };
}
