/** Starts the page. */

import { html } from "htm/preact";
import { render } from "preact";
import { App } from "./app.ts";

const address = new URL(document.baseURI);
const root = document.getElementById("page");
if (address.password !== "") {
  // No script may use an address with a password. The browser remembers it for the address without.
  // The query makes it another document for Firefox, which would only move within this one.
  location.replace(`${address.origin}${address.pathname}?${address.hash}`);
} else if (root !== null) {
  const { href, pathname, hash } = location;
  if (href.endsWith(`?${hash}`)) history.replaceState(null, "", `${pathname}${hash}`);
  render(html`<${App} />`, root);
}
