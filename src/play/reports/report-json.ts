/** A result as JSON: results are JSON as they stand. What a release adds keeps the version; anything else raises it. */

export function reportJson(result: object): string {
  return `${JSON.stringify(result, undefined, 2)}\n`;
}
