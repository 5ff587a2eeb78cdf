/** Starts the page. */

import { html } from "htm/preact";
import { render } from "preact";
import { App } from "./app.ts";

const address = new URL(document.baseURI);
const root = document.getElementById("page");
if (address.password !== "") {
  // No script may use an address with a password. The browser remembers it for the address without.
  address.username = "";
  address.password = "";
  location.replace(address);
} else if (root !== null) render(html`<${App} />`, root);
