/** The header: which world, what time it is there, how many findings, and whether the list follows. */

import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { counted } from "../../base/counted.ts";
import type { Clock, WorldSummary } from "./contract.ts";
import { type Loaded, useLoaded, useTicks } from "./loading.ts";
import type { Log } from "./log.ts";
import {
  ActionButton,
  ActionForm,
  Choose,
  durationIn,
  Input,
  type Part,
  type Values,
} from "./parts.ts";
import { linkTo, usePlace } from "./place.ts";
import type { Connection, Source } from "./source.ts";

interface HeaderProps {
  readonly source: Source;
  readonly log: Log;
  readonly connection: Connection;
  readonly worlds: readonly WorldSummary[];
  /** How many kinds of findings there are. */
  readonly findings: number;
  readonly isPaused: boolean;
  onPause(): void;
  onHelp(): void;
}

export function Header(props: HeaderProps): Part {
  const { source, log, connection, worlds, findings, isPaused, onPause, onHelp } = props;
  const { view } = usePlace();
  const toggle = (id: string): string =>
    linkTo({
      view: view === id ? undefined : id,
      section: undefined,
      at: undefined,
      tab: undefined,
    });
  return html`<header class="top">
    <h1>adsim</h1>
    <${WorldMenu} source=${source} worlds=${worlds} />
    ${source.isFile && html`<span class="file" title=${source.title}>recorded: <b>${source.title}</b></span>`}
    <span class="gap"></span>
    <${ClockMenu} source=${source} log=${log} />
    <a class=${`button ${findings > 0 ? "has-findings" : ""}`} href=${toggle("findings")} aria-current=${view === "findings"}>⚠ ${counted(findings, "finding")}</a>
    <a class="button" href=${toggle("world")} aria-current=${view === "world"}>World</a>
    ${
      connection === "live"
        ? html`<button type="button" class=${`connection ${isPaused ? "paused" : "live"}`} aria-pressed=${isPaused} title=${isPaused ? "The list stands still: go on" : "Stop the list"}
            onClick=${onPause}>${isPaused ? "❚❚ paused" : "● live"}</button>`
        : !source.isFile && html`<span class=${`connection ${connection}`}>● ${connection}</span>`
    }
    <button type="button" class="help" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" onClick=${onHelp}>?</button>
  </header>`;
}

/** Worlds in which something happened, but for this one. */
export function busyOf(worlds: readonly WorldSummary[], source: Source): readonly WorldSummary[] {
  return worlds.filter(({ name, requests }) => name !== source.world && requests > 0);
}

function WorldMenu(props: {
  readonly source: Source;
  readonly worlds: readonly WorldSummary[];
}): Part {
  const { source, worlds } = props;
  const busy = busyOf(worlds, source).length;
  const label = html`<b>${source.world}</b>${
    busy > 0 &&
    html` <span class="quiet more">(${busy} more ${busy === 1 ? "world has" : "worlds have"} traffic)</span>`
  }`;
  return html`<${Menu} title="Worlds" label=${label}>
    <ul>${worlds.map(
      ({
        name,
        requests,
      }) => html`<li key=${name}><a href=${source.pageOf(name)} aria-current=${name === source.world}>${name}</a>
        <span class="quiet">${counted(requests, "request")}</span></li>`,
    )}</ul>
  </${Menu}>`;
}

/** A button that opens a menu below it. A click elsewhere, Escape and a choice close it. */
function Menu(props: {
  readonly label: unknown;
  readonly title: string;
  readonly children: ComponentChildren;
}): Part {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = ({ target, type }: Event): void => {
      const { current } = menu;
      const isInside = target instanceof Node && current?.contains(target) === true;
      const isChoice = target instanceof Element && target.closest("a") !== null;
      if (current !== null && (type === "keydown" || !isInside || isChoice)) current.open = false;
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || menu.current?.open !== true) return;
      close(event);
      event.stopImmediatePropagation();
      menu.current.querySelector("summary")?.focus();
    };
    addEventListener("click", close);
    addEventListener("keydown", onKey, true);
    return () => {
      removeEventListener("click", close);
      removeEventListener("keydown", onKey, true);
    };
  }, []);
  return html`<details class="menu" ref=${menu}>
    <summary title=${props.title} aria-label=${typeof props.label === "string" ? `${props.title}: ${props.label}` : undefined}>${props.label}</summary>
    <div class="menu-body">${props.children}</div>
  </details>`;
}

/** A clock that moves is read on, second by second. */
function useNow(source: Source, { value }: Loaded<Clock>): string {
  useTicks(1000);
  const readAt = useRef(0);
  useEffect(() => {
    readAt.current = performance.now();
  }, [value]);
  if (value === undefined) return "";
  const passed = value.mode === "frozen" || source.isFile ? 0 : performance.now() - readAt.current;
  return new Date(Date.parse(value.now) + passed).toISOString();
}

const modes = [
  ["", "as it is"],
  ["frozen", "frozen: it stands still"],
  ["flowing", "flowing: it goes on from its time"],
  ["system", "system: the machine's time"],
] as const;

function ClockMenu({ source, log }: { readonly source: Source; readonly log: Log }): Part {
  const loaded = useLoaded(() => source.get<Clock>("clock"), [source], log.changeCount);
  const now = useNow(source, loaded);
  const [wasSet, noteSet] = useState(false);
  const advance = async (by: string): Promise<void> => {
    await source.send("POST", "clock/advance", { by: durationIn(by) });
    loaded.reload();
  };
  const set = async ({ now: to = "", mode = "" }: Values): Promise<void> => {
    await source.send("PUT", "clock", { ...(to && { now: to }), ...(mode && { mode }) });
    noteSet(!wasSet);
    loaded.reload();
  };
  const mode = loaded.value?.mode ?? "";
  const label = html`<span class="date">${now.slice(0, 10)} </span>${now.slice(11, 19)} <span class="quiet">${mode === "frozen" ? "❄ frozen" : mode}</span>`;
  if (source.isFile) return html`<span class="clock">${label}</span>`;
  return html`<${Menu} title="The world's clock" label=${label}>
    <p class="buttons">${[
      ["1m", "+1 min"],
      ["1h", "+1 h"],
      ["1d", "+1 day"],
      ["30d", "+30 days"],
    ].map(
      ([by = "", text = ""]) =>
        html`<${ActionButton} key=${by} label=${text} act=${() => advance(by)} />`,
    )}</p>
    <${ActionForm} submit="Advance" act=${({ by = "" }: Values) => advance(by)}>
      <${Input} label="By, such as 90s, 15m, 36h" name="by" value="15m" /></${ActionForm}>
    <${ActionForm} key=${wasSet} submit="Set" act=${set}>
      <${Input} label="Time, in ISO 8601" name="now" placeholder=${loaded.value?.now ?? ""} />
      <${Choose} label="Mode" name="mode" options=${modes} /></${ActionForm}>
  </${Menu}>`;
}
