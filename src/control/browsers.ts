/** What a person gets who opens an address of the server in a browser: the inspector, the way to it, or a refusal as a page. */

import type { PlainRequest } from "../exchange/plain-request.ts";
import { withoutBody } from "../exchange/respond.ts";
import { errorPage } from "../spec/errors.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { text } from "./responses.ts";
import { type ControlRoute, type InspectorPage, route } from "./route.ts";

type Head = Pick<PlainRequest, "method" | "path" | "headers">;

/** For everything that a browser shows or runs. */
const pageHeaders = { "referrer-policy": "no-referrer", vary: "Accept" };

/** Nothing from elsewhere, and nothing that a client sent can become a script. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page of a world, with its script and style. Loading them opens no world; the script then does. */
export const pageRoutes: readonly ControlRoute[] = [
  asset("", "html", "text/html"),
  asset("inspector.js", "script", "text/javascript"),
  asset("inspector.css", "style", "text/css"),
];

function asset(path: string, name: keyof InspectorPage, type: string): ControlRoute {
  const headers = { ...pageHeaders, "content-security-policy": POLICY };
  return route({
    method: "GET",
    path,
    async answer({ modules }) {
      const page = await modules.inspector();
      return text(`${type}; charset=utf-8`, page[name], headers);
    },
  });
}

/** Leads a browser to the inspector of its world; undefined for other clients and paths. Creates no world. */
export function wayToInspector({ method, path, headers }: Head): ApiResponse | undefined {
  const [, prefix] = /^((?:\/@[A-Za-z0-9._-]{1,64})?)(?:\/|\/_sim)?$/.exec(path) ?? [];
  const isRead = method === "GET" || method === "HEAD";
  if (prefix === undefined || path === "" || !isRead || !prefersHtml(headers.accept)) {
    return undefined;
  }
  const location = `${prefix}/_sim/`;
  return { ...text("text/plain", "", { location, vary: "Accept" }), status: 302 };
}

/** Whether the client prefers HTML to JSON. */
export function prefersHtml(accept = ""): boolean {
  const html = qualityOf(accept, /^(text\/html|application\/xhtml\+xml)$/);
  return html > 0 && html >= qualityOf(accept, /^application\/(problem\+)?json$/);
}

function qualityOf(accept: string, type: RegExp): number {
  const qualities = accept
    .toLowerCase()
    .split(",")
    .map((range) => range.split(";").map((part) => part.trim()))
    .filter(([name = ""]) => type.test(name))
    .map((parts) => parts.find((part) => part.startsWith("q="))?.slice(2) ?? 1);
  return Math.max(0, ...qualities.map((quality) => Number(quality) || 0));
}

const asksBrowser = { "www-authenticate": 'Basic realm="adsim control"' };

/** A refusal of the guards in the form that its client reads. A browser is asked for the token, too. */
export function refusalFor({ method, path, headers }: Head, refusal: ApiResponse): ApiResponse {
  const { status } = refusal;
  if (status === 401 && /\/_sim\/inspector\.(js|css)$/.test(path)) {
    // For a page whose address has the token, a browser sends it with these only when it is asked.
    return { ...refusal, headers: { ...refusal.headers, ...asksBrowser } };
  }
  if (!prefersHtml(headers.accept)) return refusal;
  const { title, detail } = JSON.parse(refusal.body);
  const html = text("text/html; charset=utf-8", errorPage(title, detail), {
    ...pageHeaders,
    "content-security-policy": "default-src 'none'",
    ...(status === 401 && asksBrowser),
  });
  return { ...(method === "HEAD" ? withoutBody(html) : html), status };
}
