/** What a service must do: a key is sent as a Bearer token (§5.2). */

import { defineScenario } from "../../src/scenario.ts";
import { refusal } from "../words.ts";

export const scenario = defineScenario({
  name: "spec-bearer",
  about:
    "The key is sent in the header Authorization after the word Bearer. The word without a key isn't accepted, and another scheme with a name and a password that nobody has isn't, either.",
  steps: [
    { stats: {}, headers: { authorization: "Basic cHVibGlzaGVyOmtleQ==" }, expect: refusal },
    { stats: {}, headers: { authorization: "Bearer" }, expect: refusal },
    { stats: {}, expect: { status: 200 } },
  ],
});
