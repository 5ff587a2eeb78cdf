/** R4 in this process: `sim.fetch` gives the bytes of `sim.handle`. Other transports: test/parity.test.ts. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { anyAssumptions } from "./assumptions.ts";
import { checkAsyncProperty } from "./check-property.ts";

const name = "R4: fetch answers a request with the bytes of handle";
const value = fc.oneof(
  fc.constantFrom("", "a", "pub_nobody", "2026-02-29", "2026-01-01", "é 🌱", "&=+%"),
  fc.string({ maxLength: 12 }),
);
const parameter = fc.constantFrom("publisher_id", "surface", "ad_id", "impression_id", "from", "x");
const pairs = fc.array(fc.tuple(parameter, value), { maxLength: 4 });
const request = fc.record({
  method: fc.constantFrom("GET", "GET", "POST", "POST", "PUT", "DELETE", "HEAD"),
  path: fc.constantFrom(
    "/v1/publisher/stats",
    "/v1/publisher/surfaces",
    "/v1/publisher/payouts",
    "/v1/impression",
    "/v1/click",
    "/v1/nowhere",
  ),
  ownIds: fc.boolean(),
  pairs,
  as: fc.constantFrom("json" as const, "form" as const, "query" as const),
  authorized: fc.boolean(),
});

/** Looks of answers, for the most part: what fetch might change. No path ends with a slash, so none is followed. */
const readings = anyAssumptions([
  "errors.body",
  "http.content-type",
  "limit.headers",
  "ids.format",
]);

test(name, { timeout: 60_000 }, async () => {
  await checkAsyncProperty(
    { test: name, file: "test/properties/fetch.test.ts", runs: 60 },
    fc.asyncProperty(
      readings,
      fc.array(request, { maxLength: 12 }),
      async (assumptions, requests) => {
        const [direct, fetched] = [
          createSimulator({ assumptions }),
          createSimulator({ assumptions }),
        ];
        const { id, apiKey, surfaces } = direct.publishers.at(0);
        for (const { method, path, ownIds, as, authorized, ...rest } of requests) {
          const own = { publisher_id: id, surface: surfaces[0]?.id ?? "", ad_id: "ad" };
          const values = { ...Object.fromEntries(rest.pairs), ...(ownIds ? own : {}) };
          const encoded = new URLSearchParams(values).toString();
          const hasBody = as !== "query" && method !== "GET" && method !== "HEAD";
          const query = hasBody ? "" : encoded;
          const body = as === "json" ? JSON.stringify(values) : encoded;
          const type = as === "json" ? "application/json" : "application/x-www-form-urlencoded";
          const headers = {
            ...(authorized ? { authorization: `Bearer ${apiKey}` } : {}),
            ...(hasBody ? { "content-type": type } : {}),
          };
          const expected = direct.handle({
            method,
            path,
            query,
            headers,
            body: hasBody ? body : "",
          });
          const response = await fetched.fetch(`http://sim.test${path}?${query}`, {
            method,
            headers,
            ...(hasBody ? { body } : {}),
          });
          const answered = {
            status: response.status,
            headers: Object.fromEntries(response.headers),
            body: await response.text(),
          };
          expect(answered).toEqual(expected);
        }
        expect(fetched.snapshot()).toEqual(direct.snapshot());
      },
    ),
  );
});
