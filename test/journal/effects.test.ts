/** What a request did to the ledger, and the credit in its answer: in entries, in exports, and for observers. */

import { describe, expect, test } from "vitest";
import {
  type ApiRequest,
  type Choices,
  createSimulator,
  type FaultRule,
  type JournalEntry,
  type Simulator,
} from "../../src/index.ts";
import { senderOf } from "../operation-sender.ts";

interface Case {
  readonly name: string;
  readonly assumptions?: Choices;
  readonly verdict?: FaultRule["verdict"];
  /** Sends requests; the last one counts. */
  readonly send: (sim: Simulator) => unknown;
  readonly effect: string | undefined;
  readonly shows: "credit" | "zero" | "nothing";
}

const impression = (sim: Simulator): unknown => senderOf(sim).impression("s");
const twice = (sim: Simulator): unknown => [impression(sim), impression(sim)];
const clickOn = (impression_id: string) => (sim: Simulator) => {
  const { apiKey } = sim.publishers.at(0);
  return sim.handle({
    method: "POST",
    path: "/v1/click",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ impression_id }),
  });
};
const get = (request: Partial<ApiRequest>) => (sim: Simulator) => {
  const { id, apiKey } = sim.publishers.at(0);
  return sim.handle({
    method: "GET",
    path: "/v1/publisher/stats",
    query: { publisher_id: id },
    headers: { authorization: `Bearer ${apiKey}` },
    ...request,
  });
};

const cases: readonly Case[] = [
  { name: "an impression", send: impression, effect: "applied", shows: "credit" },
  { name: "a duplicate", send: twice, effect: "suppressed", shows: "zero" },
  {
    name: "a duplicate whose answer is repeated",
    assumptions: { "dedup.repeat": "replay" },
    send: twice,
    effect: "suppressed",
    shows: "credit",
  },
  {
    name: "a duplicate that is refused",
    assumptions: { "dedup.repeat": "conflict" },
    send: twice,
    effect: "suppressed",
    shows: "nothing",
  },
  { name: "a report", send: get({}), effect: "read", shows: "nothing" },
  { name: "a click on nothing", send: clickOn("imp_0"), effect: "refused", shows: "nothing" },
  { name: "an unknown path", send: get({ path: "/v1/x" }), effect: "refused", shows: "nothing" },
  { name: "no key", send: get({ headers: {} }), effect: "refused", shows: "nothing" },
  {
    name: "a preflight",
    send: get({
      method: "OPTIONS",
      headers: { origin: "http://localhost", "access-control-request-method": "GET" },
    }),
    effect: undefined,
    shows: "nothing",
  },
  {
    name: "an impression whose answer is lost",
    verdict: { kind: "lose-response" },
    send: impression,
    effect: "applied",
    shows: "credit",
  },
  {
    name: "an impression whose answer is replaced",
    verdict: { kind: "respond", status: 503, applied: true },
    send: impression,
    effect: "applied",
    shows: "credit",
  },
  {
    name: "an impression whose answer is cut",
    verdict: { kind: "truncate", share: 0.5 },
    send: impression,
    effect: "applied",
    shows: "credit",
  },
  {
    name: "a dropped impression",
    verdict: { kind: "drop" },
    send: impression,
    effect: undefined,
    shows: "nothing",
  },
  {
    name: "an impression that a rule answers",
    verdict: { kind: "respond", status: 200, body: { revenue_credited_inr: 1 } },
    send: impression,
    effect: undefined,
    shows: "nothing",
  },
];

describe.each(cases)("$name", ({ assumptions, verdict, send, effect, shows }) => {
  const made = (): { sim: Simulator; seen: JournalEntry[] } => {
    const faults = verdict === undefined ? [] : [{ verdict }];
    const sim = createSimulator({ assumptions, faults, cors: "*" });
    const seen: JournalEntry[] = [];
    sim.journal.observe((entry) => seen.push(entry));
    send(sim);
    return { sim, seen };
  };

  test(`has the effect ${effect}, and its answer shows ${shows}`, () => {
    const { sim } = made();
    const entry = sim.journal.entries().at(-1);
    expect(entry?.effect).toBe(effect);
    const credit = entry?.creditInr;
    if (shows === "nothing") expect(credit).toBe(undefined);
    else if (shows === "zero") expect(credit).toBe(0);
    else {
      const own = entry?.fault?.lost ?? entry?.response;
      expect(credit).toBeGreaterThan(0);
      expect(JSON.parse(own?.body ?? "{}").revenue_credited_inr).toBe(credit);
    }
  });

  test("says the same to observers, in NDJSON and in HAR", () => {
    const { sim, seen } = made();
    const entry = sim.journal.entries().at(-1);
    const facts = { effect: entry?.effect, creditInr: entry?.creditInr };
    expect(seen.at(-1)).toMatchObject(facts);
    const line = JSON.parse(sim.journal.toNdjson().trim().split("\n").at(-1) ?? "");
    expect({ effect: line.effect, creditInr: line.creditInr }).toEqual(facts);
    const { _adsim } = JSON.parse(sim.journal.toHar()).log.entries.at(-1);
    expect({ effect: _adsim.effect, creditInr: _adsim.creditInr }).toEqual(facts);
  });
});
