/**
 * Node modules that are slow to import by name, because `import` evaluates all their exports, including undici and WebCrypto.
 * Getting them as values makes the server start a fifth faster.
 */

export const http: typeof import("node:http") = process.getBuiltinModule("node:http");

/** The real timers. Those of `globalThis` may be a test's fakes. */
export const timers: typeof import("node:timers") = process.getBuiltinModule("node:timers");

/** A function, because only a control token needs the module. */
export function crypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}
