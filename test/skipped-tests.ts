/**
 * Says at the end how many tests of which files were skipped, and what this machine lacks for them. With ALL_TESTS=1, as in `.ci/run`, skipped
 * tests fail the run.
 */

import type { Reporter, TestModule, Vitest } from "vitest/node";
import { hasCurl, hasPython } from "./programs.ts";

const missing = [hasCurl ? "" : "curl", hasPython ? "" : "python3"].filter((name) => name !== "");

/** Whether only tests with certain names are asked for: all others are skipped for that. */
let isFiltered = false;

export const skippedTests: Reporter = {
  onInit(vitest: Vitest): void {
    isFiltered = vitest.config.testNamePattern !== undefined;
  },
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (isFiltered) return;
    const files = modules.flatMap((module) => {
      const { length } = [...module.children.allTests("skipped")];
      return length === 0 ? [] : [`  ${length} of ${module.relativeModuleId}`];
    });
    if (files.length === 0) return;
    const lacks = missing.length === 0 ? "" : ` This machine lacks ${missing.join(", ")}.`;
    console.warn([`Some tests were skipped.${lacks}`, ...files].join("\n"));
    if (process.env.ALL_TESTS === "1") process.exitCode = 1;
  },
};
