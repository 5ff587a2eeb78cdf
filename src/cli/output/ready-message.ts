/** The message of `serve` when it is ready: as text with lines to paste, or as one line of JSON. */

import { clickLine, curlLine } from "../../audit/nearest/curl.ts";
import { oneLine, printable } from "../../base/text.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { operations } from "../../spec/operations.ts";
import type { Credentials } from "../../world/accounts/account.ts";

/** Names come from the profile, and some profiles have very long ones. */
const LONGEST_NAME = 60;
const PUBLISHERS_SHOWN = 5;

interface ReadyServer {
  readonly url: string;
  /** The address of the page that shows what happens; undefined if the control API is closed. */
  readonly inspector: string | undefined;
  readonly world: Pick<SimulatorCore, "publishers" | "assumptions">;
}

/** One line of JSON. */
export function readyEvent({ url, inspector, world }: ReadyServer): string {
  const publishers = world.publishers.credentials(PUBLISHERS_SHOWN);
  return `${printable(JSON.stringify({ event: "ready", url, inspector, publishers }))}\n`;
}

/** Text. Each line that begins with `curl` works alone in a POSIX shell. `isLogged`: whether the log follows as text. */
export function readyText(server: ReadyServer, isLogged: boolean): string {
  const { url, inspector, world } = server;
  const publisher = world.publishers.at(0);
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
    ...curlLines(server, publisher),
    "",
    ...(isLogged ? ["Requests are logged below. --no-log turns this off.", ""] : []),
    "",
  ].join("\n");
}

/** One line for each operation. */
function curlLines({ url, world }: ReadyServer, publisher: Credentials): readonly string[] {
  const { id: publisher_id, apiKey, surfaces } = publisher;
  const surface = surfaces.find(({ status }) => status === "active")?.id;
  const options = { encoding: world.assumptions["request.encoding"], apiKey, baseUrl: url };
  const impression = { publisher_id, surface: surface ?? "", ad_id: "ad-1" };
  const reports = [operations.stats, operations.surfaces, operations.payouts];
  return [
    ...(surface === undefined
      ? []
      : [
          curlLine(operations.impression, impression, options),
          clickLine({ ...impression, ad_id: "ad-2" }, options),
        ]),
    ...reports.map((operation) => curlLine(operation, { publisher_id }, options)),
  ];
}
