/** What a person gets who opens an address of the server in a browser: the inspector, or the way to it. */

import type { PlainRequest } from "../exchange/plain-request.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { text } from "./responses.ts";
import { type ControlRoute, route } from "./route.ts";

/** Nothing from elsewhere, and nothing that a client sent can become a script. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const headers = {
  "content-security-policy": POLICY,
  "referrer-policy": "no-referrer",
  vary: "Accept",
};

const parts = [
  ["", "html", "text/html"],
  ["inspector.js", "script", "text/javascript"],
  ["inspector.css", "style", "text/css"],
] as const;

/** The page of a world, with its script and style. Loading them opens no world; the script then does. */
export const pageRoutes: readonly ControlRoute[] = parts.map(([name, part, type]) =>
  route(`GET ${name}`, {}, async ({ modules }) =>
    text(`${type}; charset=utf-8`, (await modules.inspector())[part], headers),
  ),
);

/** Leads a browser to the inspector of its world; undefined for other clients and paths. Creates no world. */
export function wayToInspector(
  head: Omit<PlainRequest, "query" | "body">,
): ApiResponse | undefined {
  const { method, path, headers } = head;
  const [, prefix] = /^((?:\/@[A-Za-z0-9._-]{1,64})?)(?:\/|\/_sim)?$/.exec(path) ?? [];
  const isRead = method === "GET" || method === "HEAD";
  if (prefix === undefined || path === "" || !isRead || !isBrowser(headers.accept)) {
    return undefined;
  }
  const location = `${prefix}/_sim/`;
  return { ...text("text/plain", "", { location, vary: "Accept" }), status: 302 };
}

/** Whether someone asks for a page: browsers name HTML first. */
export function isBrowser(accept = ""): boolean {
  return /^text\/html *(?:,|$)/i.test(accept);
}
