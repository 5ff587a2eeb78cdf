/** A request and its answer as reports show them: no keys, no payment addresses, and not pages of them. */

import { formatInstant } from "../../base/calendar.ts";
import { plainRequest } from "../../exchange/plain-request.ts";
import { REDACTED, withoutSecrets } from "../../journal/secrets.ts";
import type { Exchange } from "../../laws/seen-exchange.ts";

import type { ShownExchange } from "./result.ts";

const MOST_BODY = 2000;

export function shownExchange(exchange: Exchange): ShownExchange {
  const { operation, atMs, outcome, status, headers, text, latencyMs, why } = exchange;
  const { method, path, query, headers: sent, body } = plainRequest(exchange.request);
  return {
    operation,
    at: formatInstant(atMs),
    request: {
      method,
      path: veiled(path),
      query: veiled(query),
      headers: veiledHeaders(sent),
      body: veiled(typeof body === "string" ? body : new TextDecoder().decode(body)),
    },
    outcome,
    status,
    headers: veiledHeaders(headers),
    body: veiled(text),
    latencyMs,
    ...(why !== undefined && { why }),
  };
}

function veiledHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name.toLowerCase() === "authorization" ? REDACTED : veiled(value),
    ]),
  );
}

function veiled(text: string): string {
  const redacted = withoutSecrets(text);
  return redacted.length <= MOST_BODY ? redacted : `${redacted.slice(0, MOST_BODY)}…`;
}
