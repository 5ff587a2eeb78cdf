/** The small parts that all views are made of. */

import { html } from "htm/preact";
import type { ComponentChildren, TargetedEvent, VNode } from "preact";
import { useState } from "preact/hooks";
import type { ClientReport } from "../../audit/client-report.ts";
import { printable } from "../../base/text.ts";
import type { Catalogue } from "./contract.ts";
import type { Loaded } from "./loading.ts";
import { linkTo, type Move } from "./place.ts";
import { Refusal, type Source } from "./source.ts";

/** What the parts of a drawer get. */
export interface DrawerProps {
  readonly source: Source;
  readonly catalogue: Catalogue;
  readonly report: Loaded<ClientReport>;
  /** Changes soon after the world did: a reason to ask again. */
  readonly version: unknown;
}

export type Part = VNode | null;

export type Values = Readonly<Record<string, string>>;

/** Runs one action at a time, and keeps its error. */
function useAction() {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (act: () => Promise<unknown>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    await act().then(() => announce("Done."), setError);
    setBusy(false);
  };
  return { isBusy, error, run };
}

/** A form that acts on the values of its fields, and shows the error beside them. */
export function ActionForm(props: {
  readonly submit: string;
  readonly children?: ComponentChildren;
  act(values: Values): Promise<unknown>;
}): Part {
  const { isBusy, error, run } = useAction();
  const onSubmit = (event: TargetedEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const fields = [...new FormData(event.currentTarget)].map(([name, value]) => [
      name,
      `${value}`,
    ]);
    void run(() => props.act(Object.fromEntries(fields)));
  };
  return html`<form class="action" onSubmit=${onSubmit}>
    ${props.children}<button class="primary" aria-disabled=${isBusy}>${props.submit}</button>
    <${Problem} error=${error} />
  </form>`;
}

/**
 * A button that acts. With a `question`, for what can't be taken back, the first press shows the question on the button and the
 * second one acts; leaving the button takes the first back.
 */
export function ActionButton(props: {
  readonly label: string;
  readonly question?: string;
  /** Whether it is on, if it switches something. */
  readonly isOn?: boolean;
  act(): Promise<unknown>;
}): Part {
  const { label, question, isOn, act } = props;
  const { isBusy, error, run } = useAction();
  const [isAsking, setAsking] = useState(false);
  const press = (): void => {
    if (question !== undefined) setAsking(!isAsking);
    if (question === undefined || isAsking) void run(act);
    else announce(question);
  };
  return html`<button type="button" class=${isAsking ? "danger" : ""} aria-disabled=${isBusy} aria-pressed=${isOn}
      onClick=${press} onBlur=${() => setAsking(false)}>${isAsking ? question : label}</button>
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
  const { label, text } = props;
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await copyText(typeof text === "string" ? text : await text());
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return html`<${ActionButton} label=${isCopied ? "Copied" : label} act=${copy} />`;
}

/** Over http from another machine, pages have no clipboard of their own. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text);
  const area = document.body.appendChild(document.createElement("textarea"));
  area.value = text;
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (!isCopied) throw new Refusal("The browser doesn't let this page copy.");
}

/** Links to the tabs of a view, whose choice stands in the address under `name`. The first is the default. */
export function Tabs(props: {
  readonly name: string;
  readonly label: string;
  readonly tabs: Readonly<Record<string, string>>;
  readonly chosen: string;
}): Part {
  const { name, label, chosen } = props;
  return html`<nav class="tabs" aria-label=${label}>${Object.entries(props.tabs).map(
    ([id, text], index) =>
      html`<a key=${id} href=${linkTo({ [name]: index === 0 ? undefined : id })} aria-current=${id === chosen}>${text}</a>`,
  )}</nav>`;
}

/** The tab in the address, or the first. */
export function chosenOf(tabs: Readonly<Record<string, string>>, id = ""): string {
  return Object.hasOwn(tabs, id) ? id : (Object.keys(tabs)[0] ?? "");
}

/** A link to another place in this page. The text may be foreign. */
export function link(to: Move, text: string): Part {
  return html`<a href=${linkTo(to)}>${printable(text)}</a>`;
}

/** Names and values, which may be foreign. */
export function Facts(props: {
  readonly facts: readonly (readonly [string, string | undefined])[];
}): Part {
  return html`<dl class="facts">${props.facts.map(
    ([name, value = ""]) =>
      value !== "" &&
      html`<div key=${name}><dt>${printable(name)}</dt><dd>${printable(value)}</dd></div>`,
  )}</dl>`;
}

export function Input(props: {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly placeholder?: string;
}): Part {
  const { label, name, value = "", placeholder = "" } = props;
  return html`<label class="field"><span>${label}</span>
    <input name=${name} defaultValue=${value} placeholder=${placeholder} autocomplete="off" /></label>`;
}

/** A field for longer text. A new `value` replaces what was typed. */
export function Area(props: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
}): Part {
  const { label, name, value } = props;
  return html`<label class="field"><span>${label}</span>
    <textarea key=${value} name=${name} defaultValue=${value} spellcheck=${false} /></label>`;
}

export function Choose(props: {
  readonly label: string;
  readonly name: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  onChoose?(value: string): void;
}): Part {
  const { label, name, options, onChoose } = props;
  return html`<label class="field"><span>${label}</span>
    <select name=${name} onChange=${(event: TargetedEvent<HTMLSelectElement>) => onChoose?.(event.currentTarget.value)}>
      ${options.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}
    </select></label>`;
}

export function Search(props: {
  readonly label: string;
  readonly value: string;
  onSearch(text: string): void;
}): Part {
  const { label, value, onSearch } = props;
  return html`<input type="search" aria-label=${label} placeholder=${label} value=${value}
    onInput=${(event: TargetedEvent<HTMLInputElement>) => onSearch(event.currentTarget.value)} />`;
}
