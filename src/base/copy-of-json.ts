/** Copies plain data. Many times faster than `structuredClone` if the data is small. */

/** `value`: JSON, so records, lists, texts, numbers. */
export function copyOfJson<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  // A list of the same kind.
  if (Array.isArray(value)) return value.map(copyOfJson) as Value;
  const copy = { ...value };
  for (const name in copy) copy[name] = copyOfJson(copy[name]);
  return copy;
}
