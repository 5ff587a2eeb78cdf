/** The choices of `--log`. The log is loaded only if it is on, so that other starts don't wait for it. */

import type { Worlds } from "../../simulator/worlds.ts";
import type { Log } from "./log.ts";

export const logFormats = ["text", "json", "off"] as const;
export type LogFormat = (typeof logFormats)[number];

/** What `--log` and `--no-log` ask for. `usual`: without either. */
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
): Promise<((worlds: Worlds) => Log) | undefined> {
  if (format === "off") return undefined;
  const { startLog } = await import("./log.ts");
  return (worlds) => startLog(format, worlds);
}
