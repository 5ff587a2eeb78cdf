/** Exports of the journal: NDJSON that can be replayed line by line, and HAR that viewers open; both read back whole. */

import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { VERSION } from "../../src/base/version.ts";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { readRecording } from "../../src/journal/read-recording.ts";
import { askSurfaces, bearer, record } from "./asking.ts";
import { harSchema } from "./har-schema.ts";

type Tree = { readonly [name: string]: Tree };
type Log = Readonly<Record<"pages" | "entries", readonly Tree[]>>;
type Exported = Pick<Simulator, "journal">;

const validate = new Ajv({ strict: false, allErrors: true }).compile(harSchema);

/** The HAR's log, which is valid. */
function logOf(sim: Exported, filter?: Parameters<Simulator["journal"]["toHar"]>[0]): Log {
  const har: { readonly log: Log } = JSON.parse(sim.journal.toHar(filter));
  expect(validate(har), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
  return har.log;
}

function linesOf({ journal }: Exported): Tree[] {
  const lines = journal.toNdjson().split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

test("NDJSON has a line for each entry as entries() returns it, with the world that answered", () => {
  const assumptions = { "dedup.repeat": "conflict" } as const;
  const sim = createSimulator({ seed: "x", publishers: 3, profile: "tiny", assumptions });
  expect(sim.journal.toNdjson()).toBe("");
  askSurfaces(sim, 0);
  sim.assume({ "errors.body": "flat", "dedup.repeat": "original-uncredited" });
  sim.handle({ method: "GET", path: "/nope" });
  const before: object[] = JSON.parse(JSON.stringify(sim.journal.entries()));
  const world = { seed: "x", start: "2026-01-15T00:00:00.000Z", publishers: 3, profile: "tiny" };
  expect(linesOf(sim)).toEqual([
    { ...before[0], world: { ...world, assumptions } },
    { ...before[1], world: { ...world, assumptions: { "errors.body": "flat" } } },
  ]);
  sim.restore(createSimulator({ seed: "other", start: "2026-02-01" }).snapshot());
  askSurfaces(sim, 0);
  const other = { seed: "other", start: "2026-02-01T00:00:00.000Z", assumptions: {} };
  expect(linesOf(sim).at(-1)).toMatchObject({ world: other });
});

describe("HAR", () => {
  test("has the request as it was sent, with an absolute URL", () => {
    const sim = createSimulator();
    const type = "application/x-www-form-urlencoded";
    const headers = { ...bearer(sim, 0), "Content-Type": type };
    const query = "a=%20b+c&d&e=ü#";
    sim.handle({ method: "POST", path: "/v1/click", query, headers, body: "impression_id=a%2Fb" });
    const baseUrl = "http://127.0.0.1:4010/@mine/";
    const [entry] = logOf(sim, { secrets: "shown", baseUrl }).entries;
    expect(entry?.request).toMatchObject({
      method: "POST",
      url: "http://127.0.0.1:4010/@mine/v1/click?a=%20b+c&d&e=%C3%BC%23",
      queryString: [
        { name: "a", value: " b c" },
        { name: "d", value: "" },
        { name: "e", value: "ü#" },
      ],
      postData: { mimeType: type, text: "impression_id=a%2Fb" },
      bodySize: 19,
    });
    expect(logOf(sim).entries[0]?.request?.url).toMatch(/^http:\/\/adsim\.invalid\/v1\/click\?/);
  });

  test("puts every entry on one page, and the fields that HAR lacks under _adsim", () => {
    const sim = createSimulator();
    const creator = { name: "adsim", version: VERSION };
    expect(logOf(sim)).toMatchObject({ creator, pages: [], entries: [] });
    askSurfaces(sim, 0);
    sim.clock.advance(1234);
    const headers = { location: "../a" };
    sim.faults.add({ verdict: { kind: "respond", status: 308, headers, delay: 250 } });
    askSurfaces(sim, 0);
    const { pages, entries } = logOf(sim);
    expect(entries.map(({ pageref }) => pageref)).toEqual([pages[0]?.id, pages[0]?.id]);
    const timings = { send: 0, wait: 250, receive: 0 };
    // Chrome takes 0 for pending.
    expect(entries).toMatchObject([
      { time: 0.001, response: { status: 200, redirectURL: "" } },
      { time: 250, timings, response: { status: 308, redirectURL: "../a" } },
    ]);
    expect(entries[1]?.startedDateTime).toBe("2026-01-15T00:00:01.234Z");
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
    const content = { encoding: "base64", text: expect.stringMatching(/^\//) };
    expect(garbage?.response).toMatchObject({ content });
    expect(dropped?.response).toMatchObject({ status: 0, _error: "net::ERR_FAILED" });
    expect(text).toMatchObject({
      request: { postData: { text: "\ufffd\ufffd", _base64: "//4=" }, bodySize: 2 },
      response: { content: { text: "é€", size: 5 }, bodySize: 5 },
    });
    expect(text?.response?.content).not.toHaveProperty("encoding");
  });
});

test("whatever is sent, both exports read back whole, and the HAR is valid", () => {
  const odd = '\ud800 \0"<>\\^`{|}%zz é';
  const sim = createSimulator();
  sim.faults.add({ match: { every: 2 }, verdict: { kind: "truncate", share: 0.5 } });
  sim.faults.add({ match: { every: 3 }, verdict: { kind: "garbage" } });
  for (const body of [
    "",
    odd,
    "\ufeff{",
    Uint8Array.of(0, 0x80),
    Uint8Array.of(0xef, 0xbb, 0xbf),
  ]) {
    const headers = { cookie: ";=;a", "content-type": odd, "x-odd": odd };
    sim.handle({ method: odd, path: `/${odd}`, query: `${odd}&=&${odd}=1`, headers, body });
    record(sim, 0);
  }
  const { journal } = sim;
  const shown = journal.entries();
  expect(logOf(sim).entries).toHaveLength(shown.length);
  const ndjson = readRecording(journal.toNdjson().split("\n")).entries;
  const har = readRecording([journal.toHar()]).entries;
  for (const [index, { sequence, at, publisher, request, response, fault }] of shown.entries()) {
    const { status, headers, body, bodyBase64 } = fault?.lost ?? response;
    const answer = { status, headers, body, ...(bodyBase64 !== undefined && { bodyBase64 }) };
    const known = { sequence, at, publisher, response: answer, leftOut: undefined };
    expect(ndjson[index]).toMatchObject({ ...known, request });
    // A URL can't have all characters.
    const { path: _path, query: _query, ...sent } = request;
    expect(har[index]).toMatchObject({ ...known, request: sent });
  }
});

test("values of headers with credentials are replaced in every export, unless they are asked for", () => {
  const { journal, handle } = createSimulator();
  const credentials = {
    ...{ Authorization: "Bearer the-key", "proxy-authorization": "Basic the-proxy" },
    ...{ Cookie: "session=the-cookie", "X-Api-Key": "the-other-key" },
  };
  const headers = { ...credentials, "x-payee": "someone" };
  handle({ method: "POST", path: "/v1/click", headers, query: "key=key_1", body: "key_2" });
  for (const secrets of ["redacted", "shown"] as const) {
    const entries = JSON.stringify(journal.entries({ secrets }));
    for (const text of [entries, journal.toNdjson({ secrets }), journal.toHar({ secrets })]) {
      for (const value of Object.values(credentials))
        expect(text.includes(value)).toBe(secrets === "shown");
      for (const value of ["someone", "key=key_1", "key_2"]) expect(text).toContain(value);
      expect(text.match(/\(redacted\)/g) ?? []).toHaveLength(secrets === "shown" ? 0 : 4);
    }
  }
});
