/** What an answer may repeat of a request, and what an object query may contain. */

import { describe, expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";

test("a lone surrogate in an object query is answered, not thrown", () => {
  const sim = createSimulator();
  const { apiKey } = sim.publishers.at(0);
  const response = sim.handle({
    method: "GET",
    path: "/v1/publisher/stats",
    query: { publisher_id: "\ud800", "\udfff": "x" },
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect(response.status).toBe(404);
});

describe("a repeated parameter's name", () => {
  const sim = createSimulator();
  const headers = { authorization: `Bearer ${sim.publishers.at(0).apiKey}` };
  const askTwice = (name: string, value = "1"): { parameter: string; detail: string } => {
    const query = `${name}=1&${name}=${value}`;
    const path = "/v1/publisher/stats";
    return JSON.parse(sim.handle({ method: "GET", path, query, headers }).body);
  };

  test.each(["publisher_id", "from"])("is included if the operation has it: %s", (name) => {
    const { parameter, detail } = askTwice(name);
    expect(parameter).toBe(name);
    expect(detail).toBe(`${name} was sent more than once in the query. Send it once.`);
  });

  test.each(["a1", "publisher_id[]"])(
    "of a malformed value is included if it is printable: %s",
    (name) => {
      const { parameter, detail } = askTwice(name, "%ff");
      expect(parameter).toBe(name);
      expect(detail).toBe(`${name} is not valid percent-encoded UTF-8.`);
    },
  );
});

test.each([
  ["publisherId", "You sent publisherId; the name is spelled publisher_id."],
  ["publisher_id[]", "You sent publisher_id[]; the name is spelled publisher_id."],
  ["publisher_id💩", "You sent publisher_id💩; the name is spelled publisher_id."],
])("a parameter with a similar name is suggested: %s", (name, hint) => {
  const sim = createSimulator();
  const headers = { authorization: `Bearer ${sim.publishers.at(0).apiKey}` };
  const path = "/v1/publisher/stats";
  const response = sim.handle({ method: "GET", path, query: { [name]: "1" }, headers });
  expect(JSON.parse(response.body).detail).toContain(hint);
});

test("an unknown parameter is named, shortened", () => {
  const strict = createSimulator({ assumptions: { "request.values": "strict" } });
  const { id, apiKey } = strict.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  const detailFor = (name: string): string => {
    const query = { publisher_id: id, [name]: "1" };
    const path = "/v1/publisher/stats";
    return JSON.parse(strict.handle({ method: "GET", path, query, headers }).body).detail;
  };
  expect(detailFor("a1")).toMatch(/^a1 is unknown/);
  expect(detailFor("a".repeat(100))).toMatch(/^a{59}… is unknown/);
});
