/**
 * Installs the packed package and uses it as its users do: alone, with the oldest tools that it promises to work with on the
 * oldest Node, and with the newest. A script, since npm takes a minute.
 */

import { deepEqual, equal, match } from "node:assert/strict";
import { copyFile, readdir, readFile } from "node:fs/promises";
import { isBuiltin, stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { nodeBinaries } from "../node-binaries.ts";
import { snippetsIn } from "../page-blocks.ts";
import { expectSmallBundle } from "./bundle-size.ts";
import { check, endChecks } from "./checks.ts";
import { followTestsPages } from "./follow-tests-pages.ts";
import { people, programs, types } from "./programs.ts";
import { inFolder, type Project, pack, projectWith } from "./project.ts";
import { play, playWithoutTsx, typescriptScenarios } from "./typescript-scenarios.ts";

const root = join(import.meta.dirname, "../..");

/** Older versions of tsx fail in some case here. */
const tools = ["tsx@4.23.15", "@types/node@24"];
/** msw 3 needs Node 22.12, and Jest can't load it. */
const oldestTools = [
  ...["msw@2.15.0", "fast-check@4.0.0", "typescript@5.9.3", "@arethetypeswrong/cli@0.18.5"],
  ...["jest@30.5.2", "@babel/plugin-transform-modules-commonjs@7.29.14"],
];
const newestTools = [
  ...["msw@3.0.5", "fast-check@4", "typescript@7.0.2", "vitest@4.1.0"],
  ...["@yarnpkg/cli-dist@4.18.1", "esbuild@0.28.2", "rolldown@1.2.19"],
];

/** A node version, and its binary. */
type Node = readonly [version: string, binary: string];

async function checkAlone(folder: string, tarball: string, nodes: readonly Node[]): Promise<void> {
  const [, binary] = nodes.at(-1) ?? ["", ""];
  const project = await projectWith(folder, binary, [tarball]);
  const own = join(project.path, "node_modules/adsim");
  await check("the package brings no optional peer", async () => {
    const installed = await readdir(join(project.path, "node_modules"));
    const peers = ["msw", "vitest", "fast-check", "tsx", "@playwright"];
    deepEqual(
      peers.filter((peer) => installed.includes(peer)),
      [],
    );
  });
  await check("the package depends on what it imports", () => expectDependencies(own));
  await check("the part of faker draws the people that all of it draws", async () => {
    const peopleFrom = (module: string): Promise<string> => {
      const text = `import { createSimulator } from "${module}";${people}`;
      return project.run(process.execPath, "--input-type=module", "-e", text);
    };
    equal(await peopleFrom("adsim"), await peopleFrom(join(root, "src/index.ts")));
  });
  await check("a bundle for browsers is small", () => expectSmallBundle(project));
  await check("npm runs the command by its name", async () =>
    match(await project.run("npm", "exec", "--no", "--", "adsim", "--version"), /^\d+\.\d+\.\d+\n/),
  );
  await check("code that is bundled comes with its licence", async () => {
    const text = await readFile(join(own, "dist/LICENSES.txt"), "utf8");
    for (const holder of ["Fabian Hiller", "Sindre Sorhus", "Faker", "Adaltas", "Jason Miller"])
      match(text, new RegExp(holder));
  });
  await project.write(typescriptScenarios);
  for (const [version, other] of nodes) {
    const onOther: Project = { ...project, node: (...args) => project.run(other, ...args) };
    await check(`Node ${version}: adsim exec, with a trace`, () => expectTrace(onOther));
    await check(`Node ${version}: adsim play`, () => play(onOther, "brownout"));
    await check(`Node ${version}: adsim play in TypeScript, without tsx`, () =>
      playWithoutTsx(onOther, version),
    );
  }
}

/** What occurs in the files of the package as an import, though the line may be long. */
const importPattern =
  /(?:^(?:import|export|\})[^\n"]*\bfrom |\b(?:import|require)\(|\bresolve\((?="[^"]*\/))"((?:@[\w.-]+\/)?[\w.-]+)[^"]*"/gm;

async function expectDependencies(own: string): Promise<void> {
  const { dependencies, peerDependencies } = JSON.parse(
    await readFile(join(own, "package.json"), "utf8"),
  );
  const files = await readdir(join(own, "dist"), { recursive: true });
  const texts = files
    .filter((file) => /\.(?:c?js|d\.ts)$/.test(file))
    .map((file) => readFile(join(own, "dist", file), "utf8"));
  const imported = (await Promise.all(texts)).flatMap((text) =>
    Array.from(text.matchAll(importPattern), ([, name = ""]) => name),
  );
  // k6 is what the scripts import that `adsim export` writes.
  const packages = imported.filter(
    (name) => !/^(?:\.|adsim$|node$|k6$)/.test(name) && !isBuiltin(name),
  );
  const expected = Object.keys({ ...dependencies, ...peerDependencies });
  deepEqual([...new Set(packages)].sort(), expected.sort());
}

/** The page has what was recorded, and the script that shows it. */
async function expectTrace(project: Project): Promise<void> {
  const entry = "node_modules/adsim/dist/cli/main.js";
  const command = ["node", "-e", "fetch(process.env.ADSIM_URL)"];
  await project.node(entry, "exec", "--trace", "trace.html", "--", ...command);
  const html = await readFile(join(project.path, "trace.html"), "utf8");
  const scripts = html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g);
  const [recording = "", page = ""] = Array.from(scripts, ([, text]) => text);
  equal(JSON.parse(recording).worlds.default.audit.balanced, true);
  equal(page.length > 10_000, true);
}

async function checkOldest(
  folder: string,
  tarball: string,
  [version, binary]: Node,
): Promise<void> {
  const project = await projectWith(folder, binary, [tarball, ...tools, ...oldestTools]);
  await writePrograms(project);
  const jest = (tests: string, ...options: string[]): Promise<string> =>
    project.node("node_modules/jest/bin/jest.js", "--ci", ...options, "--testMatch", tests);
  await check(`Node ${version}: Jest as it is`, () => jest("**/all.jest.cjs"));
  await check(`Node ${version}: Jest with msw`, async () => {
    await prepareJest(project);
    await jest("**/{msw.jest,fake-timers}.cjs", "--config", "msw.config.json");
  });
  await check("TypeScript 5: types of CommonJS, as ts-jest finds them", () =>
    // msw's own declarations have errors here.
    compile(project, ["types.cts"], {
      module: "commonjs",
      moduleResolution: "node10",
      skipLibCheck: true,
    }),
  );
  await check("types resolve, of ES modules, of CommonJS, and for bundlers", () => {
    // vitest has no form in CommonJS itself, and Playwright's loader can `require` ES modules.
    const modulesOnly = ["vitest", "vitest/coverage", "playwright"];
    const options = ["--profile", "node16", "--exclude-entrypoints", ...modulesOnly];
    const attw = "node_modules/@arethetypeswrong/cli/dist/index.js";
    return project.run(process.execPath, attw, tarball, "--format", "ascii", ...options);
  });
}

async function checkNewest(
  folder: string,
  tarball: string,
  [version, binary]: Node,
): Promise<void> {
  const project = await projectWith(folder, binary, [tarball, ...tools, ...newestTools]);
  await writePrograms(project);
  await check("TypeScript 7: types of both kinds of modules, as Node finds them", () =>
    compile(project, ["types.mts", "types.cts"], { module: "nodenext" }),
  );
  const name = (what: string): string => `Node ${version}: ${what}`;
  const bundler = (tool: string): string => `node_modules/.bin/${tool}`;
  // A bundle has none of the package's files beside it.
  const bundled = (extension: string): string => join(folder, `bundled.${extension}`);
  await check(name("a bundle of ES modules"), async () => {
    const options = ["--platform=node", "--no-codeSplitting", `--file=${bundled("mjs")}`];
    await project.run(bundler("rolldown"), "all.mjs", ...options);
    await project.node(bundled("mjs"));
  });
  await check(name("a bundle of CommonJS"), async () => {
    const options = ["--bundle", "--platform=node", `--outfile=${bundled("cjs")}`];
    await project.run(bundler("esbuild"), "all.mjs", ...options);
    await project.node(bundled("cjs"));
  });
  await check(name("vitest's vmThreads, which have a global object of their own"), () =>
    project.node("node_modules/vitest/vitest.mjs", "run", "--pool=vmThreads", "all.test.mjs"),
  );
  await check(name("Yarn's Plug'n'Play, which leaves the package packed"), async () => {
    const dependencies = { adsim: `file:${tarball}`, "fast-check": "4" };
    await project.write({
      "pnp/all.mjs": programs["all.mjs"] ?? "",
      "pnp/package.json": JSON.stringify({ dependencies }),
      "pnp/yarn.lock": "",
      "pnp/.yarnrc.yml":
        "nodeLinker: pnp\nenableTelemetry: false\nenableImmutableInstalls: false\n",
    });
    const yarn = ["node_modules/@yarnpkg/cli-dist/bin/yarn.js", "--cwd", "pnp"];
    await project.node(...yarn, "install");
    await project.node(...yarn, "node", "all.mjs");
  });
}

/** Programs that both projects have, on their Node. */
async function writePrograms(project: Project): Promise<void> {
  await project.write({
    ...programs,
    ...typescriptScenarios,
    "types.mts": types,
    "types.cts": types,
  });
  const version = (await project.node("--version")).trim().slice(1);
  await check(`Node ${version}: import`, () => project.node("all.mjs"));
  await check(`Node ${version}: require`, () => project.node("all.cjs"));
  await check(`Node ${version}: msw`, () => project.node("msw.mjs"));
  await check(`Node ${version}: adsim play in TypeScript`, () =>
    play(project, version.startsWith("20.") ? "demanding.cts" : "demanding.mts"),
  );
}

async function compile(project: Project, files: readonly string[], how: object): Promise<void> {
  const lib = ["es2023", "dom", "dom.iterable"];
  const given = { lib, types: ["node"], target: "es2022", strict: true, noEmit: true };
  const text = JSON.stringify({ files, compilerOptions: { ...given, ...how } });
  await project.write({ "tsconfig.types.json": text });
  const tsc = "node_modules/typescript/bin/tsc";
  await project.run(process.execPath, tsc, "-p", "tsconfig.types.json");
}

/** What docs/javascript-tests.md recommends: msw depends on ES modules, which Jest has to be told to transform. */
async function prepareJest({ path, write }: Project): Promise<void> {
  const page = await readFile(join(root, "docs/javascript-tests.md"), "utf8");
  const [recommended = ""] = snippetsIn(page, "json");
  const client = await readFile(join(root, "test/adapters/waiting-client.ts"), "utf8");
  await write({
    "babel.config.js":
      'module.exports = { plugins: ["@babel/plugin-transform-modules-commonjs"] };',
    "msw.config.json": recommended,
    "waiting-client.js": stripTypeScriptTypes(client),
  });
  const timers = join(import.meta.dirname, "fake-timers-in-jest.cjs");
  await copyFile(timers, join(path, "fake-timers.cjs"));
}

const nodes = Object.entries(nodeBinaries());
const ends = [nodes[0], nodes.at(-1)].filter((node) => node !== undefined);
await inFolder(async (folder) => {
  const tarball = await pack(folder);
  const [oldest, newest] = ends;
  if (oldest === undefined || newest === undefined) throw new Error("There is no Node.");
  // At the same time: each waits for npm, and most use one processor.
  await Promise.all([
    check("docs/test-your-client.md and javascript-tests.md work word for word", () =>
      followTestsPages(folder, tarball),
    ),
    checkAlone(folder, tarball, [oldest, newest]),
    checkOldest(folder, tarball, oldest),
    checkNewest(folder, tarball, newest),
  ]);
});
endChecks();
