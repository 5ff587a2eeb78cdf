/** What a refusal may repeat of what was sent. A key in the wrong place is still a key: errors never echo one. */

/** A name from outside, fit to be repeated. Keys have digits among their letters, or begin as keys do. */
export function safeName(name: string): string {
  const printable = /^[A-Za-z_][A-Za-z_-]{0,39}\d{0,2}(\[\])?$/.test(name) && !/key_/i.test(name);
  return printable ? name : "(unprintable)";
}
