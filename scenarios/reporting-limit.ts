/** What a client must survive: a dashboard sends the 61st stats request in a minute. The limit applies to the key. */

import { defineScenario } from "../src/scenario.ts";
import { assume, error, leaves, overLimit, ref } from "./words.ts";

export const scenario = defineScenario({
  name: "reporting-limit",
  about:
    "A client sends 61 stats requests in a minute, and the 61st is refused. The three GET endpoints share one limit; impressions and clicks have another. The limit belongs to the API key: another key has its own limit, and a rotated key starts anew. If any key works for every publisher, a request still counts against the limit of the key that sent it.",
  steps: [
    { stats: {}, expect: leaves(59) },
    { surfaces: {}, expect: leaves(58) },
    { payouts: {}, expect: leaves(57) },
    {
      stats: { from: "no date" },
      note: "What is refused for another reason counts too.",
      expect: { ...leaves(56), status: 400 },
    },
    {
      repeat: { times: 56, every: "500ms", steps: [{ stats: {}, as: "sixtieth" }] },
      expect: { sent: 56, ok: 56 },
    },
    { expect: { answer: "sixtieth", ...leaves(0) } },
    {
      stats: {},
      as: "sixtyFirst",
      note: "28 seconds into the minute.",
      expect: { ...overLimit("32"), body: { code: "rate_limited" } },
    },
    { surfaces: {}, expect: overLimit("32") },
    { payouts: {}, expect: overLimit("32") },
    { impression: {}, note: "Recording goes on.", expect: leaves(9999) },
    {
      repeat: { times: 60, steps: [{ stats: {}, publisher: 1 }] },
      note: "The second key has 60 of its own.",
      expect: { sent: 60, ok: 60 },
    },
    { stats: {}, publisher: 1, expect: overLimit("32") },
    { rotateKey: {}, as: "rotation", note: "A new key starts afresh; the old one is dead." },
    { stats: {}, expect: leaves(59) },
    { stats: {}, key: ref("rotation.oldKey"), expect: error(401, "unauthorized") },
    assume("auth.key-scope", "any"),
    {
      stats: { publisher_id: ref("publishers.0.id") },
      publisher: 1,
      note: "If keys serve any publisher, the key's own quota is still spent.",
      expect: overLimit("32"),
    },
    {
      stats: { publisher_id: ref("publishers.1.id") },
      expect: { ...leaves(58), body: { publisher_id: ref("publishers.1.id") } },
    },
    { advance: { retryAfterOf: "sixtyFirst" } },
    { stats: {}, publisher: 1, expect: leaves(59) },
  ],
});
