/** HTML templates that escape everything inserted, except values that are `Html` themselves. */

export interface Html {
  readonly html: string;
}

type Inserted = Html | readonly Html[] | string | number;

/** A template tag: `html\`<p>${text}</p>\``. */
export function html(parts: TemplateStringsArray, ...inserted: readonly Inserted[]): Html {
  const [first = "", ...rest] = parts;
  return { html: rest.reduce((so, part, at) => `${so}${textOf(inserted[at])}${part}`, first) };
}

function textOf(value: Inserted | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "object") return escaped(String(value));
  return "html" in value ? value.html : value.map((each) => each.html).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes markup, and shows control and text-direction characters as their code points. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")
    .replaceAll(
      /[^\t\n\P{Cc}]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}
