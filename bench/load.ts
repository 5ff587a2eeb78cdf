/** Puts an HTTP server under load for some seconds: with wrk where it is installed, else with autocannon. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, outputOf, root, spawnOn, temporary } from "./measure.ts";
import { CONNECTIONS } from "./quota.ts";

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

export const generator: "wrk" | "autocannon" = isInstalled("wrk") ? "wrk" : "autocannon";

/** Requests a second. @throws Error if any answer wasn't a success. */
export function requestsPerSecond(load: Load): Promise<number> {
  return generator === "wrk" ? withWrk(load) : withAutocannon(load);
}

async function withWrk(load: Load): Promise<number> {
  const script = join(temporary, `adsim-bench-${process.pid}-${load.kind}.lua`);
  writeFileSync(script, luaOf(load));
  const url = `http://127.0.0.1:${load.port}/`;
  const args = ["-t1", `-c${CONNECTIONS}`, `-d${load.seconds}s`, "-s", script, url];
  const output = await outputOf(spawnOn(1, "wrk", args));
  const failed = /Non-2xx.*|Socket errors.*/.exec(output)?.[0];
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
  if (failed !== undefined || !(rate > 0)) throw new Error(`${load.kind}: ${failed ?? output}`);
  return rate;
}

/** A script that sends a whole request a call: the parts before and after the session are ready beforehand. */
function luaOf({ kind, callers }: Load): string {
  const parts = callers.map((caller) => {
    const common = `HTTP/1.1\\r\\nHost: localhost\\r\\nAuthorization: Bearer ${caller.apiKey}\\r\\n`;
    if (kind === "stats") {
      return `"GET /v1/publisher/stats?publisher_id=${caller.id} ${common}\\r\\n"`;
    }
    const { head, tail, length } = impressionParts(caller);
    const headers = `Content-Type: application/json\\r\\nContent-Length: ${length}\\r\\n\\r\\n`;
    const before = `POST /v1/impression ${common}${headers}${head.replaceAll('"', '\\"')}`;
    return `{"${before}","${tail.replaceAll('"', '\\"')}"}`;
  });
  const send =
    kind === "stats"
      ? "return callers[n % count + 1]"
      : 'local c = callers[n % count + 1]; return c[1] .. string.format("%s%09d", run, n) .. c[2]';
  // The tag of the run keeps its sessions apart from those of the runs before.
  return [
    `local callers = {${parts.join(",\n")}}`,
    `local count = ${callers.length}`,
    `local run = "${String(Date.now() % 1_000_000).padStart(6, "0")}"`,
    "local n = 0",
    `request = function() n = n + 1; ${send} end`,
  ].join("\n");
}

const SESSION_LENGTH = 15;

function impressionParts(caller: Caller): { head: string; tail: string; length: number } {
  const head = `{"publisher_id":"${caller.id}","surface":"${caller.surface}","ad_id":"ad-1","session_id":"`;
  const tail = '"}';
  return { head, tail, length: head.length + SESSION_LENGTH + tail.length };
}

async function withAutocannon(load: Load): Promise<number> {
  const file = join(temporary, `adsim-bench-${process.pid}-${load.kind}.json`);
  const requests = load.callers.map((caller) => {
    const headers = { authorization: `Bearer ${caller.apiKey}` };
    if (load.kind === "stats") {
      return { method: "GET", path: `/v1/publisher/stats?publisher_id=${caller.id}`, headers };
    }
    const { head, tail } = impressionParts(caller);
    return {
      method: "POST",
      path: "/v1/impression",
      headers: { ...headers, "content-type": "application/json" },
      // autocannon puts an id of its own there.
      body: `${head}[<id>]${tail}`,
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
