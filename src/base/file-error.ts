/** Says in plain words why a file operation failed. */

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EISDIR: "it is a folder",
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of its path is not a folder",
  EPERM: "permission denied",
};

/** Plain words for a file system error; any other error's own message. Written to follow "can't be read: ". */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return reasons[code ?? ""] ?? error.message;
}
