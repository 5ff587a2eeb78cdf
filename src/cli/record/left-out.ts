/** Which requests of a recording were left out, and why, in words. */

import { formatList } from "../../base/did-you-mean.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { oneLine, printable } from "../../base/text.ts";
import type { LeftOut, RecordedEntry } from "../../journal/recorded-entry.ts";
import { plural } from "../../play/measure/quantities.ts";

const reasons: Readonly<Record<LeftOut, string>> = {
  "kept-from-service": "a fault rule kept them from reaching the service",
  "no-response": "no response is recorded",
  control: "they are for the control API",
  "not-the-api": "they didn't go to the API",
  "other-host": "most requests to the API went to another address",
  "no-operation": "the API has no operation with their method and path",
  incomplete: "a required parameter isn't recorded",
  unsendable: "a scenario can't send them",
  "other-world": "a world with another seed answered them",
};

export function leftOutGroups(entries: readonly RecordedEntry[]) {
  const groups = groupedBy(entries, ({ leftOut }) => leftOut);
  return Array.from(groups, ([why, group]) => {
    const named = group.map(({ place, request: { method, path } }) => {
      return `${place} ${oneLine(method, 20)} ${oneLine(path, 100)}`;
    });
    return { reason: reasons[why], count: group.length, which: formatList(named) };
  });
}

/** "2 requests, because no response is recorded (line 3 GET /v1/click, …); …"; empty if there are none. */
export function leftOutInWords(groups: ReturnType<typeof leftOutGroups>): string {
  const words = groups.map(({ reason, count, which }) => {
    return `${plural(count, "request")}, because ${reason} (${which})`;
  });
  return printable(words.join("; "));
}
