/** What a difference in a replay may come from other than the service, as far as the recording itself tells. */

import type { RecordedExchange, Recording } from "../../journal/recorded-exchange.ts";
import { REDACTED } from "../../journal/secrets.ts";

/** Says of a recording why it may not come out the same, whatever the service does. `fromStart`: from a fresh world. */
export function caveatsOf(recording: Recording, fromStart: boolean): readonly string[] {
  const { exchanges, byAdsim } = recording;
  const found: string[] = [];
  if (byAdsim && fromStart) found.push(...gapsOf(exchanges));
  if (!byAdsim) {
    found.push(
      "the recording is another tool's: what the service had done before isn't in it, and its world is known from the options only (--seed, --start, --assume and so on, or --load)",
    );
  }
  const controls = exchanges.filter(({ skip }) => skip === "control").length;
  if (controls > 0) {
    found.push(
      `${controls} requests of it went to the control API and were not sent again: what they did is missing`,
    );
  }
  const redacted = exchanges.find(hasRedactedValue);
  if (redacted !== undefined) {
    found.push(
      `in requests a key that stood elsewhere than in Authorization is redacted (${redacted.place} is the first): another value was sent in its place. An export with secrets shown has them`,
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
      `the recording begins with request ${first}: what requests 1 to ${first - 1} did is missing. Replay it from a snapshot that was taken before request ${first}, with --load`,
    );
  }
  const missing = last - first + 1 - numbers.length;
  if (missing > 0) {
    found.push(
      `${missing} requests between the recording's first and last are not in it: what they did is missing. Export it without a filter`,
    );
  }
  found.push(
    "what happened outside the API is in no journal: a sign-up, a rotated key, a changed surface, a snapshot put back, what was there before a fork. Replay from a snapshot that was taken after it, with --load",
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
