/** Says why a text isn't JSON without repeating any of it: engines quote the text in their messages, and keys may be in it. */

/** `error`: what `JSON.parse` threw. The words follow "it ". */
export function describeJsonError(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  if (/end of JSON|unterminated|bad control character/i.test(message)) {
    return "is not valid JSON: it breaks off, or a text in it does";
  }
  const place = /at position (\d+)/.exec(message)?.[1];
  return place === undefined ? "is not valid JSON" : `is not valid JSON after ${place} characters`;
}
