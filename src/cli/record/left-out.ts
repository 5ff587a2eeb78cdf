/** Which requests of a recording were left out, and why, in words. */

import { groupedBy } from "../../base/grouped-by.ts";
import { oneLine, printable } from "../../base/text.ts";
import type { LeftOut } from "../../journal/recorded-entry.ts";
import { plural } from "../../play/measure/quantities.ts";
import type { LeftOutEntry } from "../../play/recording/scenario-of-recording.ts";

export interface LeftOutGroup {
  /** In words that follow "because". */
  readonly reason: string;
  readonly count: number;
  /** Names the first of them. Empty for requests of another site, of which a page makes many. */
  readonly which: string;
}

/** Why, in words that follow "because". */
const reasons: Readonly<Record<LeftOut, string>> = {
  "kept-from-service": "a fault rule kept them from reaching the service",
  "no-response": "no response is recorded",
  control: "they are for the control API",
  "not-the-api": "they didn't go to the API",
  "other-host": "most requests to the API went to another address",
  "no-operation": "the API has no operation with their method and path",
  incomplete: "a required parameter isn't recorded",
  unsendable: "a scenario can't send them",
  "other-world": "a world with another seed, start or population answered them",
};

/** More are only counted. */
const MAX_NAMED = 5;

export function leftOutGroups(entries: readonly LeftOutEntry[]): readonly LeftOutGroup[] {
  return Array.from(
    groupedBy(entries, ({ leftOut }) => leftOut),
    ([why, group]) => {
      const named = why === "not-the-api" ? [] : group.slice(0, MAX_NAMED);
      const which = named.map(({ place, request: { method, path } }) => {
        return `${place} ${oneLine(method, 20)} ${oneLine(path, 100)}`;
      });
      const more = named.length > 0 && group.length > MAX_NAMED;
      if (more) which.push(`and ${group.length - MAX_NAMED} more`);
      return { reason: reasons[why], count: group.length, which: which.join(", ") };
    },
  );
}

/** "2 requests, because no response is recorded (line 3 GET /v1/click, …); …"; empty if there are none. */
export function leftOutInWords(groups: readonly LeftOutGroup[]): string {
  const words = groups.map(
    ({ reason, count, which }) =>
      `${plural(count, "request")}, because ${reason}${which && ` (${which})`}`,
  );
  return printable(words.join("; "));
}
