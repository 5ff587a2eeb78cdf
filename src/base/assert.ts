/** Guards for programmer errors. Expected failures are values; what throws here is a bug. */

/** Throws unless `condition` holds; `message` says which rule of ours was broken. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`${message} This is a bug in adsim.`);
}
