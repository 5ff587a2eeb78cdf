/** The page: header, list, and what is beside it. */

import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ClientReport } from "../../audit/client-report.ts";
import { printable } from "../../base/text.ts";
import type { Catalogue, WorldSummary } from "./contract.ts";
import { Drawer } from "./drawer.ts";
import { findingsBySequence } from "./findings.ts";
import { Header } from "./header.ts";
import { shortcutHelp, useShortcuts } from "./keys.ts";
import { useLoaded, useThrottled, useTicks } from "./loading.ts";
import { createLog, isRow, type Log } from "./log.ts";
import { LogView } from "./log-view.ts";
import { Panel } from "./panel.ts";
import { announce, type Part, Problem } from "./parts.ts";
import { go, usePlace } from "./place.ts";
import { type Connection, createSource, goneText, type Source } from "./source.ts";
import { Start } from "./start.ts";

/** While exchanges arrive, what is made of all of them follows at most so often. */
const FOLLOW_MS = 1000;
/** This page hears nothing of other worlds. */
const ASK_EVERY_MS = 4000;

export function App(): Part {
  const { world } = usePlace();
  const source = useMemo(() => createSource(world), [world]);
  return html`<${World} key=${source.world} source=${source} />`;
}

function World({ source }: { readonly source: Source }): Part {
  const place = usePlace();
  const { log, connection } = useLog(source);
  const version = useThrottled(log.version, FOLLOW_MS);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isPaused, setPaused] = useState(false);
  const catalogue = useLoaded(() => source.get<Catalogue>("catalogue"), [source]).value ?? {};
  const report = useLoaded(() => source.get<ClientReport>("report"), [source], version);
  const listing = useLoaded(
    () => source.get<{ worlds: readonly WorldSummary[] }>("worlds"),
    [source],
    `${useTicks(ASK_EVERY_MS)} ${log.restarts}`,
  );
  const findings = useMemo(() => findingsBySequence(report.value), [report.value]);
  const worlds = listing.value?.worlds ?? [];
  // Links of earlier versions name the findings so.
  const view = place.view === "truth" ? "findings" : place.view;
  const toggle = (id: string): void =>
    go({
      view: view === id && place.at === undefined ? undefined : id,
      section: undefined,
      at: undefined,
    });
  useShortcuts({
    "?": () => setHelpOpen(true),
    f: () => toggle("findings"),
    w: () => toggle("world"),
  });
  useEffect(() => {
    document.title = `${place.at === undefined ? "" : `#${place.at} · `}${source.world} · ${source.title}`;
  }, [source, place.at]);
  const at = /^\d+$/.test(place.at ?? "") ? Number(place.at) : undefined;
  const row = log.items.find((item) => isRow(item) && item.sequence === at);
  const opened = row !== undefined && isRow(row) ? row : undefined;
  const isEmpty = log.version > 0 && log.items.length === 0;
  const isAside = at !== undefined || view === "findings" || view === "world";
  const shared = { source, catalogue, report, version };
  return html`
    <${Header} ...${{ source, log, connection, worlds, isPaused }} findings=${report.value?.findings.length ?? 0}
      onPause=${() => setPaused(!isPaused)} onHelp=${() => setHelpOpen(true)} />
    ${source.notes.length > 0 && html`<div class="notes">${source.notes.map((note) => html`<p key=${note}>${printable(note)}</p>`)}</div>`}
    ${connection === "ended" && html`<${Problem} error=${goneText(source.world)} />`}
    ${source.isFile && html`<${Problem} error=${report.error} />`}
    <main class=${isAside ? "aside" : ""}>
      ${isEmpty ? html`<${Start} source=${source} worlds=${worlds} />` : html`<${LogView} ...${{ log, findings, isPaused }} />`}
      ${
        at !== undefined
          ? html`<${Panel} ...${{ source, catalogue, sequence: at, row: opened }} first=${opened && log.repeated(opened)}
              findings=${findings.get(at) ?? []} />`
          : isAside && html`<${Drawer} ...${shared} isFindings=${view === "findings"} />`
      }
    </main>
    <p id="said" role="status" class="unseen"></p>
    ${isHelpOpen && html`<${Help} onClose=${() => setHelpOpen(false)} />`}`;
}

/** What happened in the world so far, and from now on. */
function useLog(source: Source): { readonly log: Log; readonly connection: Connection } {
  const [connection, setConnection] = useState<Connection>("connecting");
  const [, update] = useState(0);
  const log = useMemo(() => {
    const made: Log = createLog(() => update(made.version));
    return made;
  }, [source]);
  useEffect(
    () =>
      source.listen({
        ...{ exchanges: log.exchanges, changes: log.changes },
        ...{ forgotten: log.forgotten, restarted: log.restarted },
        connection(state) {
          setConnection(state);
          // Nothing has come if the world is empty.
          if (state === "live" || state === "recorded") log.exchanges([]);
          announce(`The connection is ${state}.`);
        },
      }),
    [source, log],
  );
  return { log, connection };
}

function Help({ onClose }: { onClose(): void }): Part {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return html`<dialog ref=${dialog} aria-labelledby="help-title" onClose=${onClose}>
    <h2 id="help-title">Keyboard shortcuts</h2>
    <dl class="facts">${shortcutHelp.map(([keys, what]) => html`<div key=${keys}><dt><kbd>${keys}</kbd></dt><dd>${what}</dd></div>`)}</dl>
    <h2>Signs</h2>
    <p>✓ recorded · ↻ the same event again · <span class="refused">⊘ refused</span> · <span class="fault">⚡ a fault acted</span> ·
      <span class="wrong">✕ no good answer</span> · ⚠ part of a finding</p>
    <form method="dialog"><button class="primary">Close</button></form>
  </dialog>`;
}
