/** Quotes words for a POSIX shell, in lines that users paste. */

/** Quotes any text so that the shell interprets none of it. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command line of these words. Quotes only the words that need it. */
function commandLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word))).join(" ");
}

/** The line that runs an installed adsim with these words. */
export function adsimLine(words: readonly string[]): string {
  return commandLine(["npx", "adsim", ...words]);
}
