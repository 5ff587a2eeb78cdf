/** What a service must do: no endpoint works without an API key (§5.1). */

import { defineScenario } from "../../src/scenario.ts";
import { statsAround, strangersWith, unchanged } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-no-key",
  about:
    "Every endpoint requires an API key. Without one, every request is refused, and nothing is recorded.",
  steps: statsAround(unchanged, strangersWith(null)),
});
