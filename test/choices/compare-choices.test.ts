/** What compareChoices says of a few requests whose answers are known. */

import { describe, expect, test } from "vitest";
import { createSimulator, InputError, type Simulator } from "../../src/index.ts";
import type { AssumptionKey } from "../../src/spec/assumptions/catalogue.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { type AnswerGroup, type CompareChoicesOptions, compareChoices } from "../../src/testing.ts";
import { impressionIdIn, senderOf } from "../sender.ts";

function getStats(sim: Simulator, place = 0): ApiRequest {
  const { id, apiKey } = sim.publishers.at(place);
  const headers = { authorization: `Bearer ${apiKey}` };
  return { method: "GET", path: "/v1/publisher/stats", query: { publisher_id: id }, headers };
}

function getToday(sim: Simulator): ApiRequest {
  const [today = ""] = new Date(sim.clock.now()).toISOString().split("T");
  return { ...getStats(sim), query: { ...idOf(sim), from: today, to: today } };
}

function post(sim: Simulator, path: string, fields: object, place = 0): ApiRequest {
  const { apiKey } = sim.publishers.at(place);
  const headers = { authorization: `Bearer ${apiKey}` };
  return { method: "POST", path: `/v1/${path}`, headers, body: JSON.stringify(fields) };
}

function impression(sim: Simulator, session = "s", place = 0): ApiRequest {
  const { id, surfaces } = sim.publishers.at(place);
  const event = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad", session_id: session };
  return post(sim, "impression", event, place);
}

function groupOf(
  sim: Simulator,
  request: ApiRequest,
  key: AssumptionKey,
  choice: string,
): AnswerGroup {
  const { groups } = compareChoices(sim, request, { keys: [key] });
  const found = groups.find(({ choices }) => choices.some((one) => one.choice === choice));
  if (found === undefined) throw new Error(`${key}=${choice} has no group.`);
  return found;
}

/** Sends sixty reads at second 59, and waits for the next minute to begin. */
function spendAtTheEdge(sim: Simulator): void {
  sim.clock.advance("59s");
  for (let sent = 0; sent < 60; sent += 1) sim.handle(getStats(sim));
  sim.clock.advance("1s");
}

describe("a reading gets the answer of a world that had it from the beginning", () => {
  test("dedup.repeat=conflict refuses a duplicate", () => {
    const sim = createSimulator();
    sim.handle(impression(sim));
    const { answer, differences } = groupOf(sim, impression(sim), "dedup.repeat", "conflict");
    expect(answer).toMatchObject({
      status: 409,
      reason: "duplicate_impression",
      effect: "suppressed",
      producedBy: "service",
      received: "whole",
    });
    expect(answer.assumptions).toContain("dedup.repeat");
    expect(differences[0]).toBe("status: 409 instead of 200");
  });

  test("click.repeat=count has counted an earlier second click", () => {
    const sim = createSimulator();
    const id = impressionIdIn(sim.handle(impression(sim)));
    for (let sent = 0; sent < 2; sent += 1) sim.handle(post(sim, "click", { impression_id: id }));
    expect(JSON.parse(sim.fork().handle(getToday(sim)).body)).toMatchObject({ clicks: 1 });
    const { answer } = groupOf(sim, getToday(sim), "click.repeat", "count");
    expect(JSON.parse(answer.body)).toMatchObject({ clicks: 2 });
  });

  test("limit.algorithm=token-bucket has one request a second after its quota is spent, and sliding-log none", () => {
    const sim = createSimulator();
    spendAtTheEdge(sim);
    const { groups } = compareChoices(sim, getStats(sim), { keys: ["limit.algorithm"] });
    expect(groups[0]?.answer.headers["x-ratelimit-remaining"]).toBe("59");
    const edge = (choice: string): AnswerGroup["answer"] =>
      groupOf(sim, getStats(sim), "limit.algorithm", choice).answer;
    expect(edge("token-bucket").headers["x-ratelimit-remaining"]).toBe("0");
    expect(edge("sliding-log")).toMatchObject({ status: 429, producedBy: "limit" });
  });

  test("date.timezone=ist begins the next day at 18:30Z, for events too", () => {
    const sim = createSimulator();
    sim.handle(impression(sim, "a"));
    sim.clock.advance("18h");
    sim.handle(impression(sim, "b"));
    sim.clock.advance("30m");
    const read = { ...getStats(sim), query: { ...idOf(sim), from: "2026-01-16" } };
    expect(sim.fork().handle(read).status).toBe(400);
    const { answer } = groupOf(sim, read, "date.timezone", "ist");
    expect(JSON.parse(answer.body)).toMatchObject({
      period: { from: "2026-01-16", to: "2026-01-16" },
      impressions: 0,
    });
    sim.handle(impression(sim, "c"));
    const later = groupOf(sim, read, "date.timezone", "ist");
    expect(JSON.parse(later.answer.body)).toMatchObject({ impressions: 1 });
  });

  test("ids.format=uuid differs in its ids alone, and asks for the same surface", () => {
    const sim = createSimulator();
    const { surfaces } = sim.publishers.at(0);
    sim.handle(impression(sim));
    const read = { ...getStats(sim), query: { ...idOf(sim), surface: surfaces[0]?.id ?? "" } };
    const { answer, differences } = groupOf(sim, read, "ids.format", "uuid");
    expect(differences).toEqual(["body: ids in another format"]);
    expect(JSON.parse(answer.body)).toMatchObject({ impressions: expect.any(Number) });
    expect(JSON.parse(answer.body).publisher_id).toMatch(/^[0-9a-f]{8}-/);
    const { groups } = compareChoices(sim, read, { keys: ["ids.format"] });
    expect(groups).toHaveLength(4);
  });

  test("a click names the impression that its client was told about there", () => {
    const sim = createSimulator();
    const { id: publisher_id, surfaces } = sim.publishers.at(0);
    const [first, second] = surfaces;
    sim.handle(impression(sim));
    const event = { publisher_id, surface: second?.id, ad_id: "ad", session_id: "s" };
    sim.handle(post(sim, "impression", event));
    const id = impressionIdIn(sim.handle(impression(sim, "other")));
    sim.handle(post(sim, "click", { impression_id: id }));
    // The second impression is a duplicate there, so the third one has the second id.
    const again = groupOf(sim, post(sim, "click", { impression_id: id }), "dedup.key", "session");
    expect(first?.id).not.toBe(second?.id);
    expect(again.answer).toMatchObject({ status: 200, effect: "suppressed" });
    const refused = groupOf(
      sim,
      post(sim, "click", { impression_id: id }),
      "request.encoding",
      "query",
    );
    expect(refused.answer.status).toBe(415);
  });

  test("auth.key-scope=any opens another publisher's stats, with what it recorded", () => {
    const sim = createSimulator();
    sim.handle(impression(sim, "s", 1));
    const read = { ...getStats(sim, 1), headers: getStats(sim, 0).headers };
    const own = sim.fork().handle(getStats(sim, 1));
    const { answer } = groupOf(sim, read, "auth.key-scope", "any");
    expect(answer).toMatchObject({ status: 200, body: own.body });
  });
});

function idOf(sim: Simulator): { readonly publisher_id: string } {
  return { publisher_id: sim.publishers.at(0).id };
}

describe("the first group", () => {
  test("is the answer under the choices in force, with all choices that change nothing", () => {
    const sim = createSimulator({ assumptions: { "errors.body": "flat" } });
    const { groups, note } = compareChoices(sim, getStats(sim));
    expect(note).toBeUndefined();
    expect(groups[0]).toMatchObject({ answer: { status: 200 }, differences: [] });
    const names = groups[0]?.choices.map(({ key, choice }) => `${key}=${choice}`);
    expect(names).toContain("errors.body=problem");
    const all = groups.flatMap(({ choices }) => choices);
    expect(all.map(({ key, choice }) => `${key}=${choice}`)).not.toContain("errors.body=flat");
    expect(new Set(all.map(({ key, choice }) => `${key}=${choice}`)).size).toBe(all.length);
  });
});

describe("fault rules", () => {
  test("leave a client without any answer under every reading", () => {
    const sim = createSimulator({ faults: [{ verdict: { kind: "lose-response" } }] });
    const { groups } = compareChoices(sim, impression(sim));
    expect(groups).toHaveLength(1);
    expect(groups[0]?.answer).toMatchObject({ status: 0, received: "nothing", effect: "applied" });
  });

  test("cut an answer", () => {
    const sim = createSimulator({ faults: [{ verdict: { kind: "truncate", atByte: 5 } }] });
    const { groups } = compareChoices(sim, impression(sim), { keys: ["dedup.repeat"] });
    expect(groups[0]?.answer).toMatchObject({ status: 200, received: "part", body: '{"ok"' });
  });

  test("that are functions are asked once, and nothing is recorded", () => {
    let calls = 0;
    const count = (): undefined => {
      calls += 1;
    };
    const sim = createSimulator({ faults: [count] });
    sim.handle(impression(sim));
    calls = 0;
    const keys: AssumptionKey[] = ["dedup.repeat", "limit.algorithm", "errors.body"];
    compareChoices(sim, impression(sim), { keys });
    expect(calls).toBe(1);
    expect(sim.journal.total).toBe(1);
  });

  test("that name ids can't be had where ids have another format", () => {
    const sim = createSimulator();
    const verdict = { kind: "respond", status: 503 } as const;
    sim.faults.add({ match: { publisher: sim.publishers.at(0).id }, verdict });
    const { groups, impossible } = compareChoices(sim, getStats(sim), { keys: ["ids.format"] });
    expect(groups).toMatchObject([{ answer: { status: 503, producedBy: "rule" }, choices: [] }]);
    expect(impossible[0]?.why).toContain("a fault rule names ids");
  });
});

describe("after changes by hand", () => {
  test("to publishers, the same publisher has its new key and terms", () => {
    const sim = createSimulator();
    const old = getStats(sim);
    sim.publishers.rotateKey(sim.publishers.at(0).id);
    const { id, surfaces } = sim.publishers.at(0);
    sim.publishers.setSurface(id, surfaces[0]?.id ?? "", { status: "paused" });
    expect(groupOf(sim, old, "limit.algorithm", "sliding-log").answer.status).toBe(401);
    const paused = groupOf(sim, impression(sim), "limit.algorithm", "sliding-log");
    expect(paused.answer.status).toBe(409);
    expect(groupOf(sim, impression(sim), "surface.inactive", "uncredited").answer).toMatchObject({
      status: 200,
      creditInr: 0,
    });
    const added = sim.publishers.signUp({ name: "New" });
    const read = senderOf(sim, added).get("stats");
    expect(read.status).toBe(200);
    const { total } = sim.publishers;
    expect(groupOf(sim, getStats(sim, total - 1), "date.timezone", "ist").answer.status).toBe(200);
  });

  test("to assumptions, the varied one is as varied all the time, and the others are as they were made", () => {
    const sim = createSimulator();
    sim.assume({ "dedup.repeat": "count" });
    sim.handle(impression(sim));
    sim.assume({ "dedup.repeat": "conflict", "errors.body": "flat" });
    // Nothing was remembered while duplicates counted, so this one isn't refused.
    expect(sim.fork().handle(impression(sim)).status).toBe(200);
    const { answer } = groupOf(sim, impression(sim), "dedup.repeat", "original-uncredited");
    expect(answer).toMatchObject({ status: 200, creditInr: 0, effect: "suppressed" });
    expect(groupOf(sim, { method: "GET", path: "/" }, "dedup.window", "24h").answer.body).toBe(
      sim.fork().handle({ method: "GET", path: "/" }).body,
    );
  });
});

describe("if the journal doesn't reach the world's beginning", () => {
  const sent = (sim: Simulator): Simulator => {
    for (let place = 0; place < 60; place += 1) sim.handle(impression(sim, `s-${place}`));
    return sim;
  };
  const restored = (): Simulator => {
    const sim = sent(createSimulator());
    sim.restore(sim.snapshot());
    return sim;
  };
  test.each([
    ["a fork", () => sent(createSimulator()).fork(), /what this world began with/],
    ["a restored state", restored, /the state after entry 60/],
    [
      "a journal that dropped entries",
      () => sent(createSimulator({ journalEntries: 20 })),
      /the state after entry \d+/,
    ],
  ] as const)(
    "%s: a note says so, and what can't be changed any more is impossible",
    (_, make, says) => {
      const sim = make();
      const { groups, impossible, note } = compareChoices(sim, impression(sim, "s-59"));
      expect(note).toMatch(says);
      expect(impossible.map(({ key, choice }) => `${key}=${choice}`)).toContain(
        "date.timezone=ist",
      );
      expect(impossible.find(({ key }) => key === "date.timezone")?.why).toMatch(
        /already has some/,
      );
      const conflict = groups.find(({ choices }) =>
        choices.some(({ key, choice }) => key === "dedup.repeat" && choice === "conflict"),
      );
      expect(conflict?.answer.status).toBe(409);
    },
  );
});

describe("refuses", () => {
  const sim = createSimulator();
  const read = getStats(sim);
  test.each([
    [
      "a simulator without a journal",
      createSimulator({ journalEntries: 0 }),
      {},
      "sim has its journal off",
    ],
    [
      "something else",
      { handle: () => undefined } as never,
      {},
      "sim must be a simulator made by createSimulator",
    ],
    [
      "an unknown key",
      sim,
      { keys: ["dedup.repeet"] },
      'keys.0 is not an assumption. Did you mean "dedup.repeat"?',
    ],
    ["an unknown option", sim, { key: "dedup.repeat" }, "key is not known here"],
  ] as const)("%s", (_, given, options, says) => {
    const call = (): unknown => compareChoices(given, read, options as CompareChoicesOptions);
    expect(call).toThrow(InputError);
    expect(call).toThrow(says);
  });
});
