/**
 * `adsim serve`: runs a server until it is interrupted. It says when it is ready, as text with lines to paste, or as one line of
 * JSON.
 */

import { clickLine, curlLine } from "../audit/nearest/curl.ts";
import { oneLine, printable } from "../base/text.ts";
import { isLoopbackHost } from "../exchange/cors.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { operations } from "../spec/operations.ts";
import type { Credentials } from "../world/accounts/account.ts";
import type { ServerFlags } from "./options/common-options.ts";
import type { Call } from "./options/option.ts";
import { onEndingSignals, whenOrphaned } from "./processes/host-process.ts";
import { startFrom, writeAtEnd } from "./start-server.ts";

/** Ends once the server has closed. */
export async function serve({ flags, host }: Call<ServerFlags>): Promise<void> {
  const { stdout, stderr } = host;
  const format = flags.noLog ? "off" : (flags.log ?? (stderr.isTTY ? "text" : "off"));
  // Loaded before the server listens: no request may be missed.
  const { startLog } = await import("./log.ts");
  const server = await startFrom(flags, "system", host);
  startLog(format, server.worlds, host);
  // A second signal changes nothing: under npm, Ctrl-C comes twice.
  const interrupted = new Promise<string>((resolve) => {
    onEndingSignals(host, resolve);
    whenOrphaned(host, () => resolve("npm has ended"));
  });
  const { hostname, port } = new URL(server.url);
  // The URL of a server on all addresses, such as 0.0.0.0 or ::, is a loopback one.
  const isReachable = /^[0:.]+$/.test(flags.host ?? "") || !isLoopbackHost(hostname);
  const isClosed = flags.controlToken === undefined && isReachable;
  const inspector = isClosed ? undefined : `${server.url}/_sim/`;
  const ready = { url: server.url, inspector, world: server.worlds.get("default") };
  if (isClosed) {
    stderr.write(
      "adsim: the control API (/_sim) is closed, since other machines can reach this server. Give --control-token to open it.\n",
    );
  }
  if (portsThatFetchRefuses.includes(Number(port))) {
    stderr.write(
      `adsim: browsers and fetch refuse to call port ${port} (https://fetch.spec.whatwg.org/#port-blocking). Give another --port for them.\n`,
    );
  }
  if (flags.json === true) stdout.write(readyEvent(ready));
  const isNdjson = flags.json === true || format === "json";
  (isNdjson ? stderr : stdout).write(readyText(ready, format === "text"));
  stderr.write(`adsim: ${await interrupted}, closing\n`);
  await server.close();
  await writeAtEnd(flags, server, "adsim serve", host);
}

/** Those above 1023 of the fetch standard's list. */
const portsThatFetchRefuses = [
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080],
];

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
function readyEvent({ url, inspector, world }: ReadyServer): string {
  const publishers = world.publishers.credentials(PUBLISHERS_SHOWN);
  return `${printable(JSON.stringify({ event: "ready", url, inspector, publishers }))}\n`;
}

/** Text. Each line that begins with `curl` works alone in a POSIX shell. `isLogged`: whether the log follows as text. */
function readyText(server: ReadyServer, isLogged: boolean): string {
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
