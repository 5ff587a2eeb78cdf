/**
 * Follows docs/recipes.md and docs/fake-timers.md with the packed package: each section that has commands in a project of its own.
 * Arguments name the sections; without any, it follows all. A script, since some install a few hundred packages.
 */

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "../chromium.ts";
import { nodeBinaries } from "../node-binaries.ts";
import { blocksOf, emptyProject } from "./follow-page.ts";

const root = join(import.meta.dirname, "../..");
const pages = ["recipes.md", "fake-timers.md"];

interface Section {
  readonly name: string;
  readonly text: string;
}

/** Those that have commands. */
async function sections(): Promise<Section[]> {
  const texts = await Promise.all(pages.map((page) => readFile(join(root, "docs", page), "utf8")));
  const all = texts.flatMap((text) => text.split(/^## /m).slice(1));
  const named = all.map((text) => ({ name: text.slice(0, text.indexOf("\n")), text }));
  return named.filter(({ text }) => text.includes("```sh\n"));
}

interface Package {
  readonly folder: string;
  readonly tarball: string;
  /** The Node that the commands run under. */
  readonly binary: string;
}

/** @throws Error with what a command printed when it failed. */
async function follow({ text }: Section, { folder, tarball, binary }: Package): Promise<void> {
  const project = await emptyProject(folder, tarball, binary);
  for (const { language, text: content, file } of blocksOf(text)) {
    if (language !== "sh") {
      if (file === undefined) throw new Error(`No file is named before: ${content}`);
      await project.write(file, content);
      continue;
    }
    const { failed, output } = await project.shell(content);
    if (failed) throw new Error(`${content}${output}`);
  }
}

async function pack(folder: string): Promise<Package> {
  const options = ["--silent", "--pack-destination", folder];
  const { stdout } = await promisify(execFile)("npm", ["pack", ...options], { cwd: root });
  const tarball = join(folder, stdout.trim().split("\n").at(-1) ?? "");
  const [, binary = process.execPath] = Object.entries(await nodeBinaries()).at(-2) ?? [];
  return { folder, tarball, binary };
}

const all = await sections();
const unknown = process.argv.slice(2).filter((name) => all.every((one) => one.name !== name));
if (unknown.length > 0) {
  throw new Error(`No section: ${unknown.join(", ")}. There are: ${all.map(({ name }) => name)}`);
}
// Recipes that open a browser find it by this.
process.env.CHROMIUM = chromium;
const folder = await mkdtemp(join(tmpdir(), "adsim-recipes-"));
let failures = 0;
try {
  const packed = await pack(folder);
  for (const section of all) {
    if (process.argv.length > 2 && !process.argv.includes(section.name)) continue;
    const startedMs = performance.now();
    const why = await follow(section, packed).then(
      () => undefined,
      (error: Error) => error.message,
    );
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    console.log(`${why === undefined ? "ok     " : "FAILED "} ${section.name} (${seconds} s)`);
    if (why === undefined) continue;
    failures += 1;
    console.log(why);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = failures > 0 ? 1 : 0;
