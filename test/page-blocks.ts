/** The blocks of code in a page of the documentation. */

export interface Block {
  /** As the page gives it after the fence, such as `sh`. */
  readonly language: string;
  readonly text: string;
  /** The last file that is named before it. */
  readonly file: string | undefined;
}

export function blocksOf(text: string): Block[] {
  // Text and blocks take turns.
  const parts = text.split(/^```/m);
  return parts.flatMap((part, index) => {
    if (index % 2 === 0) return [];
    const [language = ""] = part.split("\n", 1);
    const names = (parts[index - 1] ?? "").matchAll(/`([\w./[\]-]+\.[cm]?[jt]sx?)`/g);
    const file = Array.from(names, ([, name]) => name).at(-1);
    return [{ language, text: part.slice(language.length + 1), file }];
  });
}
