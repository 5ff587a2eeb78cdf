/** Finds, in a recording, reasons other than the service why its replay may differ. */

import { counted } from "../../base/counted.ts";
import type { RecordedEntry, Recording } from "../../journal/recorded-entry.ts";

export interface ReplayedWith {
  /** A snapshot to start from, instead of a fresh world. */
  readonly load?: string | undefined;
  readonly apiKey?: string | undefined;
}

/** The reasons why the replay may differ even if the service behaves the same. */
export function caveatsOf(
  { entries, byAdsim }: Recording,
  { load, apiKey }: ReplayedWith,
): readonly string[] {
  const found: string[] = [];
  if (byAdsim && load === undefined) found.push(...gapsOf(entries));
  if (!byAdsim) {
    found.push(
      "another tool made the recording, so it doesn't tell what the service did before, and its world comes from the options alone (--seed, --start, --assume and so on, or --load)",
    );
  }
  const hasKeys = entries.some(({ request }) => request.headers.authorization !== undefined);
  if (!byAdsim && !hasKeys && apiKey === undefined) {
    found.push(
      "the recording has no Authorization header: browsers leave it out of what they save. Give the key that was sent with --api-key",
    );
  }
  const controls = entries.filter(({ leftOut }) => leftOut === "control").length;
  if (controls > 0) {
    found.push(
      `the recording has ${counted(controls, "request")} to the control API, which were not sent again, so what they did is missing`,
    );
  }
  const bodiless = entries.filter((one) => !one.leftOut && one.response.body === undefined).length;
  if (bodiless > 0) {
    found.push(
      `the recording has no body for ${counted(bodiless, "answer")}, of which only status and headers were compared`,
    );
  }
  return found;
}

function gapsOf(entries: readonly RecordedEntry[]): readonly string[] {
  const numbers = entries.flatMap(({ sequence }) => sequence ?? []);
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
