/** Which requests of a recording were left out, and why, in words. */

import { groupedBy } from "../../base/grouped-by.ts";
import { oneLine } from "../../base/text.ts";
import type { LeftOut, RecordedEntry } from "../../journal/recorded-entry.ts";

export interface LeftOutRequest {
  readonly entry: RecordedEntry;
  readonly why: LeftOut;
}

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
  unsendable: "HTTP can't carry them",
};

/** More are only counted. */
const MAX_NAMED = 5;

export function leftOutGroups(requests: readonly LeftOutRequest[]): readonly LeftOutGroup[] {
  const groups = groupedBy(requests, ({ why }) => why);
  return Array.from(groups, ([why, group]) => {
    const named = why === "not-the-api" ? [] : group.slice(0, MAX_NAMED).map(nameOf);
    const more = named.length > 0 && group.length > MAX_NAMED;
    const which = [...named, ...(more ? [`and ${group.length - MAX_NAMED} more`] : [])].join(", ");
    return { reason: reasons[why], count: group.length, which };
  });
}

function nameOf({ entry: { place, request } }: LeftOutRequest): string {
  return `${place} ${oneLine(request.method, 20)} ${oneLine(request.path, 100)}`;
}
