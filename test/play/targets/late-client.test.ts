import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createHttpClient } from "../../../src/play/targets/http-client.ts";
import { startServerProcess } from "../shipped/server-process.ts";

test("a client that was too busy to look sees an answer that came in time", async () => {
  const server = await startServerProcess();
  onTestFinished(() => server.stop());
  const client = await createHttpClient(server.url, { connections: 1 });
  onTestFinished(() => client.close());
  const request = { method: "GET", path: "/_sim/health" };
  // From now on there is a connection.
  await client.send("", { request, timeoutMs: 20_000 });

  const sending = client.send("", { request, timeoutMs: 200 });
  // It goes out a round of the event loop later.
  await setImmediate();
  await setImmediate();
  // This whole process, its timers too, does nothing else meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  expect(await sending).toMatchObject({ outcome: "answered", status: 200 });
});
