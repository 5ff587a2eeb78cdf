/** Finds, in a recording, reasons other than the service why its replay may differ. */

import type { RecordedExchange, Recording } from "../../journal/recorded-exchange.ts";
import { REDACTED } from "../../journal/secrets.ts";

/** The reasons why the replay may differ even if the service behaves the same. `fromStart`: it starts in a fresh world. */
export function caveatsOf(recording: Recording, fromStart: boolean): readonly string[] {
  const { exchanges, byAdsim } = recording;
  const found: string[] = [];
  if (byAdsim && fromStart) found.push(...gapsOf(exchanges));
  if (!byAdsim) {
    found.push(
      "the recording was made by another tool: it lacks what the service did before, and only the options (--seed, --start, --assume and so on, or --load) describe its world",
    );
  }
  const controls = exchanges.filter(({ skip }) => skip === "control").length;
  if (controls > 0) {
    found.push(
      `${controls} of its requests went to the control API and were not sent again: their effects are missing`,
    );
  }
  const redacted = exchanges.find(hasRedactedValue);
  if (redacted !== undefined) {
    found.push(
      `some requests have a redacted key outside of Authorization (the first is ${redacted.place}), and another value was sent in its place. Export the recording with secrets shown to keep such keys`,
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
      `the recording begins with request ${first}: the effects of requests 1 to ${first - 1} are missing. Replay it from a snapshot taken before request ${first}, with --load`,
    );
  }
  const missing = last - first + 1 - numbers.length;
  if (missing > 0) {
    found.push(
      `${missing} requests between the recording's first and last are not in it: their effects are missing. Export it without a filter`,
    );
  }
  found.push(
    "the journal doesn't record what happens outside the API: a sign-up, a rotated key, a changed surface, a restored snapshot, what happened before a fork. If there was any, replay from a snapshot taken after it, with --load",
  );
  return found;
}

function hasRedactedValue({ request, skip }: RecordedExchange): boolean {
  const { method, path, query, headers, body } = request;
  if (skip !== undefined) return false;
  const { authorization: _expected, ...others } = headers;
  return [method, path, query, ...Object.entries(others).flat(), body].some(
    (text) => typeof text === "string" && text.includes(REDACTED),
  );
}
