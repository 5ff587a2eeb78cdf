/** The small parts that all views are made of. */

import { html } from "htm/preact";
import { type ComponentChildren, Fragment, type VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { printable } from "../../base/text.ts";
import { Refusal } from "./api.ts";
import type { Loaded } from "./loading.ts";
import { go, linkTo, type Move } from "./place.ts";
import { recording } from "./recording.ts";
import { useStayingFocus } from "./staying-focus.ts";

export type Part = VNode | null;

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

/**
 * Asks before something is lost. The first press changes the button's text to the question, the second one acts; leaving the
 * button takes the first back.
 */
function useQuestion(question: string | undefined): {
  readonly isAsking: boolean;
  readonly leave: () => void;
  /** @returns whether to act now. */
  press(): boolean;
} {
  const [isAsking, setAsking] = useState(false);
  return {
    isAsking,
    leave: () => setAsking(false),
    press() {
      if (question === undefined) return true;
      setAsking(!isAsking);
      if (!isAsking) announce(question);
      return isAsking;
    },
  };
}

/** A form that acts on the values of its fields, and shows the error beside them. `question`: asked first. */
export function ActionForm(props: {
  readonly submit: string;
  readonly question?: string;
  /** Whether its fields get their first values back when it has acted. */
  readonly isEmptied?: boolean;
  readonly children?: ComponentChildren;
  act(values: Readonly<Record<string, string>>): Promise<unknown>;
}): Part {
  const { isBusy, error, run } = useAction();
  const { isAsking, leave, press } = useQuestion(props.question);
  const button = useRef<HTMLButtonElement>(null);
  useStayingFocus(() => button.current);
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    const { currentTarget } = event;
    if (!(currentTarget instanceof HTMLFormElement) || isBusy || !press()) return;
    const fields = Array.from(new FormData(currentTarget), ([name, value]) => [name, `${value}`]);
    run(async () => {
      await props.act(Object.fromEntries(fields));
      if (props.isEmptied === true) currentTarget.reset();
    });
  };
  return html`<form class="action" onSubmit=${onSubmit}>
    ${props.children}<button ref=${button} class=${props.question === undefined ? "primary" : "danger"}
      aria-disabled=${isBusy} onBlur=${leave}>${isBusy ? "…" : isAsking ? props.question : props.submit}</button>
    <${Problem} error=${error} />
  </form>`;
}

export function ActionButton(props: {
  readonly label: string;
  readonly question?: string;
  act(): Promise<unknown>;
}): Part {
  const { isBusy, error, run } = useAction();
  return html`<${PressButton} ...${props} isBusy=${isBusy} onPress=${() => run(props.act)} /><${Problem} error=${error} />`;
}

/** A button that is asked first, if there is a question. It keeps the focus while it is busy, but does nothing then. */
export function PressButton(props: {
  readonly label: string;
  readonly question?: string;
  readonly isBusy: boolean;
  onPress(): void;
}): Part {
  const { label, question, isBusy, onPress } = props;
  const { isAsking, leave, press } = useQuestion(question);
  const button = useRef<HTMLButtonElement>(null);
  useStayingFocus(() => button.current);
  return html`<button type="button" ref=${button} class=${isAsking ? "small danger" : "small"} aria-disabled=${isBusy}
      onClick=${() => !isBusy && press() && onPress()} onBlur=${leave}>
      ${isAsking ? question : label}
    </button>`;
}

/** What takes a server: a file leaves it out. */
export function OnServer({ children }: { readonly children: ComponentChildren }): Part {
  return recording === undefined ? html`<${Fragment}>${children}</${Fragment}>` : null;
}

/** Says something to screen readers, once. */
export function announce(text: string): void {
  const region = document.getElementById("said");
  if (region !== null) region.textContent = text;
}

/** An error, where the action was. */
export function Problem({ error }: { readonly error: unknown }): Part {
  if (error === undefined) return null;
  // The message names the field.
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
  const [problem, setProblem] = useState<string>();
  const copy = async (): Promise<void> => {
    setProblem(undefined);
    try {
      await copyText(typeof props.text === "string" ? props.text : await props.text());
      setCopied(true);
      announce("Copied.");
      setTimeout(() => setCopied(false), 1500);
    } catch (error) {
      setProblem(error instanceof Refusal ? error.message : "Can't copy");
    }
  };
  return html`<button type="button" class="small" onClick=${copy}>${isCopied ? "Copied" : props.label}</button>
    <${Problem} error=${problem} />`;
}

async function copyText(text: string): Promise<void> {
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
  readonly tabs: readonly (readonly [id: string, label: string])[];
  readonly chosen: string;
  readonly children: ComponentChildren;
}): Part {
  const { name, label, tabs, chosen, children } = props;
  const list = useRef<HTMLDivElement>(null);
  const choose = (id: string): void => go({ [name]: id === tabs[0]?.[0] ? undefined : id });
  useEffect(() => {
    const element = list.current?.querySelector(`#${name}-${chosen}`);
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [name, chosen]);
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = tabs.findIndex(([id]) => id === chosen);
    const next = tabs[(index + step + tabs.length) % tabs.length]?.[0] ?? "";
    choose(next);
    list.current?.querySelector<HTMLElement>(`#${name}-${next}`)?.focus();
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
    <div class="tab-panel" role="tabpanel" id=${`${name}-panel`} aria-labelledby=${`${name}-${chosen}`}>
      ${children}
    </div>`;
}

/** A link to another place in this page. The text may be foreign. */
export function link(to: Move, text: string): Part {
  return html`<a href=${linkTo(to)}>${printable(text)}</a>`;
}

/** Names and values. Values that are text are shown as text, never as markup. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [string, unknown])[];
}): Part {
  return html`<dl class="facts">
    ${facts
      .filter(([, value]) => value !== undefined && value !== "" && value !== null)
      .map(
        ([name, value]) => html`<div key=${name}>
          <dt>${name}</dt>
          <dd>${typeof value === "string" ? printable(value) : value}</dd>
        </div>`,
      )}
  </dl>`;
}

/** A table of plain cells. Numbers stand right. */
export function Table(props: {
  readonly label: string;
  readonly head: readonly string[];
  /** What tells the rows apart, if they can come and go. */
  readonly keys?: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}): Part {
  const kind = (value: unknown): string => (typeof value === "number" ? "number" : "");
  const cell = (value: unknown): unknown => (typeof value === "string" ? printable(value) : value);
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${props.label}>
    <table>
      <thead><tr>${props.head.map((name, index) =>
        name === ""
          ? html`<td></td>`
          : html`<th scope="col" class=${kind(props.rows[0]?.[index])}>${name}</th>`,
      )}</tr></thead>
      <tbody>
        ${props.rows.map(
          (row, index) => html`<tr key=${props.keys?.[index]}>
            ${row.map((value) => html`<td class=${kind(value)}>${cell(value)}</td>`)}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** An amount, exactly as the number prints. */
export function inr(amount: number): string {
  return `₹${amount}`;
}
