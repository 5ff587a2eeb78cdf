/** Writes a script so that it can stand in a document. Its digest, which the document's policy names, is that of the result. */

export function inlined(script: string): string {
  // Escapes mean the same in strings, regular expressions and templates, where alone these can stand.
  return script.replaceAll(/<(?=\/script|!--)/gi, "\\x3c");
}
