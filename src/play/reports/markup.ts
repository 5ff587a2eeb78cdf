/** Templates of HTML and XML that escape everything inserted, except values that are `Markup` themselves. */

import { printableLines } from "../../base/text.ts";

export interface Markup {
  readonly markup: string;
}

type Inserted = Markup | readonly Markup[] | string | number;

/** A template tag: `markup\`<p>${text}</p>\``. */
export function markup(parts: TemplateStringsArray, ...inserted: readonly Inserted[]): Markup {
  const [first = "", ...rest] = parts;
  return { markup: rest.reduce((so, part, at) => so + textOf(inserted[at] ?? "") + part, first) };
}

function textOf(value: Inserted): string {
  if (typeof value !== "object") return escaped(String(value));
  return "markup" in value ? value.markup : value.map((each) => each.markup).join("");
}

/** Control characters become their code points. XML can't hold the last two of the basic plane at all. */
function escaped(text: string): string {
  return printableLines(text)
    .replaceAll(/[\ufffe\uffff]/g, "")
    .replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
