/** Exports over HTTP: the same bytes as in process, except for a connection's headers; and safe addresses. */

import { expect, test } from "vitest";
import { controlModules } from "../../src/adapters/control-modules.ts";
import { ambientHeaders } from "../../src/audit/nearest/curl.ts";
import { createControl } from "../../src/control/control.ts";
import { createSimulator } from "../../src/index.ts";
import { startServer } from "../../src/server.ts";
import { createWorlds } from "../../src/simulator/worlds.ts";
import { fakerPerson } from "../../src/world/publishers/people.ts";
import { parityOptions, recordRequests } from "../parity-requests.ts";

/** The same text without the headers that an HTTP client adds to requests. */
function withoutAmbient(text: string): string {
  return JSON.stringify(JSON.parse(text), (key, value) => {
    if (key !== "request") return value;
    const isHar = Array.isArray(value.headers);
    const headers = Object.entries<{ name: string }>(value.headers).flatMap(([name, header]) =>
      ambientHeaders.has(isHar ? header.name : name) ? [] : [header],
    );
    return { ...value, headers };
  });
}

test("the same requests give the same export in process and over HTTP", async () => {
  const sim = createSimulator(parityOptions);
  const server = await startServer({ ...parityOptions, port: 0 });
  try {
    // Of a body over the limit the HTTP server keeps only as much as it needs to refuse it.
    const requests = recordRequests(parityOptions).filter(({ body = "" }) => body.length <= 65_536);
    expect(requests.length).toBeGreaterThan(100);
    for (const { target, body = null, ...rest } of requests) {
      sim.handle({ ...rest, path: target, ...(body !== null && { body }) });
      await fetch(server.url + target, { ...rest, body, redirect: "manual" });
    }
    const read = async (query: string): Promise<string> =>
      (await fetch(`${server.url}/_sim/journal?${query}`)).text();
    const texts = [await read("format=ndjson"), sim.journal.toNdjson()];
    const [lines, expected] = texts.map((text) => text.trimEnd().split("\n").map(withoutAmbient));
    expect(lines).toHaveLength(requests.length);
    expect(lines).toEqual(expected);
    const har = sim.journal.toHar({ secrets: "shown", baseUrl: server.url });
    expect(withoutAmbient(await read("format=har&secrets=shown"))).toBe(withoutAmbient(har));
  } finally {
    await server.close();
  }
});

const invalid = "http://adsim.invalid";

test.each([
  ["ads.test:8080", "http://ads.test:8080/@mine"],
  ["localhost", "http://localhost/@mine"],
  ["127.0.0.1:80", "http://127.0.0.1/@mine"],
  ["[::1]:4010", "http://[::1]:4010/@mine"],
  ...["a.test:1;id", "$(id)", '"', "a.test/", "user@a.test", "a.test:99999", ""].map((host) => [
    host,
    invalid,
  ]),
])(
  "an export has the address that it was requested at, unless that is unsafe: %s",
  (host, base) => {
    const host_ = { people: () => fakerPerson };
    const worlds = createWorlds({
      options: {},
      host: host_,
      control: createControl(controlModules),
    });
    const get = (path: string) => worlds.handle({ method: "GET", path, headers: { Host: host } });
    get("/@mine/v1/nope?a=b");
    const [entry] = JSON.parse(get("/@mine/_sim/journal?format=har").body).log.entries;
    expect(entry.request.url).toBe(`${base}/v1/nope?a=b`);
  },
);
