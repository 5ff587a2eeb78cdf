/** The machine's environment, where there is one: browsers have none. */

/** Undefined without such a variable, and where it is empty. */
export function environmentValue(name: string): string | undefined {
  const value = typeof process === "undefined" ? undefined : process.env?.[name];
  return value === "" ? undefined : value;
}
