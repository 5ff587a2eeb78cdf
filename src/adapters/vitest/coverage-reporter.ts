/**
 * A reporter for vitest. The simulators of the tests write to a file what they were asked, and at the end the reporter shows
 * which parts of the API that reached.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Reporter } from "vitest/node";
import { REACHED, reachedIn } from "../../choices/reached.ts";
import { coverageOf, coverageText } from "../../play/fixtures/coverage.ts";
import { environmentValue } from "../environment.ts";

export class CoverageReporter implements Reporter {
  #file: string | undefined;

  /** Workers inherit the environment. Under `adsim exec` and `adsim matrix` the variable is theirs, and they report. */
  onInit(): void {
    if (environmentValue(REACHED) !== undefined) return;
    const folder = mkdtempSync(join(tmpdir(), "adsim-reached-"));
    this.#file = join(folder, "reached");
    writeFileSync(this.#file, "");
    process.env[REACHED] = this.#file;
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  }

  onTestRunEnd(): void {
    if (this.#file === undefined) return;
    const groups = coverageOf(reachedIn(readFileSync(this.#file, "utf8")));
    console.log(`\n${coverageText(groups)}`);
  }
}
