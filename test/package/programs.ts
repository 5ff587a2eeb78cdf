/** Programs that use the installed package, as its users would write them. */

/** Uses every entry but msw's and those of test runners, and asks a server for all that it loads only when it is asked. */
const everything = `
import assert from "node:assert/strict";
import { createSimulator, InputError } from "adsim";
import { assertRecordedImpression } from "adsim/assert";
import { createClient } from "adsim/client";
import { clientContract } from "adsim/contract";
import { parseScenario, playScenario } from "adsim/scenario";
import { startServer } from "adsim/server";
import { arbitraryAssumptions } from "adsim/testing";
import fc from "fast-check";

const scenario = {
  name: "packed",
  about: "The package plays a scenario, and a server of the package does.",
  steps: [
    { impression: {}, as: "shown", expect: { status: 200 } },
    { click: { impression_id: { ref: "shown.impression_id" } }, expect: { status: 200 } },
    { traffic: { for: "1m", arrivals: { kind: "poisson", rate: "60/m" } } },
  ],
};

async function useIt() {
  const sim = createSimulator();
  const { id, apiKey, surfaces: [surface] } = sim.publishers.at(0);
  const client = createClient({ baseUrl: "http://ads.test", apiKey, fetch: sim.fetch });
  const recorded = await client.impression({ publisher_id: id, surface: surface.id, ad_id: "a" });
  assert.equal(recorded.ok, true);
  assertRecordedImpression(sim, { ad: "a", times: 1 });
  assert.equal(sim.fork().audit().balanced, true);
  assert.match(await sim.trace(), /<script/);
  // The entries have one InputError together.
  assert.throws(() => createSimulator({ seed: 1n }), InputError);
  assert.throws(() => parseScenario({}), InputError);
  fc.assert(fc.property(arbitraryAssumptions(), (assumptions) => {
    const choices = createSimulator({ assumptions }).assumptions;
    assert.equal(JSON.stringify(choices), JSON.stringify(assumptions));
  }), { numRuns: 10 });
  await useContract();
  await useServer();
}

async function useContract() {
  const tests = [];
  clientContract({
    describe: (name, define) => define(),
    it: (name, test) => tests.push(test),
    driver: () => ({ impression: () => undefined }),
    only: ["nothing-lost"],
    runs: 20,
    failures: false,
  });
  const ends = await Promise.allSettled(tests.map((test) => test()));
  const failures = ends.filter(({ reason }) => reason?.name === "ContractError");
  assert.equal(failures.length, 1);
}

async function useServer() {
  const server = await startServer({ port: 0, publishers: 3 });
  const ask = async (path, expected, init) => {
    const answer = await fetch(server.url + path, init);
    const text = await answer.text();
    assert.equal(answer.status, 200, path + ": " + text.slice(0, 500));
    assert.match(text, expected);
  };
  const post = (value) => {
    const headers = { "content-type": "application/json" };
    return { method: "POST", headers, body: JSON.stringify(value) };
  };
  try {
    await ask("/_sim/publishers", /@invalid/);
    await ask("/_sim/clock/advance", /"now"/, post({ by: "1m" }));
    await ask("/_sim/", /<script src="inspector.js"/, { headers: { accept: "text/html" } });
    await ask("/_sim/inspector.js", /[^]{10000}/);
    await ask("/_sim/scenarios/play", /"result":"passed"/, post({ name: "lost-ack" }));
    await ask("/_sim/metrics", /# HELP/);
    const { result, digest, why } = await playScenario(scenario);
    assert.equal(result, "passed", why);
    assert.equal((await playScenario(scenario, { target: server.url })).digest, digest);
  } finally {
    await server.close();
  }
}
`;

const throughMsw = `
import assert from "node:assert/strict";
import { createSimulator } from "adsim";
import { createHandlers } from "adsim/msw";
import { setupServer } from "msw/node";

async function useIt() {
  const sim = createSimulator();
  const { id, apiKey } = sim.publishers.at(0);
  const server = setupServer(...createHandlers(sim, { baseUrl: "https://ads.test" }));
  server.listen({ onUnhandledRequest: "error" });
  const url = "https://ads.test/v1/publisher/surfaces?publisher_id=" + id;
  const headers = { authorization: "Bearer " + apiKey };
  assert.equal((await (await fetch(url, { headers })).json()).surfaces.length > 0, true);
  sim.faults.add({ verdict: { kind: "lose-response" } });
  await assert.rejects(fetch(url, { headers }), { name: "TypeError" });
  server.close();
}
`;

const asCommonJs = (text: string): string =>
  text.replaceAll(/^import (.+) from (".+");$/gm, "const $1 = require($2);");
const asTest = 'test("it works", useIt, 60_000);\n';
const oneInstance = `
useIt().then(async () => {
  assert.equal((await import("adsim")).createSimulator, createSimulator);
});
`;

/** One program by each way into Node and test runners. `msw`: through that, the others use all else. */
export const programs: Readonly<Record<string, string>> = {
  "all.mjs": `${everything}useIt();\n`,
  "all.cjs": asCommonJs(everything) + oneInstance,
  "msw.mjs": `${throughMsw}useIt();\n`,
  "all.jest.cjs": asCommonJs(everything) + asTest,
  "msw.jest.cjs": asCommonJs(throughMsw) + asTest,
  "all.test.mjs": `import { test } from "vitest";${everything}${asTest}`,
};

/** Prints the people of both kinds of population. */
export const people: string = `
const all = ["typical", "adversarial"].map((profile) =>
  createSimulator({ profile, publishers: 100 }).publishers.list({ limit: 100 }));
console.log(JSON.stringify(all));
`;

/** What the compiler knows of the package, as an ES module and as CommonJS. */
export const types: string = `
import { type Assumptions, createSimulator, InputError, type Simulator } from "adsim";
import { assertRecordedImpression } from "adsim/assert";
import { createClient } from "adsim/client";
import { clientContract, ContractError, type Rule } from "adsim/contract";
import { createHandlers } from "adsim/msw";
import { defineScenario, type Scenario } from "adsim/scenario";
import { type ServerOptions, startServer } from "adsim/server";
import { arbitraryAssumptions } from "adsim/testing";
import fc, { type Arbitrary } from "fast-check";
import { setupServer } from "msw/node";

const assumptions: Partial<Assumptions> = { "dedup.repeat": "conflict" };
export const sim: Simulator = createSimulator({ assumptions });
assertRecordedImpression(sim, { ad: "a" });
export const both = [createClient, setupServer(...createHandlers(sim))];
const options: ServerOptions = { port: 0, clock: "frozen" };
export const url: Promise<string> = startServer(options).then((server) => server.url);
export function replayOf(error: unknown): string {
  if (error instanceof ContractError) return error.replay;
  return error instanceof InputError ? error.message : "";
}
export const name: string = clientContract.name;
export const choices: Arbitrary<Assumptions> = arbitraryAssumptions({ keys: ["dedup.repeat"] });
export const rule: Pick<Rule, "commands"> = { commands: fc.constant([]) };
export const scenario: Scenario = defineScenario({
  name: "typed", about: "An impression.", steps: [{ impression: {}, expect: { status: 200 } }],
});
// @ts-expect-error A choice that doesn't exist.
createSimulator({ assumptions: { "dedup.repeat": "x" } });
// @ts-expect-error A step that doesn't exist.
defineScenario({ name: "typed", about: "Steps are checked.", steps: [{ shown: {} }] });
`;
