/**
 * R1 across Node versions: builds the package and plays the fixed list from `dist` on each Node that it promises to
 * work on. Run by itself, after the tests: it fetches Node binaries on first use. Exits 1 on any difference.
 */

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { coveringArray, createSimulator } from "../../src/index.ts";
import { binaryOf, nodeVersions } from "../node-binaries.ts";
import { play } from "./play.ts";

const root = join(import.meta.dirname, "..", "..");
const run = promisify(execFile);

await run("npm", ["run", "build"], { cwd: root, shell: process.platform === "win32" });

const folder = await mkdtemp(join(tmpdir(), "adsim-determinism-"));
const expected = play(createSimulator, coveringArray);
console.log(`${expected}  sources on Node ${process.versions.node}`);
let passed = 0;
let failed = 0;
try {
  const main = await writePlayer(folder);
  const playing = nodeVersions.map(async (version) => {
    const { digest, node } = await digestOn(binaryOf(version), main);
    const good = digest === expected && node === version;
    if (good) passed += 1;
    else failed += 1;
    console.log(`${digest}  dist on Node ${node}  ${good ? "same" : "DIFFERENT"}`);
  });
  await Promise.all(playing);
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/** The list as JavaScript beside a program that plays it from `dist`: the oldest Node knows no types. */
async function writePlayer(into: string): Promise<string> {
  const source = await readFile(join(import.meta.dirname, "play.ts"), "utf8");
  await writeFile(join(into, "play.mjs"), stripTypeScriptTypes(source));
  const dist = pathToFileURL(join(root, "dist", "index.js")).href;
  const main = join(into, "main.mjs");
  await writeFile(
    main,
    `import { coveringArray, createSimulator } from ${JSON.stringify(dist)};
import { play } from "./play.mjs";
console.log(JSON.stringify({ digest: play(createSimulator, coveringArray), node: process.versions.node }));
`,
  );
  return main;
}

async function digestOn(binary: string, main: string): Promise<{ digest: string; node: string }> {
  try {
    return JSON.parse((await run(binary, [main])).stdout);
  } catch (error) {
    console.error((error as Error).message);
    return { digest: "no digest", node: binary };
  }
}
