/** Starts the page. */

import { html } from "htm/preact";
import { render } from "preact";
import { App } from "./app.ts";

const address = new URL(document.baseURI);
const root = document.getElementById("page");
// No script may use an address with a password. The browser remembers it for the address without.
if (address.password !== "") location.replace(address.origin + address.pathname + address.hash);
else if (root !== null) render(html`<${App} />`, root);
