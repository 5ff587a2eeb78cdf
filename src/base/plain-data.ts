/** Copies plain data, whole or without the members that have no value. */

/** `value`: JSON, so records, lists, texts, numbers. */
export function copyOfJson<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  // A list of the same kind.
  if (Array.isArray(value)) return value.map(copyOfJson) as Value;
  const copy = { ...value };
  for (const name in copy) copy[name] = copyOfJson(copy[name]);
  return copy;
}

type Given<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** The members that aren't undefined. */
export function given<Members extends object>(members: Members): Given<Members> {
  const all = Object.entries(members).filter(([, value]) => value !== undefined);
  // Only members without a value are missing.
  return Object.fromEntries(all) as Given<Members>;
}
