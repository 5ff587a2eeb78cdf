/** Untyped callers can pass anything to `handle`: it is answered and journalled, and never half applied. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createControl } from "../../src/control/control.ts";
import { type ApiRequest, createSimulator, type Simulator } from "../../src/index.ts";
import { createWorlds } from "../../src/simulator/worlds.ts";
import { fakerPerson } from "../../src/world/publishers/people.ts";
import { checkProperty } from "../properties/check-property.ts";

const file = "test/exchange/odd-requests.test.ts";

function thrower(): never {
  throw new Error("a getter of the client's");
}

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

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
  "toString throws": () => ({ a: { toString: thrower } }),
  "a getter that throws": () => Object.defineProperty({}, "a", { get: thrower, enumerable: true }),
  "a proxy that throws": () => new Proxy({}, { get: thrower, ownKeys: thrower }),
  "a prototype that throws": () => new Proxy({}, { getPrototypeOf: thrower }),
  "a revoked proxy": revoked,
  "throws the second time": () => {
    let read = 0;
    const get = (): string => (read++ === 0 ? "a" : thrower());
    return Object.defineProperty({}, "authorization", { get, enumerable: true });
  },
  "a cycle": () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    return cycle;
  },
  bytes: () => Uint8Array.of(0xff, 0xfe),
  "a buffer": () => Buffer.from("{}"),
  "a buffer's memory": () => new ArrayBuffer(4),
  "another array": () => Float64Array.of(1),
  "a proxy of bytes": () => new Proxy(Uint8Array.of(1), {}),
  "bytes of a class of their own": () => new OddBytes(2),
  "a deep list": () => JSON.parse("[".repeat(20_000) + "]".repeat(20_000)),
  "a getter of the header": () =>
    Object.defineProperty({}, "authorization", { get: thrower, enumerable: false }),
  "a hidden list as header": () =>
    Object.defineProperty({}, "authorization", { value: ["Bearer x"] }),
  "headers as Node has them": () => ({ "set-cookie": ["a", "b"], x: undefined, y: null, z: 5 }),
  "lists in headers": () => ({ authorization: ["Bearer x"], "content-type": [null] }),
};

/** How a part is made. Some odd values can't be printed, so counterexamples show their names. */
type Part = { readonly odd: string } | { readonly value: unknown } | "usual";

const anyPart: fc.Arbitrary<Part> = fc.oneof(
  { weight: 3, arbitrary: fc.constant("usual" as const) },
  { weight: 3, arbitrary: fc.record({ odd: fc.constantFrom(...Object.keys(odd)) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      value: fc.anything({
        maxDepth: 2,
        withBigInt: true,
        withBoxedValues: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withObjectString: true,
        withSet: true,
        withSparseArray: true,
        withTypedArray: true,
      }),
    }),
  },
);
const parts = fc.record({
  method: anyPart,
  path: anyPart,
  query: anyPart,
  headers: anyPart,
  body: anyPart,
});
const operation = fc.constantFrom("impression", "click", "stats", "nowhere", "_sim", "@world");

function usualRequest(kind: string, sim: Simulator): Record<keyof ApiRequest, unknown> {
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  const paths: Readonly<Record<string, string>> = {
    stats: "/v1/publisher/stats",
    _sim: "/_sim/clock/advance",
    "@world": "/@world/v1/impression",
  };
  const values = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad", session_id: "s" };
  return {
    method: kind === "stats" ? "GET" : "POST",
    path: paths[kind] ?? `/v1/${kind}`,
    query: kind === "stats" ? { publisher_id: id } : undefined,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: kind === "impression" || kind === "@world" ? values : { impression_id: "imp", by: 1 },
  };
}

/** A valid request with some parts replaced. */
function requestWith(other: object, kind: string, sim: Simulator): ApiRequest {
  return { ...usualRequest(kind, sim), ...other } as unknown as ApiRequest;
}

function made(sent: Readonly<Record<string, Part>>): object {
  const parts = Object.entries(sent).filter(([, part]) => part !== "usual");
  return Object.fromEntries(
    parts.map(([name, part]) => [
      name,
      typeof part === "object" && "odd" in part ? odd[part.odd]?.() : Object(part).value,
    ]),
  );
}

/** Everything that reads the journal must be able to read it. */
function checkReadable(sim: Simulator): void {
  expect(sim.audit().balanced).toBe(true);
  sim.report();
  sim.journal.toHar({ secrets: "shown" });
  sim.journal.toNdjson();
  sim.journal.entries({ secrets: "shown" });
}

/** Quotas and books as text. */
function stateOf(sim: Simulator): string {
  const copy = sim.fork();
  // A snapshot can't hold a rule that is a function.
  copy.faults.clear();
  const { accounts } = copy.snapshot();
  return JSON.stringify(accounts.map(({ tally: _, ...account }) => account));
}

function checkAnswer(sim: Simulator, request: ApiRequest): void {
  const before = stateOf(sim);
  const { total } = sim.journal;
  const response = sim.handle(request);
  expect(response.status).toBeLessThan(500);
  expect(response.headers["x-ratelimit-remaining"]).toMatch(/^\d+$/);
  expect(sim.journal.total).toBe(total + 1);
  if (response.body.includes('"malformed_request"')) expect(stateOf(sim)).toBe(before);
}

const world = (): Simulator => createSimulator({ seed: "odd", publishers: 2 });

describe("an odd request", () => {
  const answered = "is answered and journalled, and what can't be read spends and changes nothing";
  test(answered, { timeout: 60_000 }, () => {
    checkProperty(
      { test: answered, file, runs: 250 },
      fc.property(operation, parts, fc.boolean(), (kind, sent, watched) => {
        const sim = world();
        if (watched) {
          sim.faults.add((arrived) => {
            JSON.stringify([arrived.headers, arrived.body, arrived.surface, arrived.query]);
            return undefined;
          });
        }
        checkAnswer(sim, requestWith(made(sent), kind, sim));
        checkAnswer(sim, requestWith({}, "impression", sim));
        checkAnswer(sim, requestWith(made(sent), kind, sim));
        checkReadable(sim);
      }),
    );
  });

  test.each(Object.keys(odd))(
    "is answered with %s as each of its parts, and as the request itself",
    (name) => {
      const sim = world();
      for (const kind of ["impression", "stats"]) {
        for (const place of ["method", "path", "query", "headers", "body"]) {
          checkAnswer(sim, requestWith({ [place]: odd[name]?.() }, kind, sim));
        }
      }
      checkAnswer(sim, odd[name]?.() as ApiRequest);
      checkReadable(sim);
    },
  );

  const everyWorld = "is answered by a server's worlds, too";
  test(everyWorld, { timeout: 60_000 }, () => {
    checkProperty(
      { test: everyWorld, file, runs: 150 },
      fc.property(operation, parts, (kind, sent) => {
        const worlds = createWorlds({
          options: { seed: "odd", publishers: 2 },
          host: { people: () => fakerPerson },
          control: createControl(),
        });
        const { handle } = worlds;
        expect(handle(requestWith(made(sent), kind, world())).status).toBeLessThan(500);
        expect(handle(odd["a proxy that throws"]?.() as ApiRequest).status).toBe(400);
      }),
    );
  });

  test("gets an error that says what is wrong, and where", () => {
    const sim = world();
    const said = (sent: object): string =>
      JSON.parse(sim.handle(requestWith(sent, "impression", sim)).body).detail;
    expect(said({ method: 5 })).toBe("The request can't be read: method must be a string.");
    expect(said({ path: null })).toBe("The request can't be read: path must be a string.");
    expect(said({ headers: new Headers() })).toBe(
      "The request can't be read: headers must be a plain object of strings by name.",
    );
    expect(said({ query: new URLSearchParams("a=1") })).toContain("query, if it isn't a string,");
    expect(said({ body: odd["a proxy of bytes"]?.() })).toContain("throws when it is read");
  });

  test("null as query, headers or body counts as left out", () => {
    const sim = world();
    const request = requestWith({}, "impression", sim);
    const { status } = sim.handle({ ...request, query: null } as unknown as ApiRequest);
    expect(status).toBe(200);
    const bodiless = sim.handle({ ...request, body: null } as unknown as ApiRequest);
    expect(JSON.parse(bodiless.body).code).toBe("missing_parameter");
    const keyless = sim.handle({ ...request, headers: null } as unknown as ApiRequest);
    expect(keyless.status).toBe(401);
  });

  test("headers as Node's server passes them are read", () => {
    const sim = world();
    const { authorization } = requestWith({}, "impression", sim).headers ?? {};
    const headers = { authorization: [authorization], cookie: ["a=1", "b=2"], host: undefined };
    const sent = requestWith({ headers }, "impression", sim);
    expect(sim.handle(sent).status).toBe(200);
    const [entry] = sim.journal.entries({ secrets: "shown" });
    expect(entry?.request.headers.cookie).toBe("a=1, b=2");
  });

  test("sim.fetch rejects only what the built-in fetch rejects", async () => {
    const { fetch } = world();
    const url = "http://sim.test/v1/impression";
    for (const make of Object.values(odd)) {
      const init = { method: "POST", body: make() } as unknown as RequestInit;
      const isRequest = (() => {
        try {
          return Boolean(new Request(url, init));
        } catch {
          return false;
        }
      })();
      const answer = await fetch(url, init).then(
        ({ status }) => status < 500,
        () => false,
      );
      expect(answer).toBe(isRequest);
    }
  });
});
