/** An adsim in a process of its own, for as long as a test file needs it. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { execPath } from "node:process";
import { createInterface } from "node:readline";

export interface ServerProcess {
  readonly url: string;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
}

export async function startServerProcess(): Promise<ServerProcess> {
  const main = join(import.meta.dirname, "../../../src/cli/main.ts");
  const child = spawn(execPath, [main, "serve", "--port", "0", "--json"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "close");
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), "line"),
    ended.then(() => {
      throw new Error("adsim serve has ended before it was ready.");
    }),
  ])) as string[];
  const { url } = JSON.parse(line ?? "") as { url: string };
  return {
    url,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
