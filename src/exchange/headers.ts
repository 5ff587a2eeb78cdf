/** Reads header fields, whose names are case-insensitive. */

/** The value of the header with this lower-case name. */
export function headerOf(
  headers: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  const exact = headers[name];
  if (exact !== undefined) return exact;
  for (const sent in headers) {
    if (sent.length !== name.length || sent.toLowerCase() !== name) continue;
    // A caller without types may send undefined, which means that the header is missing.
    if (headers[sent] !== undefined) return headers[sent];
  }
  return undefined;
}
