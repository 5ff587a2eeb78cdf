/** Collects what CMD reaches: at its server, and in simulators in its own processes. */

import { readFile } from "node:fs/promises";
import { createReachRecorder, type Reached, reachedIn } from "../../choices/reached.ts";
import type { Server } from "../../server.ts";

/**
 * Call it before CMD starts.
 *
 * @param file Where CMD's simulators write: the value of its variable `ADSIM_REACHED`.
 * @returns a function for the time when CMD has ended.
 */
export function collectReach({ worlds }: Server, file: string) {
  const { assumptions } = worlds.get("default");
  const atServer: Reached[] = [];
  /** To the server, in all worlds. */
  let requests = 0;
  const record = createReachRecorder(assumptions, (one) => atServer.push(one));
  worlds.observe((name, entry) => {
    requests += 1;
    record(entry, worlds.peek(name)?.assumptions ?? assumptions);
  });
  return async () => ({
    requests,
    atServer,
    inProcess: reachedIn(await readFile(file, "utf8").catch(() => "")),
  });
}
