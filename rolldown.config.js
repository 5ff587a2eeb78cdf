/** Puts the command line into few files: loading some eighty modules one by one would be half of its start. */

export default {
  input: "src/cli/main.ts",
  platform: "node",
  // Dependencies stay packages of their own.
  external: /^[^./]/,
  output: { dir: "dist/cli", chunkFileNames: "[name].js" },
};
