/**
 * Packs the package as npm would publish it, installs it into empty projects, and uses it there on every Node that it
 * promises to work on: the command, in process, as MSW handlers, in Jest, and its types. A script, since it takes a minute.
 */

import { deepStrictEqual } from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { nodeBinaries } from "../node-binaries.ts";
import { checkBundleSize } from "./bundle-size.ts";
import {
  checkResolution,
  checkTypes,
  commonJsPackages,
  requireAndImport,
  runJest,
  runJestWithMsw,
  writeCommonJs,
} from "./commonjs.ts";
import { followTestsPages } from "./follow-tests-pages.ts";
import { loaderPackages, loaders, writeLoaders } from "./loaders.ts";
import { pack } from "./page-project.ts";
import { kinds, playWithoutTsx, playWithTsx, writeScenarios } from "./typescript-scenarios.ts";

const run = promisify(execFile);
const startedMs = performance.now();

/** The oldest that works in every case here. */
const tsxVersion = "4.23.15";
const typescripts = { typescript5: "5.9.3", typescript6: "6.0.3", typescript7: "7.0.2" } as const;

/**
 * msw 3 runs on Node 22.12 and newer. Types are checked with each by an old compiler and the new one, under one module
 * resolution: every combination would take minutes.
 */
const mswMajors = [
  {
    major: 2,
    version: "2.15.0",
    compilers: ["typescript5", "typescript7"],
    resolution: "bundler",
    runsOn: () => true,
  },
  {
    major: 3,
    version: "3.0.5",
    compilers: ["typescript6", "typescript7"],
    resolution: "nodenext",
    runsOn: (node: string) => !node.startsWith("20."),
  },
] as const;
let passed = 0;
let failed = 0;

async function check(name: string, body: () => Promise<unknown>): Promise<void> {
  try {
    await body();
    passed += 1;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    const output = error as { stdout?: string; stderr?: string };
    console.log(`FAILED  ${name}\n${error}\n${output.stdout ?? ""}${output.stderr ?? ""}`);
  }
}

/** An empty project with these packages installed. */
async function project(folder: string, packages: readonly string[]): Promise<string> {
  const path = await mkdtemp(join(folder, "project-"));
  await writeFile(join(path, "package.json"), '{ "private": true, "type": "module" }\n');
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  await run("npm", ["install", ...options, ...packages], { cwd: path });
  return path;
}

const inProcess = `
import assert from "node:assert/strict";
import { createSimulator } from "adsim";
const sim = createSimulator();
const { id, apiKey, surfaces: [surface] } = sim.publishers.at(0);
const headers = { authorization: "Bearer " + apiKey };
const record = { publisher_id: id, surface: surface.id, ad_id: "a" };
const sent = sim.handle({ method: "POST", path: "/v1/impression", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(record) });
assert.equal(sent.status, 200, sent.body);
const stats = await sim.fetch("http://ads.test/v1/publisher/stats?publisher_id=" + id, { headers });
assert.equal(stats.status, 200);
assert.equal((await stats.json()).publisher_id, id);
`;

/** The people of both kinds of population, as JSON. */
const people = `
const all = ["typical", "adversarial"].map((profile) =>
  createSimulator({ profile, publishers: 100 }).publishers.list({ limit: 100 }));
process.stdout.write(JSON.stringify(all));
`;

const throughMsw = `
import assert from "node:assert/strict";
import { createSimulator } from "adsim";
import { createHandlers } from "adsim/msw";
import { setupServer } from "msw/node";
const sim = createSimulator();
const { id, apiKey } = sim.publishers.at(0);
const server = setupServer(...createHandlers(sim, { baseUrl: "https://ads.test" }));
server.listen({ onUnhandledRequest: "error" });
const answer = await fetch("https://ads.test/v1/publisher/surfaces?publisher_id=" + id, { headers: { authorization: "Bearer " + apiKey } });
assert.equal(answer.status, 200);
assert.ok((await answer.json()).surfaces.length > 0);
assert.equal((await fetch("https://ads.test/v1/click", { method: "POST" })).status, 401);
server.close();
`;

const withScenario = `
import assert from "node:assert/strict";
import { defineScenario, playScenario } from "adsim/scenario";
import { startServer } from "adsim/server";
const scenario = defineScenario({
  name: "packed",
  about: "The package plays a scenario, and a server of the package does.",
  steps: [
    { impression: {}, as: "shown", expect: { status: 200 } },
    { click: { impression_id: { ref: "shown.impression_id" } }, expect: { status: 200 } },
    { traffic: { for: "1m", arrivals: { kind: "poisson", rate: "60/m" } } },
  ],
  thresholds: ["errors = 0%"],
});
const here = await playScenario(scenario);
assert.equal(here.result, "passed", here.why);
const server = await startServer({ port: 0 });
const there = await playScenario(scenario, { target: server.url });
await server.close();
assert.equal(there.digest, here.digest);
`;

const withFastCheck = `
import assert from "node:assert/strict";
import { createSimulator } from "adsim";
import { clientContract, ContractError } from "adsim/contract";
import { arbitraryAssumptions } from "adsim/testing";
import fc from "fast-check";
const tests = [];
clientContract({
  describe: (name, define) => define(),
  it: (name, test) => tests.push(test),
  driver: () => ({ impression: () => undefined }),
  only: ["nothing-lost"],
  runs: 20,
  failures: false,
});
await assert.rejects(tests[6], ContractError);
fc.assert(fc.property(arbitraryAssumptions(), (assumptions) => {
  assert.deepEqual(createSimulator({ assumptions }).assumptions, assumptions);
}));
`;

/** What a trace has recorded, and the page that shows it. */
const traced = `
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createSimulator } from "adsim";
const ofProgram = await createSimulator({ seed: "packed" }).trace();
for (const html of [ofProgram, readFileSync("trace.html", "utf8")]) {
  const scripts = [...html.matchAll(/<script[^>]*>([^]*?)<\\/script>/g)].map(([, text]) => text);
  const [recording, page] = scripts;
  assert.ok(scripts.length === 2 && page.length > 10_000);
  assert.equal(JSON.parse(recording).worlds.default.audit.balanced, true);
}
`;

const types = `
import {
  type ApiResponse, type Assumptions, createSimulator, type Simulator, type SimulatorOptions,
} from "adsim";
import { createHandlers } from "adsim/msw";
import { type ServerOptions, startServer } from "adsim/server";
import { defineScenario, type Scenario } from "adsim/scenario";
import { arbitraryAssumptions } from "adsim/testing";
import type { Arbitrary } from "fast-check";
import { setupServer } from "msw/node";

const options: SimulatorOptions = { seed: "42", assumptions: { "dedup.repeat": "conflict" } };
export const sim: Simulator = createSimulator(options);
export const answer: ApiResponse = sim.handle({ method: "GET", path: "/v1/publisher/stats" });
export const id: string = sim.publishers.at(0).surfaces[0]?.id ?? "";
export const interceptor = setupServer(...createHandlers(sim));
const serverOptions: ServerOptions = { port: 0, clock: "frozen" };
export const choices: Arbitrary<Assumptions> = arbitraryAssumptions({ keys: ["dedup.repeat"] });
export const url: string = (await startServer(serverOptions)).url;
// @ts-expect-error An assumption that doesn't exist.
createSimulator({ assumptions: { "dedup.nothing": "x" } });
// @ts-expect-error A choice that doesn't exist.
createSimulator({ assumptions: { "dedup.repeat": "x" } });
export const scenario: Scenario = defineScenario({
  name: "typed", about: "An impression.", steps: [{ impression: {}, expect: { status: 200 } }],
});
// @ts-expect-error A step that doesn't exist.
defineScenario({ name: "typed", about: "Steps are checked.", steps: [{ shown: {} }] });
`;

/** Plays a shipped scenario, with reports. @returns its digest, the same on every Node. */
async function playShipped(binary: string, path: string): Promise<string> {
  const entry = join(path, "node_modules/adsim/dist/cli/main.js");
  const reports = ["junit=r.xml", "json=r.json", "html=r.html"].join();
  const options = ["--json", "--report", reports];
  const { stdout } = await run(binary, [entry, "play", "brownout", ...options], { cwd: path });
  return JSON.parse(stdout).digest;
}

/** Starts the installed command, asks it once, and ends it as a supervisor would. */
async function serve(binary: string, path: string): Promise<void> {
  const entry = join(path, "node_modules/adsim/dist/cli/main.js");
  const child = spawn(binary, [entry, "serve", "--port", "0", "--json"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  try {
    const line = await new Promise<string>((resolve, reject) => {
      let text = "";
      child.stdout.setEncoding("utf8").on("data", (part: string) => {
        text += part;
        if (text.includes("\n")) resolve(text);
      });
      void ended.then((code) => reject(new Error(`ended with ${code} before it was ready`)));
    });
    const { url, publishers } = JSON.parse(line);
    const [{ id, apiKey }] = publishers;
    const address = `${url}/v1/publisher/payouts?publisher_id=${id}`;
    const answer = await fetch(address, { headers: { authorization: `Bearer ${apiKey}` } });
    if (answer.status !== 200) throw new Error(`payouts: ${answer.status} ${await answer.text()}`);
    await answer.text();
    child.kill("SIGTERM");
    const code = await ended;
    if (code !== 0) throw new Error(`SIGTERM ended it with ${code} instead of 0`);
  } finally {
    child.kill("SIGKILL");
  }
}

/** A trace by the installed command, and one by the installed package. */
async function trace(binary: string, path: string): Promise<void> {
  const entry = join(path, "node_modules/adsim/dist/cli/main.js");
  const command = ["--", binary, "-e", "fetch(process.env.ADSIM_URL)"];
  await run(binary, [entry, "exec", "--trace", "trace.html", ...command], { cwd: path });
  await script(path, traced, binary);
}

async function typeCheck(path: string, compiler: string, resolution: string): Promise<void> {
  const moduleOf = resolution === "bundler" ? "esnext" : "nodenext";
  const config = {
    compilerOptions: {
      ...{ target: "es2022", lib: ["es2023", "dom", "dom.iterable"], types: ["node"] },
      ...{ module: moduleOf, moduleResolution: resolution, strict: true, noEmit: true },
      ...{ exactOptionalPropertyTypes: true, skipLibCheck: false },
    },
    files: ["types.ts"],
  };
  const file = `tsconfig.${compiler}.${resolution}.json`;
  await writeFile(join(path, file), JSON.stringify(config));
  const bin = join(path, "node_modules", compiler, "bin/tsc");
  await run(process.execPath, [bin, "-p", file], { cwd: path });
}

/** What is tried: the tarball in projects of this folder, on these Nodes. */
interface Trial {
  readonly folder: string;
  readonly tarball: string;
  readonly binaries: readonly (readonly [version: string, binary: string])[];
}

async function script(path: string, text: string, binary: string): Promise<unknown> {
  return await run(binary, ["--input-type=module", "-e", text], { cwd: path });
}

/** @throws Error for a package that is imported and not asked for, and for one that is asked for and not imported. */
async function checkImports(folder: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const imported = new Set<string>();
  for (const file of await readdir(join(folder, "dist"), { recursive: true })) {
    if (!/\.(?:c?js|d\.ts)$/.test(file)) continue;
    const text = await readFile(join(folder, "dist", file), "utf8");
    const names = text.matchAll(
      /(?:^(?:import|export|\})[^\n"]*\bfrom |\b(?:import|require)\(|\bresolve\((?="[^"]*\/))"((?:@[\w.-]+\/)?[\w.-]+)[^"]*"/gm,
    );
    for (const [, name = ""] of names) imported.add(name);
  }
  const expected = [
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.peerDependencies),
  ];
  // k6 is what the scripts import that `adsim export` writes.
  const found = Array.from(imported).filter(
    (name) => !/^(?:\.|adsim$|node$|k6$)/.test(name) && !isBuiltin(name),
  );
  const differing = [
    ...found.filter((name) => !expected.includes(name)),
    ...expected.filter((name) => !imported.has(name)),
  ];
  if (differing.length > 0) throw new Error(`differing: ${differing.join(", ")}`);
}

/** Who wrote what the package holds parts of. */
const holders = ["Fabian Hiller", "Sindre Sorhus", "Faker", "Adaltas", "Jason Miller", "Apache"];

async function checkAlone({ folder, tarball, binaries }: Trial): Promise<void> {
  const path = await project(folder, [tarball]);
  await check("the package brings no optional peer", async () => {
    const { stdout } = await run("npm", ["ls", "--all", "--parseable"], { cwd: path });
    const unwanted = /node_modules[/\\](msw|vitest|fast-check|tsx|@playwright[/\\]test)$/m.exec(
      stdout,
    );
    if (unwanted !== null) throw new Error(`${unwanted[1]} was installed`);
  });
  await check("the package depends on exactly what it imports", () =>
    checkImports(join(path, "node_modules/adsim")),
  );
  await check("the part of faker draws the people that all of it draws", async () => {
    const peopleFrom = (module: string): Promise<unknown> =>
      script(path, `import { createSimulator } from "${module}";${people}`, process.execPath);
    const sources = join(import.meta.dirname, "../../src/index.ts");
    deepStrictEqual(await peopleFrom("adsim"), await peopleFrom(sources));
  });
  await check("a bundle for browsers is small", () => checkBundleSize(path));
  await check("npm runs the command by its name", async () => {
    const { stdout } = await run("npm", ["exec", "--no", "--", "adsim", "--version"], {
      cwd: path,
    });
    if (!/^\d+\.\d+\.\d+\n$/.test(stdout)) throw new Error(stdout);
  });
  await check("code that is bundled comes with its licence", async () => {
    const text = await readFile(join(path, "node_modules/adsim/dist/LICENSES.txt"), "utf8");
    const missing = holders.filter((holder) => !text.includes(holder));
    if (missing.length > 0) throw new Error(`not named: ${missing.join(", ")}`);
  });
  let shipped: string | undefined;
  for (const [version, binary] of binaries) {
    await check(`Node ${version}: adsim serve`, () => serve(binary, path));
    await check(`Node ${version}: in process`, () => script(path, inProcess, binary));
    await check(`Node ${version}: traces`, () => trace(binary, path));
    await check(`Node ${version}: adsim/scenario`, () => script(path, withScenario, binary));
    await check(`Node ${version}: adsim play`, async () => {
      const digest = await playShipped(binary, path);
      shipped ??= digest;
      if (digest !== shipped) throw new Error(`${digest}, and before ${shipped}`);
    });
  }
}

async function checkWithFastCheck({ folder, tarball, binaries }: Trial): Promise<void> {
  const path = await project(folder, [tarball, "fast-check@4"]);
  for (const [version, binary] of binaries) {
    await check(`Node ${version}: adsim/contract and adsim/testing`, () =>
      script(path, withFastCheck, binary),
    );
  }
}

async function checkCommonJs({ folder, tarball, binaries }: Trial): Promise<void> {
  const { typescript5, typescript7 } = typescripts;
  const path = await writeCommonJs(
    await project(folder, [
      ...[tarball, ...commonJsPackages],
      ...[`typescript5@npm:typescript@${typescript5}`, `typescript7@npm:typescript@${typescript7}`],
    ]),
  );
  for (const [version, binary] of binaries) {
    await check(`Node ${version}: Jest`, () => runJest(path, binary));
    await check(`Node ${version}: require`, () => requireAndImport(path, binary));
  }
  await check("Jest with msw", () => runJestWithMsw(path, process.execPath));
  await check("types of CommonJS resolve", () => checkResolution(path, tarball));
  const compilers = [
    ["typescript5", "node10"],
    ["typescript7", "nodenext"],
    ["typescript7", "node16"],
  ] as const;
  for (const [compiler, resolution] of compilers) {
    await check(`${compiler}, ${resolution}, CommonJS: types`, () =>
      checkTypes(path, compiler, resolution),
    );
  }
}

async function checkLoaders({ folder, tarball, binaries }: Trial): Promise<void> {
  const path = await project(folder, [tarball, ...loaderPackages]);
  const load = await writeLoaders(path, tarball);
  for (const [version, binary] of [...binaries.slice(0, 1), ...binaries.slice(-1)])
    for (const name of Object.keys(loaders))
      await check(`Node ${version}: a server under ${name}`, () => load(name, binary));
}

async function checkTypeScript({ folder, tarball, binaries }: Trial): Promise<void> {
  const withTsx = await project(folder, [tarball, `tsx@${tsxVersion}`]);
  const without = await project(folder, [tarball]);
  await Promise.all([writeScenarios(withTsx), writeScenarios(without)]);
  let played: string | undefined;
  // tsx compiles the whole package for each of these: the oldest and the newest are enough.
  for (const [version, binary] of [...binaries.slice(0, 1), ...binaries.slice(-1)]) {
    for (const kind of kinds) {
      await check(`Node ${version}: adsim play in TypeScript, ${kind}, tsx`, async () => {
        const digest = await playWithTsx({ path: withTsx, kind, binary });
        played ??= digest;
        if (digest !== played) throw new Error(`${digest}, and before ${played}`);
      });
      await check(`Node ${version}: adsim play in TypeScript, ${kind}, no tsx`, () =>
        playWithoutTsx({ path: without, kind, binary }, version),
      );
    }
  }
}

async function checkWithMsw(
  { folder, tarball, binaries }: Trial,
  { major, version: mswVersion, compilers, resolution, runsOn }: (typeof mswMajors)[number],
): Promise<void> {
  const path = await project(folder, [
    ...[tarball, `msw@${mswVersion}`, "fast-check@4.0.0", "@types/node@24"],
    ...compilers.map((name) => `${name}@npm:typescript@${typescripts[name]}`),
  ]);
  await writeFile(join(path, "types.ts"), types);
  for (const [version, binary] of binaries) {
    if (runsOn(version)) {
      await check(`Node ${version}: msw ${major}`, () => script(path, throughMsw, binary));
    } else {
      console.log(`        Node ${version}: msw ${major} needs a newer Node`);
    }
  }
  for (const compiler of compilers) {
    const name = `${compiler}, ${resolution}, msw ${major}: types`;
    await check(name, () => typeCheck(path, compiler, resolution));
  }
}

/** All at the same time: each waits for npm, and most use one processor. */
async function checkAll(folder: string): Promise<void> {
  const tarball = await pack(folder);
  const binaries = Object.entries(await nodeBinaries());
  const trial: Trial = { folder, tarball, binaries };
  await Promise.all([
    check("the pages about tests work word for word", () => followTestsPages(folder, tarball)),
    checkAlone(trial),
    checkWithFastCheck(trial),
    checkCommonJs(trial),
    checkLoaders(trial),
    checkTypeScript(trial),
    ...mswMajors.map((msw) => checkWithMsw(trial, msw)),
  ]);
}

const folder = await mkdtemp(join(tmpdir(), "adsim-package-"));
try {
  await checkAll(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(`${Math.round((performance.now() - startedMs) / 1000)} s`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
