/**
 * Node's modules that are slow to import by name: an `import` of one evaluates all that it exports, which for these
 * loads undici and WebCrypto. Taken as values they spare a fifth of the time that the server needs to start.
 */

export const http: typeof import("node:http") = process.getBuiltinModule("node:http");

/** The machine's own: those of `globalThis` may be a test's fake ones. */
export const timers: typeof import("node:timers") = process.getBuiltinModule("node:timers");

/** Called on need: only a control token needs it. */
export function crypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}
