/** What `serve` says when it is ready: for people with lines to paste, for programs as one JSON document. */

import type { Credentials } from "../accounts/account.ts";

/** What the message is about. */
export interface Ready {
  readonly url: string;
  /** The first few publishers, at least one. */
  readonly publishers: readonly Credentials[];
}

/** One line of JSON. */
export function readyEvent({ url, publishers }: Ready): string {
  return `${JSON.stringify({ event: "ready", url, publishers })}\n`;
}

/** Text. Its lines that begin with `curl` work in a POSIX shell as they stand, each on its own. */
export function readyText({ url, publishers }: Ready): string {
  const [publisher] = publishers;
  if (publisher === undefined) return `adsim is ready at ${url}\n`;
  const surfaces = publisher.surfaces.map(({ id, name }) => `${id}  ${oneLine(name)}`);
  return [
    `adsim is ready at ${url}`,
    "",
    `  publisher  ${publisher.id}`,
    `  API key    ${publisher.apiKey}`,
    `  surfaces   ${surfaces.join("\n             ")}`,
    "",
    "Paste any of these:",
    "",
    ...curlLines(url, publisher),
    "",
    "",
  ].join("\n");
}

/** One line for each operation. */
function curlLines(url: string, publisher: Credentials): string[] {
  const key = `-H ${quoted(`Authorization: Bearer ${publisher.apiKey}`)}`;
  const of = `publisher_id=${encodeURIComponent(publisher.id)}`;
  const surface = publisher.surfaces.find(({ status }) => status === "active");
  const reporting = ["stats", "surfaces", "payouts"].map(
    (name) => `curl ${quoted(`${url}/v1/publisher/${name}?${of}`)} ${key}`,
  );
  if (surface === undefined) return reporting;
  const fields = (adId: string): string =>
    `-d ${quoted(`${of}&surface=${encodeURIComponent(surface.id)}&ad_id=${adId}`)}`;
  const impression = (adId: string): string =>
    `${quoted(`${url}/v1/impression`)} ${key} ${fields(adId)}`;
  const itsId = `$(curl -s ${impression("ad-2")} | sed 's/.*"impression_id":"\\([^"]*\\)".*/\\1/')`;
  return [
    `curl ${impression("ad-1")}`,
    `curl ${quoted(`${url}/v1/click`)} ${key} --data-urlencode "impression_id=${itsId}"`,
    ...reporting,
  ];
}

/** For a POSIX shell. Nothing in it may act on the shell, whatever the ids look like. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A name is the population's, and some populations are out to break things. */
function oneLine(name: string): string {
  const plain = name.replaceAll(/\p{C}/gu, " ");
  return plain.length > 60 ? `${plain.slice(0, 59)}…` : plain;
}
