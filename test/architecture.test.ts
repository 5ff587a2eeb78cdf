/** ARCHITECTURE.md names files and folders that exist. (Its table of folders is what `tidy.test.ts` enforces.) */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");

/** `src/exchange/exchange.ts` is a path from the root; `read.ts` after it is a file in the same folder. */
function namedPaths(): string[] {
  const quoted = Array.from(page.matchAll(/`([\w./-]+)`/g), ([, path = ""]) => path);
  let folder = "";
  return quoted.flatMap((path) => {
    if (/^(?:src|test|docs|scenarios|build)\//.test(path)) {
      folder = path.endsWith("/") ? path : dirname(path);
      return [path];
    }
    return path.endsWith(".ts") ? [join(folder, path)] : [];
  });
}

test("every path that ARCHITECTURE.md names exists", () => {
  const paths = namedPaths();
  expect(paths.length).toBeGreaterThan(60);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
