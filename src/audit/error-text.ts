/** A difference between a client and the ledger in words: for the one who reads them in a failed test's output. */

import type { AuditDifference } from "./audit-error.ts";
import type { Clue, ClueKind } from "./clues.ts";

/** On which side of the books the difference lies. */
type Side = "lost" | "doubled" | "credit unseen" | "credit not on record";

/** A difference, and on which side of the books it lies. */
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

/** Books that disagree with themselves. */
export function unbalancedText(discrepancies: readonly string[]): string {
  const lines = discrepancies.map((what) => `  ${what}`);
  const whose =
    "This is a mistake of the simulator, or a snapshot was edited; the client can't do it.";
  return ["The books don't balance:", ...lines, whose].join("\n");
}

const MAX_CLUES = 12;

/** One publisher's differences with what explains them and what to do. `memory`: what the journal can't tell. */
export function differenceSection(
  publisher: string | undefined,
  differences: readonly Difference[],
  clues: readonly Clue[],
  memory: string | undefined,
): string {
  const telling = clues.filter((clue) =>
    differences.some(({ side, what }) => explains(side, what)(clue)),
  );
  // A refusal says little, and there may be thousands.
  const ranked = [
    ...telling.filter(({ kind }) => kind !== "refused"),
    ...telling.filter(({ kind }) => kind === "refused"),
  ];
  const more = telling.length - MAX_CLUES;
  const shown = ranked.slice(0, MAX_CLUES).sort((left, right) => placeOf(left) - placeOf(right));
  const lines = [
    ...shown.map((clue) => `    ${clueText(clue)}`),
    ...(more > 0 ? [`    and ${more} more like these`] : []),
    ...(memory === undefined ? [] : [`    ${memory}`]),
  ];
  const silence =
    "    No entry does: look at when the client counts an event, and at where it was sent.";
  return [
    publisher === undefined
      ? "All publishers: the client and the ledger disagree."
      : `Publisher ${publisher}: the client and the ledger disagree.`,
    ...differences.map((difference) => `  ${differenceText(difference)}`),
    "  Journal entries that explain it:",
    ...(lines.length === 0 ? [silence] : lines),
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
    return `revenue: the client counts ${client} INR, the ledger has ${ledger} INR: ${amount} ${verdict}`;
  }
  const count = Math.abs(client - ledger);
  const verdict = side === "lost" ? "lost" : "doubled, or recorded without the client's knowledge";
  return `${what}: the client counts ${client}, the ledger has ${ledger}: ${count} ${verdict}`;
}

/** What to change, by what happened. */
const adviceOn: readonly { readonly kinds: readonly ClueKind[]; readonly advice: string }[] = [
  {
    kinds: ["kept from the service", "refused"],
    advice:
      "count an event once the service answers it with status 200; until then send it again, an impression with the same session_id.",
  },
  {
    kinds: ["duplicate", "replayed"],
    advice: "count each impression_id and click_id once: the answer to a duplicate repeats them.",
  },
  {
    kinds: ["conflict", "conflict after loss"],
    advice:
      "a 409 to an event that is sent again says that it is on record: count it then, once, and don't send it any more.",
  },
  {
    kinds: ["unknown impression"],
    advice: "click with the impression_id that the service answered.",
  },
  {
    kinds: ["answer lost"],
    advice:
      "an event without a whole answer may be on record: send it again, an impression with the same session_id, and count it once it is answered.",
  },
  {
    kinds: ["recorded again", "applied twice"],
    advice:
      "send every impression with a session_id, and a retry with the same one: by it the service knows the duplicate.",
  },
  {
    kinds: ["clicked again"],
    advice: "under click.repeat=count a click that may be on record can't be sent again safely.",
  },
];

function adviceFor(telling: readonly Clue[], differences: readonly Difference[]): string[] {
  const found = adviceOn
    .filter(({ kinds }) => telling.some(({ kind }) => kinds.includes(kind)))
    .map(({ advice }) => advice);
  if (!differences.some(({ what }) => what === "revenueInr")) return found;
  return [
    ...found,
    "read revenue from GET /v1/publisher/stats: the sum over answers lacks those that were lost, and may have a duplicate's credit twice.",
  ];
}
