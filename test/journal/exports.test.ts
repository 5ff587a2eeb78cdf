/** Exports of the journal: NDJSON that can be replayed line by line, and HAR that viewers open. */

import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { catalogue, createSimulator, type Simulator } from "../../src/index.ts";
import { askSurfaces, bearer, record } from "./asking.ts";
import { harSchema } from "./har-schema.ts";

interface Har {
  readonly log: {
    readonly version: string;
    readonly creator: { readonly name: string; readonly version: string };
    readonly pages: readonly { readonly id: string; readonly startedDateTime: string }[];
    readonly entries: readonly HarEntry[];
  };
}

interface HarEntry {
  readonly pageref: string;
  readonly startedDateTime: string;
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly object[];
    readonly cookies: readonly object[];
    readonly queryString: readonly object[];
    readonly postData?: Readonly<Record<string, unknown>>;
    readonly bodySize: number;
  };
  readonly response: {
    readonly status: number;
    readonly statusText: string;
    readonly content: Readonly<Record<string, unknown>>;
    readonly cookies: readonly object[];
    readonly redirectURL: string;
    readonly bodySize: number;
    readonly _error?: string;
  };
  readonly timings: Readonly<Record<string, number>>;
  readonly _adsim: { readonly sequence: number; readonly world: object; readonly fault?: object };
}

const validate = new Ajv({ strict: false, allErrors: true }).compile(harSchema);

function harOf(
  sim: Pick<Simulator, "journal">,
  filter?: Parameters<Simulator["journal"]["toHar"]>[0],
): Har {
  const har: unknown = JSON.parse(sim.journal.toHar(filter));
  expect(validate(har), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
  return har as Har;
}

function linesOf(sim: Pick<Simulator, "journal">): { sequence: number; world: object }[] {
  return sim.journal
    .toNdjson()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

describe("NDJSON", () => {
  test("has a line for each entry as entries() returns it, with the world that answered", () => {
    const sim = createSimulator({ seed: "x", publishers: 3, profile: "tiny" });
    askSurfaces(sim, 0);
    sim.handle({ method: "GET", path: "/nope" });
    const world = {
      seed: "x",
      start: "2026-01-15T00:00:00.000Z",
      publishers: 3,
      profile: "tiny",
      assumptions: {},
    };
    const entries = JSON.parse(JSON.stringify(sim.journal.entries())) as object[];
    expect(linesOf(sim)).toEqual(entries.map((entry) => ({ ...entry, world })));
  });

  test("has the assumptions, seed and start under which each request was answered", () => {
    const assumptions = { "dedup.repeat": "conflict" } as const;
    const sim = createSimulator({ assumptions });
    askSurfaces(sim, 0);
    sim.assume({ "errors.body": "flat", "dedup.repeat": catalogue["dedup.repeat"].default });
    askSurfaces(sim, 0);
    sim.restore(createSimulator({ seed: "other", start: "2026-02-01" }).snapshot());
    askSurfaces(sim, 0);
    const worlds = linesOf(sim).map(({ world }) => world);
    expect(worlds).toMatchObject([
      { seed: "adsim", assumptions: { "dedup.repeat": "conflict" } },
      { seed: "adsim", assumptions: { "errors.body": "flat" } },
      { seed: "other", start: "2026-02-01T00:00:00.000Z", assumptions: {} },
    ]);
    expect(worlds[1]).toHaveProperty("assumptions", { "errors.body": "flat" });
  });

  test("of an empty journal is empty", () => {
    expect(createSimulator().journal.toNdjson()).toBe("");
  });

  test("keeps binary bytes in base64, and a byte order mark as it is", () => {
    const sim = createSimulator();
    const bytes = Uint8Array.of(0x7b, 0xff, 0x7d);
    sim.handle({ method: "POST", path: "/v1/click", body: bytes });
    sim.handle({ method: "POST", path: "/v1/click", body: Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b) });
    const bodies = sim.journal.entries().map(({ request }) => [request.body, request.bodyBase64]);
    expect(bodies).toEqual([
      ["{\ufffd}", Buffer.from(bytes).toString("base64")],
      ["\ufeff{", undefined],
    ]);
  });
});

describe("HAR", () => {
  test("of an empty journal is a log without entries", () => {
    expect(harOf(createSimulator()).log).toMatchObject({ version: "1.2", pages: [], entries: [] });
  });

  test("names the version of this package", () => {
    const manifest: unknown = JSON.parse(readFileSync("package.json", "utf8"));
    const { version } = manifest as { readonly version: string };
    expect(harOf(createSimulator()).log.creator).toEqual({ name: "adsim", version });
  });

  test("has the request as it was sent, with an absolute URL", () => {
    const sim = createSimulator();
    sim.handle({
      method: "POST",
      path: "/v1/click",
      query: "a=%20b+c&d&e=ü#",
      headers: {
        ...bearer(sim, 0),
        "Content-Type": "application/x-www-form-urlencoded",
        cookie: "session=1; theme=dark",
      },
      body: "impression_id=a%2Fb",
    });
    const shown = { secrets: "shown", baseUrl: "http://127.0.0.1:4010/@mine/" } as const;
    expect(harOf(sim, shown).log.entries[0]?.request).toMatchObject({
      method: "POST",
      url: "http://127.0.0.1:4010/@mine/v1/click?a=%20b+c&d&e=%C3%BC%23",
      cookies: [
        { name: "session", value: "1" },
        { name: "theme", value: "dark" },
      ],
      queryString: [
        { name: "a", value: " b c" },
        { name: "d", value: "" },
        { name: "e", value: "ü#" },
      ],
      postData: {
        mimeType: "application/x-www-form-urlencoded",
        params: [{ name: "impression_id", value: "a/b" }],
        text: "impression_id=a%2Fb",
      },
      bodySize: 19,
    });
    const [entry] = harOf(sim).log.entries;
    expect(entry?.request.headers).toContainEqual({ name: "authorization", value: "(redacted)" });
    expect(entry?.request.cookies).toEqual([]);
    expect(entry?.request.url).toMatch(/^http:\/\/adsim\.invalid\/v1\/click\?/);
  });

  test("puts every entry on one page, and the fields that HAR lacks under _adsim", () => {
    const sim = createSimulator();
    askSurfaces(sim, 0);
    sim.clock.advance(1234);
    const headers = { location: "../stats?a=b" };
    sim.faults.add({ verdict: { kind: "respond", status: 308, headers } });
    sim.handle({ method: "GET", path: "/v1/publisher/stats/", query: "a=b" });
    const { pages, entries } = harOf(sim).log;
    expect(pages.map(({ id }) => id)).toEqual([...new Set(entries.map(({ pageref }) => pageref))]);
    expect(entries[1]).toMatchObject({
      startedDateTime: "2026-01-15T00:00:01.234Z",
      // Chrome takes 0 for pending.
      time: 0.001,
      response: { status: 308, statusText: "Permanent Redirect", redirectURL: "../stats?a=b" },
    });
    const kept = entries.map(({ _adsim }) => _adsim);
    const lines = linesOf(sim).map(
      ({ request: _, response: __, ...rest }: Record<string, unknown>) => rest,
    );
    expect(kept).toEqual(lines);
  });

  test("has binary bodies in base64, and sizes in bytes", () => {
    const sim = createSimulator();
    sim.faults.add({ match: { operation: "surfaces" }, verdict: { kind: "garbage" } });
    sim.faults.add({ verdict: { kind: "respond", status: 200, body: "é€" } });
    askSurfaces(sim, 0);
    sim.handle({ method: "POST", path: "/v1/click", body: Uint8Array.of(0xff, 0xfe) });
    const [garbage, text] = harOf(sim).log.entries;
    const lost = sim.journal.entries()[0]?.fault?.lost?.body ?? "";
    const bytes = Buffer.from(String(garbage?.response.content.text), "base64");
    expect(bytes[0]).toBe(0xff);
    expect(garbage?.response).toMatchObject({
      content: { encoding: "base64", size: lost.length },
      bodySize: bytes.length,
    });
    expect(text).toMatchObject({
      request: { postData: { text: "\ufffd\ufffd", _base64: "//4=" }, bodySize: 2 },
      response: { content: { text: "é€", size: 5 }, bodySize: 5 },
    });
    expect(text?.response.content).not.toHaveProperty("encoding");
  });

  test("keeps the exact bytes of a body that is cut in the middle of a character", () => {
    const sim = createSimulator({ profile: "adversarial" });
    const place = Array.from({ length: 25 }, (_, index) => index).find((index) =>
      sim.publishers.at(index).surfaces.some(({ name }) => /[^\0-\x7f]/.test(name)),
    );
    if (place === undefined) throw new Error("No publisher has a surface with such a name.");
    askSurfaces(sim, place);
    const whole = Buffer.from(sim.journal.entries()[0]?.response.body ?? "");
    const middle = whole.findIndex((byte) => byte >= 0x80) + 1;
    sim.faults.add({ verdict: { kind: "truncate", atByte: middle } });
    askSurfaces(sim, place);
    const entry = harOf(sim, { after: 1 }).log.entries[0];
    expect(entry?.response).toMatchObject({
      status: 200,
      _error: "net::ERR_CONTENT_LENGTH_MISMATCH",
      content: { encoding: "base64", text: whole.subarray(0, middle).toString("base64") },
    });
  });

  test.each([
    ["net::ERR_EMPTY_RESPONSE", { kind: "drop" }],
    ["net::ERR_EMPTY_RESPONSE", { kind: "empty" }],
    ["net::ERR_CONNECTION_RESET", { kind: "lose-response", as: "reset" }],
    ["net::ERR_TIMED_OUT", { kind: "timeout" }],
    ["net::ERR_INVALID_HTTP_RESPONSE", { kind: "garbage", as: "response" }],
  ] as const)("has error %s for %o, with status 0", (error, verdict) => {
    const sim = createSimulator();
    sim.faults.add({ id: "mine", verdict: { ...verdict, delay: 250 } });
    askSurfaces(sim, 0);
    const [entry] = harOf(sim).log.entries;
    expect(entry).toMatchObject({
      time: 250,
      timings: { send: 0, wait: 250, receive: 0 },
      response: { status: 0, statusText: "", bodySize: -1, _error: error },
      _adsim: { fault: { rule: "mine", kind: verdict.kind } },
    });
  });

  test("shows no response for a client that left, and for the copy of a request", () => {
    const sim = createSimulator();
    sim.faults.add({ match: { nth: 1 }, verdict: { kind: "duplicate" } });
    sim.faults.add({ verdict: { kind: "drip", bytesPerSecond: 100 } });
    record(sim, 0);
    const { id } = sim.publishers.at(0);
    const query = { publisher_id: id };
    const path = "/v1/publisher/surfaces";
    const { delivery } = sim.handle({ method: "GET", path, query, headers: bearer(sim, 0) });
    const dripping = harOf(sim).log.entries[2];
    expect(dripping?.time).toBe((dripping?.response.bodySize ?? 0) * 10);
    delivery?.undelivered();
    const errors = harOf(sim).log.entries.map(({ response }) => [response.status, response._error]);
    expect(errors).toEqual([
      [200, undefined],
      [0, "net::ERR_ABORTED"],
      [0, "net::ERR_ABORTED"],
    ]);
  });

  test("stays valid whatever is sent", () => {
    const sim = createSimulator();
    const odd = '\ud800 \0"<>\\^`{|}%zz é';
    const bodies = ["", odd, "{}", Uint8Array.of(0, 0x80), { a: odd }];
    for (const body of bodies) {
      const headers = { cookie: ";=;a", "content-type": odd, "x-odd": odd };
      sim.handle({ method: odd, path: `/${odd}`, query: `${odd}&=&${odd}=1`, headers, body });
    }
    expect(harOf(sim).log.entries).toHaveLength(bodies.length);
  });
});
