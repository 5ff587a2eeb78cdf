/**
 * Installs the packed package and uses it as its users do: alone, with the oldest tools that it promises to work with on the
 * oldest Node, with the newest, and as the pages say, word for word. A script, since npm takes a minute.
 */

import { match } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { binaryOf, type NodeVersion } from "../node-binaries.ts";
import { blocksOf, snippetsIn, textOf } from "../page-blocks.ts";
import { check, endChecks } from "./checks.ts";
import { people, programs, scenario, types } from "./programs.ts";
import { inFolder, newProject, pack } from "./project.ts";

const root = join(import.meta.dirname, "../..");

/** What the command prints on stdout matches `expected`. A command of a page that has to fail begins with `!`. */
type Check = readonly [name: string, command: string, expected?: RegExp];

/** Each has a folder of its own, in which its checks run one after the other. */
interface Setup {
  readonly node: NodeVersion;
  readonly files: Readonly<Record<string, string>>;
  readonly checks: readonly Check[];
}

const install = "npm init -y && npm install --ignore-scripts ./adsim-*.tgz";

const trace = "npx adsim exec --trace trace.html -- node -e 'fetch(process.env.ADSIM_URL)'";

const alone: Setup = {
  node: "26.10.0",
  files: { "page.js": 'export { createSimulator } from "adsim";\n', "people.mjs": people },
  checks: [
    ["it installs", install],
    [
      "the package brings no optional peer",
      "ls node_modules",
      /^adsim\np-limit\nseedrandom\nundici\nvalibot\nyocto-queue\n$/,
    ],
    [
      "entries that need no peer load without it",
      `for entry in adsim adsim/assert adsim/client adsim/scenario adsim/server; do
        node --input-type=module -e "import '$entry'"
      done`,
    ],
    ["the command has its name", "npx --no adsim --version", /^\d+\.\d+\.\d+\n/],
    ["adsim play", "npx --no adsim play brownout"],
    // The page has what was recorded, and the script that shows it.
    [
      "adsim exec, with a trace",
      `${trace} && cat trace.html`,
      /"balanced":true[\s\S]*<script[^>]*>[\s\S]{10000}/,
    ],
    [
      "the part of faker draws the people that all of it draws",
      `node people.mjs adsim >people && node people.mjs ${root}/src/index.ts | cmp people -`,
    ],
    ["a bundle for browsers is small", `node ${import.meta.dirname}/bundle-size.ts`],
    [
      "code that is bundled comes with its licence",
      "cat node_modules/adsim/dist/LICENSES.txt | tr '\\n' ' '",
      /(?=.*Fabian Hiller)(?=.*Sindre Sorhus)(?=.*Faker)(?=.*Adaltas)(?=.*Jason Miller)/,
    ],
  ],
};

const compilerOptions = {
  ...{ module: "nodenext", target: "es2022", lib: ["es2023", "dom", "dom.iterable"] },
  ...{ types: ["node"], strict: true, noEmit: true },
};
const files = {
  ...programs,
  "scenario.mts": scenario,
  "types.mts": types,
  "types.cts": types,
  "tsconfig.json": JSON.stringify({ files: ["types.mts", "types.cts"], compilerOptions }),
};

const withTools = (tools: string): Check[] => [
  ["it installs", `${install} @types/node@24 ${tools}`],
  ["import", "node all.mjs"],
  ["require", "node all.cjs"],
  ["msw", "node msw.mjs"],
  ["adsim exec", trace],
  ["adsim play in TypeScript", "npx adsim play scenario.mts"],
];

const waitingClient = readFileSync(join(root, "test/adapters/waiting-client.ts"), "utf8");

const oldest: Setup = {
  node: "20.20.2",
  files: {
    ...files,
    // What docs/javascript-tests.md recommends: msw depends on ES modules, which Jest has to be told to transform.
    "msw.config.json": snippetsIn(textOf("docs/javascript-tests.md"), "json")[0] ?? "",
    "babel.config.js":
      'module.exports = { plugins: ["@babel/plugin-transform-modules-commonjs"] };',
    "waiting-client.js": stripTypeScriptTypes(waitingClient),
    "fake-timers.cjs": textOf("test/package/fake-timers-in-jest.cjs"),
  },
  checks: [
    ...withTools(
      // msw 3 needs Node 22.12, and Jest can't load it.
      "msw@2.15.0 fast-check@4.0.0 typescript@5.9.3 tsx@4.23.15 @arethetypeswrong/cli@0.18.5 " +
        "jest@30.5.2 @babel/plugin-transform-modules-commonjs@7.29.14",
    ),
    ["TypeScript 5", "npx tsc -p . --skipLibCheck"],
    ["Jest as it is", "npx jest --ci --testMatch '**/all.jest.cjs'"],
    [
      "Jest with msw",
      "npx jest --ci --config msw.config.json --testMatch '**/{msw.jest,fake-timers}.cjs'",
    ],
    // vitest has no form in CommonJS itself, and Playwright's loader can `require` ES modules.
    [
      "types resolve, of ES modules, of CommonJS, and for bundlers",
      "npx attw ./adsim-*.tgz --format ascii --exclude-entrypoints vitest vitest/coverage playwright",
    ],
  ],
};

const newest: Setup = {
  node: "26.10.0",
  files: {
    ...files,
    "pnp/all.mjs": programs["all.mjs"] ?? "",
    "pnp/package.json": "{}",
    "pnp/yarn.lock": "",
    "pnp/.yarnrc.yml": "nodeLinker: pnp\nenableTelemetry: false\nenableImmutableInstalls: false\n",
  },
  checks: [
    ...withTools(
      "msw@3.0.5 fast-check@4 typescript@7.0.2 rolldown@1.2.19 @yarnpkg/cli-dist@4.18.1",
    ),
    // All declarations are compiled, so that one that imports what isn't installed is noticed.
    ["TypeScript 7", "npx tsc -p ."],
    // It has none of the package's files beside it.
    [
      "a bundle",
      `npx rolldown all.mjs --platform=node --no-codeSplitting --file=../bundled.mjs
      node ../bundled.mjs`,
    ],
    [
      "Yarn's Plug'n'Play, which leaves the package packed",
      `cd pnp
      ../node_modules/.bin/yarn add fast-check@4 adsim@file:$(ls ../adsim-*.tgz)
      ../node_modules/.bin/yarn node all.mjs`,
    ],
  ],
};

const guide = "docs/test-your-client.md";
const [installIt = "", test = "", plant = ""] = snippetsIn(textOf(guide), "sh");
const [defect = ""] = plant.split("\n");
const [, replay = ""] = /See it again: +(.+) npm test$/m.exec(textOf(guide)) ?? [];

/** That the contract finds such defects without their seeds is for other tests: it takes minutes. */
const pages: Setup = {
  node: "24.21.0",
  files: Object.fromEntries(
    [guide, "docs/javascript-tests.md", "docs/reference/contract.md"]
      .flatMap((page) => blocksOf(textOf(page)))
      .flatMap(({ file, text }) => (file === undefined ? [] : [[file, text]])),
  ),
  checks: [
    ["it installs", installIt],
    ["the client keeps 17 rules", `${test.trim()} -- ads.test.js`, /17 passed/],
    [
      "vitest's fixture, and a property",
      "npx vitest run own.test.js property.test.js --testTimeout=60000",
      /2 passed/,
    ],
    ["node:test", "node --test own.node.js", /pass 1\b/],
    [
      "the planted defect, seen again",
      `${defect}\n! ${replay} npx vitest run ads.test.js >failure 2>&1 && cat failure`,
      /broke once/,
    ],
    [
      "the scenario that the failure names",
      "! $(sed -n 's/^.*As a scenario: *//p' failure) 2>&1",
      /failed/,
    ],
  ],
};

await inFolder(async (folder) => {
  const tarball = await pack(folder);
  // At the same time: each waits for npm, and most use one processor.
  const following = Object.entries({ alone, oldest, newest, pages }).map(async ([name, setup]) => {
    const project = await newProject(folder, binaryOf(setup.node), tarball);
    await project.write(setup.files);
    for (const [what, command, expected = /^/] of setup.checks)
      await check(`${name}: ${what}`, async () => match(await project.shell(command), expected));
  });
  await Promise.all(following);
});
endChecks();
