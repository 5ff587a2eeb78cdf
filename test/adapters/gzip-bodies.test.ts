/** Bodies with a Content-Encoding: gzip is unpacked on every transport, within the limit of a body. */

import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { startServer } from "../../src/server.ts";
import { listeners } from "../msw-versions.ts";

const options = { seed: "gzip" };
const { id, apiKey, surfaces } = createSimulator(options).publishers.at(0);
const impression = JSON.stringify({ publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad" });

interface Transport {
  readonly sim: Pick<Simulator, "journal">;
  readonly send: typeof fetch;
  readonly base: string;
}

const base = "https://gzip.invalid";

const transports: Readonly<Record<string, () => Transport | Promise<Transport>>> = {
  async HTTP() {
    const server = await startServer({ ...options, port: 0 });
    onTestFinished(() => server.close());
    return { sim: server.worlds.get("default"), send: fetch, base: server.url };
  },
  "sim.fetch"() {
    const sim = createSimulator(options);
    return { sim, send: sim.fetch, base };
  },
  MSW() {
    const sim = createSimulator(options);
    onTestFinished(listeners["MSW 3"](sim, base));
    // It replaces the global `fetch` when it listens.
    return { sim, send: fetch, base };
  },
};

const packed = gzipSync(impression);
const broken = Buffer.concat([packed.subarray(0, 12), Buffer.alloc(9), packed.subarray(21)]);
const refused = [415, "unsupported_media_type"];

describe.each(Object.entries(transports))("%s", (_, open) => {
  test.each<[string, string, Uint8Array, readonly unknown[]]>([
    ["gzip", "gzip", packed, [200, undefined]],
    ["its other name", "x-gzip", packed, [200, undefined]],
    ["as long as a body may be", "gzip", gzipSync(Buffer.alloc(65_536)), [400, "malformed_body"]],
    ["longer", "gzip", gzipSync(Buffer.alloc(65_537)), [413, "body_too_large"]],
    ["much longer", "gzip", gzipSync(Buffer.alloc(1_000_000)), [413, "body_too_large"]],
    ["another coding", "br", brotliCompressSync(impression), refused],
    ["not packed", "gzip", Buffer.from(impression), refused],
    ["cut", "gzip", packed.subarray(0, -9), refused],
    ["broken", "gzip", broken, refused],
  ])("%s", async (_what, coding, bytes, expected) => {
    const { sim, send, ...transport } = await open();
    const headers = {
      ...{ authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      "content-encoding": coding,
    };
    const body = new Uint8Array(bytes);
    const response = await send(`${transport.base}/v1/impression`, {
      method: "POST",
      headers,
      body,
    });
    expect([response.status, (await response.json()).code]).toEqual(expected);
    const [entry] = sim.journal.entries();
    if (response.status !== 200) return;
    expect(entry?.request.body).toBe(impression);
    expect(entry?.request.headers).not.toHaveProperty("content-encoding");
  });
});
