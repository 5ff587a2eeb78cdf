/** Writes an exchange as one line of text or JSON. Escapes keep text from clients from acting on a terminal. */

import type { LoggedExchange } from "../../journal/logged-exchange.ts";
import { DEFAULT_WORLD } from "../../worlds.ts";

/** Paths can be as long as a server lets them. */
const LONGEST_PATH = 160;

export function exchangeEvent(world: string, exchange: LoggedExchange): string {
  return escaped(JSON.stringify({ event: "exchange", world, ...exchange }));
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
  const target = escaped(cut(query === "" ? path : `${path}?${query}`));
  return [
    colour(DIM, at),
    ...(world === DEFAULT_WORLD ? [] : [`@${world}`]),
    escaped(cut(method)),
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
  const rule = fault === undefined ? "" : `rule ${escaped(fault.rule)}: ${fault.kind}`;
  if (producedBy === "rule") return rule;
  const maker = producedBy === "limit" ? `${limit} limit` : "service";
  return rule === "" ? maker : `${maker}, then ${rule}`;
}

function cut(text: string): string {
  return text.length > LONGEST_PATH ? `${text.slice(0, LONGEST_PATH - 1)}…` : text;
}

/** Escapes invisible characters, such as controls and direction marks, as JSON and JavaScript write them. */
function escaped(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (characters) =>
    Array.from({ length: characters.length }, (_, at) => {
      const code = characters.charCodeAt(at).toString(16).padStart(4, "0");
      return `\\u${code}`;
    }).join(""),
  );
}
