/**
 * The API's document is valid OpenAPI, its examples are what the world answers, and every answer that it lists occurs. That
 * all answers are as it says is shown in `choices/every-row-serves`, `cli/fixtures` and the campaigns.
 */

import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { coveringArray } from "../../../src/choices/covering-array.ts";
import { type Choices, createSimulator, type SimulatorOptions } from "../../../src/index.ts";
import type { SimulatorCore } from "../../../src/simulator/core.ts";
import { recordExamples } from "../../../src/simulator/openapi-examples.ts";
import type { Worlds } from "../../../src/simulator/worlds.ts";
import { resolveAssumptions } from "../../../src/spec/assumptions/resolve.ts";
import { buildRequest } from "../../../src/spec/build-request.ts";
import type { ApiRequest, ApiResponse } from "../../../src/spec/messages.ts";
import { type OpenApiDocument, openApiDocument } from "../../../src/spec/openapi.ts";
import { operationIds, operations } from "../../../src/spec/operations.ts";
import { someOf } from "../../budget.ts";
import { fullSession } from "../../choices/full-session.ts";
import { runAdsim } from "../../cli/run-adsim.ts";
import { senderOf } from "../../sender.ts";
import { worldsOf } from "../../worlds.ts";
import { answersListed, codeIn } from "./openapi-answers.ts";
import { createAjv, createConformance } from "./openapi-conformance.ts";

const validator = new Validator();
const profiles = ["typical", "tiny", "adversarial"] as const;

/** The defaults, and every pair of choices, each time in another world. */
const everyPair: readonly SimulatorOptions[] = [
  {},
  ...coveringArray({ strength: 2 }).map((assumptions, index) => ({
    assumptions,
    seed: `examples ${index}`,
    profile: profiles[index % profiles.length],
    publishers: index % 2 === 0 ? 25 : 1,
  })),
];

describe.each(someOf(everyPair.map((options, index) => ({ index, options }))))(
  "in the world $index of the covering array of pairs",
  ({ options }) => {
    test("the document is valid, and its examples fit their schemas and are what is answered", async () => {
      const sim = createSimulator(options);
      const document = openApiDocument(sim.assumptions, { examples: recordExamples(sim) });
      expect(await validator.validate(structuredClone({ ...document }))).toEqual({ valid: true });
      expect(JSON.parse(JSON.stringify(document))).toEqual(document);
      expectItsExamples(document, sim);
    });

    test("every answer that it lists occurs", () => {
      const assumptions = options.assumptions ?? {};
      const sim = createSimulator({ assumptions });
      const document = openApiDocument(sim.assumptions);
      const missing = new Set(answersListed(document));
      for (const exchanges of [fullSession(sim), moreErrors(sim)])
        for (const { request, response } of exchanges) {
          const [path = ""] = request.path.split("?");
          missing.delete(`${request.method} ${path} ${response.status} ${codeIn(response)}`);
          if (missing.size === 0) return;
        }
      expect([...missing]).toEqual([]);
    });
  },
);

/** Errors that a whole session doesn't provoke under all choices. */
function* moreErrors(
  sim: SimulatorCore,
): Generator<{ request: ApiRequest; response: ApiResponse }> {
  const headers = { authorization: `Bearer ${sim.publishers.at(0).apiKey}` };
  const post = { method: "POST", headers };
  const impression = { ...post, path: "/v1/impression", query: "ad_id=1&ad_id=2" };
  const click = { ...post, path: "/v1/click", query: "impression_id=1&impression_id=2" };
  for (const request of [impression, ...Array.from({ length: 10_001 }, () => click)])
    yield { request, response: sim.handle(request) };
}

describe("the check of answers against the document", () => {
  const evolved = resolveAssumptions({ "response.form": "evolved" });
  const lenient = createConformance(openApiDocument(evolved), evolved);
  const sim = createSimulator({ seed: "openapi" });
  const problemsOf = createConformance(openApiDocument(sim.assumptions), sim.assumptions);
  const { id, apiKey } = sim.publishers.at(0);
  const right = senderOf(sim, sim.publishers.at(0)).get("stats");
  const stats = { method: "GET", path: "/v1/publisher/stats" };
  const refusal = sim.handle(stats);

  test("accepts what is right", () => {
    expect([problemsOf(stats, right), problemsOf(stats, refusal)]).toEqual([[], []]);
  });

  test.each<[string, ApiResponse]>([
    ["status", { ...right, status: 418 }],
    ["missing header", { ...right, headers: { "content-type": "application/json" } }],
    ["header", { ...right, headers: { ...right.headers, "x-ratelimit-remaining": "-1" } }],
    ["content type", { ...right, headers: { ...right.headers, "content-type": "text/html" } }],
    ["member", { ...right, body: right.body.replace('"clicks"', '"clics"') }],
    ["date", { ...right, body: right.body.replace(/"from":"[^"]+"/, '"from":"2026-02-30"') }],
    ["error", { ...refusal, body: refusal.body.replace('"unauthorized"', '"rate_limited"') }],
    ["member of an error", { ...refusal, body: refusal.body.replace("{", '{"extra":1,') }],
  ])("notices a wrong %s", (_, wrong) => {
    expect(problemsOf(stats, wrong)).not.toEqual([]);
  });

  test.each(["stats", "surfaces", "payouts"])(
    "notices a field of %s that isn't documented at every depth, though the document leaves room for it",
    (what) => {
      const request = { method: "GET", path: `/v1/publisher/${what}` };
      const headers = { authorization: `Bearer ${apiKey}` };
      const answer = sim.handle({ ...request, query: { publisher_id: id }, headers });
      const typed = { ...answer.headers, "content-type": "application/json; charset=utf-8" };
      const places = [...answer.body.matchAll(/\{/g)].map(({ index }) => index + 1);
      expect(places.length).toBeGreaterThan(1);
      for (const at of places) {
        const body = `${answer.body.slice(0, at)}"extra":1,${answer.body.slice(at)}`;
        expect(problemsOf(request, { ...answer, body })).not.toEqual([]);
        expect(lenient(request, { ...answer, headers: typed, body })).toEqual([]);
      }
    },
  );
});

describe("for other tools", () => {
  const documentUnder = (chosen: Choices) => openApiDocument(resolveAssumptions(chosen));

  test.each([
    ["any", ["application/json"]],
    ["json", ["application/json"]],
    ["form", ["application/x-www-form-urlencoded"]],
    ["query", []],
  ] as const)(
    "under request.encoding=%s a body has the types %j and is required",
    (encoding, types) => {
      const { paths } = documentUnder({ "request.encoding": encoding });
      for (const path of ["/v1/impression", "/v1/click"]) {
        const { requestBody, parameters = [] } = (paths[path]?.post ?? {}) as Posted;
        expect(Object.keys(requestBody?.content ?? {})).toEqual(types);
        expect(requestBody?.required ?? true).toBe(true);
        expect(parameters.length > 0).toBe(encoding === "query");
        // A body of JSON alone, but the description names the other type.
        if (encoding === "any") expect(requestBody?.description).toContain("x-www-form-urlencoded");
      }
    },
  );

  test("schemas have fixed names; only those of requests are closed, if unknown parameters are refused", () => {
    const { schemas } = documentUnder({ "request.values": "strict" }).components;
    const isClosed = (one: unknown) => JSON.stringify(one).includes('"additionalProperties":false');
    const closed = Object.keys(schemas).filter((name) => isClosed(schemas[name]));
    expect(closed).toEqual(["ImpressionRequest", "ClickRequest"]);
    expect(isClosed(documentUnder({}))).toBe(false);
    expect(Object.keys(schemas).toSorted()).toEqual([
      ...["ClickRequest", "ClickResult", "ImpressionRequest", "ImpressionResult", "Payout"],
      ...["Payouts", "Period", "Problem", "Stats", "Surface", "SurfaceStats", "Surfaces"],
    ]);
  });

  test("a price range is two numbers, for tools that know prefixItems and for those that don't", () => {
    const number = { type: "number" };
    const range = { prefixItems: [number, number], items: number, minItems: 2, maxItems: 2 };
    const { Surface } = documentUnder({}).components.schemas;
    expect(Surface).toMatchObject({ properties: { cpm_range: range } });
  });
});

describe("the document that a world serves", () => {
  test("has the world's own publisher, key, surfaces and day, and serving it changes nothing", () => {
    const faults = [{ match: { operation: "stats" }, verdict: { kind: "drop" } }] as const;
    const worlds = worldsOf({ seed: "served", publishers: 2, explain: true, faults });
    const sim = worlds.get("default");
    const first = sim.publishers.at(0);
    for (let sent = 0; sent < 70; sent += 1) senderOf(sim, first).get("payouts");
    sim.publishers.rotateKey(first.id);
    sim.publishers.setSurface(first.id, first.surfaces[0]?.id ?? "", { status: "paused" });
    sim.publishers.setSurface(first.id, first.surfaces[1]?.id ?? "", { cpmRange: [900, 901] });
    sim.clock.advance("40d");
    sim.assume({ "errors.body": "envelope" });
    const entries = () => [sim.journal.entries(), sim.audit(), sim.report(), worlds.metrics()];
    const state = (): string => JSON.stringify([sim.snapshot(), ...entries()]);
    const before = state();
    const document = served(worlds);
    expect(state()).toBe(before);
    sim.faults.clear();
    expectItsExamples(document, sim);
  });

  test.each<[string, SimulatorOptions, (sim: SimulatorCore) => void]>([
    ["was restored", {}, (sim) => sim.restore(createSimulator({ profile: "tiny" }).snapshot())],
    ["was reset", {}, (sim) => sim.reset({ seed: "a third" })],
    ["starts in 1970", { start: "1970-01-01T00:00:00Z" }, () => {}],
    ["starts in 9999", { start: "9999-12-31T18:29:59Z" }, () => {}],
    [
      "has paused every surface",
      { publishers: 1 },
      ({ publishers }) => {
        const { id, surfaces } = publishers.at(0);
        for (const one of surfaces) publishers.setSurface(id, one.id, { status: "paused" });
      },
    ],
  ])("has examples of successes if the world %s", (_, options, change) => {
    const worlds = worldsOf(options);
    const sim = worlds.get("default");
    change(sim);
    const document = served(worlds);
    // The examples are about an active surface, even if there is none.
    const { id, surfaces } = sim.publishers.at(0);
    sim.publishers.setSurface(id, surfaces[0]?.id ?? "", { status: "active" });
    expectItsExamples(document, sim);
  });

  test.each([
    [{ host: "127.0.0.1:4010" }, "/_sim/", "http://127.0.0.1:4010"],
    [{ host: "127.0.0.1:4010" }, "/@ci/_sim/", "http://127.0.0.1:4010/@ci"],
    [{}, "/_sim/", "/"],
    [{}, "/@ci/_sim/", "/@ci"],
  ])("to a request with the headers %j at %s names the server %s", (headers, path, url) => {
    expect(served(worldsOf(), path, headers).servers).toEqual([{ url }]);
  });
});

describe("adsim openapi", () => {
  test("prints the same bytes each time, and other examples for another seed", async () => {
    const printed: string[] = [];
    for (const options of [[], [], ["--seed", "42"]])
      printed.push((await runAdsim(["openapi", ...options])).stdout);
    const [one, two, other = ""] = printed;
    expect(two).toBe(one);
    expect(other).not.toBe(one);
    const document: OpenApiDocument = JSON.parse(other);
    expectItsExamples(document, createSimulator({ seed: "42" }));
    expect(document.servers).toEqual([{ url: "http://127.0.0.1:4010" }]);
  });

  test("with --successes has one answer for each operation, and every schema that it refers to", async () => {
    const { stdout } = await runAdsim(["openapi", "--successes"]);
    const document: OpenApiDocument = JSON.parse(stdout);
    const answers = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => {
        return [method.toUpperCase(), path, ...Object.keys(responses)];
      }),
    );
    expect(answers).toEqual(Object.values(operations).map((one) => [one.method, one.path, "200"]));
    const references = [...stdout.matchAll(/"\$ref": ?"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(5);
    for (const [, name = ""] of references)
      expect(document.components.schemas).toHaveProperty(name);
  });
});

function served(
  worlds: Worlds,
  path = "/_sim/",
  headers: Record<string, string> = {},
): OpenApiDocument {
  const { status, body } = worlds.handle({ method: "GET", path: `${path}openapi.json`, headers });
  expect(status, body).toBe(200);
  return JSON.parse(body);
}

interface Posted {
  readonly parameters?: readonly { readonly name: string; readonly example: string | number }[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly description: string;
    readonly content: Readonly<Record<string, { readonly example: Record<string, string> }>>;
  };
}

/** Each example fits its schema, and the requests that they make, with the key that is named, get the answers beside them. */
function expectItsExamples(document: OpenApiDocument, sim: SimulatorCore): void {
  const ajv = createAjv();
  ajv.addSchema(document, "api");
  for (const { schema, example } of holdersOfExamples(document)) {
    const found = "$ref" in schema ? { $ref: `api${schema.$ref}` } : schema;
    expect(ajv.validate(found, example), `${ajv.errorsText()}: ${JSON.stringify(example)}`).toBe(
      true,
    );
  }
  const { description } = document.components.securitySchemes.bearer;
  const [, key = ""] = /whose key is (\S+)\.$/.exec(description) ?? [];
  for (const id of operationIds) {
    const { method, path } = operations[id];
    const operation = document.paths[path]?.[method.toLowerCase()];
    const { parameters = [], requestBody } = operation as Posted;
    const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
    const pairs = parameters.map(({ name, example }) => [name, example]);
    const values = content?.example ?? Object.fromEntries(pairs);
    const encoding = type === undefined ? "query" : type.includes("json") ? "json" : "form";
    const { status, body } = sim.handle(buildRequest(id, values, { key, encoding }));
    const [success] = Object.values(operation?.responses["200"]?.content ?? {});
    expect([status, JSON.parse(body)], path).toEqual([200, success?.example]);
  }
}

interface Holder {
  readonly schema: object & { readonly $ref?: string };
  readonly example: unknown;
}

function holdersOfExamples(value: unknown): Holder[] {
  if (typeof value !== "object" || value === null) return [];
  const within = Object.values(value).flatMap(holdersOfExamples);
  const isHolder = "schema" in value && "example" in value;
  return isHolder ? [value as Holder, ...within] : within;
}
