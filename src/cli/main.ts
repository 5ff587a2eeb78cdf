#!/usr/bin/env node
/** Entry of the command line. Holds nothing that an old Node can't parse, and loads the rest only on a Node that can. */

import module from "node:module";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major > 20 || (major === 20 && minor >= 19)) {
  // Node 22.8 and later keep what they compiled, in the folder for temporary files: the next start is a tenth faster.
  module.enableCompileCache?.();
  // Stays if Node has nothing left to do before the command has ended: a module's top-level await that never ends.
  process.exitCode = 3;
  import("./program.ts").then(async ({ run }) => {
    process.exitCode = await run(process.argv.slice(2), process);
  });
} else {
  process.stderr.write(
    `adsim needs Node 20.19 or newer, and this is ${process.version}. Install a newer one, then try again.\n`,
  );
  process.exitCode = 3;
}
