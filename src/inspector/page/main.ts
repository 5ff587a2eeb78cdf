/** Starts the page. */

import { html } from "htm/preact";
import { render } from "preact";
import { App } from "./app.ts";

const root = document.getElementById("page");
if (root !== null) render(html`<${App} />`, root);
