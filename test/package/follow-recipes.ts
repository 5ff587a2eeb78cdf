/**
 * Follows docs/reference/recipes.md and docs/reference/fake-timers.md with the packed package: each section that has commands in a project of its own.
 * Arguments name the sections; without any, it follows all. A script, since some install a few hundred packages.
 */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "../chromium.ts";
import { blocksOf } from "../page-blocks.ts";
import { emptyProject, pack } from "./page-project.ts";

const docs = join(import.meta.dirname, "../../docs");
const pages = ["reference/recipes.md", "reference/fake-timers.md"];

interface Section {
  readonly name: string;
  readonly text: string;
}

/** Those that have commands. */
async function sections(): Promise<Section[]> {
  const texts = await Promise.all(pages.map((page) => readFile(join(docs, page), "utf8")));
  const all = texts.flatMap((text) => text.split(/^## /m).slice(1));
  const named = all.map((text) => ({ name: text.slice(0, text.indexOf("\n")), text }));
  return named.filter(({ text }) => text.includes("```sh\n"));
}

/** @throws Error with what a command printed when it failed. */
async function follow({ text }: Section, folder: string, tarball: string): Promise<void> {
  const project = await emptyProject(folder, tarball);
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

const all = await sections();
const unknown = process.argv.slice(2).filter((name) => all.every((one) => one.name !== name));
if (unknown.length > 0) {
  throw new Error(`No section: ${unknown.join(", ")}. There are: ${all.map(({ name }) => name)}`);
}
// Recipes that open a browser find it by this.
if (chromium !== undefined) process.env.CHROMIUM = chromium;
const folder = await mkdtemp(join(tmpdir(), "adsim-recipes-"));
let failures = 0;
try {
  const tarball = await pack(folder);
  for (const section of all) {
    if (process.argv.length > 2 && !process.argv.includes(section.name)) continue;
    if (chromium === undefined && section.text.includes("CHROMIUM")) {
      console.log(`skipped ${section.name}: this machine lacks Chromium`);
      continue;
    }
    const startedMs = performance.now();
    const why = await follow(section, folder, tarball).then(
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
