/** What a service must do: a request without a required parameter isn't answered with 200 (§4). */

import { defineScenario, type Step } from "../../src/scenario.ts";
import { ref, refusal, statsAround, unchanged } from "../words.ts";

const publisher_id = ref("publishers.0.id");
const surface = ref("publishers.0.surfaces.0.id");

type Body = NonNullable<Extract<Step, { readonly raw?: unknown }>["raw"]>["body"];

function post(path: string, body: Body, note: string): Step {
  return {
    raw: { method: "POST", path, ...(body !== undefined && { body }) },
    note,
    expect: refusal,
  };
}

export const scenario = defineScenario({
  name: "spec-required",
  about:
    "Each endpoint has parameters that it requires. A request that lacks one of them is refused, as is one whose body can't be read, and nothing is recorded.",
  steps: statsAround(unchanged, [
    post("/v1/impression", { publisher_id, ad_id: "ad-1" }, "Without surface."),
    post("/v1/impression", { publisher_id, surface }, "Without ad_id."),
    post("/v1/impression", { surface, ad_id: "ad-1" }, "Without publisher_id."),
    post("/v1/impression", '{"publisher_id":', "With half a body."),
    post("/v1/click", {}, "Without impression_id."),
    ...["stats", "surfaces", "payouts"].map(
      (what): Step => ({
        raw: { method: "GET", path: `/v1/publisher/${what}` },
        note: "Without publisher_id.",
        expect: refusal,
      }),
    ),
  ]),
});
