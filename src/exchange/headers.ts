/** Reading header fields, whose names have no case. */

/** The value of the header with this lower-case name. */
export function headerOf(
  headers: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  const exact = headers[name];
  if (exact !== undefined) return exact;
  for (const sent in headers) {
    if (sent.length === name.length && sent.toLowerCase() === name) return headers[sent];
  }
  return undefined;
}
