/** Writes requests as curl commands for a POSIX shell. */

import { printfFormat, shellQuote } from "../../base/shell.ts";
import { utf8Text } from "../../base/text.ts";
import { headerOf } from "../../exchange/plain-request.ts";
import { inUrl } from "../../journal/har.ts";
import { isSecretHeader, REDACTED } from "../../journal/shown-entry.ts";
import type { Choice } from "../../spec/assumptions/catalogue.ts";
import type { RequestParts } from "../../spec/messages.ts";
import { type Operation, operations } from "../../spec/operations.ts";

/** Headers that any HTTP client sends, and others that don't matter to the service. */
export const ambientHeaders: ReadonlySet<string> = new Set(
  (
    "accept accept-encoding accept-language connection content-length cookie expect host " +
    "keep-alive referer sec-fetch-mode transfer-encoding upgrade user-agent"
  ).split(" "),
);

/** What the shell takes from environment variables unless it is given: the address from ADSIM_URL, the key from ADSIM_API_KEY. */
interface CurlOptions {
  readonly baseUrl?: string | undefined;
  readonly secrets: "shown" | "redacted";
}

/** Sends a request again. Leaves out headers that clients send by themselves, and values that aren't printable ASCII. */
export function curlOfRequest(request: RequestParts, { baseUrl, secrets }: CurlOptions): string {
  const { method, path, query, headers, body } = request;
  const url = inUrl(query === "" ? path : `${path}?${query}`);
  const hasBody = body.length > 0 && method !== "HEAD";
  const isUsual = method === (hasBody ? "POST" : "GET");
  const words = [
    // With -X HEAD, curl would wait for a body.
    ...(method === "HEAD" ? ["--head"] : isUsual ? [] : [`-X ${shellQuote(method)}`]),
    ...(/[[\]]/.test(url) ? ["--globoff"] : []),
    baseUrl === undefined ? `"$ADSIM_URL"${shellQuote(url)}` : shellQuote(baseUrl + url),
    ...Object.entries(headers).flatMap(([name, value]) => headerWords(name, value, secrets)),
  ];
  if (!hasBody) return `curl ${words.join(" ")}`;
  // Otherwise curl would call every body a form.
  if (headerOf(headers, "content-type") === undefined) words.push("-H 'Content-Type:'");
  const text = utf8Text(body)?.toWellFormed();
  // A terminal reacts to other control characters, and shows invisible ones wrongly.
  if (text !== undefined && !/[^\P{C}\n]/u.test(text)) {
    return `curl ${words.join(" ")} --data-raw ${shellQuote(text)}`;
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return `printf '${printfFormat(bytes)}' | curl ${words.join(" ")} --data-binary @-`;
}

function headerWords(name: string, value: string, secrets: CurlOptions["secrets"]): string[] {
  const lower = name.toLowerCase();
  if (ambientHeaders.has(lower) || !/^[\x20-\x7e]*$/.test(value)) return [];
  // curl says it by itself.
  if (lower === "content-type" && value === FORM_TYPE) return [];
  if (value === "") return [`-H ${shellQuote(`${name};`)}`];
  const isShown = secrets === "shown" || !isSecretHeader(name);
  if (lower !== "authorization" || isShown) {
    return [`-H ${shellQuote(`${name}: ${isShown ? value : REDACTED}`)}`];
  }
  const scheme = /^[a-z]+ +(?=\S)/i.exec(value)?.[0] ?? "";
  return [`-H ${shellQuote(`${name}: ${scheme}`)}"$ADSIM_API_KEY"`];
}

/** The key and the address come from the environment variables unless they are given. */
export interface CurlLineOptions extends Pick<CurlOptions, "baseUrl"> {
  readonly encoding: Choice<"request.encoding">;
  readonly apiKey?: string | undefined;
}

type Parameters = Readonly<Record<string, string>>;
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Sends a request with these parameters. */
export function curlLine(
  { method, path }: Operation,
  parameters: Parameters,
  { encoding, apiKey, baseUrl }: CurlLineOptions,
): string {
  const isInQuery = method === "GET" || encoding === "query";
  const isJson = encoding === "json" && !isInQuery;
  const pairs = new URLSearchParams(parameters).toString();
  const headers = {
    Authorization: `Bearer ${apiKey ?? REDACTED}`,
    "Content-Type": isJson ? "application/json" : FORM_TYPE,
  };
  const [query, body] = isInQuery ? [pairs, ""] : ["", isJson ? JSON.stringify(parameters) : pairs];
  const secrets = apiKey === undefined ? "redacted" : "shown";
  return curlOfRequest({ method, path, query, headers, body }, { baseUrl, secrets });
}

/** Sends an impression with these parameters, and then a click on it. */
export function clickLine(impression: Parameters, options: CurlLineOptions): string {
  const first = curlLine(operations.impression, impression, options).replace("curl", "curl -s");
  // In a form, a plus is a blank.
  const plus = options.encoding === "json" ? "" : ";s/+/%2B/";
  const id = `$(${first} | sed 's/.*"impression_id":"\\([^"]*\\)".*/\\1/${plus}')`;
  const click = curlLine(operations.click, { impression_id: "IMPRESSION" }, options);
  return click.replace("IMPRESSION", () => `'"${id}"'`);
}
