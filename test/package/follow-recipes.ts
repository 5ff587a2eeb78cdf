/**
 * Follows docs/reference/recipes.md and docs/reference/fake-timers.md with the packed package: each section that has commands in a
 * project of its own. Arguments name the sections; without any, it follows all. A script, since some install a few hundred packages.
 */

import { chromium } from "../chromium.ts";
import { binaryOf } from "../node-binaries.ts";
import { blocksOf, textOf } from "../page-blocks.ts";
import { check, endChecks } from "./checks.ts";
import { inFolder, newProject, pack } from "./project.ts";

const pages = ["docs/reference/recipes.md", "docs/reference/fake-timers.md"];

/** Those that have commands, by their names. */
const sections = new Map(
  pages
    .flatMap((page) => textOf(page).split(/^## /m).slice(1))
    .filter((text) => text.includes("```sh\n"))
    .map((text) => [text.slice(0, text.indexOf("\n")), text]),
);

/** @throws Error with what a command printed when it failed. */
async function follow(name: string, folder: string, tarball: string): Promise<void> {
  const text = sections.get(name);
  if (text === undefined) throw new Error(`There are: ${[...sections.keys()].join(", ")}`);
  const project = await newProject(folder, binaryOf("24.21.0"), tarball);
  for (const { language, text: content, file } of blocksOf(text)) {
    if (language === "sh") await project.shell(content);
    else if (file !== undefined) await project.write({ [file]: content });
    else throw new Error(`No file is named before: ${content}`);
  }
}

const asked = process.argv.slice(2);
// Recipes that open a browser find it by this.
if (chromium !== undefined) process.env.CHROMIUM = chromium;
await inFolder(async (folder) => {
  const tarball = await pack(folder);
  for (const name of asked.length > 0 ? asked : sections.keys()) {
    if (chromium === undefined && sections.get(name)?.includes("CHROMIUM"))
      console.log(`skipped ${name}: this machine lacks Chromium`);
    else await check(name, () => follow(name, folder, tarball));
  }
});
endChecks();
