/** What is done to a world by hand, between its requests: as data, to do again, and as a sentence. */

import { formatInstant } from "../base/calendar.ts";
import type { ClockMode } from "../base/clock.ts";
import { durationInWords } from "../base/duration.ts";
import { oneLine } from "../base/text.ts";
import { type FaultChange, type Faults, repeatFaultChange } from "../faults/faults.ts";
import type { PublisherChange, Publishers } from "../world/accounts/publisher-directory.ts";
import type { Choices } from "./simulator-options.ts";

/** A change of a world. Those of the last kind replace its whole state. */
export type WorldChange =
  | PublisherChange
  | FaultChange
  | { readonly kind: "advance"; readonly byMs: number }
  | { readonly kind: "set-clock"; readonly mode: ClockMode; readonly nowMs: number }
  | { readonly kind: "assume"; readonly assumptions: Choices }
  | { readonly kind: "replace"; readonly by: "restore" | "play" };

/** The parts of a simulator that changes are made with. */
export interface ChangeableWorld {
  readonly publishers: Publishers;
  readonly faults: Faults;
  assume(choices: Choices): unknown;
}

/** Does a change again. The clock must show the time of the change already. */
export function repeatChange(sim: ChangeableWorld, change: WorldChange): void {
  switch (change.kind) {
    case "advance":
    case "set-clock":
    case "replace":
      return;
    case "assume":
      sim.assume(change.assumptions);
      return;
    case "fault":
    case "heal":
      repeatFaultChange(sim.faults, change);
      return;
    case "sign-up":
      sim.publishers.signUp(change.signUp);
      return;
    case "rotate-key":
      sim.publishers.rotateKey(change.publisher);
      return;
    case "set-surface":
      sim.publishers.setSurface(change.publisher, change.surface, change.change);
      return;
  }
}

const MAX_NAME = 60;

/** The change as a sentence without a full stop. */
export function changeInWords(change: WorldChange): string {
  switch (change.kind) {
    case "advance":
      return `clock advanced by ${durationInWords(change.byMs)}`;
    case "set-clock":
      return `clock set to ${formatInstant(change.nowMs)}, ${change.mode}`;
    case "assume": {
      const choices = Object.entries(change.assumptions).map(([key, choice]) => `${key}=${choice}`);
      return `assumptions set: ${choices.join(", ")}`;
    }
    case "fault":
      return `fault rule ${oneLine(change.id, MAX_NAME)} added: ${verdictOf(change)}`;
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

function verdictOf({ rule }: Extract<FaultChange, { kind: "fault" }>): string {
  return typeof rule === "function" ? "a function" : rule.verdict.kind;
}

/** Roughly how many characters a change takes. Only those of two kinds are long. */
export function charactersOf(change: WorldChange): number {
  return change.kind === "fault" || change.kind === "sign-up" ? JSON.stringify(change).length : 128;
}
