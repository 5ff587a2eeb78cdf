/** A line of curl that gets an answer, for a POSIX shell: it works as it stands, on its own. */

import { shellQuote } from "../../base/shell.ts";
import type { Choice } from "../../spec/assumptions/catalogue.ts";
import type { Operation } from "../../spec/operations.ts";

/** A request that would be answered. */
export interface CurlRequest {
  readonly operation: Operation;
  readonly parameters: Readonly<Record<string, string>>;
  /** An impression to make first: its id becomes the one parameter `impression_id`. */
  readonly first?: CurlRequest | undefined;
}

export interface CurlOptions {
  readonly encoding: Choice<"request.encoding">;
  /** @default "$ADSIM_API_KEY", which leaves it to the environment */
  readonly apiKey?: string | undefined;
  /** Nothing in it may act on the shell. @default "$ADSIM_URL" */
  readonly baseUrl?: string | undefined;
}

/** How the parameters of a POST are sent. `one`: a value that the shell works out inside double quotes. */
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
  // A key is letters, digits and an underscore.
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

/** What is left as it is means nothing to a shell, in quotes or out of them. */
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
