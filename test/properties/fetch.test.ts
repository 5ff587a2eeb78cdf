/** R4 in this process: `sim.fetch` gives the bytes of `sim.handle`. Other transports: test/parity.test.ts. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { arbitraryRequest } from "../../src/testing.ts";
import { anyAssumptions } from "./assumptions.ts";
import { checkAsyncProperty } from "./check-property.ts";

const name = "R4: fetch answers a request with the bytes of handle";

/** Mostly assumptions about the form of answers, which fetch might change. */
const cases = anyAssumptions(["errors.body", "response.form", "ids.format"]).chain(
  (assumptions) => {
    const sim = createSimulator({ assumptions });
    const requests = arbitraryRequest({ sim }).map(({ request }) => request);
    return fc.tuple(fc.constant(assumptions), fc.array(requests, { maxLength: 12 }));
  },
);

test(name, { timeout: 60_000 }, async () => {
  await checkAsyncProperty(
    { test: name, file: "test/properties/fetch.test.ts", runs: 60 },
    fc.asyncProperty(cases, async ([assumptions, requests]) => {
      const [direct, fetched] = [
        createSimulator({ assumptions }),
        createSimulator({ assumptions }),
      ];
      for (const request of requests) {
        const { method, path, query, headers, body } = request;
        const expected = direct.handle(request);
        const response = await fetched.fetch(
          `http://sim.test${path}${query === undefined ? "" : `?${String(query)}`}`,
          { method, headers: headers ?? {}, body: typeof body === "string" ? body : null },
        );
        const answered = {
          status: response.status,
          headers: Object.fromEntries(response.headers),
          body: await response.text(),
        };
        expect(answered).toEqual(expected);
      }
      expect(fetched.snapshot()).toEqual(direct.snapshot());
    }),
  );
});
