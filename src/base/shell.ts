/** Words for a POSIX shell, in lines that users paste. */

/** Nothing in it may act on the shell, whatever the text is. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command line of these words. Only words that need quotes have some. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word))).join(" ");
}
