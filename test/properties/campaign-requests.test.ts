/** Random command sequences sent in every way, right and wrong, and answered in every form. */

import { test } from "vitest";
import { expectCampaign } from "./campaign.ts";
import { requests } from "./campaigns.ts";

const name = "how a request is read and answered is the oracle's, and every run keeps the laws";

test(name, { timeout: 240_000 }, () => {
  expectCampaign({
    test: name,
    file: "test/properties/campaign-requests.test.ts",
    sequences: 255,
    mostCommands: 40,
    ...requests,
    places: [
      "refused as missing_parameter",
      "refused as invalid_parameter",
      "refused as unknown_parameter",
      "refused as duplicate_parameter",
      "refused as malformed_body",
      "refused as unsupported_media_type",
      "a refusal without a route",
      "a redirect",
      "a slash that makes no difference",
      "a HEAD that succeeds",
      "a refusal without a key: 401",
      "a refusal without a key: 401-bare",
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
      "ids as long",
      "ids as url-unsafe",
      "a body with extra members",
      "a body that is shuffled",
    ],
  });
});
