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

test("creates a file, then replaces it with the same mode, through links too, and leaves no other", async () => {
  const directory = temporaryFolder();
  const [path, link] = [join(directory, "report.json"), join(directory, "link")];
  expect(await writeWholeFile(path, "one", 0o600)).toBe(false);
  expect(modeOf(path)).toBe(0o600);
  // More than most users' umask allows.
  chmodSync(path, 0o666);
  symlinkSync("report.json", link);
  expect(await writeWholeFile(link, "two")).toBe(true);
  expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["two", 0o666]);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readdirSync(directory)).toEqual(["link", "report.json"]);
});

test("a path that can't be a file is refused, and nothing changes", async () => {
  const directory = temporaryFolder();
  mkdirSync(join(directory, "sub"));
  writeFileSync(join(directory, "file"), "old");
  for (const [name, why] of [
    ["sub", "it is a folder"],
    ["none/report", "there is no such file or folder"],
    ["file/report", "a part of its path is not a folder"],
  ] as const) {
    for (const act of [checkWritable, (path: string) => writeWholeFile(path, "x")]) {
      const error = await act(join(directory, name)).catch((reason: unknown) => reason);
      expect(describeError(error), name).toBe(why);
    }
  }
  expect(readdirSync(directory)).toEqual(["file", "sub"]);
});
