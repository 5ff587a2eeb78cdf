/** For a run of vitest inside of another. */

const config: object = {
  test: { include: ["test/testing/contract/runners/vitest.ts"], maxWorkers: 1 },
};
export default config;
