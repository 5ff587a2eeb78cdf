/** The status of a refusal and the shape of its body (spec §7 is silent). */

import type { ApiResponse } from "../../src/spec/messages.ts";
import { expectEqual, expected } from "./check.ts";
import type { Choices } from "./choices.ts";

export function statusOf(code: string, choices: Choices): number {
  const status = statuses(choices)[code];
  if (status === undefined) throw new Error(`The oracle knows no code ${code}.`);
  return status;
}

function statuses(choices: Choices): Readonly<Record<string, number>> {
  const invalid = Number(choices["errors.invalid"]);
  return {
    missing_parameter: invalid,
    invalid_parameter: invalid,
    duplicate_parameter: invalid,
    unknown_parameter: invalid,
    malformed_body: 400,
    unsupported_media_type: 415,
    unauthorized: choices["auth.failure"] === "403" ? 403 : 401,
    foreign_publisher: 403,
    route_not_found: 404,
    publisher_not_found: 404,
    surface_not_found: choices["surface.unknown"] === "400" ? 400 : 404,
    impression_not_found: choices["click.unknown"] === "400" ? 400 : 404,
    method_not_allowed: 405,
    surface_inactive: 409,
    duplicate_impression: 409,
    duplicate_click: 409,
    click_too_late: 410,
    rate_limited: Number(choices["limit.exceeded"]),
  };
}

type Shape = Choices["errors.body"];

const contentTypes: Readonly<Record<Shape, string | undefined>> = {
  problem: "application/problem+json",
  envelope: "application/json",
  flat: "application/json",
  list: "application/json",
  text: "text/plain; charset=utf-8",
  html: "text/html; charset=utf-8",
  empty: undefined,
};

export function errorContentType(choices: Choices): string | undefined {
  return contentTypes[choices["errors.body"]];
}

/** Checks the shape of an error body, and its code if the shape has one. */
export function checkErrorBody(response: ApiResponse, code: string, choices: Choices): void {
  shapes[choices["errors.body"]](response, code);
}

const shapes: Readonly<Record<Shape, (response: ApiResponse, code: string) => void>> = {
  problem({ status, body }, code) {
    const problem = JSON.parse(body);
    const names = ["type", "title", "status", "detail", "code"];
    checkErrorMembers(problem, names);
    expectEqual("type", problem.type, `urn:adsim:error:${code}`);
    expectEqual("status in the body", problem.status, status);
    expectEqual("code", problem.code, code);
    expected("a title", isSentence(problem.title), problem);
    expected("a detail", isSentence(problem.detail), problem);
  },
  envelope({ body }, code) {
    const envelope = JSON.parse(body);
    expectEqual("members", Object.keys(envelope), ["error"]);
    checkCoded(envelope.error, code);
  },
  flat({ body }) {
    const flat = JSON.parse(body);
    expectEqual("members", Object.keys(flat), ["error"]);
    expected("a message", isSentence(flat.error), flat);
  },
  list({ body }, code) {
    const list = JSON.parse(body);
    expectEqual("members", Object.keys(list), ["errors"]);
    expectEqual("number of errors", list.errors.length, 1);
    checkCoded(list.errors[0], code);
  },
  text({ body }) {
    expected("a message", isSentence(body) && !/^[<{]/.test(body), body);
  },
  html({ body }) {
    expected("an HTML page", /^<!doctype html>\s*<html[\s>]/i.test(body), body);
    expected("a title", /<title>[^<]+<\/title>/i.test(body), body);
    expected("a whole page", /<\/html>\s*$/i.test(body), body);
    // Without the tags only text is left, and it must be escaped.
    const text = body.replaceAll(
      /<\/?[a-z][a-z0-9]*(?: [a-z-]+="[^"<>]*")*>|<!doctype html>/gi,
      "",
    );
    expected("escaped text", !/[<>]|&(?!(?:amp|lt|gt|quot|#39|apos);)/.test(text), body);
  },
  empty({ body, headers }) {
    expectEqual("body", body, "");
    expectEqual("content-length", headers["content-length"], "0");
  },
};

function checkCoded(
  error: { readonly code?: unknown; readonly message?: unknown },
  code: string,
): void {
  checkErrorMembers(error, ["code", "message"]);
  expectEqual("code", error.code, code);
  expected("a message", isSentence(error.message), error);
}

/** The members of an error: the documented ones, and `parameter` if present. */
function checkErrorMembers(object: object, names: readonly string[]): void {
  const documented = "parameter" in object ? [...names, "parameter"] : names;
  expectEqual("members", Object.keys(object), documented);
}

function isSentence(text: unknown): boolean {
  return typeof text === "string" && text.trim() !== "";
}
