/**
 * Takes out of recorded requests whatever may be secret, because a trace is uploaded and passed on. Of all that a client sent,
 * only what the API reads is kept, unless it looks like a secret.
 */

import { toBase64, utf8Text } from "../base/text.ts";
import { headerOf } from "../exchange/headers.ts";
import type { RequestParts } from "../spec/messages.ts";
import type { Ids } from "../world/publishers/ids.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";
import type { KeyReference, RequestHead, TracedBytes, TracedText } from "./trace-form.ts";
import { type Hider, type HiderOf, isParameter, splitAtKeys } from "./trace-secrets.ts";

export interface TracedRequest {
  readonly head: RequestHead;
  readonly query: TracedText;
  readonly body: TracedText | TracedBytes;
  /** Whether something was left out. */
  readonly isRedacted: boolean;
}

export type RequestTracer = (request: RequestParts, world: WorldDescription) => TracedRequest;

export function createRequestTracer(hiderOf: HiderOf): RequestTracer {
  return ({ method, path, query, headers, body }, world) => {
    const hider = hiderOf(world);
    const { ids } = hider;
    let isRedacted = false;
    const keptAsText = (text: string, hidden: string): TracedText => {
      isRedacted ||= text !== hidden;
      return withReferences(hidden, ids);
    };
    const isForm = /form-urlencoded/i.test(headerOf(headers, "content-type") ?? "");
    const inText = (text: string): string =>
      isForm || !JSON_TEXT.test(text)
        ? hider.pairs(text, isForm ? "name" : "whole")
        : withoutSecretsInJson(text, hider);
    const noted = (sent: string, hidden: string): string => {
      isRedacted ||= sent !== hidden;
      return hidden;
    };
    const head = {
      method: noted(method, hider.method(method)),
      path: keptAsText(path, hider.path(path)),
      headers: Object.entries(headers).map(
        ([name, sent]) =>
          [
            noted(name, hider.headerName(name)),
            keptAsText(sent, hider.header(name, sent)),
          ] as const,
      ),
    };
    const traced = {
      head,
      query: keptAsText(query, hider.pairs(query, "name")),
      body: tracedBody(
        body,
        (text) => keptAsText(text, inText(text)),
        (bytes) => noted(bytes, withoutSecretsInJson(bytes, hider)),
      ),
    };
    return { ...traced, isRedacted };
  };
}

function withReferences(text: string, ids: Ids): TracedText {
  const parts = splitAtKeys(text, ids);
  if (parts.length === 1) return text;
  return parts.map((part, index): string | KeyReference => {
    const key = index % 2 === 1 ? ids.apiKey.decode(part) : undefined;
    return key === undefined ? part : [key.publisher, key.serial];
  });
}

const BYTE_ORDER_MARK = "\ufeff";

function tracedBody(
  body: string | Uint8Array,
  inText: (text: string) => TracedText,
  inBytes: (text: string) => string,
): TracedText | TracedBytes {
  if (typeof body === "string") return inText(body);
  const text = utf8Text(body);
  if (text !== undefined && !text.startsWith(BYTE_ORDER_MARK)) return inText(text);
  // Each byte as the character with its code, because secrets consist of ASCII.
  const characters = inBytes(Array.from(body, (byte) => String.fromCharCode(byte)).join(""));
  return { base64: toBase64(Uint8Array.from(characters, (one) => one.charCodeAt(0))) };
}

/** An object, a list or a string, even if it is broken; or another value. */
const JSON_TEXT = /^\s*(?:[[{"]|(?:true|false|null|-?\d[\d.eE+-]*)\s*$)/;
/** Strings, even unfinished ones; punctuation; and everything else. Finds them in broken JSON, too. */
const TOKENS = /"(?:[^"\\]|\\[\s\S])*(?:"|$)|[{}[\]]|[^\s"{}[\],:]+/g;
const COLON = /\s*:\s*/y;
const LITERAL = /^(?:true|false|null)$/;
const NUMBER = /^-?\d[\d.eE+-]*$/;
/** Before JSON: as a character, or as its bytes. */
const MARK = /^(?:\ufeff|\xef\xbb\xbf)/;

/**
 * Keeps the values of the API's own parameters: each is what directly follows its name. The layout stays, so that broken JSON
 * stays broken. In broken JSON other names become stars as well, since a value may stand where a name does.
 */
function withoutSecretsInJson(text: string, hider: Hider): string {
  const hiddenName = isValid(text.replace(MARK, "")) ? hider.name : hider.whole;
  let depth = 0;
  /** Where the value of a parameter begins. */
  let valueAt = -1;
  return text.replaceAll(TOKENS, (token, at: number) => {
    if (/^[{[]$/.test(token)) depth += 1;
    if (/^[}\]]$/.test(token)) depth -= 1;
    if (/^[{}[\]]$/.test(token) || LITERAL.test(token)) return token;
    COLON.lastIndex = at + token.length;
    if (token.startsWith('"') && COLON.test(text)) {
      const name = unquoted(token);
      const isKept = depth === 1 && isParameter(name);
      if (isKept) valueAt = COLON.lastIndex;
      return isKept ? token : quoted(hiddenName(name), token, hider);
    }
    const isNumber = NUMBER.test(token);
    if (at !== valueAt || !(isNumber || token.startsWith('"')))
      return isNumber ? token.replaceAll(/[1-9]/g, "1") : hiddenToken(token, hider);
    return isNumber ? hider.value(token) : quoted(hider.value(unquoted(token)), token, hider);
  });
}

function unquoted(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token.slice(1).replace(/"$/, "");
  }
}

/** The token with this content, in its own spelling if the content is the same and no key hides in the spelling. */
function quoted(content: string, token: string, hider: Hider): string {
  if (content === unquoted(token) && !hider.hasHiddenKey(token, content)) return token;
  const made = JSON.stringify(content);
  return isValid(token) ? made : hiddenToken(token, hider);
}

function isValid(token: string): boolean {
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
}

function hiddenToken(token: string, hider: Hider): string {
  if (!token.startsWith('"')) return hider.whole(token);
  const isClosed = token.length > 1 && token.endsWith('"');
  return `"${hider.whole(isClosed ? token.slice(1, -1) : token.slice(1))}${isClosed ? '"' : ""}`;
}
