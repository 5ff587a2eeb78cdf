/** What a browser loads of a program that uses `createSimulator` from the package, before the program begins. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

/** The most that README may promise, so that a larger figure there can't hide a larger bundle. */
const MAX_GZIPPED_KB = 120;

/** @param path A project that has the package. @throws Error for a bundle above what README promises. */
export async function checkBundleSize(path: string): Promise<void> {
  const readme = await readFile(join(import.meta.dirname, "../../README.md"), "utf8");
  const [, minifiedKb, gzippedKb] =
    /most (\d+) kB, (\d+) kB gzipped/.exec(readme)?.map(Number) ?? [];
  if (minifiedKb === undefined || gzippedKb === undefined || gzippedKb > MAX_GZIPPED_KB) {
    throw new Error(`README promises ${gzippedKb} kB gzipped.`);
  }
  const program = join(path, "program.js");
  await writeFile(program, 'export { createSimulator } from "adsim";\n');
  const build = await rolldown({ input: program, platform: "browser" });
  const { output } = await build.generate({ minify: true });
  await build.close();
  // A trace's page is loaded when it is asked for.
  const first = output.flatMap((file) =>
    file.type === "chunk" && !file.isDynamicEntry ? [file.code] : [],
  );
  const sizes = [first, first.map((code) => gzipSync(code))].map((parts) =>
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  const [minified = 0, gzipped = 0] = sizes;
  console.log(`        a browser loads ${minified} bytes, ${gzipped} gzipped`);
  if (minified > minifiedKb * 1000 || gzipped > gzippedKb * 1000) {
    throw new Error(`README promises ${minifiedKb} kB, ${gzippedKb} kB gzipped.`);
  }
}
