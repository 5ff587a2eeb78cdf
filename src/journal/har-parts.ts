/** The small parts of an HTTP Archive: pairs of names and values, and the names of statuses. */

import { percentDecoded } from "../base/text.ts";

export interface NameValue {
  readonly name: string;
  readonly value: string;
}

export function headerPairs(headers: Readonly<Record<string, string>>): NameValue[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

/** The parameters of a query or a form. Invalid percent-encoding is left as it is. */
export function parametersOf(text: string): NameValue[] {
  return nameValues(text, "&").map(({ name, value }) => ({
    name: decoded(name),
    value: decoded(value),
  }));
}

/** `name=value` pairs between separators. */
export function nameValues(text: string, separator: "&" | ";"): NameValue[] {
  return text
    .split(separator)
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "")
    .map((pair) => {
      const equals = pair.indexOf("=");
      return equals === -1
        ? { name: pair, value: "" }
        : { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
    });
}

function decoded(text: string): string {
  return percentDecoded(text.replaceAll("+", " ")) ?? text;
}

/** The name of a status; empty if it isn't in the list. */
export function reasonPhrase(status: number): string {
  return phrases[status] ?? "";
}

/** The registered statuses (RFC 9110 §15, RFC 6585) that the service or a rule is likely to send. */
const phrases: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  203: "Non-Authoritative Information",
  204: "No Content",
  205: "Reset Content",
  206: "Partial Content",
  300: "Multiple Choices",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  411: "Length Required",
  412: "Precondition Failed",
  413: "Payload Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  417: "Expectation Failed",
  418: "I'm a Teapot",
  421: "Misdirected Request",
  422: "Unprocessable Entity",
  423: "Locked",
  424: "Failed Dependency",
  425: "Too Early",
  426: "Upgrade Required",
  428: "Precondition Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  451: "Unavailable For Legal Reasons",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  505: "HTTP Version Not Supported",
  511: "Network Authentication Required",
};
