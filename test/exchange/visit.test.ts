/** What is kept of a request while it is handled. */

import { expect, test } from "vitest";
import { RequestContext } from "../../src/exchange/request-context.ts";
import { createSimulatorCore } from "../../src/simulator/core.ts";
import { fakerPerson } from "../../src/world/publishers/people.ts";

test("the journal keeps the text of a body, not the caller's object", () => {
  const core = createSimulatorCore({}, { people: () => fakerPerson });
  const [publisher] = core.publishers.credentials(1);
  const body = { publisher_id: publisher?.id, surface: publisher?.surfaces[0]?.id, ad_id: "ad" };
  const headers = { authorization: `Bearer ${publisher?.apiKey}` };
  expect(core.handle({ method: "POST", path: "/v1/impression", headers, body }).status).toBe(200);
  const [record] = core.journal.records().records;
  expect(record).toBeInstanceOf(RequestContext);
  expect(record).toMatchObject({
    body: JSON.stringify(body),
    request: { body: JSON.stringify(body) },
  });
});
