/** What a service must do: a key is sent as a Bearer token (§5.2). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-bearer",
  about:
    "The key is sent in the header Authorization after the word Bearer. The same key under another scheme, or in the query, isn't accepted.",
  steps: [
    {
      stats: {},
      headers: { authorization: "Basic cHVibGlzaGVyOmtleQ==" },
      expect: { status: { not: 200 } },
    },
    {
      raw: {
        method: "GET",
        path: "/v1/publisher/surfaces",
        query: {
          publisher_id: { ref: "publishers.0.id" },
          api_key: { ref: "publishers.0.apiKey" },
        },
      },
      key: null,
      expect: { status: { not: 200 } },
    },
  ],
});
