/** The choices of `--log`. The log's code is loaded only if it is on, so that other starts are fast. */

import type { Worlds } from "../../simulator/worlds.ts";
import type { HostProcess } from "../processes/host-process.ts";

export const logFormats = ["text", "json", "off"] as const;
export type LogFormat = (typeof logFormats)[number];

/** The format that `--log` or `--no-log` asks for. */
export function logFormatOf(
  flag: LogFormat | boolean | undefined,
  defaultFormat: LogFormat,
): LogFormat {
  if (flag === undefined) return defaultFormat;
  if (typeof flag === "boolean") return flag ? "text" : "off";
  return flag;
}

/** A function that starts the log in this format; undefined if it is off. Await it before the server listens. */
export async function logStarter(
  format: LogFormat,
  host: HostProcess,
): Promise<((worlds: Worlds) => void) | undefined> {
  if (format === "off") return undefined;
  const { startLog } = await import("./log.ts");
  return (worlds) => startLog(format, worlds, host);
}
