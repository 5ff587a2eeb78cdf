/** Guards against programmer errors. Expected failures are values; an error thrown here is a bug. */

/** Throws unless `condition` holds. `message` says which of our rules was broken. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`${message} This is a bug in adsim.`);
}
