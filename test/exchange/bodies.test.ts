/** What a body may contain: no body makes `handle` throw, and an unreadable body gets an error that says why. */

import { describe, expect, test } from "vitest";
import { type ApiRequest, createSimulator, type Simulator } from "../../src/index.ts";

const sim: Simulator = createSimulator();
const { id, apiKey, surfaces } = sim.publishers.at(0);
const authorization = `Bearer ${apiKey}`;
const impression = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad" };

function post(
  body: ApiRequest["body"],
  headers: Readonly<Record<string, string>> = { "content-type": "application/json" },
): { status: number; answer: { code?: string; detail?: string; parameter?: string } } {
  sim.clock.advance("1h");
  const request = { method: "POST", path: "/v1/impression", body };
  const response = sim.handle({ ...request, headers: { ...headers, authorization } });
  return { status: response.status, answer: JSON.parse(response.body) };
}

const circle: { self?: unknown } = {};
circle.self = circle;

const unwritable: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "a BigInt": { ...impression, ad_id: 5n },
  "a cycle": { ...circle },
  "a toJSON that gives nothing": { toJSON: () => undefined },
  "a toJSON that gives a text": { toJSON: () => "text" },
  "a toJSON that throws": {
    toJSON() {
      throw new Error("no");
    },
  },
};

describe("an object that can't be serialised as JSON", () => {
  test.each(Object.entries(unwritable))("is answered and does not throw: %s", (_, body) => {
    expect(post(body)).toMatchObject({ status: 400 });
    expect(sim.journal.entries({ limit: 1 })[0]?.response.status).toBe(400);
  });
});

describe("a byte order mark", () => {
  const marked = `\ufeff${JSON.stringify(impression)}`;

  test.each([
    ["text", marked],
    ["bytes", new TextEncoder().encode(marked)],
  ])("before a JSON body is skipped: %s", (_, body) => {
    expect(post(body).status).toBe(200);
  });
});

describe("a body with a Content-Encoding", () => {
  test.each([
    { "content-encoding": "gzip", "content-type": "application/json" },
    { "Content-Encoding": "br", "Content-Type": "application/json" },
    { "Content-Encoding": "gzip", "content-type": "application/json" },
    { "content-encoding": "identity, gzip", "content-type": "application/json" },
  ])("is refused before it is read, and the error names Content-Encoding: %o", (headers) => {
    for (const body of [JSON.stringify(impression), Uint8Array.of(0x1f, 0x8b, 0xff)]) {
      const { status, answer } = post(body, headers);
      expect([status, answer.code]).toEqual([415, "unsupported_media_type"]);
      expect(answer.detail).toContain("Content-Encoding");
    }
  });

  test.each(["identity", "Identity", ""])(
    "is read if the encoding changes nothing: %j",
    (coding) => {
      const headers = { "content-encoding": coding, "content-type": "application/json" };
      expect(post(JSON.stringify(impression), headers).status).toBe(200);
    },
  );

  test("is refused only if there is a body: without one the query is read", () => {
    const query = { publisher_id: id, surface: surfaces[0]?.id ?? "", ad_id: "ad" };
    const headers = { authorization, "content-encoding": "gzip" };
    sim.clock.advance("1h");
    const request: ApiRequest = { method: "POST", path: "/v1/impression", query, headers };
    expect(sim.handle(request).status).toBe(200);
  });
});

describe("a body over the size limit", () => {
  const headers = { authorization, "content-type": "application/json" };
  const long = "x".repeat(65_536);

  test.each([
    ["an impression", "/v1/impression", { ...impression, session_id: long }],
    ["a click", "/v1/click", { impression_id: long }],
  ])("gets 413, as text, bytes or an object: %s", (_, path, members) => {
    const text = JSON.stringify(members);
    for (const body of [text, new TextEncoder().encode(text), members]) {
      const response = sim.handle({ method: "POST", path, headers, body });
      expect([response.status, JSON.parse(response.body).code]).toEqual([413, "body_too_large"]);
    }
  });

  test("exceeds the limit with one character more", () => {
    const text = JSON.stringify({ ...impression, session_id: "" });
    const filled = (length: number): string =>
      JSON.stringify({ ...impression, session_id: "s".repeat(length - text.length) });
    expect(post(filled(65_536)).status).toBe(200);
    expect(post(filled(65_537)).status).toBe(413);
  });
});
