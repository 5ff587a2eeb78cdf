import { defineConfig } from "vitest/config";

const config: ReturnType<typeof defineConfig> = defineConfig({
  test: { root: import.meta.dirname, include: ["fixture.ts"] },
});

export default config;
