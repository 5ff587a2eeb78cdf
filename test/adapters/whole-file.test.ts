/** The command line writes all files through one writer: whole or not at all, through links, keeping the mode. */

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkWritable, writeWholeFile } from "../../src/adapters/files/whole-file.ts";
import { describeError } from "../../src/base/file-error.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

test("creates a file, then replaces it with the same mode, and returns which it did", async () => {
  const directory = temporaryFolder();
  const path = join(directory, "report.json");
  expect(await writeWholeFile(path, "one", 0o600)).toBe("made");
  expect(modeOf(path)).toBe(0o600);
  // More than most users' umask allows.
  chmodSync(path, 0o666);
  expect(await writeWholeFile(path, ["t", "w", "o"])).toBe("replaced");
  expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["two", 0o666]);
  expect(readdirSync(directory)).toEqual(["report.json"]);
});

test("follows a link and keeps it", async () => {
  const directory = temporaryFolder();
  const [target, link] = [join(directory, "report"), join(directory, "link")];
  writeFileSync(target, "old");
  symlinkSync("report", link);
  expect(await checkWritable(link)).toBe(target);
  await writeWholeFile(link, "new");
  expect(readFileSync(target, "utf8")).toBe("new");
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

test("leaves the old file and no other when the content ends half-way", async () => {
  const directory = temporaryFolder();
  const path = join(directory, "report");
  writeFileSync(path, "old");
  function* broken(): Generator<string> {
    yield "new";
    throw new Error("half-way");
  }
  await expect(writeWholeFile(path, broken())).rejects.toThrow("half-way");
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(directory)).toEqual(["report"]);
});

test("a path that can't be a file is refused, and nothing changes", async () => {
  const directory = temporaryFolder();
  mkdirSync(join(directory, "sub"));
  for (const [name, why] of [
    ["sub", "it is a folder"],
    ["none/report", "there is no such file or folder"],
  ] as const) {
    for (const act of [checkWritable, (path: string) => writeWholeFile(path, "x")]) {
      const error = await act(join(directory, name)).catch((reason: unknown) => reason);
      expect(describeError(error), name).toBe(why);
    }
  }
  expect(readdirSync(directory)).toEqual(["sub"]);
});
