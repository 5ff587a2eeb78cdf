/** Programs that some tests run and that a machine may lack: those tests are skipped then (see skipped-tests.ts). */

import { spawnSync } from "node:child_process";

const starts = (program: string): boolean =>
  spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;

export const hasCurl = starts("curl");
export const hasPython = starts("python3");
