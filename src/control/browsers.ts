/** What a person gets who opens an address of the server in a browser: the way to the page, or a refusal as a page. */

import type { PlainRequest } from "../exchange/plain-request.ts";
import { withoutBody } from "../exchange/respond.ts";
import { errorPage } from "../spec/error-bodies.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { textResponse } from "./problem.ts";

type Head = Pick<PlainRequest, "method" | "path" | "headers">;

/** Leads a browser to the inspector of its world; undefined for other clients and paths. Creates no world. */
export function wayToInspector({ method, path, headers }: Head): ApiResponse | undefined {
  const parts = /^((?:\/@[A-Za-z0-9._-]{1,64})?)(?:\/|\/_sim)?$/.exec(path);
  if (parts === null || path === "" || !prefersHtml(headers.accept)) return undefined;
  if (method !== "GET" && method !== "HEAD") return undefined;
  return textResponse({
    status: 302,
    contentType: "text/plain; charset=utf-8",
    body: "",
    headers: { location: `${parts[1]}/_sim/`, vary: "Accept" },
  });
}

/** Whether the client prefers HTML to every other type. */
export function prefersHtml(accept = ""): boolean {
  const html = qualityOf(accept, /^(text\/html|application\/xhtml\+xml)$/);
  return html > 0 && html >= qualityOf(accept, /^application\/(problem\+)?json$/);
}

function qualityOf(accept: string, type: RegExp): number {
  let best = 0;
  for (const range of accept.toLowerCase().split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim());
    if (!type.test(name)) continue;
    const quality = parameters.find((part) => part.startsWith("q="));
    best = Math.max(best, quality === undefined ? 1 : Number(quality.slice(2)) || 0);
  }
  return best;
}

/** A refusal of the guards in the form that its client reads. A browser is asked for the token, too. */
export function refusalFor({ method, path, headers }: Head, refusal: ApiResponse): ApiResponse {
  if (refusal.status === 401 && /\/_sim\/inspector\.(js|css)$/.test(path)) {
    // For a page whose address has the token, a browser sends it with these only when it is asked.
    return { ...refusal, headers: { ...refusal.headers, ...asksBrowser } };
  }
  if (!prefersHtml(headers.accept)) return refusal;
  const { title, detail } = JSON.parse(refusal.body);
  const page = textResponse({
    status: refusal.status,
    contentType: "text/html; charset=utf-8",
    body: errorPage(title, detail),
    headers: {
      ...pageHeaders,
      "content-security-policy": "default-src 'none'",
      ...(refusal.status === 401 && asksBrowser),
    },
  });
  return method === "HEAD" ? withoutBody(page) : page;
}

const asksBrowser = { "www-authenticate": 'Basic realm="adsim control"' };

/** For everything that a browser shows or runs. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "referrer-policy": "no-referrer",
  vary: "Accept",
};
