/** `adsim/vitest/coverage`: a reporter for vitest that shows at the end which parts of the API the tests have reached. */

export { CoverageReporter as default } from "./adapters/vitest/coverage-reporter.ts";
