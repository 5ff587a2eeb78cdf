/** The header: which world, what time it is there, how many findings, and whether the list follows. */

import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { counted } from "../../base/counted.ts";
import type { Clock, WorldSummary } from "./contract.ts";
import { useLoaded, useTicks } from "./loading.ts";
import type { Log } from "./log.ts";
import { ActionButton, ActionForm, Choose, Input, type Part, type Values } from "./parts.ts";
import { linkTo, usePlace } from "./place.ts";
import type { Connection, Source } from "./source.ts";

export function Header(props: {
  readonly source: Source;
  readonly log: Log;
  readonly connection: Connection;
  readonly worlds: readonly WorldSummary[];
  /** How many kinds of findings there are. */
  readonly findings: number;
  onHelp(): void;
}): Part {
  const { source, log, connection, worlds, findings, onHelp } = props;
  const { view } = usePlace();
  const busy = busyOf(worlds, source).length;
  const more = `(${busy} more ${busy === 1 ? "world has" : "worlds have"} traffic)`;
  const world = html`<b>${source.world}</b> ${busy > 0 && html`<span class="quiet more">${more}</span>`}`;
  const toggle = (id: string): string =>
    linkTo({
      ...{ section: undefined, at: undefined, tab: undefined },
      view: view === id ? undefined : id,
    });
  return html`<header class="top">
    <h1>adsim</h1>
    <${Menu} id="worlds" title="Worlds" label=${world}><${WorldLinks} ...${{ source, worlds }} /></${Menu}>
    ${source.isFile && html`<span class="file" title=${source.title}>recorded: <b>${source.title}</b></span>`}
    <span class="gap"></span>
    <${ClockMenu} ...${{ source, log }} />
    <a class=${`button ${findings > 0 ? "has-findings" : ""}`} href=${toggle("findings")} aria-current=${view === "findings"}>⚠ ${counted(findings, "finding")}</a>
    <a class="button" href=${toggle("world")} aria-current=${view === "world"}>World</a>
    ${!source.isFile && html`<span role="status" class=${`connection ${connection}`}>● ${connection}</span>`}
    <button type="button" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" onClick=${onHelp}>?</button>
  </header>`;
}

/** Worlds in which something happened, but for this one. */
export function busyOf(worlds: readonly WorldSummary[], source: Source): readonly WorldSummary[] {
  return worlds.filter(({ name, requests }) => name !== source.world && requests > 0);
}

/** Links to the pages of these worlds. */
export function WorldLinks(props: {
  readonly source: Source;
  readonly worlds: readonly WorldSummary[];
}): Part {
  const { source, worlds } = props;
  return html`<ul>${worlds.map(
    ({ name, requests }) => html`<li key=${name}>
      <a href=${source.pageOf(name)} aria-current=${name === source.world}>${name}</a> <span class="quiet">${counted(requests, "request")}</span></li>`,
  )}</ul>`;
}

/** A button with a menu, which the browser opens and closes. */
function Menu(props: {
  readonly id: string;
  readonly title: string;
  readonly label: unknown;
  readonly children: ComponentChildren;
}): Part {
  const { id, title, label, children } = props;
  return html`<button type="button" class="menu-button" popovertarget=${id} title=${title}>${label}</button>
    <div class="menu" id=${id} popover="auto">${children}</div>`;
}

/** Between two answers a running clock is counted on, second by second. */
function useNow(source: Source, clock: Clock | undefined): string {
  useTicks(1000);
  const readAt = useMemo(() => performance.now(), [clock]);
  if (clock === undefined) return "";
  const passed = clock.mode === "frozen" || source.isFile ? 0 : performance.now() - readAt;
  return new Date(Date.parse(clock.now) + passed).toISOString();
}

const steps = { "1m": "+1 min", "1h": "+1 h", "1d": "+1 day", "30d": "+30 days" };

const modes = [
  ["", "as it is"],
  ["frozen", "frozen: it stands still"],
  ["flowing", "flowing: it goes on from its time"],
  ["system", "system: the machine's time"],
] as const;

function ClockMenu({ source, log }: { readonly source: Source; readonly log: Log }): Part {
  const version = `${log.restarts} ${log.lastChange}`;
  const { value, reload } = useLoaded(() => source.get<Clock>("clock"), [source], version);
  const now = useNow(source, value);
  const advance = (by: string): Promise<void> =>
    source.send("POST", "clock/advance", { by }).then(reload);
  const set = ({ now: to, mode }: Values): Promise<void> =>
    source.send("PUT", "clock", { ...(to && { now: to }), ...(mode && { mode }) }).then(reload);
  const mode = value?.mode === "frozen" ? "❄ frozen" : value?.mode;
  const label = html`<span class="date">${now.slice(0, 10)} </span>${now.slice(11, 19)} <span class="quiet">${mode}</span>`;
  if (source.isFile) return html`<span class="clock">${label}</span>`;
  return html`<${Menu} id="clock" title="The world's clock" label=${label}>
    <p class="buttons">${Object.entries(steps).map(
      ([by, text]) => html`<${ActionButton} key=${by} label=${text} act=${() => advance(by)} />`,
    )}</p>
    <${ActionForm} submit="Set" act=${set}>
      <${Input} label="Time, in ISO 8601" name="now" placeholder=${value?.now ?? ""} />
      <${Choose} label="Mode" name="mode" options=${modes} /></${ActionForm}>
  </${Menu}>`;
}
