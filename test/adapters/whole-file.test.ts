/** The command line writes all files through one writer: completely or not at all, through links, keeping the mode. */

import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  checkWritable,
  moveToFreeName,
  writeFileAtomically,
} from "../../src/adapters/files/atomic-file.ts";
import { describeError } from "../../src/base/file-error.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** The calls that must fail, by name, and their error codes. */
const failing = vi.hoisted(() => ({ codes: new Map<string, string>() }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const orFail =
    <Args extends unknown[], Result>(name: string, call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const code = failing.codes.get(name);
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      return call(...args);
    };
  const open = async (...args: Parameters<typeof real.open>): Promise<FileHandle> => {
    const file = await real.open(...args);
    file.writeFile = orFail("write", file.writeFile.bind(file)) as FileHandle["writeFile"];
    return file;
  };
  return {
    ...real,
    open: orFail("open", open),
    rename: orFail("rename", real.rename),
    link: orFail("link", real.link),
  };
});

beforeEach(() => failing.codes.clear());

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

describe("writing", () => {
  test("creates a file, then replaces it with the same mode, and returns which it did", async () => {
    const directory = temporaryFolder();
    const path = join(directory, "report.json");
    expect(await writeFileAtomically(path, "one", 0o600)).toBe("made");
    expect(modeOf(path)).toBe(0o600);
    // More than most users' umask allows.
    chmodSync(path, 0o2666);
    expect(await writeFileAtomically(path, ["t", "w", "o"])).toBe("replaced");
    expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["two", 0o2666]);
    expect(readdirSync(directory)).toEqual(["report.json"]);
  });

  test("follows links, even to a file that doesn't exist yet, and keeps the links", async () => {
    const directory = temporaryFolder();
    mkdirSync(join(directory, "deep"));
    const [target, link, second] = ["deep/report", "deep/link", "second"].map((name) =>
      join(directory, name),
    ) as [string, string, string];
    symlinkSync("report", link);
    symlinkSync("deep/link", second);
    for (const [text, written] of [
      ["one", "made"],
      ["two", "replaced"],
    ] as const) {
      expect(await checkWritable(second)).toBe(target);
      expect(await writeFileAtomically(second, text)).toBe(written);
      expect(readFileSync(target, "utf8")).toBe(text);
    }
    for (const path of [link, second]) expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readdirSync(join(directory, "deep")).sort()).toEqual(["link", "report"]);
  });

  test("leaves the old content under the file's other hard links", async () => {
    const directory = temporaryFolder();
    const [path, other] = [join(directory, "report"), join(directory, "other")];
    writeFileSync(path, "old");
    linkSync(path, other);
    await writeFileAtomically(path, "new");
    expect([readFileSync(path, "utf8"), readFileSync(other, "utf8")]).toEqual(["new", "old"]);
  });

  test("several times at once leaves one complete version", async () => {
    const directory = temporaryFolder();
    const path = join(directory, "report");
    const texts = ["a", "b", "c"].map((letter) => letter.repeat(100_000));
    await Promise.all(texts.map((text) => writeFileAtomically(path, text)));
    expect(texts).toContain(readFileSync(path, "utf8"));
    expect(readdirSync(directory)).toEqual(["report"]);
  });

  test.each([
    ["write", "ENOSPC", "the disk is full"],
    ["open", "ENOSPC", "the disk is full"],
    ["rename", "EIO", "EIO"],
  ])("leaves the old file and no other when %s fails with %s", async (call, code, why) => {
    const directory = temporaryFolder();
    const path = join(directory, "report");
    writeFileSync(path, "old");
    failing.codes.set(call, code);
    const error = await writeFileAtomically(path, "new").catch((reason: unknown) => reason);
    expect(describeError(error)).toBe(why);
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(directory)).toEqual(["report"]);
  });

  test.each([
    ["open", "EACCES"],
    ["open", "EROFS"],
    ["rename", "EBUSY"],
  ])("happens in place if no file can be put beside or over it (%s: %s)", async (call, code) => {
    const directory = temporaryFolder();
    const path = join(directory, "mounted");
    writeFileSync(path, "old and longer");
    failing.codes.set(call, code);
    await checkWritable(path);
    expect(await writeFileAtomically(path, "new")).toBe("replaced");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(readdirSync(directory)).toEqual(["mounted"]);
    await expect(writeFileAtomically(join(directory, "other"), "new")).rejects.toThrow(code);
  });

  test("is refused for a path that can't be a file, and nothing changes", async () => {
    const directory = temporaryFolder();
    mkdirSync(join(directory, "sub"));
    symlinkSync("sub", join(directory, "link-to-sub"));
    symlinkSync("circle", join(directory, "circle"));
    symlinkSync("nowhere/file", join(directory, "astray"));
    const socket = join(directory, "socket");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    onTestFinished(() => void server.close());
    const before = readdirSync(directory);
    for (const [name, why] of [
      ["sub", "it is a folder"],
      ["link-to-sub", "it is a folder"],
      ["circle", "its symbolic links form a loop"],
      ["astray", "there is no such file or folder"],
      ["socket", "it is not a regular file"],
      ["none/report", "there is no such file or folder"],
    ] as const) {
      for (const act of [checkWritable, (path: string) => writeFileAtomically(path, "x")]) {
        const error = await act(join(directory, name)).catch((reason: unknown) => reason);
        expect(describeError(error), name).toBe(why);
      }
    }
    expect(readdirSync(directory)).toEqual(before);
  });
});

describe("moving to a free name", () => {
  test.each([undefined, "EPERM"])(
    "works, and a name in use is left alone (link fails: %s)",
    async (code) => {
      const directory = temporaryFolder();
      const [from, to] = [join(directory, "from"), join(directory, "to")];
      writeFileSync(from, "new");
      if (code !== undefined) failing.codes.set("link", code);
      expect(await moveToFreeName(from, to)).toBe(true);
      writeFileSync(from, "newer");
      expect(await moveToFreeName(from, to)).toBe(false);
      expect([readFileSync(to, "utf8"), readFileSync(from, "utf8")]).toEqual(["new", "newer"]);
    },
  );
});
