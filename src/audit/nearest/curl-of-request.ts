/** Writes a request that arrived as a curl command for a POSIX shell, which sends the same again when pasted. */

import { printfFormat, shellQuote } from "../../base/shell.ts";
import { utf8Text } from "../../base/text.ts";
import { inUrl } from "../../journal/har.ts";
import { REDACTED, withoutSecrets } from "../../journal/secrets.ts";
import { ambientHeaders } from "../../journal/wire-exchange.ts";
import type { RequestParts } from "../../spec/messages.ts";

export interface CurlOfRequestOptions {
  /** Must hold nothing special to a shell. @default "$ADSIM_URL" */
  readonly baseUrl?: string | undefined;
  /** `redacted`: the shell takes every key from the environment variable ADSIM_API_KEY. */
  readonly secrets: "shown" | "redacted";
}

/**
 * Leaves out headers that clients send by themselves, and values that aren't printable ASCII. A body that a shell or a
 * terminal would change comes from `printf`.
 */
export function curlOfRequest(request: RequestParts, options: CurlOfRequestOptions): string {
  const { method, path, query, headers, body } = request;
  const split = options.secrets === "shown" ? (text: string) => [text] : splitAtKeys;
  const target = path.startsWith("/") ? path : "/";
  const url = inUrl(query === "" ? target : `${target}?${query}`);
  // With a body, curl would wait for one in the answer to HEAD.
  const data = method === "HEAD" || body.length === 0 ? undefined : dataOf(body, split);
  const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const words = [
    ...methodWords(method, data !== undefined),
    ...(/[[\]]/.test(url) ? ["--globoff"] : []),
    ...(/\/\.\.?(?:[/?]|$)/.test(url) ? ["--path-as-is"] : []),
    ...(path === target ? [] : [`--request-target ${word(split(inUrl(path)))}`]),
    `"${options.baseUrl ?? "$ADSIM_URL"}"${word(split(url))}`,
    ...Array.from(sent, ([name, value]) => headerWords(name, value, split)).flat(),
    // Otherwise curl would call every body a form.
    ...(data === undefined || sent.has("content-type") ? [] : ["-H 'Content-Type:'"]),
    ...(data === undefined ? [] : [data.word]),
  ];
  return `${data?.before ?? ""}curl ${words.join(" ")}`;
}

/** The texts before, between and after the keys in a text. */
type Split = (text: string) => readonly string[];

/** Other secrets, which no variable has, are replaced. */
function splitAtKeys(text: string): string[] {
  let mark = "\ue000";
  while (text.includes(mark)) mark += "\ue000";
  const isAddress = /@|%(?:25)*40|\\u0040/i;
  return withoutSecrets(text, (secret) => (isAddress.test(secret) ? REDACTED : mark)).split(mark);
}

const KEY = '"$ADSIM_API_KEY"';

/** A word of a command line. */
function word(parts: readonly string[]): string {
  return parts.map((part) => (part === "" ? "" : shellQuote(part))).join(KEY) || "''";
}

function methodWords(method: string, hasBody: boolean): string[] {
  if (method === "HEAD") return ["--head"];
  return method === (hasBody ? "POST" : "GET") ? [] : [`-X ${shellQuote(method)}`];
}

const fieldName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const fieldValue = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

function headerWords(name: string, value: string, split: Split): string[] {
  if (ambientHeaders.has(name) || !fieldName.test(name)) return [];
  if (value === "") return [`-H ${shellQuote(`${name};`)}`];
  if (!fieldValue.test(value)) return [];
  const isHidden = name === "authorization" && split === splitAtKeys;
  return [`-H ${word(isHidden ? authorizationParts(value) : split(`${name}: ${value}`))}`];
}

/** What was sent as a key may be another secret. */
function authorizationParts(value: string): string[] {
  const scheme = /^[a-z]+ +(?=\S)/i.exec(value)?.[0] ?? "";
  return [`authorization: ${scheme}`, ""];
}

/** The most characters in a word: systems limit it, but not what comes from `printf`. */
const MAX_WORD = 100_000;

interface Data {
  /** A command whose output is the body. */
  readonly before: string;
  readonly word: string;
}

function dataOf(body: string | Uint8Array, split: Split): Data {
  const text = typeof body === "string" ? body.toWellFormed() : utf8Text(body);
  // A terminal reacts to other control characters, and shows invisible ones wrongly.
  if (text !== undefined && !/[^\P{C}\n]/u.test(text)) {
    const typed = word(split(text));
    if (typed.length <= MAX_WORD) return { before: "", word: `--data-raw ${typed}` };
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const parts = split(binaryText(bytes));
  const keys = ` ${KEY}`.repeat(parts.length - 1);
  const format = parts.map(printfFormat).join("%s");
  return { before: `printf '${format}'${keys} | `, word: "--data-binary @-" };
}

/** Each byte as the character with that code. Secrets are ASCII. */
function binaryText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
