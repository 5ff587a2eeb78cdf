/** Hides secrets in what is shown of requests and answers, byte for byte, so that places in it stay as they are. */

import { utf8Length } from "../base/text.ts";

// A character as it is, percent-encoded (its percent sign too, as often as it may be), or escaped in JSON.
const encoded = "(?:%(?:25)*|\\\\u00)";
const key =
  `(?:k|${encoded}[46]b)(?:e|${encoded}[46]5)(?:y|${encoded}[57]9)(?:_|${encoded}5f)` +
  `(?:[0-9a-z]|${encoded}(?:3[0-9]|[46][1-9a-f]|[57][0-9a])){13}`;
const paymentAddress = '[^\\s"@]+@invalid\\b|(?<="upi_id":\\s*")[^"]+';
const secret: RegExp = new RegExp(`${key}|${paymentAddress}`, "gi");

export function masked(text: string): string {
  return text.replaceAll(secret, (found) => "*".repeat(utf8Length(found)));
}
