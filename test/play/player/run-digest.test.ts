/** What a brief adds to the digest of a run. */

import { expect, test } from "vitest";
import { createDigest } from "../../../src/base/digest.ts";
import type { ClientExchange } from "../../../src/invariants/client-exchange.ts";
import { createRunDigest } from "../../../src/play/player/digest.ts";

const texts = ["0", "7", "0059", "9999", "999999", "1234567", "", " 5", "5x", "-1", "1e3", "1.5"];

test.each([...texts, undefined])("a brief reads X-RateLimit-Remaining %o as a number", (left) => {
  const exchange: ClientExchange = {
    operation: "impression",
    atMs: 0,
    request: { method: "POST", path: "/v1/impression", headers: {} },
    outcome: "answered",
    status: 200,
    headers: left === undefined ? {} : { "x-ratelimit-remaining": left },
    text: "body",
    latencyMs: 0,
  };
  const digest = createRunDigest();
  digest.brief(exchange);
  const expected = createDigest();
  expected.number(1200);
  expected.number(Number(left ?? -1));
  expected.number("body".length);
  expect(digest.value()).toBe(expected.value());
});
