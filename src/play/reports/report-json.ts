/** A result as JSON. What a release adds keeps the version; anything else raises it. */

import type { PlayResult } from "../player/result.ts";

export function reportJson(result: PlayResult): string {
  return `${JSON.stringify(result, undefined, 2)}\n`;
}
