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
  const tests = [];
  const driver = () => ({ impression: () => undefined });
  const it = (name, test) => tests.push(test);
  const options = { only: ["nothing-lost"], runs: 20, failures: false };
  clientContract({ describe: (name, define) => define(), it, driver, ...options });
  await assert.rejects(Promise.all(tests.map((test) => test())), { name: "ContractError" });
  await useServer();
}

async function useServer() {
  const server = await startServer({ port: 0, publishers: 3 });
  try {
    const script = await fetch(server.url + "/_sim/inspector.js");
    assert.equal((await script.text()).length > 10_000, true);
    const asked = { method: "POST", headers: { "content-type": "application/json" } };
    const body = JSON.stringify({ name: "lost-ack" });
    const played = await fetch(server.url + "/_sim/scenarios/play", { ...asked, body });
    assert.equal((await played.json()).result, "passed");
    const { digest } = await playScenario(scenario);
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
};

/** Prints the people of both kinds of population. Its argument names the package. */
export const people: string = `
const { createSimulator } = await import(process.argv[2]);
for (const profile of ["typical", "adversarial"])
  console.log(createSimulator({ profile, publishers: 100 }).snapshot());
`;

/** A scenario that Node runs by itself from 22.18 on, and with tsx before. */
export const scenario: string = `
import { defineScenario, type Scenario } from "adsim/scenario";
export const scenario: Scenario = defineScenario({
  name: "in-typescript", about: "An impression.", steps: [{ impression: {}, expect: { status: 200 } }],
});
`;

/** What the compiler knows of the package, as an ES module and as CommonJS. */
export const types: string = `
import { type Assumptions, createSimulator, InputError, type Simulator } from "adsim";
import { assertRecordedImpression } from "adsim/assert";
import { createClient } from "adsim/client";
import { clientContract, ContractError, type Rule } from "adsim/contract";
import { createHandlers } from "adsim/msw";
import { defineScenario } from "adsim/scenario";
import { type ServerOptions, startServer } from "adsim/server";
import { arbitraryAssumptions } from "adsim/testing";
import fc, { type Arbitrary } from "fast-check";
import { setupServer } from "msw/node";

export const sim: Simulator = createSimulator({ assumptions: { "dedup.repeat": "conflict" } });
assertRecordedImpression(sim, { ad: "a" });
export const values = [createClient, clientContract, InputError, ContractError.name];
export const msw = setupServer(...createHandlers(sim));
const options: ServerOptions = { port: 0, clock: "frozen" };
export const url: Promise<string> = startServer(options).then((server) => server.url);
export const choices: Arbitrary<Assumptions> = arbitraryAssumptions({ keys: ["dedup.repeat"] });
export const rule: Pick<Rule, "commands"> = { commands: fc.constant([]) };
// @ts-expect-error A choice that doesn't exist.
createSimulator({ assumptions: { "dedup.repeat": "x" } });
// @ts-expect-error A step that doesn't exist.
defineScenario({ name: "typed", about: "Steps are checked.", steps: [{ shown: {} }] });
`;
