/** Untyped callers can pass anything to `handle`: it is answered and journalled, and never half applied. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApiRequest } from "../../src/index.ts";
import { checkProperty } from "../properties/check-property.ts";
import { read, type Stage, stageOf } from "./stage.ts";

function thrower(): never {
  throw new Error("a getter of the client's");
}

const getter = (name: string, enumerable: boolean): object =>
  Object.defineProperty({}, name, { get: thrower, enumerable });

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function throwsTheSecondTime(): object {
  let count = 0;
  const get = (): string => (count++ === 0 ? "a" : thrower());
  return Object.defineProperty({}, "authorization", { get, enumerable: true });
}

function cycle(): object {
  const of: Record<string, unknown> = {};
  of.self = of;
  return of;
}

class OddBytes extends Uint8Array {
  override get length(): number {
    return thrower();
  }
}

/** Created anew for each use: some of them count how often they are read. */
const odd: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  number: () => 5,
  NaN: () => Number.NaN,
  bigint: () => 5n,
  boolean: () => true,
  symbol: () => Symbol("odd"),
  function: () => thrower,
  "a list": () => ["a", null, Symbol("odd")],
  "a sparse list": () => Array(3),
  "a boxed text": () => Object("GET"),
  "a date": () => new Date(Number.NaN),
  "a map": () => new Map([["authorization", "x"]]),
  headers: () => new Headers({ authorization: "x" }),
  "search params": () => new URLSearchParams("a=1"),
  "no prototype": () => Object.assign(Object.create(null), { a: 1 }),
  "nothing to write it as": () => ({ a: Object.create(null) }),
  "a symbol inside": () => ({ a: Symbol("odd"), authorization: Symbol("odd") }),
  "bigint inside": () => ({ publisher_id: 1n }),
  "a function inside": () => ({ a: thrower, toJSON: thrower }),
  "a toJSON that gives nothing": () => ({ toJSON: () => undefined }),
  "a toJSON that gives a text": () => ({ toJSON: () => "text" }),
  "toString throws": () => ({ a: { toString: thrower } }),
  "a getter that throws": () => getter("a", true),
  "a getter of the header": () => getter("authorization", false),
  "a proxy that throws": () => new Proxy({}, { get: thrower, ownKeys: thrower }),
  "a prototype that throws": () => new Proxy({}, { getPrototypeOf: thrower }),
  "a revoked proxy": revoked,
  "throws the second time": throwsTheSecondTime,
  "a cycle": cycle,
  bytes: () => Uint8Array.of(0xff, 0xfe),
  "a buffer": () => Buffer.from("{}"),
  "a buffer's memory": () => new ArrayBuffer(4),
  "another array": () => Float64Array.of(1),
  "a proxy of bytes": () => new Proxy(Uint8Array.of(1), {}),
  "bytes of a class of their own": () => new OddBytes(2),
  "a deep list": () => JSON.parse("[".repeat(20_000) + "]".repeat(20_000)),
  "headers as Node has them": () => ({ "set-cookie": ["a", "b"], x: undefined, y: null, z: 5 }),
  "lists in headers": () => ({ authorization: ["Bearer x"], "content-type": [null] }),
};

type Kind = "impression" | "click" | "stats" | "nowhere";

/** A valid request with some parts replaced. */
function requestWith(parts: object, kind: Kind, { publisher, shown }: Stage): ApiRequest {
  const isRead = kind === "stats";
  const usual = {
    method: isRead ? "GET" : "POST",
    path: isRead ? "/v1/publisher/stats" : `/v1/${kind}`,
    query: isRead ? { publisher_id: publisher.id } : undefined,
    headers: { authorization: `Bearer ${publisher.apiKey}`, "content-type": "application/json" },
    body: { ...shown, session_id: "s" },
  };
  return { ...usual, ...parts };
}

/** Quotas and figures as text. */
function stateOf({ sim }: Stage): string {
  const copy = sim.fork();
  // A snapshot can't hold a rule that is a function.
  copy.faults.clear();
  const { accounts } = copy.snapshot();
  return JSON.stringify(accounts.map(({ tally: _, ...account }) => account));
}

function checkAnswer(stage: Stage, request: ApiRequest): void {
  const { sim } = stage;
  const before = stateOf(stage);
  const { total } = sim.journal;
  const response = sim.handle(request);
  expect(response.status).toBeLessThan(500);
  expect(response.headers["x-ratelimit-remaining"]).toMatch(/^\d+$/);
  expect(sim.journal.total).toBe(total + 1);
  if (response.body.includes('"malformed_request"')) expect(stateOf(stage)).toBe(before);
}

/** Everything that reads the journal must be able to read it. */
function checkReadable({ sim }: Stage): void {
  expect(sim.audit().balanced).toBe(true);
  sim.report();
  sim.journal.toHar({ secrets: "shown" });
  sim.journal.toNdjson();
  sim.journal.entries({ secrets: "shown" });
}

const places = ["method", "path", "query", "headers", "body"] as const;

test.each(Object.keys(odd))("%s is answered as each part, and as the request itself", (name) => {
  const stage = stageOf({}, { publishers: 2 });
  for (const kind of ["impression", "stats"] as const) {
    for (const place of places) {
      checkAnswer(stage, requestWith({ [place]: odd[name]?.() }, kind, stage));
    }
  }
  checkAnswer(stage, odd[name]?.() as ApiRequest);
  checkReadable(stage);
});

const answered =
  "any odd parts are answered and journalled, and what can't be read changes nothing";
const anyValue = fc.anything({ maxDepth: 2, withBigInt: true, withDate: true, withMap: true });
// Some odd values can't be printed, so counterexamples show their names.
const anyPart = fc.option(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ odd: fc.constantFrom(...Object.keys(odd)) }) },
    { weight: 1, arbitrary: fc.record({ value: anyValue }) },
  ),
);
const anyParts = fc.record({
  ...{ method: anyPart, path: anyPart, query: anyPart, headers: anyPart, body: anyPart },
});
const anyKind = fc.constantFrom<Kind>("impression", "click", "stats", "nowhere");

test(answered, { timeout: 60_000 }, () => {
  checkProperty(
    { test: answered, file: "test/exchange/odd-requests.test.ts", runs: 250 },
    fc.property(anyKind, anyParts, fc.boolean(), (kind, parts, watched) => {
      const stage = stageOf({}, { publishers: 2 });
      if (watched) {
        stage.sim.faults.add(({ headers, body, surface, query }) => {
          JSON.stringify([headers, body, surface, query]);
          return undefined;
        });
      }
      const made = (): object =>
        Object.fromEntries(
          Object.entries(parts).flatMap(([place, part]) =>
            part === null ? [] : [[place, "odd" in part ? odd[part.odd]?.() : part.value]],
          ),
        );
      checkAnswer(stage, requestWith(made(), kind, stage));
      checkAnswer(stage, requestWith({}, "impression", stage));
      checkAnswer(stage, requestWith(made(), kind, stage));
      checkReadable(stage);
    }),
  );
});

test.each([
  [{ method: 5 }, "The request can't be read: method must be a string."],
  [{ path: null }, "The request can't be read: path must be a string."],
  [{ headers: new Headers() }, "headers must be a plain object of strings by name."],
  [{ query: new URLSearchParams("a=1") }, "query, if it isn't a string, must be a plain object"],
  [{ body: new Proxy(Uint8Array.of(1), {}) }, "throws when it is read"],
])("an error says what is wrong, and where: %o", (parts, says) => {
  const stage = stageOf();
  expect(read(stage.send(requestWith(parts, "impression", stage))).detail).toContain(says);
});

test.each([
  ["query", "recorded"],
  ["body", "missing_parameter"],
  ["headers", "unauthorized"],
])("null for %s counts as left out", (place, reason) => {
  const stage = stageOf();
  stage.send(requestWith({ [place]: null }, "impression", stage));
  expect(stage.last()?.reason).toBe(reason);
});

test("headers as Node's server passes them are read", () => {
  const stage = stageOf();
  const authorization = [`Bearer ${stage.publisher.apiKey}`];
  const headers = { authorization, cookie: ["a=1", "b=2"], host: undefined };
  expect(stage.send(requestWith({ headers }, "impression", stage)).status).toBe(200);
  const [entry] = stage.sim.journal.entries({ secrets: "shown" });
  expect(entry?.request.headers.cookie).toBe("a=1, b=2");
});

test("sim.fetch rejects only what the built-in fetch rejects", async () => {
  const { fetch } = stageOf().sim;
  const url = "http://sim.test/v1/impression";
  const settles = (attempt: Promise<unknown>): Promise<boolean> =>
    attempt.then(
      () => true,
      () => false,
    );
  for (const make of Object.values(odd)) {
    const init = { method: "POST", body: make() } as RequestInit;
    const isRequest = settles((async () => new Request(url, init))());
    expect(await settles(fetch(url, init))).toBe(await isRequest);
  }
});
