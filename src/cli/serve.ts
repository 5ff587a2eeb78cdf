/** `adsim serve`: runs a server until it is interrupted. */

import { isLoopbackHost } from "../base/loopback.ts";
import type { ServerFlags } from "./options/common-options.ts";
import type { Call } from "./options/option.ts";
import { readyEvent, readyText } from "./output/ready-message.ts";
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
