/** The fields of forms. */

import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import { printable } from "../../base/text.ts";
import { Refusal } from "./api.ts";
import type { Part } from "./parts.ts";

/** A control with its label. */
function Field(props: { readonly label: string; readonly children: ComponentChildren }): Part {
  return html`<label class="field"><span>${props.label}</span>${props.children}</label>`;
}

/** A field of a form, for text. */
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
  return html`<label class="field wide"><span>${props.label}</span>
    <textarea key=${props.value} name=${props.name} defaultValue=${props.value} spellcheck=${false} />
  </label>`;
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
