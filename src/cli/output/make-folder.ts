/** Makes a folder. Node's recursive mkdir never ends if an existing parent accepts no new folder, as in /proc. */

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Also makes its parents. The new folders are added to `made`, the innermost first. */
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
