/** Makes a folder to write into. Not Node's own way, which never ends where a folder that is there takes no new one, as in /proc. */

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** With the folders that it lies in. `made`: gets those that it makes, the innermost first. */
export async function makeFolder(folder: string, made: string[] = []): Promise<void> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder), made);
  await mkdir(folder);
  made.unshift(folder);
}
