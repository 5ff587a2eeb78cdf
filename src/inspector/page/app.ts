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
import { type Part, Problem } from "./parts.ts";
import { go, usePlace } from "./place.ts";
import { type Connection, createSource, type Source } from "./source.ts";
import { Start } from "./start.ts";

/** While exchanges arrive, the report and the views are asked for at most this often. */
const FOLLOW_MS = 1000;
/** This page hears nothing of other worlds. */
const ASK_EVERY_MS = 4000;

export function App(): Part {
  const { world } = usePlace();
  const source = useMemo(() => createSource(world), [world]);
  return html`<${World} key=${source.world} source=${source} />`;
}

function World({ source }: { readonly source: Source }): Part {
  const { at, view } = usePlace();
  const { log, connection, ended } = useLog(source);
  const { restarts } = log;
  const version = useThrottled(log.version, FOLLOW_MS);
  const ticks = useTicks(ASK_EVERY_MS);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const loaded = useLoaded(() => source.get<Catalogue>("catalogue"), [source], restarts);
  const report = useLoaded(() => source.get<ClientReport>("report"), [source], version);
  const listing = useLoaded(
    () => source.get<{ readonly worlds: readonly WorldSummary[] }>("worlds"),
    [source],
    `${ticks} ${restarts}`,
  );
  const findings = useMemo(() => findingsBySequence(report.value), [report.value]);
  const catalogue = loaded.value ?? {};
  const worlds = listing.value?.worlds ?? [];
  const toggle = (id: string): void =>
    go({
      view: view === id && at === undefined ? undefined : id,
      section: undefined,
      at: undefined,
    });
  useShortcuts({
    "?": () => setHelpOpen(true),
    f: () => toggle("findings"),
    w: () => toggle("world"),
  });
  useEffect(() => {
    document.title = `${at === undefined ? "" : `#${at} · `}${source.world} · ${source.title}`;
  }, [source, at]);
  const open = /^\d+$/.test(at ?? "") ? Number(at) : undefined;
  const row = log.items.filter(isRow).find(({ sequence }) => sequence === open);
  const isAside = open !== undefined || view === "findings" || view === "world";
  return html`
    <${Header} ...${{ source, log, connection, worlds }} findings=${report.value?.findings.length ?? 0}
      onHelp=${() => setHelpOpen(true)} />
    ${source.notes.length > 0 && html`<div class="notes">${source.notes.map((note) => html`<p key=${note}>${printable(note)}</p>`)}</div>`}
    <${Problem} error=${ended} />
    ${source.isFile && html`<${Problem} error=${report.error} />`}
    <main class=${isAside ? "aside" : ""}>
      ${
        log.items.length > 0
          ? html`<${LogView} key=${restarts} ...${{ log, open, findings }} />`
          : html`<div class="start">${connection !== "connecting" && html`<${Start} ...${{ source, worlds }} />`}</div>`
      }
      ${
        open !== undefined
          ? html`<${Panel} ...${{ source, catalogue, row }} sequence=${open} first=${row && log.repeated(row)}
              findings=${findings.get(open) ?? []} />`
          : isAside &&
            html`<${Drawer} ...${{ source, catalogue, report, version }} isFindings=${view === "findings"} />`
      }
    </main>
    <p id="said" role="status" class="unseen"></p>
    ${isHelpOpen && html`<${Help} onClose=${() => setHelpOpen(false)} />`}`;
}

/** What happened in the world so far, and from now on. */
function useLog(source: Source) {
  const [connection, setConnection] = useState<Connection>("connecting");
  const [ended, setEnded] = useState<Error>();
  const [, update] = useState(0);
  const log = useMemo(() => {
    const made: Log = createLog(() => update(made.version));
    return made;
  }, [source]);
  useEffect(
    () => source.listen({ ...log, connection: setConnection, ended: setEnded }),
    [source, log],
  );
  return { log, connection, ended };
}

function Help({ onClose }: { onClose(): void }): Part {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return html`<dialog ref=${dialog} aria-labelledby="help-title" onClose=${onClose}>
    <h2 id="help-title">Keyboard shortcuts</h2>
    <dl class="facts">${shortcutHelp.map(([keys, what]) => html`<div key=${keys}><dt><kbd>${keys}</kbd></dt><dd>${what}</dd></div>`)}</dl>
    <p>✓ recorded · ↻ the same event again · ⊘ refused · ⚡ a fault acted · ✕ no good answer · ⚠ part of a finding</p>
    <form method="dialog"><button class="primary">Close</button></form>
  </dialog>`;
}
