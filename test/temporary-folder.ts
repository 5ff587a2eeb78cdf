/** A folder of a test's own, removed when the test is over. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** @returns its path. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "adsim-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The path of a file in such a folder. Anything but a string is written as JSON. */
export function fileOf(content: unknown, name = "file.json"): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}
