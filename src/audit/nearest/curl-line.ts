/** Writes a curl command for a POSIX shell that works when pasted as it is. */

import { shellQuote } from "../../base/shell.ts";
import type { Choice } from "../../spec/assumptions/catalogue.ts";
import type { Operation } from "../../spec/operations.ts";

export interface CurlRequest {
  readonly operation: Operation;
  readonly parameters: Readonly<Record<string, string>>;
  /** An impression to make first: its id becomes the only parameter, `impression_id`. */
  readonly first?: CurlRequest | undefined;
}

export interface CurlOptions {
  readonly encoding: Choice<"request.encoding">;
  /** @default "$ADSIM_API_KEY", an environment variable */
  readonly apiKey?: string | undefined;
  /** Must hold nothing special to a shell. @default "$ADSIM_URL" */
  readonly baseUrl?: string | undefined;
}

/** How to send the parameters of a POST. `one`: a single one, whose value the shell evaluates inside double quotes. */
interface Post {
  all(parameters: Readonly<Record<string, string>>): string;
  one(name: string, value: string): string;
}

const asForm: Post = {
  all: (parameters) => `-d '${queryString(parameters)}'`,
  one: (name, value) => `--data-urlencode "${name}=${value}"`,
};
const asJson = "-H 'Content-Type: application/json'";
const inQuery = "-G -X POST";

const posts = {
  any: asForm,
  form: asForm,
  json: {
    all: (parameters) => `${asJson} -d ${shellQuote(JSON.stringify(parameters))}`,
    one: (name, value) => `${asJson} -d "{\\"${name}\\":\\"${value}\\"}"`,
  },
  query: {
    all: (parameters) => `${inQuery} ${asForm.all(parameters)}`,
    one: (name, value) => `${inQuery} ${asForm.one(name, value)}`,
  },
} satisfies Record<Choice<"request.encoding">, Post>;

export function curlLine(target: CurlRequest, options: CurlOptions): string {
  return `curl ${curlArguments(target, options)}`;
}

function curlArguments(
  { operation, parameters, first }: CurlRequest,
  options: CurlOptions,
): string {
  const { method } = operation;
  const url = `${options.baseUrl ?? "$ADSIM_URL"}${operation.path}`;
  // Safe in quotes: a key has only letters, digits and an underscore.
  const key = `-H "Authorization: Bearer ${options.apiKey ?? "$ADSIM_API_KEY"}"`;
  if (method === "GET") return `"${url}?${queryString(parameters)}" ${key}`;
  const post = posts[options.encoding];
  const sent =
    first === undefined
      ? post.all(parameters)
      : post.one(
          "impression_id",
          `$(curl -s ${curlArguments(first, options)} | sed 's/.*"impression_id":"\\([^"]*\\)".*/\\1/')`,
        );
  return `"${url}" ${key} ${sent}`;
}

/** Leaves no character that is special to a shell, in quotes or out of them. */
function queryString(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join("&");
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
