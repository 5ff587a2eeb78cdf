/** What biome and tsc can't enforce about how the code reads: floors, banned calls, sizes, dead exports. */

import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** The folders of `src`, lowest first, as ARCHITECTURE.md lists them: a file imports from its own floor and from those before it. */
const floors = Array.from(
  readFileSync(join(root, "ARCHITECTURE.md"), "utf8").matchAll(/^\| (.*?) \|/gm),
  ([, cell = ""]) => cell,
).flatMap((cell) => Array.from(cell.matchAll(/`(\w+)\/`/g), ([, name = ""]) => name));

/** Files above 300 lines, each with its reason. */
const longFiles: Readonly<Record<string, string>> = {
  "src/spec/assumptions/catalogue.ts": "one table",
  "src/play/scenario/types.ts": "one grammar",
};
const MAX_LINES = 300;

interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** The text without comments and with empty string literals: what is left is code. */
  readonly code: string;
}

function filesUnder(folder: string, names = /\.[jt]s$/): SourceFile[] {
  return globSync(`${folder}/**`, { cwd: root, exclude: ["**/node_modules"] })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => names.test(path))
    .map(fileAt);
}

function fileAt(path: string): SourceFile {
  const text = readFileSync(join(root, path), "utf8");
  return { path, text, code: codeOf(text) };
}

/** Comments and texts go, line breaks stay. One pass, so that none of them hides in another. */
function codeOf(text: string): string {
  const tokens =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<=[(=:,[&|?]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;
  return text.replaceAll(tokens, (token) => {
    const lines = token.replaceAll(/[^\n]/g, "");
    if (token.startsWith('"') || token.startsWith("'")) return '""';
    if (!token.startsWith("`")) return lines;
    const inserted = Array.from(token.matchAll(/\$\{([^{}]*)\}/g), ([, code]) => code);
    return `[${inserted.join(", ")}]${lines}`;
  });
}

const sources = filesUnder("src");
const everything = [
  ...sources,
  ...["test", "bench", "build"].flatMap((folder) => filesUnder(folder)),
];
/** All that weighs, also styles, the texts of defects that tests plant, and pages. */
const written = [
  ...["src", "test", "bench", "build", "scenarios"].flatMap((folder) =>
    filesUnder(folder, /\.(?:[cm]?[jt]sx?|css|txt)$/),
  ),
  ...globSync(["*.md", "docs/**/*.md"], { cwd: root }).map(fileAt),
];
const isEntry = (path: string): boolean => /^src\/[a-z-]+\.ts$/.test(path);
const floorOf = (path: string): string => path.split("/")[1] ?? "";

/** The relative imports of a file, as paths from the root. */
function importsOf({ path, text }: SourceFile): string[] {
  const specifiers = text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g);
  return Array.from(specifiers, ([, to = ""]) => posix.join(dirname(path), to));
}

/** A file with all that it imports, directly or not. */
function reachedFrom(file: SourceFile, reached: readonly SourceFile[] = []): SourceFile[] {
  if (reached.includes(file)) return [...reached];
  const names = new Set(importsOf(file));
  const imported = sources.filter(({ path }) => names.has(path));
  return imported.reduce((so, one) => reachedFrom(one, so), [...reached, file]);
}

/** `path:line` of each match in code, of files that `applies` to. */
function places(pattern: RegExp, applies: (path: string) => boolean): string[] {
  const lines = sources
    .filter(({ path }) => applies(path))
    .flatMap(({ path, code }) =>
      code.split("\n").map((text, index) => ({ place: `${path}:${index + 1}`, text })),
    );
  return lines.filter(({ text }) => pattern.test(text)).map(({ place }) => place);
}

test("there are sources, and their comments and strings are ignored", () => {
  expect(sources.length).toBeGreaterThan(40);
  expect(codeOf('a = "x"; // Date.now()\nb /* TODO */')).toBe('a = ""; \nb ');
});

describe("floors", () => {
  test("every file of src is an entry, or in a folder that ARCHITECTURE.md lists", () => {
    const homeless = sources.filter(
      ({ path }) => !isEntry(path) && !floors.includes(floorOf(path)),
    );
    expect(homeless.map(({ path }) => path)).toEqual([]);
  });

  test("no file imports from a floor above its own; the entries stand on the command line's", () => {
    const heightOf = (path: string): number =>
      isEntry(path) ? floors.indexOf("cli") : floors.indexOf(floorOf(path));
    const upward = sources
      .filter(({ path }) => !isEntry(path))
      .flatMap((file) =>
        importsOf(file)
          .filter((to) => heightOf(to) > heightOf(file.path))
          .map((to) => `${file.path} imports ${to}`),
      );
    expect(upward).toEqual([]);
  });

  test("a peer dependency is loaded by its own entries only", () => {
    const entries = {
      "@playwright/test": ["src/playwright.ts"],
      msw: ["src/msw.ts", "src/vitest.ts"],
      "fast-check": ["src/contract.ts", "src/testing.ts"],
      vitest: ["src/vitest-coverage.ts", "src/vitest.ts"],
    };
    for (const [peer, own] of Object.entries(entries)) {
      const loading = sources
        .filter(({ path }) => isEntry(path) || path === "src/cli/main.ts")
        .filter((entry) =>
          reachedFrom(entry).some(({ text }) => new RegExp(`"${peer}["/]`).test(text)),
        );
      expect(loading.map(({ path }) => path)).toEqual(own);
    }
  });

  test("the oracle imports only itself and types, so it shares no code with what it judges", () => {
    const oracle = everything.filter(({ path }) => path.startsWith("test/oracle/"));
    expect(oracle.length).toBeGreaterThan(10);
    const loads = /^(?:import|export) (?!type )(?:[^;"]*from )?"(.*)"|\bimport\("(.*)"/gm;
    const shared = oracle.flatMap(({ path, text }) =>
      Array.from(text.matchAll(loads), ([, from, of = from ?? ""]) =>
        of.startsWith(".") ? posix.join(dirname(path), of) : of,
      )
        .filter((to) => !to.startsWith("test/oracle/"))
        .map((to) => `${path} imports ${to}`),
    );
    expect(shared).toEqual([]);
  });
});

/** Seed in, everything out: only these know the machine. The inspector's page is a program of its own, in a browser. */
const MACHINE =
  /^src\/(?:(?:adapters|cli|inspector\/page|play\/targets)\/|inspector\/assets|client\/platform\.ts|testing\/(?:time|driver|machine)\b)/;
/** The core is synchronous. Clients wait, their tests do, and some control requests. */
const WAITING =
  /^src\/(?:(?:adapters|cli|client|control|inspector\/page|play|testing)\/|inspector\/(?:assets|trace\.ts))/;
const PROMISING = new RegExp(`${WAITING.source}|^src/(?:journal/journal|simulator/worlds)\\.ts`);

/** What may not stand in `src`, except in some files. */
const banned: readonly (readonly [what: string, pattern: RegExp, allowed: RegExp])[] = [
  ["ambient randomness", /Math\.random|\bcrypto\b|randomUUID|getRandomValues/, MACHINE],
  ["ambient time", /Date\.now|new Date\(\)|performance\.now|hrtime/, MACHINE],
  ["timers", /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/, MACHINE],
  ["the locale", /toLocale\w*|\bIntl\b|localeCompare/, MACHINE],
  ["the environment", /\bprocess\b/, MACHINE],
  ["async and await", /\bawait\b|\basync\b/, WAITING],
  ["promises", /\bPromise\b/, PROMISING],
  ["what Node 20 lacks", /\b(?:Map|Object)\.groupBy\b|Promise\.(?:try|withResolvers)/, /^$/],
  [
    "the host's time zone",
    /\.(?:get|set)(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds)\(|getTimezoneOffset/,
    /^$/,
  ],
  [
    "functions whose last bit depends on the engine",
    /Math\.(?:log|exp|pow|sin|cos|tan|sqrt|cbrt|hypot|atan|asin|acos|sinh|cosh|tanh)|\*\*/,
    /^$/,
  ],
  ["an end of the process", /process\.exit\(/, /^src\/cli\//],
  [
    "a command's own process",
    /\bprocess\.(?!features|version|once)/,
    /^src\/(?!cli\/(?!main\.ts))/,
  ],
];

test.each(banned)("%s: only where it has to be", (_, pattern, allowed) => {
  expect(places(pattern, (path) => !allowed.test(path))).toEqual([]);
});

test("faker: only in publishers/people.ts", () => {
  const users = sources.filter(({ text }) => text.includes('"@faker-js/'));
  expect(users.map(({ path }) => path)).toEqual(["src/world/publishers/people.ts"]);
});

describe("sizes", () => {
  test(`no file of src has more than ${MAX_LINES} lines, save for those with a reason`, () => {
    const long = sources
      .filter(({ text }) => text.split("\n").length - 1 > MAX_LINES)
      .map(({ path }) => path);
    expect(long.filter((path) => longFiles[path] === undefined)).toEqual([]);
    expect(Object.keys(longFiles).filter((path) => !long.includes(path))).toEqual([]);
  });

  const foldersOfTest: readonly [most: number, names: string][] = [
    [7500, "base|spec|world|faults|journal|exchange|simulator"],
    [8000, "play|cli|scenarios"],
    [7000, "server|adapters|control|inspector|client|vitest|browser"],
    [8500, "audit|invariants|choices|assertions|testing"],
    [5500, "properties|fuzz|determinism|oracle"],
  ];
  const ofTest = foldersOfTest.map(([, names]) => names).join("|");

  /** The lines that a folder may weigh. A mechanism that is added takes the place of another one. */
  test.each<[number, RegExp]>([
    [1300, /^src\/client\//],
    [2600, /^src\/(?:base|spec)\//],
    [1700, /^src\/world\//],
    [950, /^src\/faults\//],
    [1050, /^src\/journal\//],
    [1900, /^src\/exchange\//],
    [1200, /^src\/simulator\//],
    [1700, /^src\/audit\//],
    [900, /^src\/invariants\//],
    [750, /^src\/choices\//],
    [700, /^src\/assertions\//],
    [5600, /^src\/testing\//],
    [6200, /^src\/play\//],
    [1050, /^src\/control\//],
    [2050, /^src\/adapters\//],
    [3900, /^src\/cli\//],
    [2800, /^src\/inspector\//],
    [3000, /^scenarios\//],
    [1300, /^(?:bench|build)\//],
    ...foldersOfTest.map(([most, names]): [number, RegExp] => [
      most,
      new RegExp(`^test/(?:${names})/`),
    ]),
    [3500, new RegExp(`^test/(?!(?:${ofTest})/)`)],
    [38_000, /^src\//],
    [40_000, /^test\//],
    [110, /^README\.md$/],
    [100, /^ARCHITECTURE\.md$/],
    [1250, /^(?:README\.md|docs\/[^/]+\.md)$/],
    [450, /^(?:ARCHITECTURE\.md|CONTRIBUTING\.md|CHANGELOG\.md|docs\/decisions\/)/],
  ])("at most %i lines in %s", (most, folders) => {
    const own = written.filter(({ path }) => folders.test(path));
    const lines = own.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
    expect(lines).toBeGreaterThan(0);
    expect(lines).toBeLessThanOrEqual(most);
  });

  test("at most 350 files in src", () => {
    expect(written.filter(({ path }) => path.startsWith("src/")).length).toBeLessThanOrEqual(350);
  });
});

describe("leftovers", () => {
  test("every file of src opens with a comment", () => {
    const silent = sources.filter(
      ({ path, text }) => !isEntry(path) && !/^(?:#![^\n]*\n)?\/[/*]/.test(text),
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  test("no to-do marker is left, and no hidden compiler error", () => {
    const marker = /TODO|FIXME|XXX|@ts-(?:expect-error|nocheck)/;
    const open = sources.filter(({ text }) => marker.test(text));
    expect(open.map(({ path }) => path)).toEqual([]);
  });

  test("what is exported is imported somewhere, or is a type that the file names elsewhere", () => {
    const dead = sources
      .filter(({ path }) => !isEntry(path) && !path.endsWith(".d.ts"))
      .flatMap(({ path, code }) =>
        exportsOf(code)
          .filter((name) => !used.has(`${path} ${name}`) && !used.has(`${path} *`))
          .map((name) => `${path}: ${name}`),
      );
    expect(dead).toEqual([]);
  });
});

function exportsOf(code: string): string[] {
  const declared = code.matchAll(
    /^export (?:async )?(function\*?|const|let|class|interface|type) (\w+)/gm,
  );
  return Array.from(declared).flatMap(([, kind = "", name = ""]) => {
    const isType = kind === "interface" || kind === "type";
    const isNamed = code.split(new RegExp(`\\b${name}\\b`)).length > 2;
    return isType && isNamed ? [] : [name];
  });
}

/** By `path name`: every name that a file imports or re-exports; `path *` for one that takes all. */
const used = new Set(everything.flatMap(usedIn));

function usedIn(file: SourceFile): string[] {
  const clauses = file.text.matchAll(
    /\b(?:import|export)\s+(?:type\s+)?([^;"]*?)\s*from\s*"(\.[^"]+)"/g,
  );
  const named = Array.from(clauses).flatMap(([, names = "", to = ""]) =>
    (names.match(/\w+|\*/g) ?? []).map((name) => `${posix.join(dirname(file.path), to)} ${name}`),
  );
  if (!/\bimport\(/.test(file.text)) return named;
  const words = file.code.match(/\w+/g) ?? [];
  return [...named, ...importsOf(file).flatMap((path) => words.map((word) => `${path} ${word}`))];
}
