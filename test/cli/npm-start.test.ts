/** `npm start`: that it serves, and that the server ends with npm, whatever the shell between them does with a signal. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

test.skipIf(process.platform === "win32")("SIGTERM to npm ends the server well", async () => {
  const args = ["start", "--silent", "--", "--port", "0", "--json"];
  const child = spawn("npm", args, {
    cwd: join(import.meta.dirname, "../.."),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let isOver = false;
  const over = new Promise<void>((resolve) =>
    child.once("close", () => {
      isOver = true;
      resolve();
    }),
  );
  onTestFinished(() => {
    // The whole group: npm, its shell and the server.
    if (!isOver) process.kill(-(child.pid ?? Number.NaN), "SIGKILL");
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [line = ""] = await child.stdout.setEncoding("utf8").take(1).toArray();
  const health = `${JSON.parse(line).url}/_sim/health`;
  expect((await fetch(health)).status).toBe(200);
  child.kill("SIGTERM");
  // Only once the server has ended nobody has stdout and stderr open.
  await over;
  expect(stderr).toContain("SIGTERM, closing");
  await expect(fetch(health)).rejects.toThrow("fetch failed");
});
