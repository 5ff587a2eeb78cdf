/** An empty project in which a script follows a page of docs/: the page's commands, and files with the page's contents. */

import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { nodeBinaries } from "../node-binaries.ts";

const run = promisify(execFile);

export interface Project {
  write(file: string, text: string): Promise<void>;
  /** Runs lines of a shell up to the first that fails. */
  shell(lines: string): Promise<{ readonly failed: boolean; readonly output: string }>;
}

/**
 * Packs the package as npm would publish it, unless `ADSIM_TARBALL` names one that is packed already.
 *
 * @returns the path of the tarball, in this folder if it is a new one.
 */
export async function pack(folder: string): Promise<string> {
  if (process.env.ADSIM_TARBALL !== undefined) return process.env.ADSIM_TARBALL;
  const cwd = join(import.meta.dirname, "../..");
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd });
  return join(folder, stdout.trim().split("\n").at(-1) ?? "");
}

/** An empty folder that has the package beside it, as the pages suppose. Everything in it runs on the newest LTS of Node. */
export async function emptyProject(folder: string, tarball: string): Promise<Project> {
  const [, binary = process.execPath] = Object.entries(await nodeBinaries()).at(-2) ?? [];
  const path = await mkdtemp(join(folder, "page-"));
  await copyFile(tarball, join(path, basename(tarball)));
  const settings = { CI: "1", NO_COLOR: "1", npm_config_prefer_offline: "true" };
  const PATH = `${dirname(binary)}:${process.env.PATH}`;
  const options = {
    cwd: path,
    env: { ...process.env, ...settings, PATH },
    maxBuffer: 64 * 1024 * 1024,
    timeout: 600_000,
    killSignal: "SIGKILL" as const,
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
