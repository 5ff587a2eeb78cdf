/** What can be enforced about how the code reads: floors, banned calls, sizes, dead exports. Plain text, no compiler. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
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
const MAX_FUNCTION_LINES = 70;

interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** The text without comments and with empty string literals: what is left is code. */
  readonly code: string;
}

function filesUnder(folder: string, names = /\.[jt]s$/): SourceFile[] {
  const paths = existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    : [];
  return paths
    .filter((path) => names.test(path) && !path.includes("node_modules"))
    .map((path) => {
      const full = join(root, folder, path);
      const text = readFileSync(full, "utf8");
      return { path: relative(root, full).split(sep).join("/"), text, code: codeOf(text) };
    });
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
/** All that weighs, also styles, and the texts of defects that tests plant. */
const written = ["src", "test", "bench", "build", "scenarios"].flatMap((folder) =>
  filesUnder(folder, /\.(?:[cm]?[jt]sx?|css|txt)$/),
);
const isEntry = (path: string): boolean => /^src\/[a-z-]+\.ts$/.test(path);
const floorOf = (path: string): string => path.split("/")[1] ?? "";

/** The relative imports of a file, as paths from the root. */
function importsOf({ path, text }: SourceFile): string[] {
  const specifiers = text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g);
  return Array.from(specifiers, ([, to = ""]) => posix.join(dirname(path), to));
}

/** Files or folders that import themselves by way of others. `placeOf`: the file itself, or its folder. */
function inCircles(placeOf: (path: string) => string): string[] {
  const arrows = sources
    .filter(({ path }) => !isEntry(path))
    .flatMap((file) => importsOf(file).map((to) => [placeOf(file.path), placeOf(to)] as const))
    .filter(([from, to]) => from !== to);
  // A place that imports none of the others left, or that none of them imports, is in no circle.
  let left = new Set(arrows.flat());
  for (let before = 0; before !== left.size; ) {
    before = left.size;
    const within = arrows.filter(([from, to]) => left.has(from) && left.has(to));
    const importing = new Set(within.map(([from]) => from));
    const imported = new Set(within.map(([, to]) => to));
    left = new Set([...left].filter((place) => importing.has(place) && imported.has(place)));
  }
  return [...left].sort();
}

/** Whether all that a file imports from there is gone at run time. */
function onlyTypes({ path, text }: SourceFile, from: string): boolean {
  const imports = text.matchAll(/^(import|export)\s+([^;"]*?)\s*from\s*"(\.[^"]+)"/gm);
  return Array.from(imports).every(
    ([, , clause = "", to = ""]) =>
      posix.join(dirname(path), to) !== from || clause.startsWith("type "),
  );
}

/** A file with all that it imports, directly or not. */
function reachedFrom(file: SourceFile, reached: readonly SourceFile[] = []): SourceFile[] {
  if (reached.includes(file)) return [...reached];
  const names = new Set(importsOf(file));
  const imported = sources.filter(({ path }) => names.has(path));
  return imported.reduce((so, one) => reachedFrom(one, so), [...reached, file]);
}

/** `path:line` of each match in code, of files that `applies` to. */
function places(
  files: readonly SourceFile[],
  pattern: RegExp,
  applies: (path: string) => boolean = () => true,
): string[] {
  return files
    .filter(({ path }) => applies(path))
    .flatMap(({ path, code }) =>
      code
        .split("\n")
        .flatMap((line, index) =>
          pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [],
        ),
    );
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

  test("no file imports from a floor above its own", () => {
    const upward = sources
      .filter(({ path }) => !isEntry(path))
      .flatMap((file) =>
        importsOf(file)
          .filter((to) => floors.indexOf(floorOf(to)) > floors.indexOf(floorOf(file.path)))
          .map((to) => `${file.path} imports ${to}`),
      );
    expect(upward).toEqual([]);
  });

  test("neither files nor folders import each other in a circle", () => {
    expect(inCircles((path) => path)).toEqual([]);
    expect(inCircles(dirname)).toEqual([]);
  });

  test("nothing but the command line imports an entry", () => {
    const below = sources.filter(({ path }) => floorOf(path) !== "cli");
    const inward = below.flatMap((file) =>
      importsOf(file)
        .filter(isEntry)
        .map((to) => `${file.path} imports ${to}`),
    );
    expect(inward).toEqual([]);
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

  test("the oracle shares no code with what it judges", () => {
    const oracle = everything.filter(({ path }) => path.startsWith("test/oracle/"));
    expect(oracle.length).toBeGreaterThan(10);
    // The types of requests, answers and publishers are defined once. They are gone at run time.
    const typesOf = [
      "src/world/accounts/account.ts",
      "src/spec/assumptions/catalogue.ts",
      "src/spec/messages.ts",
    ];
    const shared = oracle.flatMap((file) =>
      importsOf(file)
        .filter((to) => !to.startsWith("test/oracle/"))
        .filter((to) => !typesOf.includes(to) || !onlyTypes(file, to))
        .map((to) => `${file.path} imports ${to}`),
    );
    expect(shared).toEqual([]);
    expect(places(oracle, /\bimport\(/)).toEqual([]);
    const packages = oracle.filter(({ text }) => /^(?:import|\}) (?:.*from )?"[^."]/m.test(text));
    expect(packages.map(({ path }) => path)).toEqual([]);
  });

  test("an entry only re-exports", () => {
    const statements = sources
      .filter(({ path }) => isEntry(path))
      .flatMap(({ path, code }) =>
        code
          .replaceAll(/export (?:type )?\{[^}]*\} from "";|export \* from "";/g, "")
          .split("\n")
          .filter((line) => line.trim() !== "")
          .map((line) => `${path}: ${line}`),
      );
    expect(statements).toEqual([]);
  });

  test("no import leaves src, and every imported file is there", () => {
    const lost = sources.flatMap((file) =>
      importsOf(file)
        .filter((to) => !to.startsWith("src/") || !existsSync(join(root, to)))
        .map((to) => `${file.path} imports ${to}`),
    );
    expect(lost).toEqual([]);
  });

  test("no folder is a drawer such as utils or common", () => {
    const drawers = everything.filter(({ path }) =>
      /\/(?:utils?|helpers?|common|types|misc|lib)\//.test(path),
    );
    expect(drawers.map(({ path }) => path)).toEqual([]);
  });
});

describe("banned calls", () => {
  // The inspector's page is a program of its own, in a browser. What bundles it reads files.
  const outside = (path: string): boolean =>
    /^src\/(?:adapters\/|cli\/|inspector\/(?:page\/|assets)|play\/targets\/)/.test(path);
  const inside = (path: string): boolean => !outside(path);
  // Clients wait, and their tests and some control requests do. None of them reads the machine's own time elsewhere.
  const waits = (path: string): boolean =>
    /^src\/(?:client\/|testing\/|control\/|play\/|inspector\/trace\.ts)/.test(path);
  const machine = (path: string): boolean =>
    /^src\/(?:client\/platform\.ts|testing\/(?:time|driver|machine)\b)/.test(path);

  test.each([
    ["ambient randomness", /Math\.random|\bcrypto\b|randomUUID|getRandomValues/],
    ["ambient time", /Date\.now|new Date\(\)|performance\.now|hrtime/],
    ["timers", /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/],
    ["the locale", /toLocale\w*|\bIntl\b|localeCompare/],
    ["the environment", /\bprocess\b/],
  ])(
    "%s: only in adapters, cli, play/targets, and the files of client and testing that stand for the machine",
    (_, pattern) => {
      const mayNot = (path: string): boolean => inside(path) && !machine(path);
      expect(places(sources, pattern, mayNot)).toEqual([]);
    },
  );

  test("what Node 20 lacks: nowhere", () => {
    expect(places(sources, /\b(?:Map|Object)\.groupBy\b|Promise\.(?:try|withResolvers)/)).toEqual(
      [],
    );
  });

  test("async and await: only in adapters, cli, play, client, testing and control", () => {
    const mayNot = (path: string): boolean => inside(path) && !waits(path);
    expect(places(sources, /\bawait\b|\basync\b/, mayNot)).toEqual([]);
  });

  test("promises: only there, in journal/journal.ts and in simulator/worlds.ts", () => {
    const isBelow = (path: string): boolean =>
      inside(path) &&
      !waits(path) &&
      !/^src\/(?:journal\/journal|simulator\/worlds)\.ts$/.test(path);
    expect(places(sources, /\bPromise\b/, isBelow)).toEqual([]);
  });

  test("the host's time zone is read nowhere", () => {
    const local =
      /\.(?:get|set)(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds)\(|getTimezoneOffset/;
    expect(places(sources, local)).toEqual([]);
  });

  test("math functions whose last bit depends on the engine: nowhere", () => {
    const inexact =
      /Math\.(?:log|exp|pow|sin|cos|tan|sqrt|cbrt|hypot|atan|asin|acos|sinh|cosh|tanh)|\*\*/;
    expect(places(sources, inexact)).toEqual([]);
  });

  test("the process of a command: in cli only in main.ts, and process.exit only in cli", () => {
    const others = (path: string): boolean =>
      path.startsWith("src/cli/") && path !== "src/cli/main.ts";
    const own = /\bprocess\.(?!features|version|once)/;
    expect(places(sources, own, others)).toEqual([]);
    expect(places(sources, /process\.exit\(/, (path) => !path.startsWith("src/cli/"))).toEqual([]);
  });

  test("faker: only in publishers/people.ts", () => {
    const users = sources.filter(({ text }) => text.includes('"@faker-js/'));
    expect(users.map(({ path }) => path)).toEqual(["src/world/publishers/people.ts"]);
  });
});

describe("types", () => {
  test("there is no any, no non-null assertion, and no hidden compiler error", () => {
    expect(places(everything, /:\s*any\b|\bas any\b|<any\b|\bany\[\]/)).toEqual([]);
    expect(places(everything, /[\w)\]]!(?:[.;,)\]]|\[)/)).toEqual([]);
    const hidden = sources.filter(({ text }) => /@ts-(?:ignore|expect-error|nocheck)/.test(text));
    expect(hidden.map(({ path }) => path)).toEqual([]);
  });

  test("all type syntax can be erased", () => {
    const kept =
      /^\s*(?:export )?(?:const )?enum |^\s*(?:export )?namespace |constructor\((?:.*,)?\s*(?:private|public|readonly) /;
    expect(places(everything, kept)).toEqual([]);
  });

  test("nothing is exported by default", () => {
    const own = (path: string): boolean => !path.endsWith(".d.ts");
    expect(places(sources, /export default/, own)).toEqual([]);
  });
});

describe("sizes", () => {
  test(`no file of src has more than ${MAX_LINES} lines, save for those with a reason`, () => {
    const long = sources
      .filter(({ text }) => text.split("\n").length - 1 > MAX_LINES)
      .map(({ path }) => path);
    expect(long.filter((path) => longFiles[path] === undefined)).toEqual([]);
    expect(Object.keys(longFiles).filter((path) => !long.includes(path))).toEqual([]);
  });

  test(`no function of src has more than ${MAX_FUNCTION_LINES} lines`, () => {
    // A function that only makes closures is as long as they are together; each of them is measured.
    const long = sources.flatMap(({ path, code }) =>
      functionsIn(code)
        .filter(({ lines, makesClosures }) => lines > MAX_FUNCTION_LINES && !makesClosures)
        .map(({ name, lines }) => `${path} ${name}: ${lines} lines`),
    );
    expect(long).toEqual([]);
  });

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
    [7500, /^test\/(?:base|spec|world|faults|journal|exchange|simulator)\//],
    [8000, /^test\/(?:play|cli|scenarios)\//],
    [7000, /^test\/(?:server|adapters|control|inspector|client|vitest|browser)\//],
    [8500, /^test\/(?:audit|invariants|choices|assertions|testing)\//],
  ])("at most %i lines in %s", (most, folders) => {
    const own = written.filter(({ path }) => folders.test(path));
    const lines = own.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
    expect(lines).toBeGreaterThan(0);
    expect(lines).toBeLessThanOrEqual(most);
  });

  test("at most 350 files in src", () => {
    expect(written.filter(({ path }) => path.startsWith("src/")).length).toBeLessThanOrEqual(350);
  });

  test("the README has fewer than 180 lines", () => {
    const readme = join(root, "README.md");
    const lines = existsSync(readme) ? readFileSync(readme, "utf8").split("\n").length - 1 : 0;
    expect(lines).toBeLessThan(180);
  });
});

describe("leftovers", () => {
  test("every file of src opens with a comment", () => {
    const silent = sources.filter(
      ({ path, text }) => !isEntry(path) && !/^(?:#![^\n]*\n)?\/[/*]/.test(text),
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  test("no to-do marker is left", () => {
    const marker = new RegExp(["TO", "DO|FIX", "ME|X", "XX"].join(""));
    const open = everything.filter(
      ({ path, text }) => path !== "test/tidy.test.ts" && marker.test(text),
    );
    expect(open.map(({ path }) => path)).toEqual([]);
  });

  test("no test is marked as only or todo, and none is skipped except for a program that the machine lacks", () => {
    const tests = everything.filter(({ path }) => /\.(?:test|browser|pages)\.ts$/.test(path));
    expect(
      places(
        tests,
        /\b(?:test|describe|it)\.(?:skip|only|todo|runIf|fails|skipIf(?!\(!has(?:Curl|Python)\)))\b/,
      ),
    ).toEqual([]);
  });

  test("a function or constant that is exported is imported somewhere", () => {
    const dead = sources
      .filter(({ path }) => !isEntry(path) && !path.endsWith(".d.ts"))
      .flatMap(({ path, code }) =>
        exportsOf(code)
          .filter(
            (name) => !everything.some((other) => other.path !== path && uses(other, path, name)),
          )
          .map((name) => `${path}: ${name}`),
      );
    expect(dead).toEqual([]);
  });

  test("a type that is exported is named somewhere", () => {
    const dead = sources.flatMap(({ path, code }) =>
      Array.from(code.matchAll(/^export (?:interface|type) (\w+)/gm), ([, name = ""]) => name)
        .filter((name) => mentions(code, name) < 2)
        .filter(
          (name) =>
            !everything.some((other) => other.path !== path && mentions(other.code, name) > 0),
        )
        .map((name) => `${path}: ${name}`),
    );
    expect(dead).toEqual([]);
  });
});

function mentions(code: string, name: string): number {
  return code.split(new RegExp(`\\b${name}\\b`)).length - 1;
}

function exportsOf(code: string): string[] {
  const declared = code.matchAll(/^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm);
  return Array.from(declared, ([, name = ""]) => name);
}

interface Clause {
  /** The file that it names, as a path from the root. */
  readonly to: string;
  readonly names: string;
}

const clauses = new Map<SourceFile, readonly Clause[]>();

/** What a file imports and re-exports. Found out once: every export is looked for in every file. */
function clausesOf(file: SourceFile): readonly Clause[] {
  const known = clauses.get(file);
  if (known !== undefined) return known;
  const found = file.text.matchAll(
    /\b(?:import|export)\s+(?:type\s+)?([^;"]*?)\s*from\s*"(\.[^"]+)"/g,
  );
  const made = Array.from(found, ([, names = "", to = ""]): Clause => {
    return { to: posix.join(dirname(file.path), to), names };
  });
  clauses.set(file, made);
  return made;
}

/** Whether a file imports or re-exports the name from that path, at once or when needed. */
function uses(file: SourceFile, path: string, name: string): boolean {
  const here = clausesOf(file).filter(({ to }) => to === path);
  const named = new RegExp(`\\b${name}\\b`);
  if (here.some(({ names }) => names.startsWith("*") || named.test(names))) return true;
  const isLater = /\bimport\(/.test(file.text) && importsOf(file).includes(path);
  return isLater && named.test(file.code);
}

interface FunctionText {
  readonly name: string;
  readonly lines: number;
  readonly makesClosures: boolean;
}

/** Functions by their indentation, which the formatter fixes: from the head to the line that closes it. */
function functionsIn(code: string): FunctionText[] {
  const lines = code.split("\n");
  return lines.flatMap((line, index) => {
    const head =
      /^(\s*)(?:export )?(?:async )?function\*? (\w+)|^(\s*)(?:async |static |get )*(#?\w+)\([^;]*\{$/.exec(
        line,
      );
    if (head === null || /^\s*(?:if|for|while|switch|catch)\b/.test(line)) return [];
    const indent = head[1] ?? head[3] ?? "";
    const length = lines.slice(index + 1).findIndex((one) => one.startsWith(`${indent}}`)) + 2;
    const body = lines.slice(index + 1, index + length);
    const inner = new RegExp(
      `^${indent}  (?:function\\*? |return \\{|return (?:async )?(?:function|\\()|const \\w+ = \\()`,
    );
    return [
      {
        name: head[2] ?? head[4] ?? "",
        lines: length,
        makesClosures: body.some((one) => inner.test(one)),
      },
    ];
  });
}
