/** For a run of vitest inside of another. */

const config: object = {
  test: {
    include: ["test/testing/contract/runners/contract.ts"],
    maxWorkers: 1,
    // Node loads our sources faster than Vite transforms them.
    server: { deps: { external: [/\/src\//] } },
  },
};
export default config;
