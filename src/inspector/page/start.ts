/** What stands in place of the list while nothing has happened: lines to paste, and the worlds where something has. */

import { html } from "htm/preact";
import type { Choices, Listing, WorldSummary } from "./contract.ts";
import { busyOf, WorldLinks } from "./header.ts";
import { useLoaded } from "./loading.ts";
import { CopyButton, type Part, Waiting } from "./parts.ts";
import type { Source } from "./source.ts";

export function Start(props: {
  readonly source: Source;
  readonly worlds: readonly WorldSummary[];
}): Part {
  const { source, worlds } = props;
  const busy = busyOf(worlds, source);
  return html`<h2>${source.isFile ? `Nothing happened in the world ${source.world}.` : "Waiting for the first request"}</h2>
    ${busy.length > 0 && html`<p>Something happened elsewhere:</p><${WorldLinks} source=${source} worlds=${busy} />`}
    ${!source.isFile && html`<${FirstRequests} source=${source} />`}`;
}

/** The same as the list of publishers begins with, and as the server prints when it is ready. */
function FirstRequests({ source }: { readonly source: Source }): Part {
  const { baseUrl } = source;
  const loaded = useLoaded(() => source.get<Listing>("publishers?offset=0&limit=20"), [source]);
  const choices = useLoaded(() => source.get<Choices>("assumptions"), [source]);
  const [publisher] = loaded.value?.publishers ?? [];
  const surface = publisher?.surfaces.find(({ status }) => status === "active");
  if (publisher === undefined || choices.value === undefined)
    return html`<${Waiting} loaded=${loaded} />`;
  const key = `-H 'Authorization: Bearer ${publisher.apiKey}'`;
  const event = {
    publisher_id: publisher.id,
    surface: surface?.id ?? "",
    ad_id: "ad-1",
    session_id: "s-1",
  };
  const sent = {
    json: `-H 'Content-Type: application/json' -d '${JSON.stringify(event)}'`,
    query: `-X POST -G ${Object.entries(event)
      .map(([name, value]) => `-d ${name}=${value}`)
      .join(" ")}`,
  }[choices.value["request.encoding"] ?? ""];
  const lines = [
    `curl '${baseUrl}/v1/impression' ${key} ${sent ?? `-d '${new URLSearchParams(event)}'`}`,
    ...["stats", "surfaces"].map(
      (path) => `curl '${baseUrl}/v1/publisher/${path}?publisher_id=${publisher.id}' ${key}`,
    ),
  ];
  return html`<p>Point your client at <code>${baseUrl}</code>, with one of the keys under <b>World</b>. Or paste one of these:</p>
    ${lines.map(
      (line) =>
        html`<div class="paste" key=${line}><pre class="code-text" tabindex="0" role="group" aria-label="A command">${line}</pre><${CopyButton} label="Copy" text=${line} /></div>`,
    )}
    <p class="quiet">What happens then appears here at once. Press ? for the keyboard shortcuts.</p>`;
}
