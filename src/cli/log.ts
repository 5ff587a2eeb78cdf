/** The log of `serve` and `exec`: a line for each exchange in any world, as text or as NDJSON. */

import { printable, shortened } from "../base/text.ts";
import { type ListedEntry, listedEntry } from "../control/listed-exchange.ts";
import { DEFAULT_WORLD, type Worlds } from "../simulator/worlds.ts";
import type { LogFormat } from "./options/common-options.ts";
import { isColourful } from "./output/say.ts";
import type { HostProcess } from "./processes/host-process.ts";

/** Starts the log. Text goes to standard error, NDJSON to standard output. */
export function startLog(
  format: LogFormat,
  worlds: Worlds,
  { stdout, stderr, env }: HostProcess,
): void {
  if (format === "off") return;
  const hasColours = isColourful(stderr, env);
  worlds.observe((world, entry) => {
    const exchange = listedEntry(entry);
    if (format === "json") stdout.write(`${exchangeEvent(world, exchange)}\n`);
    else stderr.write(`${exchangeText(world, exchange, hasColours)}\n`);
  });
}

export function exchangeEvent(world: string, exchange: ListedEntry): string {
  return printable(JSON.stringify({ event: "exchange", world, ...exchange }));
}

/** Longer methods and paths are cut. */
const LONGEST = 160;

/** `2026-01-15T00:00:00.000Z POST /v1/impression 200 impression of pub_1: recorded (service; 9999 left)`. */
export function exchangeText(world: string, exchange: ListedEntry, hasColours: boolean): string {
  const { at, method, path, query, status, operation, publisher, remaining } = exchange;
  const what = `${operation ?? "no operation"}${publisher === undefined ? "" : ` of ${publisher}`}`;
  const colour = status === 0 || status >= 500 ? 31 : status >= 400 ? 33 : 32;
  const shown = status === 0 ? "no response" : String(status);
  return [
    at,
    ...(world === DEFAULT_WORLD ? [] : [`@${world}`]),
    printable(shortened(method, LONGEST)),
    printable(shortened(query === "" ? path : `${path}?${query}`, LONGEST)),
    hasColours ? `\u001b[${colour}m${shown}\u001b[0m` : shown,
    `${what}: ${exchange.reason.replaceAll("_", " ")}`,
    `(${makerOf(exchange)}${remaining === undefined ? "" : `; ${remaining} left`})`,
  ].join(" ");
}

function makerOf({ producedBy, limit, fault }: ListedEntry): string {
  const rule = fault === undefined ? "" : `rule ${printable(fault.rule)}: ${fault.kind}`;
  if (producedBy === "rule") return rule;
  const maker = producedBy === "limit" ? `${limit} limit` : "service";
  return rule === "" ? maker : `${maker}, then ${rule}`;
}
