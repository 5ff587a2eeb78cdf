/**
 * Takes out of recorded requests whatever may be secret, because a trace is uploaded and passed on. Of all that a client sent,
 * only what the API reads is kept, unless it looks like a secret.
 */

import { toBase64, utf8Text } from "../base/text.ts";
import { headerOf } from "../exchange/headers.ts";
import { resolveAssumptions } from "../spec/assumptions/resolve.ts";
import type { RequestParts } from "../spec/messages.ts";
import { createIds, type Ids } from "../world/publishers/ids.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";
import type { KeyReference, RequestHead, TracedBytes, TracedText } from "./trace-form.ts";
import { createHider, type Hider, isParameter, splitAtKeys } from "./trace-secrets.ts";

export interface TracedRequest {
  readonly head: RequestHead;
  readonly query: TracedText;
  readonly body: TracedText | TracedBytes;
  /** Whether something was left out. */
  readonly isRedacted: boolean;
}

export type RequestTracer = (request: RequestParts, world: WorldDescription) => TracedRequest;

export function createRequestTracer(): RequestTracer {
  const worlds = new Map<string, { readonly ids: Ids; readonly hider: Hider }>();

  function partsFor({ seed, assumptions }: WorldDescription): { ids: Ids; hider: Hider } {
    const inForce = resolveAssumptions(assumptions);
    const name = JSON.stringify([seed, inForce["ids.format"]]);
    const known = worlds.get(name);
    if (known !== undefined) return known;
    const ids = createIds(seed, inForce);
    const made = { ids, hider: createHider(ids) };
    worlds.set(name, made);
    return made;
  }

  return ({ method, path, query, headers, body }, world) => {
    const { ids, hider } = partsFor(world);
    let isRedacted = false;
    const keptAsText = (text: string, hidden: string): TracedText => {
      isRedacted ||= text !== hidden;
      return withReferences(hidden, ids);
    };
    const isForm = /form-urlencoded/i.test(headerOf(headers, "content-type") ?? "");
    const inText = (text: string): string =>
      isForm || !/^\s*[[{"]/.test(text) ? hider.pairs(text) : withoutSecretsInJson(text, hider);
    const noted = (sent: string, hidden: string): string => {
      isRedacted ||= sent !== hidden;
      return hidden;
    };
    const head = {
      method: noted(method, hider.value(method)),
      path: keptAsText(path, hider.path(path)),
      headers: Object.entries(headers).map(
        ([name, sent]) =>
          [noted(name, hider.name(name)), keptAsText(sent, hider.header(name, sent))] as const,
      ),
    };
    const traced = {
      head,
      query: keptAsText(query, hider.pairs(query)),
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

/** Strings, even unfinished ones; punctuation; and everything else. Finds them in broken JSON, too. */
const TOKENS = /"(?:[^"\\]|\\[\s\S])*(?:"|$)|[{}[\]]|[^\s"{}[\],:]+/g;
const COLON = /\s*:/y;
const LITERAL = /^(?:true|false|null)$/;
const NUMBER = /^-?\d[\d.eE+-]*$/;

/** Keeps the values of the API's own parameters. The layout stays, so that broken JSON stays broken. */
function withoutSecretsInJson(text: string, hider: Hider): string {
  let depth = 0;
  let isKept = false;
  return text.replaceAll(TOKENS, (token, at: number) => {
    if (/^[{[]$/.test(token)) depth += 1;
    if (/^[}\]]$/.test(token)) depth -= 1;
    if (/^[{}[\]]$/.test(token) || LITERAL.test(token)) return token;
    COLON.lastIndex = at + token.length;
    if (token.startsWith('"') && COLON.test(text)) {
      const name = unquoted(token);
      isKept = depth === 1 && isParameter(name);
      return isKept ? token : quoted(hider.name(name), token, hider);
    }
    if (!(isKept && depth === 1)) {
      return NUMBER.test(token) ? token.replaceAll(/[1-9]/g, "1") : hiddenToken(token, hider);
    }
    if (!token.startsWith('"')) return hider.value(token);
    return quoted(hider.value(unquoted(token)), token, hider);
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
