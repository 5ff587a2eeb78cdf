/** Puts an HTTP server under load for some seconds, with autocannon. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf, root, spawnOn, temporary } from "./measure.ts";

export const CONNECTIONS = 32;

export interface Caller {
  readonly id: string;
  readonly apiKey: string;
  readonly surface: string;
}

export type Kind = "impression" | "stats";

export interface Load {
  readonly port: number;
  readonly kind: Kind;
  readonly seconds: number;
  readonly callers: readonly Caller[];
}

/** Requests a second. @throws Error if any answer wasn't a success. */
export async function requestsPerSecond(load: Load): Promise<number> {
  const file = join(temporary, `adsim-bench-${process.pid}-${load.kind}.json`);
  const requests = load.callers.map((caller) => {
    const headers = { authorization: `Bearer ${caller.apiKey}` };
    if (load.kind === "stats") {
      return { method: "GET", path: `/v1/publisher/stats?publisher_id=${caller.id}`, headers };
    }
    const shown = { publisher_id: caller.id, surface: caller.surface, ad_id: "ad-1" };
    return {
      method: "POST",
      path: "/v1/impression",
      headers: { ...headers, "content-type": "application/json" },
      // autocannon puts an id of its own there.
      body: JSON.stringify({ ...shown, session_id: "[<id>]" }),
    };
  });
  const { port, seconds: duration } = load;
  const idReplacement = load.kind === "impression";
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(
    file,
    JSON.stringify({ url, connections: CONNECTIONS, duration, idReplacement, requests }),
  );
  const run = `require("autocannon")(JSON.parse(require("fs").readFileSync(${JSON.stringify(file)}, "utf8")), (error, result) => {
    if (error) throw error;
    console.log(JSON.stringify(result));
  })`;
  const output = await outputOf(spawnOn(1, process.execPath, ["-e", run], { cwd: root }));
  const result = JSON.parse(output) as {
    requests: { average: number };
    non2xx: number;
    errors: number;
  };
  if (result.non2xx + result.errors > 0) {
    throw new Error(`${load.kind}: ${result.non2xx} answers not 2xx, ${result.errors} errors`);
  }
  return result.requests.average;
}
