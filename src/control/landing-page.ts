/** The page for a person who opens the server's address in a browser. It isn't part of the API and creates no world. */

import type { PlainRequest } from "../exchange/plain-request.ts";
import { withoutBody } from "../exchange/respond.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { textResponse } from "./problem.ts";
import { controlRoutes } from "./routes.ts";

/** The page at this path; undefined if there is none, or if the client doesn't ask for HTML. */
export function landingPage({
  method,
  path,
  headers,
}: Pick<PlainRequest, "method" | "path" | "headers">): ApiResponse | undefined {
  const parts = /^((?:\/@[A-Za-z0-9._-]{1,64})?)(\/|\/_sim\/?)?$/.exec(path);
  if (parts === null || path === "" || !prefersHtml(headers.accept)) return undefined;
  if (method !== "GET" && method !== "HEAD") return undefined;
  const [, prefix = "", rest = "/"] = parts;
  const isControl = rest !== "/";
  const response = textResponse({
    status: 200,
    contentType: "text/html; charset=utf-8",
    body: isControl ? controlPage(prefix) : apiPage(prefix),
    headers: { "content-security-policy": "default-src 'none'", vary: "Accept" },
  });
  return method === "HEAD" ? withoutBody(response) : response;
}

/** Whether the client prefers HTML to every other type. */
function prefersHtml(accept = ""): boolean {
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

/** The prefix holds a checked name, so it needs no escaping. */
function apiPage(prefix: string): string {
  return page(
    "adsim",
    `<p>A simulated Publisher Advertising API answers below <code>${prefix}/v1</code> at this address. Requests need the API key of a publisher.</p>
<ul>
<li>${link(prefix, "publishers")}: publishers with their keys and surfaces</li>
<li>${link(prefix, "openapi.json")}: the API as an OpenAPI document</li>
<li>${link(prefix, "journal")}: the recorded requests with their answers</li>
<li>${link(prefix, "")}: the list of control operations</li>
</ul>`,
  );
}

function controlPage(prefix: string): string {
  const items = controlRoutes.map(({ method, path }) => {
    const isPage = method === "GET" && !path.includes(":") && path !== "events";
    const shown = isPage ? link(prefix, path) : `<code>${prefix}/_sim/${path}</code>`;
    return `<li>${method} ${shown}</li>`;
  });
  return page(
    "adsim: control API",
    `<p>The control API of this world: what it holds, and what can be changed in it. It speaks JSON.</p>
<ul>
${items.join("\n")}
</ul>`,
  );
}

function link(prefix: string, path: string): string {
  const target = `${prefix}/_sim/${path}`;
  return `<a href="${target}">${target}</a>`;
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<h1>${title}</h1>
${content}
</html>
`;
}
