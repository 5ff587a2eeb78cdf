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
  replace: string;
}

export interface PlantedText {
  readonly says: string;
  readonly changes: readonly Change[];
}

/** The defects in a table. */
export function plantedIn(table: string): readonly PlantedText[] {
  const places: { line: string; change: Change }[] = [];
  let [file, find] = ["", ""];
  for (const line of table.split("\n")) {
    if (line === "" || line.startsWith("# ")) continue;
    if (line.startsWith("== ")) file = line.slice(3);
    else if (line.startsWith("@ ")) find = line.slice(2);
    else if (!line.startsWith("  ")) places.push({ line, change: { file, find, replace: "" } });
    else {
      const { change } = places.at(-1) ?? {};
      if (change !== undefined) change.replace += `${line.replaceAll("@", () => change.find)}\n`;
    }
  }
  return places.flatMap(({ line, change }) => {
    const [says = "", ...names] = line.split(" +");
    const others = places.filter((one) => names.some((name) => one.line === `+${name}`));
    if (others.length !== names.length) throw new Error(`Not all is there: ${line}`);
    const changes = [change, ...others.map((one) => one.change)];
    return line.startsWith("+") ? [] : [{ says, changes }];
  });
}

/**
 * The module at this path with the changes in it and in the modules that it imports.
 *
 * @throws Error where what is to be changed isn't there, or more than once.
 */
export async function importChanged(path: string, changes: readonly Change[]): Promise<object> {
  const left = new Set(changes);
  const url = urlOf(path, changes, left);
  for (const { file } of left) throw new Error(`${path} doesn't import ${file}.`);
  return (await import(/* @vite-ignore */ url)) as object;
}

function urlOf(path: string, changes: readonly Change[], left: Set<Change>): string {
  let text = readFileSync(path, "utf8");
  for (const change of changes) {
    const { file, find, replace } = change;
    if (!path.endsWith(`/${file}`)) continue;
    const parts = text.split(find);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${find}`);
    text = parts.join(replace);
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
