/** What a service must do: the session id is there for de-duplication (§4). */

import { defineScenario } from "../../src/scenario.ts";
import { perhapsGrown, sameAs, statsAround } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-session",
  about:
    "The same impression in the same session is sent twice and counts once. It is for services that answer a duplicate with the first id and no credit: say so with the assumption dedup.repeat.",
  assumptions: { "dedup.repeat": "original-uncredited" },
  steps: statsAround({ impressions: perhapsGrown("impressions", 1) }, [
    { impression: { session_id: "once" }, as: "shown", expect: { status: 200 } },
    { impression: { session_id: "once" }, expect: sameAs("shown") },
  ]),
});
