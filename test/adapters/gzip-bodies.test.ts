/** Bodies with a Content-Encoding: gzip is unpacked on every transport, within the limit of a body. */

import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { startServer } from "../../src/server.ts";
import { listeners } from "../msw-versions.ts";

const options = { seed: "gzip" };
const { id, apiKey, surfaces } = createSimulator(options).publishers.at(0);
const impression = (session_id: string): string =>
  JSON.stringify({ publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad", session_id });

interface Transport {
  readonly sim: Pick<Simulator, "journal">;
  readonly send: typeof fetch;
  readonly base: string;
  close(): unknown;
}

const url = "https://gzip.invalid";

/** MSW replaces the global `fetch` when it listens. */
const patchedFetch: typeof fetch = (input, init) => fetch(input, init);

function withMsw(version: keyof typeof listeners): Transport {
  const sim = createSimulator(options);
  return { sim, send: patchedFetch, base: url, close: listeners[version](sim, url) };
}

const transports: Readonly<Record<string, () => Transport | Promise<Transport>>> = {
  async HTTP() {
    const server = await startServer({ ...options, port: 0 });
    const sim = server.worlds.get("default");
    return { sim, send: fetch, base: server.url, close: () => server.close() };
  },
  "sim.fetch"() {
    const sim = createSimulator(options);
    return { sim, send: sim.fetch, base: url, close: () => undefined };
  },
  "MSW 2": () => withMsw("MSW 2"),
  "MSW 3": () => withMsw("MSW 3"),
};

describe.each(Object.entries(transports))("%s", (_, open) => {
  let transport: Transport;
  beforeAll(async () => {
    transport = await open();
  });
  afterAll(() => transport.close());

  /** The status and the error's code. */
  async function answer(
    coding: string,
    body: Uint8Array<ArrayBuffer> | null,
    { method = "POST", path = "/v1/impression", type = "application/json" } = {},
  ): Promise<readonly unknown[]> {
    const headers = {
      ...{ authorization: `Bearer ${apiKey}`, "content-type": type },
      "content-encoding": coding,
    };
    const { send, base } = transport;
    const response = await send(`${base}${path}`, { method, headers, body });
    const text = await response.text();
    return [response.status, text === "" ? undefined : JSON.parse(text).code];
  }

  test.each(["gzip", "x-gzip", "GZip"])(
    "%s is unpacked, and the journal shows it",
    async (coding) => {
      const body = impression(coding);
      expect(await answer(coding, gzipSync(body))).toEqual([200, undefined]);
      const [entry] = transport.sim.journal.entries({ limit: 1 });
      expect(entry?.request).toMatchObject({ body });
      expect(entry?.request).not.toHaveProperty("bodyBase64");
      expect(entry?.request.headers).not.toHaveProperty("content-encoding");
      expect(entry?.request.headers).not.toHaveProperty("content-length");
    },
  );

  test("a form is unpacked too, and so is an empty body", async () => {
    const type = "application/x-www-form-urlencoded";
    const form = new URLSearchParams(JSON.parse(impression("form"))).toString();
    expect(await answer("gzip", gzipSync(form), { type })).toEqual([200, undefined]);
    const path = `/v1/impression?${form.replace("=form", "=empty")}`;
    expect(await answer("gzip", gzipSync(""), { path })).toEqual([200, undefined]);
    expect(await answer("gzip", null, { path })).toEqual([200, undefined]);
  });

  test.each([
    [65_536, 400],
    [65_537, 413],
    [10_000_000, 413],
  ])("%i bytes after unpacking get %i", async (bytes, status) => {
    expect(await answer("gzip", gzipSync(Buffer.alloc(bytes)))).toMatchObject([
      status,
      expect.anything(),
    ]);
    const [entry] = transport.sim.journal.entries({ limit: 1 });
    expect(entry?.request.body.length).toBeLessThanOrEqual(65_537);
  });

  const packed = gzipSync(impression("broken"));
  test.each([
    ["br", brotliCompressSync(impression("br"))],
    ["gzip, gzip", gzipSync(gzipSync(impression("twice")))],
    ["gzip", Buffer.from(impression("plain"))],
    ["gzip", packed.subarray(0, -9)],
    ["gzip", Buffer.concat([packed.subarray(0, 12), Buffer.alloc(9), packed.subarray(21)])],
  ])("%s that can't be unpacked is refused: %#", async (coding, body) => {
    expect(await answer(coding, new Uint8Array(body))).toEqual([415, "unsupported_media_type"]);
  });

  test("GET needs no body, whatever the header says", async () => {
    const path = `/v1/publisher/surfaces?publisher_id=${id}`;
    for (const method of ["GET", "HEAD"]) {
      expect(await answer("gzip", null, { method, path })).toEqual([200, undefined]);
    }
  });
});
