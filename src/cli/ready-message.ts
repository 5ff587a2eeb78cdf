/** What `serve` says when it is ready: for people with lines to paste, for programs as one JSON document. */

import type { Credentials } from "../accounts/account.ts";
import type { Choice } from "../assumptions/catalogue.ts";
import { oneLine } from "../base/text.ts";
import { quoted } from "./shell.ts";

/** Names are the population's, and some populations are out to break things. */
const LONGEST_NAME = 60;

/** What the message is about. */
export interface Ready {
  readonly url: string;
  /** The first few publishers, at least one. */
  readonly publishers: readonly Credentials[];
  /** How POST parameters are sent. */
  readonly encoding: Choice<"request.encoding">;
}

/** One line of JSON. */
export function readyEvent({ url, publishers }: Ready): string {
  return `${JSON.stringify({ event: "ready", url, publishers })}\n`;
}

/** Text. Its lines that begin with `curl` work in a POSIX shell as they stand, each on its own. */
export function readyText({ url, publishers, encoding }: Ready): string {
  const [publisher] = publishers;
  if (publisher === undefined) return `adsim is ready at ${url}\n`;
  const surfaces = publisher.surfaces.map(
    ({ id, name }) => `${id}  ${oneLine(name, LONGEST_NAME)}`,
  );
  return [
    `adsim is ready at ${url}`,
    "",
    `  publisher  ${publisher.id}`,
    `  API key    ${publisher.apiKey}`,
    `  surfaces   ${surfaces.join("\n             ")}`,
    "",
    "Paste any of these:",
    "",
    ...curlLines(url, publisher, posts[encoding]),
    "",
    "",
  ].join("\n");
}

/** curl's options for the parameters of a POST. `one`: for a value that the shell works out inside double quotes. */
interface Post {
  all(parameters: Readonly<Record<string, string>>): string;
  one(name: string, value: string): string;
}

const asForm: Post = {
  all: (parameters) => `-d ${quoted(new URLSearchParams(parameters).toString())}`,
  one: (name, value) => `--data-urlencode "${name}=${value}"`,
};
const jsonHeader = "-H 'Content-Type: application/json'";
const inQuery = "-G -X POST";

const posts = {
  any: asForm,
  form: asForm,
  json: {
    all: (parameters) => `${jsonHeader} -d ${quoted(JSON.stringify(parameters))}`,
    one: (name, value) => `${jsonHeader} -d "{\\"${name}\\":\\"${value}\\"}"`,
  },
  query: {
    all: (parameters) => `${inQuery} ${asForm.all(parameters)}`,
    one: (name, value) => `${inQuery} ${asForm.one(name, value)}`,
  },
} satisfies Record<Choice<"request.encoding">, Post>;

/** One line for each operation. */
function curlLines(url: string, publisher: Credentials, post: Post): string[] {
  const key = `-H ${quoted(`Authorization: Bearer ${publisher.apiKey}`)}`;
  const of = `publisher_id=${encodeURIComponent(publisher.id)}`;
  const surface = publisher.surfaces.find(({ status }) => status === "active");
  const reporting = ["stats", "surfaces", "payouts"].map(
    (name) => `curl ${quoted(`${url}/v1/publisher/${name}?${of}`)} ${key}`,
  );
  if (surface === undefined) return reporting;
  const impression = (adId: string): string => {
    const sent = post.all({ publisher_id: publisher.id, surface: surface.id, ad_id: adId });
    return `${quoted(`${url}/v1/impression`)} ${key} ${sent}`;
  };
  const itsId = `$(curl -s ${impression("ad-2")} | sed 's/.*"impression_id":"\\([^"]*\\)".*/\\1/')`;
  return [
    `curl ${impression("ad-1")}`,
    `curl ${quoted(`${url}/v1/click`)} ${key} ${post.one("impression_id", itsId)}`,
    ...reporting,
  ];
}
