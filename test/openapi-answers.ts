/** The answers that the API's document lists, for tests that each of them occurs. */

import type { ApiResponse } from "../src/contract/messages.ts";
import type { OpenApiDocument } from "../src/exchange/openapi.ts";

/** Errors that only a transport makes: no request given to `handle` can have them. */
export const ofTransports: readonly string[] = [
  "malformed_request",
  "request_timeout",
  "headers_too_large",
];
/** The statuses that no other error has. */
const statusesOfTransports = ["408", "431"];

/** Every answer that the document lists, transports' aside: method, path, status and error code. */
export function answersListed(document: OpenApiDocument): string[] {
  const answers: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      for (const status of Object.keys(responses)) {
        // HEAD has the statuses of GET, without the bodies that tell the codes.
        const described = (methods.get ?? methods.post)?.responses[status];
        const schema = Object.values(described?.content ?? {})[0]?.schema;
        const told = codesOf(schema);
        if (told.length === 0 && statusesOfTransports.includes(status)) continue;
        const codes = (told.length === 0 ? [""] : told).filter(
          (code) => !ofTransports.includes(code),
        );
        const answer = `${method.toUpperCase()} ${path} ${status}`;
        for (const code of codes) answers.push(`${answer} ${method === "head" ? "" : code}`);
      }
    }
  }
  return answers;
}

/** The error codes that a schema tells; none where the shape of errors doesn't show them. */
function codesOf(schema: unknown): readonly string[] {
  const [, codes = ""] = /"code":\{"enum":\[([^\]]*)\]/.exec(JSON.stringify(schema) ?? "") ?? [];
  return codes === "" ? [] : codes.split(",").map((code) => JSON.parse(code));
}

export function codeIn(response: Pick<ApiResponse, "body">): string {
  return /"code":"([a-z_]+)"/.exec(response.body)?.[1] ?? "";
}
