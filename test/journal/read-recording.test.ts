/** What is accepted as a recording by adsim, and what is read from it. */

import { expect, test } from "vitest";
import { readRecording } from "../../src/journal/read-recording.ts";

const entry = {
  ...{ sequence: 1, at: "2026-01-15T00:00:01.000Z", operation: "stats", publisher: "pub_a" },
  request: { method: "GET", path: "/v1/publisher/stats", query: "a=b", headers: { a: "1" } },
  response: { status: 200, headers: { "content-length": "2" }, body: "{}" },
};
const { request, response, ...details } = entry;
const line = JSON.stringify(entry);

/** A HAR with the lines that an editor would show. */
function har(...entries: readonly object[]): string[] {
  return JSON.stringify({ log: { version: "1.2", entries } }, undefined, 2).split("\n");
}

function harEntry(url: string, more: object = {}): object {
  const content = { text: "{}", size: 2 };
  return { request: { method: "GET", url }, response: { status: 200, content }, ...more };
}

test.each([
  ["a line", [line]],
  ["lines", [line, "", JSON.stringify({ ...entry, sequence: 2 })]],
  ["a list", [`[${line}]`]],
  ["a list on many lines", JSON.stringify([entry], undefined, 2).split("\n")],
  ["what GET /_sim/journal answers", [`{"entries":[${line}],"total":1}`]],
])("a journal is read from %s", (_, lines) => {
  const { form, byAdsim, entries } = readRecording(lines);
  expect([form, byAdsim]).toEqual(["journal", true]);
  expect(entries[0]).toMatchObject({ ...details, request: { ...request, body: "" }, response });
});

test("a journal is in the order in which the world answered, whatever the order of its lines", () => {
  const lines = [3, 1, 2].map((sequence) => JSON.stringify({ ...entry, sequence }));
  const { entries } = readRecording(lines);
  expect(entries.map(({ place }) => place)).toEqual(["line 2", "line 3", "line 1"]);
});

const lost = { status: 200, headers: { a: "own" }, body: "own" };

test.each([
  ["the service's own answer", { served: true, lost }, { response: lost, leftOut: undefined }],
  ["no answer of the service", { served: false }, { leftOut: "kept-from-service" }],
])("where a fault rule came between, both have %s", (_, fault, expected) => {
  const inHar = harEntry("http://h/v1/publisher/stats", { _adsim: { ...details, fault } });
  for (const lines of [[JSON.stringify({ ...entry, fault })], har(inHar)])
    expect(readRecording(lines).entries[0]).toMatchObject(expected);
});

test("a forged request to the control API is left out", () => {
  const path = "/@other/_sim/reset";
  const forged = JSON.stringify({ ...entry, request: { ...request, path } });
  const url = "http://h/v1/publisher/stats";
  const inHar = har(harEntry(url), harEntry(`http://h${path}`, { _adsim: details }));
  const found = [[forged], inHar].map((lines) => readRecording(lines).entries.at(-1)?.leftOut);
  expect(found).toEqual(["control", "control"]);
});

test("a body may be base64, wasn't recorded, or is empty; pseudo-headers of HTTP/2 are left out", () => {
  const pairs = { ":authority": "h", "X-A": "1", "x-a": "2" };
  const headers = Object.entries(pairs).map(([name, value]) => ({ name, value }));
  const post = (postData: object, content: object): object => ({
    request: { method: "POST", url: "https://h/v1/click", headers, postData },
    response: { status: 200, content },
  });
  const { entries } = readRecording(
    har(
      post({ text: "{}" }, { text: "e30=", encoding: "base64" }),
      post({ text: "/w==", encoding: "base64" }, { size: 9 }),
      post({}, { size: 0 }),
    ),
  );
  const bodies = entries.map(({ request, response }) => [request.body, response.body]);
  expect(bodies).toEqual([
    ["{}", "{}"],
    ["\ufffd", undefined],
    ["", ""],
  ]);
  expect(entries[1]?.request).toMatchObject({ bodyBase64: "/w==", headers: { "x-a": "1, 2" } });
});

test.each<[what: string, lines: readonly string[], says: string]>([
  ["nothing", [""], "is empty"],
  ["an empty HAR", har(), "has no request"],
  ["no HAR", ['{"log":{}}'], "log.entries must be a list"],
  ["a text", ["once upon a time"], "neither NDJSON nor HAR: it is not valid JSON"],
  ["a cut HAR", har(harEntry("http://h/")).slice(0, -3), "is damaged"],
  ["JSON of another kind", ['{"a":1}'], "neither a journal's entries nor a HAR"],
  ["a cut line", [line, '{"sequence":2,'], "line 2 is not valid JSON"],
  ["a line without its response", [line, '{"request":{}}'], "line 2: request.method is required"],
  ["a time that is none", [line.replace("2026-01-15T00:00:01.000Z", "soon")], "line 1: at must be"],
  ["one request twice", [line, line], "line 2 has request 1 again"],
  ["wrong base64", [line.replace('"body"', '"bodyBase64"')], "line 1: response.bodyBase64 must be"],
])("an invalid recording's error says what is wrong, and where: %s", (_, lines, says) => {
  expect(() => readRecording(lines)).toThrow(says);
});
