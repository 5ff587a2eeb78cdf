/**
 * Compares answers with the API's document: status listed, headers as described, body in the schema, error code among those
 * of the status (invariant H1). The document's schemas are open, since clients should expect further fields. Here they are
 * closed, so that a field that nobody documented is noticed.
 */

import { Ajv2020 } from "ajv/dist/2020.js";
import type { Assumptions } from "../../../src/spec/assumptions/catalogue.ts";
import type { ApiResponse } from "../../../src/spec/messages.ts";
import type { OpenApiDocument } from "../../../src/spec/openapi.ts";
import { codeIn } from "./openapi-answers.ts";

type OpenApiResponse = OpenApiDocument["paths"][string][string]["responses"][string];

/** What of a response contradicts the document; empty if nothing does. */
export type Conformance = (
  request: { readonly method: string; readonly path: string },
  response: ApiResponse,
) => string[];

export function createConformance(
  document: OpenApiDocument,
  assumptions: Pick<Assumptions, "response.form">,
): Conformance {
  const ajv = createAjv();
  ajv.addSchema(closed(document, assumptions), "api");

  return ({ method, path }, response) => {
    const { status, headers, body } = response;
    const described = describedResponse(document, method, path, status);
    if (described === undefined)
      return [`${method} ${path}: the document has no response with status ${status}`];
    const problems = [...codeProblems(described, response)];
    for (const [name, header] of Object.entries(described.headers))
      problems.push(...headerProblems(ajv, name, header, headers[name.toLowerCase()]));
    const type = headers["content-type"];
    const { content } = described;
    if (content === undefined) {
      if (body !== "") problems.push("a body where none is described");
      // HEAD has the content type of the body that GET has.
      if (method !== "HEAD" && type !== undefined)
        problems.push("a content type where no body is described");
      return problems;
    }
    const { schema } = content[type ?? ""] ?? {};
    if (schema === undefined) return [...problems, `content type ${type} is not described`];
    const validate = ajv.getSchema(`api${schema.$ref}`);
    if (validate === undefined) throw new Error("Every body has a named schema.");
    if (!validate(type?.includes("json") ? JSON.parse(body) : body))
      problems.push(`${ajv.errorsText(validate.errors)} in ${body}`);
    return problems;
  };
}

export function createAjv(): Ajv2020 {
  return new Ajv2020({ strict: false, allErrors: true, formats: { date: isDate } });
}

/** The document with closed schemas; those of successes stay open under response.form=evolved. */
function closed(
  document: OpenApiDocument,
  assumptions: Pick<Assumptions, "response.form">,
): OpenApiDocument {
  const open = assumptions["response.form"] === "evolved";
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => [
    name,
    open && name !== "Problem" ? schema : closedSchema(schema),
  ]);
  const components = { ...document.components, schemas: Object.fromEntries(schemas) };
  return { ...document, components };
}

function closedSchema(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closedSchema);
  const parts = Object.entries(schema).map(([keyword, part]) => [keyword, closedSchema(part)]);
  const isObject = "type" in schema && schema.type === "object";
  return { ...Object.fromEntries(parts), ...(isObject ? { additionalProperties: false } : {}) };
}

function describedResponse(
  { paths }: OpenApiDocument,
  method: string,
  path: string,
  status: number,
): OpenApiResponse | undefined {
  const [bare = path] = path.split("?");
  // Methods have a case: `get` isn't the method that the document calls `get`.
  const isUpper = method === method.toUpperCase();
  const operation = isUpper ? paths[bare]?.[method.toLowerCase()] : undefined;
  if (operation !== undefined) return operation.responses[status];
  // The document leaves these refusals out. They look like those of any operation.
  const any = paths["/v1/click"]?.post?.responses[408];
  const code = paths[bare] === undefined ? "route_not_found" : "method_not_allowed";
  if (any === undefined) return undefined;
  const { content, ...others } = { ...any, "x-error-codes": [code] as const };
  return method === "HEAD" || content === undefined ? others : { ...others, content };
}

function codeProblems(described: OpenApiResponse, response: ApiResponse): string[] {
  const code = codeIn(response);
  const codes: readonly string[] = described["x-error-codes"] ?? [];
  return code === "" || codes.includes(code) ? [] : [`${code} is no error of this status`];
}

function headerProblems(
  ajv: Ajv2020,
  name: string,
  header: OpenApiResponse["headers"][string],
  text: string | undefined,
): string[] {
  if (text === undefined) return header.required ? [`${name} is missing`] : [];
  const value = header.schema.type === "integer" ? Number(text) : text;
  return ajv.validate(header.schema, value) ? [] : [`${name}: ${text}: ${ajv.errorsText()}`];
}

function isDate(text: string): boolean {
  return new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
}
