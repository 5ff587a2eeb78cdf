/** The fields of forms. */

import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import { printable } from "../../base/text.ts";
import { Refusal } from "./api.ts";
import type { Part } from "./parts.ts";

/** A control with its label. */
function Field(props: {
  readonly label: string;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}): Part {
  const { label, isWide = false, children } = props;
  return html`<label class=${isWide ? "field wide" : "field"}><span>${label}</span>${children}</label>`;
}

/** A field of a form, for text. */
export function Input(props: {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly isWide?: boolean;
}): Part {
  const { label, name, value = "", placeholder = "", isWide = false } = props;
  return html`<${Field} label=${label} isWide=${isWide}>
    <input name=${name} defaultValue=${value} placeholder=${placeholder} autocomplete="off" />
  </${Field}>`;
}

/** A field for longer text. A new `value` replaces what was typed. */
export function Area(props: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
}): Part {
  return html`<${Field} label=${props.label} isWide=${true}>
    <textarea key=${props.value} name=${props.name} defaultValue=${props.value} spellcheck=${false} />
  </${Field}>`;
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
    throw new Refusal(`${field} must be valid JSON`, field);
  }
}

export function Choose(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  /** For forms. */
  readonly name?: string;
  onChoose?(value: string): void;
}): Part {
  return html`<${Field} label=${props.label}>
    <select name=${props.name} onChange=${(event: Event) => props.onChoose?.(textOf(event))}>
      ${props.options.map(
        ([
          value,
          text,
        ]) => html`<option key=${value} value=${value} selected=${value === props.value}>
          ${printable(text)}
        </option>`,
      )}
    </select>
  </${Field}>`;
}

export function textOf(event: Event): string {
  const { target } = event;
  const isControl =
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement;
  return isControl ? target.value : "";
}
