/**
 * Starts a server from the installed package under loaders that have the package's files elsewhere, can't `require` them, or
 * have a global object of their own: bundlers, vitest's vm pools, Jest with ES modules, and Yarn's Plug'n'Play.
 */

import { execFile } from "node:child_process";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** vitest 4, since 5 doesn't run on Node 20. */
export const loaderPackages: readonly string[] = [
  "@yarnpkg/cli-dist@4.18.1",
  "esbuild@0.28.2",
  "jest@30.5.2",
  "rolldown@1.2.19",
  "vitest@4.1.0",
];

/** Asks for all that the server loads when it is first asked for it. */
const tryServer = `
async function tryServer(startServer) {
  const server = await startServer({ port: 0, publishers: 3 });
  const ask = async (path, expected, init) => {
    const answer = await fetch(server.url + path, init);
    const text = await answer.text();
    if (answer.status !== 200 || !expected.test(text))
      throw new Error(path + ": " + answer.status + " " + text.slice(0, 500));
  };
  const post = (value) => {
    const headers = { "content-type": "application/json" };
    return { method: "POST", headers, body: JSON.stringify(value) };
  };
  try {
    const { id, apiKey } = server.worlds.get("default").publishers.at(0);
    const headers = { authorization: "Bearer " + apiKey };
    await ask("/v1/publisher/stats?publisher_id=" + id, /"impressions":/, { headers });
    await ask("/_sim/publishers", /@invalid/);
    await ask("/_sim/clock/advance", /"now"/, post({ by: "1m" }));
    await ask("/_sim/", /<script src="inspector.js"/, { headers: { accept: "text/html" } });
    await ask("/_sim/inspector.js", /[^]{10000}/);
    await ask("/_sim/scenarios", /"brownout"/);
    await ask("/_sim/scenarios/play", /"result":"passed"/, post({ name: "lost-ack" }));
    await ask("/_sim/metrics", /# HELP/);
  } finally {
    await server.close();
  }
}
`;

const imported = `import { startServer } from "adsim/server";\n${tryServer}`;
const files: Readonly<Record<string, string>> = {
  "program.js": `${imported}tryServer(startServer);\n`,
  "required.cjs": `const { startServer } = require("adsim/server");\n${tryServer}tryServer(startServer);\n`,
  "vm.test.js": `import { test } from "vitest";\n${imported}test("server", () => tryServer(startServer), 60_000);\n`,
  "esm.jest.js": `${imported}test("server", () => tryServer(startServer), 60_000);\n`,
  "jest.config.json": '{ "testMatch": ["**/esm.jest.js"], "transform": {} }',
};

/** Arguments for Node, and those for a bundler that come first: it writes `OUT`, beside which no package is installed. */
interface Loader {
  readonly bundle?: readonly [tool: string, ...options: string[]];
  readonly args: readonly string[];
}

const esbuild = ["esbuild", "program.js", "--bundle", "--platform=node", "--outfile=OUT"] as const;
const rolldown = ["rolldown", "program.js", "--platform=node", "--no-codeSplitting"] as const;
const jest = "node_modules/jest/bin/jest.js";
const yarn = "../node_modules/@yarnpkg/cli-dist/bin/yarn.js";

export const loaders: Readonly<Record<string, Loader>> = {
  import: { args: ["program.js"] },
  require: { args: ["required.cjs"] },
  "vitest's vmThreads": {
    args: ["node_modules/vitest/vitest.mjs", "run", "--pool", "vmThreads", "vm.test.js"],
  },
  "Jest with ES modules": {
    args: ["--experimental-vm-modules", jest, "--ci", "-c", "jest.config.json"],
  },
  "esbuild, ES modules": { bundle: [...esbuild, "--format=esm"], args: ["OUT.mjs"] },
  "esbuild, CommonJS": { bundle: [...esbuild, "--format=cjs"], args: ["OUT.cjs"] },
  "rolldown, ES modules": { bundle: [...rolldown, "--file=OUT"], args: ["OUT.mjs"] },
  "rolldown, CommonJS": { bundle: [...rolldown, "--file=OUT", "--format=cjs"], args: ["OUT.cjs"] },
  "Yarn's Plug'n'Play": { args: [yarn, "node", "program.js"] },
};

/** Writes the programs into a project of ES modules. @returns what runs one of them. */
export async function writeLoaders(
  project: string,
  tarball: string,
): Promise<(name: string, binary: string) => Promise<unknown>> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text);
  const pnp = join(project, "pnp");
  await mkdir(pnp, { recursive: true });
  await copyFile(join(project, "program.js"), join(pnp, "program.js"));
  const dependencies = { adsim: `file:${tarball}` };
  await writeFile(join(pnp, "package.json"), JSON.stringify({ type: "module", dependencies }));
  await writeFile(join(pnp, "yarn.lock"), "");
  await writeFile(join(pnp, ".yarnrc.yml"), "nodeLinker: pnp\nenableTelemetry: false\n");
  const env = { ...process.env, YARN_ENABLE_IMMUTABLE_INSTALLS: "false" };
  await run(process.execPath, [yarn, "install"], { cwd: pnp, env });
  return async (name, binary) => {
    const { bundle: [tool = "", ...options] = [], args = [] } = loaders[name] ?? {};
    const out = join(project, "..", `bundled-${args[0]?.slice(3)}`);
    const placed = (words: readonly string[]): string[] =>
      words.map((word) => word.replace(/^OUT.*|OUT$/, out));
    if (tool !== "")
      await run(join(project, "node_modules/.bin", tool), placed(options), { cwd: project });
    await run(binary, placed(args), { cwd: args[0] === yarn ? pnp : project, env });
  };
}
