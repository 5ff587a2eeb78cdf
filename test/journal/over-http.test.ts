/** Exports over HTTP: the same bytes as in process, except for a connection's headers; and safe addresses. */

import { describe, expect, test } from "vitest";
import { createControl } from "../../src/control/control.ts";
import { type ApiResponse, createSimulator } from "../../src/index.ts";
import { startServer } from "../../src/server.ts";
import { createWorlds } from "../../src/simulator/worlds.ts";
import { fakerPerson } from "../../src/world/publishers/people.ts";
import { otherForm, parityOptions, recordRequests } from "../parity-requests.ts";

/** Headers that an HTTP client adds. */
const transportHeaders: readonly string[] = [
  "accept",
  "accept-encoding",
  "accept-language",
  "connection",
  "content-length",
  "host",
  "sec-fetch-mode",
  "transfer-encoding",
  "user-agent",
];

interface Exported {
  readonly request: { readonly headers: Record<string, string> | { readonly name: string }[] };
}

/** The same text without the transport's request headers, otherwise unchanged. */
function withoutTransport(text: string): string {
  return JSON.stringify(JSON.parse(text), (key, value: unknown) => {
    if (key !== "request") return value;
    const { headers, ...rest } = value as Exported["request"];
    const kept = Array.isArray(headers)
      ? headers.filter(({ name }) => !transportHeaders.includes(name))
      : Object.fromEntries(
          Object.entries(headers).filter(([name]) => !transportHeaders.includes(name)),
        );
    return { headers: kept, ...rest };
  });
}

describe.each([
  ["the defaults", parityOptions],
  ["another form", otherForm],
])("under %s", (_, options) => {
  test("the same requests give the same export in process and over HTTP", async () => {
    const sim = createSimulator(options);
    const server = await startServer({ ...options, port: 0 });
    // Of a body over the limit the HTTP server keeps only as much as it needs to refuse it.
    const requests = recordRequests(options).filter(({ body = "" }) => body.length <= 65_536);
    expect(requests.length).toBeGreaterThan(150);
    try {
      for (const { target, ...request } of requests) {
        sim.handle({ ...request, path: target });
        const { body = null, ...rest } = request;
        await fetch(server.url + target, { ...rest, body, redirect: "manual" });
      }
      const read = async (query: string): Promise<string> =>
        (await fetch(`${server.url}/_sim/journal?${query}`)).text();

      for (const secrets of ["redacted", "shown"] as const) {
        const lines = (await read(`format=ndjson&secrets=${secrets}`)).split("\n");
        const expected = sim.journal.toNdjson({ secrets }).split("\n");
        expect(lines).toHaveLength(requests.length + 1);
        for (const [index, line] of lines.slice(0, -1).entries()) {
          expect(withoutTransport(line)).toBe(withoutTransport(expected[index] ?? ""));
        }
        const har = withoutTransport(await read(`format=har&secrets=${secrets}`));
        expect(har).toBe(withoutTransport(sim.journal.toHar({ secrets, baseUrl: server.url })));
      }
    } finally {
      await server.close();
    }
  });
});

describe("addresses", () => {
  const worlds = createWorlds({
    options: {},
    host: { people: () => fakerPerson },
    control: createControl(),
  });
  const get = (path: string, host: string): ApiResponse =>
    worlds.handle({ method: "GET", path, headers: { Host: host } });

  test.each(["ads.test:8080", "localhost", "127.0.0.1:80", "[::1]:4010"])(
    "a HAR has the address that it was requested at, with the world's prefix: %s",
    (host) => {
      worlds.get("mine").journal.clear();
      get("/@mine/v1/publisher/stats?a=b", "other.test");
      const { headers, body } = get("/@mine/_sim/journal?format=har", host);
      expect(headers["content-type"]).toBe("application/json");
      const [entry] = JSON.parse(body).log.entries;
      const base = new URL(`http://${host}/@mine`).href;
      expect(entry.request.url).toBe(`${base}/v1/publisher/stats?a=b`);
      const lines = get("/@mine/_sim/journal?format=ndjson", host);
      expect(lines.headers["content-type"]).toBe("application/x-ndjson");
      expect(lines.body).toContain('curl \\"$ADSIM_URL/v1/');
    },
  );

  test.each([
    "a.test:1;id",
    "$(id)",
    '"',
    "`id`",
    "a.test/",
    "a.test:$PORT",
    "user@a.test",
    "a.test:99999",
    "",
  ])("an address that is unsafe in a shell or viewer is not repeated: %s", (host) => {
    get("/@odd/v1/nope", "ads.test");
    const { body } = get("/@odd/_sim/journal?limit=1", host);
    expect(JSON.parse(body).entries[0].nearest.paste).toContain('curl "$ADSIM_URL/v1/');
    const har = get("/@odd/_sim/journal?limit=1&format=har", host);
    expect(JSON.parse(har.body).log.entries[0].request.url).toBe("http://adsim.invalid/v1/nope");
  });
});
