/** Projects in a temporary folder that use the packed package. */

import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { nodeBinaries } from "../node-binaries.ts";

const execute = promisify(execFile);

export interface Project {
  readonly path: string;
  /** Text by the name of its file. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** @returns what the program printed. @throws Error with it when the program fails. */
  run(program: string, ...args: readonly string[]): Promise<string>;
  /** The same with the node binary that the project is for. */
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

/** An empty folder. @param binary The node of all that runs there. */
export async function emptyProject(folder: string, binary: string): Promise<Project> {
  const path = await mkdtemp(join(folder, "project-"));
  // Without NODE_OPTIONS, which could let Jest load ES modules.
  const { NODE_OPTIONS: _, ...given } = process.env;
  const settings = { CI: "1", NO_COLOR: "1", npm_config_prefer_offline: "true" };
  const env = { ...given, ...settings, PATH: `${dirname(binary)}:${process.env.PATH}` };
  const limits = { maxBuffer: 64 * 1024 * 1024, timeout: 600_000, killSignal: "SIGKILL" as const };
  const run: Project["run"] = async (program, ...args) => {
    return (await execute(program, args, { cwd: path, env, ...limits })).stdout;
  };
  return {
    path,
    run,
    node: (...args) => run(binary, ...args),
    async write(files) {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(path, name)), { recursive: true });
        await writeFile(join(path, name), text);
      }
    },
  };
}

/** A folder that has the package in it, as the pages suppose, and the newest LTS of Node. */
export async function pageProject(folder: string, tarball: string): Promise<Project> {
  const binary = Object.values(nodeBinaries()).at(-2) ?? process.execPath;
  const project = await emptyProject(folder, binary);
  await copyFile(tarball, join(project.path, basename(tarball)));
  return project;
}

/** A project of CommonJS with these packages installed. */
export async function projectWith(
  folder: string,
  binary: string,
  packages: readonly string[],
): Promise<Project> {
  const project = await emptyProject(folder, binary);
  await project.write({ "package.json": '{ "private": true }' });
  await install(project, packages);
  return project;
}

/** By npm on this Node: it need not suit the oldest. */
export async function install({ path }: Project, packages: readonly string[] = []): Promise<void> {
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  await execute("npm", ["install", ...options, ...packages], { cwd: path });
}
