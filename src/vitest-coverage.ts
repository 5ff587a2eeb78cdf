/** `adsim/vitest/coverage`: a reporter for vitest that ends with what of the API the tests have reached. */

export { CoverageReporter as default } from "./adapters/vitest/coverage-reporter.ts";
