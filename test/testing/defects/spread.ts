/** Spreads the work of a script over several processes: each is the same script, and does its share. */

import { fork } from "node:child_process";
import { argv, env } from "node:process";

const share = env.SHARE_OF_WORK;

/**
 * Does the works, and tells the results in the order in which they come. A result has to be data.
 *
 * @returns whether this is the process that was started first, and all work is done.
 */
export async function spread<Work, Result>(
  works: readonly Work[],
  processes: number,
  act: (work: Work) => Promise<Result>,
  tell: (result: Result) => void,
): Promise<boolean> {
  if (share !== undefined) {
    const own = works.filter((_, at) => at % processes === Number(share));
    for (const work of own) process.send?.(await act(work));
    process.disconnect();
    return false;
  }
  const running = Array.from({ length: processes }, async (_, at) => {
    const child = fork(argv[1] ?? "", argv.slice(2), {
      env: { ...env, SHARE_OF_WORK: String(at) },
    });
    child.on("message", (result) => tell(result as Result));
    const code = await new Promise((resolve) => child.on("exit", resolve));
    if (code !== 0) throw new Error(`A process ended with ${code}.`);
  });
  await Promise.all(running);
  return true;
}
