/**
 * The folder of `adsim fixtures` when something else happens at the same time. At each step of the
 * file system the process may end, the disk may be full, or somebody else may put a file where a fixture is.
 */

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { checkFolder, writeFolder } from "../../src/cli/fixtures/write-folder.ts";
import { runsOf, someOf } from "../budget.ts";
import { temporaryFolder } from "../temporary-folder.ts";

type Step = (name: string, args: readonly unknown[]) => void | Promise<void>;

/** Called before every step of the file system. */
const disk = vi.hoisted(() => ({ before: undefined as Step | undefined }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<Record<string, unknown>>();
  const watched = Object.entries(real).map(([name, call]) => [
    name,
    typeof call === "function"
      ? async (...args: unknown[]) => {
          await disk.before?.(name, args);
          return call(...args);
        }
      : call,
  ]);
  return Object.fromEntries(watched);
});

beforeEach(() => {
  disk.before = undefined;
});

const textsOf = (version: string, ...more: string[]): Map<string, string> =>
  new Map(
    ["README.md", "a/x.json", "a/y.json", "b/z.json", ...more, "index.json"].map((path) => [
      path,
      // One is the same in all versions.
      `${path === "a/y.json" ? "same" : `${version} of ${path}`}\n${"line\n".repeat(50)}`,
    ]),
  );
const [first, second, third] = [textsOf("1", "c/old.json"), textsOf("2"), textsOf("3")];

/** A folder with the fixtures of an earlier run. */
async function usedFolder(): Promise<string> {
  const folder = temporaryFolder();
  await writeFolder(folder, first);
  return folder;
}

/** Its files except manifests, with their texts. */
function contentOf(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !/^\.adsim-[0-9a-f]{64}\.json$/.test(path));
  return new Map(entries.sort().map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

const sorted = (texts: ReadonlyMap<string, string>): Map<string, string> =>
  new Map(Array.from(texts).sort(([left], [right]) => (left < right ? -1 : 1)));

async function expectWhole(folder: string, texts: ReadonlyMap<string, string>): Promise<void> {
  disk.before = undefined;
  await checkFolder(folder);
  expect(await writeFolder(folder, texts)).toEqual([]);
  expect(contentOf(folder)).toEqual(sorted(texts));
  const manifests = readdirSync(folder).filter((name) => name.startsWith(".adsim-"));
  expect(manifests).toHaveLength(1);
}

let tried = 0;

/**
 * One in `every` of the steps that it takes to replace the fixtures of an earlier run: with each call the next ones. The middle
 * one of those that write a file is always among them.
 */
async function someSteps(every: number): Promise<Iterable<number>> {
  const folder = await usedFolder();
  const names: string[] = [];
  disk.before = (name) => {
    names.push(name);
  };
  await writeFolder(folder, second);
  disk.before = undefined;
  expect(names.length).toBeGreaterThan(50);
  tried += 1;
  const steps = names.map((name, index) => ({ name, step: index + 1 }));
  const writing = steps.filter(({ name }) => name === "writeFile");
  const some = someOf(steps.filter(({ step }) => (step + tried) % every === 0));
  return new Set(
    [...some, ...writing.slice(writing.length / 2).slice(0, 1)].map(({ step }) => step),
  );
}

class Ended extends Error {}

/** Does something at one step, and goes on as before. */
function atStep(wanted: number, act: () => void): void {
  let steps = 0;
  disk.before = () => {
    steps += 1;
    if (steps === wanted) act();
  };
}

describe("a process that ends at any step", () => {
  async function endAt(folder: string, wanted: number): Promise<void> {
    let steps = 0;
    disk.before = (name, args) => {
      steps += 1;
      // A torn write.
      if (steps === wanted && name === "writeFile") {
        writeFileSync(String(args[0]), String(args[1]).slice(0, wanted % 90), { flag: "wx" });
      }
      if (steps >= wanted) throw new Ended("it has ended");
    };
    // It succeeds if only tidying up was left.
    await writeFolder(folder, second).catch((error: Error) => {
      expect(error.message).toContain("can't be written: it has ended");
    });
  }

  test("leaves no index unless every file is there, and the same command completes the folder", async () => {
    for (const wanted of await someSteps(2)) {
      const folder = await usedFolder();
      await endAt(folder, wanted);
      const left = contentOf(folder);
      const index = left.get("index.json");
      for (const texts of [first, second]) {
        if (index !== texts.get("index.json")) continue;
        for (const [path, text] of texts) expect(left.get(path), `${wanted} ${path}`).toBe(text);
      }
      await expectWhole(folder, second);
    }
  });

  test("leaves a folder that a run with other options can replace", async () => {
    const unclear = new Set<string>();
    for (const wanted of await someSteps(2)) {
      const folder = await usedFolder();
      await endAt(folder, wanted);
      disk.before = undefined;
      await checkFolder(folder);
      // Half a file from options that this run doesn't know stays, and is reported.
      for (const path of await writeFolder(folder, third)) {
        expect(path).toMatch(/^\.adsim-[0-9a-f-]{36}\.tmp$/);
        unclear.add(readFileSync(join(folder, path), "utf8").slice(0, 20));
        rmSync(join(folder, path));
      }
      await expectWhole(folder, third);
    }
    expect(unclear.size).toBeGreaterThan(0);
  });
});

describe("a foreign entry that appears at any step stays", () => {
  const kinds: Readonly<Record<string, (path: string, outside: string) => void>> = {
    file(path) {
      writeFileSync(`${path}.new`, "mine");
      if (existsSync(path) && lstatSync(path).isDirectory()) rmSync(path, { recursive: true });
      renameSync(`${path}.new`, path);
    },
    link(path, outside) {
      rmSync(path, { recursive: true, force: true });
      symlinkSync(outside, path);
    },
    folder(path) {
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path);
      writeFileSync(join(path, "inside"), "mine");
    },
  };

  test.each(
    Object.keys(kinds).flatMap((kind) =>
      ["index.json", "a/x.json", "c/old.json", "mine"].map((path) => [kind, path] as const),
    ),
  )("a %s at %s", async (kind, path) => {
    let refused = 0;
    for (const wanted of await someSteps(7)) {
      const folder = await usedFolder();
      const outside = join(temporaryFolder(), "outside");
      writeFileSync(outside, "mine");
      const place = join(folder, path);
      atStep(wanted, () => {
        mkdirSync(dirname(place), { recursive: true });
        kinds[kind]?.(place, outside);
      });
      await writeFolder(folder, second).catch((error: Error) => {
        refused += 1;
        expect(error.message).toContain(`--out ${folder}: can't be `);
      });
      expect(readFileSync(kind === "folder" ? join(place, "inside") : place, "utf8")).toBe("mine");
      expect(lstatSync(place).isSymbolicLink()).toBe(kind === "link");
      expect(readFileSync(outside, "utf8")).toBe("mine");
    }
    // Nothing is written to these two.
    if (path === "mine" || path === "c/old.json") expect(refused).toBe(0);
    else expect(refused).toBeGreaterThan(0);
  });

  test("a link in place of one of our folders: the files behind it aren't touched", async () => {
    for (const wanted of await someSteps(7)) {
      const folder = await usedFolder();
      const other = await usedFolder();
      const before = contentOf(other);
      atStep(wanted, () => {
        rmSync(join(folder, "a"), { recursive: true, force: true });
        symlinkSync(join(other, "a"), join(folder, "a"));
      });
      await writeFolder(folder, second).catch(() => undefined);
      const after = contentOf(other);
      for (const [path, text] of before) expect(after.get(path), `${wanted} ${path}`).toBe(text);
    }
  });
});

test("a full disk at any write leaves the folder as it was, whether new or used", async () => {
  const full = Object.assign(new Error("full"), { code: "ENOSPC" });
  let failed = 0;
  for (let wanted = 1; wanted <= second.size + 2; wanted += 1) {
    for (const folder of [join(temporaryFolder(), "new", "one"), await usedFolder()]) {
      const before = existsSync(folder) ? contentOf(folder) : undefined;
      let writes = 0;
      disk.before = (name) => {
        if (name === "writeFile") writes += 1;
        if (name === "writeFile" && writes >= wanted) throw full;
      };
      const error = await writeFolder(folder, second).then(
        () => undefined,
        (reason: Error) => reason,
      );
      disk.before = undefined;
      if (error === undefined) continue;
      failed += 1;
      expect(error.message).toContain("the disk is full");
      expect(existsSync(folder) ? contentOf(folder) : undefined).toEqual(before);
      expect(existsSync(dirname(folder))).toBe(before !== undefined);
    }
  }
  expect(failed).toBeGreaterThan(8);
});

describe("two runs at once", () => {
  /** Lets the runs take turns, in an order that follows from a number. */
  function takeTurns(order: number): void {
    let state = order;
    disk.before = async () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      for (let turns = (state >>> 16) % 4; turns > 0; turns -= 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
  }

  test("with the same options both succeed", async () => {
    for (let order = 0; order < runsOf(20, 5); order += 1) {
      const folder = await usedFolder();
      takeTurns(order);
      await Promise.all([writeFolder(folder, second), writeFolder(folder, second)]);
      expect(contentOf(folder)).toEqual(sorted(second));
      await expectWhole(folder, second);
    }
  });

  test("a file that one has moved away, and the other has removed by then, isn't missed", async () => {
    const folder = await usedFolder();
    let moved = "";
    let removed = 0;
    disk.before = (name, args) => {
      if (name === "rename") moved = String(args[1]);
      else if (moved !== "" && String(args[0]) === moved) {
        rmSync(moved);
        moved = "";
        removed += 1;
      }
    };
    await writeFolder(folder, second);
    expect(removed).toBeGreaterThan(0);
    disk.before = undefined;
    await expectWhole(folder, second);
  });

  test("with different options never leave an index over mixed files, and the folder can be replaced", async () => {
    for (let order = 0; order < runsOf(20, 5); order += 1) {
      const folder = await usedFolder();
      takeTurns(order);
      await Promise.allSettled([writeFolder(folder, second), writeFolder(folder, third)]);
      const left = contentOf(folder);
      for (const texts of [second, third]) {
        if (left.get("index.json") !== texts.get("index.json")) continue;
        for (const [path, text] of texts) expect(left.get(path), `${order} ${path}`).toBe(text);
      }
      await expectWhole(folder, first);
    }
  });
});

test.each<[string, (folder: string) => void, string]>([
  ["a changed fixture", (folder) => writeFileSync(join(folder, "a/x.json"), "mine"), "a/x.json"],
  [
    "an index of the user's that names files",
    (folder) => {
      writeFileSync(join(folder, "mine.json"), "mine");
      const files = [{ file: "mine.json" }, { file: "../mine.json" }];
      writeFileSync(join(folder, "index.json"), JSON.stringify({ adsim: "1", files }));
    },
    "index.json",
  ],
  [
    "a manifest of the user's that names files",
    (folder) => {
      writeFileSync(join(folder, "mine.json"), "mine");
      const written = { "mine.json": "0".repeat(64) };
      writeFileSync(join(folder, `.adsim-${"0".repeat(64)}.json`), JSON.stringify({ written }));
    },
    `.adsim-${"0".repeat(64)}.json`,
  ],
  [
    "a fixture under another name",
    (folder) => {
      renameSync(join(folder, "a/x.json"), join(folder, "A.json"));
    },
    "A.json",
  ],
  [
    "a fixture whose name differs in case",
    (folder) => {
      renameSync(join(folder, "README.md"), join(folder, "readme.md"));
    },
    "readme.md",
  ],
  [
    "a file like a temporary one",
    (folder) => {
      writeFileSync(join(folder, ".adsim-1.tmp"), "mine");
    },
    ".adsim-1.tmp",
  ],
])("a folder with %s is refused, and stays as it is", async (_, change, named) => {
  const folder = await usedFolder();
  change(folder);
  const before = contentOf(folder);
  await expect(checkFolder(folder)).rejects.toThrow(`has ${JSON.stringify(named)}`);
  expect(contentOf(folder)).toEqual(before);
});

test("a link to a folder is resolved once, and may point elsewhere later", async () => {
  const folder = temporaryFolder();
  const [real, link] = [join(folder, "real"), join(folder, "link")];
  mkdirSync(real);
  symlinkSync(real, link);
  await writeFolder(link, first);
  const elsewhere = temporaryFolder();
  writeFileSync(join(elsewhere, "index.json"), "mine");
  atStep(10, () => {
    rmSync(link);
    symlinkSync(elsewhere, link);
  });
  await writeFolder(link, second);
  expect(contentOf(real)).toEqual(sorted(second));
  expect(contentOf(elsewhere)).toEqual(new Map([["index.json", "mine"]]));
});
