/** A request's publisher comes only from its operation's own parameters; others change nothing under `lenient`. */

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ApiResponse,
  createSimulator,
  type FaultRule,
  type Publisher,
  type Simulator,
} from "../../src/index.ts";
import { arbitraryAssumptions } from "../../src/testing.ts";
import { type OperationName, operations, plainWay, requestOf } from "../oracle/calls.ts";
import { checkProperty } from "../properties/check-property.ts";
import { carrierFor } from "../properties/variations.ts";
import { impressionIdIn } from "../sender.ts";
import { stageOf } from "./stage.ts";

type Values = Readonly<Record<string, unknown>>;

interface World {
  readonly sim: Simulator;
  readonly publishers: readonly Publisher[];
  /** An impression of each publisher. */
  readonly impressions: readonly string[];
}

/** A call of an operation with the ids of one publisher and the key of one, perhaps another. */
interface Sent {
  readonly operation: OperationName;
  readonly about: number;
  readonly key: number;
  /** Values by the name of a parameter. Capital words stand for ids of the other publisher. */
  readonly extras: Values;
  readonly inQuery: boolean;
}

/** What is sent by this name: ids of the publisher. */
function idsOf({ publishers, impressions }: World, of: number): Readonly<Record<string, string>> {
  return {
    publisher_id: publishers[of]?.id ?? "",
    surface: publishers[of]?.surfaces[0]?.id ?? "",
    ad_id: "ad",
    session_id: "session",
    impression_id: impressions[of] ?? "none",
  };
}

function send(world: World, { operation, about, key, extras, inQuery }: Sent): ApiResponse {
  const names = operations[operation].parameters.map(({ name }) => name);
  const pick = (from: Values, isOwn: boolean): [string, unknown][] =>
    Object.entries(from).filter(([name]) => names.includes(name) === isOwn);
  const others = idsOf(world, 1 - about);
  const strange = pick(extras, false).map(([name, value]): [string, unknown] => [
    name,
    others[String(value).toLowerCase()] ?? value,
  ]);
  const values = Object.fromEntries([...pick(idsOf(world, about), true), ...strange]);
  const way = {
    ...plainWay(operation, carrierFor(world.sim.assumptions)),
    inQuery: inQuery ? strange.map(([name]) => name) : [],
  };
  const apiKey = world.publishers[key]?.apiKey ?? "";
  const request = requestOf({ operation, values, way }, apiKey);
  const { delivery: _, ...answer } = world.sim.handle(request);
  return answer;
}

/** Rules that match requests by publisher and surface. */
function rulesAbout([own, other]: readonly Publisher[]): FaultRule[] {
  const verdict = { kind: "respond", status: 503 } as const;
  const surface = own?.surfaces[0]?.id;
  return [
    { match: { surface: other?.surfaces[0]?.id, nth: 1 }, verdict },
    { match: { publisher: other?.id }, verdict },
    { match: { surface, nth: 2 }, verdict },
    { match: { surface, nth: 3 }, verdict: { kind: "duplicate" } },
    { match: { publisher: own?.id, nth: 4 }, verdict: { kind: "lose-response" } },
  ];
}

function worldOf(assumptions: Simulator["assumptions"], hasRules: boolean): World {
  const sim = createSimulator({ publishers: 3, assumptions });
  const publishers = [sim.publishers.at(0), sim.publishers.at(1)];
  const impressions: string[] = [];
  const world = { sim, publishers, impressions };
  for (const about of [0, 1]) {
    const sent = {
      operation: "impression",
      about,
      key: about,
      extras: {},
      inQuery: false,
    } as const;
    impressions[about] = impressionIdIn(send(world, sent));
  }
  for (const rule of hasRules ? rulesAbout(publishers) : []) sim.faults.add(rule);
  return world;
}

/** All that an extra parameter must not change: the state, the counts, and the journal except for the request itself. */
function shownOf({ sim }: World): string {
  const entries = sim.journal.entries().map(({ request: _, assumptions: __, ...entry }) => entry);
  return JSON.stringify([entries, sim.snapshot().accounts, sim.audit(), sim.faults.list()]);
}

const known = Object.values(operations).flatMap(({ parameters }) => parameters.map((p) => p.name));
const anyName = fc.constantFrom(...known, "x", "", "__proto__", "constructor", "publisher_id[]");
const anyValue = fc.oneof(
  fc.constantFrom("PUBLISHER_ID", "SURFACE", "IMPRESSION_ID", "nobody", "2026-02-29", "101", "\0"),
  fc.constantFrom<unknown>(null, 5, -1.5, 1e300, true, "", [], {}, [null], { a: 1 }),
);
const anySent: fc.Arbitrary<Sent> = fc.record({
  operation: fc.constantFrom<OperationName>("stats", "impression", "click", "surfaces", "payouts"),
  about: fc.nat(1),
  key: fc.constantFrom(0, 0, 1),
  extras: fc.dictionary(anyName, anyValue, { minKeys: 1, maxKeys: 3 }),
  inQuery: fc.boolean(),
});

const name = "a parameter that the operation doesn't have changes no answer, quota, book or record";
test(name, { timeout: 120_000 }, () => {
  checkProperty(
    { test: name, file: "test/exchange/unknown-parameters.test.ts", runs: 250 },
    fc.property(
      arbitraryAssumptions({ fixed: { "request.values": "lenient" } }),
      fc.boolean(),
      fc.constantFrom("publisher" as const, "any" as const),
      fc.array(anySent, { minLength: 1, maxLength: 8 }),
      (drawn, hasRules, scope, sequence) => {
        const assumptions = { ...drawn, "auth.key-scope": scope };
        const [plain, extended] = [worldOf(assumptions, hasRules), worldOf(assumptions, hasRules)];
        for (const sent of sequence) {
          expect(send(extended, sent)).toEqual(send(plain, { ...sent, extras: {} }));
        }
        expect(shownOf(extended)).toBe(shownOf(plain));
      },
    ),
  );
});

test.each([null, 5, "", [], "nobody"])(
  "a click with the publisher_id %j counts",
  (publisher_id) => {
    const { impression, post, publisher, last } = stageOf();
    const impression_id = impressionIdIn(impression());
    expect(post("click", { impression_id, publisher_id }).status).toBe(200);
    expect(last()).toMatchObject({
      operation: "click",
      publisher: publisher.id,
      reason: "recorded",
    });
  },
);
