/** Exports of the journal: NDJSON that can be replayed line by line, and HAR that viewers open; both read back whole. */

import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { VERSION } from "../../src/base/version.ts";
import { catalogue, createSimulator, type Simulator } from "../../src/index.ts";
import { readRecording } from "../../src/journal/read-recording.ts";
import { askSurfaces, bearer, record } from "./asking.ts";
import { harSchema } from "./har-schema.ts";

interface Tree {
  readonly [name: string]: Tree;
}
interface Log {
  readonly pages: readonly Tree[];
  readonly entries: readonly Tree[];
}
type Exported = Pick<Simulator, "journal">;

const validate = new Ajv({ strict: false, allErrors: true }).compile(harSchema);

/** The HAR's log, which is valid. */
function logOf(sim: Exported, filter?: Parameters<Simulator["journal"]["toHar"]>[0]): Log {
  const har: { readonly log: Log } = JSON.parse(sim.journal.toHar(filter));
  expect(validate(har), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
  return har.log;
}

function linesOf({ journal }: Exported): Tree[] {
  return journal
    .toNdjson()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

describe("NDJSON", () => {
  test("has a line for each entry as entries() returns it, with the world that answered", () => {
    const sim = createSimulator({ seed: "x", publishers: 3, profile: "tiny" });
    expect(sim.journal.toNdjson()).toBe("");
    askSurfaces(sim, 0);
    sim.handle({ method: "GET", path: "/nope" });
    const start = "2026-01-15T00:00:00.000Z";
    const world = { seed: "x", start, publishers: 3, profile: "tiny", assumptions: {} };
    const entries: object[] = JSON.parse(JSON.stringify(sim.journal.entries()));
    expect(linesOf(sim)).toEqual(entries.map((entry) => ({ ...entry, world })));
  });

  test("has the assumptions, seed and start under which each request was answered", () => {
    const sim = createSimulator({ assumptions: { "dedup.repeat": "conflict" } });
    askSurfaces(sim, 0);
    sim.assume({ "errors.body": "flat", "dedup.repeat": catalogue["dedup.repeat"].default });
    askSurfaces(sim, 0);
    sim.restore(createSimulator({ seed: "other", start: "2026-02-01" }).snapshot());
    askSurfaces(sim, 0);
    const worlds = linesOf(sim).map(({ world }) => [world?.seed, world?.start, world?.assumptions]);
    expect(worlds).toEqual([
      ["adsim", "2026-01-15T00:00:00.000Z", { "dedup.repeat": "conflict" }],
      ["adsim", "2026-01-15T00:00:00.000Z", { "errors.body": "flat" }],
      ["other", "2026-02-01T00:00:00.000Z", {}],
    ]);
  });
});

describe("HAR", () => {
  test("of an empty journal is a log without entries that names the version", () => {
    const creator = { name: "adsim", version: VERSION };
    expect(logOf(createSimulator())).toMatchObject({ creator, pages: [], entries: [] });
  });

  test("has the request as it was sent, with an absolute URL", () => {
    const sim = createSimulator();
    sim.handle({
      ...{ method: "POST", path: "/v1/click", query: "a=%20b+c&d&e=ü#" },
      headers: { ...bearer(sim, 0), "Content-Type": "application/x-www-form-urlencoded" },
      body: "impression_id=a%2Fb",
    });
    const baseUrl = "http://127.0.0.1:4010/@mine/";
    expect(logOf(sim, { secrets: "shown", baseUrl }).entries[0]?.request).toMatchObject({
      method: "POST",
      url: "http://127.0.0.1:4010/@mine/v1/click?a=%20b+c&d&e=%C3%BC%23",
      queryString: [
        { name: "a", value: " b c" },
        { name: "d", value: "" },
        { name: "e", value: "ü#" },
      ],
      postData: { mimeType: "application/x-www-form-urlencoded", text: "impression_id=a%2Fb" },
      bodySize: 19,
    });
    const request = logOf(sim).entries[0]?.request;
    expect(request?.headers).toContainEqual({ name: "authorization", value: "(redacted)" });
    expect(request?.url).toMatch(/^http:\/\/adsim\.invalid\/v1\/click\?/);
  });

  test("puts every entry on one page, and the fields that HAR lacks under _adsim", () => {
    const sim = createSimulator();
    askSurfaces(sim, 0);
    sim.clock.advance(1234);
    const verdict = { kind: "respond", status: 308, headers: { location: "../a" } } as const;
    sim.faults.add({ verdict: { ...verdict, delay: 250 } });
    askSurfaces(sim, 0);
    const { pages, entries } = logOf(sim);
    expect(entries.map(({ pageref }) => pageref)).toEqual([pages[0]?.id, pages[0]?.id]);
    expect(entries).toMatchObject([
      // Chrome takes 0 for pending.
      { time: 0.001, response: { status: 200, redirectURL: "" } },
      {
        startedDateTime: "2026-01-15T00:00:01.234Z",
        ...{ time: 250, timings: { send: 0, wait: 250, receive: 0 } },
        response: { status: 308, redirectURL: "../a" },
      },
    ]);
    const kept = linesOf(sim).map(({ request: _, response: __, ...rest }) => rest);
    expect(entries.map(({ _adsim }) => _adsim)).toEqual(kept);
  });

  test("has binary bodies in base64, sizes in bytes, and an error where no response came", () => {
    const sim = createSimulator();
    sim.faults.add({ match: { operation: "surfaces", nth: 1 }, verdict: { kind: "garbage" } });
    sim.faults.add({ match: { operation: "surfaces" }, verdict: { kind: "drop" } });
    sim.faults.add({ verdict: { kind: "respond", status: 200, body: "é€" } });
    askSurfaces(sim, 0);
    askSurfaces(sim, 0);
    sim.handle({ method: "POST", path: "/v1/click", body: Uint8Array.of(0xff, 0xfe) });
    const [garbage, dropped, text] = logOf(sim).entries;
    expect(garbage?.response?.content).toMatchObject({ encoding: "base64" });
    expect(Buffer.from(String(garbage?.response?.content?.text), "base64")[0]).toBe(0xff);
    expect(dropped?.response).toMatchObject({ status: 0, _error: "net::ERR_FAILED" });
    expect(text).toMatchObject({
      request: { postData: { text: "\ufffd\ufffd", _base64: "//4=" }, bodySize: 2 },
      response: { content: { text: "é€", size: 5 }, bodySize: 5 },
    });
    expect(text?.response?.content).not.toHaveProperty("encoding");
  });
});

describe("whatever is sent", () => {
  const odd = '\ud800 \0"<>\\^`{|}%zz é';
  const bodies = [
    "",
    odd,
    "{}",
    "\ufeff{",
    Uint8Array.of(0, 0x80),
    Uint8Array.of(0xef, 0xbb, 0xbf),
  ];

  test("both exports read back whole, and the HAR is valid", () => {
    const sim = createSimulator();
    sim.faults.add({ match: { every: 2 }, verdict: { kind: "truncate", share: 0.5 } });
    sim.faults.add({ match: { every: 3 }, verdict: { kind: "garbage" } });
    for (const body of bodies) {
      const headers = { cookie: ";=;a", "content-type": odd, "x-odd": odd };
      sim.handle({ method: odd, path: `/${odd}`, query: `${odd}&=&${odd}=1`, headers, body });
      record(sim, 0);
    }
    const { journal } = sim;
    const [ndjson, har] = [journal.toNdjson().split("\n"), [journal.toHar()]].map(readRecording);
    const shown = journal.entries();
    expect(logOf(sim).entries).toHaveLength(shown.length);
    expect(ndjson?.entries).toHaveLength(shown.length);
    for (const [index, { sequence, at, publisher, request, response, fault }] of shown.entries()) {
      const { status, headers, body, bodyBase64 } = fault?.lost ?? response;
      const answer = { status, headers, body, ...(bodyBase64 !== undefined && { bodyBase64 }) };
      const known = { sequence, at, publisher, request, response: answer };
      expect(ndjson?.entries[index]).toMatchObject(known);
      // A URL can't have all characters.
      const { path: _path, query: _query, ...sent } = request;
      expect(har?.entries[index]).toMatchObject({ ...known, request: sent });
    }
    expect(har?.entries.map(({ leftOut }) => leftOut)).toEqual(shown.map(() => undefined));
  });
});
