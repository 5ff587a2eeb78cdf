/** Says why a text isn't JSON without repeating any of it: engines quote the text, which may hold API keys. */

/** `error` is what `JSON.parse` threw. The words are written to follow "it ". */
export function describeJsonError(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  if (/end of JSON|unterminated|bad control character/i.test(message)) {
    return "is not valid JSON: it ends too early, or a string in it isn't closed";
  }
  const place = /at position (\d+)/.exec(message)?.[1];
  return place === undefined ? "is not valid JSON" : `is not valid JSON after ${place} characters`;
}
