/** A test as any runner takes it: what it is called with, and how it is skipped while it runs, differs among them. */

import type { It } from "./contract-options.ts";

/** Tells the runner that the test is skipped, and why. May throw what the runner goes by. @returns whether it could. */
export type Skip = (why: string) => boolean;

/** Without parameters: runners go by their number, and by how they are written. */
export function runnerTest(
  test: (skip: Skip) => Promise<void>,
  timeoutMs: number,
): () => Promise<void> {
  return async function (this: unknown): Promise<void> {
    // biome-ignore lint/complexity/noArguments: a parameter would ask Jest and mocha for a callback.
    const [context] = arguments as unknown as readonly unknown[];
    // Mocha's way to say how long it takes.
    call(this, "timeout", timeoutMs);
    // vitest and node:test give it to the test, mocha has it as this.
    await test((why) => call(context, "skip", why) || call(this, "skip", why));
  };
}

/** @returns whether there is such a method. */
function call(on: unknown, name: string, given: unknown): boolean {
  // The context of vitest is a function with methods.
  if ((typeof on !== "object" && typeof on !== "function") || on === null) return false;
  const method: unknown = Reflect.get(on, name);
  if (typeof method !== "function") return false;
  method.call(on, given);
  return true;
}

/** A test that is known not to be tried. Its name says why. */
export function skipTest(it: It, name: string): void {
  const nothing = async (): Promise<void> => undefined;
  if (typeof it.skip === "function") it.skip(name, nothing);
  else it(name, nothing);
}
