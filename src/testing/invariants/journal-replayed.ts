/** Law R5: the journal is replayed as anybody would replay it, and must come to the answers that it has. */

import { readRecording } from "../../journal/read-recording.ts";
import { inconclusive, require } from "../../laws/law.ts";
import { replayInProcess } from "../../play/replay/in-process.ts";
import { fakerPeople } from "../../world/publishers/people.ts";
import type { Recorded } from "./recorded.ts";

/** Says what was compared, or throws as a law does. */
export function journalReplayed(recorded: Recorded): string {
  const { replayed, notes } = replayInProcess(readRecording(recorded.lines), {
    surroundings: { people: () => fakerPeople },
    chosen: { assumptions: {} },
    time: "recorded",
  });
  const different = replayed.filter(({ outcome }) => outcome.kind === "different");
  const [first] = different;
  if (first === undefined || first.outcome.kind !== "different")
    return `${replayed.length} requests replayed from the journal`;
  const changed = changedByHand(recorded) ?? notes[0];
  if (changed !== undefined)
    return inconclusive(
      `${different.length} answers come out otherwise, which may be since ${changed}`,
    );
  const { place } = first.exchange;
  const difference = JSON.stringify(first.outcome.difference);
  require(false, () =>
    `${different.length} of ${replayed.length} answers come out otherwise, the first at ${place}: ${difference}`);
}

/** What was done by hand, which no journal has; undefined where nothing was. */
export function changedByHand({
  snapshot: { accounts, publishers },
}: Recorded): string | undefined {
  if (accounts.some(({ ordinal }) => ordinal >= publishers)) return "a publisher signed up";
  if (accounts.some(({ keySerial }) => keySerial > 0)) return "a key was rotated";
  const isSet = accounts.some(({ surfaces }) =>
    surfaces.some(({ statusBy }) => statusBy === "user"),
  );
  return isSet ? "a surface was changed" : undefined;
}
