/** HAR 1.2 as JSON Schema, from the tables of the specification. Names with a leading underscore are custom fields. */

const text = { type: "string" };
const count = { type: "integer", minimum: -1 };
const milliseconds = { type: "number", minimum: 0 };
/** ISO 8601 with a time zone. */
const instant = {
  type: "string",
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$",
};

/** `optional`: fields that may be left out; every object may have a comment. */
function object(
  properties: Readonly<Record<string, object>>,
  optional: readonly string[] = [],
): object {
  return {
    type: "object",
    properties: { ...properties, comment: text },
    patternProperties: { "^_": {} },
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}

const list = (items: object): object => ({ type: "array", items });
const pair = object({ name: text, value: text });
const cookie = object(
  {
    name: text,
    value: text,
    path: text,
    domain: text,
    expires: instant,
    httpOnly: { type: "boolean" },
    secure: { type: "boolean" },
  },
  ["path", "domain", "expires", "httpOnly", "secure"],
);
const postData = object({
  mimeType: text,
  params: list(
    object({ name: text, value: text, fileName: text, contentType: text }, [
      "value",
      "fileName",
      "contentType",
    ]),
  ),
  text,
});
const request = object(
  {
    method: text,
    url: { type: "string", pattern: "^https?://[^/?#]+[!-~]*$", not: { pattern: "#" } },
    httpVersion: text,
    cookies: list(cookie),
    headers: list(pair),
    queryString: list(pair),
    postData,
    headersSize: count,
    bodySize: count,
  },
  ["postData"],
);
const response = object({
  status: { type: "integer" },
  statusText: text,
  httpVersion: text,
  cookies: list(cookie),
  headers: list(pair),
  content: object({ size: count, compression: count, mimeType: text, text, encoding: text }, [
    "compression",
    "text",
    "encoding",
  ]),
  redirectURL: text,
  headersSize: count,
  bodySize: count,
});
const timing = { type: "number", minimum: -1 };
const entry = object(
  {
    pageref: text,
    startedDateTime: instant,
    time: milliseconds,
    request,
    response,
    cache: object({ beforeRequest: {}, afterRequest: {} }, ["beforeRequest", "afterRequest"]),
    timings: object(
      {
        blocked: timing,
        dns: timing,
        connect: timing,
        send: milliseconds,
        wait: milliseconds,
        receive: milliseconds,
        ssl: timing,
      },
      ["blocked", "dns", "connect", "ssl"],
    ),
    serverIPAddress: text,
    connection: text,
  },
  ["pageref", "serverIPAddress", "connection"],
);
const program = object({ name: text, version: text });

export const harSchema: object = object({
  log: object(
    {
      version: { const: "1.2" },
      creator: program,
      browser: program,
      pages: list(
        object({
          startedDateTime: instant,
          id: text,
          title: text,
          pageTimings: object({ onContentLoad: timing, onLoad: timing }, [
            "onContentLoad",
            "onLoad",
          ]),
        }),
      ),
      entries: list(entry),
    },
    ["browser", "pages"],
  ),
});
