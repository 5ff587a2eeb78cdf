/** Puts the command line into few files: loading some eighty modules one by one would be half of its start. */

export default {
  input: "src/cli/main.ts",
  platform: "node",
  // Dependencies stay packages of their own. The compiler's own library isn't one: what needed it would break.
  external: /^(?!@oxc-project\/)[^./]/,
  output: {
    dir: "dist/cli",
    chunkFileNames: "[name].js",
    codeSplitting: {
      groups: [
        // What help and errors need, and nothing else.
        {
          name: "program",
          test: /[\\/]src[\\/]cli[\\/]program\.ts$|rolldown[\\/]runtime/,
          priority: 2,
        },
        // All that a server starts with. Other commands share much of it, and would have it in a dozen files.
        {
          name: "server",
          test: /[\\/]src[\\/](adapters[\\/]node-http|cli[\\/](serve|chosen-assumptions))\.ts$/,
          priority: 1,
        },
      ],
    },
  },
};
