/** Finds, in a recording, reasons other than the service why its replay may differ. */

import type { RecordedExchange, Recording } from "../../journal/recorded-exchange.ts";

/** The reasons why the replay may differ even if the service behaves the same. `fromStart`: it starts in a fresh world. */
export function caveatsOf(recording: Recording, fromStart: boolean): readonly string[] {
  const { exchanges, byAdsim } = recording;
  const found: string[] = [];
  if (byAdsim && fromStart) found.push(...gapsOf(exchanges));
  if (!byAdsim) {
    found.push(
      "another tool made the recording, so it doesn't tell what the service did before, and its world comes from the options alone (--seed, --start, --assume and so on, or --load)",
    );
  }
  const controls = exchanges.filter(({ skip }) => skip === "control").length;
  if (controls > 0) {
    found.push(
      `${controls} requests in the recording went to the control API. They were not sent again, so what they did is missing`,
    );
  }
  return found;
}

function gapsOf(exchanges: readonly RecordedExchange[]): readonly string[] {
  const numbers = exchanges.flatMap(({ sequence }) => sequence ?? []);
  const [first] = numbers;
  const last = numbers.at(-1);
  if (first === undefined || last === undefined) return [];
  const found: string[] = [];
  if (first > 1) {
    found.push(
      `the recording begins with request ${first}, so what requests 1 to ${first - 1} did is missing. Replay it from a snapshot that was taken before request ${first}, with --load`,
    );
  }
  const missing = last - first + 1 - numbers.length;
  if (missing > 0) {
    found.push(
      `${missing} requests between the first and the last are not in the recording, so what they did is missing. Export it without a filter`,
    );
  }
  found.push(
    "a journal doesn't have what happened outside the API: a sign-up, a rotated key, a changed surface, a restored snapshot, or anything before a fork. Take a snapshot after it, and replay from that with --load",
  );
  return found;
}
