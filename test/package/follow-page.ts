/** Follows a page of docs/ in an empty project, word for word: its commands in their order, its files with their contents. */

import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Block {
  /** As the page gives it after the fence, such as `sh`. */
  readonly language: string;
  readonly text: string;
  /** The last file that is named before it. */
  readonly file: string | undefined;
}

export function blocksOf(text: string): Block[] {
  // Text and blocks take turns.
  const parts = text.split(/^```/m);
  return parts.flatMap((part, index) => {
    if (index % 2 === 0) return [];
    const [language = ""] = part.split("\n", 1);
    const names = (parts[index - 1] ?? "").matchAll(/`([\w./[\]-]+\.[cm]?[jt]sx?)`/g);
    const file = Array.from(names, ([, name]) => name).at(-1);
    return [{ language, text: part.slice(language.length + 1), file }];
  });
}

export interface Project {
  write(file: string, text: string): Promise<void>;
  /** Runs lines of a shell up to the first that fails. */
  shell(lines: string): Promise<{ readonly failed: boolean; readonly output: string }>;
}

/** An empty folder that has the package beside it, as the pages suppose. @param binary The Node that everything runs under. */
export async function emptyProject(
  folder: string,
  tarball: string,
  binary: string,
): Promise<Project> {
  const path = await mkdtemp(join(folder, "page-"));
  await copyFile(tarball, join(path, basename(tarball)));
  const settings = { CI: "1", NO_COLOR: "1", npm_config_prefer_offline: "true" };
  const PATH = `${dirname(binary)}:${process.env.PATH}`;
  const options = {
    cwd: path,
    env: { ...process.env, ...settings, PATH },
    maxBuffer: 64 * 1024 * 1024,
  };
  return {
    async write(file, text) {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await writeFile(join(path, file), text);
    },
    async shell(lines) {
      try {
        const { stdout, stderr } = await run("sh", ["-e", "-c", lines], options);
        return { failed: false, output: stdout + stderr };
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        return { failed: true, output: stdout + stderr };
      }
    },
  };
}
