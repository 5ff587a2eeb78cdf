/** What a service must do: a key that is bound to its publisher opens nothing of another (§5.4). */

import { defineScenario } from "../../src/scenario.ts";
import { clickOn, ref, refusal } from "../words.ts";

const publisher_id = ref("publishers.1.id");
const surface = ref("publishers.1.surfaces.0.id");

export const scenario = defineScenario({
  name: "spec-other-publisher",
  about:
    "With one publisher's key nothing of another is read, recorded or clicked. It is for services whose keys are bound to a publisher: say so with the assumption auth.key-scope. It needs two publishers.",
  assumptions: { "auth.key-scope": "publisher" },
  steps: [
    { stats: { publisher_id }, expect: refusal },
    { surfaces: { publisher_id }, expect: refusal },
    { payouts: { publisher_id }, expect: refusal },
    { impression: { publisher_id, surface, session_id: "not mine" }, expect: refusal },
    { publisher: 1, impression: { session_id: "theirs" }, as: "theirs", expect: { status: 200 } },
    clickOn("theirs", { expect: refusal }),
  ],
});
