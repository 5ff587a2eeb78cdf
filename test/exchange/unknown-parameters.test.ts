/** A request's publisher comes only from its operation's own parameters; others change nothing under `lenient`. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ApiRequest,
  type ApiResponse,
  type Assumptions,
  createSimulator,
  type FaultRule,
  type OperationId,
  type Publisher,
  type Simulator,
} from "../../src/index.ts";
import { arbitraryAssumptions } from "../../src/testing.ts";
import { operations, requestOf } from "../oracle/calls.ts";
import { checkProperty } from "../properties/check-property.ts";
import { carrierFor } from "../properties/variations.ts";

const file = "test/exchange/unknown-parameters.test.ts";

/** Every name that some operation has, and names that no operation has. */
const ownNames = [
  ...new Set(Object.values(operations).flatMap(({ parameters }) => parameters.map((p) => p.name))),
];
const strangeNames = ["x", "", "__proto__", "constructor", "toString", "publisher_id[]", "Surface"];

interface World {
  readonly sim: Simulator;
  readonly own: Publisher;
  readonly other: Publisher;
  /** An impression of each of the two. */
  readonly impressions: readonly [string, string];
}

/** Two publishers with an impression each, and rules that match requests by publisher and surface. */
function worldOf(assumptions: Assumptions, rules: boolean): World {
  const sim = createSimulator({ seed: "unknown", publishers: 3, assumptions });
  const [own, other] = [sim.publishers.at(0), sim.publishers.at(1)];
  const impressions = [own, other].map((publisher) => {
    const answer = sim.handle(requestFor(sim, "impression", publisher, {}));
    return /"impression_id":"([^"]*)"/.exec(answer.body)?.[1] ?? "none";
  });
  for (const rule of rules ? rulesAbout(own, other) : []) sim.faults.add(rule);
  return { sim, own, other, impressions: [impressions[0] ?? "", impressions[1] ?? ""] };
}

function rulesAbout(own: Publisher, other: Publisher): FaultRule[] {
  const verdict = { kind: "respond" as const, status: 503 };
  return [
    { match: { surface: other.surfaces[0]?.id ?? "", nth: 1 }, verdict },
    { match: { publisher: other.id }, verdict },
    { match: { surface: own.surfaces[0]?.id ?? "", nth: 2 }, verdict },
    { match: { surface: own.surfaces[0]?.id ?? "", nth: 3 }, verdict: { kind: "duplicate" } },
    { match: { publisher: own.id, nth: 4 }, verdict: { kind: "lose-response" } },
  ];
}

function requestFor(
  sim: Simulator,
  operation: OperationId,
  of: Publisher,
  { impression = "none", apiKey = of.apiKey }: { impression?: string; apiKey?: string },
): ApiRequest {
  const all: Record<string, string> = {
    publisher_id: of.id,
    surface: of.surfaces[0]?.id ?? "",
    ad_id: "ad",
    session_id: "session",
    impression_id: impression,
  };
  const { method, parameters } = operations[operation];
  const names = parameters.filter(({ name }) => name in all).map(({ name }) => name);
  const values = Object.fromEntries(names.map((name) => [name, all[name]]));
  const way = { method, slash: false, scheme: "Bearer", carrier: carrierFor(sim.assumptions) };
  return requestOf({ operation, values, way: { ...way, inQuery: [] } }, apiKey);
}

/** Values that a parameter may have in JSON. Capital words stand for ids of the world. */
const anyValue = fc.oneof(
  fc.constantFrom<unknown>(null, 5, 0, -1.5, 1e300, true, "", [], {}, [null], { a: 1 }),
  fc.constantFrom("OWN-ID", "OTHER-ID", "OWN-SURFACE", "OTHER-SURFACE"),
  fc.constantFrom("OWN-IMPRESSION", "OTHER-IMPRESSION", "nobody", "2026-02-29", "101", "\u0000"),
  fc.jsonValue({ maxDepth: 2 }),
);
const anyName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ownNames) },
  { weight: 1, arbitrary: fc.constantFrom(...strangeNames) },
  { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
);
const anyExtra = fc.record({
  name: anyName,
  value: anyValue,
  /** Sent with the other parameters, in the query, in both, or twice. */
  place: fc.constantFrom("beside" as const, "query" as const, "both" as const, "twice" as const),
});
type Extra = typeof anyExtra extends fc.Arbitrary<infer Value> ? Value : never;

/** The request with an extra parameter that its operation doesn't have. */
function withExtra(
  operation: OperationId,
  request: ApiRequest,
  { name, value, place }: Extra,
  known: Readonly<Record<string, string>>,
): ApiRequest {
  if (operations[operation].parameters.some((one) => one.name === name)) return request;
  const meant = typeof value === "string" ? (known[value] ?? value) : value;
  const pair = `${encode(name)}=${encode(typeof meant === "string" ? meant : JSON.stringify(meant))}`;
  const inQuery = (times: number): string =>
    [request.query, ...Array(times).fill(pair)].filter(Boolean).join("&");
  const { body } = request;
  const isInBody = typeof body === "string" && body !== "" && place !== "query";
  if (!isInBody) return { ...request, query: inQuery(place === "beside" ? 1 : 2) };
  const more = Array(place === "twice" ? 2 : 1);
  const member = `,${JSON.stringify(name)}:${JSON.stringify(meant)}`;
  const longer = body.startsWith("{")
    ? body.slice(0, -1) + more.fill(member).join("") + body.slice(-1)
    : [body, ...more.fill(pair)].join("&");
  return { ...request, body: longer, ...(place === "both" ? { query: inQuery(1) } : {}) };
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** All that an extra parameter must not change: state, quota, counts, and the journal except quoted requests. */
function shownOf({ sim }: World): string {
  const entries = sim.journal.entries().map(({ request: _, assumptions: __, ...entry }) => entry);
  const { accounts } = sim.snapshot();
  return JSON.stringify([entries, accounts, sim.audit(), sim.faults.list()]);
}

const choices = arbitraryAssumptions({ fixed: { "request.values": "lenient" } });
const anySent = fc.record({
  operation: fc.constantFrom<OperationId>("stats", "impression", "click", "surfaces", "payouts"),
  /** Which publisher's id and which publisher's key are sent. */
  about: fc.constantFrom("own" as const, "other" as const),
  key: fc.constantFrom("own" as const, "own" as const, "other" as const),
  extras: fc.array(anyExtra, { minLength: 1, maxLength: 3 }),
});

describe("a parameter that the operation doesn't have", () => {
  const name = "changes no answer, quota, book or record under any assumptions that ignore it";
  test(name, { timeout: 120_000 }, () => {
    checkProperty(
      { test: name, file, runs: 250 },
      fc.property(
        choices,
        fc.boolean(),
        fc.constantFrom("publisher" as const, "any" as const),
        fc.array(anySent, { minLength: 1, maxLength: 8 }),
        (drawn, rules, scope, sequence) => {
          const assumptions = { ...drawn, "auth.key-scope": scope };
          const [plain, extended] = [worldOf(assumptions, rules), worldOf(assumptions, rules)];
          for (const { operation, about, key, extras } of sequence) {
            const answers = [plain, extended].map((world): ApiResponse => {
              const impression = world.impressions[about === "own" ? 0 : 1];
              const { apiKey } = world[key];
              const sent = { impression, apiKey };
              let request = requestFor(world.sim, operation, world[about], sent);
              for (const extra of world === extended ? extras : []) {
                request = withExtra(operation, request, extra, idsOf(world));
              }
              const { delivery: _, ...answer } = world.sim.handle(request);
              return answer;
            });
            expect(answers[1]).toEqual(answers[0]);
          }
          expect(shownOf(extended)).toBe(shownOf(plain));
        },
      ),
    );
  });

  function idsOf({ own, other, impressions }: World): Record<string, string> {
    return {
      "OWN-ID": own.id,
      "OTHER-ID": other.id,
      "OWN-SURFACE": own.surfaces[0]?.id ?? "",
      "OTHER-SURFACE": other.surfaces[0]?.id ?? "",
      "OWN-IMPRESSION": impressions[0],
      "OTHER-IMPRESSION": impressions[1],
    };
  }
});

describe("cases that outside testers found", () => {
  const worldUnder = (assumptions: Partial<Assumptions>): World => {
    const { assumptions: all } = createSimulator({ assumptions });
    return worldOf(all, false);
  };

  test.each([null, 5, "", [], "nobody", "OTHER-ID"])("a click with publisher_id %j", (value) => {
    const { sim, own, other, impressions } = worldUnder({});
    const headers = { authorization: `Bearer ${own.apiKey}` };
    const publisher_id = value === "OTHER-ID" ? other.id : value;
    const body = { impression_id: impressions[0], publisher_id };
    const answer = sim.handle({ method: "POST", path: "/v1/click", headers, body });
    expect(answer.status).toBe(200);
    expect(sim.journal.entries({ limit: 1 })).toMatchObject([
      { operation: "click", publisher: own.id, reason: "recorded" },
    ]);
  });

  test("reports are about one publisher, even if the request also has an impression's id", () => {
    const { sim, own, impressions } = worldUnder({ "auth.key-scope": "any" });
    const headers = { authorization: `Bearer ${own.apiKey}` };
    for (const what of ["stats", "surfaces", "payouts"]) {
      const path = `/v1/publisher/${what}`;
      const ask = (query: Record<string, string>) =>
        sim.handle({ method: "GET", path, headers, query: { publisher_id: own.id, ...query } });
      expect(ask({ impression_id: impressions[1] }).body).toBe(ask({}).body);
    }
  });
});
