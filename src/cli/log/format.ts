/** The choices of `--log`. Loads the log only where there is one: help must come at once, and most servers have none. */

import type { Worlds } from "../../worlds.ts";
import type { Log } from "./log.ts";

export const logFormats = ["text", "json", "off"] as const;
export type LogFormat = (typeof logFormats)[number];

/** What `--log` and `--no-log` ask for. `usual`: without either. */
export function logFormatOf(flag: LogFormat | boolean | undefined, usual: LogFormat): LogFormat {
  if (flag === undefined) return usual;
  if (typeof flag === "boolean") return flag ? "text" : "off";
  return flag;
}

/** What begins to log in this format; undefined where nothing is to be logged. To be loaded before the server listens. */
export async function logStarter(
  format: LogFormat,
): Promise<((worlds: Worlds) => Log) | undefined> {
  if (format === "off") return undefined;
  const { startLog } = await import("./log.ts");
  return (worlds) => startLog(format, worlds);
}
