/** Redirects for a path that ends with a slash (`http.trailing-slash`: 308). */

import { describe, expect, test } from "vitest";
import type { Assumptions } from "../../src/spec/assumptions/catalogue.ts";
import { operations } from "../../src/spec/operations.ts";
import { createTestClient, type TestClient } from "./test-client.ts";

const redirects = { "http.trailing-slash": "308" } as const;
const ask = (more: Partial<Assumptions> = {}): TestClient =>
  createTestClient({ ...redirects, ...more });

test.each(Object.values(operations))(
  "$method $path/ redirects to the path without it",
  (operation) => {
    const { send, sim } = ask();
    const response = send({ method: operation.method, path: `${operation.path}/`, query: "a=1&b" });
    expect(response).toEqual({
      status: 308,
      headers: {
        vary: "Origin",
        location: `../${operation.path.split("/").at(-1)}?a=1&b`,
        "content-length": "0",
        "x-ratelimit-remaining": operation.method === "POST" ? "10000" : "60",
      },
      body: "",
    });
    const target = new URL(
      response.headers.location ?? "",
      `http://a.invalid/@w${operation.path}/`,
    );
    expect(target.pathname).toBe(`/@w${operation.path}`);
    const [entry] = sim.journal.entries();
    expect([entry?.reason, entry?.operation, entry?.assumptions]).toEqual([
      "redirected",
      undefined,
      ["http.trailing-slash"],
    ]);
  },
);

test("the redirect comes before authentication and spends no quota", () => {
  const { sim, get } = ask();
  for (let sent = 0; sent < 100; sent += 1) {
    const request = { method: "GET", path: "/v1/publisher/stats/" };
    expect(sim.handle({ ...request, headers: { authorization: "no" } }).status).toBe(308);
    expect(get("/v1/publisher/stats/").status).toBe(308);
  }
  expect(get("/v1/publisher/stats").headers["x-ratelimit-remaining"]).toBe("59");
});

test("a Location without a query has no question mark", () => {
  expect(ask().get("/v1/publisher/stats/", "").headers.location).toBe("../stats");
});

describe("a path that isn't an operation's path plus one slash", () => {
  test.each(["/v1/click//", "/v1/nothing/", "/v1/", "/", "//", "/v1/click/x/"])(
    "%s: 404",
    (path) => {
      expect(ask().send({ method: "POST", path }).status).toBe(404);
    },
  );
});

describe("a method that the path doesn't support", () => {
  test("gets the same answer as on the path itself", () => {
    const response = ask().send({ method: "DELETE", path: "/v1/click/" });
    expect([response.status, response.headers.allow]).toEqual([405, "POST"]);
    expect(
      ask({ "errors.method": "404" }).send({ method: "DELETE", path: "/v1/click/" }).status,
    ).toBe(404);
  });

  test("includes HEAD where HEAD isn't supported", () => {
    const request = { method: "HEAD", path: "/v1/publisher/stats/" };
    expect(ask().send(request).status).toBe(308);
    expect(ask({ "http.head": "405" }).send(request).status).toBe(405);
  });
});

test.each([
  ["a space, a line break and a NUL", " \r\nx: y\0", "%20%0D%0Ax:%20y%00"],
  ["other scripts", "a=नमस्ते 🌱", `a=${encodeURIComponent("नमस्ते 🌱")}`],
  ["a lone surrogate", "a=\ud800", "a=%EF%BF%BD"],
  ["a number sign, which would end the query", "a=#b", "a=%23b"],
  ["DEL", "\x7f", "%7F"],
  ["what is escaped already", "a=%20%zz+b", "a=%20%zz+b"],
])("the Location is a valid header, and keeps the query: %s", (_, query, kept) => {
  const { location } = ask().get("/v1/publisher/stats/", query).headers;
  expect(location).toBe(`../stats?${kept}`);
  expect(location).toMatch(/^[\x21-\x7e]+$/);
  expect(() => new Headers({ location: location ?? "" })).not.toThrow();
});

test("the journal holds no key, although the Location repeats the query", () => {
  const { get, sim, publisher } = ask();
  const { location } = get("/v1/publisher/stats/", `key=${publisher.apiKey}`).headers;
  expect(location).toContain(publisher.apiKey);
  const [entry] = sim.journal.entries();
  expect(entry?.response.headers.location).toBe("../stats?key=(redacted)");
  expect(JSON.stringify(entry)).not.toContain(publisher.apiKey);
});
