/** What an answer may repeat of a request, and what an object query may contain. */

import { describe, expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";

describe("a key in the wrong place", () => {
  // One key in 250 has no digit, and looks like a parameter's name.
  const sim = createSimulator({ publishers: 1000 });
  const lettersOnly = sim.publishers.credentials(1000).filter(({ apiKey }) => !/\d/.test(apiKey));

  test("the tested publishers include keys without a digit", () => {
    expect(lettersOnly.length).toBeGreaterThan(0);
  });

  test.each(lettersOnly)("is not echoed as a repeated parameter's name: %$", ({ id, apiKey }) => {
    const authorization = `Bearer ${apiKey}`;
    const query = `publisher_id=${id}&${apiKey}=1&${apiKey}=2&from=%ff`;
    const path = "/v1/publisher/stats";
    const response = sim.handle({ method: "GET", path, query, headers: { authorization } });
    expect(response.status).toBe(400);
    expect(JSON.stringify(response)).not.toContain(apiKey);
  });

  test.each(lettersOnly)("is not echoed as an unknown parameter's name: %$", ({ id, apiKey }) => {
    const strict = createSimulator({
      publishers: 1000,
      assumptions: { "request.values": "strict" },
    });
    const response = strict.handle({
      method: "GET",
      path: "/v1/publisher/stats",
      query: { publisher_id: id, [apiKey]: "1" },
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect(JSON.parse(response.body)).toMatchObject({ code: "unknown_parameter" });
    expect(JSON.stringify(response)).not.toContain(apiKey);
  });
});

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

  test.each(["%00", "a".repeat(60), "%F0%9F%92%A9"])(
    "of a malformed value is left out if it isn't printable: %s",
    (name) => {
      const { detail } = askTwice(name, "%ff");
      expect(detail).toBe("A parameter is not valid percent-encoded UTF-8.");
    },
  );
});

test.each([
  ["publisherId", "You sent publisherId; the name is spelled publisher_id."],
  ["publisher_id[]", "You sent publisher_id[]; the name is spelled publisher_id."],
  ["publisher_id💩", "You sent another spelling; the name is spelled publisher_id."],
])("a parameter with a similar name is suggested: %s", (name, hint) => {
  const sim = createSimulator();
  const headers = { authorization: `Bearer ${sim.publishers.at(0).apiKey}` };
  const path = "/v1/publisher/stats";
  const response = sim.handle({ method: "GET", path, query: { [name]: "1" }, headers });
  expect(JSON.parse(response.body).detail).toContain(hint);
});

test("an unknown parameter is named if its name is printable, and described if not", () => {
  const strict = createSimulator({ assumptions: { "request.values": "strict" } });
  const { id, apiKey } = strict.publishers.at(0);
  const headers = { authorization: `Bearer ${apiKey}` };
  const detailFor = (name: string): string => {
    const query = { publisher_id: id, [name]: "1" };
    const path = "/v1/publisher/stats";
    return JSON.parse(strict.handle({ method: "GET", path, query, headers }).body).detail;
  };
  expect(detailFor("a1")).toMatch(/^a1 is unknown/);
  expect(detailFor("KEY_abcdefghjkmnp")).toMatch(/^A parameter is unknown/);
});
