/** Environment variables. Browsers have none. */

/** Undefined if the variable is missing or empty. */
export function environmentValue(name: string): string | undefined {
  const value = typeof process === "undefined" ? undefined : process.env?.[name];
  return value === "" ? undefined : value;
}
