/** Where an error is said to come from: not from within the kit, but from where it was asked for. */

/** The frames from the caller of this function on; empty where the engine doesn't tell. */
export function stackFrom(called: (...given: never[]) => unknown): string {
  const holder: { stack?: string } = {};
  if (!("captureStackTrace" in Error)) return "";
  Error.captureStackTrace(holder, called);
  const lines = holder.stack?.split("\n") ?? [];
  return lines.filter((line) => /^\s+at /.test(line)).join("\n");
}

/** The error, with these frames in place of its own. */
export function withStack<Thrown extends Error>(error: Thrown, stack: string): Thrown {
  if (stack !== "") error.stack = `${error.name}: ${error.message}\n${stack}`;
  return error;
}
