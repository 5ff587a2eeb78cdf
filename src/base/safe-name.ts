/** Decides which names from outside an error may repeat. Errors never echo an API key, even one sent in the wrong place. */

/** The name, unless it could be an API key: those have digits among their letters or contain `key_`. */
export function safeName(name: string): string {
  const printable = /^[A-Za-z_][A-Za-z_-]{0,39}\d{0,2}(\[\])?$/.test(name) && !/key_/i.test(name);
  return printable ? name : "(unprintable)";
}
