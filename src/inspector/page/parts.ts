/** The small parts that all views are made of. */

import { html } from "htm/preact";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ClientReport } from "../../audit/client-report.ts";
import { printable } from "../../base/text.ts";
import type { Catalogue, WorldSummary } from "./contract.ts";
import type { Loaded } from "./loading.ts";
import { go, linkTo, type Move } from "./place.ts";
import { Refusal, type Source } from "./source.ts";

/** What the parts of a drawer get. */
export interface DrawerProps {
  readonly source: Source;
  readonly catalogue: Catalogue;
  readonly report: Loaded<ClientReport>;
  readonly worlds: readonly WorldSummary[];
  /** Changes soon after the world did: a reason to ask again. */
  readonly version: unknown;
}

export type Part = VNode | null;

export type Values = Readonly<Record<string, string>>;

interface Action {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Starts it, unless it is running. */
  run(act: () => Promise<unknown>): void;
}

function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  return {
    isBusy,
    error,
    run(act) {
      if (isBusy) return;
      setBusy(true);
      setError(undefined);
      Promise.resolve()
        .then(act)
        .then(() => announce("Done."), setError)
        .finally(() => setBusy(false));
    },
  };
}

/** A form that acts on the values of its fields, and shows the error beside them. */
export function ActionForm(props: {
  readonly submit: string;
  readonly children?: ComponentChildren;
  act(values: Values): Promise<unknown>;
}): Part {
  const { isBusy, error, run } = useAction();
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    const { currentTarget } = event;
    if (!(currentTarget instanceof HTMLFormElement)) return;
    const fields = Array.from(new FormData(currentTarget), ([name, value]) => [name, `${value}`]);
    run(() => props.act(Object.fromEntries(fields)));
  };
  return html`<form class="action" onSubmit=${onSubmit}>
    ${props.children}<button class="primary" aria-disabled=${isBusy}>${props.submit}</button>
    <${Problem} error=${error} />
  </form>`;
}

/**
 * A button that acts. `question`: asked first, for what can't be taken back: the first press changes the button's text to it, the
 * second one acts, and leaving the button takes the first back.
 */
export function ActionButton(props: {
  readonly label: string;
  readonly question?: string;
  readonly title?: string;
  /** Whether it is on, if it switches something. */
  readonly isOn?: boolean | undefined;
  act(): Promise<unknown>;
}): Part {
  const { label, question, title, isOn, act } = props;
  const { isBusy, error, run } = useAction();
  const [isAsking, setAsking] = useState(false);
  const press = (): void => {
    if (question !== undefined) setAsking(!isAsking);
    if (question === undefined || isAsking) run(act);
    else announce(question);
  };
  return html`<button type="button" class=${isAsking ? "danger" : ""} title=${title} aria-disabled=${isBusy}
      aria-pressed=${isOn} onClick=${press} onBlur=${() => setAsking(false)}>${isAsking ? question : label}</button>
    <${Problem} error=${error} />`;
}

/** Says something to screen readers, once. */
export function announce(text: string): void {
  const region = document.getElementById("said");
  if (region !== null) region.textContent = text;
}

/** An error, where the action was. */
export function Problem({ error }: { readonly error: unknown }): Part {
  if (error === undefined) return null;
  const message = error instanceof Error ? error.message : String(error);
  return html`<p class="problem" role="alert">${printable(message)}</p>`;
}

/** What is shown while a value loads, or if it can't be. */
export function Waiting({ loaded }: { readonly loaded: Loaded<unknown> }): Part {
  if (loaded.error !== undefined) return html`<${Problem} error=${loaded.error} />`;
  return loaded.value === undefined ? html`<p class="quiet">Loading …</p>` : null;
}

export function CopyButton(props: {
  readonly label: string;
  readonly text: string | (() => Promise<string>);
}): Part {
  const [isCopied, setCopied] = useState(false);
  const { error, run } = useAction();
  const copy = async (): Promise<void> => {
    await copyText(typeof props.text === "string" ? props.text : await props.text());
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return html`<button type="button" onClick=${() => run(copy)}>${isCopied ? "Copied" : props.label}</button>
    <${Problem} error=${error} />`;
}

/** Over http from another machine, pages have no clipboard of their own. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text);
  const { activeElement } = document;
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
  if (!isCopied) throw new Refusal("The browser doesn't let this page copy.");
}

/** Tabs whose choice stands in the address under `name`. The first is the default. */
export function Tabs(props: {
  readonly name: string;
  readonly label: string;
  readonly tabs: Readonly<Record<string, string>>;
  readonly chosen: string;
  readonly children: ComponentChildren;
}): Part {
  const { name, label, chosen, children } = props;
  const list = useRef<HTMLDivElement>(null);
  const tabs = Object.entries(props.tabs);
  const choose = (id: string): void => go({ [name]: id === tabs[0]?.[0] ? undefined : id });
  const buttonOf = (id: string) => list.current?.querySelector<HTMLElement>(`#${name}-${id}`);
  useEffect(
    () => buttonOf(chosen)?.scrollIntoView({ block: "nearest", inline: "nearest" }),
    [chosen],
  );
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = tabs.findIndex(([id]) => id === chosen);
    const next = tabs[(index + step + tabs.length) % tabs.length]?.[0] ?? "";
    choose(next);
    buttonOf(next)?.focus();
  };
  return html`
    <div class="tabs" role="tablist" aria-label=${label} ref=${list} onKeyDown=${onKey}>
      ${tabs.map(
        ([id, text]) => html`<button
          type="button" role="tab" id=${`${name}-${id}`} key=${id}
          aria-selected=${id === chosen} aria-controls=${`${name}-panel`}
          tabindex=${id === chosen ? 0 : -1} onClick=${() => choose(id)}
        >${text}</button>`,
      )}
    </div>
    <div class="tab-panel" role="tabpanel" id=${`${name}-panel`} aria-labelledby=${`${name}-${chosen}`}
      tabindex="0">
      ${children}
    </div>`;
}

/** The tab in the address, or the first. */
export function chosenOf(tabs: Readonly<Record<string, string>>, id: string | undefined): string {
  return id !== undefined && Object.hasOwn(tabs, id) ? id : (Object.keys(tabs)[0] ?? "");
}

/** A link to another place in this page. The text may be foreign. */
export function link(to: Move, text: string): Part {
  return html`<a href=${linkTo(to)}>${printable(text)}</a>`;
}

/** Names and values. Values that are text are shown as text, never as markup. */
export function Facts(props: { readonly facts: readonly (readonly [string, unknown])[] }): Part {
  const facts = props.facts.filter(([, value]) => value !== undefined && value !== "");
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) => html`<div key=${name}>
        <dt>${printable(name)}</dt>
        <dd>${typeof value === "string" ? printable(value) : value}</dd>
      </div>`,
    )}
  </dl>`;
}

/** A control with its label. */
function Field(props: { readonly label: string; readonly children: ComponentChildren }): Part {
  return html`<label class="field"><span>${props.label}</span>${props.children}</label>`;
}

export function Input(props: {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly placeholder?: string;
}): Part {
  const { label, name, value = "", placeholder = "" } = props;
  return html`<${Field} label=${label}>
    <input name=${name} defaultValue=${value} placeholder=${placeholder} autocomplete="off" />
  </${Field}>`;
}

/** A field for longer text. A new `value` replaces what was typed. */
export function Area(props: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
}): Part {
  return html`<${Field} label=${props.label}>
    <textarea key=${props.value} name=${props.name} defaultValue=${props.value} spellcheck=${false} />
  </${Field}>`;
}

export function Choose(props: {
  readonly label: string;
  readonly name: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  onChoose?(value: string): void;
}): Part {
  return html`<${Field} label=${props.label}>
    <select name=${props.name} onChange=${(event: Event) => props.onChoose?.(textOf(event))}>
      ${props.options.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}
    </select>
  </${Field}>`;
}

export function Search(props: {
  readonly label: string;
  readonly value: string;
  onSearch(text: string): void;
}): Part {
  return html`<input type="search" aria-label=${props.label} placeholder=${props.label} value=${props.value}
    onInput=${(event: Event) => props.onSearch(textOf(event))} />`;
}

function textOf({ target }: Event): string {
  const isControl = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
  return isControl ? target.value : "";
}

/** A number is milliseconds. Anything else stays as it was typed: the server says what is wrong. */
export function durationIn(text: string): string | number {
  return /^\s*\d+\s*$/.test(text) ? Number(text) : text;
}

/** @throws Refusal for anything but JSON. */
export function parsed(text: string, field: string): object {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(`${field} must be valid JSON`);
  }
}
