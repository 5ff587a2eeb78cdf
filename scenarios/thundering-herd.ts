/** What a client must survive: a hundred of its processes wait for the same reset and return at once. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { askStats, assume, overLimit } from "./words.ts";

/** All hundred at once. The last of them is called `last`. */
function herd(last: string, ok: number, note: string): Step {
  return {
    parallel: { times: 100, steps: [{ stats: {}, as: last }] },
    note,
    expect: { sent: 100, ok, refused: 100 - ok },
  };
}

export const scenario = defineScenario({
  name: "thundering-herd",
  about:
    "A hundred clients with one key are refused, are told the same wait, and come back in the same millisecond. Then 60 are admitted and 40 must wait again. Where quota comes back one request at a time, only one is admitted, and the clients must spread out by a second each.",
  steps: [
    askStats(60),
    { advance: "12s" },
    herd("early", 0, "The quota is used up."),
    { expect: { answer: "early", ...overLimit("48") } },
    { advance: { retryAfterOf: "early" } },
    herd("late", 60, "All come back at once."),
    { expect: { answer: "late", ...overLimit("60") } },
    { advance: { retryAfterOf: "late" } },
    askStats(40),
    assume("limit.algorithm", "token-bucket", "New quota, which comes back one by one."),
    askStats(60),
    herd("dripFed", 0, "It is used up."),
    { expect: { answer: "dripFed", ...overLimit("1") } },
    { advance: { retryAfterOf: "dripFed" } },
    herd("thirsty", 1, "A second later there is one request for a hundred clients."),
    { advance: "1s" },
    {
      repeat: { times: 99, every: "1s", steps: [{ stats: {} }] },
      note: "One a second: all get through.",
      expect: { sent: 99, ok: 99 },
    },
  ],
});
