import { defineConfig } from "vitest/config";

const config: ReturnType<typeof defineConfig> = defineConfig({
  test: { root: import.meta.dirname, include: ["fails.ts"] },
});

export default config;
