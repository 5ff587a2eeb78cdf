/** What a browser loads of a program that uses `createSimulator` from the package, before the program begins. */

import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import type { Project } from "./project.ts";

const MOST_KB = 300;
const MOST_GZIPPED_KB = 110;

export async function expectSmallBundle({ path, write }: Project): Promise<void> {
  await write({ "page.js": 'export { createSimulator } from "adsim";\n' });
  const input = join(path, "page.js");
  const build = await rolldown({ input, platform: "browser", logLevel: "silent" });
  const { output } = await build.generate({ minify: true });
  await build.close();
  // A trace's page is loaded when it is asked for.
  const first = output.flatMap((file) =>
    file.type === "chunk" && !file.isDynamicEntry ? [file.code] : [],
  );
  const kb = (parts: readonly { readonly length: number }[]): number =>
    parts.reduce((sum, { length }) => sum + length, 0) / 1000;
  const [own, gzipped] = [kb(first), kb(first.map((code) => gzipSync(code)))];
  if (own > MOST_KB || gzipped > MOST_GZIPPED_KB) {
    throw new Error(`It has ${own} kB, ${gzipped} kB gzipped.`);
  }
}
