/** `adsim serve`: runs a server until it is interrupted. */

import { logFormatOf, logStarter } from "./log/format.ts";
import type { ServerFlags } from "./options/common-options.ts";
import { exitCodes } from "./output/exit.ts";
import { type ReadyMessage, readyEvent, readyText } from "./output/ready-message.ts";
import { onFirstSignal } from "./processes/signals.ts";
import { saveOnExit, startFrom } from "./start-server.ts";

const PUBLISHERS_SHOWN = 5;

/** @returns the exit code, once the server has closed. */
export async function serve(flags: ServerFlags): Promise<number> {
  const interrupted = new Promise<NodeJS.Signals>((resolve) => {
    onFirstSignal(["SIGINT", "SIGTERM"], resolve);
  });
  const format = logFormatOf(flags.log, process.stderr.isTTY === true ? "text" : "off");
  const startLog = await logStarter(format);
  const server = await startFrom(flags, "system");
  const log = startLog?.(server.worlds);
  const { publishers, assumptions } = server.worlds.get("default");
  const ready: ReadyMessage = {
    url: server.url,
    publishers: publishers.credentials(PUBLISHERS_SHOWN),
    encoding: assumptions["request.encoding"],
    scenario: server.scenario,
    isLogged: format === "text",
  };
  if (flags.json === true) process.stdout.write(readyEvent(ready));
  const isNdjson = flags.json === true || format === "json";
  (isNdjson ? process.stderr : process.stdout).write(readyText(ready));
  const signal = await interrupted;
  process.stderr.write(`adsim: ${signal}, closing\n`);
  await server.close();
  await saveOnExit(flags, server);
  await log?.end(exitCodes.fine);
  return exitCodes.fine;
}
