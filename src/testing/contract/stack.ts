/** Stack traces that point to the caller's code instead of the kit's. */

/** The stack frames from the caller of `called` on; empty if the engine can't tell. */
export function stackFrom(called: (...given: never[]) => unknown): string {
  const holder: { stack?: string } = {};
  if (!("captureStackTrace" in Error)) return "";
  Error.captureStackTrace(holder, called);
  const lines = holder.stack?.split("\n") ?? [];
  return lines.filter((line) => /^\s+at /.test(line)).join("\n");
}

/** The files of the frames, each once, without those of Node and of packages. A contract may be called by a helper of the test. */
export function filesIn(stack: string): readonly string[] {
  const files = Array.from(
    stack.matchAll(/^\s+at (?:.*\()?(.*?)(?::\d+)+\)?$/gm),
    ([, file = ""]) => file,
  );
  return [...new Set(files)].filter((file) => !/^node:|[\\/]node_modules[\\/]/.test(file));
}

/** Replaces the error's stack frames. */
export function withStack<Thrown extends Error>(error: Thrown, stack: string): Thrown {
  if (stack !== "") error.stack = `${error.name}: ${error.message}\n${stack}`;
  return error;
}
