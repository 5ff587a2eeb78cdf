/** Copies of what a client gave: whatever the client does with the original, a copy stays as it was. */

/** An error keeps its name, message, cause and status. What can't be copied stays itself. */
export function copyOf(value: unknown): unknown {
  if (value instanceof Error) {
    const copy = new Error(value.message, { cause: value.cause });
    const status: unknown = Reflect.get(value, "status");
    return Object.assign(copy, { name: value.name, ...(status !== undefined && { status }) });
  }
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}

/** Whether the original isn't any more what it was when it was copied. */
export function isChanged(copy: unknown, original: unknown): boolean {
  try {
    return JSON.stringify(copy) !== JSON.stringify(original);
  } catch {
    // JSON has no bigints and no circular objects.
    return false;
  }
}
