/**
 * Gives the API's document to other people's tools, at the versions of the package.json beside this file: linters, a
 * validating proxy, client generators, and tools that send the examples. A script, since it takes a minute and the network.
 */

import { equal, match } from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { coveringArray } from "../../src/choices/covering-array.ts";
import { createSimulator } from "../../src/index.ts";
import { startServer } from "../../src/server.ts";
import { recordExamples } from "../../src/simulator/openapi-examples.ts";
import { openApiDocument } from "../../src/spec/openapi.ts";
import { check, endChecks } from "../package/checks.ts";
import { emptyProject, inFolder, install, type Project } from "../package/project.ts";
import { freePort, untilAnswered } from "../ports.ts";
import { clients } from "./clients.ts";

const root = join(import.meta.dirname, "../..");
const server = await startServer({ port: 0 });

/** Runs an installed tool. */
type Tool = (name: string, ...args: readonly string[]) => Promise<string>;

/** The argument of a session. Each is in a world of its own, so that none uses up another's quota. */
function accessTo(world: string, baseUrl = `${server.url}/@${world}`): string {
  const { id, apiKey, surfaces } = server.worlds.get(world).publishers.at(0);
  return JSON.stringify({ baseUrl, apiKey, publisher_id: id, surface: surfaces[0]?.id });
}

/** The document under every row of a covering array, so that each choice is in one of them. */
async function lint({ write }: Project, tool: Tool): Promise<void> {
  const documents = [{}, ...coveringArray({ strength: 1 })].map((assumptions, index) => {
    const sim = createSimulator({ assumptions });
    const options = { baseUrl: "http://127.0.0.1:4010", examples: recordExamples(sim) };
    return [`${index}.json`, JSON.stringify(openApiDocument(sim.assumptions, options))] as const;
  });
  const names = documents.map(([name]) => name);
  await write({
    ...Object.fromEntries(documents),
    ".spectral.yaml": 'extends: ["spectral:oas"]\n',
  });
  await check(`redocly lint, ${names.length} documents: no error, no warning`, async () => {
    // One JSON text after the other, one for each document.
    const out = await tool("redocly", "lint", "--format=json", ...names);
    const totals = Array.from(out.matchAll(/"(?:errors|warnings)": (\d+)/g), ([, count]) => count);
    equal(totals.join(""), "0".repeat(2 * names.length), out);
  });
  await check(`spectral lint, ${names.length} documents: no error, no warning`, () =>
    tool("spectral", "lint", "--fail-severity=warn", ...names),
  );
}

const compilerOptions = {
  ...{ target: "es2022", lib: ["es2023", "dom", "dom.iterable"], types: ["node"] },
  ...{ module: "esnext", moduleResolution: "bundler", strict: true, noEmit: true },
  ...{ allowImportingTsExtensions: true, skipLibCheck: true, noUncheckedIndexedAccess: true },
};

/** Generates clients, checks the types of a session with each, and plays it; with one through a proxy that checks it. */
async function generate(project: Project, tool: Tool): Promise<void> {
  const orval = { target: "orval/api.ts", schemas: "orval/model", client: "fetch" };
  const output = { ...orval, baseUrl: `${server.url}/@orval` };
  await project.write({
    "orval.config.mjs": `export default ${JSON.stringify({ api: { input: "openapi.json", output } })};`,
    "session.ts": await readFile(join(import.meta.dirname, "session.ts"), "utf8"),
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["*.ts"] }),
    ...Object.fromEntries(Object.entries(clients).map(([name, text]) => [`${name}.ts`, text])),
  });
  await check("clients are generated", async () => {
    await tool("openapi-typescript", "openapi.json", "--output", "openapi-fetch/api.ts");
    await tool("openapi-ts", "--input", "openapi.json", "--output", "hey-api");
    await tool("orval", "--config", "orval.config.mjs");
  });
  await check("a session with each of them has the right types", () => tool("tsc", "-p", "."));
  const bundler = join(root, "node_modules/.bin/rolldown");
  for (const name of Object.keys(clients)) {
    await check(`${name}: the session is answered`, async () => {
      await project.node(bundler, `${name}.ts`, `--file=${name}.mjs`, "--platform=node");
      await project.node(`${name}.mjs`, accessTo(name));
    });
  }
  await throughPrism(project);
}

/** With `--errors` Prism answers in the service's place where a request or a response contradicts the document. */
async function throughPrism({ path, node }: Project): Promise<void> {
  const port = await freePort();
  const proxy = `http://127.0.0.1:${port}`;
  const options = ["openapi.json", `${server.url}/@prism`, "--errors", "--port", String(port)];
  const child = spawn(process.execPath, ["node_modules/.bin/prism", "proxy", ...options], {
    cwd: path,
    stdio: "ignore",
  });
  try {
    await untilAnswered(proxy);
    await check("prism: a session through the proxy without a violation", () =>
      node("openapi-fetch.mjs", accessTo("prism", proxy)),
    );
    await check("prism: notices an answer that contradicts the document", async () => {
      const { faults, publishers } = server.worlds.get("prism");
      faults.add({
        verdict: { kind: "respond", status: 200, body: { surfaces: [{ id: "srf" }] } },
      });
      const { id, apiKey } = publishers.at(0);
      const answer = await fetch(`${proxy}/v1/publisher/surfaces?publisher_id=${id}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      equal(answer.status, 500);
      match(await answer.text(), /VIOLATIONS/);
    });
  } finally {
    child.kill("SIGTERM");
  }
}

/** Tools that send the examples. */
async function sendExamples({ path, run, write }: Project, tool: Tool): Promise<void> {
  await check("newman: every request of the converted collection gets 200", async () => {
    const { apiKey, baseUrl } = JSON.parse(accessTo("newman"));
    const resolution = ["--options", "parametersResolution=Example"];
    await tool("openapi2postmanv2", "-s", "openapi.json", "-o", "collection.json", ...resolution);
    const given = { bearerToken: apiKey, baseUrl };
    const variables = Object.entries(given).flatMap(([name, value]) => [
      "--env-var",
      `${name}=${value}`,
    ]);
    const report = ["--reporters", "json", "--reporter-json-export", "report.json"];
    await tool("newman", "run", "collection.json", ...variables, ...report);
    const { run: done } = JSON.parse(await readFile(join(path, "report.json"), "utf8")) as {
      run: { executions: { item: { name: string }; response: { code: number } }[] };
    };
    const got = done.executions.map(({ response }) => response.code);
    equal(got.join(), "200,200,200,200,200,200,200,200");
  });
  await check("dredd: every success is as `adsim openapi --successes` documents it", async () => {
    const { apiKey, baseUrl } = JSON.parse(accessTo("dredd"));
    const entry = join(root, "src/cli/main.ts");
    await write({ "successes.json": await run(process.execPath, entry, "openapi", "--successes") });
    const header = ["--header", `Authorization: Bearer ${apiKey}`];
    const out = await tool("dredd", "successes.json", baseUrl, "--loglevel=error", ...header);
    match(out, /\b5 passing, 0 failing, 0 errors\b/);
  });
}

await inFolder(async (folder) => {
  const project = await emptyProject(folder, process.execPath);
  const manifest = await readFile(join(import.meta.dirname, "package.json"), "utf8");
  const document = await fetch(`${server.url}/@newman/_sim/openapi.json`);
  await project.write({ "package.json": manifest, "openapi.json": await document.text() });
  await check("the tools are installed", () => install(project));
  const tool: Tool = (name, ...args) => project.node(join("node_modules/.bin", name), ...args);
  await Promise.all([lint(project, tool), generate(project, tool), sendExamples(project, tool)]);
});
await server.close();
endChecks();
