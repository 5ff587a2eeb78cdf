/** `adsim serve`: runs a server until it is interrupted. */

import { isLoopbackHost } from "../base/loopback.ts";
import { logFormatOf, logStarter } from "./log/format.ts";
import type { ServerFlags } from "./options/common-options.ts";
import { exitCodes } from "./output/exit.ts";
import { type ReadyMessage, readyEvent, readyText } from "./output/ready-message.ts";
import type { HostProcess } from "./processes/host-process.ts";
import { onFirstSignal } from "./processes/signals.ts";
import { saveOnExit, startFrom, traceOnExit } from "./start-server.ts";

const PUBLISHERS_SHOWN = 5;

/** @returns the exit code, once the server has closed. */
export async function serve(flags: ServerFlags, host: HostProcess): Promise<number> {
  const { stdout, stderr } = host;
  const interrupted = new Promise<NodeJS.Signals>((resolve) => {
    onFirstSignal(host, ["SIGINT", "SIGTERM"], resolve);
  });
  const format = logFormatOf(flags.log, stderr.isTTY === true ? "text" : "off");
  const startLog = await logStarter(format, host);
  const server = await startFrom(flags, "system", host);
  startLog?.(server.worlds);
  const { publishers, assumptions } = server.worlds.get("default");
  const isClosed = flags.controlToken === undefined && isReachable(server.url, flags.host);
  const ready: ReadyMessage = {
    url: server.url,
    inspector: isClosed ? undefined : `${server.url}/_sim/`,
    publishers: publishers.credentials(PUBLISHERS_SHOWN),
    encoding: assumptions["request.encoding"],
    scenario: server.scenario,
    isLogged: format === "text",
  };
  if (isClosed) {
    stderr.write(
      "adsim: the control API (/_sim) is closed, since other machines can reach this server. Give --control-token to open it.\n",
    );
  }
  if (flags.json === true) stdout.write(readyEvent(ready));
  const isNdjson = flags.json === true || format === "json";
  (isNdjson ? stderr : stdout).write(readyText(ready));
  const signal = await interrupted;
  stderr.write(`adsim: ${signal}, closing\n`);
  await server.close();
  const isTraced = await traceOnExit(flags, server, "adsim serve", host);
  await saveOnExit(flags, server, host);
  const exitCode = isTraced ? exitCodes.fine : exitCodes.couldNotRun;
  return exitCode;
}

/** Whether other machines can reach a server. The URL of one on all addresses, such as 0.0.0.0 or ::, is a loopback one. */
function isReachable(url: string, host = ""): boolean {
  return /^[0:.]+$/.test(host) || !isLoopbackHost(new URL(url).hostname);
}
