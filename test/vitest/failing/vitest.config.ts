import { defineConfig } from "vitest/config";

const config: ReturnType<typeof defineConfig> = defineConfig({
  test: { root: import.meta.dirname, include: ["fails.ts"], testTimeout: 60_000 },
});

export default config;
