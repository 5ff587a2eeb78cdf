/** Random command sequences sent in every way, right and wrong, and answered in every form. */

import { test } from "vitest";
import { expectCampaign } from "./campaign.ts";

const name =
  "the oracle predicts how each request is parsed and answered, and every run keeps the invariants";

test(name, { timeout: 240_000 }, () => {
  expectCampaign({
    test: name,
    file: "test/properties/campaign-requests.test.ts",
    sequences: 255,
    leastSequences: 90,
    mostCommands: 40,
    about: [
      "request.encoding",
      "request.values",
      "auth.failure",
      "auth.key-scope",
      "errors.body",
      "errors.invalid",
      "limit.algorithm",
      "click.unknown",
      "surface.unknown",
      "ids.format",
      "response.form",
    ],
    weights: { advance: 10 },
    unusualOneIn: 2,
    places: [
      "refused as missing_parameter",
      "refused as invalid_parameter",
      "refused as unknown_parameter",
      "refused as duplicate_parameter",
      "refused as malformed_body",
      "refused as unsupported_media_type",
      "a refusal without a route",
      "a HEAD that succeeds",
      "a refusal without a key: 401",
      "a refusal without a key: 403",
      "bearer in another case",
      "a foreign publisher",
      "a publisher that doesn't exist",
      "a key that was rotated away",
      "an error as problem",
      "an error as envelope",
      "an error as flat",
      "an error as list",
      "an error as text",
      "an error as html",
      "an error as empty",
      "ids as prefixed",
      "ids as uuid",
      "ids as digits",
      "ids as url-unsafe",
      "a body with extra members, shuffled",
    ],
  });
});
