/** Quotes words for a POSIX shell, in lines that users paste. */

/** Quotes any text so that the shell interprets none of it. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Bytes, as the characters with these codes, in the form that `printf` in single quotes takes. `printf` is part of the shell,
 * so they can be of any number.
 */
export function printfFormat(bytes: string): string {
  const escaped = bytes.replaceAll(/[^\x20-\x7e]|['\\%]/g, (one) =>
    one === "%" || one === "\\" ? one + one : octal(one),
  );
  // Not an option.
  return escaped.startsWith("-") ? octal("-") + escaped.slice(1) : escaped;
}

function octal(byte: string): string {
  return `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`;
}

/** A command line of these words. Quotes only the words that need it. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word))).join(" ");
}

/** The line that runs an installed adsim with these words. */
export function adsimLine(words: readonly string[]): string {
  return commandLine(["npx", "adsim", ...words]);
}
