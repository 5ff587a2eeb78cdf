/** The base URL at which an adapter that intercepts requests offers the service. */

import { InputError } from "../base/input.ts";

/** @returns a function that finds the API's path in a URL, as sent; undefined if the URL isn't the API's. */
export function pathBelow(base: URL): (url: URL) => string | undefined {
  const prefix = base.pathname.endsWith("/") ? base.pathname.slice(0, -1) : base.pathname;
  return ({ origin, pathname }) => {
    if (origin !== base.origin) return undefined;
    if (pathname === prefix) return "/";
    return pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : undefined;
  };
}

/** In a browser it may be relative to the page. @throws InputError */
export function parseBaseUrl(baseUrl: string | URL): URL {
  // Only a browser has a location.
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  const url = URL.canParse(baseUrl, page) ? new URL(baseUrl, page) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InputError("baseUrl", 'must be an http or https URL, such as "https://ads.example"');
  }
  return url;
}
