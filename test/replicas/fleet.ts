/** `adsim fleet` asks four replicas, and gets what one server would have said. */

import { deepStrictEqual, strictEqual } from "node:assert";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Audit } from "../../src/index.ts";
import { control, WORLD } from "./replicas.ts";

const entry = join(import.meta.dirname, "../../src/cli/main.ts");

async function fleet<Reply>(urls: readonly string[], ...request: string[]): Promise<Reply> {
  const words = [entry, "fleet", ...urls, "--", ...request];
  const options = { maxBuffer: 256 * 1024 * 1024 };
  return JSON.parse((await promisify(execFile)(process.execPath, words, options)).stdout);
}

const worlds = ["default", WORLD];

export function auditsOf(port: number): Promise<readonly Audit[]> {
  return Promise.all(worlds.map((world) => control<Audit>(port, `GET /@${world}/_sim/audit`)));
}

/** Expects that the replicas' audits add up to those of one server with the same requests. Moves the replicas' clocks. */
export async function expectOneFleet(
  audits: readonly Audit[],
  replicaPorts: readonly number[],
): Promise<void> {
  for (const [index, world] of worlds.entries()) {
    const urls = replicaPorts.map((port) => `http://127.0.0.1:${port}/@${world}`);
    const sum = byPublisher(await fleet<Audit>(urls, "GET", "audit"));
    deepStrictEqual([sum], audits.slice(index, index + 1).map(byPublisher));
    const { now } = await fleet<{ now: string }>(urls, "POST", "clock/advance", '{"by":"1h"}');
    strictEqual(Date.parse(now) - Date.parse(sum.at), 3_600_000);
  }
}

function byPublisher(audit: Audit): Audit {
  const publishers = audit.publishers.toSorted((left, right) =>
    left.publisher < right.publisher ? -1 : 1,
  );
  return { ...audit, publishers };
}
