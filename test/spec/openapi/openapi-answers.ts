/** The answers that the API's document lists, for tests that each of them occurs. */

import type { ApiResponse } from "../../../src/spec/messages.ts";
import type { OpenApiDocument } from "../../../src/spec/openapi.ts";

/** Errors that only a transport makes: no request given to `handle` can have them. */
export const ofTransports: readonly string[] = [
  "malformed_request",
  "request_timeout",
  "headers_too_large",
];

/**
 * Every answer that the document lists, except those of transports: method, path, status and error code. HEAD has the errors of
 * GET without the bodies: they aren't listed again.
 */
export function answersListed(document: OpenApiDocument): string[] {
  const answers: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      for (const status of Object.keys(responses)) {
        const codes = responses[status]?.["x-error-codes"] ?? [];
        const answer = `${method.toUpperCase()} ${path} ${status}`;
        const provoked = codes.filter((code) => !ofTransports.includes(code));
        if (status === "200") answers.push(`${answer} `);
        else if (method === "head" || provoked.length === 0) continue;
        // Bodies of some shapes don't tell the code.
        else if (!codesAreTold(document)) answers.push(`${answer} `);
        else answers.push(...provoked.map((code) => `${answer} ${code}`));
      }
    }
  }
  return answers;
}

function codesAreTold(document: OpenApiDocument): boolean {
  return JSON.stringify(document.components.schemas.Problem ?? {}).includes('"code":');
}

export function codeIn(response: Pick<ApiResponse, "body">): string {
  return /"code":"([a-z_]+)"/.exec(response.body)?.[1] ?? "";
}
