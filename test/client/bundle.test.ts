/** The bundled client: small, fit for browsers, and without any code but its own. */

import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../../src");

/** About 5 kB are promised, whoever bundles: esbuild makes 4 % more of it than this bundler. */
const MAX_BYTES = 5200;

test("bundled for browsers it has about 5 kB gzipped, and imports nothing of Node, npm or the simulator", async () => {
  const bundle = await rolldown({ input: join(src, "client.ts"), platform: "browser" });
  const { output } = await bundle.generate({ minify: true });
  const [{ code, imports, moduleIds }, ...others] = output;
  expect(others).toEqual([]);
  expect(imports).toEqual([]);
  const foreign = (id: string): boolean => !/[\\/]src[\\/]client(?:\.ts$|[\\/])/.test(id);
  expect(moduleIds.filter(foreign)).toEqual([]);
  expect(moduleIds.length).toBeGreaterThan(8);
  expect(code).not.toMatch(/\bprocess\b|\bBuffer\b|\brequire\(|setImmediate/);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(MAX_BYTES);
});
