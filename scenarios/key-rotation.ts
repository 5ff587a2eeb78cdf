/** What a client must survive: its API key is replaced while events are in flight. */

import { defineScenario } from "../src/scenario.ts";
import { assume, clickOn, credited, error, leaves, ref, report, sameAs } from "./words.ts";

const key = ref("rotation.oldKey");
const dead = error(401, "unauthorized");

export const scenario = defineScenario({
  name: "key-rotation",
  about:
    "The API key is rotated while events are on their way. The old key gets 401 at once and for good. Impressions recorded with the old key stay, and can be clicked with the new one. The client sends refused events again, and they count once.",
  steps: [
    { impression: { session_id: "before" }, as: "before", expect: credited },
    { stats: {}, expect: leaves(59) },
    { rotateKey: {}, as: "rotation" },
    { expect: { of: "rotation.apiKey", is: { not: key } } },
    {
      impression: { session_id: "mid-flight" },
      key,
      note: "It was on its way when the key was rotated.",
      expect: {
        ...dead,
        headers: { "www-authenticate": { startsWith: "Bearer" }, "x-ratelimit-remaining": "10000" },
      },
    },
    {
      parallel: {
        steps: [
          { impression: { session_id: "parallel-1" }, key, expect: dead },
          { impression: { session_id: "parallel-2" }, expect: credited },
          clickOn("before", { key, expect: dead }),
          { stats: {}, key, expect: dead },
          { payouts: {}, key, expect: dead },
          { surfaces: {}, key, expect: dead },
        ],
      },
      note: "Half of the client already has the new key.",
    },
    {
      impression: { session_id: "mid-flight" },
      note: "What was refused counts now. Refusals with a dead key cost the publisher no quota.",
      expect: { ...leaves(9997), ...credited },
    },
    {
      impression: { session_id: "before" },
      note: "What was recorded with the old key is still recognised.",
      expect: sameAs("before"),
    },
    clickOn("before", { expect: { ...leaves(9995), ...credited } }),
    {
      stats: {},
      note: "The reporting limit is per key: the new one has it all.",
      expect: leaves(59),
    },
    { rotateKey: {}, note: "Once more: neither of the two earlier keys is valid." },
    { surfaces: {}, key: ref("rotation.apiKey"), expect: dead },
    { surfaces: {}, key, expect: dead },
    { surfaces: {}, expect: leaves(59) },
    assume("auth.failure", "403", "This service refuses it in another way."),
    {
      surfaces: {},
      key,
      expect: { ...error(403, "unauthorized"), headers: { "www-authenticate": { absent: true } } },
    },
    { publisher: 1, impression: {}, note: "All other keys still work.", expect: leaves(9999) },
  ],
  expectations: [report(["2026-01-15"], { impressions: 3, clicks: 1 })],
});
