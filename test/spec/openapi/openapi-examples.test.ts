/** The document's examples fit their schemas, and are what a world of the same seed and assumptions answers. */

import { isDeepStrictEqual } from "node:util";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { coveringArray } from "../../../src/choices/covering-array.ts";
import { createControl } from "../../../src/control/control.ts";
import { createMeter } from "../../../src/exchange/meter.ts";
import { createSimulator, type Simulator, type SimulatorOptions } from "../../../src/index.ts";
import { recordExamples } from "../../../src/simulator/openapi-examples.ts";
import type { SimulatorCore } from "../../../src/simulator/simulator.ts";
import { createWorlds, type Worlds } from "../../../src/simulator/worlds.ts";
import type { ApiRequest } from "../../../src/spec/messages.ts";
import { type OpenApiDocument, openApiDocument } from "../../../src/spec/openapi.ts";
import { operations } from "../../../src/spec/operations.ts";
import { fakerPerson } from "../../../src/world/publishers/people.ts";
import { someOf } from "../../budget.ts";
import { runAdsim } from "../../cli/run-adsim.ts";
import { createAjv, createConformance } from "./openapi-conformance.ts";

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
    "$index: the document is valid, and its examples fit their schemas",
    async ({ options }) => {
      const document = documentOf(createSimulator(options));
      expect(await validator.validate(structuredClone({ ...document }))).toEqual({ valid: true });
      expect(JSON.parse(JSON.stringify(document))).toEqual(document);
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
      const worlds = worldsOf({ start, assumptions: { "click.window": "24h" } });
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
  readonly request: ApiRequest;
  readonly answer: unknown;
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
        const request = { method: method.toUpperCase(), path, headers };
        const pairs = new URLSearchParams(
          Object.entries(values).map(([name, value]) => [name, String(value)]),
        ).toString();
        const written: ApiRequest =
          type === undefined
            ? { ...request, query: pairs }
            : {
                ...request,
                headers: { ...headers, "content-type": type },
                body: type.includes("json") ? JSON.stringify(values) : pairs,
              };
        const success = operation.responses["200"]?.content ?? {};
        const answer = Object.values(success)[0]?.example;
        return { request: written, answer };
      }),
  );
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
    look(holder.schema, holder.example);
  }
  return found;
}

interface Holder {
  readonly schema: object;
  readonly example: unknown;
}

function holdersOfExamples(value: unknown): Holder[] {
  if (typeof value !== "object" || value === null) return [];
  const within = Object.values(value).flatMap(holdersOfExamples);
  const isHolder = "schema" in value && "example" in value;
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
});
