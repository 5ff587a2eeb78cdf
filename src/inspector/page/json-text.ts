/** Foreign text on the page: JSON indented and coloured, anything else as it is. Only ever text, never markup. */

import { html } from "htm/preact";
import { printableLines } from "../../base/text.ts";
import type { Part } from "./parts.ts";

/** Longer texts are shown without colour. */
const MAX_COLOURED = 40_000;
/** Longer texts are cut: a browser takes seconds to lay out a megabyte. */
const MAX_SHOWN = 200_000;

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|[^"\d\-tfn]+|./g;

/** The text indented if it is JSON, otherwise undefined. */
function indented(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return undefined;
  }
}

/** `other`: the lines that it lacks are marked. */
export function Code(props: {
  readonly text: string;
  readonly other?: string | undefined;
  readonly isRaw?: boolean;
  readonly label: string;
}): Part {
  const { text, other, isRaw = false, label } = props;
  const json = isRaw ? undefined : indented(text);
  const shown = printableLines(json ?? text).slice(0, MAX_SHOWN);
  const isColoured = json !== undefined && shown.length < MAX_COLOURED;
  const lines = shown.split("\n");
  const known =
    other === undefined ? undefined : new Set(printableLines(indented(other) ?? other).split("\n"));
  const content =
    known === undefined
      ? isColoured
        ? coloured(shown)
        : shown
      : lines.map(
          (line, index) => html`<span key=${index} class=${known.has(line) ? "" : "differs"}>
            ${isColoured ? coloured(line) : line}${"\n"}
          </span>`,
        );
  return html`<pre class="code-text" tabindex="0" role="group" aria-label=${label}>${content}</pre>
    ${
      shown.length === MAX_SHOWN &&
      html`<p class="quiet">Only the first ${MAX_SHOWN} characters are shown.</p>`
    }`;
}

function coloured(json: string): unknown[] {
  return Array.from(json.matchAll(token), ([whole, text, colon, number, word]) => {
    if (text !== undefined && colon !== undefined) return [html`<b>${text}</b>`, colon];
    if (text !== undefined) return html`<i class="text">${text}</i>`;
    if (number !== undefined) return html`<i class="number">${number}</i>`;
    if (word !== undefined) return html`<i class="word">${word}</i>`;
    return whole;
  });
}
