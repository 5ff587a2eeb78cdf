/** What a browser loads of a program that uses `createSimulator` from the package, before the program begins. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import type { Project } from "./project.ts";

/** @throws Error for a bundle above what README promises. */
export async function expectSmallBundle({ path, write }: Project): Promise<void> {
  const readme = await readFile(join(import.meta.dirname, "../../README.md"), "utf8");
  const [, most = 0, mostGzipped = 0] =
    /most (\d+) kB, (\d+) kB gzipped/.exec(readme)?.map(Number) ?? [];
  await write({ "page.js": 'export { createSimulator } from "adsim";\n' });
  const build = await rolldown({
    input: join(path, "page.js"),
    platform: "browser",
    logLevel: "silent",
  });
  const { output } = await build.generate({ minify: true });
  await build.close();
  // A trace's page is loaded when it is asked for.
  const first = output.flatMap((file) =>
    file.type === "chunk" && !file.isDynamicEntry ? [file.code] : [],
  );
  const bytes = (parts: readonly { readonly length: number }[]): number =>
    parts.reduce((sum, { length }) => sum + length, 0);
  const [own, gzipped] = [bytes(first), bytes(first.map((code) => gzipSync(code)))];
  if (own > most * 1000 || gzipped > mostGzipped * 1000) {
    const promised = `README promises ${most} kB, ${mostGzipped} kB gzipped`;
    throw new Error(`${promised}; it is ${own} bytes, ${gzipped} gzipped.`);
  }
}
