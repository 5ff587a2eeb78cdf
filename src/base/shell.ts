/** Quotes words for a POSIX shell, in lines that users paste. */

/** Quotes any text so that the shell interprets none of it. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Bytes in the form that `printf` in single quotes takes. It is part of the shell, so they can be of any number. */
export function printfFormat(bytes: Uint8Array): string {
  const escapes = Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return /[\w ",.:{}]/.test(character) ? character : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return escapes.join("");
}

/** A command line of these words. Quotes only the words that need it. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word))).join(" ");
}

/** The line that runs an installed adsim with these words. */
export function adsimLine(words: readonly string[]): string {
  return commandLine(["npx", "adsim", ...words]);
}
