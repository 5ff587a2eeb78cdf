/** Projects in a temporary folder that use the packed package. */

import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

export interface Project {
  readonly path: string;
  /** Text by the name of its file. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Runs lines of a shell, as the pages give them. @returns what they printed. @throws Error with it when one fails. */
  shell(lines: string): Promise<string>;
  /** Runs the node binary that the project is for. */
  node(...args: readonly string[]): Promise<string>;
}

/** Gives a folder that is removed afterwards. */
export async function inFolder(work: (folder: string) => Promise<unknown>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "adsim-package-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Packs the package as npm would publish it, unless `ADSIM_TARBALL` names one that is packed already.
 *
 * @returns the path of the tarball.
 */
export async function pack(folder: string): Promise<string> {
  if (process.env.ADSIM_TARBALL !== undefined) return process.env.ADSIM_TARBALL;
  const cwd = join(import.meta.dirname, "../..");
  const options = ["--silent", "--pack-destination", folder];
  const { stdout } = await execute("npm", ["pack", ...options], { cwd });
  return join(folder, stdout.trim().split("\n").at(-1) ?? "");
}

/**
 * A new folder.
 *
 * @param binary The node of all that runs there.
 * @param tarball The package, which is copied into it, as the pages suppose.
 */
export async function newProject(
  folder: string,
  binary: string,
  tarball?: string,
): Promise<Project> {
  const path = await mkdtemp(join(folder, "project-"));
  if (tarball !== undefined) await copyFile(tarball, join(path, basename(tarball)));
  // Without NODE_OPTIONS, which could let Jest load ES modules.
  const { NODE_OPTIONS: _, ...given } = process.env;
  const npm = { npm_config_prefer_offline: "true", npm_config_audit: "false" };
  const PATH = `${dirname(binary)}:${process.env.PATH}`;
  const env = { ...given, ...npm, CI: "1", NO_COLOR: "1", PATH };
  const limits = { maxBuffer: 64 * 1024 * 1024, timeout: 600_000, killSignal: "SIGKILL" as const };
  const run = async (program: string, args: readonly string[]): Promise<string> =>
    (await execute(program, args, { cwd: path, env, ...limits })).stdout;
  return {
    path,
    shell: (lines) => run("sh", ["-e", "-c", lines]),
    node: (...args) => run(binary, args),
    async write(files) {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(path, name)), { recursive: true });
        await writeFile(join(path, name), text);
      }
    },
  };
}
