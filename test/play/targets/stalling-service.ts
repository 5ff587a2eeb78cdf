/** A service in a thread of its own that answers nothing for a while: what a load generator must not overlook. */

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

export interface Stall {
  /** The request that it begins with, from 1. */
  readonly fromRequest: number;
  readonly forMs: number;
}

/** When things happened, on the machine's monotonic clock, in milliseconds. */
export interface Observed {
  /** Of each request by its number in the path. */
  readonly arrivedMs: Float64Array;
  readonly answeredMs: Float64Array;
  readonly stall: readonly [beganMs: number, endedMs: number];
}

/** The same for all threads of the machine. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

// A test that imports this may run in a thread, too.
if (workerData?.fromRequest !== undefined) {
  serve(workerData as Stall & { readonly requests: number });
}

function serve({ fromRequest, forMs, requests }: Stall & { readonly requests: number }): void {
  const arrivedMs = new Float64Array(requests);
  const answeredMs = new Float64Array(requests);
  const stall: [number, number] = [0, 0];
  const held: (() => void)[] = [];
  let count = 0;
  let isStalling = false;

  const answer = (number: number, response: ServerResponse): void => {
    answeredMs[number] = machineMs();
    response.end("{}");
  };
  const server = createServer(({ url = "" }, response) => {
    if (url === "/observed") {
      parentPort?.postMessage({ arrivedMs, answeredMs, stall } satisfies Observed);
      response.end();
      return;
    }
    const number = Number(url.slice(1));
    count += 1;
    arrivedMs[number] = machineMs();
    if (count === fromRequest) {
      isStalling = true;
      stall[0] = machineMs();
      setTimeout(() => {
        isStalling = false;
        stall[1] = machineMs();
        for (const one of held) one();
      }, forMs);
    }
    if (isStalling) held.push(() => answer(number, response));
    else answer(number, response);
  });
  server.listen(0, "127.0.0.1", () => {
    parentPort?.postMessage((server.address() as AddressInfo).port);
  });
}
