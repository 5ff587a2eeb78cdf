/** Reads header fields, whose names are case-insensitive. */

/** The value of the header with this lower-case name. */
export function headerOf(
  headers: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  // A caller without types may send undefined, which means that the header is missing, or a proxy that gives anything.
  const exact: unknown = headers[name];
  if (typeof exact === "string") return exact;
  for (const sent in headers) {
    if (sent.length !== name.length || sent.toLowerCase() !== name) continue;
    const value: unknown = headers[sent];
    if (typeof value === "string") return value;
  }
  return undefined;
}
