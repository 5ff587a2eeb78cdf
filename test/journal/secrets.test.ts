/** The values of headers that carry credentials leave adsim only where somebody asks for them. Nothing else is hidden. */

import { expect, test } from "vitest";
import { createSimulator, type JournalFilter, type Simulator } from "../../src/index.ts";

/** All exports of a journal in one text. */
function everything({ journal }: Pick<Simulator, "journal">, filter?: JournalFilter): string {
  const entries = JSON.stringify(journal.entries(filter));
  return entries + journal.toNdjson(filter) + journal.toHar(filter);
}

const credentials = {
  Authorization: "Bearer the-key",
  "proxy-authorization": "Basic the-proxy",
  Cookie: "session=the-cookie",
  "X-Api-Key": "the-other-key",
};

function afterOneRequest(): Pick<Simulator, "journal"> {
  const sim = createSimulator();
  const headers = { ...credentials, "x-payee": "someone" };
  sim.handle({ method: "POST", path: "/v1/click", headers, query: "key=key_1", body: "key_2" });
  return sim;
}

test("the values of headers that carry credentials are replaced in every export", () => {
  const sim = afterOneRequest();
  for (const value of Object.values(credentials)) expect(everything(sim)).not.toContain(value);
  expect(sim.journal.entries()[0]?.request).toMatchObject({
    headers: {
      authorization: "(redacted)",
      "proxy-authorization": "(redacted)",
      cookie: "(redacted)",
      "x-api-key": "(redacted)",
      "x-payee": "someone",
    },
    query: "key=key_1",
    body: "key_2",
  });
});

test("they are shown if they are asked for", () => {
  const shown = everything(afterOneRequest(), { secrets: "shown" });
  for (const value of Object.values(credentials)) expect(shown).toContain(value);
  expect(shown).not.toContain("(redacted)");
});
