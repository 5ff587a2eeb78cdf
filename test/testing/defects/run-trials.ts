/** Tries rules on changed copies of a client in a child process: this one has hooks of the test runner's own. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ClientTrial, ClientTried } from "./try-client.ts";

/** @throws Error with what the child process complained about. */
export async function tryClients(trials: readonly ClientTrial[]): Promise<readonly ClientTried[]> {
  const script = join(import.meta.dirname, "try-client.ts");
  const child = spawn(process.execPath, ["--no-warnings", script]);
  child.stdin.end(JSON.stringify(trials));
  const [lines, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (complaints !== "") throw new Error(complaints);
  return lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
