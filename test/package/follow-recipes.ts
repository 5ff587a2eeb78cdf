/**
 * Follows docs/reference/recipes.md and docs/reference/fake-timers.md with the packed package: each section that has commands in a project of its own.
 * Arguments name the sections; without any, it follows all. A script, since some install a few hundred packages.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "../chromium.ts";
import { blocksOf } from "../page-blocks.ts";
import { check, endChecks } from "./checks.ts";
import { inFolder, pack, pageProject } from "./project.ts";

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
  const project = await pageProject(folder, tarball);
  for (const { language, text: content, file } of blocksOf(text)) {
    if (language === "sh") await project.run("sh", "-e", "-c", content);
    else if (file !== undefined) await project.write({ [file]: content });
    else throw new Error(`No file is named before: ${content}`);
  }
}

const asked = process.argv.slice(2);
const all = await sections();
const unknown = asked.filter((name) => all.every((one) => one.name !== name));
if (unknown.length > 0) {
  throw new Error(`No section: ${unknown.join(", ")}. There are: ${all.map(({ name }) => name)}`);
}
// Recipes that open a browser find it by this.
if (chromium !== undefined) process.env.CHROMIUM = chromium;
await inFolder(async (folder) => {
  const tarball = await pack(folder);
  for (const section of all) {
    if (asked.length > 0 && !asked.includes(section.name)) continue;
    if (chromium === undefined && section.text.includes("CHROMIUM"))
      console.log(`skipped ${section.name}: this machine lacks Chromium`);
    else await check(section.name, () => follow(section, folder, tarball));
  }
});
endChecks();
