/** Parts of Node that are taken as values, because `import` would do too much or too little. */

/** `import` would evaluate all exports, with undici among them: a fifth of the server's start. */
export const http: typeof import("node:http") = process.getBuiltinModule("node:http");

/** A function, because most servers don't need the module. */
export function crypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}

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
