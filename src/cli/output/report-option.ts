/** The option `--report`. It only checks the form and loads nothing else, so that help appears at once. */

import { InvalidArgumentError, Option } from "commander";

/** A file to write a report to. */
export interface ReportTarget<Kind extends string = string> {
  readonly kind: Kind;
  readonly file: string;
}

/** `--report KIND=FILE` for these kinds. Several can be given with commas or by repeating the option. */
export function reportOption<Kind extends string>(kinds: readonly Kind[]): Option {
  const forms = kinds.map((kind) => `${kind}=FILE`).join(", ");
  const choice = `${forms}, or ${kinds.length === 2 ? "both with a comma between" : "several with commas between"}`;
  return new Option(
    "--report <KIND=FILE>",
    `write a report to a file: ${choice}; repeatable`,
  ).argParser((text: string, before: readonly ReportTarget<Kind>[] = []) => {
    // A comma belongs to a path unless another kind follows.
    const targets = text.split(/,(?=[a-z]+=)/).map((part): ReportTarget<Kind> => {
      const at = part.indexOf("=");
      const kind = kinds.find((each) => each === part.slice(0, at));
      const file = part.slice(at + 1);
      if (kind !== undefined && file !== "") return { kind, file };
      throw new InvalidArgumentError(`It must be ${choice}.`);
    });
    return [...before, ...targets];
  });
}
