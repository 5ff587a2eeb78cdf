/** The API's document is valid OpenAPI, and every answer is as it says, under any assumptions (invariant H1). */

import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { createSimulator, type Publisher, type Simulator } from "../../../src/index.ts";
import type { Assumptions } from "../../../src/spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../../src/spec/assumptions/resolve.ts";
import type { ApiRequest, ApiResponse } from "../../../src/spec/messages.ts";
import { type OpenApiDocument, openApiDocument } from "../../../src/spec/openapi.ts";
import { someOf } from "../../budget.ts";
import { answersListed, codeIn } from "./openapi-answers.ts";
import { createConformance } from "./openapi-conformance.ts";

const choices: { readonly [name: string]: Partial<Assumptions> } = {
  "the defaults": {},
  "conflicts and masked publishers": {
    "dedup.repeat": "conflict",
    "click.repeat": "conflict",
    "auth.key-scope": "publisher-hidden",
  },
  "other statuses": {
    "errors.invalid": "422",
    "auth.failure": "403",
    "limit.exceeded": "503",
    "surface.unknown": "400",
    "click.unknown": "400",
    "request.values": "strict",
  },
  "few hints": {
    "limit.retry-after": "absent",
    "limit.exceeded": "403",
  },
  "lenient choices": {
    "payout.limit-over-max": "clamp",
    "dedup.repeat": "replay",
    "click.repeat": "replay",
  },
  "everything that can count counts": {
    "auth.key-scope": "any",
    "dedup.key": "session",
    "dedup.window": "forever",
    "click.repeat": "count",
    "surface.inactive": "uncredited",
    "date.inverted-range": "empty",
    "stats.today": "next-day",
  },
  "extended statuses": {
    "surface.statuses": "extended",
    "payout.statuses": "extended",
    "click.window": "24h",
    "click.repeat": "conflict",
    "surface.inactive": "uncredited",
    "dedup.repeat": "conflict",
    "dedup.window": "24h",
  },
  "payouts without a reference": { "payout.statuses": "extended-without-txn" },
  "other forms of requests and answers": {
    "errors.body": "envelope",
    "ids.format": "url-unsafe",
    "money.precision": "paise",
    "response.form": "evolved",
    "request.encoding": "form",
  },
  "errors in a list, JSON only": {
    "errors.body": "list",
    "request.encoding": "json",
    "response.form": "evolved",
  },
  "flat errors, parameters in the query": {
    "errors.body": "flat",
    "request.encoding": "query",
    "ids.format": "digits",
  },
  "errors as text": { "errors.body": "text" },
  "errors as HTML pages": { "errors.body": "html", "ids.format": "uuid" },
  "errors without a body": {
    "errors.body": "empty",
  },
  "another rate limit algorithm": {
    "limit.algorithm": "sliding-log",
    "limit.retry-after": "http-date",
    "limit.recording-pool": "separate",
  },
  "only stats limited among reports": {
    "limit.algorithm": "token-bucket",
    "limit.reporting-endpoints": "stats-only",
  },
};

const validator = new Validator();

describe.each(someOf(Object.keys(choices)))("under %s", (name) => {
  const chosen = choices[name] ?? {};
  const assumptions = resolveAssumptions(chosen);
  const document = openApiDocument(assumptions);

  test("the document is valid OpenAPI 3.1 and plain JSON", async () => {
    const result = await validator.validate(structuredClone({ ...document }));
    expect(result).toEqual({ valid: true });
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  test("every answer is as the document says, and every answer it lists occurs", () => {
    const sim = createSimulator({ seed: "openapi", assumptions: chosen });
    const problemsOf = createConformance(document, assumptions);
    const seen = new Set<string>();
    for (const { request, response } of provoke(sim)) {
      const problems = problemsOf(request, response);
      expect(problems, `${request.method} ${request.path} ${request.body ?? ""}`).toEqual([]);
      seen.add(
        `${request.method} ${request.path.split("?")[0]} ${response.status} ${codeIn(response)}`,
      );
    }
    expect(answersListed(document).filter((answer) => !seen.has(answer))).toEqual([]);
  });
});

test("a response that contradicts the document is noticed", () => {
  const assumptions = resolveAssumptions({});
  const problemsOf = createConformance(openApiDocument(assumptions), assumptions);
  const sim = createSimulator({ seed: "openapi" });
  const { id, apiKey } = sim.publishers.at(0);
  const request = read(`/v1/publisher/stats?publisher_id=${id}`, apiKey);
  const right = sim.handle(request);
  const wrong: readonly ApiResponse[] = [
    { ...right, status: 418 },
    { ...right, headers: { "content-type": "application/json" } },
    { ...right, headers: { ...right.headers, "x-ratelimit-remaining": "-1" } },
    { ...right, headers: { ...right.headers, "content-type": "text/html" } },
    { ...right, body: right.body.replace('"clicks"', '"clics"') },
    { ...right, body: right.body.replace("{", '{"extra":1,') },
    { ...right, body: right.body.replace(/"from":"[^"]+"/, '"from":"2026-02-30"') },
  ];
  expect(problemsOf(request, right)).toEqual([]);
  for (const response of wrong) expect(problemsOf(request, response)).not.toEqual([]);
});

test("a field that isn't documented is noticed at every depth, though the document leaves room for it", () => {
  const sim = createSimulator({ seed: "openapi" });
  const { id, apiKey } = sim.publishers.at(0);
  const problemsOf = createConformance(openApiDocument(sim.assumptions), sim.assumptions);
  const extra = resolveAssumptions({ "response.form": "evolved" });
  const lenient = createConformance(openApiDocument(extra), extra);
  for (const path of ["stats", "surfaces", "payouts"]) {
    const request = read(`/v1/publisher/${path}?publisher_id=${id}`, apiKey);
    const right = sim.handle(request);
    const braces = [...right.body].flatMap((character, at) => (character === "{" ? [at] : []));
    expect(braces.length).toBeGreaterThan(1);
    for (const at of braces) {
      const body = `${right.body.slice(0, at + 1)}"extra":1,${right.body.slice(at + 1)}`;
      expect(problemsOf(request, { ...right, body })).not.toEqual([]);
      const headers = { ...right.headers, "content-type": "application/json; charset=utf-8" };
      expect(lenient(request, { ...right, headers, body })).toEqual([]);
    }
  }
  const refused = read("/v1/publisher/stats", "no-key");
  const refusal = sim.handle(refused);
  const wrong = [
    refusal.body.replace("{", '{"extra":1,'),
    refusal.body.replace('"unauthorized"', '"rate_limited"'),
  ];
  for (const body of wrong) {
    expect(problemsOf(refused, { ...refusal, body })).not.toEqual([]);
    expect(lenient(refused, { ...refusal, body })).not.toEqual([]);
  }
  expect(problemsOf(refused, refusal)).toEqual([]);
});

describe("what other tools make of the document", () => {
  const documentUnder = (chosen: Partial<Assumptions>): OpenApiDocument =>
    openApiDocument(resolveAssumptions(chosen));
  const bodyOf = (document: OpenApiDocument, path: string): RequestBody | undefined =>
    document.paths[path]?.post?.requestBody as RequestBody | undefined;
  interface RequestBody {
    readonly required: boolean;
    readonly description: string;
    readonly content: Readonly<Record<string, unknown>>;
  }

  test.each([
    ["any", ["application/json"]],
    ["json", ["application/json"]],
    ["form", ["application/x-www-form-urlencoded"]],
    ["query", []],
  ] as const)(
    "with request.encoding=%s the body types are %j, and a body with a type is required",
    (encoding, types) => {
      const document = documentUnder({ "request.encoding": encoding });
      for (const path of ["/v1/impression", "/v1/click"]) {
        const body = bodyOf(document, path);
        expect(Object.keys(body?.content ?? {})).toEqual(types);
        expect(body?.required ?? true).toBe(true);
      }
      const parameters = document.paths["/v1/click"]?.post?.parameters ?? [];
      expect(parameters).toHaveLength(encoding === "query" ? 1 : 0);
    },
  );

  test("the description of a body names the other types that are accepted", () => {
    const description = bodyOf(documentUnder({}), "/v1/click")?.description;
    expect(description).toContain("application/x-www-form-urlencoded");
  });

  test("request schemas forbid other properties if unknown parameters are refused; response schemas never do", () => {
    for (const [reading, closed] of [
      ["lenient", []],
      ["strict", ["ImpressionRequest", "ClickRequest"]],
    ] as const) {
      const { schemas } = documentUnder({ "request.values": reading }).components;
      const found = Object.entries(schemas).filter(([, schema]) =>
        JSON.stringify(schema).includes('"additionalProperties":false'),
      );
      expect(found.map(([name]) => name)).toEqual(closed);
    }
  });

  test("schemas have fixed names that no language has taken", () => {
    expect(Object.keys(documentUnder({}).components.schemas).toSorted()).toEqual([
      ...["ClickRequest", "ClickResult", "ImpressionRequest", "ImpressionResult", "Payout"],
      ...["Payouts", "Period", "Problem", "Stats", "Surface", "SurfaceStats", "Surfaces"],
    ]);
  });

  test("a price range is two numbers, for tools that know prefixItems and for those that don't", () => {
    const surface = documentUnder({}).components.schemas.Surface as {
      properties: { cpm_range: object };
    };
    expect(surface.properties.cpm_range).toMatchObject({
      prefixItems: [{ type: "number" }, { type: "number" }],
      items: { type: "number" },
      minItems: 2,
      maxItems: 2,
    });
  });
});

interface Exchanged {
  readonly request: ApiRequest;
  readonly response: ApiResponse;
}

/** Requests with every possible outcome; those over the limit come last. */
function* provoke(sim: Simulator): Generator<Exchanged> {
  const answered = (request: ApiRequest): Exchanged => ({ request, response: sim.handle(request) });
  const owner = sim.publishers.at(0);
  const other = sim.publishers.at(1);
  const [surface, paused] = owner.surfaces;
  if (surface === undefined || paused === undefined)
    throw new Error("The publisher needs 2 surfaces.");
  sim.publishers.setSurface(owner.id, paused.id, { status: "paused" });
  const ad = { publisher_id: owner.id, surface: surface.id, ad_id: "ad" };
  const write = writerOf(sim.assumptions["request.encoding"]);

  for (const path of ["/v1/publisher/stats", "/v1/publisher/surfaces", "/v1/publisher/payouts"]) {
    for (const method of ["GET", "HEAD"]) {
      for (const query of queries(...[owner, other, surface].map(inUrl))) {
        yield answered({ ...read(`${path}?${query}`, owner.apiKey), method });
      }
      yield answered({
        ...read(`${path}?publisher_id=${inUrl(owner)}`, owner.apiKey),
        method,
        body: "x".repeat(70_000),
      });
      yield answered({ method, path });
      sim.clock.advance("1m");
    }
    yield answered({ method: "PUT", path });
  }
  for (const method of ["GET", "HEAD", "DELETE"]) yield answered({ method, path: "/v1/click" });
  yield answered({ method: "GET", path: "/v2/click" });
  yield answered({ method: "HEAD", path: "/v2/click" });

  const first = answered(write("/v1/impression", owner.apiKey, { ...ad, session_id: "s" }));
  yield first;
  const { impression_id } = JSON.parse(first.response.body) as { impression_id: string };
  const bodies: readonly (readonly [path: string, body: Parameters])[] = [
    ["/v1/impression", { ...ad, session_id: "s" }],
    ["/v1/impression", { ...ad, publisher_id: "nobody" }],
    ["/v1/impression", { ...ad, publisher_id: other.id }],
    ["/v1/impression", { ...ad, surface: "nowhere" }],
    ["/v1/impression", { ...ad, surface: paused.id }],
    ["/v1/impression", { ...ad, ad_id: "" }],
    ["/v1/impression", { ...ad, colour: "red" }],
    ["/v1/click", { impression_id }],
    ["/v1/click", { impression_id }],
    ["/v1/click", { impression_id: "never" }],
    ["/v1/click", { impression_id: [] }],
    ["/v1/click", { impression_id, colour: "red" }],
  ];
  for (const [path, body] of bodies) yield answered(write(path, owner.apiKey, body));
  for (const path of ["/v1/impression", "/v1/click"]) {
    const own = path === "/v1/click" ? "impression_id" : "ad_id";
    const twice = `${own}=1&${own}=2`;
    const wrong = ["{}", "{", "[]", '{"__proto__":1}', "x".repeat(70_000)];
    for (const body of [...wrong, twice, "%ff=1", "a=1&a=2", "__proto__=1"]) {
      yield answered(write(path, owner.apiKey, body));
    }
    yield answered({ ...write(path, owner.apiKey, "{}"), query: twice });
    const headers = { ...key(owner.apiKey), "content-type": "text/plain" };
    for (const body of ["a", "x".repeat(70_000)]) {
      yield answered({ method: "POST", path, headers, body });
    }
    yield answered({ ...write(path, owner.apiKey, ""), query: "a".repeat(9000) });
    yield answered(write(path, "no-key", {}));
  }
  sim.clock.advance("30d");
  yield answered(write("/v1/click", owner.apiKey, { impression_id }));
  // Payouts and their statuses day by day.
  for (let days = 0; days < 8; days += 1) {
    yield answered(read(`/v1/publisher/payouts?publisher_id=${inUrl(owner)}`, owner.apiKey));
    sim.clock.advance("1d");
  }
  yield* exhaust(answered, owner, write, { ad, impression_id });
}

/** Uses up the quota with valid requests: refused ones may be free. */
function* exhaust(
  answered: (request: ApiRequest) => Exchanged,
  owner: Pick<Publisher, "id" | "apiKey">,
  write: Write,
  { ad, impression_id }: { readonly ad: Parameters; readonly impression_id: string },
): Generator<Exchanged> {
  const { apiKey } = owner;
  const stats = `/v1/publisher/stats?publisher_id=${inUrl(owner)}`;
  for (let sent = 0; sent <= 60; sent += 1) answered(read(stats, apiKey));
  for (const path of ["/v1/publisher/stats", "/v1/publisher/surfaces", "/v1/publisher/payouts"]) {
    yield answered(read(path, apiKey));
    yield answered({ ...read(path, apiKey), method: "HEAD" });
  }
  const writes = [
    ["/v1/impression", ad],
    ["/v1/click", { impression_id }],
  ] as const;
  for (const [path, body] of writes) {
    for (let sent = 0; sent <= 10_000; sent += 1) answered(write(path, apiKey, body));
    yield answered(write(path, apiKey, ""));
  }
}

function inUrl({ id }: { readonly id: string }): string {
  return encodeURIComponent(id);
}

function queries(ownId = "", otherId = "", surfaceId = ""): string[] {
  const own = `publisher_id=${ownId}`;
  return [
    own,
    `${own}&surface=${surfaceId}`,
    `${own}&surface=nowhere`,
    `${own}&from=2025-12-01&to=2025-12-31`,
    `${own}&from=2025-12-31&to=2025-12-01`,
    `${own}&limit=3`,
    `${own}&limit=0&from=2026-02-29&publisher_id`,
    `${own}&limit=0&from=2026-02-29`,
    `${own}&limit=101`,
    `publisher_id=`,
    `publisher_id=nobody`,
    `publisher_id=${otherId}`,
    `${own}&${own}`,
    `${own}&__proto__=1`,
    `${own}&colour=red`,
    "",
    `${own}&colour=${"x".repeat(9000)}`,
  ];
}

function key(apiKey: string): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` };
}

function read(path: string, apiKey: string): ApiRequest {
  return { method: "GET", path, headers: key(apiKey) };
}

type Parameters = Readonly<Record<string, unknown>>;
type Write = (path: string, apiKey: string, sent: string | Parameters) => ApiRequest;

/** Writes parameters, or a text in their place, in the encoding that the world accepts. */
function writerOf(encoding: Assumptions["request.encoding"]): Write {
  const pairs = (sent: string | Parameters): string =>
    typeof sent === "string"
      ? sent
      : new URLSearchParams(
          Object.entries(sent).map(([name, value]) => [name, String(value)]),
        ).toString();
  return (path, apiKey, sent) => {
    const request = { method: "POST", path, headers: key(apiKey) };
    if (encoding === "query") return { ...request, query: pairs(sent) };
    const [type, body] =
      encoding === "form"
        ? ["application/x-www-form-urlencoded", pairs(sent)]
        : ["application/json", sent];
    return { ...request, headers: { ...request.headers, "content-type": type }, body };
  };
}
