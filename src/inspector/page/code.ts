/** Foreign text on the page. Only ever text, never markup. */

import { html } from "htm/preact";
import { orUndefined, printableLines } from "../../base/text.ts";
import type { Part } from "./parts.ts";

/** Longer texts are cut: a browser takes seconds to lay out a megabyte. */
const MAX_SHOWN = 200_000;

export function Code(props: { readonly text: string; readonly label: string }): Part {
  const whole = printableLines(indented(props.text) ?? props.text);
  return html`<pre class="code-text" tabindex="0" role="group" aria-label=${props.label}>${whole.slice(0, MAX_SHOWN)}</pre>
    ${whole.length > MAX_SHOWN && html`<p class="quiet">Only the first ${MAX_SHOWN} characters are shown.</p>`}`;
}

/** JSON, if indenting it changes nothing but white space: repeated members and long numbers must stay as they were sent. */
function indented(text: string): string | undefined {
  if (text.length > MAX_SHOWN) return undefined;
  const json = orUndefined(() => JSON.stringify(JSON.parse(text), undefined, 2));
  const tight = (one = ""): string => one.replaceAll(/\s/g, "");
  return tight(json) === tight(text) ? json : undefined;
}
