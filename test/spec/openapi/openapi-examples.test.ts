/** The document's examples are complete, fit their schemas, and are what a world of the same seed and assumptions answers. */

import { isDeepStrictEqual } from "node:util";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { createControl } from "../../../src/control/control.ts";
import { createMeter } from "../../../src/exchange/meter.ts";
import { createSimulator, type Simulator, type SimulatorOptions } from "../../../src/index.ts";
import { coveringArray } from "../../../src/readings/covering-array.ts";
import { recordExamples } from "../../../src/simulator/openapi-examples.ts";
import type { SimulatorCore } from "../../../src/simulator/simulator.ts";
import { createWorlds, type Worlds } from "../../../src/simulator/worlds.ts";
import type { ApiRequest } from "../../../src/spec/messages.ts";
import { type OpenApiDocument, openApiDocument } from "../../../src/spec/openapi/openapi.ts";
import type { OpenApiHeader } from "../../../src/spec/openapi/openapi-headers.ts";
import { operations } from "../../../src/spec/operations.ts";
import { fakerPerson } from "../../../src/world/publishers/people.ts";
import { someOf } from "../../budget.ts";
import { runAdsim } from "../../cli/run-adsim.ts";
import { ofTransports } from "./openapi-answers.ts";
import { createAjv, createConformance, resolved } from "./openapi-conformance.ts";

const validator = new Validator();
const profiles = ["typical", "tiny", "adversarial"] as const;

/** Every pair of choices, each time in another world. */
const worlds: readonly SimulatorOptions[] = [
  {},
  ...coveringArray({ strength: 2 }).map((assumptions, index) => ({
    assumptions,
    seed: `examples ${index}`,
    profile: profiles[index % profiles.length],
    publishers: index % 2 === 0 ? 25 : 1,
  })),
];
const named = someOf(worlds.map((options, index) => ({ index, options })));

function documentOf(sim: Simulator): OpenApiDocument {
  return openApiDocument(sim.assumptions, { examples: recordExamples(sim) });
}

describe("in every world of the covering array of pairs", () => {
  test.each(named)(
    "$index: the document is valid and has an example everywhere",
    async ({ options }) => {
      const document = documentOf(createSimulator(options));
      expect(await validator.validate(structuredClone({ ...document }))).toEqual({ valid: true });
      expect(JSON.parse(JSON.stringify(document))).toEqual(document);
      expect(missingExamples(document)).toEqual([]);
      expect(misfits(document)).toEqual([]);
    },
  );

  test.each(named)("$index: a valid request gets the answer in its example", ({ options }) => {
    const sim = createSimulator(options);
    const document = documentOf(sim);
    const problemsOf = createConformance(document, sim.assumptions);
    for (const right of rightRequests(document, sim)) {
      const response = sim.handle(right.request);
      expect(problemsOf(right.request, response)).toEqual([]);
      expect(JSON.parse(response.body), right.request.path).toEqual(right.answer);
    }
  });

  test.each(named)("$index: an invalid request gets the answer in its example", ({ options }) => {
    const sim = createSimulator(options);
    const document = documentOf(sim);
    const rights = rightRequests(document, sim);
    for (const { request } of rights) sim.handle(request);
    let compared = 0;
    for (const right of rights) {
      for (const { code, example, status } of examplesOf(document, right)) {
        const world = sim.fork();
        // Transports' errors can't come from `handle`; the rate limit has a test of its own, with thousands of requests.
        if (ofTransports.includes(code) || code === "rate_limited") continue;
        const wrong = wrongRequest(code, right, world);
        const answer = world.handle(wrong);
        const what = `${code} of ${right.request.path}`;
        expect(bodyLike(example, answer.body), what).toEqual(example);
        expect(answer.status, what).toBe(status);
        compared += 1;
      }
    }
    for (const [code, described] of Object.entries(document["x-without-operation"])) {
      const [content] = Object.values(described.content ?? {});
      if (content === undefined) continue;
      const [stats] = rights.map(({ request }) => request);
      const wrong = code === "route_not_found" ? { path: "/v1/nothing" } : { method: "DELETE" };
      const { body } = sim.handle({ method: "GET", path: "", ...stats, ...wrong });
      const example = content.examples?.[code]?.value;
      expect(bodyLike(example, body), code).toEqual(example);
    }
    const hasBodies = sim.assumptions["errors.body"] !== "empty";
    expect(compared > 30).toBe(hasBodies);
  });
});

test("a request over the limit gets the answer in its example", () => {
  const sim = createSimulator();
  const document = documentOf(sim);
  for (const right of rightRequests(document, sim)) {
    const world = sim.fork();
    const many = right.request.method === "GET" ? 60 : 10_000;
    for (let sent = 0; sent < many; sent += 1) world.handle(right.request);
    const { body } = world.handle(right.request);
    const limited = examplesOf(document, right).find(({ code }) => code === "rate_limited");
    expect(JSON.parse(body), right.request.path).toEqual(limited?.example);
  }
});

describe("the document that a world serves", () => {
  test("has the world's own publisher, key, surfaces and day after many changes, and serving it changes nothing", () => {
    const faults = [
      { match: { operation: "stats" }, verdict: { kind: "respond", status: 503 } },
    ] as const;
    const worlds = worldsOf({ seed: "served", publishers: 2, explain: true, faults });
    const sim = worlds.get("default");
    const first = sim.publishers.at(0);
    const request = { path: "/v1/publisher/payouts", query: { publisher_id: first.id } };
    const headers = { authorization: `Bearer ${first.apiKey}` };
    for (let sent = 0; sent < 70; sent += 1) worlds.handle({ method: "GET", headers, ...request });
    sim.publishers.rotateKey(first.id);
    sim.publishers.setSurface(first.id, first.surfaces[0]?.id ?? "", { status: "paused" });
    sim.publishers.setSurface(first.id, first.surfaces[1]?.id ?? "", { cpmRange: [900, 901] });
    sim.clock.advance("40d");
    sim.assume({ "errors.body": "envelope" });
    const state = (): string =>
      JSON.stringify([
        ...[sim.snapshot(), sim.journal.entries(), sim.audit(), sim.report()],
        worlds.metrics(),
      ]);
    const before = state();
    const document = served(worlds, "/_sim/openapi.json");
    expect(state()).toBe(before);
    sim.faults.clear();
    for (const right of rightRequests(document, sim)) {
      const { status, body } = worlds.handle(right.request);
      expect(JSON.parse(body), right.request.path).toEqual(right.answer);
      expect(status).toBe(200);
    }
  });

  test("has an example of a successful impression even if every surface is paused", () => {
    const worlds = worldsOf({ publishers: 1 });
    const sim = worlds.get("default");
    const { id, surfaces } = sim.publishers.at(0);
    for (const surface of surfaces) sim.publishers.setSurface(id, surface.id, { status: "paused" });
    const [impression] = rightRequests(served(worlds, "/_sim/openapi.json"), sim).filter(
      ({ request }) => request.path === "/v1/impression",
    );
    expect(impression?.answer).toMatchObject({ ok: true });
  });

  test("follows a world that was restored or reset", () => {
    const worlds = worldsOf({});
    const sim = worlds.get("default");
    sim.restore(createSimulator({ seed: "another", profile: "tiny", publishers: 7 }).snapshot());
    expect(answersTo(served(worlds, "/_sim/openapi.json"), sim)).toEqual([]);
    sim.reset({ seed: "a third" });
    expect(answersTo(served(worlds, "/_sim/openapi.json"), sim)).toEqual([]);
  });

  test.each(["1970-01-01T00:00:00Z", "9999-12-31T18:29:59Z"])(
    "has valid examples in a world that starts at %s",
    (start) => {
      const worlds = worldsOf({ start, assumptions: { "click.window": "30d" } });
      const document = served(worlds, "/_sim/openapi.json");
      expect(answersTo(document, worlds.get("default"))).toEqual([]);
      expect(misfits(document)).toEqual([]);
    },
  );

  test("names the host of the request as the server, or only the path without a Host header", () => {
    const worlds = worldsOf({});
    const headers = { host: "127.0.0.1:4010" };
    expect(served(worlds, "/_sim/openapi.json", headers).servers).toEqual([
      { url: "http://127.0.0.1:4010" },
    ]);
    expect(served(worlds, "/@ci/_sim/openapi.json", headers).servers).toEqual([
      { url: "http://127.0.0.1:4010/@ci" },
    ]);
    expect(served(worlds, "/_sim/openapi.json").servers).toEqual([{ url: "/" }]);
    expect(served(worlds, "/@ci/_sim/openapi.json").servers).toEqual([{ url: "/@ci" }]);
  });
});

describe("adsim openapi", () => {
  test("prints the same bytes each time, and other examples for another seed", async () => {
    const printed: string[] = [];
    for (const options of [[], [], ["--seed", "42"]]) {
      printed.push((await runAdsim(["openapi", ...options])).stdout);
    }
    const [one, two, other] = printed;
    expect(two).toBe(one);
    expect(other).not.toBe(one);
    const document = JSON.parse(other ?? "") as OpenApiDocument;
    expect(answersTo(document, createSimulator({ seed: "42" }))).toEqual([]);
    expect(document.servers).toEqual([{ url: "http://127.0.0.1:4010" }]);
  });
});

function worldsOf(options: SimulatorOptions): Worlds {
  const host = { people: () => fakerPerson, meter: createMeter(() => 0) };
  return createWorlds({ options, host, control: createControl() });
}

function served(
  worlds: Worlds,
  path: string,
  headers: Record<string, string> = {},
): OpenApiDocument {
  const { status, body } = worlds.handle({ method: "GET", path, headers });
  expect(status, body).toBe(200);
  return JSON.parse(body) as OpenApiDocument;
}

/** The paths whose valid requests get another answer than their example. */
function answersTo(document: OpenApiDocument, sim: SimulatorCore): string[] {
  const rights = rightRequests(document, sim);
  expect(rights).toHaveLength(5);
  return rights.flatMap(({ request, answer }) => {
    const { body } = sim.handle(request);
    return isDeepStrictEqual(JSON.parse(body), answer) ? [] : [`${request.path}: ${body}`];
  });
}

interface RightRequest {
  readonly operation: OpenApiDocument["paths"][string][string];
  readonly request: ApiRequest;
  readonly values: Readonly<Record<string, string | number>>;
  readonly answer: unknown;
  write(sent: Readonly<Record<string, unknown>> | string): ApiRequest;
}

interface Sent {
  readonly parameters?: readonly { readonly name: string; readonly example: string | number }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example: Record<string, string> }>>;
  };
}

/** Read from the document alone, in its order; the key is the one that it names. */
function rightRequests(document: OpenApiDocument, sim: SimulatorCore): RightRequest[] {
  const { apiKey } = sim.publishers.at(0);
  expect(JSON.stringify(document.components.securitySchemes)).toContain(apiKey);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "head")
      .map(([method, operation]) => {
        const { parameters = [], requestBody } = operation as Sent;
        const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
        const values =
          content?.example ??
          Object.fromEntries(parameters.map(({ name, example }) => [name, example]));
        const headers = { authorization: `Bearer ${apiKey}` };
        const write: RightRequest["write"] = (sent) => {
          const request = { method: method.toUpperCase(), path, headers };
          const pairs = (): string =>
            new URLSearchParams(
              Object.entries(sent).map(([name, value]) => [name, String(value)]),
            ).toString();
          if (type === undefined) {
            return { ...request, query: typeof sent === "string" ? sent : pairs() };
          }
          const typed = { ...request, headers: { ...headers, "content-type": type } };
          if (typeof sent === "string") return { ...typed, body: sent };
          return { ...typed, body: type.includes("json") ? JSON.stringify(sent) : pairs() };
        };
        const success = resolved(document, operation.responses["200"])?.content ?? {};
        const answer = Object.values(success)[0]?.example;
        return { operation, request: write(values), values, answer, write };
      }),
  );
}

interface ErrorExample {
  readonly status: number;
  readonly code: string;
  readonly example: unknown;
}

/** Of all the statuses of an operation. */
function examplesOf(document: OpenApiDocument, { operation }: RightRequest): ErrorExample[] {
  return Object.entries(operation.responses).flatMap(([status, listed]) => {
    const [content] = Object.values(resolved(document, listed)?.content ?? {});
    return Object.entries(content?.examples ?? {}).map(([code, { value: example }]) => {
      return { status: Number(status), code, example };
    });
  });
}

/** As the summaries of the examples say. */
function wrongRequest(code: string, right: RightRequest, world: Simulator): ApiRequest {
  const { request, values, write } = right;
  const [first = ""] = Object.keys(values);
  const { [first]: _left, ...others } = values;
  const text = typeof request.body === "string" ? request.body : String(request.query);
  const isJson = text.startsWith("{");
  const publisher = world.publishers.at(0).id;
  switch (code) {
    case "unauthorized":
      return { ...request, headers: { "content-type": request.headers?.["content-type"] ?? "" } };
    case "query_too_long":
      return { ...request, query: "x".repeat(9000) };
    case "body_too_large":
      return { ...request, body: "x".repeat(70_000) };
    case "missing_parameter":
      return write(others);
    case "invalid_parameter":
      if ("to" in values) return write({ ...values, to: "2026-02-30" });
      return write({ ...values, ...("limit" in values ? { limit: 0 } : { [first]: "" }) });
    case "duplicate_parameter":
      return write(isJson ? `${text.slice(0, -1)},${text.slice(1)}` : `${text}&${text}`);
    case "unknown_parameter": {
      const rejects = world.assumptions["request.unknown-fields"] === "reject";
      return write({ ...values, [rejects ? "colour" : "__proto__"]: "red" });
    }
    case "malformed_body":
      return write(isJson ? "{" : "%ff=1");
    case "unsupported_media_type":
      return {
        ...request,
        headers: { ...request.headers, "content-type": "text/plain" },
        body: "x",
      };
    case "publisher_not_found":
      return write({ ...values, publisher_id: "nobody" });
    case "foreign_publisher": {
      const isAlone = world.publishers.total === 1;
      const other = isAlone ? world.publishers.signUp() : world.publishers.at(1);
      return write({ ...values, publisher_id: other.id });
    }
    case "surface_not_found":
      return write({ ...values, surface: "nowhere" });
    case "surface_inactive":
      world.publishers.setSurface(publisher, String(values.surface), { status: "paused" });
      return request;
    case "impression_not_found":
      return write({ impression_id: "never" });
    case "click_too_late":
      world.clock.advance("31d");
      return request;
    case "duplicate_impression":
    case "duplicate_click":
      return request;
    default:
      throw new Error(`No test knows how to provoke ${code}.`);
  }
}

function bodyLike(example: unknown, body: string): unknown {
  return typeof example === "string" ? body : JSON.parse(body);
}

/** Where an example should be and isn't. */
function missingExamples(document: OpenApiDocument): string[] {
  const missing: string[] = [];
  const look = (where: string, holder: object): void => {
    if (!("example" in holder) || holder.example === undefined) missing.push(where);
  };
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { parameters = [], requestBody } = operation as Sent;
      for (const parameter of parameters) look(`${path} ${parameter.name}`, parameter);
      for (const content of Object.values(requestBody?.content ?? {})) look(path, content);
      for (const [status, listed] of Object.entries(operation.responses)) {
        const { content = {}, "x-error-codes": codes } = resolved(document, listed) ?? {};
        for (const body of Object.values(content)) {
          if (codes === undefined) look(`${method} ${path} ${status}`, body);
          else expect(Object.keys(body.examples ?? {})).toEqual(codes);
        }
      }
    }
  }
  for (const [where, header] of headersOf(document)) look(where, header);
  return missing;
}

function headersOf(document: OpenApiDocument): [where: string, header: OpenApiHeader][] {
  const responses = [
    ...Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) => Object.values(operation.responses)),
    ),
    ...Object.values(document["x-without-operation"]),
  ];
  return [
    ...Object.entries(document.components.headers),
    ...responses.flatMap((listed) =>
      Object.entries(resolved(document, listed)?.headers ?? {}).flatMap(
        ([name, header]): [string, OpenApiHeader][] => ("$ref" in header ? [] : [[name, header]]),
      ),
    ),
  ];
}

/** Examples that contradict their own schemas. */
function misfits(document: OpenApiDocument): string[] {
  const ajv = createAjv();
  ajv.addSchema(document, "api");
  const found: string[] = [];
  const look = (schema: object, example: unknown): void => {
    if (!ajv.validate(absolute(schema), example)) {
      found.push(`${JSON.stringify(example)}: ${ajv.errorsText()}`);
    }
  };
  for (const holder of holdersOfExamples(document)) {
    if ("example" in holder) look(holder.schema, holder.example);
    for (const { value } of Object.values(holder.examples ?? {})) look(holder.schema, value);
  }
  for (const [, { schema, example }] of headersOf(document)) look(schema, example);
  return found;
}

interface Holder {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

function holdersOfExamples(value: unknown): Holder[] {
  if (typeof value !== "object" || value === null) return [];
  const within = Object.values(value).flatMap(holdersOfExamples);
  const isHolder = "schema" in value && ("example" in value || "examples" in value);
  return isHolder ? [value as Holder, ...within] : within;
}

/** The schema with references that lead into the document. */
function absolute(schema: object): Parameters<Ajv2020["validate"]>[0] {
  return "$ref" in schema ? { $ref: `api${schema.$ref}` } : schema;
}

test("with --successes the document has one answer for each operation, and every schema that it refers to", async () => {
  const { stdout } = await runAdsim(["openapi", "--successes"]);
  const document: OpenApiDocument = JSON.parse(stdout);
  const methods = Object.entries(document.paths).flatMap(([path, each]) =>
    Object.entries(each).map(([method, { responses }]) => [
      method,
      path,
      ...Object.keys(responses),
    ]),
  );
  expect(methods).toEqual(
    Object.values(operations).map(({ method, path }) => [method.toLowerCase(), path, "200"]),
  );
  const references = [...stdout.matchAll(/"\$ref": ?"#\/components\/schemas\/(\w+)"/g)];
  expect(references.length).toBeGreaterThan(5);
  for (const [, name = ""] of references) expect(document.components.schemas).toHaveProperty(name);
  expect(stdout).not.toContain("#/components/responses/");
});
