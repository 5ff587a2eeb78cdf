/** Prints how many kB a browser loads of `createSimulator`, from the package in this folder, and fails if they are too many. */

import { rolldown } from "rolldown";

const MOST_KB = 300;

const build = await rolldown({ input: "page.js", platform: "browser", logLevel: "silent" });
const { output } = await build.generate({ minify: true });
await build.close();
// A trace's page is loaded when it is asked for.
const first = output.flatMap((file) =>
  file.type === "chunk" && !file.isDynamicEntry ? [file.code.length] : [],
);
const kb = first.reduce((sum, length) => sum + length, 0) / 1000;
console.log(`${kb} kB, ${MOST_KB} at most`);
if (kb > MOST_KB) process.exitCode = 1;
