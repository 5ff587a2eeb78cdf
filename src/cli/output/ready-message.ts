/** The message of `serve` when it is ready: as text with lines to paste, or as one line of JSON. */

import { type CurlRequest, curlLine } from "../../audit/nearest/curl-line.ts";
import { assert } from "../../base/assert.ts";
import { oneLine, printable } from "../../base/text.ts";
import type { Choice } from "../../spec/assumptions/catalogue.ts";
import { operations } from "../../spec/operations.ts";
import type { Credentials } from "../../world/accounts/account.ts";

/** Names come from the profile, and some profiles have very long ones. */
const LONGEST_NAME = 60;

export interface ReadyMessage {
  readonly url: string;
  /** The address of the page that shows what happens; undefined if the control API is closed. */
  readonly inspector: string | undefined;
  /** The first few publishers, at least one. */
  readonly publishers: readonly Credentials[];
  /** How POST parameters are sent. */
  readonly encoding: Choice<"request.encoding">;
  /** Whether the log follows as text. */
  readonly isLogged?: boolean;
}

/** One line of JSON. */
export function readyEvent({ url, inspector, publishers }: ReadyMessage): string {
  return `${printable(JSON.stringify({ event: "ready", url, inspector, publishers }))}\n`;
}

/** Text. Each line that begins with `curl` works alone in a POSIX shell. */
export function readyText(message: ReadyMessage): string {
  const { url, inspector, publishers } = message;
  const [publisher] = publishers;
  assert(publisher !== undefined, "A world has a publisher.");
  const surfaces = publisher.surfaces.map(
    ({ id, name }) => `${id}  ${oneLine(name, LONGEST_NAME)}`,
  );
  return [
    `adsim is ready at ${url}`,
    ...(inspector === undefined ? [] : [`See what happens there: ${inspector}`]),
    "",
    `  publisher  ${publisher.id}`,
    `  API key    ${publisher.apiKey}`,
    `  surfaces   ${surfaces.join("\n             ")}`,
    "",
    "Paste any of these:",
    "",
    ...curlLines(message, publisher),
    "",
    ...(message.isLogged ? ["Requests are logged below. --no-log turns this off.", ""] : []),
    "",
  ].join("\n");
}

/** One line for each operation. */
function curlLines({ url, encoding }: ReadyMessage, publisher: Credentials): readonly string[] {
  const { id: publisher_id, apiKey, surfaces } = publisher;
  const surface = surfaces.find(({ status }) => status === "active")?.id;
  const impression = (ad_id: string): CurlRequest => ({
    operation: operations.impression,
    parameters: { publisher_id, surface: surface ?? "", ad_id },
  });
  const click = { operation: operations.click, parameters: {}, first: impression("ad-2") };
  const reports = [operations.stats, operations.surfaces, operations.payouts];
  const all = [
    ...(surface === undefined ? [] : [impression("ad-1"), click]),
    ...reports.map((operation) => ({ operation, parameters: { publisher_id } })),
  ];
  return all.map((one) => curlLine(one, { encoding, apiKey, baseUrl: url }));
}
