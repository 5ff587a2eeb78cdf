/** A folder of a test's own, removed when the test is over. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** @returns its path. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "adsim-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
