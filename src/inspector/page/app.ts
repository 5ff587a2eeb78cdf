/** The page: its header, the views, and what they share. */

import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { printable } from "../../base/text.ts";
import { type Api, createApi, DEFAULT_WORLD, servedWorld } from "./api.ts";
import { useClock } from "./clock-section.ts";
import type { Catalogue } from "./contract.ts";
import type { Connection } from "./events.ts";
import { shortcutHelp, useShortcuts } from "./keys.ts";
import { LiveView } from "./live-view.ts";
import { useLoaded, useThrottled } from "./loading.ts";
import { createLog, type Log } from "./log.ts";
import { announce, type Part, Waiting } from "./parts.ts";
import { go, linkTo, usePlace } from "./place.ts";
import { recording } from "./recording.ts";
import { TruthView } from "./truth-view.ts";
import { WorldView } from "./world-view.ts";

const views = [
  ["live", "Live"],
  ["world", "World"],
  ["truth", "Findings"],
] as const;

export function App(): Part {
  const place = usePlace();
  const world =
    recording === undefined ? servedWorld(location.pathname) : (place.world ?? DEFAULT_WORLD);
  const api = useMemo(() => createApi(world), [world]);
  const { log, connection } = useLog(api);
  const catalogue = useLoaded(() => api.get<Catalogue>("catalogue"), [api]);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const version = useThrottled(log.version);
  const view = views.find(([id]) => id === place.view)?.[0] ?? "live";
  useShortcuts({
    "?": () => setHelpOpen(true),
    "g l": () => go({ view: undefined }),
    "g w": () => go({ view: "world" }),
    "g t": () => go({ view: "truth" }),
  });
  useEffect(() => {
    document.title = `${place.at === undefined ? "" : `#${place.at} · `}${world} · ${api.title ?? "adsim"}`;
  }, [api, place.at]);
  const shared = { api, log, catalogue: catalogue.value ?? {}, version };
  return html`
    <${Header} ...${{ api, log, connection, view }} onHelp=${() => setHelpOpen(true)} />
    ${api.notes.length > 0 && html`<${Notes} key=${world} notes=${api.notes} />`}
    ${catalogue.error !== undefined && html`<${Waiting} loaded=${catalogue} />`}
    <main>
      ${view === "live" && html`<${LiveView} key=${world} ...${shared} />`}
      ${view === "world" && html`<${WorldView} key=${world} ...${shared} />`}
      ${view === "truth" && html`<${TruthView} key=${world} ...${shared} />`}
    </main>
    <p id="said" role="status" class="unseen"></p>
    ${isHelpOpen && html`<${Help} onClose=${() => setHelpOpen(false)} />`}`;
}

/** What happened in the world so far, and from now on. */
function useLog(api: Api): { readonly log: Log; readonly connection: Connection } {
  const [connection, setConnection] = useState<Connection>("connecting");
  const [, update] = useState(0);
  const log = useMemo(() => {
    const made: Log = createLog(() => update(made.version));
    return made;
  }, [api]);
  useEffect(() => {
    void api.get<{ entries: readonly { sequence: number }[] }>("journal?limit=1").then(
      ({ entries }) => log.expect(entries[0]?.sequence ?? 0),
      () => log.expect(0),
    );
  }, [api, log]);
  useEffect(
    () =>
      api.listen({
        exchanges: log.exchanges,
        changes: log.changes,
        forgotten: log.forgotten,
        restarted: log.restarted,
        connection(state) {
          setConnection(state);
          announce(`The connection is ${state}.`);
        },
      }),
    [api, log],
  );
  return { log, connection };
}

function Header(props: {
  readonly api: Api;
  readonly log: Log;
  readonly connection: Connection;
  readonly view: string;
  onHelp(): void;
}): Part {
  const { api, log, connection, view, onHelp } = props;
  const { now, mode } = useClock(api, log);
  return html`<header class="top">
    <h1><a href=${linkTo({ view: undefined, at: undefined, tab: undefined })}>adsim</a></h1>
    <nav aria-label="Views">
      ${views.map(
        ([
          id,
          label,
        ]) => html`<a key=${id} href=${linkTo({ view: id === "live" ? undefined : id, section: undefined })}
          aria-current=${id === view ? "page" : undefined}>${label}</a>`,
      )}
    </nav>
    <a class="world" href=${linkTo({ view: "world", section: "worlds" })} title="World">${api.world}</a>
    <a class="now" href=${linkTo({ view: "world", section: undefined })} title="World time">${now.replace("T", " ").slice(0, 19)} ${mode}</a>
    <span class=${`connection ${connection}`}>${connection}</span>
    <button type="button" class="small" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" onClick=${onHelp}>?</button>
  </header>`;
}

function Notes({ notes }: { readonly notes: readonly string[] }): Part {
  return html`<div class="recording">${notes.map((note) => html`<p key=${note}>${printable(note)}</p>`)}</div>`;
}

function Help({ onClose }: { onClose(): void }): Part {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return html`<dialog ref=${dialog} aria-labelledby="help-title" onClose=${onClose}>
    <h2 id="help-title">Keyboard shortcuts</h2>
    <dl class="keys">
      ${shortcutHelp.map(([keys, what]) => html`<div key=${keys}><dt>${keys}</dt><dd>${what}</dd></div>`)}
    </dl>
    <form method="dialog"><button class="primary">Close</button></form>
  </dialog>`;
}
