/**
 * Writes `dist/cjs`, the package as CommonJS, for Jest: its tests `require`, and Jest can't `require` ES modules as Node can. Made
 * from the finished ES modules in `dist`, after `data.ts`.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { writeTypes } from "./commonjs-types.ts";
import { licencesOf } from "./licences.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const folder = join(dist, "cjs");

/** The exports that have a CommonJS form in package.json, as file names. */
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = Object.values<{ readonly require?: { readonly default: string } }>(exports)
  .map(({ require }) => require?.default)
  .filter((file) => file !== undefined)
  .map((file) => file.replace("./dist/cjs/", "").replace(".cjs", ""));

/** Bundled into few files, which all entries share, so that an `InputError` of one is an `InputError` of all. */
async function writeModules(): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(dist, `${name}.js`)])),
    platform: "node",
    // leven is ES modules only.
    external: /^(?!leven$)[^./]/,
  });
  await build.write({
    dir: folder,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    comments: false,
    // Jest knows no `import()` in CommonJS.
    dynamicImportInCjs: false,
  });
  await build.close();
}

await writeModules();
writeFileSync(join(folder, "LICENSES.txt"), licencesOf(["leven", "@faker-js/faker"]));
await Promise.all(entries.map(writeTypes));
