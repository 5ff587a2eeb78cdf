/**
 * Gives the API's document to other people's tools, at the versions of the package.json beside this file: linters, a
 * validating proxy, client generators, and tools that send the examples. A script, since it takes a minute and the network.
 */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { coveringArray } from "../../src/choices/covering-array.ts";
import { createSimulator } from "../../src/index.ts";
import { type Server, startServer } from "../../src/server.ts";
import { recordExamples } from "../../src/simulator/openapi-examples.ts";
import { openApiDocument } from "../../src/spec/openapi.ts";
import { sessions } from "./sessions.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const startedMs = performance.now();
let passed = 0;
let failed = 0;

/** What the tools work with. */
interface Toolchain {
  /** Where they are installed. */
  readonly folder: string;
  readonly server: Server;
}

/** A world of its own: the tools can't use up each other's quota. */
interface World {
  readonly url: string;
  readonly apiKey: string;
  readonly publisher_id: string;
  readonly surface: string;
  /** A folder of its own, with the document as openapi.json. */
  readonly folder: string;
  tool(name: string, args: readonly string[], env?: Record<string, string>): Promise<string>;
}

async function check(name: string, body: () => Promise<unknown>): Promise<void> {
  const beganMs = performance.now();
  const took = (): string => `${((performance.now() - beganMs) / 1000).toFixed(1)} s`;
  try {
    await body();
    passed += 1;
    console.log(`ok      ${name} (${took()})`);
  } catch (error) {
    failed += 1;
    const output = error as { stdout?: string; stderr?: string };
    console.log(`FAILED  ${name}\n${error}\n${output.stdout ?? ""}${output.stderr ?? ""}`);
  }
}

async function install(folder: string): Promise<void> {
  await copyFile(join(import.meta.dirname, "package.json"), join(folder, "package.json"));
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  await run("npm", ["install", ...options], { cwd: folder });
}

/** Runs a tool by this Node, which may be newer than the machine's. */
async function runTool(
  tools: string,
  cwd: string,
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const { stdout } = await run(process.execPath, [binaryOf(tools, name), ...args], {
    cwd,
    env: { ...process.env, NODE_NO_WARNINGS: "1", ...env },
    maxBuffer: 32 * 1024 * 1024,
    timeout: 90_000,
  });
  return stdout;
}

function binaryOf(tools: string, name: string): string {
  return join(tools, "node_modules/.bin", name);
}

async function worldOf({ folder: tools, server }: Toolchain, name: string): Promise<World> {
  const url = `${server.url}/@${name}`;
  const read = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${url}/_sim/${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  };
  const { publishers } = (await read("publishers?limit=1")) as {
    publishers: { id: string; apiKey: string; surfaces: { id: string }[] }[];
  };
  const [{ id = "", apiKey = "", surfaces = [] } = {}] = publishers;
  const folder = join(tools, name);
  await mkdir(folder);
  await writeFile(join(folder, "openapi.json"), JSON.stringify(await read("openapi.json")));
  return {
    ...{ url, apiKey, publisher_id: id, surface: surfaces[0]?.id ?? "", folder },
    tool: (tool, args, env) => runTool(tools, folder, tool, args, env),
  };
}

/** The document under every row of a covering array, so that each choice is in one of them. */
async function writeDocuments(folder: string): Promise<string[]> {
  await mkdir(folder);
  const rows = [{}, ...coveringArray({ strength: 1 })];
  return await Promise.all(
    rows.map(async (assumptions, index) => {
      const sim = createSimulator({ assumptions });
      const options = { baseUrl: "http://127.0.0.1:4010", examples: recordExamples(sim) };
      const name = `${index}.json`;
      const document = openApiDocument(sim.assumptions, options);
      await writeFile(join(folder, name), JSON.stringify(document));
      return name;
    }),
  );
}

async function lint({ folder: tools }: Toolchain): Promise<void> {
  const folder = join(tools, "documents");
  const names = await writeDocuments(folder);
  await writeFile(join(folder, ".spectral.yaml"), 'extends: ["spectral:oas"]\n');
  await Promise.all([
    check(`redocly lint, ${names.length} documents: no error, no warning`, async () => {
      const out = await runTool(tools, folder, "redocly", ["lint", "--format=json", ...names]);
      // One JSON text after the other, one for each document.
      const totals = [...out.matchAll(/"(?:errors|warnings)": (\d+)/g)];
      const isClean = totals.every(([, count]) => count === "0");
      if (!isClean || totals.length !== 2 * names.length) throw new Error(out);
    }),
    check(`spectral lint, ${names.length} documents: no error, no warning`, () =>
      runTool(tools, folder, "spectral", ["lint", "--fail-severity=warn", ...names]),
    ),
  ]);
}

/** Generates a client, checks the types of a session with it, and runs the session. @returns the session, bundled. */
async function generated(
  toolchain: Toolchain,
  name: keyof typeof sessions,
  generate: (world: World) => Promise<unknown>,
): Promise<string> {
  const world = await worldOf(toolchain, name);
  const { folder } = world;
  const entry = join(folder, "session.mjs");
  await check(`${name}: a client is generated`, () => generate(world));
  await writeFile(join(folder, "session.ts"), sessions[name]);
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  await Promise.all([
    check(`${name}: a session with it has the right types`, () => world.tool("tsc", ["-p", "."])),
    check(`${name}: the session is answered`, async () => {
      const bundler = join(root, "node_modules/.bin/rolldown");
      const bundle = ["session.ts", "--file", entry, "--platform", "node", "--format", "esm"];
      await run(process.execPath, [bundler, ...bundle], { cwd: folder });
      await play(entry, world, world.url);
    }),
  ]);
  return entry;
}

/** Plays a bundled session in a world, which may be found at another address. */
async function play(entry: string, world: World, baseUrl: string): Promise<void> {
  const { apiKey, publisher_id, surface } = world;
  const env = { SESSION: JSON.stringify({ baseUrl, apiKey, publisher_id, surface }) };
  await run(process.execPath, [entry], { env, timeout: 60_000 });
}

const compilerOptions = {
  ...{ target: "es2022", lib: ["es2023", "dom", "dom.iterable"], types: ["node"] },
  ...{ module: "esnext", moduleResolution: "bundler", strict: true, noEmit: true },
  ...{ allowImportingTsExtensions: true, skipLibCheck: true, noUncheckedIndexedAccess: true },
};

async function clients(toolchain: Toolchain): Promise<void> {
  const proxied = await worldOf(toolchain, "prism");
  await Promise.all([
    generated(toolchain, "openapi-fetch", ({ tool }) =>
      tool("openapi-typescript", ["openapi.json", "--output", "generated.ts"]),
    ).then((entry) => throughPrism(toolchain, proxied, entry)),
    generated(toolchain, "hey-api", ({ tool }) =>
      tool("openapi-ts", ["--input", "openapi.json", "--output", "generated"]),
    ),
    generated(toolchain, "orval", async ({ tool, folder, url }) => {
      const output = { target: "generated/api.ts", schemas: "generated/model", client: "fetch" };
      const config = { api: { input: "openapi.json", output: { ...output, baseUrl: url } } };
      const text = `export default ${JSON.stringify(config)};\n`;
      await writeFile(join(folder, "orval.config.mjs"), text);
      await tool("orval", ["--config", "orval.config.mjs"]);
    }),
  ]);
}

/** With `--errors` Prism answers in the service's place where a request or a response contradicts the document. */
async function throughPrism(toolchain: Toolchain, world: World, session: string): Promise<void> {
  const port = await freePort();
  const proxy = `http://127.0.0.1:${port}`;
  const args = ["proxy", "openapi.json", world.url, "--errors", "--port", String(port)];
  const child = spawn(process.execPath, [binaryOf(toolchain.folder, "prism"), ...args], {
    cwd: world.folder,
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    await check("prism: starts", () => printed(child, /listening/));
    await check("prism: a session through the proxy without a violation", () =>
      play(session, world, proxy),
    );
    await check("prism: notices an answer that contradicts the document", async () => {
      const verdict = { kind: "respond", status: 200, body: { surfaces: [{ id: "srf" }] } };
      await fetch(`${world.url}/_sim/faults`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ verdict }),
      });
      const path = `/v1/publisher/surfaces?publisher_id=${world.publisher_id}`;
      const headers = { authorization: `Bearer ${world.apiKey}` };
      const answer = await fetch(`${proxy}${path}`, { headers });
      const text = await answer.text();
      if (answer.status !== 500 || !text.includes("VIOLATIONS")) throw new Error(text);
    });
  } finally {
    child.kill("SIGTERM");
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Resolves once the child has printed it. @throws Error with what it printed where it ends before. */
async function printed(child: ChildProcess, expected: RegExp): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (part: string) => {
        text += part;
        if (expected.test(text)) resolve();
      });
    }
    child.once("exit", (code) => reject(new Error(`ended with ${code}: ${text}`)));
  });
}

/** Sends the examples as a Postman collection. */
async function throughNewman(toolchain: Toolchain): Promise<void> {
  const { tool, apiKey, folder } = await worldOf(toolchain, "newman");
  await check("newman: every request of the converted collection gets 200", async () => {
    const resolution = ["--options", "parametersResolution=Example"];
    const made = ["--spec", "openapi.json", "--output", "collection.json", ...resolution];
    await tool("openapi2postmanv2", made);
    const report = ["--reporters", "json", "--reporter-json-export", "report.json"];
    const key = ["--env-var", `bearerToken=${apiKey}`];
    await tool("newman", ["run", "collection.json", ...key, ...report]);
    const { run: done } = JSON.parse(await readFile(join(folder, "report.json"), "utf8")) as {
      run: { executions: { item: { name: string }; response: { code: number } }[] };
    };
    const got = done.executions.map(({ item, response }) => `${response.code} ${item.name}`);
    if (got.length !== 8 || !got.every((line) => line.startsWith("200 "))) {
      throw new Error(got.join("\n"));
    }
  });
}

/** Sends the examples with portman's own tests of each answer: status, type, schema, headers. */
async function throughPortman(toolchain: Toolchain): Promise<void> {
  const { tool, apiKey, url } = await worldOf(toolchain, "portman");
  await check("portman: its contract tests pass", async () => {
    const out = await tool(
      "portman",
      ["--local", "openapi.json", "--baseUrl", url, "--includeTests", "--runNewman"],
      { PORTMAN_BEARER_TOKEN: apiKey },
    );
    const held = out.split("✓").length - 1;
    if (held < 30) throw new Error(`${held} tests held:\n${out}`);
  });
}

/** Sends the examples. Dredd expects every documented status of the same valid request. */
async function throughDredd(toolchain: Toolchain): Promise<void> {
  const { tool, apiKey, url, folder } = await worldOf(toolchain, "dredd");
  await check("dredd: every success is as `adsim openapi --successes` documents it", async () => {
    const entry = join(root, "src/cli/main.ts");
    const { stdout } = await run(process.execPath, [entry, "openapi", "--successes"]);
    await writeFile(join(folder, "openapi.json"), stdout);
    const header = ["--header", `Authorization: Bearer ${apiKey}`];
    const options = ["--loglevel=error", ...header];
    const out = await tool("dredd", ["openapi.json", url, ...options]);
    if (!/\b5 passing, 0 failing, 0 errors\b/.test(out)) throw new Error(out);
  });
}

const folder = await mkdtemp(join(tmpdir(), "adsim-openapi-"));
try {
  const [server] = await Promise.all([
    startServer({ port: 0 }),
    check("the tools are installed", () => install(folder)),
  ]);
  const toolchain: Toolchain = { folder, server };
  await Promise.all([
    clients(toolchain),
    lint(toolchain),
    throughNewman(toolchain),
    throughPortman(toolchain),
    throughDredd(toolchain),
  ]);
  await server.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(`${Math.round((performance.now() - startedMs) / 1000)} s`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
