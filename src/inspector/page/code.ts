/** Foreign text on the page: JSON indented and coloured, anything else as it is. Only ever text, never markup. */

import { html } from "htm/preact";
import { printableLines } from "../../base/text.ts";
import type { Part } from "./parts.ts";

/** Longer texts are shown without colour. */
const MAX_COLOURED = 40_000;
/** Longer texts are cut: a browser takes seconds to lay out a megabyte. */
const MAX_SHOWN = 200_000;
/** The same for lines: those of a long list are short, but many. */
const MAX_LINES = 5000;

/** After so many changes between lines that differ and lines that don't, nothing is marked any more. */
const MAX_RUNS = 2000;

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|[^"\d\-tfn]+|./g;

const structure = /"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g;

/** What is nested more deeply stays on its line: indentation would make a long text of a short one. */
const MAX_DEPTH = 20;

/** The text indented if it is JSON, and not too long. Values and repeated members stay as they were sent. */
function indented(text: string): string | undefined {
  if (text.length > MAX_SHOWN) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  let depth = 0;
  const line = (by: number): string => {
    const isDeep = Math.max(depth, depth + by) > MAX_DEPTH;
    depth += by;
    if (isDeep) return "";
    return `\n${"  ".repeat(depth)}`;
  };
  return text.replaceAll(structure, (token) => {
    if (token.startsWith('"')) return token;
    if (token === ":") return ": ";
    if (token === ",") return `,${line(0)}`;
    if (token === "{" || token === "[") return token + line(1);
    if (token === "}" || token === "]") return line(-1) + token;
    return token.replaceAll(/\s/g, "");
  });
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
  const whole = printableLines(json ?? text);
  const shown = beginningOf(whole);
  const isColoured = json !== undefined && whole.length < MAX_COLOURED;
  const paint = (part: string): unknown => (isColoured ? coloured(part) : part);
  const content = other === undefined ? paint(shown) : marked(shown, other, paint);
  return html`<pre class="code-text" tabindex="0" role="group" aria-label=${label}>${content}</pre>
    ${
      shown.length < whole.length &&
      html`<p class="quiet">Only the first ${shown.length} characters are shown.</p>`
    }`;
}

function beginningOf(text: string): string {
  let end = -1;
  for (let line = 0; line < MAX_LINES; line += 1) {
    end = text.indexOf("\n", end + 1);
    if (end === -1 || end >= MAX_SHOWN) return text.slice(0, MAX_SHOWN);
  }
  return text.slice(0, end);
}

/** The text in elements. Lines that stand together and are all missing in `other`, or all in it, share one. */
function marked(shown: string, other: string, paint: (part: string) => unknown): unknown[] {
  const known = new Set(
    printableLines(indented(other) ?? other)
      .split("\n")
      .map(withoutComma),
  );
  const runs: { readonly isKnown: boolean; readonly lines: string[] }[] = [];
  for (const line of shown.split("\n")) {
    const isKnown = known.has(withoutComma(line));
    const run = runs.at(-1);
    if (run?.isKnown === isKnown) run.lines.push(line);
    else runs.push({ isKnown, lines: [line] });
  }
  const shownRuns = runs.slice(0, MAX_RUNS);
  const rest = runs.slice(MAX_RUNS).flatMap(({ lines }) => lines);
  return [
    ...shownRuns.map(
      ({ isKnown, lines }, index) => html`<span key=${index} class=${isKnown ? "" : "differs"}>
        ${paint(lines.join("\n"))}${"\n"}
      </span>`,
    ),
    rest.join("\n"),
  ];
}

/** A member that became the last one isn't another member. */
function withoutComma(line: string): string {
  return line.replace(/,$/, "");
}

function coloured(json: string): unknown[] {
  return Array.from(json.matchAll(token), ([whole, text, colon, number, word]) => {
    if (text !== undefined && colon !== undefined) return [html`<b>${text}</b>`, colon];
    if (text !== undefined) return html`<i class="text">${text}</i>`;
    if (number !== undefined) return html`<i class="digits">${number}</i>`;
    if (word !== undefined) return html`<i class="word">${word}</i>`;
    return whole;
  });
}
