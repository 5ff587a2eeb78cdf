/** Stack traces that point to the caller's code instead of the kit's. */

/** The stack frames from the caller of `called` on; empty if the engine can't tell. */
export function stackFrom(called: (...given: never[]) => unknown): string {
  const holder: { stack?: string } = {};
  if (!("captureStackTrace" in Error)) return "";
  Error.captureStackTrace(holder, called);
  const lines = holder.stack?.split("\n") ?? [];
  return lines.filter((line) => /^\s+at /.test(line)).join("\n");
}

/** The file of the first frame; empty if there is none. */
export function fileIn(stack: string): string {
  return /^\s+at (?:.*\()?(.*?)(?::\d+)+\)?$/m.exec(stack)?.[1] ?? "";
}

/** Replaces the error's stack frames. */
export function withStack<Thrown extends Error>(error: Thrown, stack: string): Thrown {
  if (stack !== "") error.stack = `${error.name}: ${error.message}\n${stack}`;
  return error;
}
