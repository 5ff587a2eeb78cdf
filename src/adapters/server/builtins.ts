/**
 * Node modules that are slow to import by name, because `import` evaluates all their exports, including undici and WebCrypto.
 * Getting them as values makes the server start a fifth faster.
 */

export const http: typeof import("node:http") = process.getBuiltinModule("node:http");

const names = [
  "clearInterval",
  "clearTimeout",
  "setImmediate",
  "setInterval",
  "setTimeout",
] as const;

type MachineTimers = Pick<typeof import("node:timers"), (typeof names)[number]>;

/**
 * The machine's timers, for all that the server does of its own. The delays of fault rules use the timers of `globalThis`
 * instead, so that a test's fakes move them.
 */
export const timers: MachineTimers = machineTimers(process.getBuiltinModule("node:timers"));

/** sinon replaces the module's functions as well, and keeps each original at its fake's clock. */
function machineTimers(module: MachineTimers): MachineTimers {
  const entries = names.map((name) => {
    const { clock } = module[name] as { readonly clock?: Readonly<Record<string, unknown>> };
    return [name, clock?.[`_${name}`] ?? module[name]];
  });
  return Object.fromEntries(entries) as MachineTimers;
}

/** A function, because only a control token needs the module. */
export function crypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}

/** A function, because only a gzipped body needs the module. */
export function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}
