/** The values of headers that carry credentials leave adsim only where somebody asks for them. Nothing else is hidden. */

import { expect, test } from "vitest";
import { createSimulator } from "../../src/index.ts";

const credentials = {
  Authorization: "Bearer the-key",
  "proxy-authorization": "Basic the-proxy",
  Cookie: "session=the-cookie",
  "X-Api-Key": "the-other-key",
};

test("values of headers with credentials are replaced in every export, unless they are asked for", () => {
  const { journal, handle } = createSimulator();
  const headers = { ...credentials, "x-payee": "someone" };
  handle({ method: "POST", path: "/v1/click", headers, query: "key=key_1", body: "key_2" });
  const exports = (secrets: "redacted" | "shown"): string[] => [
    JSON.stringify(journal.entries({ secrets })),
    journal.toNdjson({ secrets }),
    journal.toHar({ secrets }),
  ];
  for (const text of exports("redacted")) {
    for (const value of Object.values(credentials)) expect(text).not.toContain(value);
    for (const value of ["someone", "key=key_1", "key_2"]) expect(text).toContain(value);
    expect(text.match(/\(redacted\)/g)).toHaveLength(4);
  }
  for (const text of exports("shown")) {
    for (const value of Object.values(credentials)) expect(text).toContain(value);
    expect(text).not.toContain("(redacted)");
  }
});
