/** Puts the command line into few files: loading some eighty modules one by one would be half of its start. */

import { dirname, join } from "node:path";
import { licencesOf } from "./licences.ts";

/**
 * The packages that go in as well. The server needs a seventh of valibot. Help needs leven, to say what was meant. Of
 * csv-parse `record` needs a twentieth.
 */
const copied = ["csv-parse", "leven", "valibot"];

const licences = {
  name: "licences",
  generateBundle() {
    this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: licencesOf(copied) });
  },
};

/** These modules are bundled from sources of their own, or written as data. In the package they stand in the folders beside this one. */
const written = [
  "adapters/shipped-scenarios",
  "inspector/assets",
  "world/publishers/people",
  "play/scenario/json-schema",
];

const beside = {
  name: "beside",
  resolveId: {
    filter: { id: /\/(?:assets|people|json-schema|shipped-scenarios)\.ts$/ },
    handler(id, importer = "") {
      const path = join(dirname(importer), id).replaceAll("\\", "/");
      const found = written.find((module) => path.endsWith(`/src/${module}.ts`));
      return found && { id: `../${found}.js`, external: true };
    },
  },
};

export default {
  input: "src/cli/main.ts",
  platform: "node",
  plugins: [beside, licences],
  // Other dependencies stay packages of their own. The compiler's own library isn't one: what needed it would break.
  external: new RegExp(`^(?!@oxc-project/|(?:${copied.join("|")})(?:/|$))[^./]`),
  output: {
    dir: "dist/cli",
    // A seventh of the text to read. Names and lines stay, for what a bug prints.
    comments: false,
    chunkFileNames: "[name].js",
    codeSplitting: {
      groups: [
        // What help and errors need, and nothing else.
        { name: "program", test: /[\\/]src[\\/]cli[\\/]program\.ts$/, priority: 2 },
        // All that a server starts with. Other commands share much of it, and would have it in a dozen files.
        {
          name: "server",
          test: /[\\/]src[\\/](adapters[\\/]server[\\/]server|cli[\\/](serve|options[\\/]assumption-flags))\.ts$/,
          priority: 1,
        },
      ],
    },
  },
};
