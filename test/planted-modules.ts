/**
 * Clients with a defect planted into their text, side by side in one process. Nothing is changed on disk: the module and those
 * that it imports are loaded once more from their text, which becomes the URL of the copy.
 *
 * A table of such defects is a text. `== FILE` and `@ TEXT`, which occurs there once, say what is replaced, until the next of
 * them. Then comes a line for each defect that says what is wrong, with the new text indented below it; there `@` stands for the
 * old one. A line that begins with `+` gives a change a name: a defect whose line ends with `+NAME` has that change besides.
 */

import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

interface Change {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface PlantedText {
  readonly says: string;
  readonly changes: readonly Change[];
}

/** The defects in a table. */
export function plantedIn(table: string): readonly PlantedText[] {
  const places: (Change & { line: string; replace: string })[] = [];
  let [file, find] = ["", ""];
  for (const line of table.split("\n")) {
    const place = places.at(-1);
    if (line === "" || line.startsWith("# ")) continue;
    if (line.startsWith("== ")) file = line.slice(3);
    else if (line.startsWith("@ ")) find = line.slice(2);
    else if (!line.startsWith("  ")) places.push({ line, file, find, replace: "" });
    else if (place) place.replace += `${line.replaceAll("@", () => place.find)}\n`;
  }
  const defects = places.filter(({ line }) => !line.startsWith("+"));
  return defects.map((place) => {
    const [says = "", ...names] = place.line.split(" +");
    const others = places.filter(({ line }) => names.some((name) => line === `+${name}`));
    if (others.length !== names.length) throw new Error(`Not all is there: ${place.line}`);
    return { says, changes: [place, ...others] };
  });
}

/** The module at this path with the changes in it and in what it imports. @throws Error if one can't be made. */
export async function importChanged(path: string, changes: readonly Change[]): Promise<object> {
  const left = new Set(changes);
  const url = urlOf(path, changes, left);
  for (const { file, find } of left) throw new Error(`${path}: not once in ${file}: ${find}`);
  return (await import(/* @vite-ignore */ url)) as object;
}

/** Takes the changes that were made from those `left`. A module that is imported twice is changed twice. */
function urlOf(path: string, changes: readonly Change[], left: Set<Change>): string {
  let text = readFileSync(path, "utf8");
  for (const change of changes) {
    const parts = text.split(change.find);
    if (!path.endsWith(`/${change.file}`) || parts.length !== 2) continue;
    text = parts.join(change.replace);
    left.delete(change);
  }
  const code = stripTypeScriptTypes(text).replaceAll(
    /(?<=from )"(\.[^"]+)"/g,
    (_, to: string) => `"${urlOf(join(path, "..", to), changes, left)}"`,
  );
  // Errors name the file, not all of its text.
  const named = Buffer.from(`${code}\n//# sourceURL=${path}`);
  return `data:text/javascript;base64,${named.toString("base64")}`;
}
