/** Sends an answer that goes on for as long as its client stays. */

import type { ServerResponse } from "node:http";
import type { FollowedResponse } from "../../spec/messages.ts";
import { timers } from "./builtins.ts";

/** How often to look for more, in milliseconds. */
const EVERY_MS = 50;
/** After so many looks without more, a comment keeps the connection in use: 15 s. */
const MAX_QUIET_LOOKS = 300;

/** Call it after the head was sent. */
export function sendEvents(
  response: ServerResponse,
  { body, more }: Pick<FollowedResponse, "body" | "more">,
): void {
  let quietLooks = 0;
  response.write(body);
  const timer = timers.setInterval(() => {
    // A client that reads slowly gets it later, all at once. The server may have ended the answer already.
    if (response.writableNeedDrain || response.writableEnded) return;
    const text = more?.();
    quietLooks = text === "" ? quietLooks + 1 : 0;
    if (text === undefined) response.end();
    else if (text !== "") response.write(text);
    else if (quietLooks % MAX_QUIET_LOOKS === 0) response.write(":\n\n");
  }, EVERY_MS);
  response.once("close", () => timers.clearInterval(timer));
}
