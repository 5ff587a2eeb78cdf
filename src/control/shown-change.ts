/** A change by hand as the control API and the inspector show it. */

import { formatInstant } from "../base/calendar.ts";
import { durationInWords } from "../base/duration.ts";
import { oneLine } from "../base/text.ts";
import type { ChangeItem, WorldChange } from "../journal/log.ts";

export interface ShownChange extends Pick<ChangeItem, "number" | "after" | "change"> {
  /** In ISO 8601 on the world's clock. */
  readonly at: string;
  /** Says the same in words. */
  readonly text: string;
}

export function shownChange({ number, after, atMs, change }: ChangeItem): ShownChange {
  return { number, after, at: formatInstant(atMs), change, text: changeInWords(change) };
}

const MAX_NAME = 60;

/** The change as a sentence without a full stop. */
function changeInWords(change: WorldChange): string {
  switch (change.kind) {
    case "advance":
      return `clock advanced by ${durationInWords(change.byMs)}`;
    case "set-clock":
      return `clock set to ${formatInstant(change.nowMs)}, ${change.mode}`;
    case "assume": {
      const choices = Object.entries(change.assumptions).map(([key, choice]) => `${key}=${choice}`);
      return `assumptions set: ${choices.join(", ")}`;
    }
    case "fault": {
      const { id, rule } = change;
      const verdict = typeof rule === "function" ? "a function" : rule.verdict.kind;
      return `fault rule ${oneLine(id, MAX_NAME)} added: ${verdict}`;
    }
    case "heal":
      return change.id === undefined
        ? "all fault rules removed"
        : `fault rule ${oneLine(change.id, MAX_NAME)} removed`;
    case "sign-up":
      return `${oneLine(change.signUp.name ?? "a publisher", MAX_NAME)} signed up: ${change.publisher}`;
    case "rotate-key":
      return `key of ${change.publisher} rotated`;
    case "set-surface": {
      const { status, cpmRange } = change.change;
      const price = cpmRange && `cpm_range ${cpmRange.join(" to ")}`;
      return `surface ${change.surface}: ${[status, price].filter(Boolean).join(", ")}`;
    }
    case "replace":
      return change.by === "restore" ? "state restored from a snapshot" : "a scenario was played";
  }
}
