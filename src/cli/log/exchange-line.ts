/** Writes an exchange as one line of text or JSON. Escapes keep text from clients from acting on a terminal. */

import { printable } from "../../base/text.ts";
import type { LoggedExchange } from "../../journal/logged-exchange.ts";
import { DEFAULT_WORLD } from "../../simulator/worlds.ts";

/** Paths can be as long as a server lets them. */
const LONGEST_PATH = 160;

export function exchangeEvent(world: string, exchange: LoggedExchange): string {
  return printable(JSON.stringify({ event: "exchange", world, ...exchange }));
}

/** `2026-01-15T00:00:00.000Z POST /v1/impression 200 impression of pub_1: recorded (service; 9999 left)`. */
export function exchangeText(
  world: string,
  exchange: LoggedExchange,
  isColourful: boolean,
): string {
  const { at, method, path, query, status, operation, publisher, remaining } = exchange;
  const colour = (code: number, text: string): string =>
    isColourful ? `\u001b[${code}m${text}\u001b[0m` : text;
  const what = `${operation ?? "no operation"}${publisher === undefined ? "" : ` of ${publisher}`}`;
  const target = printable(cut(query === "" ? path : `${path}?${query}`));
  return [
    colour(DIM, at),
    ...(world === DEFAULT_WORLD ? [] : [`@${world}`]),
    printable(cut(method)),
    target,
    colour(colourOf(status), status === 0 ? "no response" : String(status)),
    `${what}: ${exchange.reason.replaceAll("_", " ")}`,
    colour(DIM, `(${makerOf(exchange)}${remaining === undefined ? "" : `; ${remaining} left`})`),
  ].join(" ");
}

const DIM = 2;
const [RED, GREEN, YELLOW] = [31, 32, 33] as const;

function colourOf(status: number): number {
  if (status === 0 || status >= 500) return RED;
  return status >= 400 ? YELLOW : GREEN;
}

function makerOf({ producedBy, limit, fault }: LoggedExchange): string {
  const rule = fault === undefined ? "" : `rule ${printable(fault.rule)}: ${fault.kind}`;
  if (producedBy === "rule") return rule;
  const maker = producedBy === "limit" ? `${limit} limit` : "service";
  return rule === "" ? maker : `${maker}, then ${rule}`;
}

function cut(text: string): string {
  return text.length > LONGEST_PATH ? `${text.slice(0, LONGEST_PATH - 1)}…` : text;
}
