/** What is accepted as a recording, and what is read from it. */

import { describe, expect, test } from "vitest";
import { readRecording } from "../../src/journal/read-recording.ts";

const entry = {
  sequence: 1,
  at: "2026-01-15T00:00:01.000Z",
  operation: "stats",
  publisher: "pub_a",
  request: {
    method: "GET",
    path: "/v1/publisher/stats",
    query: "a=b",
    headers: { A: "1" },
    body: "",
  },
  response: { status: 200, headers: { "content-length": "2" }, body: "{}" },
  reason: "ok",
};

function har(entries: readonly object[]): string[] {
  return JSON.stringify({ log: { version: "1.2", entries } }, undefined, 2).split("\n");
}

function harEntry(url: string, more: object = {}): object {
  return {
    startedDateTime: "2026-03-01T10:00:00.000Z",
    request: { method: "GET", url, headers: [{ name: "Accept", value: "*/*" }] },
    response: { status: 200, headers: [], content: { text: "{}", size: 2 } },
    ...more,
  };
}

function whyRefused(lines: readonly string[]): string {
  try {
    readRecording(lines);
  } catch (error) {
    return String(error);
  }
  return "";
}

describe("a journal", () => {
  test("is read from lines, a single line, a list and the answer of GET /_sim/journal", () => {
    const line = JSON.stringify(entry);
    const second = JSON.stringify({ ...entry, sequence: 2 });
    for (const lines of [
      [line],
      [line, "", second],
      [`[${line},${second}]`],
      [`{"entries":[${line}],"total":1}`],
      JSON.stringify([entry], undefined, 2).split("\n"),
    ]) {
      const { form, byAdsim, exchanges } = readRecording(lines);
      expect({ form, byAdsim }).toEqual({ form: "journal", byAdsim: true });
      expect(exchanges[0]).toMatchObject({
        sequence: 1,
        atMs: Date.parse(entry.at),
        publisher: "pub_a",
        request: { method: "GET", headers: { a: "1" }, query: "a=b" },
        response: { status: 200, body: "{}" },
      });
    }
  });

  test("is sorted by sequence number, whatever the order of its lines", () => {
    const lines = [3, 1, 2].map((sequence) => JSON.stringify({ ...entry, sequence }));
    const { exchanges } = readRecording(lines);
    expect(exchanges.map(({ sequence, place }) => [sequence, place])).toEqual([
      [1, "line 2"],
      [2, "line 3"],
      [3, "line 1"],
    ]);
  });

  test("has the service's own answer where a fault rule kept it from the client", () => {
    const lost = { status: 200, headers: { A: "own" }, body: "own" };
    const fault = { rule: "r", kind: "truncate", delayMs: 0, served: true, received: "part", lost };
    const [exchange] = readRecording([JSON.stringify({ ...entry, fault })]).exchanges;
    expect(exchange).toMatchObject({ response: { body: "own", headers: { a: "own" } } });
    expect(exchange?.skip).toBe(undefined);
  });

  test("marks requests that a fault rule kept from the service as not to be sent again", () => {
    const fault = { rule: "r", kind: "drop", delayMs: 0, served: false, received: "nothing" };
    const [exchange] = readRecording([JSON.stringify({ ...entry, fault })]).exchanges;
    expect(exchange?.skip).toBe("kept-from-service");
  });

  test.each(["/_sim/reset", "/_sim", "/_sim?a=b", "/@other/_sim/reset", "/@other/_sim"])(
    "never sends a forged request to the control API: %s",
    (path) => {
      const { request: _, ...rest } = entry;
      const forged = { ...entry, request: { ...entry.request, method: "POST", path } };
      const [line] = readRecording([JSON.stringify(forged)]).exchanges;
      const [inHar] = readRecording(har([harEntry(`http://h${path}`, { _adsim: rest })])).exchanges;
      expect([line?.skip, inHar?.skip]).toEqual(["control", "control"]);
    },
  );
});

describe("a HAR", () => {
  test("of adsim has its entries' details in _adsim", () => {
    const { request: _one, response: _other, ...rest } = entry;
    const fault = { served: true, lost: { status: 200, headers: {}, body: "whole" } };
    const { byAdsim, exchanges } = readRecording(
      har([harEntry("http://h/v1/publisher/stats?a=%zz", { _adsim: { ...rest, fault } })]),
    );
    expect(byAdsim).toBe(true);
    expect(exchanges[0]).toMatchObject({
      place: "entry 1",
      sequence: 1,
      publisher: "pub_a",
      request: { path: "/v1/publisher/stats", query: "a=%zz" },
      response: { body: "whole" },
    });
  });

  test("of another tool keeps only the API's requests below its base URL", () => {
    const { byAdsim, exchanges } = readRecording(
      har([
        harEntry("https://h/page.html"),
        harEntry("https://h/@w/v1/publisher/stats?publisher_id=p#top"),
        harEntry("https://h/@w/_sim/clock"),
        harEntry("https://elsewhere/@w/v1/publisher/stats"),
        harEntry("https://h/@w/v1/click", { response: { status: 0, headers: [] } }),
      ]),
    );
    expect(byAdsim).toBe(false);
    expect(exchanges.map(({ request, skip }) => [request.path, request.query, skip])).toEqual([
      ["/page.html", "", "not-the-api"],
      ["/v1/publisher/stats", "publisher_id=p", undefined],
      ["/_sim/clock", "", "control"],
      ["/v1/publisher/stats", "", "not-the-api"],
      ["/v1/click", "", "no-response-recorded"],
    ]);
  });

  test("may have bodies as text, in base64, as parsed forms, or none", () => {
    const post = (postData: object, content: object): object => ({
      ...harEntry("https://h/v1/click"),
      request: {
        method: "POST",
        url: "https://h/v1/click",
        headers: [
          { name: ":authority", value: "h" },
          { name: "X-A", value: "1" },
          { name: "x-a", value: "2" },
        ],
        postData,
      },
      response: { status: 200, headers: [], content },
    });
    const { exchanges } = readRecording(
      har([
        post({ text: "{}" }, { text: "e30=", encoding: "base64" }),
        post({ params: [{ name: "impression_id", value: "a b" }] }, { size: 9 }),
        post({ text: "e30=", encoding: "base64" }, { size: 0 }),
      ]),
    );
    const braces = new TextEncoder().encode("{}");
    expect(exchanges.map(({ request, response }) => [request.body, response.body])).toEqual([
      ["{}", braces],
      ["impression_id=a+b", undefined],
      [braces, ""],
    ]);
    expect(exchanges[0]?.request.headers).toEqual({ "x-a": "1, 2" });
  });
});

describe("an invalid recording's error says what it is, or which part is broken", () => {
  test.each([
    ["nothing", [""], "empty"],
    ["an empty HAR", har([]), "has no request"],
    ["a text", ["once upon a time"], "neither NDJSON nor HAR"],
    ["a cut HAR", har([harEntry("https://h/v1/click")]).slice(0, -3), "neither NDJSON nor HAR"],
    ["JSON of another kind", ['{"a":1}'], "neither a journal's entries nor a HAR"],
    ["a snapshot", ['{"format":"adsim-snapshot"}'], "--load"],
    ["a cut line", [JSON.stringify(entry), '{"sequence":2,'], "line 2"],
    ["a line without its response", [JSON.stringify(entry), '{"request":{}}'], "line 2"],
    [
      "a status that is no number",
      [JSON.stringify({ ...entry, response: { status: "200" } })],
      "line 1: response.status",
    ],
    [
      "a time that is none",
      [JSON.stringify({ ...entry, at: "soon" })],
      "line 1: at must be an instant",
    ],
    [
      "one request twice",
      [JSON.stringify(entry), JSON.stringify(entry)],
      "has request 1 twice, in line 1 and in line 2",
    ],
    [
      "a HAR entry without a URL",
      har([harEntry("https://h/v1/click"), { request: { method: "GET" } }]),
      "log.entries.1.request.url",
    ],
    [
      "a HAR body that isn't base64",
      har([
        harEntry("https://h/v1/click", {
          response: { status: 200, content: { text: "?", encoding: "base64" } },
        }),
      ]),
      "log.entries.0.response.content.text",
    ],
  ])("%s", (_, lines, expected) => {
    expect(whyRefused(lines)).toMatch(/^RecordingError: /);
    expect(whyRefused(lines)).toContain(expected);
  });
});
