import { defineConfig } from "vitest/config";

const config: ReturnType<typeof defineConfig> = defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["fixture.ts"],
    // Node loads our sources faster than Vite transforms them.
    server: { deps: { external: [/\/src\//] } },
  },
});

export default config;
