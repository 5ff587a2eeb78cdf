/** Says in words why the file system refused. */

const reasons: Readonly<Record<string, string>> = {
  EACCES: "this user may not",
  EFBIG: "it would be larger than a file may be",
  EISDIR: "it is a folder",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "there is no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is not a folder",
  EPERM: "this user may not",
  EROFS: "the file system is read-only",
};

/** The words for an error of the file system; what any other error says. They follow "can't be read: ". */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return reasons[code ?? ""] ?? error.message;
}
