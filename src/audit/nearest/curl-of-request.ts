/** Writes a request that arrived as a curl command for a POSIX shell, which sends the same again when pasted. */

import { printfFormat, shellQuote } from "../../base/shell.ts";
import { utf8Text } from "../../base/text.ts";
import { inUrl } from "../../journal/har.ts";
import { isSecretHeader, REDACTED } from "../../journal/secrets.ts";
import type { RequestParts } from "../../spec/messages.ts";

/** Headers that any HTTP client sends, and others that don't matter to the service. */
export const ambientHeaders: ReadonlySet<string> = new Set(
  (
    "accept accept-encoding accept-language connection content-length cookie expect host " +
    "keep-alive referer sec-fetch-mode transfer-encoding upgrade user-agent"
  ).split(" "),
);

export interface CurlOfRequestOptions {
  /** Must hold nothing special to a shell. @default "$ADSIM_URL" */
  readonly baseUrl?: string | undefined;
  /** `redacted`: the shell takes the key of Authorization from the environment variable ADSIM_API_KEY. */
  readonly secrets: "shown" | "redacted";
}

/**
 * Leaves out headers that clients send by themselves, and values that aren't printable ASCII. A body that a shell or a
 * terminal would change comes from `printf`.
 */
export function curlOfRequest(request: RequestParts, options: CurlOfRequestOptions): string {
  const { method, path, query, headers, body } = request;
  const target = path.startsWith("/") ? path : "/";
  const url = inUrl(query === "" ? target : `${target}?${query}`);
  // With a body, curl would wait for one in the answer to HEAD.
  const data = method === "HEAD" || body.length === 0 ? undefined : dataOf(body);
  const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const words = [
    ...methodWords(method, data !== undefined),
    ...(/[[\]]/.test(url) ? ["--globoff"] : []),
    ...(/\/\.\.?(?:[/?]|$)/.test(url) ? ["--path-as-is"] : []),
    ...(path === target ? [] : [`--request-target ${shellQuote(inUrl(path))}`]),
    `"${options.baseUrl ?? "$ADSIM_URL"}"${shellQuote(url)}`,
    ...Array.from(sent, ([name, value]) => headerWords(name, value, options.secrets)).flat(),
    // Otherwise curl would call every body a form.
    ...(data === undefined || sent.has("content-type") ? [] : ["-H 'Content-Type:'"]),
    ...(data === undefined ? [] : [data.word]),
  ];
  return `${data?.before ?? ""}curl ${words.join(" ")}`;
}

function methodWords(method: string, hasBody: boolean): string[] {
  if (method === "HEAD") return ["--head"];
  return method === (hasBody ? "POST" : "GET") ? [] : [`-X ${shellQuote(method)}`];
}

const fieldName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const fieldValue = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

function headerWords(
  name: string,
  value: string,
  secrets: CurlOfRequestOptions["secrets"],
): string[] {
  if (ambientHeaders.has(name) || !fieldName.test(name)) return [];
  if (value === "") return [`-H ${shellQuote(`${name};`)}`];
  if (!fieldValue.test(value)) return [];
  if (secrets === "shown" || !isSecretHeader(name))
    return [`-H ${shellQuote(`${name}: ${value}`)}`];
  if (name !== "authorization") return [`-H ${shellQuote(`${name}: ${REDACTED}`)}`];
  const scheme = /^[a-z]+ +(?=\S)/i.exec(value)?.[0] ?? "";
  return [`-H ${shellQuote(`authorization: ${scheme}`)}"$ADSIM_API_KEY"`];
}

/** The most characters in a word: systems limit it, but not what comes from `printf`. */
const MAX_WORD = 100_000;

interface Data {
  /** A command whose output is the body. */
  readonly before: string;
  readonly word: string;
}

function dataOf(body: string | Uint8Array): Data {
  const text = typeof body === "string" ? body.toWellFormed() : utf8Text(body);
  // A terminal reacts to other control characters, and shows invisible ones wrongly.
  if (text !== undefined && !/[^\P{C}\n]/u.test(text)) {
    const typed = shellQuote(text);
    if (typed.length <= MAX_WORD) return { before: "", word: `--data-raw ${typed}` };
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return { before: `printf '${printfFormat(bytes)}' | `, word: "--data-binary @-" };
}
