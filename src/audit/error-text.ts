/** Puts the differences between a client and the books into words, for the output of a failed test. */

import type { AuditDifference } from "./audit-error.ts";
import type { Clue, ClueKind } from "./clues.ts";

type Side = "lost" | "doubled" | "credit unseen" | "credit not on record";

export interface Difference extends Omit<AuditDifference, "entries"> {
  readonly side: Side;
}

const clueKindsBySide: Readonly<Record<Side, readonly ClueKind[]>> = {
  lost: [
    "kept from the service",
    "duplicate",
    "replayed",
    "conflict",
    "unknown impression",
    "refused",
  ],
  doubled: [
    "recorded again",
    "clicked again",
    "applied twice",
    "answer lost",
    "conflict after loss",
  ],
  "credit unseen": [
    "answer lost",
    "learnt later",
    "applied twice",
    "recorded again",
    "clicked again",
  ],
  "credit not on record": ["replayed", "kept from the service"],
};

/** Whether a clue can explain a difference. */
export function explains(side: Side, what: AuditDifference["what"]): (clue: Clue) => boolean {
  return ({ kind, operation }) =>
    clueKindsBySide[side].includes(kind) && (what === "revenueInr" || `${operation}s` === what);
}

/** For books that contradict themselves. */
export function unbalancedText(discrepancies: readonly string[]): string {
  const lines = discrepancies.map((what) => `  ${what}`);
  const cause = "This is a bug in adsim, or a snapshot was edited; a client can't cause it.";
  return ["The books don't balance:", ...lines, cause].join("\n");
}

const MAX_CLUES = 12;

/** One publisher's differences, the entries that explain them, and advice. `journalGap`: says what the journal lacks. */
export function differenceSection(
  publisher: string | undefined,
  differences: readonly Difference[],
  clues: readonly Clue[],
  journalGap: string | undefined,
): string {
  const telling = clues.filter((clue) =>
    differences.some(({ side, what }) => explains(side, what)(clue)),
  );
  // Refusals come last: each explains little, and there may be thousands.
  const ranked = [
    ...telling.filter(({ kind }) => kind !== "refused"),
    ...telling.filter(({ kind }) => kind === "refused"),
  ];
  const more = telling.length - MAX_CLUES;
  const shown = ranked.slice(0, MAX_CLUES).sort((left, right) => placeOf(left) - placeOf(right));
  const lines = [
    ...shown.map((clue) => `    ${clueText(clue)}`),
    ...(more > 0 ? [`    and ${more} more like these`] : []),
    ...(journalGap === undefined ? [] : [`    ${journalGap}`]),
  ];
  const noEntry = "    None. Check when the client counts an event, and where it sends it.";
  return [
    publisher === undefined
      ? "All publishers: the client and the books disagree."
      : `Publisher ${publisher}: the client and the books disagree.`,
    ...differences.map((difference) => `  ${differenceText(difference)}`),
    "  Journal entries that explain it:",
    ...(lines.length === 0 ? [noEntry] : lines),
    ...adviceFor(telling, differences).map((advice) => `  To do: ${advice}`),
  ].join("\n");
}

function placeOf({ sequences }: Clue): number {
  return sequences[0] ?? 0;
}

function clueText({ sequences, at, operation, text }: Clue): string {
  return `${sequences.map((sequence) => `#${sequence}`).join(" and ")} ${at} ${operation}: ${text}`;
}

function differenceText({ what, client, ledger, side }: Difference): string {
  if (what === "revenueInr") {
    const amount = `${Math.round(Math.abs(client - ledger) * 1e6) / 1e6} INR`;
    const verdict = side === "credit unseen" ? "that the client doesn't count" : "not on record";
    return `revenue: the client counts ${client} INR, the books have ${ledger} INR: ${amount} ${verdict}`;
  }
  const count = Math.abs(client - ledger);
  const verdict = side === "lost" ? "lost" : "doubled, or recorded without the client's knowledge";
  return `${what}: the client counts ${client}, the books have ${ledger}: ${count} ${verdict}`;
}

const adviceOn: readonly { readonly kinds: readonly ClueKind[]; readonly advice: string }[] = [
  {
    kinds: ["kept from the service", "refused"],
    advice:
      "count an event when the service answers it with status 200. Until then send it again (an impression with the same session_id).",
  },
  {
    kinds: ["duplicate", "replayed"],
    advice: "count each impression_id and click_id once: the answer to a duplicate repeats them.",
  },
  {
    kinds: ["conflict", "conflict after loss"],
    advice:
      "a 409 to a retry means that the event is on record: count it once, and stop sending it.",
  },
  {
    kinds: ["unknown impression"],
    advice: "click with the impression_id from the service's answer.",
  },
  {
    kinds: ["answer lost"],
    advice:
      "if an answer is lost or incomplete, the event may be on record. Send it again (an impression with the same session_id), and count it once it is answered.",
  },
  {
    kinds: ["recorded again", "applied twice"],
    advice:
      "send every impression with a session_id, and its retries with the same one, so that the service recognises duplicates.",
  },
  {
    kinds: ["clicked again"],
    advice: "under click.repeat=count a click that may be on record can't be retried safely.",
  },
];

function adviceFor(telling: readonly Clue[], differences: readonly Difference[]): string[] {
  const found = adviceOn
    .filter(({ kinds }) => telling.some(({ kind }) => kinds.includes(kind)))
    .map(({ advice }) => advice);
  if (!differences.some(({ what }) => what === "revenueInr")) return found;
  return [
    ...found,
    "read revenue from GET /v1/publisher/stats: a sum over answers lacks the lost ones, and may include a duplicate's credit twice.",
  ];
}
