/** Reading header fields, whose names have no case. */

/** The value of the header with this lower-case name. */
export function headerOf(
  headers: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  const exact = headers[name];
  if (exact !== undefined) return exact;
  for (const sent in headers) {
    if (sent.length === name.length && sent.toLowerCase() === name) return headers[sent];
  }
  return undefined;
}

/** What the headers say of whose a request is and how its body is written. */
export interface BodyHeaders {
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
}

/**
 * The same as {@link headerOf} finds, in one pass. Undefined where one of them is there twice, in two spellings, or the body
 * is encoded: that is for others to judge.
 */
export function bodyHeadersOf(headers: Readonly<Record<string, string>>): BodyHeaders | undefined {
  let authorization: string | undefined;
  let contentType: string | undefined;
  for (const sent in headers) {
    // Names are told apart by their lengths first: there may be many.
    const { length } = sent;
    if (length === "authorization".length) {
      if (!isName(sent, "authorization", "Authorization")) continue;
      if (authorization !== undefined) return undefined;
      authorization = headers[sent];
    } else if (length === "content-type".length) {
      if (!isName(sent, "content-type", "Content-Type")) continue;
      if (contentType !== undefined) return undefined;
      contentType = headers[sent];
    } else if (length === "content-encoding".length) {
      if (isName(sent, "content-encoding", "Content-Encoding")) return undefined;
    }
  }
  return { authorization, contentType };
}

/** `usual`: how it is spelt mostly, where not in lower case. */
function isName(sent: string, name: string, usual: string): boolean {
  return sent === name || sent === usual || sent.toLowerCase() === name;
}
