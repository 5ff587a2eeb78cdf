/** HAR 1.2 as JSON Schema, from the tables of the specification. Names with a leading underscore are custom fields. */

type Fields = Readonly<Record<string, object>>;

/** Every object may have a comment. */
function object(required: Fields, optional: Fields = {}): object {
  return {
    type: "object",
    properties: { ...required, ...optional, comment: text },
    patternProperties: { "^_": {} },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

const list = (items: object): object => ({ type: "array", items });
const text = { type: "string" };
const flag = { type: "boolean" };
const count = { type: "integer", minimum: -1 };
const milliseconds = { type: "number", minimum: 0 };
const timing = { type: "number", minimum: -1 };
/** ISO 8601 with a time zone. */
const instant = {
  type: "string",
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$",
};
const url = { type: "string", pattern: "^https?://[^/?#]+[!-~]*$", not: { pattern: "#" } };

const pair = object({ name: text, value: text });
const cookie = object(
  { name: text, value: text },
  { path: text, domain: text, expires: instant, httpOnly: flag, secure: flag },
);
const param = object({ name: text }, { value: text, fileName: text, contentType: text });
const sizes = { headersSize: count, bodySize: count };
const message = { httpVersion: text, cookies: list(cookie), headers: list(pair), ...sizes };
const request = object(
  { method: text, url, queryString: list(pair), ...message },
  { postData: object({ mimeType: text, params: list(param), text }) },
);
const content = object(
  { size: count, mimeType: text },
  { compression: count, text, encoding: text },
);
const response = object({
  ...{ status: { type: "integer" }, statusText: text, content, redirectURL: text },
  ...message,
});
const timings = object(
  { send: milliseconds, wait: milliseconds, receive: milliseconds },
  { blocked: timing, dns: timing, connect: timing, ssl: timing },
);
const cache = object({}, { beforeRequest: {}, afterRequest: {} });
const entry = object(
  { startedDateTime: instant, time: milliseconds, request, response, cache, timings },
  { pageref: text, serverIPAddress: text, connection: text },
);
const pageTimings = object({}, { onContentLoad: timing, onLoad: timing });
const page = object({ startedDateTime: instant, id: text, title: text, pageTimings });
const program = object({ name: text, version: text });

export const harSchema: object = object({
  log: object(
    { version: { const: "1.2" }, creator: program, entries: list(entry) },
    { browser: program, pages: list(page) },
  ),
});
