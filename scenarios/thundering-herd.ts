/** What a client must survive: a hundred of its processes wait for the same reset and return at once. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "thundering-herd",
  about:
    "A hundred clients with one key are refused, are told the same wait, and come back in the same millisecond. Then 60 are admitted and 40 must wait again. Where quota comes back one request at a time, only one is admitted, and the clients must spread out by a second each.",
  steps: [
    { repeat: { times: 60, steps: [{ stats: {} }] }, expect: { ok: 60 } },
    { advance: "12s" },
    {
      parallel: {
        times: 100,
        steps: [
          { stats: {}, as: "herd", expect: { status: 429, headers: { "retry-after": "48" } } },
        ],
      },
      expect: { sent: 100, ok: 0 },
    },
    { advance: { retryAfterOf: "herd" } },
    {
      parallel: { times: 100, steps: [{ stats: {}, as: "lastOfHerd" }] },
      as: "firstReturn",
      expect: { sent: 100, ok: 60, statuses: { "200": 60, "429": 40 } },
    },
    {
      expect: {
        answer: "lastOfHerd",
        status: 429,
        headers: { "retry-after": "60", "x-ratelimit-remaining": "0" },
      },
    },
    { advance: { retryAfterOf: "lastOfHerd" } },
    {
      parallel: { times: 40, steps: [{ stats: {}, as: "lastOfRest", expect: { status: 200 } }] },
      as: "secondReturn",
      expect: { sent: 40, ok: 40 },
    },
    { expect: { answer: "lastOfRest", headers: { "x-ratelimit-remaining": "20" } } },
    { assume: { "limit.algorithm": "token-bucket" } },
    { repeat: { times: 60, steps: [{ stats: {} }] }, expect: { ok: 60 } },
    {
      parallel: {
        times: 100,
        steps: [
          { stats: {}, as: "dripFed", expect: { status: 429, headers: { "retry-after": "1" } } },
        ],
      },
      note: "A new algorithm has new quota. It is used up, and comes back one by one.",
    },
    { advance: { retryAfterOf: "dripFed" } },
    {
      parallel: { times: 100, steps: [{ stats: {} }] },
      note: "A second later there is one request for a hundred clients.",
      expect: { sent: 100, ok: 1, statuses: { "200": 1, "429": 99 } },
    },
    { advance: "1s" },
    {
      repeat: { times: 99, every: "1s", steps: [{ stats: {}, expect: { status: 200 } }] },
      note: "One a second: all get through.",
      expect: { sent: 99, ok: 99 },
    },
  ],
  expectations: [{ audit: { total: { attempts: 0 }, balanced: true } }],
});
