/** Words for a POSIX shell, in lines that users paste. */

/** Nothing in it may act on the shell, whatever the text is. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
