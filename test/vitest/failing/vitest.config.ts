import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["fails.ts"],
    testTimeout: 60_000,
    // Node loads our sources faster than Vite transforms them.
    server: { deps: { external: [/\/src\//] } },
  },
});
