/** Hides secrets in what is shown of requests and answers, byte for byte, so that places in it stay as they are. */

import { utf8Length } from "../../base/text.ts";
import { withoutSecrets } from "../../journal/secrets.ts";

export function masked(text: string): string {
  return withoutSecrets(text, (secret) => "*".repeat(utf8Length(secret)));
}
