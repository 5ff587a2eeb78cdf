/** How POST parameters are sent (`request.encoding`): each choice reads its encoding, and errors say what to send. */

import { describe, expect, test } from "vitest";
import type { ApiRequest, ApiResponse } from "../../src/index.ts";
import type { Choice } from "../../src/spec/assumptions/catalogue.ts";
import { createTestClient, type TestClient } from "./test-client.ts";

const path = "/v1/impression";
const ways = ["json", "json without a type", "form", "query", "bytes"] as const;
type Way = (typeof ways)[number];

function requestOf({ publisher, shown }: TestClient, way: Way): ApiRequest {
  const authorization = `Bearer ${publisher.apiKey}`;
  const text = JSON.stringify(shown);
  const pairs = new URLSearchParams(shown).toString();
  const typed = (type: string): Record<string, string> => ({ authorization, "content-type": type });
  const requests: Readonly<Record<Way, ApiRequest>> = {
    json: { method: "POST", path, headers: typed("application/json"), body: text },
    "json without a type": { method: "POST", path, headers: { authorization }, body: text },
    form: {
      method: "POST",
      path,
      headers: typed("application/x-www-form-urlencoded; charset=utf-8"),
      body: pairs,
    },
    query: { method: "POST", path, headers: { authorization }, query: pairs },
    bytes: {
      method: "POST",
      path,
      headers: typed("Application/JSON"),
      body: new TextEncoder().encode(text),
    },
  };
  return requests[way];
}

interface Reading {
  readonly reads: readonly Way[];
  readonly says: string;
}

const choices: Readonly<Record<Choice<"request.encoding">, Reading>> = {
  any: { reads: ways, says: "Send parameters as application/json, as" },
  json: {
    reads: ["json", "json without a type", "bytes"],
    says: "in the body, as application/json",
  },
  form: { reads: ["form"], says: "in the body, as application/x-www-form-urlencoded" },
  query: { reads: ["query"], says: "in the query, and no body" },
};

function expectRefused({ sim }: TestClient, response: ApiResponse, says: string): void {
  expect(response.status).toBe(415);
  const { code, detail } = JSON.parse(response.body);
  expect(code).toBe("unsupported_media_type");
  expect(detail).toContain(says);
  expect(sim.journal.entries({ limit: 1 })[0]?.assumptions).toContain("request.encoding");
}

describe.each(Object.entries(choices))("%s", (choice, { reads, says }) => {
  const encoding = choice as Choice<"request.encoding">;
  const ask = (more: object = {}): TestClient =>
    createTestClient({ "request.encoding": encoding, ...more });

  test.each(ways)("parameters as %s", (way) => {
    const asker = ask();
    const response = asker.send(requestOf(asker, way));
    if (reads.includes(way)) {
      expect(response.status).toBe(200);
      expect(asker.sim.journal.entries()[0]?.assumptions).toContain("request.encoding");
    } else if (encoding === "form" && way === "json without a type") {
      // A form with one unusual name.
      expect([response.status, JSON.parse(response.body).code]).toEqual([400, "missing_parameter"]);
    } else expectRefused(asker, response, says);
  });

  test("a body of an unsupported type", () => {
    const asker = ask();
    const headers = {
      authorization: `Bearer ${asker.publisher.apiKey}`,
      "content-type": "text/plain",
    };
    expectRefused(asker, asker.send({ method: "POST", path, headers, body: "a" }), says);
  });

  test("without body and parameters, the first required parameter is missing", () => {
    const asker = ask();
    for (const query of ["", "colour=red"]) {
      const response = asker.send({ method: "POST", path, query });
      expect([response.status, JSON.parse(response.body)]).toMatchObject([
        400,
        {
          code: "missing_parameter",
          parameter: "publisher_id",
          detail: "publisher_id is required.",
        },
      ]);
    }
  });

  test("an unknown name in the query is an unknown field", () => {
    const [way = "json"] = reads;
    for (const [unknown, status] of [
      ["lenient", 200],
      ["strict", 400],
    ] as const) {
      const asker = ask({ "request.values": unknown });
      const request = requestOf(asker, way);
      const query = request.query === undefined ? "colour=red" : `${request.query}&colour=red`;
      const response = asker.send({ ...request, query });
      expect(response.status).toBe(status);
      expect(asker.sim.journal.entries()[0]?.assumptions).toContain("request.values");
    }
  });

  test("the reporting endpoints still read their query", () => {
    expect(ask().get("/v1/publisher/stats").status).toBe(200);
  });
});

describe.each(["json", "form"] as const)("under %s", (encoding) => {
  test("one parameter in the query beside a valid body is refused, and nothing is recorded", () => {
    const asker = createTestClient({ "request.encoding": encoding });
    const before = asker.get("/v1/publisher/stats").body;
    const request = { ...requestOf(asker, encoding), query: "session_id=s" };
    expectRefused(asker, asker.send(request), "none in the query");
    expect(asker.get("/v1/publisher/stats").body).toBe(before);
  });

  test("an unknown name in both query and body is ignored, as it would be in one", () => {
    const asker = createTestClient({ "request.encoding": encoding });
    const request = requestOf(asker, encoding);
    const colour = encoding === "json" ? ',"colour":"red"}' : "&colour=red";
    const body = `${String(request.body).replace(/}$/, "")}${colour}`;
    expect(asker.send({ ...request, body, query: "colour=blue&colour=red" }).status).toBe(200);
  });

  test("a malformed query is refused as malformed", () => {
    const asker = createTestClient({ "request.encoding": encoding });
    const response = asker.send({ ...requestOf(asker, encoding), query: "a=%zz" });
    expect([response.status, JSON.parse(response.body).code]).toEqual([400, "invalid_parameter"]);
  });
});

test("a body without a content type is read as a form where forms are expected", () => {
  const asker = createTestClient({ "request.encoding": "form" });
  const body = new URLSearchParams(asker.shown).toString();
  expect(asker.post(path, body).status).toBe(200);
});

test("a body with a Content-Encoding is refused where bodies are read", () => {
  for (const encoding of ["json", "form"] as const) {
    const asker = createTestClient({ "request.encoding": encoding });
    const request = requestOf(asker, encoding);
    const headers = { ...request.headers, "content-encoding": "gzip" };
    const { status, body } = asker.send({ ...request, headers });
    expect([status, JSON.parse(body).detail]).toEqual([
      415,
      expect.stringContaining("Content-Encoding"),
    ]);
  }
});

test("an object is sent as JSON unless its sender sets another type", () => {
  const { sim, post, shown } = createTestClient({ "request.encoding": "form" });
  const { status } = post(path, shown);
  expect(status).toBe(415);
  const [entry] = sim.journal.entries();
  expect(entry?.request.headers["content-type"]).toBe("application/json");
});
