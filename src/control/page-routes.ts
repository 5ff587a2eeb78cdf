/** The inspector: the page of a world, with its script and style. Loading them opens no world; the script then does. */

import { InputError } from "../base/input.ts";
import { pageHeaders } from "./browsers.ts";
import type { ControlCall, ControlRoute, InspectorPage, Reply } from "./route.ts";

/** Nothing from elsewhere, and nothing that a client sent can become a script. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const pageRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "", isForBrowsers: true, answer: asset("html", "text/html") },
  { method: "GET", path: "inspector.js", answer: asset("script", "text/javascript") },
  { method: "GET", path: "inspector.css", answer: asset("style", "text/css") },
];

function asset(name: keyof InspectorPage, type: string): ControlRoute["answer"] {
  return async ({ modules }: ControlCall): Promise<Reply> => {
    const page = await modules.inspector?.();
    if (page === undefined) {
      throw new InputError("path", "needs the inspector, which is available over HTTP", "conflict");
    }
    const headers = { ...pageHeaders, "content-security-policy": POLICY };
    return { kind: "text", contentType: `${type}; charset=utf-8`, text: page[name], headers };
  };
}
