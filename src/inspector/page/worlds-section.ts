/** The worlds of the server: forks, snapshots, and two of them side by side. */

import { html } from "htm/preact";
import type { Audit } from "../../audit/audit.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import { type Api, createApi, pageOf } from "./api.ts";
import { Choose, Input } from "./fields.ts";
import { useLoaded, usePolling } from "./loading.ts";
import { isRow, type ViewProps } from "./log.ts";
import {
  ActionButton,
  ActionForm,
  Facts,
  inr,
  OnServer,
  type Part,
  Table,
  Waiting,
} from "./parts.ts";
import { go, usePlace } from "./place.ts";

interface WorldSummary {
  readonly name: string;
  readonly seed: string;
  readonly now: string;
  readonly requests: number;
  readonly impressions: number;
}

interface Health {
  readonly now: string;
  readonly seed: string;
  readonly version: string;
}

const LATEST = 12;
/** This page hears nothing of other worlds. */
const ASK_EVERY_MS = 2000;

export function WorldsSection({ api, log, version }: ViewProps): Part {
  const place = usePlace();
  const loaded = useLoaded(() => api.get<{ worlds: WorldSummary[] }>("worlds"), [api], { version });
  usePolling(loaded, ASK_EVERY_MS);
  const worlds = loaded.value?.worlds ?? [];
  const act = (action: () => Promise<unknown>) => async () => {
    await action();
    loaded.reload();
  };
  const other = worlds.find(({ name }) => name === place.with)?.name;
  const remove = (name: string): Promise<unknown> => {
    if (name === other) go({ with: undefined }, "replace");
    return api.send("DELETE", `worlds/${encodeURIComponent(name)}`);
  };
  return html`<${Waiting} loaded=${loaded} />
    <${Table} label="Worlds" head=${["world", "time", "requests", "impressions", "seed", ""]}
      keys=${worlds.map(({ name }) => name)}
      rows=${worlds.map(({ name, now, requests, impressions, seed }) => [
        name === api.world ? html`<b>${name}</b>` : html`<a href=${pageOf(name)}>${name}</a>`,
        now,
        requests,
        impressions,
        seed,
        name !== api.world &&
          html`<${OnServer}><${ActionButton} key=${name} label="delete" question=${`delete ${name}, with ${requests} requests?`}
            act=${act(() => remove(name))} /></${OnServer}>`,
      ])} />
    <section><h3>Side by side</h3>
      <${Choose} label="With" value=${other ?? ""} onChoose=${(name: string) => go({ with: name })}
        options=${[["", "choose a world"], ...worlds.filter(({ name }) => name !== api.world).map(({ name }) => [name, name])]} />
      ${
        other !== undefined &&
        html`<div class="columns">
          ${[api.world, other].map((name) => html`<${Column} key=${name} world=${name} version=${version} />`)}
        </div>`
      }
    </section>
    <${OnServer}>
    <section><h3>Fork</h3>
      <${ActionForm} submit="Fork this world" act=${({ name = "" }) => act(() => api.send("POST", "worlds", { name }))()}>
        <${Input} label="Name of the new world" name="name" value="fork-1" />
      </${ActionForm}>
    </section>
    <section><h3>Snapshot</h3>
      <p class="buttons"><${ActionButton} label="Download" act=${() => download(api)} /></p>
      <${ActionForm} submit="Restore" question="Replace this world's state?" act=${act(() => restore(api))}>
        <label class="field"><span>A snapshot's file: it replaces this world's state</span>
          <input id="snapshot" type="file" accept=".json,application/json" required /></label>
      </${ActionForm}>
    </section>
    <section><h3>Reset</h3>
      <${ActionForm} submit="Reset this world" question=${`Forget ${log.items.filter(isRow).length} requests and start anew?`} act=${({ seed = "" }) => act(() => api.send("POST", "reset", seed === "" ? {} : { seed }))()}>
        <${Input} label="Seed" name="seed" placeholder="the same" />
      </${ActionForm}>
    </section>
    </${OnServer}>`;
}

function Column(props: { readonly world: string; readonly version: number }): Part {
  const { world, version } = props;
  const loaded = useLoaded(
    async () => {
      const api = createApi(world, true);
      return {
        health: await api.get<Health>("health"),
        audit: await api.get<Audit>("audit"),
        latest: await api.get<{ entries: JournalEntry[] }>(`journal?limit=${LATEST}`),
      };
    },
    [world],
    { version },
  );
  usePolling(loaded, ASK_EVERY_MS);
  const { health, audit, latest } = loaded.value ?? {};
  if (health === undefined || audit === undefined)
    return html`<div><${Waiting} loaded=${loaded} /></div>`;
  const { applied, duplicatesSuppressed, refused, lost, creditedRecordedInr } = audit.total;
  return html`<div><h4><a href=${pageOf(world)}>${world}</a></h4>
    <${Facts} facts=${[
      ["Time", health.now],
      ["Seed", health.seed],
      ["Books", audit.balanced ? "balanced" : "not balanced"],
      ["Recorded", `${applied}`],
      ["Duplicates", `${duplicatesSuppressed}`],
      ["Refused", `${refused}`],
      ["Answers lost", `${lost}`],
      ["Credited", inr(creditedRecordedInr)],
    ]} />
    <${Table} label=${`Latest of ${world}`} head=${["#", "request", "status", "reason"]}
      rows=${(latest?.entries ?? [])
        .map(({ sequence, request, response, reason }) => [
          sequence,
          `${request.method} ${request.path}`,
          response.status === 0 ? "none" : response.status,
          reason,
        ])
        .reverse()} />
  </div>`;
}

async function download(api: Api): Promise<void> {
  const snapshot = await api.get<object>("snapshot");
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(snapshot)], { type: "application/json" }),
  );
  const link = document.createElement("a");
  link.href = url;
  link.download = `${api.world}.snapshot.json`;
  link.click();
  URL.revokeObjectURL(url);
}

async function restore(api: Api): Promise<void> {
  const input = document.getElementById("snapshot");
  const file = input instanceof HTMLInputElement ? input.files?.[0] : undefined;
  if (file !== undefined) await api.send("PUT", "snapshot", await file.text());
}
