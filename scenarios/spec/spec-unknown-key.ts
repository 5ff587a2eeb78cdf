/** What a service must do: every endpoint refuses a key that belongs to no publisher (§5). */

import { defineScenario } from "../../src/scenario.ts";
import { statsAround, strangersWith, unchanged } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-unknown-key",
  about:
    "Every endpoint requires an API key that was given to a publisher. With another one, every request is refused, and nothing is recorded.",
  steps: statsAround(unchanged, strangersWith("no-such-key")),
});
