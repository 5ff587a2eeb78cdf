/** Checks of a script: each prints how it ended, and the others go on when one fails. */

const startedMs = performance.now();
let passed = 0;
let failed = 0;

export async function check(name: string, body: () => Promise<unknown>): Promise<void> {
  const beganMs = performance.now();
  const took = (): string => `${((performance.now() - beganMs) / 1000).toFixed(1)} s`;
  try {
    await body();
    passed += 1;
    console.log(`ok      ${name} (${took()})`);
  } catch (error) {
    failed += 1;
    // Those of a process that failed.
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    console.log(`FAILED  ${name} (${took()})\n${error}\n${stdout}${stderr}`);
  }
}

/** Prints the sum, and has the process exit with 1 if a check failed. */
export function endChecks(): void {
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(`${passed} passed, ${failed} failed, in ${seconds} s`);
  if (failed > 0) process.exitCode = 1;
}
