/** What a service must do: a request without a required parameter isn't answered with 200 (§4). */

import { defineScenario, type Scenario } from "../../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "spec-required",
  about:
    "Each endpoint has parameters that it requires. A request that lacks one of them isn't a success.",
  steps: [
    {
      raw: {
        method: "POST",
        path: "/v1/impression",
        body: { publisher_id: { ref: "publishers.0.id" }, ad_id: "ad-1" },
      },
      note: "Without surface.",
      expect: { status: { not: 200 } },
    },
    {
      raw: {
        method: "POST",
        path: "/v1/impression",
        body: {
          publisher_id: { ref: "publishers.0.id" },
          surface: { ref: "publishers.0.surfaces.0.id" },
        },
      },
      note: "Without ad_id.",
      expect: { status: { not: 200 } },
    },
    {
      raw: { method: "POST", path: "/v1/click", body: {} },
      note: "Without impression_id.",
      expect: { status: { not: 200 } },
    },
    {
      raw: { method: "GET", path: "/v1/publisher/stats" },
      note: "Without publisher_id.",
      expect: { status: { not: 200 } },
    },
  ],
});
