/** Guards for programmer errors. Expected failures are values; what throws here is a bug. */

/** Ends an exhaustive `switch`: a new variant that is not handled fails to compile here. */
export function unreachable(value: never): never {
  throw new Error(`Unreachable: ${JSON.stringify(value)}. This is a bug in adsim.`);
}

/** Throws unless `condition` holds; `message` says which rule of ours was broken. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`${message} This is a bug in adsim.`);
}
